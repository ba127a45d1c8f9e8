//! LLaMA-Factory: one YAML for `llamafactory-cli train`, and `DeepSpeed`'s or accelerate's file beside it.

use super::choices::{self, half, passes, preference, recompute_reason};
use super::kernel::FLASH_2;
use super::optimizer::keeps;
use super::text::{Section, head};
use super::trainer::{self, beside, model_folder, optimizer};
use super::words::{self, plural};
use super::{Emission, Snippet, Unsupported, yaml};
use shardwise_catalog::model::VisionKind;
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::task::Learns;
use shardwise_question::wire::{Backend, LoraTargets, Optimizer, VisionTower, WorkloadKind};
use shardwise_question::workload::Workload;
use shardwise_rules::{grid, machines};

/// The configuration for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let mut lines = head(emission, &warnings(emission));
    let own = lines.len();
    trainer::start(&mut lines, emission.job, true, &start(emission));
    let sections = [data(emission), images(emission), run(emission), memory(emission), adapters(emission)];
    let mut snippets = vec![yaml::snippet("llamafactory.yaml", &lines, &sections)];
    snippets.extend(beside(emission));
    if emission.plan.layout.backend == Backend::Fsdp {
        lines.truncate(own);
        lines.push("For accelerate launch: FSDP2 as llamafactory.yaml cannot say it.".to_owned());
        snippets.push(yaml::snippet("fsdp.yaml", &lines, &[accelerate(emission)]));
    }
    Ok(snippets)
}

fn start(emission: &Emission) -> String {
    let (count, gpus) = grid(emission.job);
    if emission.plan.layout.backend == Backend::Fsdp {
        let meet = trainer::meet(count);
        return format!("accelerate launch --config_file fsdp.yaml{meet} -m llamafactory.launcher llamafactory.yaml");
    }
    let meet = if count > 1 {
        format!(" NNODES={count} NODE_RANK=\"$NODE_RANK\" MASTER_ADDR=\"$MASTER_ADDR\" MASTER_PORT=29500")
    } else {
        String::new()
    };
    format!("FORCE_TORCHRUN=1{meet} NPROC_PER_NODE={gpus} llamafactory-cli train llamafactory.yaml")
}

/// Where LLaMA-Factory does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let mut out = trainer::warnings(emission, "LLaMA-Factory");
    if emission.plan.layout.fused_lm_head {
        out.push(
            "LLaMA-Factory passes over enable_liger_kernel for models that Liger does not know, and says so in its log."
                .to_owned(),
        );
    }
    out
}

fn data(emission: &Emission) -> Section {
    let mut section = Section::new("Model and data");
    let workload = &emission.job.workload;
    let (path, reason) = in_its_form(emission, model_folder(emission));
    section.set("model_name_or_path", path, reason);
    let pretrain = workload.kind == WorkloadKind::Pretrain;
    let learns = workload.kind.preference();
    let (stage, reason) = match learns.map(|own| own.learns) {
        Some(Learns::Scores) => ("rm", "a reward model, from your question"),
        Some(Learns::HeldByMismatched) => ("kto", "single responses, good or bad, from your question"),
        Some(Learns::Held | Learns::Free) => ("dpo", "pairs of responses, from your question"),
        None if pretrain => ("pt", "pre-training, from your question"),
        None => ("sft", "fine-tuning, from your question"),
    };
    section.set("stage", stage, reason);
    section.set("do_train", "true", "LLaMA-Factory trains when it is told to");
    let (way, reason) =
        if workload.lora.is_some() { ("lora", "adapters alone train") } else { ("full", "all weights train") };
    section.set("finetuning_type", way, reason);
    if pretrain {
        section.set("train_from_scratch", "true", "weights at random; false goes on from the checkpoint");
    }
    let reason = match learns {
        Some(own) if own.has_pairs() => {
            "change this to your data: a name in data/dataset_info.json, with ranking: true"
        }
        Some(_) => "change this to your data: a name in data/dataset_info.json, with a column kto_tag",
        None => "change this to your data: a name in data/dataset_info.json",
    };
    section.set("dataset", "train", reason);
    section.set("cutoff_len", workload.sequence_length, "tokens, from your question");
    if learns.is_none() {
        join(&mut section, workload);
    }
    section.set("output_dir", "./output/shardwise", "change this to your folder");
    section
}

/// `InternVL`'s checkpoint in the form that LLaMA-Factory reads images with, beside which its publisher has its own
/// (0.9.5, `extras/constants.py`, which writes the end of their names as `InternVL` 3 and 3.5 have them).
fn in_its_form(emission: &Emission, own: (String, String)) -> (String, String) {
    let job = emission.job;
    let sees = job.workload.images.is_some();
    if !sees || !job.model.shape.vision.is_some_and(|own| own.is_internvl()) {
        return own;
    }
    let end = if own.0.starts_with("OpenGVLab/InternVL3_5-") { "-HF" } else { "-hf" };
    if own.0.starts_with("OpenGVLab/") && !own.0.ends_with(end) {
        return (own.0 + end, "the checkpoint in the form that Transformers reads".to_owned());
    }
    own
}

/// What is done with images. LLaMA-Factory scales them down to 768 × 768 pixels by itself, and freezes tower and projector
/// (0.9.5, `hparams/model_args.py`, `hparams/finetuning_args.py`).
fn images(emission: &Emission) -> Section {
    let mut section = Section::new("Images");
    let (Some(images), Some(vision)) = (emission.job.workload.images, emission.job.model.shape.vision) else {
        return section;
    };
    let (template, crops) = match vision.kind {
        VisionKind::Qwen25Vl => ("qwen2_vl", false),
        VisionKind::Qwen3Vl if emission.job.model.id.starts_with("qwen3-vl") => ("qwen3_vl_nothink", false),
        VisionKind::Qwen3Vl => ("qwen3_5", false),
        VisionKind::SiglipGemma3 => ("gemma3", false),
        VisionKind::InternVl | VisionKind::InternVit6b => ("intern_vl", true),
        VisionKind::Glm4v if emission.job.model.shape.num_experts > 0 => ("glm4_5v", false),
        VisionKind::Glm4v => ("glm4v", false),
        VisionKind::Llama4 => ("llama4", false),
    };
    section.set("template", template, "the model's own; it places the images");
    let all = images.width * images.height;
    let most = images.max_pixels.or(vision.pixel_range().map(|(_, most)| most)).unwrap_or(all);
    let reason = if images.max_pixels.is_some() {
        "larger images are scaled down, from your question"
    } else {
        "as the model's processor has it; LLaMA-Factory's default is 589824"
    };
    section.set("image_max_pixels", most, reason);
    if crops {
        section.set("crop_to_patches", "true", "tiles of 448 pixels, as the model was trained");
    }
    let reason = if emission.job.workload.lora.is_some() {
        "adapters are of the language model alone"
    } else {
        "what trains of the vision tower, from your question"
    };
    section.set("freeze_vision_tower", images.tower != VisionTower::Trained, reason);
    section.set("freeze_multi_modal_projector", images.tower == VisionTower::Frozen, reason);
    section
}

/// Whether sequences are joined.
fn join(section: &mut Section, workload: &Workload) {
    let pretrain = workload.kind == WorkloadKind::Pretrain;
    let packing = workload.joins() || pretrain && workload.packing;
    let reason = match (packing, pretrain) {
        (false, _) => "each sequence by itself",
        (true, true) => "documents fill each sequence",
        (true, false) => "joins short sequences, from your question",
    };
    section.set("packing", packing, reason);
    if packing && !pretrain {
        section.set("neat_packing", "true", "joined sequences do not attend to each other");
    }
}

fn run(emission: &Emission) -> Section {
    let mut section = Section::new("Batch and optimizer");
    passes(&mut section, emission, "per_device_train_batch_size", "gradient_accumulation_steps");
    trainer::reduces(&mut section, emission);
    step_by(&mut section, &emission.plan.layout);
    optimizer(&mut section, emission);
    loss(&mut section, emission.job.workload.kind);
    trainer::length(&mut section, emission, ["max_steps", "num_train_epochs"]);
    trainer::intervals(&mut section);
    section
}

/// The loss of preference data.
fn loss(section: &mut Section, kind: WorkloadKind) {
    use WorkloadKind::{Dpo, Ipo, Kto, Orpo, Simpo};
    let held = (preference::BETA, preference::BETA_REASON);
    let (loss, (beta, reason)) = match kind {
        Dpo => (Some("sigmoid"), held),
        Ipo => (Some("ipo"), held),
        Kto => (None, held),
        Orpo => (Some("orpo"), (preference::ORPO_WEIGHT, preference::ORPO_REASON)),
        Simpo => (Some("simpo"), (preference::SIMPO_BETA, preference::SIMPO_BETA_REASON)),
        _ => return,
    };
    if let Some(loss) = loss {
        section.set("pref_loss", loss, "from your question");
    }
    section.set("pref_beta", beta, reason);
    if kind == Simpo {
        section.set("simpo_gamma", preference::SIMPO_GAMMA, preference::SIMPO_GAMMA_REASON);
    }
}

/// What steps the weights, where it is not what LLaMA-Factory takes by itself and `DeepSpeed`'s file does not say it.
fn step_by(section: &mut Section, layout: &Layout) {
    match layout.optimizer.kind {
        Optimizer::Adamw => {}
        Optimizer::Muon => section.set("use_muon", "true", keeps(Optimizer::Muon)),
        _ => {
            if let Some((word, reason)) = super::optimizer::trainer(layout) {
                section.set("optim", word, reason);
            }
        }
    }
}

fn memory(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new(format!("Layout: {}", words::layout_title(layout, job.hardware.gpus)));
    section.set(half(job.workload.precision), "true", "precision of your question");
    let again = layout.recompute == Recompute::Full;
    section.set("disable_gradient_checkpointing", !again, recompute_reason(again, emission));
    let own = |word| if word == FLASH_2 { "fa2" } else { word };
    trainer::attention(&mut section, emission, "flash_attn", ("disabled", own));
    // What learns from preferences reads the logits.
    if job.workload.kind.preference().is_none() {
        let reason = if layout.fused_lm_head {
            "no logits tensor, as the plan says; needs liger-kernel"
        } else {
            "its loss would have no logits; the plan has them"
        };
        section.set("enable_liger_kernel", layout.fused_lm_head, reason);
    }
    if layout.backend == Backend::Deepspeed {
        section.set("deepspeed", "ds_config.json", "the other file");
    }
    section
}

fn adapters(emission: &Emission) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Adapters");
    let Some(lora) = workload.lora else {
        return section;
    };
    choices::adapters(&mut section, lora, "lora_rank", "lora_alpha");
    let targets = match lora.targets {
        LoraTargets::AllLinear => "all".to_owned(),
        LoraTargets::Attention => choices::ATTENTION.join(","),
    };
    section.set("lora_target", targets, "from your question");
    if workload.quantized_base() {
        section.set("quantization_bit", 4, "the base model in 4 bits");
        section.set("quantization_method", "bnb", "bitsandbytes' NF4");
        section.set("double_quantization", "true", "its scales in 8 bits");
    }
    section
}

/// accelerate's own file: it sets what the Trainer's FSDP reads.
fn accelerate(emission: &Emission) -> Section {
    let job = emission.job;
    let gpus = job.hardware.gpus;
    let mut section = Section::new(format!("{}, sharded", plural(gpus.into(), "GPU", "GPUs")));
    section.set("compute_environment", "LOCAL_MACHINE", "no cloud of accelerate's");
    section.set("distributed_type", "FSDP", "shards weights, gradients and optimizer");
    section.set("mixed_precision", half(job.workload.precision), "as in llamafactory.yaml");
    section.set("num_machines", machines(job), "nodes");
    section.set("num_processes", gpus, "GPUs of all nodes");
    section.set("machine_rank", 0, "the first node; the command line says another's");
    section.set("main_training_function", "main", "accelerate asks for it");
    section.set("rdzv_backend", "static", "nodes meet at the first");
    section.set("same_network", "true", "nodes reach each other");
    section.set("fsdp_config.fsdp_version", 2, "shards by parameter");
    let keys =
        ["auto_wrap_policy", "reshard_after_forward", "offload_params", "cpu_ram_efficient_loading", "state_dict_type"];
    trainer::fsdp2(&mut section, emission, "fsdp_", keys);
    section
}
