//! How many weights a model has, part by part.
//!
//! Every figure counts the tensors of the Hugging Face checkpoint; layers that only predict
//! further tokens (multi-token prediction) are left out, as the published totals leave them out.
//! Citations name the class of `transformers` whose tensors are counted, in
//! <https://github.com/huggingface/transformers/tree/main/src/transformers/models>.

mod vision;

use super::{Norm, QkNorm, Shape};

/// Weights of a model, by part. All figures are numbers of weights unless they say otherwise.
///
/// `total` = `embedding` + `lm_head` + `final_norm` + `vision`
/// + layers x `block_norms`
/// + `attention_layers` x (`attention` + `attention_vectors`)
/// + `linear_layers` x `linear_attention` + `mamba_layers` x `mamba`
/// + `dense_layers` x (`dense_mlp` + `dense_mlp_bias`)
/// + `expert_layers` x `expert_layer`,
///
/// unless the catalog states the total of an architecture that the formulas do not cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterCounts {
    /// All weights, embeddings and vision tower included.
    pub total: u64,
    /// Weights a token visits: `total` without the routed experts it is not sent to.
    pub active: u64,
    /// Input embedding, with learned positions and the projections of a narrower embedding.
    pub embedding: u64,
    /// LM head; 0 where it is the embedding (its product still costs `vocab_size` x `hidden_size`).
    pub lm_head: u64,
    /// Norms outside the blocks: of the embedding and after the last block.
    pub final_norm: u64,
    /// Vision tower with its projector.
    pub vision: u64,
    /// Of `vision` the projector: what LLaMA-Factory freezes apart (`freeze_multi_modal_projector`).
    pub projector: u64,
    /// Norms of one block; queries' and keys' norms are in `attention_vectors`.
    pub block_norms: u64,
    /// Matrices of one attention layer (for sparse attention with the indexer's).
    pub attention: u64,
    /// Biases, norms of queries, keys and latents, and sinks of one attention layer.
    pub attention_vectors: u64,
    /// Everything in one Gated `DeltaNet` layer.
    pub linear_attention: u64,
    /// Everything in one Mamba-2 layer.
    pub mamba: u64,
    /// Matrices of one dense MLP.
    pub dense_mlp: u64,
    /// Biases of one dense MLP.
    pub dense_mlp_bias: u64,
    /// Router of one expert layer, with its biases.
    pub router: u64,
    /// One routed expert, with its biases.
    pub expert: u64,
    /// Shared experts of one expert layer together, with their gate.
    pub shared_experts: u64,
    /// Projections into and out of the experts' narrower width (Nemotron 3) in one expert layer.
    pub expert_latent: u64,
    /// One expert layer: router, all routed experts, shared experts and latent projections.
    pub expert_layer: u64,
    /// Number of layers with softmax attention.
    pub attention_layers: u64,
    /// Number of Gated `DeltaNet` layers.
    pub linear_layers: u64,
    /// Number of Mamba-2 layers.
    pub mamba_layers: u64,
    /// Number of layers with a dense MLP.
    pub dense_layers: u64,
    /// Number of layers with experts.
    pub expert_layers: u64,
}

impl ParameterCounts {
    /// Counts the weights of `shape`.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        let mut counts = Self {
            embedding: embedding(shape),
            lm_head: lm_head(shape),
            final_norm: norm(shape) * (u64::from(!shape.no_final_norm) + u64::from(shape.embed_norm)),
            vision: shape.vision.as_ref().map_or(0, vision::tower),
            projector: shape.vision.as_ref().map_or(0, vision::projector),
            block_norms: norm(shape) * shape.norms_per_layer,
            attention: attention_matrices(shape),
            attention_vectors: attention_vectors(shape),
            linear_attention: linear_attention(shape),
            mamba: mamba(shape),
            dense_mlp: mlp_matrices(shape, shape.hidden_size, shape.intermediate_size),
            dense_mlp_bias: if shape.mlp_bias {
                mlp_bias(shape, shape.hidden_size, shape.intermediate_size)
            } else {
                0
            },
            router: router(shape),
            expert: expert(shape),
            shared_experts: shared_experts(shape),
            expert_latent: 2 * shape.hidden_size * shape.moe_latent_size,
            ..Self::default()
        };
        if shape.num_experts > 0 {
            counts.expert_layer = shape
                .num_experts
                .saturating_mul(counts.expert)
                .saturating_add(counts.router + counts.shared_experts + counts.expert_latent);
        }
        count_layers(shape, &mut counts);
        counts.sum(shape);
        counts
    }

    /// Replaces total and active weights by stated ones, for an architecture that the formulas do
    /// not cover. A stated figure of 0 changes nothing.
    #[must_use]
    pub fn with_stated(mut self, total: u64, active: u64) -> Self {
        if total > 0 {
            self.total = total;
        }
        if active > 0 {
            self.active = active;
        }
        self
    }

    /// Adds the parts up. Saturates, so that an absurd shape stays absurdly large.
    fn sum(&mut self, shape: &Shape) {
        let parts = [
            (1, self.embedding + self.lm_head + self.final_norm),
            (1, self.vision),
            (shape.num_hidden_layers, self.block_norms),
            (self.attention_layers, self.attention + self.attention_vectors),
            (self.linear_layers, self.linear_attention),
            (self.mamba_layers, self.mamba),
            (self.dense_layers, self.dense_mlp + self.dense_mlp_bias),
            (self.expert_layers, self.expert_layer),
        ];
        self.total = parts
            .iter()
            .fold(0u64, |sum, (times, part)| sum.saturating_add(part.saturating_mul(*times)));
        let idle = shape.num_experts.saturating_sub(shape.num_experts_per_tok);
        self.active = self
            .total
            .saturating_sub(idle.saturating_mul(self.expert).saturating_mul(self.expert_layers));
    }
}

/// Counts the layers of each kind. Nemotron-H has one thing in each block; everybody else has a
/// mixer and an MLP (`NemotronHBlock`, `modeling_nemotron_h.py`).
fn count_layers(shape: &Shape, counts: &mut ParameterCounts) {
    for layer in 0..shape.num_hidden_layers {
        match shape.layer_kind(layer) {
            b'M' => counts.mamba_layers += 1,
            b'*' => counts.attention_layers += 1,
            b'-' => counts.dense_layers += 1,
            b'E' => counts.expert_layers += 1,
            kind => {
                if kind == b'L' {
                    counts.linear_layers += 1;
                } else {
                    counts.attention_layers += 1;
                }
                if shape.is_expert_layer(layer) {
                    counts.expert_layers += 1;
                } else {
                    counts.dense_layers += 1;
                }
            }
        }
    }
}

/// Input embedding: one row per token and per learned position. OPT-350M embeds into a narrower
/// width and projects in and out (`OPTDecoder`, `modeling_opt.py`). Gemma 4's small models have a
/// row more per token and block, and project their hidden size to that width (`Gemma4TextModel`,
/// `modeling_gemma4.py`).
fn embedding(shape: &Shape) -> u64 {
    let positions = shape.learned_positions * shape.hidden_size;
    let per_layer =
        shape.num_hidden_layers * shape.hidden_size_per_layer_input * (shape.vocab_size + shape.hidden_size);
    let narrow = shape.word_embed_proj_dim;
    if narrow > 0 && narrow != shape.hidden_size {
        shape.vocab_size * narrow + 2 * narrow * shape.hidden_size + positions + per_layer
    } else {
        shape.vocab_size * shape.hidden_size + positions + per_layer
    }
}

/// LM head: absent where tied (`tie_weights`, `modeling_utils.py`); phi and GPT-J add a bias.
fn lm_head(shape: &Shape) -> u64 {
    let matrix = if shape.tie_word_embeddings { 0 } else { shape.vocab_size * shape.hidden_size };
    matrix + if shape.lm_head_bias { shape.vocab_size } else { 0 }
}

/// One norm over the hidden size: RMSNorm <https://arxiv.org/abs/1910.07467> has a gain,
/// `LayerNorm` <https://arxiv.org/abs/1607.06450> a gain and, usually, a bias.
fn norm(shape: &Shape) -> u64 {
    match shape.norm {
        Norm::Rms | Norm::LayerNoBias => shape.hidden_size,
        Norm::Layer => 2 * shape.hidden_size,
    }
}

/// Matrices of one attention layer.
///
/// Grouped queries (<https://arxiv.org/abs/2305.13245>): H x A x D for queries and for the output,
/// H x KV x D for keys and for values; Qwen3-Next's queries are twice as wide, the second half
/// being the gate (`Qwen3NextAttention`). Latent attention (<https://arxiv.org/abs/2405.04434>,
/// section 2.1, `DeepseekV3Attention`): queries and key-values through their ranks; Kimi K3's has a
/// gate as wide as the values (`KimiMLAAttention`,
/// <https://github.com/NVIDIA-NeMo/Automodel/blob/36044ad3d139363fb6c73c24af2e7c6b65ec52f6/nemo_automodel/components/models/kimi_k3/model.py>).
/// The indexer of sparse attention (`Indexer` in <https://github.com/deepseek-ai/DeepSeek-V3.2-Exp>)
/// has its own queries, keys and head weights.
fn attention_matrices(shape: &Shape) -> u64 {
    let (h, heads) = (shape.hidden_size, shape.num_attention_heads);
    if shape.is_mla() {
        let queries = if shape.q_lora_rank > 0 {
            h * shape.q_lora_rank + shape.q_lora_rank * heads * shape.query_head_dim()
        } else {
            h * heads * shape.query_head_dim()
        };
        let key_values = h * (shape.kv_lora_rank + shape.qk_rope_head_dim)
            + shape.kv_lora_rank * heads * (shape.qk_nope_head_dim + shape.v_head_dim);
        let indexer = shape.q_lora_rank * shape.indexer_heads * shape.indexer_head_dim
            + if shape.indexer_heads > 0 { h * (shape.indexer_head_dim + shape.indexer_heads) } else { 0 };
        let output = heads * shape.v_head_dim * h;
        return queries + key_values + output + indexer + if shape.attn_output_gate { output } else { 0 };
    }
    let queries = h * heads * shape.head_dim;
    let keys = h * shape.num_key_value_heads * shape.head_dim;
    2 * queries + 2 * keys + if shape.attn_output_gate { queries } else { 0 }
}

/// Biases, norms of queries, keys and latents, and sinks of one attention layer
/// (`Qwen2Attention`, `Qwen3Attention`, `Olmo2Attention`, `GptOssAttention`,
/// `DeepseekV3Attention`).
fn attention_vectors(shape: &Shape) -> u64 {
    if shape.is_mla() {
        let key_norm = if shape.indexer_heads > 0 { 2 * shape.indexer_head_dim } else { 0 };
        return shape.q_lora_rank + shape.kv_lora_rank + key_norm;
    }
    let (heads, kv, width) = (shape.num_attention_heads, shape.num_key_value_heads, shape.head_dim);
    let mut vectors = match shape.qk_norm {
        QkNorm::None => 0,
        QkNorm::Head => 2 * width,
        QkNorm::Full => (heads + kv) * width,
    };
    if shape.attention_bias {
        vectors += (heads + 2 * kv) * width;
    }
    if shape.attention_out_bias {
        vectors += shape.hidden_size;
    }
    if shape.attn_sinks {
        vectors += heads;
    }
    vectors
}

/// One Gated `DeltaNet` layer (<https://arxiv.org/abs/2412.06464>, `Qwen3NextGatedDeltaNet`):
/// projections of queries, keys, values and gate, of the two rates per head, the convolution, the
/// rates' biases and decays, the norm and the output. Kimi Delta Attention
/// (<https://arxiv.org/abs/2510.26692>, `KimiDeltaAttention` of the address above) has a decay and a
/// bias per channel of the keys, by a narrow projection, and its gate may be by another.
fn linear_attention(shape: &Shape) -> u64 {
    let (linear, hidden) = (&shape.linear, shape.hidden_size);
    let (keys, values, heads) = (linear.keys(), linear.values(), linear.num_value_heads);
    let narrow = |rank: u64, wide: u64| rank * (hidden + wide);
    let gate = if linear.gate_rank > 0 { narrow(linear.gate_rank, values) } else { hidden * values };
    let (decay, biases) = match linear.decay_rank {
        0 => (hidden * heads, heads),
        rank => (narrow(rank, keys), keys),
    };
    hidden * (2 * keys + values)
        + gate
        + hidden * heads
        + decay
        + (2 * keys + values) * linear.conv_kernel
        + heads
        + biases
        + linear.value_head_dim
        + values * hidden
}

/// One Mamba-2 layer (<https://arxiv.org/abs/2405.21060>, `NemotronHMamba2Mixer`): the input
/// projection, the convolution with bias, decay, skip and step bias per head, the norm, the output.
fn mamba(shape: &Shape) -> u64 {
    let mamba = &shape.mamba;
    let inner = mamba.num_heads * mamba.head_dim;
    let convolved = inner + 2 * mamba.n_groups * mamba.state_size;
    shape.hidden_size * (inner + convolved + mamba.num_heads)
        + convolved * mamba.conv_kernel
        + if inner > 0 { convolved } else { 0 }
        + 3 * mamba.num_heads
        + inner
        + inner * shape.hidden_size
}

/// Number of matrices of an MLP: three with a gate (<https://arxiv.org/abs/2002.05202>), else two.
pub(super) fn mlp_matrix_count(shape: &Shape) -> u64 {
    if shape.gated_mlp { 3 } else { 2 }
}

/// Matrices of an MLP from `width` over `inner` (`LlamaMLP`; `GPT2MLP` without a gate).
fn mlp_matrices(shape: &Shape, width: u64, inner: u64) -> u64 {
    mlp_matrix_count(shape) * width * inner
}

/// Biases of the same.
fn mlp_bias(shape: &Shape, width: u64, inner: u64) -> u64 {
    (mlp_matrix_count(shape) - 1) * inner + width
}

/// Router of one expert layer: one row per expert, those that compute nothing among them
/// (`LongcatFlashTopkRouter`), with the balancing bias of `DeepSeek`-V3
/// (<https://arxiv.org/abs/2412.19437>, section 2.1.2) or the plain bias of gpt-oss.
fn router(shape: &Shape) -> u64 {
    let rows = shape.num_experts + shape.zero_experts;
    let bias = if shape.router_bias || shape.router_linear_bias { rows } else { 0 };
    shape.hidden_size * rows + bias
}

/// One routed expert: an MLP of its own width (`Qwen3MoeMLP`, `GptOssExperts`), behind a latent
/// projection in Nemotron 3.
fn expert(shape: &Shape) -> u64 {
    if shape.num_experts == 0 {
        return 0;
    }
    let width = if shape.moe_latent_size > 0 { shape.moe_latent_size } else { shape.hidden_size };
    let bias = if shape.expert_bias { mlp_bias(shape, width, shape.moe_intermediate_size) } else { 0 };
    mlp_matrices(shape, width, shape.moe_intermediate_size) + bias
}

/// The shared experts of one expert layer, as one MLP of their common width, with the gate of
/// `Qwen2MoeSparseMoeBlock`.
fn shared_experts(shape: &Shape) -> u64 {
    if shape.num_experts == 0 || shape.shared_expert_intermediate_size == 0 {
        return 0;
    }
    mlp_matrices(shape, shape.hidden_size, shape.shared_expert_intermediate_size)
        + if shape.shared_expert_gate { shape.hidden_size } else { 0 }
}
