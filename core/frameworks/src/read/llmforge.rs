//! LLMForge: one YAML file, as its published templates have it (<https://github.com/anyscale/templates>, history of
//! `templates/fine-tune-llm` and `fine-tune-llm_v2`).

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use serde_json::json;

use super::deepspeed;
use super::draft::Draft;
use super::link::Base;
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::{Kind, Part};
use super::value;
use super::value::lora_targets;
use shardwise_rules::llmforge::accelerators;

/// Whether a YAML file is LLMForge's: no other has a batch under this name.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    has("model_id")
        && ["train_batch_size_per_device", "deepspeed.config_path", "num_devices"]
            .into_iter()
            .any(has)
}

/// Reads LLMForge's YAML, and the `DeepSpeed` configuration that it names where that is there too.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Llmforge, keys::SECTIONS, base);
    let configs = deepspeed::state_configs(&mut draft, parts)?;
    for part in parts {
        match &part.kind {
            Kind::Json(_) => {}
            Kind::File(settings) => {
                for setting in settings {
                    draft.state(setting.clone());
                }
            }
            Kind::Shell(_) => draft.note(0, "LLMForge's command has no settings; its YAML is read."),
        }
    }
    question(&mut draft, configs > 0);
    draft.finish(Some("llmforge"))
}

fn question(draft: &mut Draft, configured: bool) {
    draft.take_model("model_id", "model");
    workers(draft);
    draft.take_count("num_devices", "hardware.gpus", None);
    for field in ["tensor_parallel", "pipeline_parallel", "context_parallel", "ulysses_parallel"] {
        draft.set(&format!("plan.{field}"), 1);
    }
    draft.set("plan.backend", "deepspeed");
    draft.set("workload.precision", "bf16");
    if configured {
        deepspeed::zero(draft);
    } else {
        ready_made(draft);
    }
    batch(draft);
    lengths(draft);
    task(draft);
    let again = match draft.flag("no_gradient_checkpoint") {
        Some(off) => {
            draft.note_once(
                "Anyscale's examples say no_gradient_checkpoint until October 2024, and two later ones gradient_checkpointing, the other way round. Both are read; the text here has the later one.",
            );
            Some(!off)
        }
        None => draft.flag("gradient_checkpointing"),
    };
    match again {
        Some(again) => draft.set("plan.recompute", if again { "full" } else { "none" }),
        None => draft.default("gradient_checkpointing", "plan.recompute", "full"),
    }
    let liger = draft.flag("liger_kernel.enabled").unwrap_or(false);
    let fused = draft.flag("liger_kernel.kwargs.fused_linear_cross_entropy");
    // Liger's own default for most models.
    draft.set("plan.fused_lm_head", liger && fused.unwrap_or(true));
}

/// GPUs of the instances that its first templates asked for, as its Ray resources name them, and how many each has.
const INSTANCES: &[(&str, &str, u64)] = &[
    ("g5.4xlarge", "A10G", 1),
    ("g5.12xlarge", "A10G", 4),
    ("g5.48xlarge", "A10G", 8),
    ("p4d.24xlarge", "A100-40G", 8),
    ("p4de.24xlarge", "A100-80G", 8),
];

/// The GPU that workers ask for.
fn workers(draft: &mut Draft) {
    let mut asked = None;
    for setting in draft.stated("worker_resources.") {
        let name = setting.as_str();
        if let Some(gpu) = name.strip_prefix("accelerator_type:") {
            asked = Some((gpu.to_owned(), None));
        } else if let Some(shape) = name.strip_prefix("anyscale/accelerator_shape:") {
            // `4xA10G`: a node of four.
            let (count, gpu) = shape.split_once('x').unwrap_or(("", shape));
            asked = Some((gpu.to_owned(), count.parse().ok()));
        } else if let Some((_, gpu, count)) = INSTANCES.iter().find(|(own, ..)| *own == name) {
            asked = Some(((*gpu).to_owned(), Some(*count)));
        }
    }
    let Some((name, per_node)) = asked else {
        return;
    };
    // A card for PCIe has the name of its sibling; the base knows which.
    let ids = accelerators(&name);
    let base = draft.base.and_then(|base| base.hardware.gpu.as_str());
    let own = ids.iter().find(|id| base == Some(**id)).or(ids.first());
    match own {
        Some(id) => draft.set("hardware.gpu", *id),
        None => draft.refuse(
            "worker_resources",
            format!("LLMForge's templates know no {name:?}. Choose A10G, L4, A100-40G, A100-80G or H100."),
            0,
        ),
    }
    if let Some(count) = per_node.filter(|count| *count > 0) {
        draft.set("hardware.gpus_per_node", count);
    }
}

/// The plan of LLMForge's own `DeepSpeed` configurations, by the name of the file.
fn ready_made(draft: &mut Draft) {
    let path = draft.text("deepspeed.config_path").unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    let name = file.strip_suffix(".json").unwrap_or(file);
    // `zero_3_llama_2_70b` is of the first templates.
    let (stage, optimizer, parameters, group) = match name {
        "zero_2" => (2, false, false, 1),
        "zero_3_hpz" => (3, false, false, 8),
        "zero_3_offload_optim" => (3, true, false, 1),
        "zero_3_offload_optim+param" => (3, true, true, 1),
        _ => (3, false, false, 1),
    };
    if name == "zero_3" || stage == 2 || optimizer || group > 1 || name.starts_with("zero_3_llama_2_") {
        draft.set("plan.zero_stage", stage);
    } else {
        draft.assume("plan.zero_stage", stage, "deepspeed.config_path names no file of LLMForge's own: paste it too.");
    }
    draft.set(
        "plan.offload",
        json!({"parameters": parameters, "gradients": optimizer, "optimizer": optimizer, "activations": false}),
    );
    if group > 1 {
        draft.set("plan.zero_hpz_partition_size", group);
    }
}

fn batch(draft: &mut Draft) {
    let micro = draft.count("train_batch_size_per_device");
    match micro {
        Some(micro) => draft.set("plan.micro_batch", micro),
        None => draft.assume(
            "plan.micro_batch",
            1,
            "LLMForge takes it from a table of its own; set train_batch_size_per_device to state it.",
        ),
    }
    let steps = draft.count("gradient_accumulation_steps").unwrap_or(1);
    let gpus = draft.count("num_devices").unwrap_or(1);
    let whole = micro.unwrap_or(1).saturating_mul(steps);
    draft.set("workload.global_batch", whole.saturating_mul(gpus));
}

fn lengths(draft: &mut Draft) {
    if let Some(length) = draft.count("context_length") {
        draft.set("workload.sequence_length", length);
    } else {
        draft.assume(
            "workload.sequence_length",
            4096,
            "LLMForge takes what 95 % of the samples stay within; set context_length to state it.",
        );
    }
    if draft.text("padding").as_deref() == Some("max_length") {
        if let Some(length) = draft.count("context_length") {
            draft.set("workload.mean_sequence_length", length);
        }
    } else {
        draft.set("workload.packing", false);
    }
}

fn task(draft: &mut Draft) {
    let rank = draft.count("lora_config.r").or_else(|| draft.count("lora_config.rank"));
    let Some(rank) = rank else {
        draft.set("workload.kind", "sft");
        return;
    };
    draft.set("workload.kind", "lora");
    draft.set("workload.lora.rank", rank);
    let whole = draft.text("lora_config.modules_to_save");
    if whole.is_some_and(|modules| !value::list(&modules).is_empty()) {
        draft.note(0, "lora_config.modules_to_save trains these modules whole. The estimate trains adapters alone.");
    }
    let targets = draft.text("lora_config.target_modules");
    draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
}
