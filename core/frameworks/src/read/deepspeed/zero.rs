//! ZeRO: its stage, what is offloaded where, and ZeRO++.

use serde_json::json;

use super::{own, own_flag};
use crate::read::draft::Draft;
use crate::read::printable::short;

fn key(name: &str) -> String {
    format!("zero_optimization.{name}")
}

/// What the configuration says of the plan.
pub(in crate::read) fn zero(draft: &mut Draft) {
    // `zero_optimization: true` was stage 1 (runtime/zero/config.py, read_zero_config_deprecated).
    let stage = if own_flag(draft, "zero_optimization") == Some(true) {
        draft.note(0, "zero_optimization is a truth value, as of old: it means stage 1.");
        1
    } else {
        draft.signed(&key("stage")).unwrap_or(0)
    };
    if !(0..=3).contains(&stage) {
        draft.refuse(&key("stage"), format!("There is no ZeRO stage {stage}. Give 0, 1, 2 or 3."), 0);
    }
    let stage = u64::try_from(stage.clamp(0, 3)).unwrap_or(0);
    draft.set("plan.zero_stage", stage);
    offload(draft, stage);
    // Without ZeRO the key says nothing.
    if stage > 0 {
        let overlap = own_flag(draft, &key("overlap_comm")).unwrap_or(stage == 3);
        draft.set("plan.overlap", json!({"gradients": overlap, "parameters": true, "tensor_parallel": false}));
    }
    if own(draft, "data_types.grad_accum_dtype").as_deref() == Some("fp32") {
        draft.set("plan.gradient_bytes", 4.0);
    }
    plus(draft, stage);
}

fn offload(draft: &mut Draft, stage: u64) {
    let mut place = |section: &str, old: &str| {
        let device = own(draft, &key(&format!("{section}.device")));
        let host = draft.flag(&key(old)) == Some(true);
        match device.as_deref() {
            Some("nvme") => (true, true),
            device => (host || device == Some("cpu"), false),
        }
    };
    let (mut optimizer, optimizer_drives) = place("offload_optimizer", "cpu_offload");
    // Below stage 3 DeepSpeed takes the key and does nothing.
    let (stated, parameter_drives) = place("offload_param", "cpu_offload_param");
    if stated && stage < 3 {
        draft.refuse(
            &key("offload_param"),
            format!("Stage {stage} keeps parameters on the GPU, whatever is stated. Set the stage to 3."),
            0,
        );
    }
    let parameters = stated && stage == 3;
    for (section, drives) in [("offload_optimizer", optimizer_drives), ("offload_param", parameter_drives)] {
        if drives && own(draft, &key(&format!("{section}.nvme_path"))).is_none() {
            // runtime/zero/stage3.py, _configure_tensor_swapping.
            draft.refuse(
                &key(&format!("{section}.nvme_path")),
                "DeepSpeed needs the folder of the drives. State it.",
                0,
            );
        }
    }
    if optimizer_drives && stage < 3 {
        // runtime/engine.py, zero_cpu_offload: of stages 1 and 2 it knows the CPU alone.
        draft.refuse(
            &key("offload_optimizer.device"),
            format!("Stage {stage} keeps nothing on NVMe. Set the stage to 3, or the device to cpu."),
            0,
        );
        optimizer = false;
    }
    if parameters && !optimizer {
        // The flags' rule is stricter than DeepSpeed, which leaves the optimizer's states on the GPU.
        draft.overrule("plan.offload.optimizer");
    }
    let drives = stage == 3 && (optimizer_drives || (parameters && parameter_drives));
    if drives {
        draft.set("plan.nvme_offload", true);
        if optimizer && parameters && optimizer_drives != parameter_drives {
            draft.note(
                0,
                "One of optimizer and parameters lies in host memory, the other on NVMe. The estimate has both on NVMe.",
            );
        }
    }
    draft.set(
        "plan.offload",
        // With its optimizer in host memory DeepSpeed keeps the gradients there too.
        json!({"parameters": parameters, "gradients": optimizer, "optimizer": optimizer, "activations": false}),
    );
}

/// ZeRO++, which DeepSpeed reads at stage 3 alone.
fn plus(draft: &mut Draft, stage: u64) {
    let group = "zero_hpz_partition_size";
    if let Some(size) = draft.signed(&key(group)).filter(|size| *size > 1) {
        if stage == 3 {
            draft.set("plan.zero_hpz_partition_size", size);
        } else {
            unread(draft, group, stage);
        }
    }
    for name in ["zero_quantized_weights", "zero_quantized_gradients"] {
        if own_flag(draft, &key(name)) == Some(true) {
            if stage == 3 {
                draft.set(&format!("plan.{name}"), true);
            } else {
                unread(draft, name, stage);
            }
        }
    }
}

fn unread(draft: &mut Draft, name: &str, stage: u64) {
    draft.refuse(&key(name), format!("Stage {stage} does not read it. Set the stage to 3, or leave it out."), 0);
}

/// The stage where a launch line names its configuration and that is not there: from the file's name.
pub(in crate::read) fn stage_by_name(draft: &mut Draft) {
    let stage = draft.signed("--zero_stage");
    if let Some(stage) = stage.filter(|stage| (0..=3).contains(stage)) {
        draft.set("plan.zero_stage", stage);
        let away = draft.flag("--offload") == Some(true);
        draft.set(
            "plan.offload",
            json!({"parameters": away && stage == 3, "gradients": away, "optimizer": away, "activations": false}),
        );
        return;
    }
    let name = ["--deepspeed", "--deepspeed_config", "--deepspeed_config_file"]
        .iter()
        .find_map(|argument| draft.text(argument).filter(|text| text.contains(".json")));
    let name = name.unwrap_or_default();
    let stage = (0..=3).find(|stage| {
        ["zero", "zero_", "zero-", "stage", "stage_", "z", "_s"]
            .iter()
            .any(|word| name.to_ascii_lowercase().contains(&format!("{word}{stage}")))
    });
    match stage {
        Some(stage) => draft.assume(
            "plan.zero_stage",
            stage,
            "From the name of the configuration, which is not here: paste it too.",
        ),
        None => stage_unknown(draft, &name),
    }
}

/// What is taken where a configuration is not here and its name says no stage.
pub(in crate::read) fn stage_unknown(draft: &mut Draft, name: &str) {
    draft.assume("plan.zero_stage", 3, "The configuration is not here: paste it too.");
    if !name.is_empty() {
        let file = short(name);
        draft.doubt(0, format!("{file:?} says how DeepSpeed shards and offloads and is not here: ZeRO-3 without offload is taken in its place. Paste it too."));
    }
}
