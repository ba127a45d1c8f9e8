//! Time of a pipeline's stages over one micro-batch.

use std::rc::Rc;

use super::FORWARD_EXCHANGES;
use super::adapters::adapter_overhead;
use super::head::head_time;
use crate::batch::Batch;
use crate::blocks::Block;
use crate::context::{Context, Role};
use crate::layer::{BlockContext, BlockTime, Slice, busiest_load};
use crate::tower::{BLOCK, Tower};
use crate::weights::{Stage, fetches_by_module, stage_layers};
use shardwise_catalog::model::{QkNorm, Shape};
use shardwise_catalog::units::Seconds;
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::{Backend, CudaGraphs};

/// The forward pass's share of the host's work on a micro-batch, as of the GPU's.
const FORWARD: f64 = 1.0 / 3.0;

/// Kernels of a backward pass for each of its forward pass: products have two, most of the rest one. Assumed; what a launch costs
/// is fitted with it (`host_per_kernel_s`).
pub(crate) const BACKWARD_KERNELS: f64 = 1.8;

/// Time of a stage's passes over one micro-batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StageTime {
    pub(super) block: BlockTime,
    /// Host floors, forward and backward.
    host_forward: Seconds,
    host_backward: Seconds,
}

impl StageTime {
    /// Of what all its blocks take.
    pub(super) fn of(context: &Context<'_>, layout: &Layout, block: BlockTime) -> Self {
        let launched = layout.switches.cuda_graphs != CudaGraphs::Full;
        let host = if launched { context.framework(layout).host_per_kernel_s } else { 0.0 };
        let layers = context.job.model.shape.num_hidden_layers;
        let whole = layout.recompute == Recompute::Full;
        let returning = block.kernels - block.forward_only;
        let again = if whole { returning * layout.recomputed_layers(layers) } else { 0.0 };
        Self {
            block,
            host_forward: Seconds::new(block.kernels * host),
            host_backward: Seconds::new((returning * BACKWARD_KERNELS + again) * host),
        }
    }

    /// Forward pass: the GPU's time, or the host's where kernels are too small to keep it busy, and what the host does
    /// while the GPU waits.
    pub(super) fn forward(&self) -> Seconds {
        let block = &self.block;
        let busy = block.forward + block.tensor_forward;
        busy.max(self.host_forward).max(block.floor_forward) + block.wait_forward
    }

    /// Backward pass, recomputation and exchanges included.
    pub(super) fn backward(&self) -> Seconds {
        let block = &self.block;
        (block.backward + block.recompute + block.tensor_backward)
            .max(self.host_backward)
            .max(block.floor_backward)
            + block.wait_backward
    }

    /// Computation of the forward pass beside which weights and gradients travel: the ring takes the same links.
    pub(super) fn room_forward(&self) -> Seconds {
        self.forward() - self.block.ring_forward
    }

    /// Computation of the backward pass beside which weights and gradients travel: the ring takes the same links.
    pub(super) fn room_backward(&self) -> Seconds {
        self.backward() - self.block.ring_backward
    }

    /// Both passes, with what is exchanged.
    pub(super) fn both(&self) -> Seconds {
        self.forward() + self.backward() + self.block.context + self.block.expert
    }

    /// The forward pass, with what is exchanged.
    fn forward_with_exchanges(&self) -> Seconds {
        let (ring, experts) = FORWARD_EXCHANGES;
        self.forward() + self.block.context * ring + self.block.expert * experts
    }

    /// What the GPU waits for the host in both passes.
    pub(super) fn wait(&self) -> Seconds {
        let block = &self.block;
        let busy = block.forward + block.tensor_forward;
        let busy_backward = block.backward + block.recompute + block.tensor_backward;
        (self.forward() - busy) + (self.backward() - busy_backward)
    }

    /// Both passes without what products hide of the collectives: what a stage adds to the step.
    fn taken(&self, layout: &Layout) -> Seconds {
        let all = self.block.tensor_forward + self.block.tensor_backward;
        self.both() - (all - all * tensor_share(layout))
    }
}

/// The share of the tensor-parallel collectives that shows. Overlapped with the products they feed, two thirds of them disappear:
/// assumed.
pub(super) fn tensor_share(layout: &Layout) -> f64 {
    if layout.overlap.tensor_parallel { 0.35 } else { 1.0 }
}

/// What hosts add to a block's passes, in `seconds` of the host's for both without recomputation: RL trainers' to all blocks,
/// others' to those with experts, whose tokens the host has counted before it launches their products.
///
/// The GPU waits for the Python of FSDP's forward pass, whose rate limiter blocks the host until gathered weights are free again
/// (arXiv:2304.11277, section 3.4). Megatron's host runs ahead there, as the autograd engine does in every backward pass, so that
/// long kernels hide it: NeMo-RL's dense steps that training decides (`docs/about/performance-summary.md` at 7ea279ab, Qwen3-32B on
/// 64 H100 and on 32 GB200) leave no room for a wait at 4,096 tokens. Steps with experts show one in both passes
/// (`verl_megatron_practice` and NeMo-RL, core/tests/data/rl.jsonl). Full recomputation runs the forward pass's again.
///
/// Grace takes `slower` times as long for the same code (<https://github.com/NVIDIA/TransformerEngine/issues/2053>), which shows in
/// what the GPU waits for: the steps of Qwen3-30B-A3B on GB200 there. Floors stay: those of Qwen3-32B leave no room for longer ones.
///
/// Eager code on FSDP has a floor of its own, which small micro-batches alone show: what its host launches while the GPU works.
fn add_host(time: &mut BlockTime, block: Block, layout: &Layout, (seconds, slower, floor): (f64, f64, f64)) {
    let (forward, backward) = passes(layout, seconds);
    if block.has_experts() {
        time.wait_forward = forward * slower;
        time.wait_backward = backward * slower;
        return;
    }
    if layout.backend == Backend::Megatron {
        time.floor_forward = forward;
        time.floor_backward = backward;
    } else {
        let (least_forward, least_backward) = passes(layout, floor);
        time.wait_forward = forward * slower;
        time.floor_forward = least_forward;
        time.floor_backward = backward.max(least_backward);
    }
}

/// What `seconds` of the host's for both passes without recomputation are of each pass.
fn passes(layout: &Layout, seconds: f64) -> (Seconds, Seconds) {
    let forward = Seconds::new(seconds * FORWARD);
    let again = if layout.recompute == Recompute::Full { forward } else { Seconds::ZERO };
    (forward, Seconds::new(seconds) - forward + again)
}

/// What computation of a block with experts takes where CUDA graphs replay it whole, over where the host launches it.
fn replayed(context: &Context<'_>, layout: &Layout) -> f64 {
    if layout.switches.cuda_graphs == CudaGraphs::Full { context.efficiency.full_graphs } else { 1.0 }
}

/// Experts' exchanges that run beside another micro-batch's computation: of what has room there a share is hidden.
///
/// Qwen3-235B-A22B on 256 H100 takes 17.6 s in place of 19.7 (moezoo-001 and -002 of `core/tests/data/training.jsonl`),
/// Qwen3-30B-A3B on 16 takes 21.1 and 21.0 in place of 24.7 (mbskill-023 to -025), and where all-to-all takes longer 31.3 in
/// place of 41.3 (<https://github.com/NVIDIA-NeMo/Megatron-Bridge>, `skills/nemo-mbridge-perf-expert-parallel-overlap`).
fn overlap_experts(context: &Context<'_>, layout: &Layout, time: &mut BlockTime) {
    if layout.switches.overlap_moe_expert_parallel_comm {
        let room = time.forward + time.backward + time.recompute;
        time.expert = time.expert - time.expert.min(room) * context.efficiency.expert_overlap;
    }
}

/// What the host takes at least to launch a block with grouped experts: attention, router, permutations, exchanges and products, some
/// hundred small kernels in both passes. The GPU's work hides it, so that micro-batches of few tokens alone show it:
/// Megatron-Bridge's cards of July and August 2026 (<https://github.com/NVIDIA-NeMo/Megatron-Bridge>,
/// `examples/model_verification_cards`), whose recipes have no CUDA graphs, take 12 to 20 ms for a layer of experts with 2,048 tokens on
/// an H100, whether 4, 16 or 32 experts are on it, and Moonlight's with 8,192 tokens no longer than those keep it busy. That is fine-tuning,
/// of packed sequences; pre-training Qwen3-30B-A3B takes 9.4 and 9.9 ms with 4,096 tokens (mbridge-191, and its card), as long as its
/// kernels, so that nothing is known of a floor there. Experts split over FSDP's GPUs are not gathered: NeMo AutoModel's runs, of
/// 8,192 tokens and more, leave no room for the wait that prime-rl's show, whose GPUs gather all experts of a layer.
///
/// In 8 bits or fewer Transformer Engine quantises each expert's operands and multiplies them by calls of their own (`GroupedLinear`,
/// <https://github.com/NVIDIA/TransformerEngine>), so that of many small experts the GPU waits longer. Exchanges are launched beside.
/// Graphs of parts of the layer leave the experts to the host.
///
/// Grace is taken to be no slower: Qwen3-30B-A3B on GB200, with 16 experts a GPU, leaves no room for it (mbridge-098 and the releases
/// around it), nor does Nemotron 3.5 Lightning's fine-tuning there, 8 ms a block where an H100's takes 12.
fn add_launches(context: &Context<'_>, role: &Role<'_>, layout: &Layout, time: &mut BlockTime) {
    let efficiency = context.efficiency;
    let experts = role.model.shape.num_experts as f64 / f64::from(layout.expert_parallel);
    let shown = layout.backend != Backend::Megatron || context.job.workload.fine_tunes();
    let launched = if shown { context.framework(layout).expert_layer_s } else { 0.0 };
    let narrow = layout.backend == Backend::Megatron && context.rates.quantized;
    let each = if narrow { efficiency.narrow_expert_s * experts } else { 0.0 };
    let seconds = match layout.switches.cuda_graphs {
        CudaGraphs::None if narrow => (efficiency.narrow_layer_s + each).max(launched),
        CudaGraphs::None => launched,
        CudaGraphs::Partial => each,
        CudaGraphs::Full => return,
    };
    let (forward, backward) = passes(layout, seconds);
    let (_, share) = FORWARD_EXCHANGES;
    time.floor_forward = forward.beyond(time.expert * share);
    time.floor_backward = backward.beyond(time.expert * (1.0 - share));
}

/// What hosts take at least of a dense block's passes where models are fine-tuned without CUDA graphs, in `seconds` for both without
/// recomputation: the GPU's work hides it, so that small micro-batches alone show it.
fn add_floors(time: &mut BlockTime, recompute: Recompute, seconds: f64) {
    let forward = Seconds::new(seconds * FORWARD);
    let again = if recompute == Recompute::Full { forward } else { Seconds::ZERO };
    time.floor_forward = forward;
    time.floor_backward = Seconds::new(seconds) - forward + again;
}

/// Host's time that a dense block takes at least in both passes without recomputation, where it may be seen.
fn dense_floor(context: &Context<'_>, shape: &Shape, layout: &Layout) -> f64 {
    let tuned = if shows_floor(context, layout) { context.framework(layout).tune_layer_s } else { 0.0 };
    if fetches_by_module(layout) { tuned.max(context.efficiency.zero3_module_s * modules(shape)) } else { tuned }
}

/// Modules of a dense block as Hugging Face's code has them: itself and its two norms, attention and its products, an MLP of two or
/// three products with its activation.
fn modules(shape: &Shape) -> f64 {
    let attention = if shape.is_mla() { 8.0 } else { 5.0 };
    let normed = if shape.qk_norm == QkNorm::None { 0.0 } else { 2.0 };
    let mlp = if shape.gated_mlp { 5.0 } else { 3.0 };
    3.0 + attention + normed + mlp
}

/// Whether a dense block's host may be seen. Of fine-tuning in 8 bits on Megatron there are MLPerf's adapters and NeMo's, whose layers
/// take as little as 3 ms, by graphs, and none without that are short enough.
fn shows_floor(context: &Context<'_>, layout: &Layout) -> bool {
    let narrow = layout.backend == Backend::Megatron && context.rates.quantized;
    context.job.workload.fine_tunes() && layout.switches.cuda_graphs != CudaGraphs::Full && !narrow
}

/// What a block's time depends on beside itself. Pre-training benchmarks mostly force experts' balance, RL trainers do not.
pub(super) fn block_context<'a>(context: &'a Context<'_>, role: &'a Role<'_>, layout: &'a Layout) -> BlockContext<'a> {
    let own = context.block(role, layout);
    let routed = if context.job.workload.rl.is_some() {
        let experts = role.model.shape.num_experts as f64;
        busiest_load(context.efficiency.rl_expert_spread, experts, f64::from(layout.expert_parallel))
    } else {
        1.0
    };
    BlockContext { expert_imbalance: own.expert_imbalance * routed, ..own }
}

/// Time of each of the role's blocks over one micro-batch.
pub(super) fn block_times(context: &Context<'_>, role: &Role<'_>, layout: &Layout, slice: Slice) -> Rc<[BlockTime]> {
    let share = layout.recomputed_layers(role.model.shape.num_hidden_layers);
    if layout.recompute == Recompute::Full && share < 1.0 {
        return partly(context, role, layout, slice, share);
    }
    let framework = context.framework(layout);
    let factor = context.compute(layout);
    let compute = || {
        let block_context = block_context(context, role, layout);
        let timed = |block: &Block| {
            let mut time = block_context.time(*block, slice);
            let replayed = if block.has_experts() { replayed(context, layout) } else { 1.0 };
            for part in [&mut time.forward, &mut time.backward, &mut time.weight, &mut time.recompute] {
                *part = *part * (factor * replayed);
            }
            overlap_experts(context, layout, &mut time);
            if context.job.workload.rl.is_some() {
                let seconds = if block.has_experts() { framework.rl_expert_layer_s } else { framework.rl_layer_s };
                add_host(&mut time, *block, layout, (seconds, context.host(), framework.rl_floor_s));
            } else if block.has_experts() {
                let split = layout.backend == Backend::Fsdp && layout.expert_parallel > 1;
                if layout.backend == Backend::Megatron || split {
                    add_launches(context, role, layout, &mut time);
                } else {
                    // Hugging Face's code asks the GPU for each expert's tokens, and FSDP's host waits for room for all experts.
                    add_host(&mut time, *block, layout, (framework.expert_layer_s, context.host(), 0.0));
                }
            } else {
                add_floors(&mut time, layout.recompute, dense_floor(context, &role.model.shape, layout));
            }
            time
        };
        role.blocks.iter().map(timed).collect()
    };
    context.known.block_times(role, layout, slice, compute)
}

/// The same where a share of the layers is computed again as a whole, and the others are kept: the mean layer.
fn partly(context: &Context<'_>, role: &Role<'_>, layout: &Layout, slice: Slice, share: f64) -> Rc<[BlockTime]> {
    let again = block_times(context, role, &Layout { recompute_layers: None, ..*layout }, slice);
    let kept = block_times(context, role, &layout.without_recompute(), slice);
    let mean = |(again, kept): (&BlockTime, &BlockTime)| {
        let mut mean = BlockTime::default();
        mean.add(again, share);
        mean.add(kept, 1.0 - share);
        mean
    };
    again.iter().zip(kept.iter()).map(mean).collect()
}

/// What a role's vision tower takes over one micro-batch: it stands on the first stage.
pub(super) fn tower_time(context: &Context<'_>, role: &Role<'_>, layout: &Layout, slice: Slice) -> BlockTime {
    let Some(tower) = Tower::of(context, role) else {
        return BlockTime::default();
    };
    let mut time = tower.time(context, role, layout, slice.sequences);
    let factor = context.compute(layout);
    for part in [&mut time.forward, &mut time.backward, &mut time.weight, &mut time.recompute] {
        *part = *part * factor;
    }
    if context.job.workload.rl.is_some() && time.kernels > 0.0 {
        let mut host = BlockTime::default();
        let framework = context.framework(layout);
        add_host(&mut host, BLOCK, layout, (framework.rl_layer_s, context.host(), framework.rl_floor_s));
        if !tower.trains() {
            host.floor_backward = Seconds::ZERO;
        }
        time.add(&host, tower.blocks());
    }
    time
}

/// What all of a role's blocks take over one micro-batch, however they are spread over stages.
pub(super) fn all_blocks(role: &Role<'_>, times: &[BlockTime]) -> BlockTime {
    let mut all = BlockTime::default();
    for (block, time) in role.blocks.iter().zip(times) {
        all.add(time, block.count as f64);
    }
    all
}

/// The slowest and the mean stage.
pub(super) struct Stages {
    pub(super) slowest: StageTime,
    pub(super) mean: Seconds,
    /// Of the mean stage the forward pass, exchanges included.
    pub(super) mean_forward: Seconds,
    /// Of the mean stage's backward pass the weights' gradients.
    pub(super) mean_weight: Seconds,
    /// Which the slowest is; `None` where it is one between the ends, known by its mean alone.
    pub(super) which: Option<Stage>,
}

impl Stages {
    /// The only one: nobody waits for another.
    fn one(all: StageTime) -> Self {
        let none = Seconds::ZERO;
        Self { mean: all.both(), mean_forward: none, mean_weight: none, slowest: all, which: Some(Stage::Last) }
    }

    /// Those of a role.
    pub(super) fn of(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> Self {
        let slice = batch.mean;
        let times = block_times(context, role, layout, slice);
        let tower = tower_time(context, role, layout, slice);
        let own = |stage| {
            let mut sum = BlockTime::default();
            let mut layers = 0.0;
            for ((_, count), time) in stage_layers(role, layout, stage).zip(times.iter()) {
                sum.add(time, count);
                layers += count;
            }
            if role.adapters > 0 {
                let share = layers / role.blocks.layers() as f64;
                adapter_overhead(context, role, layout, slice.tokens, share, &mut sum);
            }
            if stage == Stage::First || layout.pipeline_parallel == 1 {
                sum.add(&tower, 1.0);
            }
            sum
        };
        let timed = |block| StageTime::of(context, layout, block);
        let head = head_time(context, role, layout, slice.tokens);
        let with_head = |mut block: BlockTime| {
            block.add(&head, 1.0);
            timed(block)
        };
        let end = |stage: Stage| if stage.has_head(layout) { with_head(own(stage)) } else { timed(own(stage)) };
        let last = end(Stage::Last);
        if layout.pipeline_parallel == 1 {
            return Self::one(last);
        }
        let mut slowest = (last, Some(Stage::Last));
        let mut offer = |time: StageTime, which: Option<Stage>| {
            if time.taken(layout) > slowest.0.taken(layout) {
                slowest = (time, which);
            }
        };
        let mut whole = all_blocks(role, &times);
        whole.add(&tower, 1.0);
        let whole = with_head(whole);
        let stages = f64::from(layout.pipeline_parallel);
        offer(end(Stage::First), Some(Stage::First));
        if layout.pipeline_parallel > 2 && role.blocks.len() > 1 {
            offer(timed(own(Stage::Second)), Some(Stage::Second));
            // A stage between them may be slower: how slow the mean tells.
            let mut share = BlockTime::default();
            share.add(&whole.block, 1.0 / stages);
            offer(timed(share), None);
        }
        let (slowest, which) = slowest;
        Self {
            slowest,
            mean: whole.both() / stages,
            mean_forward: whole.forward_with_exchanges() / stages,
            mean_weight: whole.block.weight / stages,
            which,
        }
    }
}
