//! What the optimizer's step makes beside its states.

use super::Use;
use crate::context::{Context, Role};
use crate::weights::{RankWeights, held, shard_counts};
use shardwise_catalog::units::Bytes;
use shardwise_question::optimizer::Makes;
use shardwise_question::plan::Layout;
use shardwise_question::wire::Backend;

/// Whether the update makes nothing beside the optimizer's states that outlasts a kernel, or makes it elsewhere: Megatron
/// and `DeepSpeed` have kernels of their own, adapters are few. `transformers` asks for PyTorch's fused AdamW since PyTorch 2.8
/// (5.17, `training_args.py`, `default_optim`), and torchtitan has since its first release (`OptimizersContainer`): 33.4 GiB of Qwen3-4B
/// in bf16 on one H200 (core/tests/data/h200.jsonl) are weights, gradients, two moments and activations. RL trainers leave it to
/// PyTorch, which takes `foreach`.
#[must_use]
pub fn steps_in_place(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> bool {
    let makes = layout.optimizer.kind.row().makes;
    let trainer = makes == Makes::Denominators && context.job.workload.rl.is_none();
    let fused = trainer || matches!(layout.backend, Backend::Megatron | Backend::Deepspeed);
    fused || layout.offload.optimizer || role.adapters > 0 || makes == Makes::Nothing || layout.optimizer.in_backward
}

/// Weights of the largest tensor of a GPU whose states are sharded as its blocks' are: embedding or LM head, where it has one.
#[must_use]
pub fn largest_tensor(rank: &RankWeights, layout: &Layout, shards: f64) -> f64 {
    let largest = rank.head.max(rank.outer - rank.head);
    if layout.zero_stage >= 1 { largest / shards } else { largest }
}

/// Weights that `DeepSpeed` steps at a time with ZeRO-3 (`sub_group_size`, `runtime/zero/config.py`).
const SUB_GROUP: f64 = 1e9;

/// What `DeepSpeed` makes of a GPU's gradients before it steps where they are: one tensor of them all, then the same in fp32
/// (0.16.9 to 0.19.8, `runtime/zero/stage_1_and_2.py`, `step`, and `runtime/zero/stage3.py`, `_prepare_fp32_grad_for_sub_group`). A run
/// that ran out there asked for just the fp32 ones (<https://github.com/hiyouga/LlamaFactory/issues/1158>: 12.94 GiB of 13.9 billion
/// weights on four GPUs).
///
/// Bytes of a weight, and weights at a time.
#[must_use]
pub fn flat_gradients(role: &Role<'_>, rank: &RankWeights, layout: &Layout, gpus: u32) -> Option<(f64, f64)> {
    let flattens = layout.backend == Backend::Deepspeed && layout.zero_stage >= 1;
    let on_host = layout.offload.optimizer || layout.steps_with_gradients();
    if !flattens || on_host || layout.optimizer.in_backward || role.adapters > 0 {
        return None;
    }
    let own = held(&rank.trained(), layout, shard_counts(layout, gpus), 1);
    let at_once = if layout.zero_stage >= 3 { own.min(SUB_GROUP) } else { own };
    let in_fp32 = if layout.gradient_bytes < 4.0 { 4.0 } else { 0.0 };
    Some((layout.gradient_bytes + in_fp32, at_once))
}

/// What the optimizer's step makes beside its states: `PyTorch`'s AdamW works on all tensors at once (`foreach`) and
/// keeps the denominator of each, in the type of its moments (`torch/optim/adamw.py`, `_multi_tensor_adamw`). Adafactor and Muon make copies
/// of one tensor at a time, of which embedding or LM head are the largest (`transformers/optimization.py`); bitsandbytes'
/// kernels make nothing. Megatron and `DeepSpeed` have fused kernels, and `DeepSpeed` copies gradients before.
pub(super) fn optimizer_step(
    context: &Context<'_>,
    role: &Role<'_>,
    rank: &RankWeights,
    layout: &Layout,
    usage: Use,
) -> Bytes {
    if usage == Use::Evaluate {
        return Bytes::ZERO;
    }
    if steps_in_place(context, role, layout) {
        let flat = flat_gradients(role, rank, layout, context.training_gpus());
        return Bytes::new(flat.map_or(0.0, |(bytes, weights)| bytes * weights));
    }
    let shards = shard_counts(layout, context.training_gpus());
    match layout.optimizer.kind.row().makes {
        Makes::Nothing => Bytes::ZERO,
        Makes::Denominators => Bytes::new(0.5 * layout.optimizer_bytes * held(&rank.trained(), layout, shards, 1)),
        Makes::Copies(n) => Bytes::new(4.0 * f64::from(n) * largest_tensor(rank, layout, shards.1)),
    }
}
