//! What a training step takes at least, calibrated, for a search that leaves out what cannot win.

use super::{BACKWARD_KERNELS, EAGER_LOSS_BYTES, Shards, block_times, optimizer};
use crate::context::{Context, Role};
use crate::layer::Slice;
use shardwise_catalog::units::Seconds;
use shardwise_question::plan::Layout;

/// Seconds that all blocks and the LM head take at least for one micro-batch, with blocks split as in `layout`: both
/// passes without recomputation. What exchanges add that attention hides in part is left out.
///
/// A pass's share of it is what the slowest of `p` stages takes at least, the mean; and for each token it is least where
/// micro-batches are largest, as every part is a floor and a term that grows with the tokens.
#[must_use]
pub fn least_pass(context: &Context<'_>, role: &Role<'_>, layout: &Layout, slice: Slice) -> Seconds {
    let times = block_times(context, role, layout, slice);
    let (mut forward, mut backward) = (Seconds::ZERO, Seconds::ZERO);
    let (mut beside, mut floor) = (Seconds::ZERO, Seconds::ZERO);
    let mut kernels = 0.0;
    let overlapped = layout.overlap.tensor_parallel;
    for (block, time) in role.blocks.iter().zip(times.iter()) {
        let count = block.count as f64;
        forward += time.forward * count;
        backward += time.backward * count;
        beside += (time.expert + time.wait_forward + time.wait_backward) * count;
        if !overlapped {
            forward += time.tensor_forward * count;
            backward += time.tensor_backward * count;
            kernels += time.kernels * count;
            floor += time.floor_backward * count;
        }
    }
    let host = Seconds::new(kernels * context.framework(layout).host_per_kernel_s);
    let head = least_head(context, role, layout, slice.tokens);
    let weights = if role.adapters == 0 { 2.0 } else { 1.0 };
    let backward = (backward + head * weights).max(host * BACKWARD_KERNELS).max(floor);
    ((forward + head).max(host) + backward + beside) * context.job.time_factor()
}

/// Seconds that a forward pass over one token takes at least in all layers, however many pass with it: the terms that
/// grow with the tokens.
#[must_use]
pub fn least_forward(context: &Context<'_>, role: &Role<'_>, layout: &Layout, attention_length: f64) -> f64 {
    let tokens = 1e9;
    let plain = layout.without_recompute();
    let slice = Slice { tokens, attention_length };
    let times = block_times(context, role, &plain, slice);
    let mut all = least_head(context, role, layout, tokens);
    for (block, time) in role.blocks.iter().zip(times.iter()) {
        let one = time.forward + time.tensor_forward + time.expert * 0.5;
        all += one * block.count as f64;
    }
    // Without its floors a sum is rounded otherwise.
    all.get() / tokens * (1.0 - 1e-6) * context.job.time_factor()
}

/// One of the LM head's products: its least forward pass.
fn least_head(context: &Context<'_>, role: &Role<'_>, layout: &Layout, tokens: f64) -> Seconds {
    let shape = &role.model.shape;
    let vocabulary = shape.vocab_size as f64 / f64::from(layout.tensor_parallel);
    let rates = context.rates.in_half();
    rates.product(tokens, vocabulary, shape.hidden_size as f64)
}

/// Seconds that a fused head saves at most in a forward and backward pass over `tokens`: what it does not move of logits.
#[must_use]
pub fn most_saved_by_fused_head(context: &Context<'_>, role: &Role<'_>, layout: &Layout, tokens: f64) -> f64 {
    let vocabulary = role.model.shape.vocab_size as f64 / f64::from(layout.tensor_parallel);
    let rates = context.rates.in_half();
    let moved = EAGER_LOSS_BYTES * tokens * vocabulary;
    rates.stream(moved).get() * context.job.time_factor()
}

/// Seconds of the optimizer's step and of what host memory adds to it.
#[must_use]
pub fn update(context: &Context<'_>, role: &Role<'_>, layout: &Layout, shards: &Shards) -> f64 {
    let (optimizer, offload) = optimizer(context, role, layout, shards);
    (optimizer.get() + offload.get()) * context.job.time_factor()
}
