//! LLaMA-Factory 0.9.5: pre-training and fine-tuning with `DeepSpeed`, FSDP2 or plain data parallelism.

use super::{Path, Rules};
use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Backend, Precision};

/// What LLaMA-Factory refuses, or has no words for.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let layout = &plan.layout;
    rules.fine_tunes(job.workload.kind, "LLaMA-Factory");
    for (name, size) in [
        ("tensor_parallel", layout.tensor_parallel),
        ("context_parallel", layout.context_parallel),
        ("ulysses_parallel", layout.ulysses_parallel),
        ("expert_parallel", layout.expert_parallel),
        ("expert_tensor_parallel", layout.expert_tensor_parallel),
    ] {
        rules.require(size == 1, Path("").of(name), || {
            format!("LLaMA-Factory's Trainer splits no model, only data. Set {name} to 1.")
        });
    }
    if layout.backend == Backend::Deepspeed {
        rules.0.extend(super::deepspeed(job, plan));
        return rules.0;
    }
    rules.require(layout.backend != Backend::Megatron, "plan.backend", || {
        "LLaMA-Factory's Megatron adapter is another program. Set the backend to deepspeed, fsdp or ddp.".into()
    });
    rules.trainer(layout, job);
    rules.require(matches!(job.workload.precision, Precision::Bf16 | Precision::Fp16), "workload.precision", || {
        "LLaMA-Factory is laid out in bf16 or fp16 here. Choose one of these.".into()
    });
    if layout.backend == Backend::Fsdp {
        rules.require(matches!(layout.zero_stage, 2 | 3), "plan.zero_stage", || {
            "FSDP2 shards weights (3), or gathers them once a step (2). Set zero_stage to 3.".into()
        });
        let gpus = job.hardware.gpus;
        rules.require(layout.shard_group == gpus, "plan.shard_group", || {
            format!("LLaMA-Factory shards over all GPUs. Set shard_group to {gpus}.")
        });
    }
    rules.require(!layout.offload.activations, "plan.offload.activations", || {
        "LLaMA-Factory's key for it is for one GPU. Use recompute instead.".into()
    });
    rules.0
}
