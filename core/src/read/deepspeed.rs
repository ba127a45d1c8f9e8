//! `DeepSpeed`: `ds_config.json`, and the line that launches it where it is there.

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use serde_json::{Value, json};

use super::draft::Draft;
use super::launch;
use super::link::Base;
use super::report::{Framework, Reading, Trouble};
use super::settings::Setting;
use super::shell::Word;
use super::text::{Kind, Part};
use super::verl::{lora_targets, machine, report_notes};

/// Most keys of a configuration that are read.
const MOST_KEYS: usize = 20_000;

/// Reads `DeepSpeed`'s texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Framework::Deepspeed, keys::SECTIONS, base);
    let mut before: Vec<Word> = Vec::new();
    for part in parts {
        match &part.kind {
            Kind::Json(config) => {
                if config.get("workload").is_some() && config.get("hardware").is_some() {
                    return Err(Trouble::new(
                        0,
                        "This is a question already. Give it to `shardwise estimate`, or open it on the page.",
                    ));
                }
                let mut count = 0;
                flatten(&mut draft, "", config, &mut count)?;
            }
            Kind::Shell(script) => {
                let launch = launch::find(script, Framework::Deepspeed);
                for setting in launch::arguments(&launch.after) {
                    draft.state(setting);
                }
                before = launch.before.to_vec();
                report_notes(&mut draft, script, &launch);
            }
            Kind::Yaml(_) => draft.unread(
                "YAML",
                "Accelerate's YAML is not read; paste ds_config.json.",
                0,
            ),
        }
    }
    question(&mut draft, &before);
    draft.finish(Some("deepspeed"))
}

/// Every leaf of the JSON under its dotted key. serde_json bounds the depth.
fn flatten(draft: &mut Draft, path: &str, value: &Value, count: &mut usize) -> Result<(), Trouble> {
    if let Value::Object(map) = value {
        for (key, value) in map {
            let path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            flatten(draft, &path, value, count)?;
        }
        return Ok(());
    }
    *count += 1;
    if *count > MOST_KEYS || path.len() > 4096 {
        return Err(Trouble::new(
            0,
            "The configuration has more than 20,000 keys. Paste ds_config.json alone.",
        ));
    }
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    draft.state(Setting {
        key: path.to_owned(),
        written: path.to_owned(),
        value: text,
        line: 0,
        open: None,
    });
    Ok(())
}

/// A whole number of the configuration; "auto" is the training script's to say.
fn count(draft: &mut Draft, key: &str, argument: &str) -> Option<u64> {
    let own = draft.text(key).filter(|text| text != "auto");
    if own.is_some() {
        return draft.count(key);
    }
    draft.count(argument)
}

fn question(draft: &mut Draft, before: &[Word]) {
    draft.take_model("--model_name_or_path", "model");
    machine(draft, before);
    draft.set("plan.backend", "deepspeed");
    for field in ["pipeline_parallel", "context_parallel"] {
        draft.set(&format!("plan.{field}"), 1);
    }
    let tensor = draft.count("tensor_parallel.autotp_size").unwrap_or(1);
    draft.set("plan.tensor_parallel", tensor);
    let ulysses = draft.count("sequence_parallel_size").unwrap_or(1);
    draft.set("plan.ulysses_parallel", ulysses);
    batch(draft, tensor.saturating_mul(ulysses));
    zero(draft);
    kind(draft);
    let lengths = [
        "max_length",
        "max_seq_length",
        "model_max_length",
        "block_size",
        "cutoff_len",
    ];
    let length = lengths
        .iter()
        .find_map(|name| draft.count(&format!("--{name}")));
    match (
        length,
        draft.base.and_then(|base| base.workload.sequence_length),
    ) {
        (Some(length), _) => draft.set("workload.sequence_length", length),
        (None, Some(length)) => draft.assume(
            "workload.sequence_length",
            length,
            "From the base question: the text does not tell it.",
        ),
        (None, None) => draft.assume(
            "workload.sequence_length",
            2048,
            "The text does not tell it; --max_length would say.",
        ),
    }
    if let Some(packing) = draft.flag("--packing") {
        draft.set("workload.packing", packing);
    }
    let checkpointing = draft.flag("--gradient_checkpointing");
    match checkpointing {
        Some(on) => draft.set("plan.recompute", if on { "full" } else { "none" }),
        None => draft.assume(
            "plan.recompute",
            "none",
            "ds_config.json cannot say it; --gradient_checkpointing would.",
        ),
    }
    let liger = draft
        .flag("--use_liger_kernel")
        .or_else(|| draft.flag("--use_liger"));
    draft.set("plan.fused_lm_head", liger.unwrap_or(false));
}

fn batch(draft: &mut Draft, model_parallel: u64) {
    let micro = count(
        draft,
        "train_micro_batch_size_per_gpu",
        "--per_device_train_batch_size",
    );
    let steps = count(
        draft,
        "gradient_accumulation_steps",
        "--gradient_accumulation_steps",
    );
    let whole = draft.text("train_batch_size").filter(|text| text != "auto");
    let whole = whole.and_then(|_| draft.count("train_batch_size"));
    let gpus = draft
        .field("hardware.gpus")
        .and_then(Value::as_u64)
        .or_else(|| draft.base.and_then(|base| base.hardware.gpus));
    // Three of batch, micro-batch, accumulation and GPUs give the fourth.
    let gpus = match (gpus, whole, micro) {
        (None, Some(whole), Some(micro))
            if whole.is_multiple_of(micro.saturating_mul(steps.unwrap_or(1))) =>
        {
            let ranks = whole / micro.saturating_mul(steps.unwrap_or(1)).max(1);
            let gpus = ranks.saturating_mul(model_parallel).max(1);
            draft.assume(
                "hardware.gpus",
                gpus,
                "train_batch_size over micro-batch and accumulation.",
            );
            gpus
        }
        (Some(gpus), ..) => gpus,
        (None, whole, _) => {
            // A node's, as far as the batch can be shared by them.
            let most = [8, 4, 2, 1]
                .into_iter()
                .find(|n| whole.is_none_or(|whole| whole.is_multiple_of(*n)));
            let gpus = most.unwrap_or(1).max(model_parallel);
            draft.assume(
                "hardware.gpus",
                gpus,
                "The text does not tell how many GPUs run it; the launch line would.",
            );
            gpus
        }
    };
    let ranks = (gpus / model_parallel.max(1)).max(1);
    let micro = match (micro, whole) {
        (Some(micro), _) => micro,
        (None, Some(whole)) => {
            let micro = (whole / ranks / steps.unwrap_or(1).max(1)).max(1);
            draft.assume(
                "plan.micro_batch",
                micro,
                "train_batch_size over ranks and accumulation.",
            );
            micro
        }
        (None, None) => {
            draft.assume(
                "plan.micro_batch",
                1,
                "The text does not tell it; train_micro_batch_size_per_gpu would say.",
            );
            1
        }
    };
    draft.set("plan.micro_batch", micro);
    let made = micro
        .saturating_mul(steps.unwrap_or(1))
        .saturating_mul(ranks);
    match whole {
        Some(whole) => {
            if steps.is_some() && whole != made {
                // runtime/config.py, _batch_assertion.
                draft.refuse(
                    "train_batch_size",
                    format!("{whole} is not {micro} × {} × {ranks} ranks = {made}. Leave one of the three out.", steps.unwrap_or(1)),
                    0,
                );
            }
            draft.set("workload.global_batch", whole);
        }
        None => draft.assume(
            "workload.global_batch",
            made,
            format!(
                "{micro} × {} × {ranks} ranks; train_batch_size would say.",
                steps.unwrap_or(1)
            ),
        ),
    }
}

fn zero(draft: &mut Draft) {
    let key = |name: &str| format!("zero_optimization.{name}");
    let stage = draft.signed(&key("stage")).unwrap_or(0);
    if !(0..=3).contains(&stage) {
        draft.refuse(
            &key("stage"),
            format!("There is no ZeRO stage {stage}. Give 0, 1, 2 or 3."),
            0,
        );
    }
    let stage = u64::try_from(stage.clamp(0, 3)).unwrap_or(0);
    draft.set("plan.zero_stage", stage);
    let mut away = |section: &str, old: &str| {
        let device = draft.text(&key(&format!("{section}.device")));
        device.is_some_and(|device| device == "cpu" || device == "nvme")
            || draft.flag(&key(old)) == Some(true)
    };
    let optimizer = away("offload_optimizer", "cpu_offload");
    // Below stage 3 DeepSpeed takes the key and does nothing.
    let stated = away("offload_param", "cpu_offload_param");
    if stated && stage < 3 {
        draft.refuse(
            &key("offload_param"),
            format!(
                "Stage {stage} keeps parameters on the GPU, whatever is stated. Set the stage to 3."
            ),
            0,
        );
    }
    let parameters = stated && stage == 3;
    draft.set(
        "plan.offload",
        // With its optimizer in host memory DeepSpeed keeps the gradients there too.
        json!({"parameters": parameters, "gradients": optimizer, "optimizer": optimizer, "activations": false}),
    );
    // Without ZeRO the key says nothing.
    if stage > 0 {
        let overlap = draft.flag(&key("overlap_comm")).unwrap_or(stage == 3);
        draft.set(
            "plan.overlap",
            json!({"gradients": overlap, "parameters": true, "tensor_parallel": false}),
        );
    }
    let dtype = draft
        .text("data_types.grad_accum_dtype")
        .unwrap_or_default();
    if dtype == "fp32" {
        draft.set("plan.gradient_bytes", 4.0);
    }
}

fn kind(draft: &mut Draft) {
    let mut half = |name: &str, argument: &str| {
        let own = draft.text(name).filter(|text| text != "auto");
        match own {
            Some(_) => draft.flag(name),
            None => draft.flag(argument),
        }
        .unwrap_or(false)
    };
    let (bf16, fp16) = (
        half("bf16.enabled", "--bf16"),
        half("fp16.enabled", "--fp16"),
    );
    if bf16 && fp16 {
        draft.refuse(
            "fp16.enabled",
            "DeepSpeed takes bf16 or fp16, not both. Switch one off.",
            0,
        );
    }
    if fp16 && !bf16 {
        draft.set("workload.precision", "fp16");
    } else if bf16 {
        draft.set("workload.precision", "bf16");
    } else {
        draft.assume("workload.precision", "bf16", "Neither bf16 nor fp16 is switched on: DeepSpeed would train in fp32, which is not modelled.");
    }
    let rank = draft
        .count("--lora_r")
        .or_else(|| draft.count("--lora_rank"));
    let adapters = draft.flag("--use_peft").unwrap_or(rank.is_some());
    if !adapters {
        draft.set("workload.kind", "sft");
        return;
    }
    let quantized = draft.flag("--load_in_4bit") == Some(true);
    draft.set("workload.kind", if quantized { "qlora" } else { "lora" });
    draft.set("workload.lora.rank", rank.unwrap_or(16));
    let targets = draft.text("--lora_target_modules");
    draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
}
