//! LLaMA-Factory's new trainer (0.9.5, `llamafactory/v1/config`): sections by plug-in in the place of one flat list.

use super::attention;
use crate::read::draft::Draft;
use crate::read::optimizer;
use crate::read::settings::Setting;
use crate::read::trainer::{self, Adapters, Run};

/// Whether settings are of the new trainer: its data and its plug-ins.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    has("model") && has("train_dataset") && (has("model_class") || has("dist_config.name") || has("micro_batch_size"))
}

/// The question that its configuration asks.
pub(super) fn question(draft: &mut Draft, run: &Run) {
    draft.take_model("model", "model");
    let by = draft.word("dist_config.name");
    let split = match by.as_deref() {
        Some("deepspeed") => {
            trainer::shards(draft, run, "dist_config.config_file");
            1
        }
        Some(_) => {
            draft.set("plan.backend", "fsdp");
            draft.set("plan.zero_stage", 3);
            // What of a sequence a GPU has: by heads, or in a ring.
            let parts = draft.count("cp_size").unwrap_or(1);
            let ring = draft.known("cp_mode").is_some_and(|mode| mode != "ulysses");
            draft.set("plan.context_parallel", if ring { parts } else { 1 });
            draft.set("plan.ulysses_parallel", if ring { 1 } else { parts });
            if let Some(experts) = draft.count("dist_config.ep_size") {
                draft.set("plan.expert_parallel", experts);
            }
            parts
        }
        None => {
            draft.set("plan.backend", "ddp");
            1
        }
    };
    let peft = draft.word("peft_config.name");
    let quantized = draft.known_whole("quant_config.quantization_bit") == Some(4);
    let adapters = Adapters { rank: "peft_config.r", default: 8, targets: "peft_config.target_modules", quantized };
    trainer::task(draft, None, (peft.as_deref() == Some("lora")).then_some(adapters));
    if peft.as_deref() == Some("freeze") {
        draft.note(0, "peft_config freeze trains some layers alone. The estimate trains all of them.");
    }
    let micro = draft.take_count("micro_batch_size", "plan.micro_batch", Some(1)).unwrap_or(1);
    let ranks = (trainer::known_gpus(draft).unwrap_or(8) / split.max(1)).max(1);
    if draft.take_count("global_batch_size", "workload.global_batch", None).is_none() {
        let why = format!("One micro-batch of {micro} on each of {ranks} ranks; set global_batch_size to state it.");
        draft.assume("workload.global_batch", micro.saturating_mul(ranks), why);
    }
    trainer::length(draft, "cutoff_len", 2048);
    trainer::run_length(draft);
    let strategy = draft.word("batching_strategy");
    draft.set("workload.packing", strategy.is_some_and(|own| own.contains("free") || own.contains("dynamic")));
    if draft.flag("bf16") == Some(false) {
        draft.assume(
            "workload.precision",
            "bf16",
            "bf16 is switched off: LLaMA-Factory would train in fp32, which is not modelled.",
        );
    } else {
        draft.set("workload.precision", "bf16");
    }
    trainer::recompute(draft, "enable_activation_checkpointing", true);
    attention(draft, "flash_attn");
    optimizer::take(draft, "optim_config.name", "plan", None);
    let liger = draft.known("kernel_config.name").is_some_and(|name| name.contains("liger"));
    draft.set("plan.fused_lm_head", liger);
}
