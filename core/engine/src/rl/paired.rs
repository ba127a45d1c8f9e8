//! The two sides of a step beside each other: seconds, and what a card lacks for both.

use super::turns::{Work, works};
use super::{GeneratingSide, beside, engine_gib, handover, kept_engine, seconds_of, stays};
use crate::context::Context;
use crate::host;
use crate::memory::{Lengths, PhaseMemory};
use crate::phase::Phase;
use crate::rollout::Room;
use shardwise_question::plan::{Plan, RolloutPlan};
use shardwise_question::workload::Rl;

/// What a plan holds of its training side, as surely as the question asks and however long sequences get, in GiB.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// On the card, in the phase that needs most.
    pub needed_gib: f64,
    /// On the card while the engine generates.
    pub resident_gib: f64,
    /// On the card while the engine takes new weights over, where that is a phase of its own.
    pub handing_gib: Option<f64>,
    /// Of a node's host memory.
    pub host_gib: f64,
}

impl Held {
    /// Of training that no engine shares its GPUs with.
    pub fn alone(needed_gib: f64, host_gib: f64) -> Self {
        Self { needed_gib, resident_gib: 0.0, handing_gib: None, host_gib }
    }

    /// What is missing of a node's host memory, weighed as a card's; below zero what is to spare.
    pub fn missing_host_gib(&self, context: &Context<'_>) -> f64 {
        host::missing_gib(context, self.host_gib)
    }
}

/// Seconds of a step and GiB that a card lacks for it, of a training side that is known: [`super::together`] without its lists, for
/// searching. Below zero what is to spare.
pub fn paired(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    (training, held): (f64, &Held),
    generating: &GeneratingSide,
) -> (f64, f64) {
    let Some(engine) = &plan.rollout else {
        return (f64::MAX, f64::MAX);
    };
    let seconds = seconds_of(context, plan, rl, training, generating);
    (seconds, missing_card_gib(context, held, &Taken::of(context, engine, rl, &generating.room)))
}

/// What an engine takes of the card, in GiB.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// While it generates.
    pub own_gib: f64,
    /// While training has the card.
    pub kept_gib: f64,
    /// While it takes new weights over.
    pub awake_gib: f64,
}

impl Taken {
    /// Of an engine with so much room.
    pub fn of(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl, room: &Room) -> Self {
        Self {
            own_gib: engine_gib(context, engine, rl, room),
            kept_gib: kept_engine(context, engine, rl, room).total(),
            awake_gib: handover::of_engine(context, engine, rl, room).total(),
        }
    }
}

/// GiB that a card lacks for training and for an engine, weighed as those that training lacks; below zero what is to spare.
pub fn missing_card_gib(context: &Context<'_>, held: &Held, taken: &Taken) -> f64 {
    let capacity = context.job.hardware.memory_gib;
    let lacks = |engine: f64, training: f64| {
        host::states_weighed(context, engine + training - capacity, training / context.sure.states)
    };
    let generation = lacks(taken.own_gib, held.resident_gib);
    let awake = taken.awake_gib + context.efficiency.context_gib;
    let handing = held.handing_gib.map_or(f64::NEG_INFINITY, |training| lacks(awake, training));
    generation.max(handing).max(held.needed_gib + taken.kept_gib - capacity)
}

/// GiB of the training side of `plan`.
pub fn training_held(context: &Context<'_>, plan: &Plan, rl: &Rl) -> Held {
    let beside = beside(context, plan);
    let factor = context.sure.training(context.job, &plan.layout);
    let mut needed_gib = 0.0_f64;
    let mut known: Option<(Work<'_, '_>, PhaseMemory)> = None;
    for work in works(context, plan, rl) {
        // Neighbours may do the same, beside other states.
        let own = match &known {
            Some((last, own)) if work.is_as(last, context, rl) => *own,
            _ => work.turn(context, rl).at_longest(context),
        };
        let all = own.beside(&beside(work.phase), 0.0);
        needed_gib = needed_gib.max(all.needed_gib(Lengths::Expected, factor));
        known = Some((work, own));
    }
    Held {
        needed_gib,
        resident_gib: stays(rl, beside(Phase::Rollout)).total() * context.sure.states,
        handing_gib: handover::of_training(context, plan, rl).map(|own| own.total() * context.sure.states),
        host_gib: host::needed_gib(context, plan),
    }
}
