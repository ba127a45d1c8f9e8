//! `accelerate_config.yaml`: processes, and FSDP2, `DeepSpeed` or neither.

use std::fmt::Display;

use super::super::Emission;
use super::super::text::Section;
use super::super::words::{layout_title, plural};
use super::machines;
use crate::emit::choices::{accumulation, half, recompute_reason, zero_reason};
use crate::emit::kernel;
use shardwise_question::job::Job;
use shardwise_question::plan::Recompute;
use shardwise_question::wire::Backend;
use shardwise_rules::pools;

pub(super) fn sections(emission: &Emission) -> Vec<Section> {
    let (layout, (gpus, _)) = (&emission.plan.layout, pools(emission.job));
    let own = match layout.backend {
        Backend::Deepspeed => Some(deepspeed(emission)),
        Backend::Fsdp => Some(fsdp(emission)),
        // The processes are all that plain data parallelism needs.
        _ => None,
    };
    [Some(launcher(emission, gpus)), own, Some(parallelism(emission, gpus))]
        .into_iter()
        .flatten()
        .collect()
}

fn launcher(emission: &Emission, gpus: u32) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new(format!("Processes: {}", layout_title(layout, gpus)));
    section.set("compute_environment", "LOCAL_MACHINE", "your own nodes");
    let (kind, reason) = match layout.backend {
        Backend::Deepspeed => ("DEEPSPEED", "ZeRO, from the plan"),
        Backend::Fsdp => ("FSDP", "from the plan"),
        // Quoted: a bare NO is YAML's false.
        _ if gpus == 1 => ("'NO'", "one process, which shares nothing"),
        _ => (processes(job), "plain data parallelism, from the plan"),
    };
    section.set("distributed_type", kind, reason);
    section.set("mixed_precision", half(job.workload.precision), "precision of your question");
    section.set("num_machines", machines(emission), "nodes that train");
    let reason = match gpus {
        1 => "the GPU that trains".to_owned(),
        _ => format!("{} that train, over all nodes", plural(gpus.into(), "GPU", "GPUs")),
    };
    section.set("num_processes", gpus, reason);
    section.set("rdzv_backend", "static", "each node is told its rank");
    section.set("same_network", "true", "the nodes reach each other");
    section
}

/// Accelerate's word for several processes on these cards (1.15.0, `utils/dataclasses.py`, `DistributedType`).
fn processes(job: &Job) -> &'static str {
    match job.hardware.vendor() {
        Some("huawei") => "MULTI_NPU",
        Some("intel") => "MULTI_HPU",
        _ => "MULTI_GPU",
    }
}

fn fsdp(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("FSDP2");
    section.set("fsdp_config.fsdp_version", 2, "fully_shard");
    section.set("fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP", "one unit per layer");
    let three = layout.zero_stage >= 3;
    let reason = if three {
        "ZeRO 3: a layer's weights are given back after its forward pass"
    } else {
        "ZeRO 2: weights are gathered once a step"
    };
    section.set("fsdp_config.fsdp_reshard_after_forward", three, reason);
    let reason = if layout.offload.parameters {
        "weights, gradients and optimizer live in host memory; the step runs there"
    } else {
        "the states stay on the GPUs"
    };
    section.set("fsdp_config.fsdp_offload_params", layout.offload.parameters, reason);
    let full = layout.recompute == Recompute::Full;
    section.set("fsdp_config.fsdp_activation_checkpointing", full, recompute_reason(full, emission));
    if full && layout.offload.activations {
        let reason = "the layers' inputs wait in host memory";
        section.set("fsdp_config.fsdp_activation_checkpointing_offload", "true", reason);
    }
    section.set("fsdp_config.fsdp_cpu_ram_efficient_loading", "true", "one process per node reads the weights");
    section.set("fsdp_config.fsdp_state_dict_type", "FULL_STATE_DICT", "saves weights that other programs can load");
    section
}

fn deepspeed(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let (stage, offload) = (layout.zero_stage, layout.offload);
    let mut section = Section::new("DeepSpeed");
    section.set("deepspeed_config.zero_stage", stage, zero_reason(stage));
    let (place, reason) = if offload.optimizer || layout.steps_with_gradients() {
        ("cpu", "master weights, moments and gradients live in host memory; the step runs there")
    } else {
        ("none", "stays on the GPUs")
    };
    section.set("deepspeed_config.offload_optimizer_device", place, reason);
    let (place, reason) = if offload.parameters {
        ("cpu", "weights live in host memory; each layer crosses PCIe when needed")
    } else {
        ("none", "stay on the GPUs")
    };
    section.set("deepspeed_config.offload_param_device", place, reason);
    section.set("deepspeed_config.gradient_accumulation_steps", accumulation(emission), "as in train.sh");
    section.set("deepspeed_config.gradient_clipping", "1.0", "the trainer's own");
    let three = stage == 3;
    let [loads, saves] = if three {
        ["loads the model in shards", "saves weights that other programs can load"]
    } else {
        ["only ZeRO 3 shards weights", "only ZeRO 3 must gather them"]
    };
    section.set("deepspeed_config.zero3_init_flag", three, loads);
    section.set("deepspeed_config.zero3_save_16bit_model", three, saves);
    section.set("deepspeed_config.deepspeed_multinode_launcher", "standard", "each node starts its own processes");
    section
}

/// Hybrid shards and split sequences.
fn parallelism(emission: &Emission, gpus: u32) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Groups of GPUs");
    let (cp, sp) = (layout.context_parallel, layout.ulysses_parallel);
    let hybrid = layout.backend == Backend::Fsdp && layout.zero_stage >= 3 && layout.shard_group < gpus;
    if cp == 1 && sp == 1 && !hybrid {
        return section;
    }
    let mut set = |key: &str, value: &dyn Display, reason: &str| {
        section.set(format!("parallelism_config.parallelism_config_{key}"), value, reason);
    };
    let group = if hybrid { layout.shard_group } else { gpus };
    set("dp_replicate_size", &(gpus / group.max(1)), "copies of the states");
    set("dp_shard_size", &(group / (cp * sp).max(1)), "GPUs that share a copy, each with sequences of its own");
    if cp > 1 {
        set("cp_size", &cp, "GPUs that split each sequence, by ring attention");
        set("cp_comm_strategy", &"alltoall", "keys and values go round the ring");
    }
    if sp > 1 {
        set("sp_size", &sp, "GPUs that split each sequence, by exchanging heads");
        set("sp_backend", &"deepspeed", "the one that does it");
        set("sp_seq_length_is_variable", &true, "batches differ in length");
        let (word, _) = kernel::named(emission.job, layout, "");
        set("sp_attn_implementation", &word, "as in train.sh");
    }
    section
}
