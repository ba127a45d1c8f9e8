//! How many weights low-rank adapters add.

use super::matrices::linear_attention_sizes;
use super::parameters::mlp_matrix_count;
use super::{ParameterCounts, Shape};
use crate::words;

words! {
    /// Which matrices carry adapters.
    #[derive(Default)]
    pub enum LoraTargets {
        /// Query, key, value and output projections.
        Attention = "attention",
        /// Every linear layer of the blocks.
        #[default]
        AllLinear = "all-linear",
    }
}

impl ParameterCounts {
    /// Trainable weights of adapters of rank `rank`: `rank` x (in + out) for each adapted matrix
    /// (<https://arxiv.org/abs/2106.09685>, section 4.1).
    ///
    /// Assumes adapters as PEFT puts them on a Hugging Face model: query, key and value projections
    /// apart, gate and up projections apart, for latent attention each of its matrices. `all-linear`
    /// adapts every matrix of the blocks: also every expert of an expert layer (as PEFT and
    /// Megatron-Bridge do for grouped experts), shared experts, and the projections of Gated `DeltaNet`
    /// and Mamba-2 layers. Routers, embedding, LM head, indexer and vision tower keep their weights.
    #[must_use]
    pub fn lora(shape: &Shape, rank: u64, targets: LoraTargets) -> u64 {
        Self::lora_width(shape, targets).saturating_mul(rank)
    }

    /// Sum of inputs and outputs of all adapted matrices.
    fn lora_width(shape: &Shape, targets: LoraTargets) -> u64 {
        let counts = ParameterCounts::of(shape);
        let mut width = attention_widths(shape).saturating_mul(counts.attention_layers);
        if targets == LoraTargets::AllLinear {
            let matrices = mlp_matrix_count(shape);
            let dense = matrices * (shape.hidden_size + shape.intermediate_size);
            let routed = routed_widths(shape);
            let shared = if shape.shared_expert_intermediate_size > 0 {
                matrices * (shape.hidden_size + shape.shared_expert_intermediate_size)
            } else {
                0
            };
            let latent = if shape.moe_latent_size > 0 { 2 * (shape.hidden_size + shape.moe_latent_size) } else { 0 };
            width = width
                .saturating_add(dense.saturating_mul(counts.dense_layers))
                .saturating_add(routed.saturating_add(shared + latent).saturating_mul(counts.expert_layers))
                .saturating_add(linear_attention_widths(shape).saturating_mul(counts.linear_layers))
                .saturating_add(mamba_widths(shape).saturating_mul(counts.mamba_layers));
        }
        width
    }
}

impl ParameterCounts {
    /// Trainable weights of adapters without those of routed experts.
    #[must_use]
    pub fn dense_lora(shape: &Shape, rank: u64, targets: LoraTargets) -> u64 {
        let mut width = Self::lora_width(shape, targets);
        if targets == LoraTargets::AllLinear {
            let routed = routed_widths(shape).saturating_mul(ParameterCounts::of(shape).expert_layers);
            width = width.saturating_sub(routed);
        }
        width.saturating_mul(rank)
    }

    /// Trainable weights of adapters that a token visits. [`Self::lora`] counts those of all experts, this those of the
    /// experts that it is sent to.
    #[must_use]
    pub fn visited_lora(shape: &Shape, rank: u64, targets: LoraTargets) -> u64 {
        let visited = Shape { num_experts: shape.num_experts.min(shape.num_experts_per_tok), ..*shape };
        Self::lora(&visited, rank, targets)
    }
}

/// Sum of inputs and outputs of the matrices of one layer's routed experts.
fn routed_widths(shape: &Shape) -> u64 {
    let width = if shape.moe_latent_size > 0 { shape.moe_latent_size } else { shape.hidden_size };
    (mlp_matrix_count(shape) * (width + shape.moe_intermediate_size)).saturating_mul(shape.num_experts)
}

/// Sum of inputs and outputs of the matrices of one attention layer.
fn attention_widths(shape: &Shape) -> u64 {
    let (h, heads) = (shape.hidden_size, shape.num_attention_heads);
    let output = heads * shape.value_head_dim() + h;
    if shape.is_mla() {
        let query_width = heads * shape.query_head_dim();
        let queries = if shape.q_lora_rank > 0 {
            (h + shape.q_lora_rank) + (shape.q_lora_rank + query_width)
        } else {
            h + query_width
        };
        let down = h + shape.kv_lora_rank + shape.qk_rope_head_dim;
        let up = shape.kv_lora_rank + heads * (shape.qk_nope_head_dim + shape.v_head_dim);
        return queries + down + up + output + if shape.attn_output_gate { output } else { 0 };
    }
    let gate = if shape.attn_output_gate { 2 } else { 1 };
    let queries = h + gate * heads * shape.head_dim;
    let keys = h + shape.num_key_value_heads * shape.head_dim;
    queries + 2 * keys + output
}

/// Sum of inputs and outputs of the matrices of one Gated `DeltaNet` layer: two input projections and the output, or each of
/// Kimi Delta Attention's.
fn linear_attention_widths(shape: &Shape) -> u64 {
    linear_attention_sizes(shape)
        .iter()
        .map(|(inputs, outputs, each)| (inputs + outputs) * each)
        .sum()
}

/// Sum of inputs and outputs of the matrices of one Mamba-2 layer: the input projection and the output.
fn mamba_widths(shape: &Shape) -> u64 {
    let mamba = &shape.mamba;
    let inner = mamba.num_heads * mamba.head_dim;
    let input = 2 * inner + 2 * mamba.n_groups * mamba.state_size + mamba.num_heads;
    (shape.hidden_size + input) + (inner + shape.hidden_size)
}
