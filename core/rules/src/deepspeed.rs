//! `DeepSpeed` 0.19.8: fine-tuning and pre-training with ZeRO.

use super::{Path, Rules};
use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, ZeroPlus};
use shardwise_question::task::Task;
use shardwise_question::wire::{Backend, Precision};

/// What `DeepSpeed` refuses, or accepts and ignores.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let (layout, workload) = (&plan.layout, &job.workload);
    match workload.kind.task() {
        Task::Rl(_) => rules.refuse(
            "workload.kind",
            "A ds_config.json lays out one training loop, no generation. Take veRL's or ChatLearn's flags.",
        ),
        Task::Generate => rules.refuse(
            "workload.kind",
            "DeepSpeed's configuration trains; for generation alone start vLLM or SGLang itself.",
        ),
        Task::Train => {}
    }
    rules.require(layout.backend == Backend::Deepspeed, "plan.backend", || {
        "Set the backend to deepspeed, or leave it to the search.".to_owned()
    });
    rules.require(matches!(workload.precision, Precision::Bf16 | Precision::Fp16), "workload.precision", || {
        "DeepSpeed trains in bf16 or fp16. Choose one of these.".to_owned()
    });
    rules.whole_nodes(job);
    rules.position(job, workload.sequence_length, "workload.sequence_length", true);
    parallel(&mut rules, layout, job);
    rules.whole_passes(layout, job);
    memory(&mut rules, layout, job.hardware.gpus);
    rules.require(
        !layout.zero_plus.quantized_weights || !job.workload.quantized_base(),
        "plan.zero_quantized_weights",
        || "The base is in 4 bits already. Set it to false.".to_owned(),
    );
    rules.require(!layout.offload.activations, "plan.offload.activations", || {
        "ds_config.json moves no activations of Hugging Face models. Use recompute instead.".to_owned()
    });
    rules.whole_layers(layout);
    rules.0
}

fn parallel(rules: &mut Rules, layout: &Layout, job: &Job) {
    let (gpus, shape) = (job.hardware.gpus, &job.model.shape);
    for (name, size) in [
        ("pipeline_parallel", layout.pipeline_parallel),
        ("context_parallel", layout.context_parallel),
        ("expert_parallel", layout.expert_parallel),
    ] {
        rules.require(size == 1, Path("").of(name), || {
            format!("ds_config.json has no {}. Set it to 1.", name.replace('_', " "))
        });
    }
    let (tp, sp) = (layout.tensor_parallel, layout.ulysses_parallel);
    rules.divides(u64::from(tp * sp), gpus.into(), "plan.tensor_parallel", || {
        format!("{gpus} GPUs are no multiple of TP {tp} × Ulysses {sp}.")
    });
    for (name, size) in [("tensor_parallel", tp), ("ulysses_parallel", sp)] {
        rules.divides(size.into(), shape.num_attention_heads, Path("").of(name), || {
            format!("{} attention heads cannot be split by {size}.", shape.num_attention_heads)
        });
    }
    rules.require(tp == 1 || layout.zero_stage <= 2, "plan.tensor_parallel", || {
        "DeepSpeed's tensor parallelism goes with ZeRO 0 to 2. Set tensor_parallel to 1 or zero_stage to 2.".to_owned()
    });
}

/// What ZeRO shards and moves to host memory, among `gpus`.
pub(super) fn memory(rules: &mut Rules, layout: &Layout, gpus: u32) {
    let stage = layout.zero_stage;
    rules.require(stage <= 3, "plan.zero_stage", || "ZeRO has the stages 0 to 3.".to_owned());
    rules.require(stage < 3 || layout.shard_group == gpus, "plan.shard_group", || {
        format!("DeepSpeed 0.19 shards over all GPUs (MiCS is removed). Set shard_group to {gpus}.")
    });
    rules.require(!layout.offload.parameters || stage == 3, "plan.offload.parameters", || {
        "Weights are offloaded under ZeRO 3 only. Set zero_stage to 3.".to_owned()
    });
    rules.require(!layout.offload.parameters || layout.offload.optimizer, "plan.offload.optimizer", || {
        "Where the weights are in host memory, the optimizer is too. Set it to true.".to_owned()
    });
    rules.require(!layout.offload.optimizer || stage >= 1, "plan.offload.optimizer", || {
        "The optimizer is offloaded under ZeRO 1 to 3. Set zero_stage to 1 or more.".to_owned()
    });
}

/// Refuses what only a `ds_config.json` of one's own says.
pub(super) fn host_memory_alone(rules: &mut Rules, layout: &Layout, framework: &str) {
    rules.require(!layout.nvme_offload, "plan.nvme_offload", || {
        format!("{framework}'s text offloads to host memory alone. Set it to false, or take DeepSpeed's flags.")
    });
    rules.require(layout.zero_plus == ZeroPlus::OFF, "plan.zero_hpz_partition_size", || {
        format!("{framework}'s text has no ZeRO++. Leave its fields out, or take DeepSpeed's flags.")
    });
}

/// Sequences of one micro-batch: `DeepSpeed` counts no tokens.
pub fn micro(layout: &Layout, sequence_length: u64) -> u64 {
    match layout.micro_batch {
        MicroBatch::Sequences(n) => n,
        MicroBatch::Tokens(n) => (n.saturating_mul(layout.sequence_split().into()) / sequence_length.max(1)).max(1),
    }
}
