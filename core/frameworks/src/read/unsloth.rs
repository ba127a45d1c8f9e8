//! Unsloth: a Python program that loads a model by its classes and trains it with TRL's trainers.

mod keys;
mod reinforcement;

#[cfg(test)]
pub(super) use keys::{REINFORCEMENT, SECTIONS};

use super::draft::Draft;
use super::link::Base;
use super::python;
use super::report::{Dialect, Reading, Trouble};
use super::text::Part;
use super::trainer::{self, Adapters, Run};
use super::value;
use serde_json::json;

/// Reads Unsloth's texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let sections = if reinforcement::is_here(parts) { keys::REINFORCEMENT } else { keys::SECTIONS };
    let mut draft = Draft::new(Dialect::Unsloth, sections, base);
    let run = trainer::state(&mut draft, parts)?;
    draft.take_model("model_name_or_path", "model");
    gpus(&mut draft, &run);
    draft.set("plan.backend", "ddp");
    for size in ["tensor_parallel", "pipeline_parallel", "context_parallel", "ulysses_parallel"] {
        draft.set(&format!("plan.{size}"), 1);
    }
    question(&mut draft, &run);
    draft.finish(Some("unsloth"))
}

/// Each process has a GPU of its own, and there is one where no launcher starts more (`loader.py:1310`).
fn gpus(draft: &mut Draft, run: &Run) {
    trainer::gpus(draft, run);
    if draft.field("hardware.gpus").is_some() {
        return;
    }
    if run.launches("python") {
        draft.set("hardware.gpus", 1);
    } else if trainer::known_gpus(draft).is_none() {
        let why = "Unsloth trains on one GPU where no launcher starts more; add the command, as torchrun --nproc_per_node 4 train.py.";
        draft.assume_known("hardware.gpus", 1, why);
    }
}

fn question(draft: &mut Draft, run: &Run) {
    let learns = run.program == python::REINFORCEMENT;
    let kind = match run.program.as_str() {
        _ if learns => Some(reinforcement::kind(draft)),
        "unsloth.dpo" if draft.word("loss_type").is_some_and(|loss| loss.contains("ipo")) => Some("ipo"),
        "unsloth.dpo" => Some("dpo"),
        "unsloth.kto" => Some("kto"),
        _ => None,
    };
    let full = task(draft, kind);
    // `loader.py:2294` of 2026.10.9: fp16 on a card that has none.
    if draft.lacks_bf16() && !["bf16", "fp16"].iter().any(|key| draft.tells(key, true)) {
        draft.assume_known(
            "workload.precision",
            "fp16",
            "Unsloth's default on a card without bf16; set fp16 to state it.",
        );
    } else {
        trainer::precision(draft, "Unsloth's default on a card that has it; set bf16 to state it.");
    }
    // Whatever is set by itself in its configuration (`rl.py:3310`).
    if draft.states("optim") {
        trainer::step_by(draft, "optim");
    } else {
        draft.default("optim", "plan.optimizer", "adamw_8bit");
    }
    let passes = trainer::batch(draft, "per_device_train_batch_size", (4, 2), 1);
    trainer::run_length(draft);
    if !learns {
        length(draft, kind);
    }
    recompute(draft);
    if full {
        states(draft);
    }
    draft.assume("plan.fused_lm_head", true, "Unsloth computes the loss without all logits at once.");
    if learns {
        return reinforcement::read(draft, run, passes);
    }
    if draft.flag("precompute_ref_log_probs") == Some(true) {
        draft.set("workload.precompute_ref_log_probs", true);
    }
    packing(draft, kind);
}

/// What is trained; whether that is every weight.
fn task(draft: &mut Draft, kind: Option<&str>) -> bool {
    if draft.flag("full_finetuning") == Some(true) {
        trainer::task(draft, kind, None);
        return true;
    }
    let otherwise = ["load_in_8bit", "load_in_16bit", "load_in_fp8"]
        .iter()
        .any(|key| draft.tells(key, true));
    let quantized = draft.flag("load_in_4bit").unwrap_or(!otherwise);
    for (key, bits) in [("load_in_8bit", 8), ("load_in_fp8", 8)] {
        if draft.tells(key, true) {
            draft.note(0, format!("The base is held in {bits} bits. The estimate has it in 16."));
        }
    }
    let adapters = Adapters { rank: "lora_r", default: 16, targets: "lora_target_modules", quantized };
    trainer::task(draft, kind, Some(adapters));
    if !draft.states("load_in_4bit") && quantized {
        let field = if kind.is_some() { "workload.lora.load_in_4bit" } else { "workload.kind" };
        let own = draft.field(field).cloned().unwrap_or_default();
        draft.default("load_in_4bit", field, own);
    }
    false
}

/// The longest sequence: what the model is loaded for, or less (`rl.py:2791`). Preference data have a length of their own.
fn length(draft: &mut Draft, kind: Option<&str>) {
    let [loaded, own] = ["max_seq_length", "max_length"].map(|key| draft.known_whole(key));
    let shorter = own.is_some_and(|own| loaded.is_none_or(|loaded| own < loaded));
    let (key, default) = match kind {
        Some(_) => ("max_length", 1024),
        None if shorter => ("max_length", 2048),
        None => ("max_seq_length", 2048),
    };
    trainer::length(draft, key, default);
}

/// Whether layers are computed again, and where their inputs wait. A configuration that says so itself holds
/// (`_gc_config_default.py`).
fn recompute(draft: &mut Draft) {
    let key = "use_gradient_checkpointing";
    let word = draft.word(key);
    let moved = word.as_deref().is_none_or(|word| word == "unsloth");
    let on = moved || word.as_deref().and_then(value::truth) == Some(true);
    let again = on || draft.tells("gradient_checkpointing", true);
    draft.set("plan.recompute", if again { "full" } else { "none" });
    if word.is_none() {
        draft.default(key, "plan.recompute", "full");
    }
    // `_utils.py:506`
    let moved = moved && draft.size("workload.sequence_length").is_none_or(|length| length >= 512);
    let stays = json!({"parameters": false, "gradients": false, "optimizer": false, "activations": moved});
    draft.set("plan.offload", stays);
}

/// Weights that are all trained: in fp32 where that is asked for, or where products are in fp16.
fn states(draft: &mut Draft) {
    let half = draft.word("dtype");
    let wide = draft.flag("float32_mixed_precision") == Some(true)
        || half
            .as_deref()
            .is_some_and(|own| own.ends_with("float16") && !own.ends_with("bfloat16"))
        || half.as_deref().is_some_and(|own| own.ends_with("float32"))
        || draft.tells("fp16", true);
    if !wide {
        trainer::states_in_16_bits(
            draft,
            "Unsloth trains all weights in bf16, moments and gradients too, where float32_mixed_precision is not set.",
        );
    }
}

/// Whether sequences stand side by side: Unsloth lets them where nothing says otherwise (`trainer.py:1969`).
fn packing(draft: &mut Draft, kind: Option<&str>) {
    let packed = draft.flag("packing") == Some(true);
    let free = draft.flag("padding_free");
    if kind.is_none() && !packed && free.is_none() {
        let why = "Unsloth sets sequences side by side by itself; set padding_free to state it.";
        draft.assume("workload.packing", true, why);
        return;
    }
    draft.set("workload.packing", kind.is_none() && (packed || free == Some(true)));
}
