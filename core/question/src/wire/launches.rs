//! How tokens are sent to their experts, and how Megatron launches what computes them, by name.

use super::document::entries_of_words;
use shardwise_catalog::words;

entries_of_words!(CudaGraphs, TokenDispatcher);

words! {
    /// What sends tokens to their experts and back.
    pub enum TokenDispatcher {
        /// NCCL's all-to-all (`moe_token_dispatcher_type` alltoall): a token leaves its node once for each expert elsewhere.
        Alltoall = "alltoall",
        /// DeepEP (flex, `moe_flex_dispatcher_backend` deepep): once for each other node.
        Deepep = "deepep",
        /// HybridEP (flex, `moe_flex_dispatcher_backend` hybridep): the same, on NVL72 as well.
        Hybridep = "hybridep",
    }
}

impl TokenDispatcher {
    /// What `moe_enable_deepep` says.
    #[must_use]
    pub fn of_deepep(on: bool) -> Self {
        if on { Self::Deepep } else { Self::Alltoall }
    }
}

words! {
    /// What of a training step CUDA graphs replay.
    #[derive(Default)]
    pub enum CudaGraphs {
        /// Nothing: the host launches each kernel.
        #[default]
        None = "none",
        /// Parts of the layers, not their experts (`cuda_graph_scope` attn, moe_router, moe_preprocess).
        Partial = "partial",
        /// Whole layers or the whole iteration, experts included (`cuda_graph_impl` full_iteration).
        Full = "full",
    }
}
