//! What an RL step adds up, term by term: for explaining it.

pub use super::Ahead;
use super::between::{between, fetching, synced_by_links, synced_by_tensor, waking};
use super::limits;
use super::requests;
use crate::context::Context;
use crate::rollout::{Requests, Room};
pub use limits::{Terms as LimitTerms, most};
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::workload::Rl;

/// The requests that the engine takes at once, and how often in a step.
pub fn asked(context: &Context<'_>, rl: &Rl) -> (Requests, f64) {
    requests(context, rl)
}

/// How far generation runs ahead of training; absent where it waits for each step's last response.
pub fn ahead(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> Option<Ahead> {
    super::generating_side(context, engine, rl).ahead
}

/// Seconds of what is done between the phases.
#[must_use]
pub fn driven(context: &Context<'_>, rl: &Rl) -> f64 {
    between(context, rl)
}

/// Seconds in which the trainer takes a step's samples out of the queue.
#[must_use]
pub fn fetched(context: &Context<'_>, rl: &Rl) -> f64 {
    fetching(context, rl)
}

/// Seconds in which new weights reach the engine.
#[derive(Clone, Copy, Debug)]
pub struct Sync {
    /// Gathering them over the links.
    pub gather: f64,
    /// Copying them into place.
    pub copy: f64,
    /// Handing them over tensor by tensor.
    pub handed: f64,
    /// Waking the engine.
    pub waking: f64,
}

/// The terms of the weights' way to the engine.
pub fn sync(context: &Context<'_>, layout: &Layout, rl: &Rl, engine: &RolloutPlan) -> Sync {
    let (gather, copy) = synced_by_links(context, layout, engine);
    Sync {
        gather: gather.get(),
        copy: copy.get(),
        handed: synced_by_tensor(context, layout).get(),
        waking: waking(context, rl, engine),
    }
}

/// The terms of the limits with `offload` or without.
pub fn limit(context: &Context<'_>, plan: &Plan, rl: &Rl, room: &Room, offload: bool) -> LimitTerms {
    limits::terms(context, plan, rl, room, offload)
}
