//! `megatron sft`, `pt` and `rlhf`: ms-swift on Megatron-Core (4.6.0, `swift/megatron/arguments/`).

use serde_json::json;

use super::kind;
use crate::read::draft::Draft;
use crate::read::megatron::{blocks, by_fsdp, recompute};
use crate::read::trainer::{self, Adapters, Run};
use crate::read::{kernel, optimizer, value};

/// The question that its arguments ask.
pub(super) fn question(draft: &mut Draft, run: &Run) {
    let mut kind = kind(draft, run);
    if draft.known("rlhf_type").as_deref() == Some("gkd") {
        draft.fine_tunes_in_its_place(
            "Of GKD on Megatron the estimate has no teacher: fine-tuning is estimated in its place.",
        );
    }
    if kind
        .as_deref()
        .is_some_and(|own| ["grpo", "dapo", "gspo", "dr_grpo", "cispo"].contains(&own))
    {
        draft.stands_in(
            0,
            "Of GRPO on Megatron the estimate is of the training step alone: ask for the whole by veRL's keys.",
        );
        kind = None;
    }
    let key = if draft.states("train_type") { "train_type" } else { "tuner_type" };
    let tuner = draft.word(key);
    let adapters = Adapters { rank: "lora_rank", default: 8, targets: "target_modules", quantized: false };
    let adapted = tuner.as_deref().is_some_and(|own| own.starts_with("lora"));
    trainer::task(draft, kind.as_deref(), adapted.then_some(adapters));
    draft.set("plan.backend", "megatron");
    draft.take_all("");
    draft.take_count("expert_tensor_parallel_size", "plan.expert_tensor_parallel", None);
    draft.take_count("virtual_pipeline_model_parallel_size", "plan.virtual_pipeline", None);
    let tensor = draft.size("plan.tensor_parallel").unwrap_or(1);
    draft.set("plan.sequence_parallel", draft.tells("sequence_parallel", true) && tensor > 1);
    let sharded = draft.flag("use_distributed_optimizer").unwrap_or(true);
    draft.set("plan.zero_stage", u64::from(sharded));
    optimizer::take(draft, "optimizer", "plan", None);
    draft.take_count("micro_batch_size", "plan.micro_batch", Some(1));
    draft.take_count("global_batch_size", "workload.global_batch", Some(16));
    by_fsdp(draft, "use_megatron_fsdp", "data_parallel_sharding_strategy");
    again(draft);
    let [gradients, parameters, matrices] =
        ["overlap_grad_reduce", "overlap_param_gather", "tp_comm_overlap"].map(|name| draft.tells(name, true));
    draft.set("plan.overlap", json!({"gradients": gradients, "parameters": parameters, "tensor_parallel": matrices}));
    kernel::megatron(draft, "attention_backend", "plan");
    if draft.tells("optimizer_cpu_offload", true) {
        let share = share(draft);
        draft.set("plan.optimizer_offload_fraction", share);
    }
    let recipe = draft.known("fp8_recipe").unwrap_or_default();
    let precision = match (draft.known("fp8_format").is_some(), recipe.contains("mxfp8"), draft.tells("fp16", true)) {
        (true, true, _) => "mxfp8",
        (true, false, _) => "fp8",
        (false, _, true) => "fp16",
        (false, ..) => "bf16",
    };
    draft.set("workload.precision", precision);
    trainer::length(draft, "max_length", 2048);
    let packing = ["packing", "padding_free"].iter().any(|key| draft.tells(key, true));
    draft.set("workload.packing", packing && kind.as_deref().is_none_or(|own| own == "pretrain"));
    draft.take_count("train_iters", "workload.run.steps", None);
}

/// Share of the optimizer's states in host memory: all of it, unless said otherwise.
fn share(draft: &mut Draft) -> f64 {
    draft.number("optimizer_offload_fraction").unwrap_or(1.0).clamp(0.0, 1.0)
}

/// Recomputation, whose default is attention's scores alone.
fn again(draft: &mut Draft) {
    let word = draft.text("recompute_granularity").unwrap_or_else(|| "selective".to_owned());
    let word = value::unquoted(&word).to_owned();
    let modules = draft.text("recompute_modules");
    let (own, trouble) = recompute(&word, modules.as_deref());
    draft.set("plan.recompute", own);
    let layers = draft.count("recompute_num_layers").filter(|_| word == "full");
    if let (Some("block"), Some(layers)) = (draft.word("recompute_method").as_deref(), layers) {
        draft.set("plan.recompute", blocks(layers));
    }
    if let Some(trouble) = trouble {
        draft.refuse("recompute_granularity", trouble, 0);
    }
}
