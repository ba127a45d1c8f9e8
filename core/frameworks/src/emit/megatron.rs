//! Keys that Megatron's users share: veRL, ChatLearn and Megatron-Bridge spell them alike, under prefixes of their own.

use super::choices::kept_reason;
use super::text::{Section, flag, list, rendezvous};
use super::words::{amount, figure, plural};
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::RecomputeModule;
use shardwise_question::workload::Workload;
use shardwise_rules::{last_stage, machines};

/// What `torchrun` and Megatron are told by the environment.
pub(super) fn setup(job: &Job) -> Vec<(String, String)> {
    let mut lines = vec![(
        "export CUDA_DEVICE_MAX_CONNECTIONS=1".to_owned(),
        "Megatron orders communication and computation by it".to_owned(),
    )];
    lines.extend(rendezvous(machines(job)));
    lines
}

/// Why so many GPUs split each matrix.
pub(super) fn tensor_reason(job: &Job, shape: &Shape, tp: u32) -> String {
    let heads = shape.num_attention_heads;
    if tp == 1 {
        "no matrix is split".to_owned()
    } else if tp <= job.hardware.nvlink_domain.max(1) {
        format!("{tp} GPUs of one NVLink domain split each matrix; divides {heads} heads")
    } else {
        format!("{tp} GPUs split each matrix; divides {heads} heads")
    }
}

/// What a pipeline stage holds.
pub(super) fn pipeline_reason(layers: u64, stages: u32) -> String {
    let stages = u64::from(stages.max(1));
    if stages == 1 {
        "no pipeline, no bubble".to_owned()
    } else if layers.is_multiple_of(stages) {
        format!("{} of {layers} layers per stage", layers / stages)
    } else {
        let most = layers.div_ceil(stages);
        format!("{most} of {layers} layers on the fullest stage")
    }
}

/// What a step's samples are, and in how many passes.
pub(super) fn samples_reason(workload: &Workload, micro: u64, ranks: u64) -> String {
    if workload.joins() {
        let held = plural(workload.global_batch, "sequence", "sequences");
        return format!("packs, which hold about {held}");
    }
    let passes = workload.global_batch / micro.saturating_mul(ranks).max(1);
    let passes = plural(passes, "pass", "passes");
    format!("{passes} on each of {ranks} ranks")
}

/// Optimizer steps of the run, and why.
pub(super) fn steps(workload: &Workload) -> (f64, String) {
    let Some(tokens) = workload.tokens else {
        return (1000.0, "steps; yours to choose".to_owned());
    };
    let per_step = workload.mean_sequence_length * workload.global_batch as f64;
    let reason = format!("{} tokens, from your question", figure(tokens));
    ((tokens / per_step.max(1.0)).ceil().max(1.0), reason)
}

/// Optimizer states narrower than fp32 that megatron-core has, each with the name of its type.
pub(super) fn narrow_states(layout: &Layout) -> Vec<(&'static str, &'static str)> {
    let mut out = Vec::new();
    let moments = match layout.optimizer_bytes {
        4.0 => Some("bf16"),
        2.0 => Some("fp8"),
        _ => None,
    };
    if let Some(word) = moments {
        out.extend([("exp_avg_dtype", word), ("exp_avg_sq_dtype", word)]);
    }
    if layout.master_weights_bytes == 2.0 {
        out.push(("main_params_dtype", "fp16"));
    }
    out
}

/// Where the estimate counts other bytes than any setting of megatron-core gives.
pub(super) fn differences(layout: &Layout, name: &str) -> Vec<String> {
    let mut out = Vec::new();
    let states = [
        (layout.optimizer_bytes, &[8.0, 4.0, 2.0][..], "optimizer states"),
        (layout.master_weights_bytes, &[4.0, 2.0], "master weights"),
        (layout.gradient_bytes, &[4.0, 2.0], "gradients"),
    ];
    for (bytes, known, what) in states {
        if !known.contains(&bytes) {
            let bytes = amount(bytes);
            out.push(format!(
                "the estimate counts {bytes} bytes of {what} per parameter, for which {name} has no setting: it takes its own {}.",
                amount(known[0])
            ));
        }
    }
    if layout.fused_lm_head {
        out.push(format!(
            "{name} has no fused LM head: its logits take memory that the estimate leaves out. Set fused_lm_head to false."
        ));
    }
    out
}

/// Context, expert and sequence parallelism, each under the name `key` gives it. Returns whether
/// sequence parallelism is on.
pub(super) fn splits(section: &mut Section, key: impl Fn(&str) -> String, shape: &Shape, layout: &Layout) -> bool {
    shares(section, &key, shape, layout);
    let sequence = layout.sequence_parallel && layout.tensor_parallel > 1;
    let reason = if sequence { SEQUENCE_REASON } else { "only with TP" };
    section.set(key("sequence_parallel"), flag(sequence), reason);
    sequence
}

/// Why sequence parallelism is on.
pub(super) const SEQUENCE_REASON: &str = "norms are split over TP too";

/// Context and expert parallelism.
pub(super) fn shares(section: &mut Section, key: impl Fn(&str) -> String, shape: &Shape, layout: &Layout) {
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
            format!("{share} of {} experts on each GPU of a group", shape.num_experts),
        );
        let reason = if etp == 1 { "experts stay whole: EP before ETP" } else { "each expert is split" };
        section.set(key("expert_tensor_parallel_size"), etp, reason);
    }
}

/// Whether the optimizer's states are sharded.
pub(super) fn distributed_optimizer(section: &mut Section, key: impl Fn(&str) -> String, layout: &Layout) {
    let sharded = layout.zero_stage >= 1;
    let reason = if sharded { "shards optimizer states over DP" } else { "every rank keeps all optimizer states" };
    section.set(key("use_distributed_optimizer"), flag(sharded), reason);
}

/// What the backward pass computes again.
pub(super) fn recompute(section: &mut Section, key: impl Fn(&str) -> String, recompute: Recompute, fits: bool) {
    match recompute {
        Recompute::None => section.set(key("recompute_granularity"), "null", kept_reason(fits)),
        Recompute::Full => {
            section.set(key("recompute_granularity"), "full", "each layer again from its input: least memory");
            section.set(key("recompute_method"), "uniform", "every layer alike");
            section.set(key("recompute_num_layers"), 1, "one layer at a time");
        }
        Recompute::Selective(modules) => {
            section.set(key("recompute_granularity"), "selective", "less to compute again than whole layers");
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
    Some((last, format!("{layers} layers do not split evenly into {stages} stages")))
}

/// Megatron's name of a module.
pub(super) fn module(module: RecomputeModule) -> &'static str {
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

/// Share of the optimizer that the host's CPUs step; `phases` where states move between phases instead.
pub(super) fn stepped_on_host(layout: &Layout, phases: bool) -> f64 {
    if layout.offload.optimizer && !phases { 1.0 } else { layout.optimizer_offload_fraction }
}

/// That share as Megatron takes it, and why.
pub(super) fn offload_fraction(share: f64) -> (String, &'static str) {
    if share < 1.0 { (share.to_string(), "share of it, from the plan") } else { ("1.0".to_owned(), "all of it") }
}
