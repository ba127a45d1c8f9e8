//! LLaMA-Factory: the YAML or the arguments of `llamafactory-cli train`, those of its new trainer (`v1`) and of its Megatron
//! adapter included.

mod keys;
mod v1;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::kernel;
use super::link::Base;
use super::megatron::{blocks, recompute};
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::Part;
use super::trainer::{self, Adapters};
use shardwise_rules::unsloth::SHORTEST_MOVED;

/// Whether settings are a configuration of LLaMA-Factory's: no other has these names.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    let trains =
        has("model_name_or_path") && ["stage", "finetuning_type", "cutoff_len", "template"].into_iter().any(has);
    trains || v1::is_its(settings)
}

/// Reads LLaMA-Factory's texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::LlamaFactory, keys::SECTIONS, base);
    let run = trainer::state(&mut draft, parts)?;
    trainer::gpus(&mut draft, &run);
    one_gpu(&mut draft);
    if draft.states("model") && !draft.states("model_name_or_path") {
        v1::question(&mut draft, &run);
        return draft.finish(None);
    }
    let megatron = keys::MEGATRON_SIZES.iter().any(|(key, _)| draft.states(key));
    draft.take_model("model_name_or_path", "model");
    let split = if megatron { adapter(&mut draft) } else { layout(&mut draft, &run) };
    question(&mut draft, split);
    if megatron {
        again(&mut draft);
    }
    draft.finish((!megatron).then_some("llamafactory"))
}

fn layout(draft: &mut Draft, run: &trainer::Run) -> u64 {
    trainer::shards(draft, run, "deepspeed");
    trainer::groups(draft)
}

/// The layout of the Megatron adapter, and how many GPUs work on one sequence.
fn adapter(draft: &mut Draft) -> u64 {
    draft.set("plan.backend", "megatron");
    let mut split = 1u64;
    for (key, field) in keys::MEGATRON_SIZES {
        let size = draft.count(key).unwrap_or(1);
        draft.set(field, size);
        if *field != "plan.expert_parallel" {
            split = split.saturating_mul(size);
        }
    }
    if let Some(on) = draft.flag("sequence_parallel") {
        draft.set("plan.sequence_parallel", on);
    }
    let shards = draft.flag("use_distributed_optimizer") == Some(true);
    draft.set("plan.zero_stage", u64::from(shards));
    split
}

/// What the Megatron adapter computes again: what Megatron's own keys say, and nothing where they say nothing
/// (`train/mca/workflow.py` and `megatron_bridge/config_builder.py`, line 460, at ff6d4d1: `recompute_granularity` is handed on).
fn again(draft: &mut Draft) {
    draft.forget("plan.recompute");
    let word = draft.word("recompute_granularity").unwrap_or_default();
    let modules = draft.text("recompute_modules");
    let (own, _) = recompute(&word, modules.as_deref());
    let layers = draft.count("recompute_num_layers").filter(|_| word == "full");
    match (draft.word("recompute_method").as_deref(), layers) {
        (Some("block"), Some(layers)) => draft.set("plan.recompute", blocks(layers)),
        _ if word.is_empty() => draft.default("recompute_granularity", "plan.recompute", own),
        _ => draft.set("plan.recompute", own),
    }
}

fn question(draft: &mut Draft, split: u64) {
    task(draft);
    if draft.tells("use_kt", true) {
        draft.cannot("use_kt", "KTransformers computes experts on the CPUs, of which there is no estimate.");
    }
    trainer::batch(draft, "per_device_train_batch_size", (8, 1), split);
    trainer::length(draft, "cutoff_len", 2048);
    trainer::run_length(draft);
    // data_args.py: of pre-training's documents by itself.
    let pretrain = draft.known("stage").as_deref() == Some("pt");
    let packing = draft.flag("packing").unwrap_or(pretrain) || draft.flag("neat_packing") == Some(true);
    draft.set("workload.packing", packing);
    if draft.flag("pure_bf16") == Some(true) {
        draft.set("workload.precision", "bf16");
        trainer::states_in_16_bits(draft, "pure_bf16 trains and steps the weights in 16 bits.");
    } else {
        trainer::precision(
            draft,
            "Neither bf16 nor fp16 is switched on: LLaMA-Factory would train in fp32, which is not modelled.",
        );
    }
    if draft.tells("fp8", true) {
        draft.set("workload.precision", "fp8");
        // The rules are of the texts for LLaMA-Factory, which have 16 bits.
        draft.overrule("workload.precision");
    }
    match draft.flag("disable_gradient_checkpointing") {
        Some(off) => {
            let sharded = draft.tells("fsdp_config.activation_checkpointing", true);
            draft.set("plan.recompute", if off && !sharded { "none" } else { "full" });
        }
        None => draft.default("disable_gradient_checkpointing", "plan.recompute", "full"),
    }
    attention(draft, "flash_attn");
    if draft.flag("use_muon") == Some(true) {
        draft.set("plan.optimizer", "muon");
    } else {
        trainer::step_by(draft, "optim");
    }
    let liger = draft.flag("enable_liger_kernel").unwrap_or(false);
    let preferences = matches!(draft.known("stage").as_deref(), Some("rm" | "dpo" | "kto"));
    draft.set("plan.fused_lm_head", liger && !preferences);
    by_unsloth(draft, preferences);
    trainer::frozen_tower(draft, "freeze_vision_tower", true);
}

/// A model that Unsloth loads trains on one GPU where nothing says that there are more.
fn one_gpu(draft: &mut Draft) {
    if draft.tells("use_unsloth", true) && trainer::known_gpus(draft).is_none() {
        let why = "A model that Unsloth loads is trained on one GPU where no launcher starts more.";
        draft.assume("hardware.gpus", 1, why);
        draft.set("hardware.gpus_per_node", 1);
    }
}

/// What Unsloth does to a model that it loads (0.9.5, `model/model_utils/unsloth.py`: `FastLanguageModel` with
/// `use_gradient_checkpointing="unsloth"`, whatever `disable_gradient_checkpointing` says): no logits where the model computes the loss,
/// which it does not for preferences (`train/dpo/trainer.py` asks for logits), and the inputs of layers in host memory. Its way of
/// checkpointing alone (`use_unsloth_gc`; `model/model_utils/checkpointing.py`) moves these inputs too.
fn by_unsloth(draft: &mut Draft, preferences: bool) {
    let loaded = draft.flag("use_unsloth") == Some(true);
    let recomputes = draft.field("plan.recompute").is_some_and(|own| own == "full");
    let moves = draft.flag("use_unsloth_gc") == Some(true) && recomputes;
    if !loaded && !moves {
        return;
    }
    if loaded && trainer::known_gpus(draft).is_some_and(|gpus| gpus > 1) {
        let why = "Of Unsloth in LLaMA-Factory the estimate is on one GPU alone. On several it has the loss and the recomputation of Transformers, which take more memory.";
        draft.doubt(0, why);
        return;
    }
    if loaded {
        draft.set("plan.fused_lm_head", !preferences);
        draft.set("plan.recompute", "full");
    }
    // `unsloth/models/_utils.py:506` of 2026.10.9: shorter ones stay.
    let long = draft
        .size("workload.sequence_length")
        .is_none_or(|length| length >= SHORTEST_MOVED);
    draft.set("plan.offload.activations", !loaded || long);
    for field in ["plan.offload.activations", "plan.fused_lm_head"] {
        draft.overrule(field);
    }
}

/// The attention kernel, by LLaMA-Factory's words; `auto` is what Transformers takes.
fn attention(draft: &mut Draft, key: &str) {
    if draft.entry().is_some_and(|entry| entry.shape.attn_sinks) {
        // `model/model_utils/attention.py`, line 34: whatever the key says.
        kernel::named(draft, "flash_attention_3", "plan");
        draft.overrule("plan.attention_kernel");
        return trainer::sinks(draft);
    }
    match draft.word(key).as_deref() {
        None | Some("auto") => draft.default(key, "plan.attention_kernel", "sdpa"),
        Some("disabled") => draft.set("plan.attention", "unfused"),
        Some("fa2") => {
            kernel::named(draft, "flash_attention_2", "plan");
        }
        Some("fa3") => {
            kernel::named(draft, "flash_attention_3", "plan");
        }
        Some(_) => kernel::hugging_face(draft, key, "plan"),
    }
}

/// What trains, and on what.
fn task(draft: &mut Draft) {
    let stage = draft.word("stage").unwrap_or_else(|| "sft".to_owned());
    let way = draft.word("finetuning_type").unwrap_or_else(|| "lora".to_owned());
    let loss = draft.word("pref_loss");
    let kind = match (stage.as_str(), loss.as_deref()) {
        ("pt", _) if way == "full" => Some("pretrain"),
        ("rm", _) => Some("reward_model"),
        ("kto", _) => Some("kto"),
        ("dpo", Some(loss @ ("ipo" | "orpo" | "simpo"))) => Some(loss),
        ("dpo", _) => Some("dpo"),
        ("ppo", _) => {
            let why = "LLaMA-Factory's PPO generates with Transformers, of which there is no estimate: fine-tuning is estimated in its place.";
            draft.fine_tunes_in_its_place(why);
            None
        }
        _ => None,
    };
    if kind == Some("kto") {
        // data/processor/feedback.py pairs prompts with each other's responses over the data, not over a pass.
        draft.overrule("plan.micro_batch");
    }
    let bits = draft.known_whole("quantization_bit");
    if let Some(bits) = bits.filter(|bits| ![0, 4, 8].contains(bits)) {
        draft.doubt(0, format!("The base is held in {bits} bits. The estimate has it in 16."));
    }
    let adapters = Adapters { rank: "lora_rank", default: 8, targets: "lora_target", quantized: bits == Some(4) };
    match way.as_str() {
        "full" => trainer::task(draft, kind, None),
        "freeze" => {
            draft.note(0, "finetuning_type freeze trains some layers alone. The estimate trains all of them.");
            trainer::task(draft, kind, None);
        }
        "oft" => {
            let why = "Orthogonal fine-tuning is estimated as LoRA, whose adapters are about as small.";
            trainer::task(draft, kind, Some(adapters));
            draft.forget("workload.lora.rank");
            draft.assume("workload.lora.rank", 8, why);
        }
        _ => trainer::task(draft, kind, Some(adapters)),
    }
    if bits == Some(8) {
        trainer::in_8_bits(draft, "quantization_bit 8 holds the frozen base in 8 bits.");
    }
    if !draft.states("finetuning_type") {
        let own = draft.field("workload.kind").cloned().unwrap_or_default();
        draft.default("finetuning_type", "workload.kind", own);
    }
}
