//! The most that fits: the engine's share of the card and each role's token budget, with and without offload.

use super::phases::{Budgets, Others, phases};
use super::{GeneratingSide, kept_engine};
use crate::context::Context;
use crate::plan::{Layout, Plan};
use crate::rollout::Generation;
use crate::step;
use crate::wire::{Limit, MemoryParts, Offload, Schedule, TokenBudget};
use crate::workload::Rl;

/// Shares of the card are stated to a twentieth, and never above this: vLLM's own trial run needs the rest.
pub(crate) const MOST: f64 = 0.95;

/// What fits with all states on the card between their phases, and with all of them in host memory.
#[must_use]
pub fn limits(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    generating: &GeneratingSide,
) -> Vec<Limit> {
    [false, true]
        .map(|offload| limit(context, plan, rl, &generating.phase, offload))
        .into()
}

/// What a limit follows from.
pub(crate) struct Terms {
    /// GiB that the engine's share of the card does not count, and the least that the engine needs; absent without one.
    pub(crate) engine: Option<(f64, f64)>,
    /// GiB that an engine keeps beside training.
    pub(crate) kept: f64,
    /// What each training phase holds.
    pub(crate) phases: Vec<(&'static str, Budgets)>,
}

/// The terms of a limit, with `offload` or without.
pub(crate) fn terms(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    generating: &Generation,
    offload: bool,
) -> Terms {
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
    let others = Others::of(&plan, rl);
    let (phases, resident) = phases(context, &plan, rl, &others);
    let mut kept = 0.0;
    let mut share = None;
    if let Some(engine) = &plan.rollout {
        kept = kept_engine(engine, rl, generating).total();
        let resident = if rl.schedule == Schedule::Colocated {
            resident
        } else {
            MemoryParts::default()
        };
        let beside = step::engine_memory(generating, context.efficiency.context_gib, resident);
        let parts = beside.parts;
        // The engine's share counts its weights, cache and working memory; the rest is what training leaves.
        let outside = beside.reserved_gib()
            - parts.rollout_weights
            - parts.kv_cache
            - generating.workspace.gib();
        share = Some((outside, (generating.weights + generating.workspace).gib()));
    }
    Terms {
        engine: share,
        kept,
        phases: phases
            .iter()
            .map(|phase| (phase.name, phase.budgets(context, rl)))
            .collect(),
    }
}

fn limit(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    generating: &Generation,
    offload: bool,
) -> Limit {
    let terms = terms(context, plan, rl, generating, offload);
    let capacity = context.job.hardware.memory_gib;
    let utilization = terms.engine.and_then(|(outside, least)| {
        let free = ((capacity - outside) / capacity * 20.0).floor() / 20.0;
        (free > least / capacity).then_some(free.min(MOST))
    });
    Limit {
        offload,
        gpu_memory_utilization: utilization,
        max_tokens_per_gpu: terms
            .phases
            .into_iter()
            .map(|(phase, budgets)| TokenBudget {
                phase,
                tokens: budgets.largest(capacity - terms.kept),
            })
            .collect(),
    }
}
