//! What every trainer is told, each under names of its own: passes of a step, a rate to start with, adapters, 16 bits.

pub(crate) mod grouped;
pub(crate) mod preference;
pub(crate) mod run;

use super::Emission;
use super::optimizer::kept_moments;
use super::text::Section;
use super::words::{amount, count, plural};
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::task::Learns;
use shardwise_question::wire::{Backend, Precision, WorkloadKind};
use shardwise_question::workload::{Lora, Rl, Workload};
use shardwise_rules::{self as rules, pools};

/// Modules of attention, as Hugging Face's models name them.
pub(crate) const ATTENTION: [&str; 4] = ["q_proj", "k_proj", "v_proj", "o_proj"];

/// Sequences of one forward pass on one GPU.
pub(super) fn micro(emission: &Emission) -> u64 {
    rules::micro(&emission.plan.layout, emission.job.workload.sequence_length)
}

/// Passes of one optimizer step on each rank that trains.
pub(super) fn accumulation(emission: &Emission) -> u64 {
    let ranks = emission.plan.layout.data_parallel(pools(emission.job).0);
    let per_pass = micro(emission).saturating_mul(ranks.into());
    emission.job.workload.global_batch / per_pass.max(1)
}

/// Sequences of a pass and passes of a step, under two names.
pub(super) fn passes(section: &mut Section, emission: &Emission, pass: &str, step: &str) {
    section.set(pass, micro(emission), preference::counted(emission.job.workload.kind.preference()));
    let passes = accumulation(emission);
    let batch = count(emission.job.workload.global_batch);
    let made = plural(passes, "pass makes", "passes make");
    section.set(step, passes, format!("{made} a batch of {batch}"));
}

/// A rate to start with. Adapters take ten times that of all weights; a policy that learns of rewards, or of preference data,
/// a tenth of fine-tuning's.
pub(super) fn learning_rate(workload: &Workload) -> f64 {
    let preferences = workload.kind.preference().is_some_and(|own| own.learns != Learns::Scores);
    match (workload.kind, workload.rl.is_some() || preferences, workload.lora.is_some()) {
        (WorkloadKind::Pretrain, ..) => 3e-4,
        (_, false, true) => 1e-4,
        (_, true, false) => 1e-6,
        _ => 1e-5,
    }
}

/// The learning rate to start with as a word: `1e-5`.
pub(crate) fn rate(workload: &Workload) -> String {
    format!("{:e}", learning_rate(workload))
}

/// Rank and scale of adapters, under two names.
pub(super) fn adapters(section: &mut Section, lora: Lora, rank: &str, alpha: &str) {
    section.set(rank, lora.rank, "from your question");
    let (twice, reason) = scale(lora);
    section.set(alpha, twice, reason);
}

/// Scale of adapters, and why.
pub(crate) fn scale(lora: Lora) -> (String, String) {
    (lora.rank.saturating_mul(2).to_string(), "twice the rank, a usual choice".to_owned())
}

/// `bf16` or `fp16`: what a step computes in, where it does not in fewer bits.
pub(super) fn half(precision: Precision) -> &'static str {
    match precision {
        Precision::Fp16 => "fp16",
        _ => "bf16",
    }
}

/// `bfloat16` or `float16`, as torch names what a step computes in, where it does not in fewer bits.
pub(super) fn half_type(precision: Precision) -> &'static str {
    match precision {
        Precision::Fp16 => "float16",
        _ => "bfloat16",
    }
}

/// Why whole layers are recomputed, or are not.
pub(super) fn recompute_reason(again: bool, emission: &Emission) -> &'static str {
    if again { "each layer again from its input: far fewer activations" } else { kept_reason(emission.answer.fits) }
}

/// Why nothing is recomputed, in a plan that fits or does not.
pub(crate) fn kept_reason(fits: bool) -> &'static str {
    if fits {
        "off: the activations fit"
    } else {
        "off, and the plan does not fit: each layer again from its input keeps far fewer activations"
    }
}

/// Why FSDP2 keeps all states of the model in host memory, or does not.
pub(super) fn offload_reason(away: bool) -> &'static str {
    if away {
        "weights, gradients and optimizer live in host memory"
    } else {
        "weights, gradients and optimizer stay on the GPUs"
    }
}

/// What FSDP2 does with a layer's weights after its forward pass.
pub(super) fn reshard_reason(stage: u8) -> &'static str {
    if stage == 3 { "weights are gathered again for the backward pass" } else { "weights stay after the forward pass" }
}

/// What a stage of ZeRO shards.
pub(super) fn zero_reason(stage: u8) -> &'static str {
    match stage {
        0 => "every GPU keeps everything",
        1 => "shards the optimizer states: least communication of the stages",
        2 => "shards optimizer states and gradients",
        _ => "shards weights too: each layer is gathered when needed",
    }
}

/// Where the estimate counts other bytes of a parameter than `keeper` keeps of master weights, gradients and moments.
pub(crate) fn other_states(layout: &Layout, kept: [f64; 3], keeper: &str) -> Vec<String> {
    let counted = [
        (layout.master_weights_bytes, "master weights"),
        (layout.gradient_bytes, "gradients"),
        (layout.optimizer_bytes, "optimizer state"),
    ];
    let differs = |counted: f64, kept: f64| (counted - kept).abs() > 0.5;
    let pairs = counted.into_iter().zip(kept);
    pairs
        .filter(|((counted, _), kept)| differs(*counted, *kept))
        .map(|((counted, what), kept)| {
            format!(
                "the estimate counts {} bytes of {what} per parameter; {keeper} keeps {}.",
                amount(counted),
                amount(kept)
            )
        })
        .collect()
}

/// Bytes of a weight's shard with FSDP or DDP under Hugging Face's trainers: a frozen base model is loaded in 16 bits.
pub(super) fn shard_bytes(emission: &Emission) -> f64 {
    let sharded = matches!(emission.plan.layout.backend, Backend::Fsdp | Backend::Ddp);
    if sharded && emission.job.workload.lora.is_some() { 2.0 } else { 4.0 }
}

/// Where the estimate counts other bytes of master weights and moments than fp32, whatever gradients take.
pub(super) fn other_than_fp32(emission: &Emission, keeper: &str) -> Vec<String> {
    let layout = &emission.plan.layout;
    other_states(layout, [4.0, layout.gradient_bytes, kept_moments(emission, layout, 8.0)], keeper)
}

/// Engines that generate.
pub(super) fn engines(emission: &Emission, rollout: &RolloutPlan) -> u64 {
    u64::from(pools(emission.job).1 / rollout.gpus().max(1))
}

/// Why so many GPUs split an engine's matrices.
pub(super) fn engine_reason(tp: u32) -> String {
    match tp {
        1 => "each GPU is an engine".to_owned(),
        tp => format!("{tp} GPUs hold the weights and their cache"),
    }
}

/// Optimizer steps of one pass over the samples of an RL step, and how often these are passed over, in words.
pub(super) fn updates(rl: &Rl) -> (u64, String) {
    (rl.prompts_per_step / rl.mini_batch.max(1), format!("{} over the samples", plural(rl.epochs, "pass", "passes")))
}

/// What no text here sets up: a draft model or heads are the person's own.
pub(crate) fn speculative(plan: &Plan) -> Option<String> {
    let speedup = plan.rollout.as_ref()?.speculative_speedup;
    (speedup != 1.0).then(|| {
        format!(
            "the estimate generates {} times as fast by speculative decoding; set that up in the engine, nothing here does.",
            amount(speedup)
        )
    })
}
