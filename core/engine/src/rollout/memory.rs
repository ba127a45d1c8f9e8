//! What an engine holds: weights, keys and values, working memory.

use crate::blocks::{Block, Mixer};
use crate::weights::NF4_BYTES;
use shardwise_catalog::model::{Model, Released};
use shardwise_catalog::units::Bytes;
use shardwise_question::job::Job;
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::{KvCacheDtype, Precision};

/// Bytes of keys and values of one token in all layers, on one GPU of a tensor-parallel engine; blocks of them waste
/// next to nothing (vLLM, arXiv:2309.06180, section 4).
#[must_use]
pub fn cache_bytes_per_token(model: &Model, blocks: &[Block], tensor_parallel: u32, dtype: KvCacheDtype) -> f64 {
    let shape = &model.shape;
    let layers: u64 = blocks
        .iter()
        .filter(|block| block.mixer.attends())
        .map(|block| block.count)
        .sum();
    let width = if shape.is_mla() {
        // The latent is not split: every GPU of the engine holds it (vLLM's MLA attention).
        (shape.kv_lora_rank + shape.qk_rope_head_dim) as f64
    } else {
        (2 * shape.head_dim) as f64 * (shape.num_key_value_heads as f64 / f64::from(tensor_parallel)).max(1.0)
    };
    let bytes = match dtype {
        KvCacheDtype::Auto => 2.0,
        KvCacheDtype::Fp8 => 1.0,
    };
    bytes * width * layers as f64
}

/// Bytes that recurrent blocks keep of one sequence, however long, on one GPU of a tensor-parallel engine: the state of each head in
/// fp32, and the last inputs of the convolution in 16 bits.
///
/// vLLM's shapes (`model_executor/layers/mamba/mamba_utils.py`, `gated_delta_net_state_shape` and `mamba2_state_shape`), which are
/// `SGLang`'s (`srt/configs/mamba_utils.py`). fp32 is what Nemotron's and Qwen3.5's configurations ask for, and `SGLang`'s default.
#[must_use]
pub fn state_bytes_per_sequence(model: &Model, blocks: &[Block], tensor_parallel: u32) -> f64 {
    let (linear, mamba) = (&model.shape.linear, &model.shape.mamba);
    let bytes = |state: u64, inputs: u64, kernel: u64| (4 * state + 2 * inputs * kernel.saturating_sub(1)) as f64;
    let own = |mixer: Mixer| match mixer {
        Mixer::DeltaNet => {
            let state = linear.values() * linear.key_head_dim;
            bytes(state, 2 * linear.keys() + linear.values(), linear.conv_kernel)
        }
        Mixer::Mamba => {
            let inner = mamba.num_heads * mamba.head_dim;
            bytes(inner * mamba.state_size, inner + 2 * mamba.n_groups * mamba.state_size, mamba.conv_kernel)
        }
        Mixer::Attention | Mixer::Window | Mixer::None => 0.0,
    };
    let all: f64 = blocks.iter().map(|block| own(block.mixer) * block.count as f64).sum();
    all / f64::from(tensor_parallel)
}

pub(super) fn weight_bytes(precision: Precision) -> f64 {
    match precision {
        Precision::Bf16 | Precision::Fp16 => 2.0,
        Precision::Fp8 | Precision::Mxfp8 => 1.0,
        Precision::Nvfp4 => 0.56,
    }
}

/// As what an engine's weights are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// As they are published.
    Released,
    /// As they are trained.
    Trained,
    /// As the trainer's base in 4 bits, which they are.
    InFourBits,
}

impl Kept {
    /// Those of a job's engine.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        match job.workload.rl {
            None => Self::Released,
            Some(_) if job.shares_base() && job.workload.quantized_base() => Self::InFourBits,
            Some(_) => Self::Trained,
        }
    }

    /// What the model is published as, where they are that.
    fn released(self, model: &Model) -> Option<&Released> {
        model.reading.released.as_ref().filter(|_| self == Self::Released)
    }
}

/// Bytes of a weight that is no expert's: as it is published where it is `kept` so, else as the plan has it.
pub(crate) fn dense_weight_bytes(model: &Model, precision: Precision, kept: Kept) -> f64 {
    if kept == Kept::InFourBits {
        return NF4_BYTES;
    }
    let own = kept.released(model);
    own.map_or(f64::INFINITY, |own| own.dense_bytes).min(weight_bytes(precision))
}

/// Bytes of an expert's weight: mxfp4 (4 bits and a scale of 8 per 32, OCP Microscaling Formats 1.0) where the model
/// is published so, else as the other weights.
pub(crate) fn expert_weight_bytes(model: &Model, precision: Precision, kept: Kept) -> f64 {
    let own = kept.released(model);
    let published = own.map_or(f64::INFINITY, |own| own.expert_bytes).min(weight_bytes(precision));
    if kept == Kept::Released && model.shape.mxfp4_experts { published.min(0.53125) } else { published }
}

/// Weights of one GPU of the engine, which serves the model as it is published or trained. Where they are the trainer's frozen
/// base (Unsloth), the card has them once: they count here while the engine generates, and as training's else.
#[must_use]
pub fn engine_weights(model: &Model, plan: &RolloutPlan, kept: Kept) -> Bytes {
    let counts = &model.parameters;
    let outer = (counts.embedding + counts.lm_head) as f64;
    let experts = (counts.expert * counts.expert_layers * model.shape.num_experts) as f64;
    let inner = counts.total as f64 - outer - experts;
    let dense = inner * dense_weight_bytes(model, plan.precision, kept) + outer * 2.0;
    // Data-parallel attention repeats the dense weights; experts are split over all GPUs of the engine, whole or not.
    Bytes::new(
        dense / f64::from(plan.tensor_parallel)
            + experts * expert_weight_bytes(model, plan.precision, kept) / f64::from(plan.gpus()),
    )
}

/// Sequences whose logits vLLM sets memory aside for at most: its default `max_num_seqs` on large cards.
const SAMPLED: u64 = 1024;

/// Sequences whose logits an engine sets memory aside for.
pub fn sampled(plan: &RolloutPlan) -> f64 {
    plan.max_num_seqs.min(plan.max_num_batched_tokens).min(SAMPLED) as f64
}

/// Memory of the engine beside weights and cache, for one GPU: activations of `max_num_batched_tokens` (residual
/// stream, norm and projections; gate, up and their product), logits in 16 and 32 bits, CUDA graphs, buffers.
///
/// vLLM measures the same in a trial run before it sizes its cache (`gpu_worker.py`, `determine_available_memory`);
/// graphs and buffers are assumed.
#[must_use]
pub fn workspace(model: &Model, plan: &RolloutPlan) -> Bytes {
    let shape = &model.shape;
    let tokens = plan.max_num_batched_tokens.min(1 << 20) as f64;
    let ffn = if shape.num_experts > 0 {
        shape.moe_intermediate_size * shape.num_experts_per_tok
    } else {
        shape.intermediate_size
    };
    let split = f64::from(plan.tensor_parallel);
    let activations = 2.0 * tokens * (4.0 * shape.hidden_size as f64 + 3.0 * ffn as f64 / split);
    let logits = 6.0 * sampled(plan) * shape.vocab_size as f64;
    Bytes::new(activations + logits) + Bytes::from_gib(0.5) + graphs(plan)
}

/// Memory that an engine sets aside for the vision tower at work on the largest image that its processor lets through: residual
/// stream, norm, queries, keys and values, and the MLP's inner values. vLLM's trial run encodes as large a one
/// (`vllm/v1/worker/gpu_model_runner.py`, `profile_run`).
#[must_use]
pub fn images_workspace(job: &Job, plan: &RolloutPlan) -> Bytes {
    let seen = job.workload.images.filter(|images| images.per_example > 0.0);
    let (Some(images), Some(vision)) = (seen, job.model.shape.vision) else {
        return Bytes::ZERO;
    };
    let split = f64::from(plan.tensor_parallel);
    let inner = 3.0 * vision.hidden as f64 + if vision.gated() { 3.0 } else { 2.0 } * vision.intermediate as f64;
    let patches = vision.largest(images.max_pixels).patches;
    Bytes::new(2.0 * patches * (2.0 * vision.hidden as f64 + inner / split))
}

/// CUDA graphs of an engine on one GPU. Assumed.
#[must_use]
pub fn graphs(plan: &RolloutPlan) -> Bytes {
    Bytes::from_gib(if plan.enforce_eager { 0.0 } else { 1.0 })
}
