//! What an RL step adds up, term by term: for explaining it.

use super::limits;
use super::phases::{Others, moved, phases};
use super::{requests, synced_by_links, synced_by_tensor, waking};
use crate::batch::Batch;
use crate::complete::training_gpus;
use crate::context::{Context, Role};
use crate::memory::Use;
use crate::plan::{Layout, Plan, RolloutPlan};
use crate::rollout::{Requests, Room};
use crate::wire::MemoryParts;
use crate::workload::Rl;
pub(crate) use limits::{Terms as LimitTerms, most};

/// A phase of the training side.
pub(crate) struct Phase<'a> {
    /// As answers name it.
    pub(crate) name: &'static str,
    /// Who works.
    pub(crate) role: Role<'a>,
    /// The layout at work.
    pub(crate) layout: Layout,
    /// What is done.
    pub(crate) usage: Use,
    /// One optimizer step's micro-batches, or those of the one pass.
    pub(crate) batch: Batch,
    /// Optimizer steps; 1 of a pass.
    pub(crate) times: f64,
    /// Seconds in which offloaded states come and go.
    pub(crate) moved: f64,
    /// GiB that other roles and a kept engine hold on the card.
    pub(crate) beside: MemoryParts,
}

/// Hands the phases of the training side to `use_them`. `room` is what the engine holds.
pub(crate) fn with_phases<R>(
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
        .map_or_else(MemoryParts::default, |engine| {
            super::kept_engine(engine, rl, room)
        });
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
pub(crate) struct Resident<'a> {
    /// `actor`, `critic`, `reference` or `reward`.
    pub(crate) name: &'static str,
    /// The role.
    pub(crate) role: Role<'a>,
    /// Its layout as planned, states offloaded between phases included.
    pub(crate) layout: Layout,
    /// Whether it is only evaluated.
    pub(crate) frozen: bool,
}

/// Hands the roles of `plan` to `use_them`.
pub(crate) fn with_roles<R>(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    use_them: impl FnOnce(&[Resident<'_>]) -> R,
) -> R {
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
        Some(Resident {
            name,
            role,
            layout,
            frozen,
        })
    })
    .collect();
    use_them(&all)
}

/// The requests that the engine takes at once, and how often in a step.
pub(crate) fn asked(context: &Context<'_>, rl: &Rl) -> (Requests, f64) {
    requests(context, rl)
}

/// Seconds in which new weights reach the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sync {
    /// Gathering them over the links.
    pub(crate) gather: f64,
    /// Copying them into place.
    pub(crate) copy: f64,
    /// Handing them over tensor by tensor.
    pub(crate) handed: f64,
    /// Waking the engine.
    pub(crate) waking: f64,
}

/// The terms of the weights' way to the engine.
pub(crate) fn sync(context: &Context<'_>, layout: &Layout, rl: &Rl, engine: &RolloutPlan) -> Sync {
    let (gather, copy) = synced_by_links(context, layout, engine);
    Sync {
        gather: gather.get(),
        copy: copy.get(),
        handed: synced_by_tensor(context, layout).get(),
        waking: waking(context, rl),
    }
}

/// The terms of the limits with `offload` or without.
pub(crate) fn limit(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    room: &Room,
    offload: bool,
) -> LimitTerms {
    limits::terms(context, plan, rl, room, offload)
}
