//! axolotl: one YAML file for `axolotl train`, and options of the command that hold against it.

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::kernel;
use super::link::Base;
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::Part;
use super::trainer::{self, Adapters, Shards};
use super::value::{self, lora_targets};
use shardwise_catalog::catalog::ModelEntry;
use shardwise_catalog::model::Shape;

/// Whether settings are a configuration of axolotl's: the base model, and how it calls lengths and batches.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    has("base_model")
        && ["sequence_len", "micro_batch_size", "datasets", "pretraining_dataset", "adapter", "num_epochs"]
            .into_iter()
            .any(has)
}

/// Reads axolotl's texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Axolotl, keys::SECTIONS, base);
    let run = trainer::state(&mut draft, parts)?;
    let entry = draft.take_model("base_model", "model");
    trainer::gpus(&mut draft, &run);
    let shards = trainer::shards(&mut draft, &run, "deepspeed");
    let split = layout(&mut draft, shards, entry);
    question(&mut draft, shards, split);
    draft.finish(Some("axolotl"))
}

/// Axes of axolotl's mesh (`utils/distributed.py`); how many GPUs work on one sequence.
fn layout(draft: &mut Draft, shards: Shards, entry: Option<&ModelEntry>) -> u64 {
    let [stated, experts] = ["tensor_parallel_size", "expert_parallel_size"].map(|key| size(draft, key));
    let tensor = if shards == Shards::Deepspeed { by_deepspeed(draft, stated) } else { stated };
    let context = split_sequences(draft, shards, entry);
    draft.set("plan.tensor_parallel", tensor);
    draft.set("plan.pipeline_parallel", 1);
    // Transformers' plan of tensor parallelism splits no norms.
    draft.set("plan.sequence_parallel", false);
    if experts > 1 {
        draft.set("plan.expert_parallel", experts);
    }
    let shard = size(draft, "dp_shard_size");
    if size(draft, "dp_replicate_size") > 1 && shards == Shards::Fsdp {
        draft.set("plan.shard_group", shard.saturating_mul(context).saturating_mul(experts));
    }
    tensor.saturating_mul(context)
}

/// GPUs that split matrices under `DeepSpeed`: what its file says, into which axolotl writes its own key where it has none
/// (`utils/schemas/validation.py`, line 1643). The rules are of the texts that are printed, which split them by FSDP2 alone.
fn by_deepspeed(draft: &mut Draft, stated: u64) -> u64 {
    let tensor = match trainer::by_deepspeed(draft) {
        1 => stated,
        of_the_file => of_the_file,
    };
    if tensor > 1 {
        draft.overrule("plan.tensor_parallel");
    }
    tensor
}

fn size(draft: &mut Draft, key: &str) -> u64 {
    draft.count(key).unwrap_or(1)
}

/// GPUs that split each sequence. How they do is what Ringmaster chooses where nothing says it (`strategies/usp.py` of
/// axolotl-ringmaster 0.2.7, `auto_select`): by heads as far as these and a node go, the rest in a ring. `DeepSpeed` splits by
/// heads (`utils/distributed.py`).
fn split_sequences(draft: &mut Draft, shards: Shards, entry: Option<&ModelEntry>) -> u64 {
    let keys = ["context_parallel.size", "context_parallel_size", "sequence_parallel_degree"];
    let parts = keys.into_iter().map(|key| size(draft, key)).max().unwrap_or(1);
    let stated = [draft.count("context_parallel.ulysses_size"), draft.count("context_parallel.ring_size")];
    let backend = draft.word("context_parallel.backend");
    // The keys of ring-flash-attn, which was all there was.
    let older = draft.states("ring_attn_func") || draft.states("heads_k_stride");
    let by_heads = match (stated, backend.as_deref()) {
        ([Some(heads), _], _) => heads,
        ([None, Some(ring)], _) => parts / ring.max(1),
        (_, Some("ulysses")) => parts,
        (_, Some("ring")) => 1,
        _ if shards == Shards::Deepspeed => parts,
        _ if older || parts == 1 => 1,
        _ => {
            let heads = entry.map_or(parts, |own| own.shape.num_key_value_heads);
            let node = draft.size("hardware.gpus_per_node").unwrap_or(8).min(1024);
            let found = (1..=parts.min(node))
                .rev()
                .find(|own| parts.is_multiple_of(*own) && heads.is_multiple_of(*own));
            let why = "axolotl splits sequences by heads as far as the key and value heads and a node go, and the rest in a ring.";
            draft.assume("plan.ulysses_parallel", found.unwrap_or(1), why);
            found.unwrap_or(1)
        }
    };
    draft.set("plan.ulysses_parallel", by_heads);
    draft.set("plan.context_parallel", parts / by_heads.max(1));
    if parts > by_heads && entry.is_some_and(|own| has_windows(&own.shape)) {
        no_schedule(draft);
    }
    parts
}

fn has_windows(shape: &Shape) -> bool {
    shape.chunked_attention
        || shape.layer_pattern.contains('S')
        || shape.layer_pattern.is_empty() && shape.sliding_window > 0
}

/// Refuses what balances or hides a ring's passes where layers have windows
/// (integrations/context_parallel/settings.py, `resolve_settings`).
fn no_schedule(draft: &mut Draft) {
    let keys = [
        ("context_parallel.load_balance", ["head_tail", "distflash"]),
        ("context_parallel.rotate_method", ["alltoall"; 2]),
    ];
    for (key, words) in keys {
        if draft.word(key).is_some_and(|own| words.contains(&own.as_str())) {
            let why =
                "axolotl's ring has no schedule of its own around layers with windows of attention. Leave it out.";
            draft.refuse(key, why, 0);
        }
    }
}

fn question(draft: &mut Draft, shards: Shards, split: u64) {
    let adapted = task(draft);
    let batched = draft.count("batch_size");
    let [micro, _, ranks] = trainer::batch(draft, "micro_batch_size", (1, 1), split);
    if let Some(batch) = batched.filter(|_| !draft.states("gradient_accumulation_steps")) {
        // Sequences of a step on all GPUs, as of old.
        draft.set("workload.global_batch", batch.max(micro.saturating_mul(ranks)));
    }
    if shards == Shards::Nobody && draft.size("plan.expert_parallel") == trainer::known_gpus(draft) {
        // integrations/expert_parallel: over all GPUs, plain data parallelism passes over the experts.
        draft.overrule("plan.expert_parallel");
    }
    trainer::length(draft, "sequence_len", 512);
    trainer::run_length(draft);
    let packing = ["sample_packing", "batch_flattening"].iter().any(|key| draft.tells(key, true));
    let pretrain = draft.field("workload.kind").is_some_and(|own| own == "pretrain");
    draft.set("workload.packing", packing || pretrain);
    let padded = !packing && !pretrain && draft.flag("pad_to_sequence_len") == Some(true);
    if let Some(length) = draft.size("workload.sequence_length").filter(|_| padded) {
        draft.set("workload.mean_sequence_length", length);
    }
    precision(draft);
    trainer::recompute(draft, "gradient_checkpointing", false);
    let moved = draft
        .known("gradient_checkpointing")
        .is_some_and(|own| own.starts_with("offload"));
    if moved
        || draft
            .known("activation_offloading")
            .is_some_and(|own| value::truth(&own) != Some(false))
    {
        draft.set("plan.offload.activations", true);
    }
    attention(draft);
    trainer::step_by(draft, "optimizer");
    if shards == Shards::Nobody && !adapted {
        // loaders/model.py: the weights are loaded as torch_dtype, which bf16 sets; FSDP2 alone holds them in fp32.
        trainer::states_in_16_bits(
            draft,
            "axolotl loads the weights in 16 bits, in which they are trained and stepped where nothing shards them.",
        );
    }
    let fused = ["liger_fused_linear_cross_entropy", "cut_cross_entropy", "chunked_cross_entropy"]
        .iter()
        .any(|key| draft.tells(key, true));
    let plugged = draft.known("plugins").is_some_and(|own| own.contains("CutCrossEntropy"));
    draft.set("plan.fused_lm_head", (fused || plugged) && !preferences(draft));
    if !draft.tells("liger_fused_linear_cross_entropy", true) {
        // Of the losses without logits Liger's alone is refused beside tensor parallelism (0.21.0, integrations/liger/args.py, line 136).
        draft.overrule("plan.fused_lm_head");
    }
}

fn preferences(draft: &Draft) -> bool {
    draft.known("rl").is_some() || draft.tells("reward_model", true)
}

/// What trains, and on what; whether by adapters.
fn task(draft: &mut Draft) -> bool {
    let adapter = draft.word("adapter");
    let rl = draft.word("rl");
    let loss = draft.known("dpo_loss_type").unwrap_or_default();
    let kind = match rl.as_deref() {
        Some("dpo") if loss.contains("ipo") => Some("ipo"),
        Some(own @ ("dpo" | "ipo" | "kto" | "orpo" | "simpo")) => Some(own),
        Some(other) => {
            let why = format!("Shardwise has no estimate of axolotl's {other}: fine-tuning is estimated in its place.");
            draft.fine_tunes_in_its_place(why);
            None
        }
        None if draft.tells("reward_model", true) || draft.tells("process_reward_model", true) => Some("reward_model"),
        None if draft.states_any("pretraining_dataset") && adapter.is_none() => Some("pretrain"),
        None => None,
    };
    let quantized = draft.tells("load_in_4bit", true);
    if draft.flag("precompute_ref_log_probs") == Some(true) {
        draft.set("workload.precompute_ref_log_probs", true);
    }
    let adapters = Adapters { rank: "lora_r", default: 8, targets: "lora_target_modules", quantized };
    let adapted = matches!(adapter.as_deref(), Some("lora" | "qlora" | "llama-adapter"));
    // gptq is of 4 bits here.
    let adapters = Adapters { quantized: quantized || draft.tells("gptq", true), ..adapters };
    trainer::task(draft, kind, adapted.then_some(adapters));
    if adapted && !adapters.quantized && draft.tells("load_in_8bit", true) {
        trainer::in_8_bits(draft, "load_in_8bit holds the frozen base in 8 bits.");
    }
    if adapted && draft.flag("lora_target_linear") == Some(true) {
        draft.set("workload.lora.targets", "all-linear");
    } else if adapted {
        let targets = draft.text("lora_target_modules");
        draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
    }
    adapted
}

fn precision(draft: &mut Draft) {
    // `bf16: auto` is bf16 wherever the card has it.
    let half = |draft: &Draft, key: &str| {
        draft
            .known(key)
            .is_some_and(|own| value::truth(&own) == Some(true) || matches!(own.as_str(), "auto" | "full"))
    };
    if draft.tells("fp8", true) {
        draft.set("workload.precision", "fp8");
    } else if half(draft, "bf16") || half(draft, "bfloat16") {
        draft.set("workload.precision", "bf16");
    } else if half(draft, "fp16") || half(draft, "float16") {
        draft.set("workload.precision", "fp16");
    } else {
        draft.assume(
            "workload.precision",
            "bf16",
            "Neither bf16 nor fp16 is switched on: axolotl would train in fp32, which is not modelled.",
        );
    }
}

/// The attention kernel, by Hugging Face's word or by axolotl's older switches.
fn attention(draft: &mut Draft) {
    let older = draft.known("attn_implementation").is_some_and(|own| own == "xformers");
    if older || draft.flag("xformers_attention") == Some(true) {
        let why = "xFormers calls FlashAttention where that is installed: version 2 is estimated.";
        draft.assume("plan.attention_kernel", "flash2", why);
        return;
    }
    kernel::hugging_face(draft, "attn_implementation", "plan");
    if draft.holds("attn_implementation") {
        return trainer::sinks(draft);
    }
    if draft.flag("flash_attention") == Some(true) {
        kernel::named(draft, "flash_attention_2", "plan");
    } else if draft.flag("eager_attention") == Some(true) {
        draft.set("plan.attention", "unfused");
    } else {
        trainer::by_itself(draft, "attn_implementation");
    }
    trainer::sinks(draft);
}
