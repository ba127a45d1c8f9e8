//! `OpenRLHF`: the arguments of `openrlhf.cli.train_ppo_ray`, `train_sft`, `train_dpo` and `train_rm`, and the flat names that
//! releases before 0.10.2 had for them.

mod keys;
mod reinforcement;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use serde_json::json;

use super::draft::Draft;
use super::launch::{self, machine};
use super::link::Base;
use super::report::{Dialect, Reading, Trouble};
use super::shell::Word;
use super::text::{Kind, Part};
use super::value::lora_targets;
use super::{deepspeed, kernel, optimizer};

/// Reads `OpenRLHF`'s arguments.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Openrlhf, keys::SECTIONS, base);
    let (mut program, mut before) = (String::new(), Vec::new());
    for part in parts {
        match &part.kind {
            Kind::Shell(script) => {
                let launch = launch::find(script, Dialect::Openrlhf);
                for setting in launch::arguments(&launch.after) {
                    draft.state(setting);
                }
                if program.is_empty() {
                    launch.program.clone_into(&mut program);
                    before = launch.before.to_vec();
                }
                launch.report(&mut draft, script);
            }
            Kind::Json(_) | Kind::File(_) => draft.unread("file", "OpenRLHF's arguments alone are read.", 0),
        }
    }
    if program.contains("train_ppo") {
        reinforcement::question(&mut draft);
    } else {
        fine_tuning(&mut draft, &program, &before);
    }
    draft.finish(Some("openrlhf"))
}

/// Fine-tuning and preferences, through `DeepSpeed`'s launcher.
fn fine_tuning(draft: &mut Draft, program: &str, before: &[Word]) {
    model(draft, "--model.model_name_or_path");
    if !deepspeed::processes(draft, before) {
        machine(draft, before);
    }
    let name = program.rsplit("train_").next().unwrap_or_default();
    let kind = match name {
        "dpo" if draft.tells("--model.ipo_enable", true) => Some("ipo"),
        "dpo" => Some("dpo"),
        "rm" => Some("reward_model"),
        "sft" if draft.tells("--model.pretrain_mode_enable", true) => Some("pretrain"),
        "sft" => None,
        "kto" => Some("kto"),
        other => {
            let other = if other.is_empty() { "script" } else { other };
            let why =
                format!("Shardwise has no estimate of OpenRLHF's {other}: fine-tuning is estimated in its place.");
            draft.fine_tunes_in_its_place(why);
            None
        }
    };
    adapters(draft, kind);
    let split = layout(draft, "");
    if draft.tells("--ref.offload", true) {
        draft.set("plan.reference.offload", json!({"parameters": true}));
    }
    recompute(draft, "--model.gradient_checkpointing_enable");
    let micro = draft
        .take_count("--train.micro_batch_size", "plan.micro_batch", Some(1))
        .unwrap_or(1);
    if draft
        .take_count("--train.batch_size", "workload.global_batch", Some(128))
        .is_some_and(|batch| batch < micro.saturating_mul(split))
    {
        draft.note(0, "The batch is smaller than one micro-batch on every rank.");
    }
    draft.take_count("--data.max_len", "workload.sequence_length", Some(2048));
    draft.set("plan.fused_lm_head", draft.tells("--ds.use_liger_kernel", true) && kind.is_none());
}

/// The model, by its key or by the one of old.
fn model(draft: &mut Draft, key: &str) {
    let old = "--pretrain";
    let key = if draft.states(old) && !draft.states(key) { old } else { key };
    draft.take_model(key, "model");
}

/// Adapters, and what trains.
fn adapters(draft: &mut Draft, kind: Option<&str>) {
    // 0 is no adapter.
    let rank = draft.known_whole("--ds.lora.rank").filter(|rank| *rank > 0);
    let quantized = draft.tells("--ds.load_in_4bit", true);
    let own = match (rank, quantized) {
        (None, _) => "sft",
        (_, true) => "qlora",
        (_, false) => "lora",
    };
    draft.set("workload.kind", kind.unwrap_or(own));
    let Some(rank) = rank else { return };
    draft.set("workload.lora.rank", rank);
    let targets = draft.text("--ds.lora.target_modules");
    draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
    if kind.is_some() && quantized {
        draft.set("workload.lora.load_in_4bit", true);
    }
}

/// Whether layers are recomputed: a switch.
fn recompute(draft: &mut Draft, key: &str) {
    match draft.flag(key).or_else(|| draft.flag("--gradient_checkpointing")) {
        Some(on) => draft.set("plan.recompute", if on { "full" } else { "none" }),
        None => draft.default(key, "plan.recompute", "none"),
    }
}

/// What `DeepSpeed` is told, the same for all programs; the optimizer's keys behind `role`. How many GPUs work on a sequence.
fn layout(draft: &mut Draft, role: &str) -> u64 {
    draft.set("plan.backend", "deepspeed");
    if draft.states("--ds.zero_stage") {
        let stage = draft.signed("--ds.zero_stage").unwrap_or(2).clamp(0, 3);
        draft.set("plan.zero_stage", stage);
    } else {
        draft.default("--ds.zero_stage", "plan.zero_stage", 2);
    }
    let half = draft.word("--ds.param_dtype").unwrap_or_else(|| "bf16".to_owned());
    draft.set("workload.precision", if half == "fp16" { "fp16" } else { "bf16" });
    if draft.known("--ds.grad_accum_dtype").as_deref() == Some("fp32") {
        draft.set("plan.gradient_bytes", 4.0);
    }
    let overlaps = draft.tells("--ds.overlap_comm", true);
    draft.set("plan.overlap", json!({"gradients": overlaps, "parameters": true, "tensor_parallel": false}));
    let [tensor, ring] = ["--ds.tensor_parallel_size", "--ds.ring_attn_size"].map(|key| draft.count(key).unwrap_or(1));
    draft.set("plan.tensor_parallel", tensor);
    draft.set("plan.context_parallel", ring);
    draft.set("plan.pipeline_parallel", 1);
    draft.set("plan.ulysses_parallel", 1);
    if let Some(group) = draft.count("--ds.zpg").filter(|group| *group > 1) {
        draft.set("plan.zero_hpz_partition_size", group);
    }
    let away = draft.tells("--ds.adam_offload", true) || draft.tells("--ds.enable_sleep", true);
    draft.set("plan.offload", json!({"parameters": false, "gradients": away, "optimizer": away, "activations": false}));
    draft.set("workload.packing", draft.tells("--ds.packing_samples", true));
    kernel::hugging_face(draft, "--ds.attn_implementation", "plan");
    if !draft.holds("--ds.attn_implementation") {
        draft.default("--ds.attn_implementation", "plan.attention_kernel", "flash2");
    }
    if !draft.tells("--ds.packing_samples", true) {
        // Packing alone asks for FlashAttention (0.11.2, `cli/train_ppo_ray.py`, line 699).
        draft.overrule("plan.attention");
    }
    optimizer::take(draft, &format!("--{role}optim"), "plan", None);
    tensor.saturating_mul(ring)
}
