//! What the loss makes.

use super::Use;
use crate::context::{Context, Head, Role};
use crate::distilled;
use crate::weights::RankWeights;
use shardwise_catalog::units::Bytes;
use shardwise_question::framework::rl_logit_bytes;
use shardwise_question::plan::Layout;
use shardwise_question::wire::Backend;

/// Bytes per logit while an eager loss is computed: logits in bf16, and at the worst moment, in its backward pass,
/// the log-softmax, its gradient and the loss's, each in fp32 (PyTorch's `cross_entropy` over `logits.float()`).
/// torchtitan's runs of December 2024 show 12 to 13.
const EAGER_LOGIT_BYTES: f64 = 12.0;

/// The same where the head is frozen, all of it logits': those in bf16, their fp32 copy, the log-softmax and its gradient. Of a head that
/// trains its gradient stands for the rest (`head_gradient`). Qwen3-8B's adapters on one H200 show 14.1 to 14.9
/// (core/tests/data/training.jsonl), Mistral-7B's by TRL 14.9 and 15.0
/// (<https://github.com/foundation-model-stack/fms-acceleration/blob/876e2ed/scripts/benchmarks/refs/a100_80gb.csv>).
const FROZEN_LOGIT_BYTES: f64 = 14.0;

/// Bytes per logit of an eager loss that also keeps the fp32 copy which it reads, shifted by a token: 2 + 4 · 4. So do RL
/// trainers under FSDP when they fine-tune: prime-rl's runs meet it (core/tests/data/training.jsonl). So did `transformers` before
/// 4.49 (<https://github.com/huggingface/transformers/pull/35646>): Qwen's table of memory by length
/// (<https://github.com/QwenLM/Qwen/blob/2df8e8ac450fa185c421a08b0090ef81826caa6e/README.md>) grows by 17 bytes a logit, Unsloth's longest lengths of plain
/// Hugging Face (<https://github.com/unslothai/unsloth/blob/e76172c/README.md>) by 18. Since then it takes [`EAGER_LOGIT_BYTES`]: eight
/// runs of 5.17 on one H200 show 12.0 to 12.3 (core/tests/data/h200.jsonl).
const SHIFTED_LOGIT_BYTES: f64 = 18.0;

/// Bytes per logit of a fused loss: logits in bf16 and their gradient, or fp32 logits that the gradient replaces
/// (Korthikanti et al. 2022, arXiv:2205.05198, section 4.3: `4·s·b·v`).
const FUSED_LOGIT_BYTES: f64 = 4.0;

/// Bytes per logit of Megatron-Core's own fused loss, which fine-tuning has: it is mcore's default and ms-swift's
/// (`cross_entropy_fusion_impl` of `megatron/core/model_parallel_config.py`), where Megatron-Bridge's recipes of pre-training have
/// Transformer Engine's. It is compiled, so that nothing is in place: beside the softmax in fp32 the backward pass has a copy of it, from
/// which the targets are taken, and the gradient in bf16, 10 bytes
/// (<https://github.com/NVIDIA/Megatron-LM/blob/d98e8a64ddf34856e74b24714e3bedb2f5a39553/megatron/core/fusions/fused_cross_entropy.py>,
/// `calculate_gradients`). Packed batches are not all as long, so that blocks of other sizes stay: ms-swift's runs of 8,192 tokens reserve
/// 13.3 to 15.1 (Qwen1.5-MoE, Moonlight and Qwen3-30B-A3B on 4, 8 and 16 GPUs without tensor parallelism,
/// <https://github.com/modelscope/ms-swift/tree/3602360a562313afbf2ef6065fdf61f271a2c5b9/examples/megatron/moe>; `memory(GiB)` is
/// `max_memory_reserved`, `swift/megatron/callbacks/print.py`).
const NATIVE_LOGIT_BYTES: f64 = 14.0;

/// The loss's moment: logits, what it makes of them, and the head's gradient, which stands beside them before it is
/// added to the others.
/// A fused LM head keeps no logits.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Bytes that a logit takes at the worst moment.
    pub logit_bytes: f64,
    /// Logits of a token on one GPU.
    pub vocabulary: f64,
    /// Bytes of the LM head's gradient per weight; 0 where the head is not trained.
    pub head_gradient: f64,
}

impl Loss {
    /// That of a role; `None` of one whose head is a single number.
    pub(super) fn of(context: &Context<'_>, role: &Role<'_>, layout: &Layout, usage: Use) -> Option<Self> {
        let trains = usage == Use::Train && role.adapters == 0;
        (role.head == Head::Vocabulary).then(|| Self {
            logit_bytes: distilled::logit_bytes(context, role, layout, usage)
                .unwrap_or_else(|| logit_bytes(context, layout, usage)),
            vocabulary: role.model.shape.vocab_size as f64 / f64::from(layout.tensor_parallel),
            head_gradient: if trains { context.efficiency.head_gradient } else { 0.0 },
        })
    }

    /// All of it for so many tokens.
    pub(super) fn bytes(&self, tokens: f64, rank: &RankWeights) -> Bytes {
        self.logits(tokens) + Bytes::new(rank.head * self.head_gradient)
    }

    /// Logits and what is made of them.
    pub(super) fn logits(&self, tokens: f64) -> Bytes {
        Bytes::new(self.logit_bytes * tokens * self.vocabulary)
    }
}

/// Bytes that a logit takes in a pass of RL, by whose code it is.
fn of_rl(context: &Context<'_>, layout: &Layout, usage: Use) -> f64 {
    let job = context.job;
    let own = rl_logit_bytes(job.framework.map(|own| own.id), layout.backend, job.workload.packing);
    match usage {
        Use::Train => layout.logit_bytes.unwrap_or(own.update),
        Use::Evaluate => own.forward,
    }
}

/// Bytes that a logit takes at the loss's worst moment.
fn logit_bytes(context: &Context<'_>, layout: &Layout, usage: Use) -> f64 {
    let workload = &context.job.workload;
    match (usage, layout.fused_loss) {
        _ if layout.fused_lm_head => 0.0,
        (_, true) if workload.rl.is_some() => of_rl(context, layout, usage),
        (Use::Train, true) if workload.fine_tunes() && layout.backend == Backend::Megatron => {
            layout.logit_bytes.unwrap_or(NATIVE_LOGIT_BYTES)
        }
        (_, true) => FUSED_LOGIT_BYTES,
        (Use::Train, false) => {
            let shifts = workload.fine_tunes() && layout.backend == Backend::Fsdp;
            let eager = if context.adapters > 0 { FROZEN_LOGIT_BYTES } else { EAGER_LOGIT_BYTES };
            layout.logit_bytes.unwrap_or(if shifts { SHIFTED_LOGIT_BYTES } else { eager })
        }
        // No gradients: logits, their fp32 copy and the log-softmax.
        (Use::Evaluate, false) => EAGER_LOGIT_BYTES - 2.0,
    }
}
