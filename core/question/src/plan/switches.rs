//! What a layout has switches for: Megatron's kernels and exchanges, and ZeRO++.

use crate::wire::{CudaGraphs, TokenDispatcher};

/// Kernels and exchanges of Megatron by its own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// One kernel turns queries and keys by their positions.
    pub apply_rope_fusion: bool,
    /// The experts' exchanges run beside another micro-batch's computation.
    pub overlap_moe_expert_parallel_comm: bool,
    /// What sends tokens to their experts, where the question states it.
    pub moe_token_dispatcher: Option<TokenDispatcher>,
    /// What of a step CUDA graphs replay.
    pub cuda_graphs: CudaGraphs,
}

impl Switches {
    /// As the estimate takes them where nothing is said.
    pub const USUAL: Self = Self {
        apply_rope_fusion: true,
        overlap_moe_expert_parallel_comm: false,
        moe_token_dispatcher: None,
        cuda_graphs: CudaGraphs::None,
    };
}

/// What ZeRO++ adds to ZeRO-3 (arXiv:2306.10209).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroPlus {
    /// GPUs that hold a second copy of the weights between them (hpZ); 1 = off.
    pub partition_size: u32,
    /// Weights are gathered in 8 bits (qwZ).
    pub quantized_weights: bool,
    /// Gradients are reduced in 4 bits (qgZ).
    pub quantized_gradients: bool,
}

impl ZeroPlus {
    /// Plain ZeRO.
    pub const OFF: Self = Self { partition_size: 1, quantized_weights: false, quantized_gradients: false };
}
