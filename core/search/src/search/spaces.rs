//! Spaces that were made before: ways to share the GPUs that a search comes back to.

use std::cell::RefCell;
use std::rc::Rc;

use super::space::Space;
use shardwise_engine::context::Context;
use shardwise_question::complete::training_gpus;
use shardwise_question::wire::PlanSpec;

/// Spaces of one question on one machine, with the GPUs that train and what is stated.
#[derive(Debug, Default)]
pub(super) struct Spaces {
    known: RefCell<Vec<(u32, PlanSpec, Rc<Space>)>>,
}

impl Spaces {
    /// The space that `spec` leaves; none is needed where nothing trains.
    pub(super) fn of(&self, context: &Context<'_>, spec: &PlanSpec) -> Rc<Space> {
        if context.job.workload.generation.is_some() {
            return Rc::default();
        }
        let gpus = training_gpus(context.job);
        let mut all = self.known.borrow_mut();
        if let Some((.., space)) = all.iter().find(|own| own.0 == gpus && own.1 == *spec) {
            return Rc::clone(space);
        }
        let space = Rc::new(Space::of(context, spec));
        all.push((gpus, spec.clone(), Rc::clone(&space)));
        space
    }
}
