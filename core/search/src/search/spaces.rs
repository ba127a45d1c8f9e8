//! Spaces that were made before: ways to share the GPUs that a search comes back to, and machines whose plans are the same.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::choices::states_fill_cards;
use super::space::Space;
use shardwise_engine::context::Context;
use shardwise_engine::fit::Sure;
use shardwise_question::complete::training_gpus;
use shardwise_question::wire::{PlanSpec, Precision};

/// Plans beyond which the spaces that were not asked for longest are let go of before another machine is asked. What a plan
/// holds is kept in some 30 bytes, of the one in a hundred of which it is asked.
const MOST_PLANS: u64 = 1 << 22;

/// Spaces of one question on machines that were asked it, with what is stated.
#[derive(Debug, Default)]
pub(super) struct Spaces {
    /// The last that was asked for is the last. There are hundreds: what moves is a pointer.
    known: RefCell<Vec<Rc<Made>>>,
    /// Number of the search that asks.
    asks: Cell<u32>,
}

/// A space, and what it was made for.
#[derive(Debug)]
struct Made {
    machine: Machine,
    stated: PlanSpec,
    space: Rc<Space>,
}

/// What plans, and what they hold, depend on of a machine, and of whom it is asked: two whose GPUs differ in speed and price alone
/// have one space.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Machine {
    gpus: u32,
    training: u32,
    per_node: u32,
    domain: u32,
    /// Whether weights may be gathered in 8 bits (`weights_bytes` of [`shardwise_question::complete`]).
    gathers: bool,
    /// Bytes that Megatron keeps of what enters a product (`BlockContext::kept_bytes`).
    operand_bytes: f64,
    sure: Sure,
    /// Whether what is split beside FSDP is asked for.
    filled: bool,
    /// The framework that is asked by name.
    framework: Option<&'static str>,
}

impl Machine {
    fn of(context: &Context<'_>) -> Self {
        let hardware = &context.job.hardware;
        let narrow = context.job.workload.precision == Precision::Fp8;
        let rates = &context.rates;
        Self {
            gpus: hardware.gpus,
            training: training_gpus(context.job),
            per_node: hardware.gpus_per_node,
            // Beyond that it is as nodes are (`Sizes::tensor`).
            domain: hardware.nvlink_domain.min(8).max(hardware.gpus_per_node),
            gathers: narrow && hardware.has_compute_capability(10.0),
            operand_bytes: if rates.quantized { rates.operand_bytes } else { 2.0 },
            sure: context.sure,
            filled: states_fill_cards(context.job),
            framework: context.job.framework.map(|own| own.id),
        }
    }
}

impl Spaces {
    /// Another search begins.
    pub(super) fn begin(&self) {
        self.asks.set(self.asks.get() + 1);
        let mut known = self.known.borrow_mut();
        let mut plans = 0;
        let young = |own: &&Rc<Made>| {
            plans += own.space.plans;
            plans <= MOST_PLANS
        };
        let kept = known.iter().rev().take_while(young).count();
        let old = known.len() - kept;
        known.drain(..old);
    }

    /// The space that `spec` leaves; none is needed where nothing trains.
    pub(super) fn of(&self, context: &Context<'_>, spec: &PlanSpec) -> Rc<Space> {
        if context.job.workload.generation.is_some() {
            return Rc::default();
        }
        let machine = Machine::of(context);
        let mut all = self.known.borrow_mut();
        let place = all.iter().position(|own| own.machine == machine && own.stated == *spec);
        let own = match place {
            Some(place) => all.remove(place),
            None => Rc::new(Made { machine, stated: spec.clone(), space: Rc::new(Space::of(context, spec)) }),
        };
        let space = Rc::clone(&own.space);
        all.push(own);
        space.begin(self.asks.get());
        space
    }
}
