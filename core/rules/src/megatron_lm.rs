//! Megatron-LM `core_v0.16.1`: `validate_args` and what its arguments cannot say of a model.

use super::deepspeed::micro;
use super::{Path, Rules};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::{Norm, QkNorm, Shape};
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, Recompute};
use shardwise_question::task::Task;
use shardwise_question::wire::{Backend, RecomputeModule, WorkloadKind};
use shardwise_question::workload::Workload;

/// What Megatron-LM refuses, or has no argument for.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    match job.workload.kind {
        WorkloadKind::Lora | WorkloadKind::Qlora => rules.refuse(
            "workload.kind",
            "pretrain_gpt.py trains every weight and has no adapters. Take Megatron-Bridge's or veRL's flags.",
        ),
        kind => trains(&mut rules, kind, "pretrain_gpt.py"),
    }
    core(&mut rules, job, &plan.layout);
    joined(&mut rules, &job.workload);
    architecture(&mut rules, &job.model.shape);
    rules.0
}

/// Refuses what only generates, or generates too.
pub(super) fn trains(rules: &mut Rules, kind: WorkloadKind, name: &str) {
    match kind.task() {
        Task::Rl(_) => rules.refuse(
            "workload.kind",
            format!("These texts of {name} pre-train and fine-tune. Take veRL's or ChatLearn's flags for reinforcement learning."),
        ),
        Task::Generate => rules.refuse(
            "workload.kind",
            format!("{name} trains; for generation alone start vLLM or SGLang itself."),
        ),
        Task::Train => {}
    }
}

/// What megatron-core 0.16.1 asks of every plan (`TransformerConfig`, `OptimizerConfig`, the schedules).
pub(super) fn core(rules: &mut Rules, job: &Job, layout: &Layout) {
    let (shape, workload, gpus) = (&job.model.shape, &job.workload, job.hardware.gpus);
    rules.require(layout.backend == Backend::Megatron, "plan.backend", || {
        "Set the backend to megatron, or leave it to the search.".to_owned()
    });
    rules.whole_nodes(job);
    rules.position(job, workload.sequence_length, "workload.sequence_length", false);
    rules.megatron(&Path(""), layout, shape, gpus);
    let (tp, cp, sequence) =
        (u64::from(layout.tensor_parallel), u64::from(layout.context_parallel), workload.sequence_length);
    let groups = shape.num_key_value_heads;
    let even = groups == 0 || shape.is_mla() || groups.is_multiple_of(tp.max(1)) || tp.is_multiple_of(groups);
    rules.require(even, "plan.tensor_parallel", || {
        format!("Neither of {groups} key and value heads and {tp} divides the other.")
    });
    let parts = if cp > 1 { 2 * cp } else { 1 };
    rules.divides(parts, sequence, "plan.context_parallel", || {
        format!("{sequence} tokens are no multiple of 2 × CP {cp}.")
    });
    let split = layout.sequence_parallel && tp > 1;
    rules.require(!split || sequence.is_multiple_of(tp * cp), "workload.sequence_length", || {
        format!("Sequence parallelism splits {sequence} tokens evenly over TP {tp} × CP {cp}.")
    });
    batch(rules, job, layout);
    states(rules, layout);
    let overlap = layout.overlap;
    rules.require(
        !overlap.parameters || overlap.gradients || layout.zero_stage == 0,
        "plan.overlap.parameters",
        || "Parameters are gathered beside computation only where gradients are reduced so too. Set both.".to_owned(),
    );
    rules.require(!overlap.tensor_parallel || split, "plan.overlap.tensor_parallel", || {
        "Tensor-parallel communication overlaps under sequence parallelism only. Set sequence_parallel to true."
            .to_owned()
    });
    if let Recompute::Selective(modules) = layout.recompute {
        let expert = [RecomputeModule::Moe, RecomputeModule::MoeAct, RecomputeModule::SharedExperts];
        let some = |wanted: &[RecomputeModule]| wanted.iter().any(|one| modules.contains(*one));
        rules.require(shape.num_experts > 0 || !some(&expert), "plan.recompute", || {
            "The model has no experts to compute again. Leave moe, moe_act and shared_experts out.".to_owned()
        });
        rules.require(shape.is_mla() || !some(&[RecomputeModule::MlaUpProj]), "plan.recompute", || {
            "The model has no latent attention. Leave mla_up_proj out.".to_owned()
        });
    }
}

/// Samples of an optimizer step as Megatron's data sets count them: sequences, or as many packs as hold them, a
/// multiple of `step`, the samples of one pass on every rank.
pub fn samples(workload: &Workload, step: u64) -> u64 {
    if !workload.joins() {
        return workload.global_batch;
    }
    let tokens = workload.mean_sequence_length * workload.global_batch as f64;
    let packs = (tokens / workload.sequence_length.max(1) as f64).ceil();
    (packs.max(1.0) as u64).next_multiple_of(step.max(1))
}

/// Its data set for pre-training has no padding.
pub(super) fn joined(rules: &mut Rules, workload: &Workload) {
    rules.require(workload.packing || !workload.varies(), "workload.packing", || {
        "Megatron's data set joins documents into whole sequences. Set packing to true.".to_owned()
    });
}

/// `num_microbatches_calculator.py` and `pipeline_parallel/schedules.py`.
fn batch(rules: &mut Rules, job: &Job, layout: &Layout) {
    let (workload, gpus) = (&job.workload, job.hardware.gpus);
    let ranks = u64::from(layout.data_parallel(gpus));
    let step = micro(layout, workload.sequence_length).saturating_mul(ranks);
    let samples = samples(workload, step);
    rules.divides(step, samples, "workload.global_batch", || {
        format!("{samples} sequences are no multiple of {step}, one micro-batch on every data-parallel rank.")
    });
    let counted = matches!(layout.micro_batch, MicroBatch::Sequences(_));
    let length = workload.sequence_length;
    rules.require(!(counted && workload.joins()), "plan.micro_batch", || {
        format!("Sequences are joined into packs of {length} tokens, of which a micro-batch takes a number. Give max_tokens_per_gpu instead, {length} or a multiple.")
    });
    let (stages, passes) = (u64::from(layout.pipeline_parallel), samples / step.max(1));
    let interleaved = layout.virtual_pipeline > 1;
    rules.require(!interleaved || passes.is_multiple_of(stages.max(1)), "plan.virtual_pipeline", || {
        format!("With chunks, {passes} micro-batches must be a multiple of {stages} stages.")
    });
}

fn states(rules: &mut Rules, layout: &Layout) {
    let offload = layout.offload;
    rules.require(!offload.parameters, "plan.offload.parameters", || {
        "Megatron keeps its weights on the GPU. Set it to false.".to_owned()
    });
    rules.require(!offload.gradients, "plan.offload.gradients", || {
        "Megatron keeps its gradients on the GPU. Set it to false.".to_owned()
    });
    let narrow = layout.optimizer_bytes < 7.5 || layout.master_weights_bytes < 3.5;
    rules.require(layout.zero_stage == 1 || !(offload.optimizer || narrow), "plan.zero_stage", || {
        "An optimizer in host memory or with narrow states is the distributed one. Set zero_stage to 1.".to_owned()
    });
}

/// What no argument of `pretrain_gpt.py` describes, or none that the estimate covers.
fn architecture(rules: &mut Rules, shape: &Shape) {
    let biases = [shape.attention_bias, shape.attention_out_bias, shape.mlp_bias];
    let known = [[false; 3], [true, false, false], [true; 3]];
    let missing = if shape.vision.is_some() {
        "a vision tower"
    } else if !shape.layer_pattern.is_empty() || shape.chunked_attention {
        "layers of several kinds"
    } else if shape.sliding_window > 0 {
        "sliding-window attention"
    } else if shape.indexer_heads > 0 {
        "sparse attention with an indexer"
    } else if shape.attn_sinks || shape.attn_output_gate {
        "attention with sinks or gates"
    } else if shape.qk_norm == QkNorm::Full {
        "norms over all heads of queries and keys"
    } else if shape.norms_per_layer != 2 || shape.norm == Norm::LayerNoBias {
        "norms other than two a layer, of RMSNorm or LayerNorm"
    } else if shape.no_final_norm || shape.embed_norm || shape.word_embed_proj_dim > 0 {
        "embeddings or a last layer of this kind"
    } else if !known.contains(&biases) || shape.lm_head_bias {
        "biases of this choice"
    } else if shape.router_linear_bias || shape.expert_bias || shape.moe_latent_size > 0 {
        "experts of this kind"
    } else {
        return;
    };
    rules.refuse(
        "model",
        format!(
            "Shardwise writes no Megatron-LM arguments for {missing}. Take Megatron-Bridge's flags, which name a recipe, or another framework's."
        ),
    );
}
