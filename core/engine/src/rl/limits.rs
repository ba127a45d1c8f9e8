//! The most that fits: the engine's share of the card and each role's token budget, with and without offload.

use super::{Budgets, GeneratingSide, kept_engine, least_share_gib, outside_gib, turns};
use crate::context::Context;
use crate::phase::Phase;
use crate::rollout::Room;
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::{Limit, MemoryParts, Offload, Schedule, TokenBudget};
use shardwise_question::workload::Rl;

/// Shares of the card are stated to a twentieth, and never above this. Beside training the trainer's own context, its
/// communicators and what its allocator keeps want room, too: of 103 values in veRL's examples one is 0.9 or more, the
/// guide advises 0.5 to 0.7 (<https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/perf/perf_tuning.rst>). Alone vLLM's own
/// default is the most.
#[must_use]
pub fn most(rl: &Rl) -> f64 {
    match rl.schedule {
        Schedule::Colocated => 0.85,
        Schedule::Split | Schedule::OneStepOff | Schedule::FullyAsync => 0.9,
    }
}

/// What fits with all states on the card between their phases, and with all of them in host memory.
#[must_use]
pub fn limits(context: &Context<'_>, plan: &Plan, rl: &Rl, generating: &GeneratingSide) -> Vec<Limit> {
    [false, true]
        .map(|offload| limit(context, plan, rl, &generating.room, offload))
        .into()
}

/// What a limit follows from.
pub struct Terms {
    /// GiB that the engine's share of the card does not count, and the least that the engine needs, each as sure as
    /// asked; absent without an engine.
    pub engine: Option<(f64, f64)>,
    /// GiB that an engine keeps beside training.
    pub kept: f64,
    /// What each training phase holds.
    pub phases: Vec<(Phase, Budgets)>,
}

/// The terms of a limit, with `offload` or without.
pub(crate) fn terms(context: &Context<'_>, plan: &Plan, rl: &Rl, room: &Room, offload: bool) -> Terms {
    let moved = |layout: &Layout| Layout {
        offload: Offload {
            parameters: offload,
            gradients: offload,
            optimizer: offload,
            activations: layout.offload.activations,
        },
        ..*layout
    };
    let plan = Plan {
        layout: moved(&plan.layout),
        critic: plan.critic.as_ref().map(moved),
        reference: plan.reference.as_ref().map(moved),
        ..*plan
    };
    let factor = context.sure.training(context.job, &plan.layout);
    let (turns, resident) = turns(context, &plan, rl);
    let mut kept = 0.0;
    let mut share = None;
    if let Some(engine) = &plan.rollout {
        kept = kept_engine(context, engine, rl, room).total();
        let resident = if rl.schedule == Schedule::Colocated { resident } else { MemoryParts::default() };
        // The engine's share counts its weights, cache and working memory; the rest is what training leaves.
        let outside = outside_gib(context, engine, rl) + resident.total() * context.sure.states;
        let least = least_share_gib(context, room);
        share = Some((outside, least));
    }
    Terms {
        engine: share,
        kept,
        phases: turns
            .iter()
            .map(|own| (own.phase, Budgets::of(context, own, rl, factor)))
            .collect(),
    }
}

/// The largest share of the card that `engine` can take, as surely as asked, beside `resident_gib` that training is
/// estimated to leave there: to a twentieth.
#[must_use]
pub fn safe_utilization(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl, resident_gib: f64) -> f64 {
    let outside = outside_gib(context, engine, rl) + resident_gib * context.sure.states;
    share_beside(context, rl, outside)
}

fn share_beside(context: &Context<'_>, rl: &Rl, outside_gib: f64) -> f64 {
    let capacity = context.job.hardware.memory_gib;
    let free = ((capacity - outside_gib) / capacity * 20.0).floor() / 20.0;
    free.min(most(rl))
}

fn limit(context: &Context<'_>, plan: &Plan, rl: &Rl, room: &Room, offload: bool) -> Limit {
    let terms = terms(context, plan, rl, room, offload);
    let capacity = context.job.hardware.memory_gib;
    let utilization = terms.engine.and_then(|(outside, least)| {
        let share = share_beside(context, rl, outside);
        (share >= least / capacity).then_some(share)
    });
    Limit {
        offload,
        gpu_memory_utilization: utilization,
        max_tokens_per_gpu: terms
            .phases
            .into_iter()
            .map(|(phase, budgets)| TokenBudget { phase: phase.name(), tokens: budgets.largest(capacity - terms.kept) })
            .collect(),
    }
}
