//! Weights gathered and gradients reduced between data-parallel ranks.

use super::stages::StageTime;
use crate::batch::Batch;
use crate::communication::Group;
use crate::context::{Context, Role};
use crate::weights::{RankWeights, Stage, held, rank_adapters, shard_counts};
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
    fn alone(sent: Sent) -> Self {
        Self { all: sent.all(), shown: sent.all() }
    }

    /// What runs beside `room` of computation, of which `share` can hide at most; of the rings' latency what they wait for
    /// beyond those of fitted runs.
    fn beside(sent: Sent, room: Seconds, share: f64) -> Self {
        let shown = |time: Seconds| hide(time, room, share);
        let beyond = shown(sent.time + sent.rings) - shown(sent.time + sent.fitted);
        Self { all: sent.all(), shown: shown(sent.time) + beyond }
    }

    fn plus(self, other: Self) -> Self {
        Self { all: self.all + other.all, shown: self.shown + other.shown }
    }

    fn times(self, n: f64) -> Self {
        Self { all: self.all * n, shown: self.shown * n }
    }
}

/// What collectives send over one group, or over several.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// As efficiencies have it.
    time: Seconds,
    /// What the collectives wait for their rings.
    rings: Seconds,
    /// What they would in the largest group of a fitted run, which efficiencies have.
    fitted: Seconds,
}

/// The most GPUs over which a fitted run shards by all-gathers and reduce-scatters: llm-foundry's of MPT under FSDP on 512 H100
/// and `InternEvo`'s on as many A100 (`core/tests/data/training.jsonl`).
const FITTED: u32 = 512;

impl Sent {
    /// What takes `time` in so many `pieces` over a group.
    fn over(context: &Context<'_>, time: Seconds, pieces: f64, group: Group) -> Self {
        let rings = |most| context.network.ring_latency(pieces, group, most);
        Self { time, rings: rings(u32::MAX), fitted: rings(FITTED) }
    }

    /// What has no rings.
    fn plain(time: Seconds) -> Self {
        Self { time, rings: Seconds::ZERO, fitted: Seconds::ZERO }
    }

    fn all(self) -> Seconds {
        self.time + (self.rings - self.fitted)
    }

    fn plus(self, other: Self) -> Self {
        Self { time: self.time + other.time, rings: self.rings + other.rings, fitted: self.fitted + other.fitted }
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

/// All-gathers or reduce-scatters in which a GPU's weights go over its ranks.
///
/// FSDP has one for each block and one for the rest (arXiv:2304.11277, section 3.2.1), and so have ZeRO-3 and Megatron's FSDP
/// at least. Buckets are larger, and Megatron's grow with the ranks so that latency does not decide (`bucket_size` of its
/// `DistributedDataParallelConfig`): they count as one.
fn pieces(role: &Role<'_>, layout: &Layout) -> f64 {
    if layout.zero_stage >= 3 || layout.backend == Backend::Fsdp {
        role.model.shape.num_hidden_layers as f64 / f64::from(layout.pipeline_parallel) + 1.0
    } else {
        1.0
    }
}

/// Gathering the weights of one pass under ZeRO-3 and FSDP, in bf16 or as ZeRO++ does.
fn gather_weights(context: &Context<'_>, role: &Role<'_>, layout: &Layout, shards: &Shards, pass: Pass) -> Sent {
    let stride = layout.tensor_parallel;
    let network = &context.network;
    let rank = &shards.rank;
    let bytes = zero_infinity::gathered_weight_bytes(&layout.zero_plus);
    // hpZ gathers a second time within its own group (ZeRO++, arXiv:2306.10209, section 3.2).
    let second = pass == Pass::Backward && layout.zero_plus.partition_size > 1;
    let among = |ranks: f64| {
        if second { ranks.min(layout.zero_plus.partition_size.into()) } else { ranks }
    };
    let pieces = pieces(role, layout);
    let gather = |weights: f64, ranks: f64| {
        let group = network.group(among(ranks) as u32, stride);
        Sent::over(context, network.gather(bytes * weights, group), pieces, group)
    };
    let mut sent = gather(rank.dense, shards.dense);
    if rank.experts > 0.0 {
        sent = sent.plus(gather(rank.experts, shards.experts));
    }
    if layout.offload.parameters {
        let held = rank.dense / among(shards.dense) + rank.experts / among(shards.experts);
        let held = if second { held } else { shards.held(layout, 3) };
        sent.time += zero_infinity::fetch(Bytes::new(2.0 * held), layout, network);
    }
    sent
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
    let gather = gather_weights(context, role, layout, &Shards::of(context, role, layout), Pass::Forward);
    Traffic::beside(gather, stage.room_forward(), context.framework(layout).overlap).times(batch.micro_batches)
}

/// Bytes per weight that an optimizer split over ranks hands out: bf16, or Megatron's fp8 with one scale per tensor, as every
/// published recipe gathers it (`fp8_param_gather`). Blocks with scales of their own are quantised where they arrive.
fn updated_bytes(context: &Context<'_>, layout: &Layout) -> f64 {
    let scaled = context.job.workload.precision == Precision::Fp8;
    if layout.backend == Backend::Megatron && scaled { 1.0 } else { 2.0 }
}

/// What trains of one GPU's weights, before it is sharded.
fn trained(role: &Role<'_>, layout: &Layout, shards: &Shards) -> RankWeights {
    if role.adapters > 0 { rank_adapters(role, layout) } else { shards.rank.trained() }
}

/// Gradients reduced between replicas of shard groups: `bytes` of all that one GPU has.
fn across_replicas(context: &Context<'_>, layout: &Layout, bytes: f64) -> Seconds {
    let replicas = layout.data_parallel(context.training_gpus()) * layout.sequence_split() / layout.shard_group.max(1);
    let across = context.network.group(replicas, layout.tensor_parallel * layout.shard_group);
    if replicas > 1 { context.network.reduce(bytes, across) } else { Seconds::ZERO }
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
    let trained = trained(role, layout, &shards);
    let reduce_bytes = match layout.backend {
        Backend::Deepspeed => 2.0,
        Backend::Megatron | Backend::Fsdp | Backend::Ddp => layout.gradient_bytes,
    };
    let dense = network.group(shards.dense as u32, stride);
    let experts = network.group(shards.experts as u32, layout.expert_parallel * layout.expert_tensor_parallel);
    // All-gather or reduce-scatter of what trains, in so many bytes per weight.
    let pieces = pieces(role, layout);
    let moved = |bytes: f64| {
        let over = |weights: f64, group| Sent::over(context, network.gather(bytes * weights, group), pieces, group);
        let routed = over(trained.experts, experts);
        over(trained.dense, dense).plus(if trained.experts > 0.0 { routed } else { Sent::plain(routed.time) })
    };
    let beside = |sent: Sent, room: Seconds, overlapped: bool| {
        if overlapped { Traffic::beside(sent, room, share) } else { Traffic::alone(sent) }
    };
    let beside_forward = |sent: Sent| beside(sent, stage.room_forward(), layout.overlap.parameters);
    let beside_backward = |sent: Sent| beside(sent, stage.room_backward(), layout.overlap.gradients);
    // Of how many micro-batches gradients are reduced.
    let reduced = if layout.sync_each_batch { n } else { n.min(1.0) };
    match layout.zero_stage {
        3 => {
            let [before, again] =
                [Pass::Forward, Pass::Backward].map(|pass| gather_weights(context, role, layout, &shards, pass));
            let reduce_bytes = reduce_bytes * zero_infinity::sent_gradients(&layout.zero_plus);
            let mut scatter = moved(reduce_bytes);
            let bytes = reduce_bytes * trained.dense / shards.dense;
            scatter.time += across_replicas(context, layout, bytes) * (1.0 / reduced);
            let passes = beside_forward(before)
                .times(n)
                .plus(beside_backward(again.plus(scatter)).times(reduced));
            if reduced < n { passes.plus(beside_backward(again).times(n - reduced)) } else { passes }
        }
        2 => {
            let gathered = moved(2.0);
            // Their rings' latency is beside the forward pass that asks for them.
            let waiting = Sent { time: Seconds::ZERO, ..gathered };
            let once = Traffic::alone(Sent::plain(gathered.time)).plus(beside_forward(waiting));
            beside_backward(moved(reduce_bytes)).times(reduced).plus(once)
        }
        // Only the last micro-batch's backward pass and the next step's first forward pass run beside them.
        1 => beside_backward(moved(reduce_bytes)).plus(beside_forward(moved(updated_bytes(context, layout)))),
        _ => beside_backward(Sent::plain(
            network.reduce(reduce_bytes * trained.dense, dense)
                + network.reduce(reduce_bytes * trained.experts, experts),
        )),
    }
}
