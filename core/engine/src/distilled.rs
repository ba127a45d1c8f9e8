//! What a student's loss makes of logits, its own and a teacher's.

use crate::context::Context;
use crate::memory::Use;
use crate::role::{Head, Role};
use shardwise_question::plan::Layout;
use shardwise_question::wire::Backend;
use shardwise_question::workload::Logits;

/// Bytes of each row of the vocabulary that a divergence over all of it holds, in 16 bits as `DeepSpeed` computes it (ms-swift
/// 4.6.0, `rlhf_trainers/gkd_loss.py`). Of the student the logits, those of the positions that count, the same over the
/// temperature, log-softmax, the stack of the mixture (two), the mixture, and of each divergence an exponential and a difference,
/// of the teacher the first three and its exponential: fifteen, with the gradients of the student's first two at the worst moment.
const FULL_BYTES: f64 = 2.0 * 15.0;

/// The same where only the largest few count: logits of both, and of the student those of the positions that count, with the
/// gradients of both of its own.
const CHOSEN_BYTES: f64 = 2.0 * 5.0;

/// Bytes of each where a teacher's largest few come from an engine: logits in 16 bits and their gradient, the log-softmax in 32 and
/// its own (verl 0.9.1, `trainer/distillation/fsdp/losses.py`, `compute_forward_kl_topk`).
const SERVED_BYTES: f64 = 12.0;

/// How often each byte is moved: written, and read by what follows.
const MOVES: f64 = 2.0;

/// Bytes of each of the student's logits that its loss holds at the worst moment; nothing where it is no loss of a teacher's
/// logits, or makes them tile by tile.
#[must_use]
pub fn logit_bytes(context: &Context<'_>, role: &Role<'_>, layout: &Layout, usage: Use) -> Option<f64> {
    let own = context.job.workload.distillation.as_ref()?;
    if usage == Use::Evaluate || role.head != Head::Vocabulary || layout.fused_lm_head {
        return None;
    }
    // Accelerate computes in autocast, whose softmax is in 32 bits, and hands over outputs in 32.
    let wide = if layout.backend == Backend::Deepspeed { 1.0 } else { 2.0 };
    match (own.logits, own.pool) {
        (Logits::Sampled, _) => None,
        (_, Some(_)) => Some(SERVED_BYTES),
        (Logits::Full, None) => Some(FULL_BYTES * wide),
        (Logits::TopK(_), None) => Some(CHOSEN_BYTES * wide),
    }
}

/// Bytes that such a loss moves of each.
#[must_use]
pub fn moved_bytes(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> Option<f64> {
    Some(MOVES * logit_bytes(context, role, layout, Use::Train)?)
}
