//! Time of one optimizer step, and of a forward pass alone.

mod bounds;
pub mod workings;

use std::rc::Rc;

use crate::batch::Batch;
use crate::blocks::Block;
use crate::context::{Context, Head, Role};
use crate::coverage;
use crate::layer::{BlockContext, BlockTime, Slice, busiest_load};
use crate::memory;
use crate::weights::{RankWeights, Stage, held, rank_weights, shard_counts, stage_layers};
use crate::zero_infinity;
pub use bounds::{least_forward, least_pass, most_saved_by_fused_head, update};
use shardwise_catalog::units::{Bytes, Seconds};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::{Backend, TimeParts};

/// Time of a stage's passes over one micro-batch.
#[derive(Clone, Copy, Debug, Default)]
struct StageTime {
    block: BlockTime,
    /// Host floors, forward and backward.
    host_forward: Seconds,
    host_backward: Seconds,
}

/// The forward pass's share of the host's work on a micro-batch, as of the GPU's.
const FORWARD: f64 = 1.0 / 3.0;

/// Kernels of a backward pass for each of its forward pass: products have two, most of the rest one. Assumed; what a launch costs
/// is fitted with it (`host_per_kernel_s`).
pub(crate) const BACKWARD_KERNELS: f64 = 1.8;

/// What RL trainers' hosts add to a block's passes, in `seconds` of the host's for both without recomputation.
///
/// The GPU waits for the forward pass's own Python. The autograd engine runs ahead in the backward pass, where long kernels
/// hide the host: published dense runs with pipelines or large micro-batches show no wait there, those with experts do
/// (`verl_megatron_practice` and NeMo-RL, core/tests/data/rl.jsonl). Full recomputation runs the forward pass's again.
fn add_rl_host(time: &mut BlockTime, block: Block, recompute: Recompute, seconds: f64) {
    let forward = Seconds::new(seconds * FORWARD);
    let again = if recompute == Recompute::Full { forward } else { Seconds::ZERO };
    let backward = Seconds::new(seconds) - forward + again;
    time.wait_forward = forward;
    if block.has_experts() {
        time.wait_backward = backward;
    } else {
        time.floor_backward = backward;
    }
}

/// Load of the busiest rank of experts over the mean: pre-training benchmarks mostly force balance, RL trainers do not.
fn expert_imbalance(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> f64 {
    let efficiency = context.efficiency;
    let routed = if context.job.workload.rl.is_some() {
        let experts = role.model.shape.num_experts as f64;
        busiest_load(efficiency.rl_expert_spread, experts, f64::from(layout.expert_parallel))
    } else {
        1.0
    };
    efficiency.expert_imbalance * routed
}

impl StageTime {
    /// Forward pass: the GPU's time, or the host's where kernels are too small to keep it busy, and what the host does
    /// while the GPU waits.
    fn forward(&self) -> Seconds {
        (self.block.forward + self.block.tensor_forward).max(self.host_forward) + self.block.wait_forward
    }

    /// Backward pass, recomputation and exchanges included.
    fn backward(&self) -> Seconds {
        let block = &self.block;
        (block.backward + block.recompute + block.tensor_backward)
            .max(self.host_backward)
            .max(block.floor_backward)
            + block.wait_backward
    }

    /// Computation of the forward pass beside which weights and gradients travel: the ring takes the same links.
    fn room_forward(&self) -> Seconds {
        self.forward() - self.block.ring_forward
    }

    /// Computation of the backward pass beside which weights and gradients travel: the ring takes the same links.
    fn room_backward(&self) -> Seconds {
        self.backward() - self.block.ring_backward
    }

    fn both(&self) -> Seconds {
        self.forward() + self.backward() + self.block.context + self.block.expert
    }
}

/// Bytes that an eager loss moves per logit: cast to fp32, maximum, exponentials, sum, gradient, cast back.
const EAGER_LOSS_BYTES: f64 = 20.0;

/// Time of the LM head and the loss: forward, backward, kernels.
fn head_time(context: &BlockContext<'_>, role: &Role<'_>, tokens: f64) -> BlockTime {
    let layout = context.layout;
    if role.head == Head::Scalar {
        return BlockTime { kernels: 2.0, ..BlockTime::default() };
    }
    let shape = &role.model.shape;
    let rates = context.rates.in_half();
    let vocabulary = shape.vocab_size as f64 / f64::from(layout.tensor_parallel);
    let h = shape.hidden_size as f64;
    let product = rates.product(tokens, vocabulary, h);
    // A fused loss reads logits twice and writes them and their gradient; a fused head keeps them in chunks.
    let moved = match (layout.fused_lm_head, layout.fused_loss) {
        (true, _) => 4.0,
        (false, true) => 8.0,
        (false, false) => EAGER_LOSS_BYTES,
    };
    let loss = rates.stream(tokens * vocabulary * moved);
    BlockTime {
        forward: product + loss * 0.5,
        backward: product * if context.weight_gradients { 2.0 } else { 1.0 } + loss * 0.5,
        recompute: if layout.fused_lm_head { product } else { Seconds::ZERO },
        kernels: 8.0,
        ..BlockTime::default()
    }
}

fn add(sum: &mut BlockTime, one: &BlockTime, times: f64) {
    sum.forward += one.forward * times;
    sum.backward += one.backward * times;
    sum.recompute += one.recompute * times;
    sum.tensor_forward += one.tensor_forward * times;
    sum.tensor_backward += one.tensor_backward * times;
    sum.context += one.context * times;
    sum.ring_forward += one.ring_forward * times;
    sum.ring_backward += one.ring_backward * times;
    sum.expert += one.expert * times;
    sum.kernels += one.kernels * times;
    sum.wait_forward += one.wait_forward * times;
    sum.wait_backward += one.wait_backward * times;
    sum.floor_backward += one.floor_backward * times;
}

/// The slowest and the mean stage.
struct Stages {
    slowest: StageTime,
    mean: Seconds,
}

fn block_context<'a>(context: &'a Context<'_>, role: &'a Role<'_>, layout: &'a Layout) -> BlockContext<'a> {
    BlockContext {
        shape: &role.model.shape,
        layout,
        rates: &context.rates,
        network: &context.network,
        elementwise: context.framework(layout).elementwise,
        expert_imbalance: expert_imbalance(context, role, layout),
        weight_gradients: role.adapters == 0,
    }
}

/// Time of each of the role's blocks over one micro-batch.
fn block_times(context: &Context<'_>, role: &Role<'_>, layout: &Layout, slice: Slice) -> Rc<[BlockTime]> {
    let framework = context.framework(layout);
    let compute = || {
        let block_context = block_context(context, role, layout);
        let timed = |block: &Block| {
            let mut time = block_context.time(*block, slice);
            for part in [&mut time.forward, &mut time.backward, &mut time.recompute] {
                *part = *part * framework.compute;
            }
            if context.job.workload.rl.is_some() {
                let seconds = if block.has_experts() { framework.rl_expert_layer_s } else { framework.rl_layer_s };
                add_rl_host(&mut time, *block, layout.recompute, seconds);
            }
            time
        };
        role.blocks.iter().map(timed).collect()
    };
    context.known.block_times(role, layout, slice, compute)
}

fn stages(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> Stages {
    let framework = context.framework(layout);
    let adapters = role.adapters > 0;
    let block_context = block_context(context, role, layout);
    let times = block_times(context, role, layout, batch.mean);
    let sum = |stage| {
        let mut sum = BlockTime::default();
        let mut layers = 0.0;
        for ((_, count), time) in stage_layers(role, layout, stage).zip(times.iter()) {
            add(&mut sum, time, count);
            layers += count;
        }
        if adapters {
            let share = layers / role.blocks.layers() as f64;
            adapter_overhead(context, role, layout, batch.mean.tokens, share, &mut sum);
        }
        sum
    };
    let finish = |block: BlockTime| {
        let host = framework.host_per_kernel_s;
        let again = if layout.recompute == Recompute::Full { block.kernels } else { 0.0 };
        StageTime {
            block,
            host_forward: Seconds::new(block.kernels * host),
            host_backward: Seconds::new((block.kernels * BACKWARD_KERNELS + again) * host),
        }
    };
    let head = head_time(&block_context, role, batch.mean.tokens);
    let with_head = |mut block: BlockTime| {
        add(&mut block, &head, 1.0);
        finish(block)
    };
    let last = with_head(sum(Stage::Last));
    if layout.pipeline_parallel == 1 {
        return Stages { slowest: last, mean: last.both() };
    }
    // By what it adds to the step: what is left of exchanges beside products.
    let taken = |stage: &StageTime| {
        let all = stage.block.tensor_forward + stage.block.tensor_backward;
        stage.both() - (all - tensor_exposed(layout, stage))
    };
    let slower = |a: StageTime, b: StageTime| if taken(&b) > taken(&a) { b } else { a };
    let uneven = layout.pipeline_parallel > 2 && times.len() > 1;
    let mut slowest = slower(last, finish(sum(Stage::First)));
    if uneven {
        slowest = slower(slowest, finish(sum(Stage::Second)));
    }
    let mut all = BlockTime::default();
    for (block, time) in role.blocks.iter().zip(times.iter()) {
        add(&mut all, time, block.count as f64);
    }
    let stages = f64::from(layout.pipeline_parallel);
    let whole = with_head(all);
    let mean = whole.both() / stages;
    if uneven {
        // A stage between them may be slower: how slow the mean tells.
        let mut share = BlockTime::default();
        add(&mut share, &whole.block, 1.0 / stages);
        slowest = slower(slowest, finish(share));
    }
    Stages { slowest, mean }
}

/// Adapters on a `share` of the layers: two thin products beside each adapted matrix, and for a 4-bit base its
/// unpacking.
fn adapter_overhead(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    tokens: f64,
    share: f64,
    all: &mut BlockTime,
) {
    let split = f64::from(layout.tensor_parallel) / share;
    let rates = &context.rates;
    let adapters = role.adapters as f64 / split;
    let rank = context.job.workload.lora.map_or(1, |lora| lora.rank) as f64;
    // Each adapted matrix reads its input and adds to its output once more.
    let edges = adapters / rank * tokens * 2.0 * 2.0;
    let forward = rates.stream(edges) + Seconds::new(2.0 * adapters * tokens / rates.half.get());
    let matrices = role.model.shape.num_hidden_layers as f64 * 7.0 * share;
    all.forward += forward;
    all.backward += forward * 2.0;
    all.kernels += matrices * 3.0;
    if context.job.workload.quantized_base() {
        let weights = (role.model.parameters.active - role.model.parameters.embedding) as f64 / split;
        // 4-bit blocks are unpacked to bf16 for every product: read half a byte, write and read two. The
        // unpacking kernel reaches a fraction of the memory's rate (bitsandbytes kernels.cu).
        let unpack = rates.stream(weights * 4.5 * 2.5);
        all.forward += unpack;
        all.backward += unpack;
        all.recompute += if layout.recompute == Recompute::Full { unpack } else { Seconds::ZERO };
    }
    if layout.recompute == Recompute::Full {
        all.recompute += forward;
    }
}

/// Seconds of one optimizer step over `batch`, by part, calibrated.
#[must_use]
pub fn step(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> TimeParts {
    step_of(context, role, layout, batch, &Shards::of(context, role, layout))
}

/// The same, of weights shared as `shards` says.
pub fn step_of(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch, shards: &Shards) -> TimeParts {
    let framework = context.framework(layout);
    let stages = stages(context, role, layout, batch);
    let slow = &stages.slowest;
    let n = batch.micro_batches;
    let pp = f64::from(layout.pipeline_parallel);
    let vpp = f64::from(layout.virtual_pipeline);

    let busy_forward = slow.forward();
    let busy_backward = slow.backward();
    let gpu = slow.block.forward + slow.block.tensor_forward;
    let gpu_backward = slow.block.backward + slow.block.recompute + slow.block.tensor_backward;
    let host_wait = (busy_forward - gpu) + (busy_backward - gpu_backward);

    let mut parts = TimeParts {
        compute: (slow.block.forward + slow.block.backward).get() * n,
        recompute: slow.block.recompute.get() * n,
        tensor_parallel: tensor_exposed(layout, slow).get() * n,
        context_parallel: slow.block.context.get() * n,
        expert_parallel: slow.block.expert.get() * n,
        overhead: host_wait.get() * n
            + framework.step_s
            + if context.job.workload.rl.is_some() { framework.rl_step_s } else { 0.0 },
        ..TimeParts::default()
    };
    if layout.pipeline_parallel > 1 {
        let (send, exposed) = stage_send(context, role, layout, batch);
        // Forward and backward, once per chunk.
        parts.pipeline_parallel = send.get() * 2.0 * vpp * n * exposed;
        // (p − 1)/v micro-batches of filling and draining (Narayanan et al. 2021, arXiv:2104.04473, section 2.2).
        parts.bubble = (pp - 1.0) / vpp * (stages.mean + send * 2.0).get();
    }
    parts.data_parallel =
        data_parallel(context, role, layout, shards, n, slow.room_forward(), slow.room_backward()).get();
    let (optimizer, offload) = optimizer(context, role, layout, shards);
    parts.optimizer = optimizer.get();
    parts.offload = offload.get();
    if layout.offload.activations {
        let copies = activation_copies(context, role, layout, batch, busy_forward, busy_backward);
        parts.offload += copies.get() * n;
    }
    parts.times(time_factor(context, layout, batch.mean.tokens))
}

/// What shows of one micro-batch's activations on their way to host memory, beside the forward pass, and back, beside the
/// backward pass: streams of their own copy them (veRL's `activation_offload.py`; torchtune's `OffloadActivations`, which
/// TRL and axolotl have too, with recomputation less than 1 % slower on Llama-3-8B:
/// <https://github.com/meta-pytorch/torchtune/releases/tag/v0.4.0>; runs of Megatron-Bridge that move 20 or 40 of 80 layers
/// are no slower than their products, core/tests/data/training.jsonl).
fn activation_copies(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    forward: Seconds,
    backward: Seconds,
) -> Seconds {
    let moved = memory::moved_activations(context, role, layout, batch.mean);
    let copy = moved / context.network.host;
    copy.beyond(forward) + copy.beyond(backward)
}

/// What the parts of a step are multiplied by: the question's calibration, and caution about layouts beyond those that
/// were measured, with micro-batches of `tokens`.
pub fn time_factor(context: &Context<'_>, layout: &Layout, tokens: f64) -> f64 {
    let job = context.job;
    job.time_factor() * coverage::caution(job, layout, tokens)
}

/// One send of a micro-batch to the next stage, and the share of such sends that shows. Interleaving hides most of them:
/// 0.3 is assumed, as no published run tells the sends apart.
fn stage_send(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> (Seconds, f64) {
    let split = if layout.sequence_parallel { layout.tensor_parallel } else { 1 };
    let bytes = 2.0 * batch.mean.tokens * role.model.shape.hidden_size as f64 / f64::from(split);
    let stride = context.training_gpus() / layout.pipeline_parallel;
    let exposed = if layout.virtual_pipeline > 1 { 0.3 } else { 1.0 };
    (context.network.send(bytes, stride.max(1)), exposed)
}

fn tensor_exposed(layout: &Layout, slow: &StageTime) -> Seconds {
    let all = slow.block.tensor_forward + slow.block.tensor_backward;
    // Overlapped with the products they feed, two thirds of them disappear: assumed too.
    if layout.overlap.tensor_parallel { all * 0.35 } else { all }
}

/// Shares of a step's context-parallel and expert exchanges that a forward pass alone has. Assumed: the backward pass sends
/// more around the ring, and as much to the experts.
const FORWARD_EXCHANGES: (f64, f64) = (0.4, 0.5);

/// Seconds of a forward pass alone over `batch`, by part, calibrated.
#[must_use]
pub fn forward(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> TimeParts {
    let stages = stages(context, role, &layout.without_recompute(), batch);
    let slow = &stages.slowest;
    let (ring, experts) = FORWARD_EXCHANGES;
    let n = batch.micro_batches;
    let pp = f64::from(layout.pipeline_parallel);
    let busy = slow.forward();
    let exchanges = slow.block.context * ring + slow.block.expert * experts;
    let mut parts = TimeParts {
        compute: slow.block.forward.get() * n,
        tensor_parallel: slow.block.tensor_forward.get() * n,
        context_parallel: slow.block.context.get() * ring * n,
        expert_parallel: slow.block.expert.get() * experts * n,
        overhead: busy.beyond(slow.block.forward + slow.block.tensor_forward).get() * n,
        ..TimeParts::default()
    };
    if pp > 1.0 {
        parts.bubble = (busy + exchanges).get() * (pp - 1.0);
    }
    if layout.zero_stage >= 3 {
        let gather = gather_weights(context, layout, &Shards::of(context, role, layout), Pass::Forward);
        let room = slow.room_forward();
        parts.data_parallel = hide(gather, room, context.framework(layout).overlap).get() * n;
    }
    // Passes forward alone were measured with what updates were: twice its tokens are no step further.
    parts.times(time_factor(context, layout, 0.0))
}

/// What is left of `communication` beside `computation`, where `share` of it can hide at all: prefetched weights and
/// gradients reduced as they come (FSDP, arXiv:2304.11277, section 3.3).
fn hide(communication: Seconds, computation: Seconds, share: f64) -> Seconds {
    communication.beyond(computation).max(communication * (1.0 - share))
}

/// Weights of one GPU and the ranks that share what is sharded of them.
#[derive(Clone, Copy, Debug)]
pub struct Shards {
    rank: RankWeights,
    dense: f64,
    experts: f64,
}

impl Shards {
    /// Those of a role in a layout on that many GPUs.
    #[must_use]
    pub fn of(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> Self {
        let (experts, dense) = shard_counts(layout, context.training_gpus());
        Self { rank: rank_weights(role, layout, Stage::First), dense, experts }
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

/// Gradient reduction and weight gathering that computation does not hide, in one step of `n` micro-batches. What each
/// stage sends is ZeRO's (arXiv:1910.02054, section 7).
#[expect(clippy::too_many_arguments, reason = "one formula's terms")]
fn data_parallel(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    shards: &Shards,
    n: f64,
    forward: Seconds,
    backward: Seconds,
) -> Seconds {
    let network = &context.network;
    let share = context.framework(layout).overlap;
    let rank = shards.rank;
    let stride = layout.tensor_parallel;
    let trained = if role.adapters > 0 {
        RankWeights { dense: rank_adapters(role, layout), ..RankWeights::default() }
    } else {
        rank
    };
    let reduce_bytes = match layout.backend {
        Backend::Deepspeed => 2.0,
        Backend::Megatron | Backend::Fsdp | Backend::Ddp => layout.gradient_bytes,
    };
    let hidden = |time: Seconds, beside: Seconds, overlapped: bool| {
        if overlapped { hide(time, beside, share) } else { time }
    };
    let dense = network.group(shards.dense as u32, stride);
    let experts = network.group(shards.experts as u32, layout.expert_parallel * layout.expert_tensor_parallel);
    match layout.zero_stage {
        3 => {
            let gather = |pass| gather_weights(context, layout, shards, pass);
            let reduce_bytes = reduce_bytes * zero_infinity::sent_gradients(&layout.zero_plus);
            let mut scatter = network.gather(reduce_bytes * trained.dense, dense)
                + network.gather(reduce_bytes * trained.experts, experts);
            let replicas =
                layout.data_parallel(context.training_gpus()) * layout.sequence_split() / layout.shard_group.max(1);
            if replicas > 1 {
                let across = network.group(replicas, stride * layout.shard_group);
                scatter += network.reduce(reduce_bytes * trained.dense / shards.dense, across) * (1.0 / n);
            }
            let forward = hidden(gather(Pass::Forward), forward, layout.overlap.parameters);
            let both = gather(Pass::Backward) + scatter;
            let backward = hidden(both, backward, layout.overlap.gradients);
            (forward + backward) * n
        }
        2 => {
            let scatter = network.gather(reduce_bytes * trained.dense, dense)
                + network.gather(reduce_bytes * trained.experts, experts);
            let gather = network.gather(2.0 * trained.dense, dense) + network.gather(2.0 * trained.experts, experts);
            hidden(scatter, backward, layout.overlap.gradients) * n + gather
        }
        1 => {
            let scatter = network.gather(reduce_bytes * trained.dense, dense)
                + network.gather(reduce_bytes * trained.experts, experts);
            let gather = network.gather(2.0 * trained.dense, dense) + network.gather(2.0 * trained.experts, experts);
            // Only the last micro-batch's backward pass and the next step's first forward pass run beside them.
            hidden(scatter, backward, layout.overlap.gradients) + hidden(gather, forward, layout.overlap.parameters)
        }
        _ => {
            let reduce = network.reduce(reduce_bytes * trained.dense, dense)
                + network.reduce(reduce_bytes * trained.experts, experts);
            hidden(reduce, backward, layout.overlap.gradients)
        }
    }
}

/// Adapters' weights on one GPU.
fn rank_adapters(role: &Role<'_>, layout: &Layout) -> f64 {
    role.adapters as f64 / f64::from(layout.tensor_parallel * layout.pipeline_parallel)
}

/// Weights that one GPU updates.
fn updated(role: &Role<'_>, layout: &Layout, shards: &Shards) -> f64 {
    if role.adapters > 0 { rank_adapters(role, layout) } else { shards.held(layout, 1) }
}

/// Share of the weights that the host's CPUs update. In an RL step what `offload` names moves between phases, not within
/// the update.
fn updates_on_host(context: &Context<'_>, layout: &Layout) -> f64 {
    if layout.offload.optimizer && context.job.workload.rl.is_none() { 1.0 } else { layout.optimizer_offload_fraction }
}

/// Bytes that an update moves per weight on the card: reads and writes of Adam in fp32, with the gradient's norm.
pub const UPDATE_BYTES: f64 = 34.0;

/// The optimizer step, and what host memory adds to it.
///
/// Adam (arXiv:1412.6980, algorithm 1) reads gradient, master weight and two moments and writes all but the first, and the
/// bf16 weight: 30 bytes per weight, and 4 more for the gradient's norm. Offloaded, the host's CPUs update (ZeRO-Offload,
/// arXiv:2101.06840), before or after what the card updates (Megatron-LM, `core/optimizer/cpu_offloading`,
/// `HybridDeviceOptimizer.step`: one optimizer after another).
fn optimizer(context: &Context<'_>, role: &Role<'_>, layout: &Layout, shards: &Shards) -> (Seconds, Seconds) {
    let shard = updated(role, layout, shards);
    let share = updates_on_host(context, layout);
    let on_card = context.rates.stream(shard * (1.0 - share) * UPDATE_BYTES);
    if share == 0.0 {
        return (on_card, Seconds::ZERO);
    }
    let away = shard * share;
    let per_node = f64::from(context.job.hardware.gpus_per_node);
    let update = Seconds::new(away * per_node / context.efficiency.cpu_adam_parameters_per_s);
    let traffic = Bytes::new(away * (layout.gradient_bytes + 2.0)) / context.network.host;
    let swap = zero_infinity::swap(away, layout, &context.network);
    (on_card + update, traffic + swap)
}
