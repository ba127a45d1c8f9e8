//! The most that fits: the engine's share of the card and each role's token budget, with and without offload.

use super::phases::{Others, phases};
use super::{GeneratingSide, kept_engine};
use crate::context::Context;
use crate::plan::{Layout, Plan};
use crate::rollout::Generation;
use crate::step;
use crate::wire::{Limit, MemoryParts, Offload, Schedule, TokenBudget};
use crate::workload::Rl;

/// Shares of the card are stated to a twentieth, and never above this: vLLM's own trial run needs the rest.
const MOST: f64 = 0.95;

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

fn limit(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    generating: &Generation,
    offload: bool,
) -> Limit {
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
    let capacity = context.job.hardware.memory_gib;
    let mut kept = 0.0;
    let mut utilization = None;
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
        let free = ((capacity - outside) / capacity * 20.0).floor() / 20.0;
        let needed = (generating.weights + generating.workspace).gib() / capacity;
        utilization = (free > needed).then_some(free.min(MOST));
    }
    Limit {
        offload,
        gpu_memory_utilization: utilization,
        max_tokens_per_gpu: phases
            .iter()
            .map(|phase| TokenBudget {
                phase: phase.name,
                tokens: phase.largest_budget(context, rl, capacity - kept),
            })
            .collect(),
    }
}
