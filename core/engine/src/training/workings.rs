//! What [`step`](super::step) and [`forward`](super::forward) add up, term by term: for explaining them.

use super::{
    FORWARD_EXCHANGES, Shards, activation_copies, block_context, block_times, head_time, stage_send, stages,
    tensor_exposed, updated, updates_on_host,
};
use crate::batch::Batch;
use crate::blocks::Block;
use crate::context::{Context, Role};
use crate::weights::{Stage, stage_layers};
use crate::zero_infinity;
use shardwise_catalog::units::Seconds;
use shardwise_question::plan::Layout;
use shardwise_question::wire::TimeParts;

/// The terms of one optimizer step, or of one forward pass: seconds of the slowest stage over one micro-batch, before
/// calibration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Workings {
    /// Micro-batches.
    pub micro_batches: f64,
    /// Tokens of one of them on one GPU.
    pub tokens: f64,
    /// Computation of the forward pass.
    pub forward: f64,
    /// Of the backward pass; 0 of a forward pass alone.
    pub backward: f64,
    /// Computation done again.
    pub recompute: f64,
    /// Tensor-parallel collectives, and the share of them that shows.
    pub tensor: (f64, f64),
    /// Context-parallel exchanges of both passes, and the share of them in these.
    pub context: (f64, f64),
    /// The experts' exchanges, likewise.
    pub expert: (f64, f64),
    /// The GPU's waiting for the host.
    pub wait: f64,
    /// What the mean stage takes, or of a forward pass the slowest.
    pub stage: f64,
    /// One send between stages, and how many of them show.
    pub send: (f64, f64),
}

/// The terms of [`step`](super::step).
pub fn step(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> Workings {
    let all = stages(context, role, layout, batch);
    let (slow, block) = (&all.slowest, &all.slowest.block);
    let (send, exposed) =
        if layout.pipeline_parallel > 1 { stage_send(context, role, layout, batch) } else { (Seconds::ZERO, 1.0) };
    let chunks = f64::from(layout.virtual_pipeline);
    let tensor = block.tensor_forward + block.tensor_backward;
    let busy = block.forward + block.tensor_forward;
    let busy_backward = block.backward + block.recompute + block.tensor_backward;
    Workings {
        micro_batches: batch.micro_batches,
        tokens: batch.mean.tokens,
        forward: block.forward.get(),
        backward: block.backward.get(),
        recompute: block.recompute.get(),
        tensor: (tensor.get(), ratio(tensor_exposed(layout, slow).get(), tensor.get())),
        context: (block.context.get(), 1.0),
        expert: (block.expert.get(), 1.0),
        wait: ((slow.forward() - busy) + (slow.backward() - busy_backward)).get(),
        stage: all.mean.get(),
        send: (send.get(), 2.0 * chunks * exposed),
    }
}

/// The terms of [`forward`](super::forward).
pub fn forward(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> Workings {
    let all = stages(context, role, &layout.without_recompute(), batch);
    let (ring, experts) = FORWARD_EXCHANGES;
    let (slow, block) = (&all.slowest, &all.slowest.block);
    let busy = slow.forward();
    Workings {
        micro_batches: batch.micro_batches,
        tokens: batch.mean.tokens,
        forward: block.forward.get(),
        tensor: (block.tensor_forward.get(), 1.0),
        context: (block.context.get(), ring),
        expert: (block.expert.get(), experts),
        wait: busy.beyond(block.forward + block.tensor_forward).get(),
        stage: (busy + block.context * ring + block.expert * experts).get(),
        ..Workings::default()
    }
}

/// All of `part` over all of `whole`; 1 of nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

/// Seconds of data-parallel traffic of one step over `batch`, or of a forward pass, were nothing of it hidden. Of a
/// forward pass all of it can hide: see [`exchanged_forward`].
pub fn exchanged(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> f64 {
    let mut open = *layout;
    open.overlap.gradients = false;
    open.overlap.parameters = false;
    let parts: TimeParts = super::step(context, role, &open, batch);
    parts.data_parallel / super::time_factor(context, layout, batch.mean.tokens)
}

/// Seconds of data-parallel traffic of a forward pass alone, were nothing of it hidden: weights gathered under ZeRO-3.
pub fn exchanged_forward(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> f64 {
    let shards = Shards::of(context, role, layout);
    let gather = super::gather_weights(context, layout, &shards, super::Pass::Forward);
    gather.get() * batch.micro_batches
}

/// The terms of the optimizer's update on one GPU.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// Weights that one GPU updates.
    pub weights: f64,
    /// Share of them that the host's CPUs do.
    pub on_host: f64,
    /// Seconds of the drives' traffic in it.
    pub swap: f64,
}

/// The terms of the optimizer's update.
pub fn update(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> Update {
    let weights = updated(role, layout, &Shards::of(context, role, layout));
    let on_host = updates_on_host(context, layout);
    let swap = zero_infinity::swap(weights * on_host, layout, &context.network).get();
    Update { weights, on_host, swap }
}

/// Seconds of a step's activations on their way to host memory and back that computation does not hide.
pub fn copies(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> f64 {
    if !layout.offload.activations {
        return 0.0;
    }
    let slow = stages(context, role, layout, batch).slowest;
    let (forward, backward) = (slow.forward(), slow.backward());
    activation_copies(context, role, layout, batch, forward, backward).get() * batch.micro_batches
}

/// Seconds of a forward and of a backward pass.
pub(crate) type Passes = [f64; 2];

/// What the slowest stage's computation of one micro-batch is made of.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// Each kind of block, how many of it, and one of them.
    pub kinds: Vec<(Block, f64, Passes)>,
    /// LM head and loss, where the stage has them.
    pub head: Passes,
    /// Adapters, and unpacking a 4-bit base.
    pub adapters: Passes,
}

/// The blocks of the slowest stage; `None` where that is one between the ends, known by its mean alone.
pub fn blocks(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> Option<Blocks> {
    let slow = stages(context, role, layout, batch).slowest.block;
    let all: Passes = [slow.forward.get(), slow.backward.get()];
    let times = block_times(context, role, layout, batch.mean);
    let own = block_context(context, role, layout);
    let head = head_time(&own, role, batch.mean.tokens);
    [Stage::Last, Stage::First, Stage::Second].into_iter().find_map(|stage| {
        let kinds: Vec<(Block, f64, Passes)> = stage_layers(role, layout, stage)
            .zip(times.iter())
            .filter(|((_, count), _)| *count > 0.0)
            .map(|((block, count), time)| (block, count, [time.forward.get(), time.backward.get()]))
            .collect();
        let head = if stage == Stage::Last { [head.forward.get(), head.backward.get()] } else { [0.0; 2] };
        let rest = [0, 1].map(|pass| {
            let blocks: f64 = kinds.iter().map(|(_, count, own)| count * own[pass]).sum();
            all[pass] - blocks - head[pass]
        });
        let exact = rest.iter().zip(all).all(|(rest, all)| rest.abs() <= 1e-9 * all);
        // What is left of the stage with the head is the adapters'.
        let adapted = role.adapters > 0 && layout.pipeline_parallel == 1;
        (exact || adapted).then_some(Blocks { kinds, head, adapters: if exact { [0.0; 2] } else { rest } })
    })
}

/// What a block's computation of one micro-batch is made of: its mixer's products, attention, MLP, norms; and the factor of
/// all else on the GPU's time line.
pub fn pieces(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    block: Block,
) -> ([Passes; 4], f64) {
    let own = block_context(context, role, layout).pieces(block, batch.mean);
    let parts = [own.mixer, own.core, own.mlp, own.norms];
    (parts.map(|part| [part.forward.get(), part.backward.get()]), context.framework(layout).compute)
}
