//! The matrices of a model's blocks one by one: what depends on their shapes asks here, where [`ParameterCounts`] knows
//! their sizes.

use super::parameters::mlp_matrix_count;
use super::{LoraTargets, ParameterCounts, Shape};

/// Equal matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrices {
    /// Inputs of one of them.
    pub inputs: u64,
    /// Outputs of one of them.
    pub outputs: u64,
    /// How many there are in the model.
    pub count: u64,
    /// What carries adapters with such a matrix; `None`: nothing does.
    pub adapted: Option<LoraTargets>,
}

impl Matrices {
    /// Weights of all of them.
    #[must_use]
    pub fn weights(&self) -> u64 {
        self.inputs.saturating_mul(self.outputs).saturating_mul(self.count)
    }

    /// Those of fewer inputs and outputs.
    #[must_use]
    pub fn narrow(&self) -> u64 {
        self.inputs.min(self.outputs)
    }
}

/// Every matrix of the blocks; neither embedding nor LM head, nor a vision tower's, nor convolutions.
#[must_use]
pub fn block_matrices(shape: &Shape) -> Vec<Matrices> {
    let counts = ParameterCounts::of(shape);
    let mut all = Vec::new();
    let mut add = |adapted: Option<LoraTargets>, layers: u64, sizes: &[(u64, u64, u64)]| {
        all.extend(sizes.iter().filter_map(|&(inputs, outputs, each)| {
            let count = layers.saturating_mul(each);
            (inputs * outputs > 0 && count > 0).then_some(Matrices { inputs, outputs, count, adapted })
        }));
    };
    let (attention, linear) = (Some(LoraTargets::Attention), Some(LoraTargets::AllLinear));
    add(attention, counts.attention_layers, &attention_sizes(shape));
    add(None, counts.attention_layers, &indexer_sizes(shape));
    add(linear, counts.linear_layers, &linear_attention_sizes(shape));
    add(linear, counts.mamba_layers, &mamba_sizes(shape));
    add(linear, counts.dense_layers, &mlp_sizes(shape, shape.hidden_size, shape.intermediate_size, 1));
    if shape.num_experts > 0 {
        let (hidden, latent) = (shape.hidden_size, shape.moe_latent_size);
        let width = if latent > 0 { latent } else { hidden };
        let layers = counts.expert_layers;
        let gate = u64::from(shape.shared_expert_gate && shape.shared_expert_intermediate_size > 0);
        add(None, layers, &[(hidden, shape.num_experts + shape.zero_experts, 1), (hidden, 1, gate)]);
        add(linear, layers, &mlp_sizes(shape, width, shape.moe_intermediate_size, shape.num_experts));
        add(linear, layers, &mlp_sizes(shape, hidden, shape.shared_expert_intermediate_size, 1));
        add(linear, layers, &[(hidden, latent, 1), (latent, hidden, 1)]);
    }
    all
}

/// Adapters of rank `rank`: two thin matrices beside each that `targets` names, as [`ParameterCounts::lora`] counts them.
#[must_use]
pub fn adapter_matrices(shape: &Shape, rank: u64, targets: LoraTargets) -> Vec<Matrices> {
    let carries = |own: &Matrices| match own.adapted {
        Some(LoraTargets::Attention) => true,
        Some(LoraTargets::AllLinear) => targets == LoraTargets::AllLinear,
        None => false,
    };
    let thin = |own: Matrices| [Matrices { outputs: rank, ..own }, Matrices { inputs: rank, ..own }];
    block_matrices(shape).into_iter().filter(carries).flat_map(thin).collect()
}

/// (inputs, outputs, how many) of one attention layer; after `attention_matrices` of the counts.
fn attention_sizes(shape: &Shape) -> Vec<(u64, u64, u64)> {
    let (hidden, heads) = (shape.hidden_size, shape.num_attention_heads);
    let output = (heads * shape.value_head_dim(), hidden, 1);
    if !shape.is_mla() {
        let gate = if shape.attn_output_gate { 2 } else { 1 };
        let keys = shape.num_key_value_heads * shape.head_dim;
        return vec![(hidden, gate * heads * shape.head_dim, 1), (hidden, keys, 2), output];
    }
    let queries = heads * shape.query_head_dim();
    let mut sizes = if shape.q_lora_rank > 0 {
        vec![(hidden, shape.q_lora_rank, 1), (shape.q_lora_rank, queries, 1)]
    } else {
        vec![(hidden, queries, 1)]
    };
    let up = heads * (shape.qk_nope_head_dim + shape.v_head_dim);
    sizes.extend([(hidden, shape.kv_lora_rank + shape.qk_rope_head_dim, 1), (shape.kv_lora_rank, up, 1), output]);
    if shape.attn_output_gate {
        sizes.push((hidden, heads * shape.v_head_dim, 1));
    }
    sizes
}

/// Those of the indexer of sparse attention.
fn indexer_sizes(shape: &Shape) -> [(u64, u64, u64); 3] {
    let on = u64::from(shape.indexer_heads > 0);
    let (hidden, heads, width) = (shape.hidden_size, shape.indexer_heads, shape.indexer_head_dim);
    [(shape.q_lora_rank, heads * width, on), (hidden, width, on), (hidden, heads, on)]
}

/// Those of one Gated `DeltaNet` layer, or of one of Kimi Delta Attention, whose projections are apart.
pub(super) fn linear_attention_sizes(shape: &Shape) -> Vec<(u64, u64, u64)> {
    let (own, hidden) = (&shape.linear, shape.hidden_size);
    let (keys, values) = (own.keys(), own.values());
    if own.decay_rank == 0 {
        return vec![(hidden, 2 * keys + 2 * values, 1), (hidden, 2 * own.num_value_heads, 1), (values, hidden, 1)];
    }
    let narrow = |rank: u64, wide: u64| [(hidden, rank, 1), (rank, wide, 1)];
    let mut sizes = vec![(hidden, keys, 2), (hidden, values, 1), (hidden, own.num_value_heads, 1), (values, hidden, 1)];
    sizes.extend(narrow(own.decay_rank, keys));
    match own.gate_rank {
        0 => sizes.push((hidden, values, 1)),
        rank => sizes.extend(narrow(rank, values)),
    }
    sizes
}

/// Those of one Mamba-2 layer.
fn mamba_sizes(shape: &Shape) -> [(u64, u64, u64); 2] {
    let own = &shape.mamba;
    let inner = own.num_heads * own.head_dim;
    let input = 2 * inner + 2 * own.n_groups * own.state_size + own.num_heads;
    [(shape.hidden_size, input, 1), (inner, shape.hidden_size, 1)]
}

/// Those of `times` MLPs from `width` over `inner`.
fn mlp_sizes(shape: &Shape, width: u64, inner: u64, times: u64) -> [(u64, u64, u64); 2] {
    [(width, inner, (mlp_matrix_count(shape) - 1) * times), (inner, width, times)]
}
