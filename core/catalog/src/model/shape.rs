//! The shape of a transformer: every number that decides its size and its work.

/// A model's architecture. Keys are Hugging Face's where it has one.
///
/// Absent features are zero or false, so that `..Shape::EMPTY` fills what a model lacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Width of the residual stream.
    pub hidden_size: u64,
    /// Width of the dense MLP.
    pub intermediate_size: u64,
    /// Number of blocks.
    pub num_hidden_layers: u64,
    /// Query heads.
    pub num_attention_heads: u64,
    /// Key and value heads.
    pub num_key_value_heads: u64,
    /// Width of one head.
    pub head_dim: u64,
    /// Rows of the embedding.
    pub vocab_size: u64,
    /// Longest position the model knows; 0 where unknown.
    pub max_position_embeddings: u64,
    /// Whether the LM head is the embedding.
    pub tie_word_embeddings: bool,
    /// Whether the MLP has a gate (three matrices rather than two).
    pub gated_mlp: bool,
    /// Biases of the query, key and value projections.
    pub attention_bias: bool,
    /// Bias of the output projection.
    pub attention_out_bias: bool,
    /// Biases of the MLP.
    pub mlp_bias: bool,
    /// Bias of the LM head.
    pub lm_head_bias: bool,
    /// Norms of queries and keys.
    pub qk_norm: QkNorm,
    /// Kind of the block norms.
    pub norm: Norm,
    /// Norms in one block.
    pub norms_per_layer: u64,
    /// Whether the last block is followed by no norm.
    pub no_final_norm: bool,
    /// Whether the embedding is normed.
    pub embed_norm: bool,
    /// Learned positions; 0 for rotary or ALiBi.
    pub learned_positions: u64,
    /// Width of the embedding where it differs from the hidden size (OPT-350M); else 0.
    pub word_embed_proj_dim: u64,
    /// Width of the embedding that each token has for each block beside its own (Gemma 4 E2B and E4B); 0 without.
    pub hidden_size_per_layer_input: u64,
    /// Window of the sliding layers in tokens; 0 without.
    pub sliding_window: u64,
    /// Whether the window is a fixed chunk (Llama 4) rather than sliding.
    pub chunked_attention: bool,
    /// Kind of each layer, repeated: `A` full attention, `S` sliding, `L` Gated `DeltaNet`; for Nemotron-H
    /// `M` Mamba-2, `*` attention, `E` experts, `-` MLP. Empty: all `A`, or all `S` with a window.
    pub layer_pattern: &'static str,
    /// Queries gated after attention (Qwen3-Next); under MLA what attention gives, by a matrix of its own (Kimi K3).
    pub attn_output_gate: bool,
    /// One learned sink per head (gpt-oss).
    pub attn_sinks: bool,
    /// Experts released in mxfp4 (gpt-oss): an engine that serves the release keeps them so.
    pub mxfp4_experts: bool,
    /// Experts; 0 for a dense model.
    pub num_experts: u64,
    /// Experts each token visits; on average, where it may choose experts that compute nothing.
    pub num_experts_per_tok: u64,
    /// Experts beside those that hand a token on as it is (`LongCat`): the router chooses among them too; 0 without.
    pub zero_experts: u64,
    /// Groups of experts of which a token's all lie in a few (DeepSeek-V2 and -V3, `n_group`); 0 where they may lie anywhere.
    pub expert_groups: u64,
    /// Groups that a token's experts lie in at most (`topk_group`); 0 where they may lie anywhere.
    pub expert_groups_per_tok: u64,
    /// Width of one expert.
    pub moe_intermediate_size: u64,
    /// Width of all shared experts together; 0 without.
    pub shared_expert_intermediate_size: u64,
    /// Whether the shared expert is gated.
    pub shared_expert_gate: bool,
    /// Dense layers before the first expert layer.
    pub first_k_dense_replace: u64,
    /// Every how many layers experts come; 1 = all.
    pub moe_layer_freq: u64,
    /// Which of each `moe_layer_freq` layers has them, from 0.
    pub moe_layer_offset: u64,
    /// Router bias used for balancing (DeepSeek-V3).
    pub router_bias: bool,
    /// Bias of the router's matrix (gpt-oss).
    pub router_linear_bias: bool,
    /// Biases of the experts (gpt-oss).
    pub expert_bias: bool,
    /// Width into which tokens are projected before the experts (Nemotron 3); 0 without.
    pub moe_latent_size: u64,
    /// MLA: rank of the query projection; 0 = full.
    pub q_lora_rank: u64,
    /// MLA: rank of keys and values; 0 = no MLA.
    pub kv_lora_rank: u64,
    /// MLA: head width without position.
    pub qk_nope_head_dim: u64,
    /// MLA: head width with rotary position.
    pub qk_rope_head_dim: u64,
    /// MLA: width of the values.
    pub v_head_dim: u64,
    /// `DeepSeek` sparse attention: heads of the indexer; 0 without.
    pub indexer_heads: u64,
    /// The indexer's head width.
    pub indexer_head_dim: u64,
    /// Gated `DeltaNet`.
    pub linear: Linear,
    /// Mamba-2.
    pub mamba: Mamba,
    /// Vision tower.
    pub vision: Option<Vision>,
}

/// Gated `DeltaNet` layers; zero where absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Key heads.
    pub num_key_heads: u64,
    /// Value heads.
    pub num_value_heads: u64,
    /// Width of a key head.
    pub key_head_dim: u64,
    /// Width of a value head.
    pub value_head_dim: u64,
    /// Width of the convolution.
    pub conv_kernel: u64,
    /// Rank by which each channel of the keys gets a decay of its own (Kimi Delta Attention); 0 where each head has one.
    pub decay_rank: u64,
    /// Rank of the output's gate; 0 where its matrix is whole.
    pub gate_rank: u64,
}

impl Linear {
    /// No such layers, to fill the rest of a literal.
    pub const NONE: Self = Self {
        num_key_heads: 0,
        num_value_heads: 0,
        key_head_dim: 0,
        value_head_dim: 0,
        conv_kernel: 0,
        decay_rank: 0,
        gate_rank: 0,
    };

    /// Width of all keys together, which is that of all queries.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.num_key_heads * self.key_head_dim
    }

    /// Width of all values together.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.num_value_heads * self.value_head_dim
    }
}

/// Mamba-2 layers; zero where absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mamba {
    /// Heads.
    pub num_heads: u64,
    /// Width of a head.
    pub head_dim: u64,
    /// Groups of the state projections.
    pub n_groups: u64,
    /// Size of the state.
    pub state_size: u64,
    /// Width of the convolution.
    pub conv_kernel: u64,
}

/// A vision tower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vision {
    /// Its family, which decides its weights.
    pub kind: VisionKind,
    /// Blocks.
    pub layers: u64,
    /// Width.
    pub hidden: u64,
    /// Width of its MLP.
    pub intermediate: u64,
    /// Heads.
    pub heads: u64,
    /// Side of a patch in pixels.
    pub patch: u64,
    /// Patches merged per side into one token.
    pub merge: u64,
    /// Width of its output: the language model's hidden size.
    pub out: u64,
    /// Layers whose features are fed to the language model (Qwen3-VL).
    pub deepstack: u64,
    /// Side in pixels of the windows within which most blocks attend (Qwen2.5-VL); 0 where all blocks attend to the
    /// whole image or tile.
    pub window: u64,
    /// Of blocks with windows beside them those that attend to the whole image.
    pub full_blocks: u64,
    /// Width of the gated MLP within the projector (GLM-4.1V); 0 where it has none.
    pub projector: u64,
}

/// Families of vision towers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisionKind {
    /// Qwen2.5-VL.
    Qwen25Vl,
    /// Qwen3-VL and Qwen3.5.
    Qwen3Vl,
    /// `SigLIP`, as in Gemma 3.
    SiglipGemma3,
    /// `InternViT`-300M.
    InternVl,
    /// `InternViT`-6B, whose blocks norm queries and keys, and have RMSNorm and no bias of these.
    InternVit6b,
    /// GLM-4.1V and GLM-4.5V.
    Glm4v,
    /// Llama 4.
    Llama4,
}

/// Norms of queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QkNorm {
    /// None.
    None,
    /// One weight per head dimension.
    Head,
    /// One weight per projected dimension.
    Full,
}

/// Kinds of norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// RMSNorm: one weight per dimension.
    Rms,
    /// `LayerNorm`: weight and bias.
    Layer,
    /// `LayerNorm` without bias.
    LayerNoBias,
}

impl Shape {
    /// A shape without any feature, to fill the rest of a literal.
    pub const EMPTY: Self = Self {
        hidden_size: 0,
        intermediate_size: 0,
        num_hidden_layers: 0,
        num_attention_heads: 0,
        num_key_value_heads: 0,
        head_dim: 0,
        vocab_size: 0,
        max_position_embeddings: 0,
        tie_word_embeddings: false,
        gated_mlp: true,
        attention_bias: false,
        attention_out_bias: false,
        mlp_bias: false,
        lm_head_bias: false,
        qk_norm: QkNorm::None,
        norm: Norm::Rms,
        norms_per_layer: 2,
        no_final_norm: false,
        embed_norm: false,
        learned_positions: 0,
        word_embed_proj_dim: 0,
        hidden_size_per_layer_input: 0,
        sliding_window: 0,
        chunked_attention: false,
        layer_pattern: "",
        attn_output_gate: false,
        attn_sinks: false,
        mxfp4_experts: false,
        num_experts: 0,
        num_experts_per_tok: 0,
        zero_experts: 0,
        expert_groups: 0,
        expert_groups_per_tok: 0,
        moe_intermediate_size: 0,
        shared_expert_intermediate_size: 0,
        shared_expert_gate: false,
        first_k_dense_replace: 0,
        moe_layer_freq: 1,
        moe_layer_offset: 0,
        router_bias: false,
        router_linear_bias: false,
        expert_bias: false,
        moe_latent_size: 0,
        q_lora_rank: 0,
        kv_lora_rank: 0,
        qk_nope_head_dim: 0,
        qk_rope_head_dim: 0,
        v_head_dim: 0,
        indexer_heads: 0,
        indexer_head_dim: 0,
        linear: Linear::NONE,
        mamba: Mamba { num_heads: 0, head_dim: 0, n_groups: 0, state_size: 0, conv_kernel: 0 },
        vision: None,
    };

    /// Kind of block `layer`, as a letter of [`Shape::layer_pattern`].
    #[must_use]
    pub fn layer_kind(&self, layer: u64) -> u8 {
        let pattern = self.layer_pattern.as_bytes();
        if pattern.is_empty() {
            return if self.sliding_window > 0 { b'S' } else { b'A' };
        }
        pattern[(layer % pattern.len() as u64) as usize]
    }

    /// Whether block `layer` holds experts.
    #[must_use]
    pub fn is_expert_layer(&self, layer: u64) -> bool {
        if self.num_experts == 0 {
            return false;
        }
        let frequency = self.moe_layer_freq.max(1);
        layer >= self.first_k_dense_replace
            && (layer + frequency - self.moe_layer_offset % frequency).is_multiple_of(frequency)
    }

    /// Whether the experts of a layer are published as one tensor, and not as one matrix after the other: those of gpt-oss and of
    /// Llama 4 are (`GptOssExperts` and `Llama4TextExperts` of transformers).
    #[must_use]
    pub fn has_experts_in_one_tensor(&self) -> bool {
        self.num_experts > 0 && (self.expert_bias || self.chunked_attention)
    }

    /// Whether keys and values are compressed (MLA).
    #[must_use]
    pub fn is_mla(&self) -> bool {
        self.kv_lora_rank > 0
    }

    /// Whether so many ranks share the key and value heads evenly, or so many heads have their ranks.
    ///
    /// ```
    /// use shardwise_core::model::Shape;
    /// let shape = Shape { num_key_value_heads: 8, ..Shape::EMPTY };
    /// assert!(shape.shares_key_heads(4) && shape.shares_key_heads(16) && !shape.shares_key_heads(6));
    /// ```
    #[must_use]
    pub fn shares_key_heads(&self, ranks: u64) -> bool {
        let heads = self.num_key_value_heads.max(1);
        heads.is_multiple_of(ranks) || ranks.is_multiple_of(heads)
    }

    /// Width of a query head, rotary part included.
    #[must_use]
    pub fn query_head_dim(&self) -> u64 {
        if self.is_mla() { self.qk_nope_head_dim + self.qk_rope_head_dim } else { self.head_dim }
    }

    /// Width of a value head.
    #[must_use]
    pub fn value_head_dim(&self) -> u64 {
        if self.is_mla() { self.v_head_dim } else { self.head_dim }
    }
}
