//! Keys that Megatron's users share: veRL and ChatLearn spell them alike, under prefixes of their own.

use super::rules::last_stage;
use super::text::{Section, flag, list};
use crate::model::Shape;
use crate::plan::{Layout, Recompute};
use crate::wire::RecomputeModule;

/// Context, expert and sequence parallelism, each under the name `key` gives it. Returns whether
/// sequence parallelism is on.
pub(super) fn splits(
    section: &mut Section,
    key: impl Fn(&str) -> String,
    shape: &Shape,
    layout: &Layout,
) -> bool {
    let cp = layout.context_parallel;
    let reason = match cp {
        1 => "no sequence is split".to_owned(),
        _ => format!("{cp} GPUs split each sequence"),
    };
    section.set(key("context_parallel_size"), cp, reason);
    if shape.num_experts > 0 {
        let (ep, etp) = (layout.expert_parallel, layout.expert_tensor_parallel);
        let share = shape.num_experts / u64::from(ep.max(1));
        section.set(
            key("expert_model_parallel_size"),
            ep,
            format!(
                "{share} of {} experts on each GPU of a group",
                shape.num_experts
            ),
        );
        let reason = if etp == 1 {
            "experts stay whole: EP before ETP"
        } else {
            "each expert is split"
        };
        section.set(key("expert_tensor_parallel_size"), etp, reason);
    }
    let sequence = layout.sequence_parallel && layout.tensor_parallel > 1;
    let reason = if sequence {
        "norms are split over TP too"
    } else {
        "only with TP"
    };
    section.set(key("sequence_parallel"), flag(sequence), reason);
    sequence
}

/// Whether the optimizer's states are sharded.
pub(super) fn distributed_optimizer(
    section: &mut Section,
    key: impl Fn(&str) -> String,
    layout: &Layout,
) {
    let sharded = layout.zero_stage >= 1;
    let reason = if sharded {
        "shards optimizer states over DP"
    } else {
        "every rank keeps all optimizer states"
    };
    section.set(key("use_distributed_optimizer"), flag(sharded), reason);
}

/// What the backward pass computes again.
pub(super) fn recompute(section: &mut Section, key: impl Fn(&str) -> String, recompute: Recompute) {
    match recompute {
        Recompute::None => section.set(
            key("recompute_granularity"),
            "null",
            "recompute off: the activations fit",
        ),
        Recompute::Full => {
            section.set(
                key("recompute_granularity"),
                "full",
                "each layer again from its input: least memory",
            );
            section.set(key("recompute_method"), "uniform", "every layer alike");
            section.set(key("recompute_num_layers"), 1, "one layer at a time");
        }
        Recompute::Selective(modules) => {
            section.set(
                key("recompute_granularity"),
                "selective",
                "the cheapest that fits",
            );
            section.set(
                key("recompute_modules"),
                list(modules.iter().map(module)),
                "large in memory, quick to compute again",
            );
        }
    }
}

/// Layers of the last pipeline stage and the reason, where the stages cannot be equal.
pub(super) fn uneven_last_stage(layers: u64, stages: u32) -> Option<(u64, String)> {
    let uneven = stages > 1 && !layers.is_multiple_of(stages.into());
    let last = last_stage(layers, stages).filter(|_| uneven)?;
    Some((
        last,
        format!("{layers} layers do not split evenly into {stages} stages"),
    ))
}

/// Megatron's name of a module.
fn module(module: RecomputeModule) -> &'static str {
    match module {
        RecomputeModule::CoreAttn => "core_attn",
        RecomputeModule::Mlp => "mlp",
        RecomputeModule::Moe => "moe",
        RecomputeModule::MoeAct => "moe_act",
        RecomputeModule::Layernorm => "layernorm",
        RecomputeModule::MlaUpProj => "mla_up_proj",
        RecomputeModule::SharedExperts => "shared_experts",
    }
}
