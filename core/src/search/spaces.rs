//! Spaces that were made before: GPU types, and ways to share GPUs, that agree in what plans depend on have the same.

use std::cell::RefCell;
use std::rc::Rc;

use super::space::Space;
use crate::complete::training_gpus;
use crate::context::Context;
use crate::fit::Sure;
use crate::wire::PlanSpec;

/// What plans and their memory depend on beside the question.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    gpus: u32,
    training: u32,
    gpus_per_node: u32,
    domain: u32,
    blackwell: bool,
    operand_bytes: f64,
    host_ram_gib: Option<f64>,
    /// Estimates are surer on architectures whose memory was measured.
    sure: Sure,
    spec: PlanSpec,
}

impl Kind {
    fn of(context: &Context<'_>, spec: &PlanSpec) -> Self {
        let hardware = &context.job.hardware;
        Self {
            gpus: hardware.gpus,
            training: training_gpus(context.job),
            gpus_per_node: hardware.gpus_per_node,
            domain: hardware.nvlink_domain.min(8).max(hardware.gpus_per_node),
            // Megatron gathers its weights in fp8 there.
            blackwell: hardware.architecture.starts_with("Blackwell"),
            operand_bytes: context.rates.operand_bytes,
            host_ram_gib: hardware.host_ram_gib,
            sure: context.sure,
            spec: spec.clone(),
        }
    }
}

/// Spaces of one question's workload and model.
#[derive(Debug, Default)]
pub(super) struct Spaces {
    known: RefCell<Vec<(Kind, Rc<Space>)>>,
}

impl Spaces {
    /// The space that `spec` leaves; none is needed where nothing trains.
    pub(super) fn of(&self, context: &Context<'_>, spec: &PlanSpec) -> Rc<Space> {
        if context.job.workload.generation.is_some() {
            return Rc::default();
        }
        let kind = Kind::of(context, spec);
        let mut all = self.known.borrow_mut();
        if let Some((_, space)) = all.iter().find(|(known, _)| *known == kind) {
            return Rc::clone(space);
        }
        let space = Rc::new(Space::of(context, spec));
        all.push((kind, Rc::clone(&space)));
        space
    }
}
