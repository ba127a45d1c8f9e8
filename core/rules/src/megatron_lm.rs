//! Megatron-LM `core_v0.19.2`: `validate_args` and what its arguments cannot say of a model.

use super::asked::Asked;
use super::megatron_bridge::recipe;
use super::optimizer;
use super::rule::{Rule, all, backends, divides, must, no_kind, when};
use super::shared::{
    MEGATRON, NO_IMAGES, NO_PREFERENCES, NO_RL, NO_TEACHER, TRANSFORMER_ENGINE, WEIGHTS_STAY, WHOLE_NODES, positions,
};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::{Norm, QkNorm, Shape};
use shardwise_question::plan::Recompute;
use shardwise_question::wire::Backend::Megatron;
use shardwise_question::wire::Optimizer::Adamw;
use shardwise_question::wire::RecomputeModule::{self, MlaUpProj, Moe, MoeAct, SharedExperts};
use shardwise_question::wire::WorkloadKind::{Lora, Qlora, Rollout};
use shardwise_question::workload::Workload;

/// What Megatron-LM refuses, or has no argument for.
pub(crate) static RULES: &[Rule] = &[
    no_kind(&[Lora]).or("pretrain_gpt.py trains every weight and has no adapters. Take veRL's flags."),
    no_kind(&[Qlora]).or("pretrain_gpt.py trains every weight and has no adapters. Take DeepSpeed's flags."),
    NO_PREFERENCES,
    NO_RL.or("These texts of pretrain_gpt.py pre-train and fine-tune. Take veRL's flags for reinforcement learning."),
    no_kind(&[Rollout]).or("pretrain_gpt.py trains; for generation alone start vLLM or SGLang itself."),
    all(CORE),
    DOCUMENTS_ARE_JOINED,
    Rule::Odd(architecture),
    NO_IMAGES,
    NO_TEACHER,
];

/// What megatron-core 0.19.2 asks of every plan (`TransformerConfig`, `OptimizerConfig`, the schedules).
pub(crate) static CORE: &[Rule] = &[
    backends(&[Megatron]).or("Set the backend to megatron{way}."),
    WHOLE_NODES,
    Rule::Odd(|a, broken| {
        positions(a, "workload.sequence_length", false, broken);
    }),
    all(MEGATRON),
    all(TRANSFORMER_ENGINE),
    must("plan.tensor_parallel", |a| a.deals_keys(a.tp))
        .or("Neither of {kv} key and value heads and {tp} divides the other."),
    divides("plan.context_parallel", |a| (if a.cp > 1 { 2 * a.cp } else { 1 }, a.workload.sequence_length))
        .or("{length} tokens are no multiple of 2 × CP {cp}."),
    must("workload.sequence_length", |a| {
        !splits_sequences(a) || a.workload.sequence_length.is_multiple_of(a.tp * a.cp)
    })
    .or("Sequence parallelism splits {length} tokens evenly over TP {tp} × CP {cp}."),
    all(BATCH),
    all(optimizer::MEGATRON),
    all(STATES),
    must("plan.overlap.parameters", |a| {
        let overlap = a.layout.overlap;
        !overlap.parameters || overlap.gradients || a.layout.zero_stage == 0
    })
    .or("Parameters are gathered beside computation only where gradients are reduced so too. Set both."),
    must("plan.overlap.tensor_parallel", |a| !a.layout.overlap.tensor_parallel || splits_sequences(a))
        .or("Tensor-parallel communication overlaps under sequence parallelism only. Set sequence_parallel to true."),
    // Without multicast TransformerEngine's `initialize_ub` stops, unless UB_SKIPMC is set or the backend is cuBLASMp
    // (`tex.device_supports_multicast`, https://github.com/NVIDIA/TransformerEngine/blob/001597e9062a1ef9e33431cf1a844bc9c441740d/transformer_engine/pytorch/module/base.py).
    // CUDA has multicast objects from Hopper on, over NVLink's switches.
    must("plan.overlap.tensor_parallel", |a| {
        let multicasts = a.has(9.0) && a.job.hardware.nvlink_gb_per_s > 0.0;
        !a.layout.overlap.tensor_parallel || a.tp == 1 || multicasts
    })
    .or("TransformerEngine overlaps tensor-parallel communication by multicast, which cards before Hopper or without NVLink and other makers' have none of. Set overlap.tensor_parallel to false."),
    must("plan.apply_rope_fusion", |a| a.layout.switches.apply_rope_fusion)
        .or("The texts for {name} keep the fused kernel for rotary positions. Leave it out."),
    must("plan.recompute", |a| a.shape.num_experts > 0 || !recomputes(a, &[Moe, MoeAct, SharedExperts]))
        .or("The model has no experts to compute again. Leave moe, moe_act and shared_experts out."),
    must("plan.recompute", |a| a.shape.is_mla() || !recomputes(a, &[MlaUpProj]))
        .or("The model has no latent attention. Leave mla_up_proj out."),
];

fn splits_sequences(a: &Asked) -> bool {
    a.layout.sequence_parallel && a.tp > 1
}

/// Whether one of these modules is computed again.
fn recomputes(a: &Asked, wanted: &[RecomputeModule]) -> bool {
    let Recompute::Selective(modules) = a.layout.recompute else {
        return false;
    };
    wanted.iter().any(|one| modules.contains(*one))
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
pub(crate) const DOCUMENTS_ARE_JOINED: Rule = must("workload.packing", |a| a.workload.packing || !a.workload.varies())
    .or("Megatron's data set joins documents into whole sequences. Set packing to true.");

/// `num_microbatches_calculator.py` and `pipeline_parallel/schedules.py`.
static BATCH: &[Rule] = &[
    divides("workload.global_batch", |a| (a.per_pass, samples(a.workload, a.per_pass)))
        .or("{whole} sequences are no multiple of {part}, one micro-batch on every data-parallel rank."),
    must("plan.micro_batch", |a| a.counts_tokens() || !a.workload.joins())
        .or("Sequences are joined into packs of {length} tokens, of which a micro-batch takes a number. Give max_tokens_per_gpu instead, {length} or a multiple."),
    when(
        |a| a.layout.virtual_pipeline > 1,
        &[divides("plan.virtual_pipeline", |a| (a.pp, samples(a.workload, a.per_pass) / a.per_pass.max(1)))
            .or("With chunks, {whole} micro-batches must be a multiple of {part} stages.")],
    ),
];

static STATES: &[Rule] = &[
    WEIGHTS_STAY.or("Megatron keeps its weights on the GPU. Set it to false."),
    must("plan.offload.gradients", |a| !a.layout.offload.gradients)
        .or("Megatron keeps its gradients on the GPU. Set it to false."),
    must("plan.zero_stage", |a| {
        let moments = a.layout.optimizer.kind == Adamw && a.layout.optimizer_bytes < 7.5;
        let narrow = moments || a.layout.master_weights_bytes < 3.5;
        a.layout.zero_stage == 1 || !(a.layout.offload.optimizer || narrow)
    })
    .or("An optimizer in host memory or with narrow states is the distributed one. Set zero_stage to 1."),
];

/// What of a model no argument of `pretrain_gpt.py` describes, or none that the estimate covers.
fn missing(shape: &Shape) -> Option<&'static str> {
    let biases = [shape.attention_bias, shape.attention_out_bias, shape.mlp_bias];
    let known = [[false; 3], [true, false, false], [true; 3]];
    let missing = [
        (shape.vision.is_some(), "a vision tower"),
        (!shape.layer_pattern.is_empty() || shape.chunked_attention, "layers of several kinds"),
        (shape.sliding_window > 0, "sliding-window attention"),
        (shape.indexer_heads > 0, "sparse attention with an indexer"),
        (shape.attn_sinks || shape.attn_output_gate, "attention with sinks or gates"),
        (shape.qk_norm == QkNorm::Full, "norms over all heads of queries and keys"),
        (
            shape.norms_per_layer != 2 || shape.norm == Norm::LayerNoBias,
            "norms other than two a layer, of RMSNorm or LayerNorm",
        ),
        (
            shape.no_final_norm || shape.embed_norm || shape.word_embed_proj_dim > 0,
            "embeddings or a last layer of this kind",
        ),
        (!known.contains(&biases) || shape.lm_head_bias, "biases of this choice"),
        (
            shape.router_linear_bias || shape.expert_bias || shape.moe_latent_size > 0 || shape.zero_experts > 0,
            "experts of this kind",
        ),
    ];
    missing.into_iter().find_map(|(has, missing)| has.then_some(missing))
}

/// Whether arguments describe a model.
pub(super) fn describes(shape: &Shape) -> bool {
    missing(shape).is_none()
}

fn architecture(a: &Asked, broken: &mut Vec<InputError>) {
    let Some(missing) = missing(a.shape) else {
        return;
    };
    let says = if recipe(&a.job.model.id).is_some() {
        "Shardwise writes no Megatron-LM arguments for {missing}. Take Megatron-Bridge's flags, which name a recipe, or another framework's."
    } else {
        "Shardwise writes no Megatron-LM arguments for {missing}. Choose another framework."
    };
    broken.push(a.refusal("model", says, &[("missing", missing)]));
}
