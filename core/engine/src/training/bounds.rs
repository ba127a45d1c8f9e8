//! What a training step takes at least, calibrated, for a search that leaves out what cannot win.

use super::FORWARD_EXCHANGES;
use super::head::{backward_products, head_product};
use super::stages::{StageTime, all_blocks, block_times};
use super::update::update;
use crate::context::{Context, Head, Role};
use crate::layer::Slice;
use shardwise_catalog::units::Seconds;
use shardwise_question::job::Timed;
use shardwise_question::plan::Layout;

/// Seconds that all blocks and the LM head take at least for one micro-batch, with blocks split as in `layout`: both
/// passes without recomputation. What exchanges add that attention hides in part is left out.
///
/// A pass's share of it is what the slowest of `p` stages takes at least, the mean; and for each token it is least where
/// micro-batches are largest, as every part is a floor and a term that grows with the tokens.
#[must_use]
pub fn least_pass(context: &Context<'_>, role: &Role<'_>, layout: &Layout, slice: Slice) -> Seconds {
    let mut least = all_blocks(role, &block_times(context, role, layout, slice));
    let head = match role.head {
        Head::Vocabulary => head_product(context, role, layout, slice.tokens),
        Head::Scalar => Seconds::ZERO,
    };
    least.forward += head;
    least.backward += head * backward_products(role);
    least.recompute = Seconds::ZERO;
    least.context = Seconds::ZERO;
    if layout.overlap.tensor_parallel {
        // Products hide collectives, and hosts.
        least.tensor_forward = Seconds::ZERO;
        least.tensor_backward = Seconds::ZERO;
        least.floor_forward = Seconds::ZERO;
        least.floor_backward = Seconds::ZERO;
        least.kernels = 0.0;
    }
    StageTime::of(context, &layout.without_recompute(), least).both() * context.job.time_factor(Timed::Update)
}

/// Seconds that a forward pass over one token takes at least in all layers, however many pass with it: the terms that
/// grow with the tokens.
#[must_use]
pub fn least_forward(context: &Context<'_>, role: &Role<'_>, layout: &Layout, attention_length: f64) -> f64 {
    let tokens = 1e9;
    let plain = layout.without_recompute();
    let slice = Slice { tokens, attention_length, sequences: 0.0 };
    let all = all_blocks(role, &block_times(context, role, &plain, slice));
    let (_, experts) = FORWARD_EXCHANGES;
    let head = head_product(context, role, layout, tokens);
    let least = all.forward + all.tensor_forward + all.expert * experts + head;
    // Without its floors a sum is rounded otherwise.
    least.get() / tokens * (1.0 - 1e-6) * context.job.time_factor(Timed::Forward)
}

/// Seconds of the optimizer's step and of what host memory adds to it.
#[must_use]
pub fn least_update(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> f64 {
    let own = update(context, role, layout);
    (own.optimizer().get() + own.offload().get()) * context.job.time_factor(Timed::Update)
}
