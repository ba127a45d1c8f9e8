//! What an RL step adds up, term by term: for explaining it.

use super::limits;
use super::phases::{Others, moved, phases};
use super::{requests, synced_by_links, synced_by_tensor, waking};
use crate::batch::Batch;
use crate::context::{Context, Role};
use crate::memory::Use;
use crate::rollout::{Requests, Room};
pub use limits::{Terms as LimitTerms, most};
use shardwise_question::complete::training_gpus;
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::MemoryParts;
use shardwise_question::workload::Rl;

/// A phase of the training side.
pub struct Phase<'a> {
    /// As answers name it.
    pub name: &'static str,
    /// Who works.
    pub role: Role<'a>,
    /// The layout at work.
    pub layout: Layout,
    /// What is done.
    pub usage: Use,
    /// One optimizer step's micro-batches, or those of the one pass.
    pub batch: Batch,
    /// Optimizer steps; 1 of a pass.
    pub times: f64,
    /// Seconds in which offloaded states come and go.
    pub moved: f64,
    /// GiB that other roles and a kept engine hold on the card.
    pub beside: MemoryParts,
}

/// Hands the phases of the training side to `use_them`. `room` is what the engine holds.
pub fn with_phases<R>(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    room: &Room,
    use_them: impl FnOnce(&[Phase<'_>]) -> R,
) -> R {
    let others = Others::of(plan, rl);
    let (found, _) = phases(context, plan, rl, &others);
    let gpus = training_gpus(context.job);
    let kept = plan
        .rollout
        .as_ref()
        .map_or_else(MemoryParts::default, |engine| super::kept_engine(engine, rl, room));
    let all: Vec<Phase<'_>> = found
        .into_iter()
        .map(|own| {
            let layout = own.layout();
            Phase {
                name: own.name,
                role: own.role,
                usage: own.usage,
                batch: own.batch(context, &layout, rl),
                layout,
                times: own.times,
                moved: moved(context, &own.role, &own.planned, gpus, own.usage).get(),
                beside: own.beside.plus(&kept),
            }
        })
        .collect();
    use_them(&all)
}

/// A role and what it keeps on the card between its phases.
pub struct Resident<'a> {
    /// `actor`, `critic`, `reference` or `reward`.
    pub name: &'static str,
    /// The role.
    pub role: Role<'a>,
    /// Its layout as planned, states offloaded between phases included.
    pub layout: Layout,
    /// Whether it is only evaluated.
    pub frozen: bool,
}

/// Hands the roles of `plan` to `use_them`.
pub fn with_roles<R>(context: &Context<'_>, plan: &Plan, rl: &Rl, use_them: impl FnOnce(&[Resident<'_>]) -> R) -> R {
    let others = Others::of(plan, rl);
    let actor = context.actor();
    // With adapters the reference is the base itself, adapters switched off.
    let apart = plan.reference.filter(|_| actor.adapters == 0);
    let all: Vec<Resident<'_>> = [
        ("actor", Some((actor, plan.layout)), false),
        ("critic", others.critic(), false),
        ("reference", apart.map(|layout| (actor, layout)), true),
        ("reward", others.reward(), true),
    ]
    .into_iter()
    .filter_map(|(name, side, frozen)| {
        let (role, layout) = side?;
        Some(Resident { name, role, layout, frozen })
    })
    .collect();
    use_them(&all)
}

/// The requests that the engine takes at once, and how often in a step.
pub fn asked(context: &Context<'_>, rl: &Rl) -> (Requests, f64) {
    requests(context, rl)
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
        waking: waking(context, rl),
    }
}

/// The terms of the limits with `offload` or without.
pub fn limit(context: &Context<'_>, plan: &Plan, rl: &Rl, room: &Room, offload: bool) -> LimitTerms {
    limits::terms(context, plan, rl, room, offload)
}
