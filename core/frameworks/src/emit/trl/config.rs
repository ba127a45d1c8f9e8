//! `accelerate_config.yaml`: processes, and FSDP2 or `DeepSpeed`.

use super::super::Emission;
use super::super::text::Section;
use super::super::words::{layout_title, plural};
use super::machines;
use crate::emit::choices::{accumulation, kept_reason, zero_reason};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::{Backend, Precision};
use shardwise_rules::pools;

pub(super) fn sections(emission: &Emission) -> Vec<Section> {
    let (layout, (gpus, _)) = (&emission.plan.layout, pools(emission.job));
    let own = match layout.backend {
        Backend::Deepspeed => deepspeed(emission),
        _ => fsdp(emission),
    };
    vec![launcher(emission, gpus), own, parallelism(layout, gpus)]
}

fn launcher(emission: &Emission, gpus: u32) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new(format!("Processes: {}", layout_title(layout, gpus)));
    section.set("compute_environment", "LOCAL_MACHINE", "your own nodes");
    let (kind, reason) = match layout.backend {
        Backend::Deepspeed => ("DEEPSPEED", "ZeRO, from the plan"),
        _ => ("FSDP", "from the plan"),
    };
    section.set("distributed_type", kind, reason);
    let half = if job.workload.precision == Precision::Fp16 { "fp16" } else { "bf16" };
    section.set("mixed_precision", half, "precision of your question");
    section.set("num_machines", machines(emission), "nodes that train");
    section.set("num_processes", gpus, format!("{} that train, over all nodes", plural(gpus.into(), "GPU", "GPUs")));
    section.set("rdzv_backend", "static", "each node is told its rank");
    section.set("same_network", "true", "the nodes reach each other");
    section
}

fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn fsdp(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("FSDP2");
    let mut set = |key: &str, value: &str, reason: &str| {
        section.set(format!("fsdp_config.fsdp_{key}"), value, reason);
    };
    set("version", "2", "fully_shard");
    set("auto_wrap_policy", "TRANSFORMER_BASED_WRAP", "one unit per layer");
    let three = layout.zero_stage >= 3;
    let reason = if three {
        "ZeRO 3: a layer's weights are given back after its forward pass"
    } else {
        "ZeRO 2: weights are gathered once a step"
    };
    set("reshard_after_forward", truth(three), reason);
    let reason = if layout.offload.parameters {
        "weights, gradients and optimizer live in host memory; the step runs there"
    } else {
        "the states stay on the GPUs"
    };
    set("offload_params", truth(layout.offload.parameters), reason);
    let full = layout.recompute == Recompute::Full;
    let reason =
        if full { "each layer again from its input: far fewer activations" } else { kept_reason(emission.answer.fits) };
    set("activation_checkpointing", truth(full), reason);
    if full && layout.offload.activations {
        set("activation_checkpointing_offload", "true", "the layers' inputs wait in host memory");
    }
    set("cpu_ram_efficient_loading", "true", "one process per node reads the weights");
    set("state_dict_type", "FULL_STATE_DICT", "saves weights that other programs can load");
    section
}

fn deepspeed(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("DeepSpeed");
    let mut set = |key: &str, value: &str, reason: &str| {
        section.set(format!("deepspeed_config.{key}"), value, reason);
    };
    let stage = layout.zero_stage;
    set("zero_stage", &stage.to_string(), zero_reason(stage));
    let place = |away: bool| if away { "cpu" } else { "none" };
    let offload = layout.offload;
    let reason = if offload.optimizer {
        "master weights, moments and gradients live in host memory; the step runs there"
    } else {
        "stays on the GPUs"
    };
    set("offload_optimizer_device", place(offload.optimizer), reason);
    let reason = if offload.parameters {
        "weights live in host memory; each layer crosses PCIe when needed"
    } else {
        "stay on the GPUs"
    };
    set("offload_param_device", place(offload.parameters), reason);
    set("gradient_accumulation_steps", &accumulation(emission).to_string(), "as in train.sh");
    set("gradient_clipping", "1.0", "the trainer's own");
    let three = stage == 3;
    let reasons = if three {
        ["loads the model in shards", "saves weights that other programs can load"]
    } else {
        ["only ZeRO 3 shards weights", "only ZeRO 3 must gather them"]
    };
    set("zero3_init_flag", truth(three), reasons[0]);
    set("zero3_save_16bit_model", truth(three), reasons[1]);
    set("deepspeed_multinode_launcher", "standard", "each node starts its own processes");
    section
}

/// Hybrid shards and split sequences.
fn parallelism(layout: &Layout, gpus: u32) -> Section {
    let mut section = Section::new("Groups of GPUs");
    let (cp, sp) = (layout.context_parallel, layout.ulysses_parallel);
    let hybrid = layout.backend == Backend::Fsdp && layout.zero_stage >= 3 && layout.shard_group < gpus;
    if cp == 1 && sp == 1 && !hybrid {
        return section;
    }
    let mut set = |key: &str, value: String, reason: &str| {
        section.set(format!("parallelism_config.parallelism_config_{key}"), value, reason);
    };
    let group = if hybrid { layout.shard_group } else { gpus };
    set("dp_replicate_size", (gpus / group.max(1)).to_string(), "copies of the states");
    set(
        "dp_shard_size",
        (group / (cp * sp).max(1)).to_string(),
        "GPUs that share a copy, each with sequences of its own",
    );
    if cp > 1 {
        set("cp_size", cp.to_string(), "GPUs that split each sequence, by ring attention");
        set("cp_comm_strategy", "alltoall".to_owned(), "keys and values go round the ring");
    }
    if sp > 1 {
        set("sp_size", sp.to_string(), "GPUs that split each sequence, by exchanging heads");
        set("sp_backend", "deepspeed".to_owned(), "the one that does it");
        set("sp_seq_length_is_variable", "true".to_owned(), "batches differ in length");
        set("sp_attn_implementation", "flash_attention_2".to_owned(), "as in train.sh");
    }
    section
}
