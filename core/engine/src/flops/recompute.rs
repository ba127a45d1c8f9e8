//! Operations that recomputation adds to a training token.

use super::{attention_per_token, forward};
use crate::blocks::{Block, Mixer, Mlp};
use shardwise_catalog::model::{Model, Shape};
use shardwise_catalog::units::Flops;
use shardwise_question::plan::{Layout, Modules, Recompute};
use shardwise_question::wire::{Backend, RecomputeModule};

/// Share of a block's products that selective checkpointing per operator computes again: in a Llama block keys, output and
/// one of the two projections into the MLP, 80 of 218 million weights of Llama 3.1 8B (torchtitan, `_apply_op_sac`:
/// <https://github.com/pytorch/torchtitan>).
pub(crate) const EVERY_OTHER: f64 = 0.4;

/// Operations of one training token that the backward pass computes again: what HFU counts beside the model's
/// (PaLM, arXiv:2204.02311, appendix B).
///
/// Whole layers, or a share of them: every block's forward pass, adapters included, without the LM head
/// (Narayanan et al. 2021, arXiv:2104.04473, appendix: 4 forward passes' worth in place of 3 in the layers). Modules, as Megatron-Core
/// names them (`recompute_modules` in
/// <https://github.com/NVIDIA/Megatron-LM/blob/d98e8a64ddf34856e74b24714e3bedb2f5a39553/megatron/core/transformer/transformer_config.py>): `core_attn` the scores
/// and weighted sums (Korthikanti et al. 2022, arXiv:2205.05198, section 5), `mlp` the dense MLP, `moe` router, visited and
/// shared experts, `shared_experts` these alone, `mla_up_proj` the products out of the latents. `moe_act` and `layernorm`
/// multiply nothing. Other backends' selective recomputation is per operator: every other product, and all of the visited experts'. A
/// fused LM head computes its logits again.
#[must_use]
pub fn recomputed_per_token(model: &Model, blocks: &[Block], layout: &Layout, adapters: u64, length: f64) -> Flops {
    let shape = &model.shape;
    let head = Flops::new(2.0 * (shape.hidden_size * shape.vocab_size) as f64);
    let layers: Flops = match layout.recompute {
        Recompute::None => Flops::ZERO,
        Recompute::Full => {
            let all = forward(model, blocks, length).get() + 2.0 * adapters as f64;
            Flops::new((all - head.get()).max(0.0)) * layout.recomputed_layers(shape.num_hidden_layers)
        }
        Recompute::Selective(modules) => blocks
            .iter()
            .map(|block| {
                let each = if modules == Modules::CORE_ATTN && layout.backend != Backend::Megatron {
                    let routed = routed(model, *block);
                    Flops::new(2.0 * (EVERY_OTHER * (products(model, *block) - routed) + routed))
                } else {
                    again(model, *block, modules, length)
                };
                each * block.count as f64
            })
            .sum(),
    };
    if layout.fused_lm_head { layers + head } else { layers }
}

/// Weights of one block that multiply a token.
fn products(model: &Model, block: Block) -> f64 {
    let counts = &model.parameters;
    let mixer = match block.mixer {
        Mixer::Attention | Mixer::Window => counts.attention,
        Mixer::DeltaNet => counts.linear_attention,
        Mixer::Mamba => counts.mamba,
        Mixer::None => 0,
    };
    mixer as f64 + mlp(model, block)
}

/// Weights that multiply a token in one block's MLP, or in the experts that the token visits.
fn mlp(model: &Model, block: Block) -> f64 {
    let counts = &model.parameters;
    let own = match block.mlp {
        Mlp::None => 0,
        Mlp::Experts => {
            let visited = model.shape.num_experts_per_tok.saturating_mul(counts.expert);
            visited + counts.router + counts.shared_experts + counts.expert_latent
        }
        Mlp::Dense => counts.dense_mlp,
    };
    own as f64
}

/// Weights that multiply a token in the experts that the router sends it to.
fn routed(model: &Model, block: Block) -> f64 {
    if block.has_experts() {
        (model.shape.num_experts_per_tok.saturating_mul(model.parameters.expert)) as f64
    } else {
        0.0
    }
}

/// Operations of one block's modules, forward.
fn again(model: &Model, block: Block, modules: Modules, length: f64) -> Flops {
    let (shape, counts) = (&model.shape, &model.parameters);
    let (attends, experts) = (block.mixer.attends(), block.has_experts());
    let mut weights = 0.0;
    if modules.contains(RecomputeModule::Mlp) && !experts {
        weights += mlp(model, block);
    }
    if experts && modules.contains(RecomputeModule::Moe) {
        weights += mlp(model, block);
    } else if experts && modules.contains(RecomputeModule::SharedExperts) {
        weights += counts.shared_experts as f64;
    }
    if attends && modules.contains(RecomputeModule::MlaUpProj) && shape.is_mla() {
        weights += up_projections(shape);
    }
    let products = Flops::new(2.0 * weights);
    if attends && modules.contains(RecomputeModule::CoreAttn) {
        products + attention_per_token(shape, block.mixer, length)
    } else {
        products
    }
}

/// Weights out of the latents of queries and of keys and values; queries without a latent are projected there too
/// (`qkv_up_proj_and_rope_apply` in
/// <https://github.com/NVIDIA/Megatron-LM/blob/d98e8a64ddf34856e74b24714e3bedb2f5a39553/megatron/core/transformer/multi_latent_attention.py>).
fn up_projections(shape: &Shape) -> f64 {
    let from = if shape.q_lora_rank > 0 { shape.q_lora_rank } else { shape.hidden_size };
    let heads = shape.num_attention_heads;
    let queries = from * heads * shape.query_head_dim();
    let keys = shape.kv_lora_rank * heads * (shape.qk_nope_head_dim + shape.v_head_dim);
    (queries + keys) as f64
}
