//! LLaMA-Factory: one YAML for `llamafactory-cli train`, and `DeepSpeed`'s or accelerate's file beside it.

use super::choices::{self, half, offload_reason, passes, recompute_reason};
use super::text::{Section, head};
use super::trainer::{self, beside, model_folder, optimizer, steps};
use super::words::{self, plural};
use super::{Emission, Snippet, Unsupported, yaml};
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{Attention, Backend, LoraTargets, WorkloadKind};
use shardwise_rules::{machines, nodes};

/// The configuration for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let mut lines = head(emission, &warnings(emission));
    let own = lines.len();
    lines.extend(trainer::first_node(machines(emission.job), true));
    lines.push(format!("Start on each node: {}", start(emission)));
    let sections = [data(emission), run(emission), memory(emission), adapters(emission)];
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
    let hardware = &emission.job.hardware;
    let (count, gpus) = nodes(hardware.gpus, hardware.gpus_per_node).unwrap_or((1, 1));
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
    let (path, reason) = model_folder(emission);
    section.set("model_name_or_path", path, reason);
    let pretrain = workload.kind == WorkloadKind::Pretrain;
    let (stage, reason) =
        if pretrain { ("pt", "pre-training, from your question") } else { ("sft", "fine-tuning, from your question") };
    section.set("stage", stage, reason);
    section.set("do_train", "true", "LLaMA-Factory trains when it is told to");
    let (way, reason) =
        if workload.lora.is_some() { ("lora", "adapters alone train") } else { ("full", "all weights train") };
    section.set("finetuning_type", way, reason);
    if pretrain {
        section.set("train_from_scratch", "true", "weights at random; false goes on from the checkpoint");
    }
    section.set("dataset", "train", "change this to your data: a name in data/dataset_info.json");
    section.set("cutoff_len", workload.sequence_length, "tokens, from your question");
    let packing = workload.joins() || pretrain && workload.packing;
    let reason = match (packing, pretrain) {
        (false, _) => "each sequence by itself",
        (true, true) => "documents fill each sequence",
        (true, false) => "joins short sequences, from your question",
    };
    section.set("packing", packing.to_string(), reason);
    if packing && !pretrain {
        section.set("neat_packing", "true", "joined sequences do not attend to each other");
    }
    section.set("output_dir", "./output/shardwise", "change this to your folder");
    section
}

fn run(emission: &Emission) -> Section {
    let mut section = Section::new("Batch and optimizer");
    passes(&mut section, emission, "per_device_train_batch_size", "gradient_accumulation_steps");
    optimizer(&mut section, emission);
    match steps(emission) {
        Some((steps, reason)) => section.set("max_steps", steps, reason),
        None => section.set("num_train_epochs", 1, "passes over your data; yours to choose"),
    }
    trainer::intervals(&mut section);
    section
}

fn memory(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let mut section = Section::new(format!("Layout: {}", words::layout_title(layout, gpus)));
    section.set(half(job.workload.precision), "true", "precision of your question");
    let again = layout.recompute == Recompute::Full;
    let reason = recompute_reason(again, emission);
    section.set("disable_gradient_checkpointing", (!again).to_string(), reason);
    let (kernel, reason) = match layout.attention {
        Attention::Flash => ("fa2", "scores never reach memory; needs flash-attn"),
        Attention::Unfused => ("disabled", "scores in memory, as the plan says"),
    };
    section.set("flash_attn", kernel, reason);
    let reason = if layout.fused_lm_head {
        "no logits tensor, as the plan says; needs liger-kernel"
    } else {
        "its loss would have no logits; the plan has them"
    };
    section.set("enable_liger_kernel", layout.fused_lm_head.to_string(), reason);
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
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let (count, _) = nodes(gpus, job.hardware.gpus_per_node).unwrap_or((1, 1));
    let mut section = Section::new(format!("{}, sharded", plural(gpus.into(), "GPU", "GPUs")));
    let gathered = if layout.zero_stage == 3 {
        "weights are gathered again for the backward pass"
    } else {
        "weights stay after the forward pass"
    };
    let quantized = job.workload.quantized_base();
    let loading = if quantized { "4-bit weights are made on every rank" } else { "rank 0 alone reads the checkpoint" };
    for (key, value, reason) in [
        ("compute_environment", "LOCAL_MACHINE".to_owned(), "no cloud of accelerate's"),
        ("distributed_type", "FSDP".to_owned(), "shards weights, gradients and optimizer"),
        ("mixed_precision", half(job.workload.precision).to_owned(), "as in llamafactory.yaml"),
        ("num_machines", count.to_string(), "nodes"),
        ("num_processes", gpus.to_string(), "GPUs of all nodes"),
        ("machine_rank", "0".to_owned(), "the first node; the command line says another's"),
        ("main_training_function", "main".to_owned(), "accelerate asks for it"),
        ("rdzv_backend", "static".to_owned(), "nodes meet at the first"),
        ("same_network", "true".to_owned(), "nodes reach each other"),
        ("fsdp_config.fsdp_version", "2".to_owned(), "shards by parameter"),
        ("fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP".to_owned(), "layer by layer"),
        ("fsdp_config.fsdp_reshard_after_forward", (layout.zero_stage == 3).to_string(), gathered),
        (
            "fsdp_config.fsdp_offload_params",
            layout.offload.parameters.to_string(),
            offload_reason(layout.offload.parameters),
        ),
        ("fsdp_config.fsdp_cpu_ram_efficient_loading", (!quantized).to_string(), loading),
        (
            "fsdp_config.fsdp_state_dict_type",
            "FULL_STATE_DICT".to_owned(),
            "saves weights that other programs can load",
        ),
    ] {
        section.set(key, value, reason);
    }
    section
}
