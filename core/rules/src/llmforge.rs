//! LLMForge, as its last templates have it: full fine-tuning and LoRA with `DeepSpeed`'s ready-made configurations.

use super::{Path, Rules};
use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, Recompute};
use shardwise_question::wire::{Backend, Precision, WorkloadKind};

/// The GPUs that LLMForge names, by the catalog's ids
/// (<https://github.com/anyscale/templates>, `templates/fine-tune-llm_v2` before its removal).
const ACCELERATORS: &[(&str, &str)] = &[
    ("a10g", "A10G"),
    ("l4", "L4"),
    ("a100-sxm-40g", "A100-40G"),
    ("a100-pcie-40g", "A100-40G"),
    ("a100-sxm-80g", "A100-80G"),
    ("a100-pcie-80g", "A100-80G"),
    ("h100-sxm", "H100"),
    ("h100-pcie", "H100"),
];

/// The name of a GPU as a Ray resource, where LLMForge has one.
pub fn accelerator(job: &Job) -> Option<&'static str> {
    let known = ACCELERATORS.iter().find(|(id, _)| *id == job.hardware.gpu);
    known.map(|(_, name)| *name)
}

/// The GPUs that a Ray resource names, by the catalog's ids.
pub fn accelerators(name: &str) -> Vec<&'static str> {
    let own = ACCELERATORS.iter().filter(|(_, own)| *own == name);
    own.map(|(id, _)| *id).collect()
}

/// LLMForge's `DeepSpeed` configuration that lays a plan out, where one does.
pub fn configuration(layout: &Layout, gpus: u32) -> Option<&'static str> {
    let offload = layout.offload;
    let plus = layout.zero_plus;
    let other = layout.nvme_offload || plus.quantized_weights || plus.quantized_gradients;
    if layout.shard_group < gpus || other {
        return None;
    }
    Some(match (layout.zero_stage, offload.optimizer, offload.parameters) {
        (3, false, false) if plus.partition_size == 8 => "zero_3_hpz.json",
        _ if plus.partition_size > 1 => return None,
        (2, false, false) => "zero_2.json",
        (3, false, false) => "zero_3.json",
        (3, true, false) => "zero_3_offload_optim.json",
        (3, true, true) => "zero_3_offload_optim+param.json",
        _ => return None,
    })
}

/// What LLMForge has no words for.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let (layout, workload, gpus) = (&plan.layout, &job.workload, job.hardware.gpus);
    rules.require(matches!(workload.kind, WorkloadKind::Sft | WorkloadKind::Lora), "workload.kind", || {
        "LLMForge fine-tunes, with all weights or with LoRA. Choose sft or lora.".to_owned()
    });
    rules.require(accelerator(job).is_some(), "hardware.gpu", || {
        "LLMForge runs on A10G, L4, A100 and H100. Choose one of these, or take DeepSpeed's flags.".to_owned()
    });
    rules.require(layout.backend == Backend::Deepspeed, "plan.backend", || {
        "LLMForge trains with DeepSpeed. Set the backend to deepspeed, or leave it to the search.".to_owned()
    });
    rules.require(workload.precision == Precision::Bf16, "workload.precision", || {
        "LLMForge trains in bf16. Choose it.".to_owned()
    });
    for (name, size) in [
        ("tensor_parallel", layout.tensor_parallel),
        ("pipeline_parallel", layout.pipeline_parallel),
        ("context_parallel", layout.context_parallel),
        ("ulysses_parallel", layout.ulysses_parallel),
        ("expert_parallel", layout.expert_parallel),
    ] {
        rules.require(size == 1, Path("").of(name), || format!("LLMForge shards by ZeRO alone. Set {name} to 1."));
    }
    rules.require(
        configuration(layout, gpus).is_some(),
        "plan.zero_stage",
        || {
            "LLMForge's configurations are ZeRO 2, ZeRO 3, ZeRO 3 with zero_hpz_partition_size 8, and ZeRO 3 with the optimizer, or optimizer and parameters, offloaded. Choose one of these."
                .to_owned()
        },
    );
    rules.require(matches!(layout.recompute, Recompute::None | Recompute::Full), "plan.recompute", || {
        "LLMForge recomputes whole layers or nothing. Set it to full or none.".to_owned()
    });
    let MicroBatch::Sequences(micro) = layout.micro_batch else {
        rules.refuse("plan.max_tokens_per_gpu", "LLMForge counts sequences. Give micro_batch instead.");
        return rules.0;
    };
    let per_step = micro.saturating_mul(u64::from(gpus));
    rules.divides(per_step, workload.global_batch, "workload.global_batch", || {
        format!("{} sequences are no multiple of {per_step}, one micro-batch on every GPU.", workload.global_batch)
    });
    rules.0
}
