//! The LM head and the loss.

use crate::context::{Context, Head, Role};
use crate::distilled;
use crate::layer::BlockTime;
use shardwise_catalog::units::Seconds;
use shardwise_question::job::Timed;
use shardwise_question::plan::Layout;
use shardwise_question::workload::Logits;

/// Bytes that an eager loss moves per logit: cast to fp32, maximum, exponentials, sum, gradient, cast back.
const EAGER_LOSS_BYTES: f64 = 20.0;

/// Time of the LM head and the loss: forward, backward, kernels.
pub(super) fn head_time(context: &Context<'_>, role: &Role<'_>, layout: &Layout, tokens: f64) -> BlockTime {
    if role.head == Head::Scalar {
        return BlockTime { kernels: 2.0, ..BlockTime::default() };
    }
    let product = head_product(context, role, layout, tokens);
    // A fused loss reads logits twice and writes them and their gradient; a fused head keeps them in chunks: one kernel does
    // (Liger's), or eager PyTorch chunk by chunk (prime-rl's `lm_head.py`, <https://github.com/PrimeIntellect-ai/prime-rl>).
    let moved = match (layout.fused_lm_head, layout.fused_loss) {
        (true, _) => context.framework(layout).fused_head_bytes,
        (false, fused) => {
            distilled::moved_bytes(context, role, layout).unwrap_or(if fused { 8.0 } else { EAGER_LOSS_BYTES })
        }
    };
    let loss = moved_logits(context, role, layout, tokens, moved);
    BlockTime {
        forward: product + loss * 0.5,
        backward: product * backward_products(role) + loss * 0.5,
        weight: product * (backward_products(role) - 1.0),
        recompute: if layout.fused_lm_head {
            product + teachers_tiles(context, role, layout, tokens)
        } else {
            Seconds::ZERO
        },
        kernels: 8.0,
        ..BlockTime::default()
    }
}

/// The teacher's logits once more, tile by tile beside the student's: a divergence over the whole vocabulary makes both again in
/// its backward pass (TRL 1.16.0, `kernels/chunked_divergence.py`).
fn teachers_tiles(context: &Context<'_>, role: &Role<'_>, layout: &Layout, tokens: f64) -> Seconds {
    let all = context
        .job
        .workload
        .distillation
        .as_ref()
        .is_some_and(|own| own.logits == Logits::Full);
    let teacher = context.teacher().filter(|own| all && !own.is(role));
    teacher.map_or(Seconds::ZERO, |own| head_product(context, &own, layout, tokens))
}

/// One of the head's products, in half precision whatever the others are in.
pub(super) fn head_product(context: &Context<'_>, role: &Role<'_>, layout: &Layout, tokens: f64) -> Seconds {
    let hidden = role.model.shape.hidden_size as f64;
    context.rates.in_half().product(tokens, logits(role, layout), hidden)
}

/// Products of the backward pass: for the input's gradient, and for the weight's where that trains.
pub(super) fn backward_products(role: &Role<'_>) -> f64 {
    if role.adapters == 0 { 2.0 } else { 1.0 }
}

/// Seconds that a fused head saves at most in a forward and backward pass over `tokens`: what it does not move of logits.
#[must_use]
pub fn most_saved_by_fused_head(context: &Context<'_>, role: &Role<'_>, layout: &Layout, tokens: f64) -> f64 {
    let apart = Layout { fused_lm_head: false, ..*layout };
    let most = distilled::moved_bytes(context, role, &apart).unwrap_or(EAGER_LOSS_BYTES);
    // Whichever pass it is in.
    let [forward, update] = [Timed::Forward, Timed::Update].map(|of| context.job.time_factor(of));
    moved_logits(context, role, layout, tokens, most.max(EAGER_LOSS_BYTES)).get() * forward.max(update)
}

/// Moving so many bytes of each logit of `tokens`.
fn moved_logits(context: &Context<'_>, role: &Role<'_>, layout: &Layout, tokens: f64, bytes: f64) -> Seconds {
    context.rates.stream(tokens * logits(role, layout) * bytes)
}

/// Logits of a token on one GPU.
fn logits(role: &Role<'_>, layout: &Layout) -> f64 {
    role.model.shape.vocab_size as f64 / f64::from(layout.tensor_parallel)
}
