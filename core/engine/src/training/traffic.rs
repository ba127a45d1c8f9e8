//! Weights gathered and gradients reduced between data-parallel ranks.

use super::adapters::rank_adapters;
use super::stages::StageTime;
use crate::batch::Batch;
use crate::context::{Context, Role};
use crate::weights::{RankWeights, Stage, held, shard_counts};
use crate::zero_infinity;
use shardwise_catalog::units::{Bytes, Seconds};
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Backend, Precision};

/// Traffic beside computation.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    /// All of it, were nothing hidden.
    pub all: Seconds,
    /// What computation does not hide.
    pub shown: Seconds,
}

impl Traffic {
    /// None.
    const NONE: Self = Self { all: Seconds::ZERO, shown: Seconds::ZERO };

    /// What runs beside nothing.
    fn alone(time: Seconds) -> Self {
        Self { all: time, shown: time }
    }

    /// What runs beside `room` of computation, of which `share` can hide at most.
    fn beside(time: Seconds, room: Seconds, share: f64) -> Self {
        Self { all: time, shown: hide(time, room, share) }
    }

    fn plus(self, other: Self) -> Self {
        Self { all: self.all + other.all, shown: self.shown + other.shown }
    }

    fn times(self, n: f64) -> Self {
        Self { all: self.all * n, shown: self.shown * n }
    }
}

/// What is left of `communication` beside `computation`, where `share` of it can hide at all: prefetched weights and
/// gradients reduced as they come (FSDP, arXiv:2304.11277, section 3.3).
fn hide(communication: Seconds, computation: Seconds, share: f64) -> Seconds {
    communication.beyond(computation).max(communication * (1.0 - share))
}

/// Weights of one GPU and the ranks that share what is sharded of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shards {
    rank: RankWeights,
    dense: f64,
    experts: f64,
}

impl Shards {
    /// Those of a role in a layout.
    pub(super) fn of(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> Self {
        let (experts, dense) = shard_counts(layout, context.training_gpus());
        Self { rank: context.known.rank_weights(role, layout, Stage::First), dense, experts }
    }

    /// Weights of one GPU that its optimizer steps.
    pub(super) fn trained(&self, layout: &Layout) -> f64 {
        held(&self.rank.trained(), layout, (self.experts, self.dense), 1)
    }

    /// See [`held`].
    fn held(&self, layout: &Layout, from: u8) -> f64 {
        held(&self.rank, layout, (self.experts, self.dense), from)
    }
}

/// Which pass gathers weights.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Forward,
    Backward,
}

/// Gathering the weights of one pass under ZeRO-3 and FSDP, in bf16 or as ZeRO++ does.
fn gather_weights(context: &Context<'_>, layout: &Layout, shards: &Shards, pass: Pass) -> Seconds {
    let stride = layout.tensor_parallel;
    let network = &context.network;
    let rank = &shards.rank;
    let bytes = zero_infinity::gathered_weight_bytes(&layout.zero_plus);
    // hpZ gathers a second time within its own group (ZeRO++, arXiv:2306.10209, section 3.2).
    let second = pass == Pass::Backward && layout.zero_plus.partition_size > 1;
    let among = |ranks: f64| {
        if second { ranks.min(layout.zero_plus.partition_size.into()) } else { ranks }
    };
    let gather = |weights: f64, ranks: f64| network.gather(bytes * weights, network.group(among(ranks) as u32, stride));
    let mut time = gather(rank.dense, shards.dense);
    if rank.experts > 0.0 {
        time += gather(rank.experts, shards.experts);
    }
    if layout.offload.parameters {
        let held = rank.dense / among(shards.dense) + rank.experts / among(shards.experts);
        let held = if second { held } else { shards.held(layout, 3) };
        time += zero_infinity::fetch(Bytes::new(2.0 * held), layout, network);
    }
    time
}

/// Gathering the weights of a forward pass alone, beside which all of it can hide.
pub(super) fn forward_traffic(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    stage: &StageTime,
) -> Traffic {
    if layout.zero_stage < 3 {
        return Traffic::NONE;
    }
    let gather = gather_weights(context, layout, &Shards::of(context, role, layout), Pass::Forward);
    Traffic::beside(gather, stage.room_forward(), context.framework(layout).overlap).times(batch.micro_batches)
}

/// Bytes per weight that an optimizer split over ranks hands out: bf16, or Megatron's fp8 with one scale per tensor, as every
/// published recipe gathers it (`fp8_param_gather`). Blocks with scales of their own are quantised where they arrive.
fn updated_bytes(context: &Context<'_>, layout: &Layout) -> f64 {
    let scaled = context.job.workload.precision == Precision::Fp8;
    if layout.backend == Backend::Megatron && scaled { 1.0 } else { 2.0 }
}

/// Gradient reduction and weight gathering that computation does not hide, in one step of `n` micro-batches. What each
/// stage sends is ZeRO's (arXiv:1910.02054, section 7).
pub(super) fn step_traffic(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    stage: &StageTime,
) -> Traffic {
    let network = &context.network;
    let share = context.framework(layout).overlap;
    let shards = Shards::of(context, role, layout);
    let n = batch.micro_batches;
    let stride = layout.tensor_parallel;
    let trained = if role.adapters > 0 {
        RankWeights { dense: rank_adapters(role, layout), ..RankWeights::default() }
    } else {
        shards.rank.trained()
    };
    let reduce_bytes = match layout.backend {
        Backend::Deepspeed => 2.0,
        Backend::Megatron | Backend::Fsdp | Backend::Ddp => layout.gradient_bytes,
    };
    let dense = network.group(shards.dense as u32, stride);
    let experts = network.group(shards.experts as u32, layout.expert_parallel * layout.expert_tensor_parallel);
    // All-gather or reduce-scatter of what trains, in so many bytes per weight.
    let moved =
        |bytes: f64| network.gather(bytes * trained.dense, dense) + network.gather(bytes * trained.experts, experts);
    let beside = |time: Seconds, room: Seconds, overlapped: bool| {
        if overlapped { Traffic::beside(time, room, share) } else { Traffic::alone(time) }
    };
    let beside_forward = |time: Seconds| beside(time, stage.room_forward(), layout.overlap.parameters);
    let beside_backward = |time: Seconds| beside(time, stage.room_backward(), layout.overlap.gradients);
    match layout.zero_stage {
        3 => {
            let gather = |pass| gather_weights(context, layout, &shards, pass);
            let reduce_bytes = reduce_bytes * zero_infinity::sent_gradients(&layout.zero_plus);
            let mut scatter = moved(reduce_bytes);
            let gpus = context.training_gpus();
            let replicas = layout.data_parallel(gpus) * layout.sequence_split() / layout.shard_group.max(1);
            if replicas > 1 {
                let across = network.group(replicas, stride * layout.shard_group);
                scatter += network.reduce(reduce_bytes * trained.dense / shards.dense, across) * (1.0 / n);
            }
            beside_forward(gather(Pass::Forward))
                .plus(beside_backward(gather(Pass::Backward) + scatter))
                .times(n)
        }
        2 => beside_backward(moved(reduce_bytes)).times(n).plus(Traffic::alone(moved(2.0))),
        // Only the last micro-batch's backward pass and the next step's first forward pass run beside them.
        1 => beside_backward(moved(reduce_bytes)).plus(beside_forward(moved(updated_bytes(context, layout)))),
        _ => beside_backward(
            network.reduce(reduce_bytes * trained.dense, dense)
                + network.reduce(reduce_bytes * trained.experts, experts),
        ),
    }
}
