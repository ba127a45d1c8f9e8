//! Floating-point operations of a model: what its definition asks for, whatever runs it.

mod recompute;

pub(crate) use recompute::EVERY_OTHER;
pub use recompute::recomputed_per_token;

use crate::blocks::{Block, Blocks, Mixer};
use shardwise_catalog::model::{Model, Shape};
use shardwise_catalog::units::Flops;

/// Mean number of keys that a query attends to in a causal sequence of `length` tokens.
///
/// Full attention: `s/2`. A window of `w` (Mistral 7B, arXiv:2310.06825, section 2): `w − w²/2s`. Chunks of `c`: `c/2`.
/// Source: the mean of `min(i, w)` over `i = 1 … s`.
///
/// ```
/// use shardwise_core::flops::mean_keys;
/// assert_eq!(mean_keys(4096.0, 0.0, false), 2048.0);
/// assert_eq!(mean_keys(8192.0, 4096.0, false), 3072.0);
/// assert_eq!(mean_keys(16384.0, 8192.0, true), 4096.0);
/// ```
#[must_use]
pub fn mean_keys(length: f64, window: f64, chunked: bool) -> f64 {
    if window <= 0.0 || length <= window {
        length / 2.0
    } else if chunked {
        window / 2.0
    } else {
        window - window * window / (2.0 * length)
    }
}

/// Keys a query attends to in a block with such a mixer, on average.
#[must_use]
pub fn block_keys(shape: &Shape, mixer: Mixer, length: f64) -> f64 {
    let window = if mixer == Mixer::Window { shape.sliding_window as f64 } else { 0.0 };
    let keys = mean_keys(length, window, shape.chunked_attention);
    // DeepSeek sparse attention: each query reads at most 2,048 selected keys (arXiv:2512.02556, section 2).
    if shape.indexer_heads > 0 { keys.min(2048.0) } else { keys }
}

/// Forward operations of one block's attention scores and weighted sums, per token.
///
/// `2·keys·heads·(d_qk + d_v)`: one product for the scores, one for the values
/// (Korthikanti et al. 2022, arXiv:2205.05198, appendix A, with the causal half).
#[must_use]
pub fn attention_per_token(shape: &Shape, mixer: Mixer, length: f64) -> Flops {
    match mixer {
        Mixer::Attention | Mixer::Window => {
            let width = shape.num_attention_heads * (shape.query_head_dim() + shape.value_head_dim());
            Flops::new(2.0 * block_keys(shape, mixer, length) * width as f64)
        }
        // Gated DeltaNet: read, update and read of a d_k × d_v state per head (arXiv:2412.06464).
        Mixer::DeltaNet => {
            let linear = &shape.linear;
            Flops::new((6 * linear.num_value_heads * linear.key_head_dim * linear.value_head_dim) as f64)
        }
        // Mamba-2's state update and read-out (arXiv:2405.21060, section 6).
        Mixer::Mamba => {
            let mamba = &shape.mamba;
            Flops::new((6 * mamba.num_heads * mamba.head_dim * mamba.state_size) as f64)
        }
        Mixer::None => Flops::ZERO,
    }
}

/// Operations of one training token: forward and backward, without recomputation.
///
/// `6` per active weight that multiplies (LM head included even where tied, input embedding not)
/// plus three times the causal attention; the convention of `mfu` in the interface.
/// Kaplan et al. 2020, arXiv:2001.08361, section 2.1; Narayanan et al. 2021, arXiv:2104.04473, eq. 3.
///
/// ```
/// use shardwise_core::{flops, model};
/// let llama = model::resolve_model(&"llama-2-7b".into(), "model").unwrap();
/// let per_token = flops::training_per_token(&llama, 4096.0).get();
/// // 6 × 6.607e9 weights and 3 × 32 layers × 2 × 2048 keys × 8192.
/// assert!((per_token / 4.286e10 - 1.0).abs() < 1e-3, "{per_token}");
/// ```
#[must_use]
pub fn training_per_token(model: &Model, length: f64) -> Flops {
    training(model, &Blocks::of(&model.shape), length)
}

/// [`training_per_token`] of a model whose blocks are known.
pub(crate) fn training(model: &Model, blocks: &[Block], length: f64) -> Flops {
    forward(model, blocks, length) * 3.0
}

/// Operations of one training token where the weights are frozen and `adapters` beside them train: forward and backward,
/// without recomputation.
///
/// `4` per frozen weight that multiplies: the forward product and its input's gradient, but not the weight's (the third of
/// three products: Narayanan et al. 2021, arXiv:2104.04473, appendix; left out by adapters: Hu et al. 2021,
/// arXiv:2106.09685, section 4.2). `6` per adapter weight that a token visits, and three times the causal attention.
///
/// ```
/// use shardwise_core::{flops, model};
/// let llama = model::resolve_model(&"llama-2-7b".into(), "model").unwrap();
/// let per_token = flops::adapted_per_token(&llama, 4096.0, 40_000_000).get();
/// // 4 × 6.607e9 weights, 6 × 4e7 of adapters and 3 × 32 layers × 2 × 2048 keys × 8192.
/// assert!((per_token / 2.989e10 - 1.0).abs() < 1e-3, "{per_token}");
/// ```
#[must_use]
pub fn adapted_per_token(model: &Model, length: f64, adapters: u64) -> Flops {
    adapted(model, &Blocks::of(&model.shape), length, adapters)
}

/// [`adapted_per_token`] of a model whose blocks are known.
pub(crate) fn adapted(model: &Model, blocks: &[Block], length: f64, adapters: u64) -> Flops {
    let weights = matmul_weights(model) as f64;
    training(model, blocks, length) + Flops::new(6.0 * adapters as f64 - 2.0 * weights)
}

/// Operations of the LM head for one training token: those of three products, or of two where it is frozen
/// ([`adapted_per_token`]).
#[must_use]
pub fn head_per_token(model: &Model, trains: bool) -> Flops {
    let shape = &model.shape;
    let products = if trains { 3.0 } else { 2.0 };
    Flops::new(2.0 * products * (shape.hidden_size * shape.vocab_size) as f64)
}

/// Operations of one token's forward pass, LM head included.
#[must_use]
pub fn forward_per_token(model: &Model, length: f64) -> Flops {
    forward(model, &Blocks::of(&model.shape), length)
}

/// [`forward_per_token`] of a model whose blocks are known.
pub(crate) fn forward(model: &Model, blocks: &[Block], length: f64) -> Flops {
    let shape = &model.shape;
    let attention: Flops = blocks
        .iter()
        .map(|block| attention_per_token(shape, block.mixer, length) * block.count as f64)
        .sum();
    Flops::new(2.0 * matmul_weights(model) as f64) + attention
}

/// Weights that multiply each text token: active ones without input embedding and vision tower; the LM head
/// once, tied or not.
#[must_use]
pub fn matmul_weights(model: &Model) -> u64 {
    let counts = &model.parameters;
    let head = model.shape.hidden_size * model.shape.vocab_size;
    counts.active.saturating_sub(counts.embedding + counts.lm_head + counts.vision) + head
}
