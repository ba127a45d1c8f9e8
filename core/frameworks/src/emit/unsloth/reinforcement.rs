//! GRPO and the losses like it: vLLM in the trainer's own process, on every GPU, reads the very weights that are trained.
//!
//! `unsloth/models/llama.py:4282` starts the engine and makes the model of its weights; `unsloth_zoo/vllm_utils.py:4377` (2026.10.9) has
//! what it is told, of which `unsloth/models/loader.py:1176` hands on what the loader's own keywords do not name. The notebooks load,
//! train and score so (<https://github.com/unslothai/notebooks/blob/bdda2ef/python_scripts/Qwen3_(4B)-GRPO.py#L82>).

use super::super::Emission;
use super::super::choices::grouped::{self, Told};
use super::super::choices::{engines, passes, speculative};
use super::super::python::word;
use super::super::text::{Section, flag, share};
use super::super::words::plural;
use shardwise_question::framework::{UNSLOTH, pads_responses};
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::KvCacheDtype;
use shardwise_question::workload::Rl;
use shardwise_rules::unsloth::PACKS;

/// Sequences at once that Unsloth takes for no number, and chooses by memory (`unsloth_zoo/vllm_utils.py:4819`).
const CHOOSES: u64 = 256;

/// What stands before the imports: the engine's sleep, and sequences that are padded where Unsloth would not, are asked for by the
/// environment, before Unsloth is there.
pub(super) fn before(emission: &Emission, rollout: &RolloutPlan) -> Vec<(String, &'static str)> {
    let set = |name: &str, value: u8| format!("os.environ[\"{name}\"] = \"{value}\"");
    let mut lines = Vec::new();
    if rollout.free_cache {
        lines.push((set("UNSLOTH_VLLM_STANDBY", 1), "the engine gives its cache back while training"));
        // unsloth_zoo/vllm_utils.py:4487
        let reason = "and takes the share below, in place of one by the card's size";
        lines.push((set("UNSLOTH_VLLM_STANDBY_UTIL_OVERRIDE", 1), reason));
    }
    if pads_by_choice(emission) {
        lines.push((set(PACKS, 0), "pads the sequences of a pass, from your question"));
    }
    if !lines.is_empty() {
        lines.insert(0, ("import os".to_owned(), ""));
    }
    lines
}

/// Whether the question pads sequences that Unsloth would set side by side.
fn pads_by_choice(emission: &Emission) -> bool {
    let workload = &emission.job.workload;
    !workload.packing && !pads_responses(Some(UNSLOTH.id), &emission.job.model.shape, workload.sequence_length)
}

/// The engine's keywords, which the loader takes.
pub(super) fn engine(emission: &Emission, rollout: &RolloutPlan) -> Section {
    let count = engines(emission, rollout);
    let mut section = Section::new(format!("Generation: {}", plural(count, "engine", "engines")));
    let reason = if emission.job.shares_base() {
        "generates with vLLM, whose weights are the base below: the card holds it once"
    } else {
        "generates with vLLM, from the weights that are trained"
    };
    section.set("fast_inference", "True", reason);
    let taken = share(rollout.gpu_memory_utilization);
    section.set("gpu_memory_utilization", taken, "share of the card that the engine takes");
    if let Some(lora) = emission.job.workload.lora {
        section.set("max_lora_rank", lora.rank, "adapters that the engine reads, as they are trained");
    }
    let (most, reason) = match rollout.max_num_seqs {
        CHOOSES => (CHOOSES - 1, "sequences decoded together; 256 would leave them to Unsloth"),
        most => (most, "sequences decoded together, from the plan"),
    };
    section.set("max_num_seqs", most, reason);
    section.set("max_num_batched_tokens", rollout.max_num_batched_tokens, "tokens of one engine step, from the plan");
    if rollout.enforce_eager {
        section.set("enforce_eager", "True", "launches each kernel, as the plan says");
    }
    if rollout.kv_cache_dtype == KvCacheDtype::Fp8 {
        section.set("float8_kv_cache", "True", "keys and values in 8 bits");
    }
    section
}

/// Passes of an update, and what a generation feeds.
pub(super) fn batch(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Batch: everything counts sequences");
    passes(&mut section, emission, "per_device_train_batch_size", "gradient_accumulation_steps");
    tell(&mut section, grouped::fed(emission, rl));
    section
}

/// The loss, and what holds the policy to a reference: the base below the adapters.
pub(super) fn algorithm(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Algorithm");
    let own = emission.job.workload.kind.algorithm();
    tell(&mut section, own.map(grouped::loss).unwrap_or_default());
    tell(&mut section, [grouped::penalty(rl.reference), grouped::correction(rl)]);
    // unsloth/models/rl.py:3562 sets it for dapo where nothing does.
    section.set("mask_truncated_completions", flag(false), "responses that are cut train too, as estimated");
    section
}

/// Says keys of TRL's configuration as keywords.
fn tell(section: &mut Section, told: impl IntoIterator<Item = Told>) {
    for Told { key, value, is_word, reason } in told {
        section.set(key, if is_word { word(value) } else { value }, reason);
    }
}

/// Where Unsloth generates otherwise than the estimate assumes.
pub(super) fn warnings(emission: &Emission, rl: &Rl) -> Vec<String> {
    let mut out = vec![grouped::uncut(rl)];
    if !emission.job.shares_base() {
        out.push(
            "Unsloth's engine reads the very weights that are trained; the estimate has a copy of its own. Set framework to unsloth to have them once."
                .to_owned(),
        );
    }
    if emission.job.workload.quantized_base() {
        // unsloth_zoo/vllm_utils.py:4526
        out.push("vLLM has bitsandbytes' products apart since 0.28: pip install vllm-bnb-plugin.".to_owned());
    }
    out.extend(speculative(emission.plan));
    out
}
