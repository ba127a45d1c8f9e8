//! What a GPU holds, term by term.

use super::kept::{Flight, at_work, in_flight, kept_blocks, on_card};
use super::loss::Loss;
use super::step::optimizer_step;
use super::whole::{stays_gathered, unreduced};
use super::{KeptBlock, PhaseMemory, Use, states};
use crate::batch::{Batch, Largest};
use crate::context::{Context, Role};
use crate::layer::Slice;
use crate::tower::{BLOCK, Tower};
use crate::weights::{RankWeights, Stage, States, shard_counts};
use crate::zero_infinity::second_copy;
use shardwise_catalog::units::Bytes;
use shardwise_question::optimizer::paged_share;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Backend, MemoryParts};

/// What a role holds on one GPU of a stage, before calibration.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The stage.
    pub stage: Stage,
    /// Weights of one GPU.
    pub rank: RankWeights,
    /// Of the states what is on the card.
    pub states: States,
    /// Of the optimizer's states those that leave a full card.
    pub paged: Bytes,
    /// Gathered weights and one block's gradients.
    pub workspace: Bytes,
    /// Tokens of the largest micro-batch on one GPU.
    pub tokens: f64,
    /// What all layers keep of a micro-batch for the backward pass: bytes.
    kept: f64,
    /// What the images of a micro-batch keep in a vision tower for the backward pass: bytes. They are not offloaded.
    pub tower: f64,
    /// Share of the layers' that is on the card: less than 1 where activations are offloaded.
    pub on_card: f64,
    /// Micro-batches in flight before their backward pass.
    pub in_flight: f64,
    /// Those between the gradients of their inputs and those of their weights.
    pub between: f64,
    /// What all layers hold of such a one: bytes. `PyTorch`'s `stage_backward_input` (`torch/distributed/pipelining/_backward.py`)
    /// keeps the products' inputs and the gradients of their outputs: of a block with a gated MLP as many bytes as the block keeps
    /// without recomputation.
    pub whole: f64,
    /// What the largest block keeps without recomputation: bytes.
    pub largest_block: f64,
    /// How often that is at work beside the kept ones.
    pub at_work: f64,
    /// What weighing its experts' outputs makes beside it: bytes.
    pub weighed: f64,
    /// A matrix of a 4-bit base, unpacked.
    pub unpacked: Bytes,
    /// Whether gradients are there before a backward pass: those of earlier micro-batches, or in buffers that stay.
    pub gradients_stay: bool,
    /// What gradients take beside that while they wait whole for the last micro-batch.
    pub unreduced: Bytes,
    /// Gradients of FSDP's outermost unit, where they wait for the embedding's.
    pub outer_gradients: Bytes,
    /// The loss, where the stage has it.
    pub loss: Option<Loss>,
    /// What the optimizer's step makes beside its states.
    pub step: Bytes,
    /// Process groups of more than one GPU.
    pub groups: f64,
    /// What the allocator keeps of earlier batches' logits, over those of the largest.
    idle: f64,
}

/// When a stage's GPU holds most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The optimizer steps.
    Optimizer,
    /// The loss is computed.
    Loss,
    /// A block's backward pass, or without one its forward pass.
    Backward,
}

impl Terms {
    /// Those of a stage with `largest` of a batch's micro-batches.
    pub(super) fn of(
        context: &Context<'_>,
        role: &Role<'_>,
        layout: &Layout,
        (batch, largest): (&Batch, &Largest),
        usage: Use,
        stage: Stage,
    ) -> Self {
        let rank = context.known.rank_weights(role, layout, stage);
        let trains = usage == Use::Train;
        let (mut kept, mut whole, mut layers) = (0.0, 0.0, 0.0);
        let mut most: Option<KeptBlock> = None;
        for own in kept_blocks(context, role, layout, (largest.slice, usage), stage) {
            if trains {
                kept += own.kept * own.layers;
                whole += own.whole * own.layers;
            }
            layers += own.layers;
            if most.is_none_or(|most| own.working() > most.working()) {
                most = Some(own);
            }
        }
        let images = images(context, role, layout, (&largest.slice, usage), (stage, kept));
        let most = most.filter(|most| most.working() >= images.working).or(Some(images.block()));
        let states = states_on_card(context, role, layout, batch, usage, &rank);
        let on_card = on_card(layout, layers);
        let flight = fullest(in_flight(layout, largest.micro_batches, stage), kept * on_card, whole);
        Self {
            stage,
            rank,
            states,
            paged: paged(context, layout, &states),
            workspace: gathered(context, &rank, layout, usage, role),
            tokens: largest.slice.tokens,
            kept,
            tower: images.kept,
            on_card,
            in_flight: flight.kept,
            between: flight.between,
            whole,
            largest_block: most.map_or(0.0, |own| own.whole),
            at_work: most.map_or(0.0, |own| own.at_work),
            weighed: most.map_or(0.0, |own| own.weighed),
            unpacked: unpacked(context, role, layout, usage),
            gradients_stay: gradients_stay(context, layout, batch),
            unreduced: unreduced(context, (role, &rank), layout, (batch, usage), states.gradients),
            outer_gradients: outer_gradients(role, &rank, layout, usage),
            loss: if stage.has_head(layout) { Loss::of(context, role, layout, usage) } else { None },
            step: optimizer_step(context, role, &rank, layout, usage),
            groups: groups(context, layout),
            idle: idle(context, layout, usage),
        }
    }

    /// What the allocator keeps of earlier batches' losses beside the peak: blocks of other sizes.
    #[must_use]
    pub fn idle(&self) -> Bytes {
        self.loss.map_or(Bytes::ZERO, |own| own.logits(self.tokens) * self.idle)
    }

    /// Activations of every micro-batch in flight.
    fn kept(&self) -> Bytes {
        let kept = Bytes::new((self.kept * self.on_card + self.tower) * self.in_flight);
        if self.between > 0.0 { kept + Bytes::new((self.whole + self.tower) * self.between) } else { kept }
    }

    /// The working set of one block's backward pass.
    fn working(&self) -> Bytes {
        Bytes::new(self.largest_block * self.at_work + self.weighed) + self.unpacked
    }

    /// Logits and what the loss makes of them.
    fn loss(&self) -> Bytes {
        self.loss.map_or(Bytes::ZERO, |own| own.bytes(self.tokens, &self.rank))
    }

    /// The states that the card holds for certain where only adapters train.
    #[must_use]
    pub fn loaded(&self) -> Bytes {
        let States { parameters, gradients, optimizer } = self.states;
        parameters + gradients + optimizer
    }

    /// When the GPU holds most. The loss is over, its tensors gone, when the last block's backward pass begins; all activations
    /// are, and gathered weights, when the optimizer steps.
    #[must_use]
    pub fn moment(&self) -> Moment {
        let own = self.states.gradients;
        let summed = own + self.unreduced;
        let before = if self.gradients_stay { summed } else { Bytes::ZERO };
        let (loss, working) = (self.loss() + before, self.working() + self.outer_gradients + summed);
        if self.step + own > self.kept() + loss.max(working) + self.workspace {
            Moment::Optimizer
        } else if loss > working {
            Moment::Loss
        } else {
            Moment::Backward
        }
    }

    /// What they come to at that moment, calibrated, with what allocator and driver add.
    pub(super) fn memory(&self, context: &Context<'_>, role: &Role<'_>) -> PhaseMemory {
        let none = Bytes::ZERO;
        let moment = self.moment();
        let (workspace, activations, logits, step) = match moment {
            Moment::Optimizer => (none, none, none, self.step),
            Moment::Loss => (self.workspace, self.kept(), self.loss(), none),
            Moment::Backward => (self.workspace, self.kept() + self.working(), none, none),
        };
        let States { parameters, mut gradients, optimizer } = self.states;
        match moment {
            Moment::Backward => gradients += self.outer_gradients + self.unreduced,
            Moment::Loss if !self.gradients_stay => gradients = none,
            Moment::Loss => gradients += self.unreduced,
            Moment::Optimizer => (),
        }
        let factor = context.job.memory_factor();
        let mut parts = MemoryParts {
            parameters: (parameters + workspace).gib(),
            gradients: gradients.gib(),
            optimizer: (optimizer + step).gib(),
            activations: activations.gib(),
            logits: logits.gib(),
            ..MemoryParts::default()
        }
        .times(factor);
        // A frozen base and its adapters' states are as large as they are, and lie where they were loaded: what else such
        // a step holds is estimated, and leaves gaps.
        let paged_gib = self.paged.gib() * factor;
        let certain_gib = if role.adapters > 0 { self.loaded().gib() * factor - paged_gib } else { 0.0 };
        let slack_gib = context.efficiency.allocator_slack * (parts.total() - paged_gib - certain_gib);
        let idle_gib = if moment == Moment::Optimizer { 0.0 } else { self.idle().gib() * factor };
        parts.communication = context.efficiency.group_buffer_gib * self.groups;
        parts.framework = context.efficiency.context_gib + slack_gib + idle_gib;
        PhaseMemory { parts, slack_gib, idle_gib, paged_gib, certain_gib, ..PhaseMemory::default() }
    }
}

/// The moment at which a stage holds most, where a micro-batch leaves `kept` bytes before its backward pass and `whole` between
/// its gradients.
fn fullest(moments: [Flight; 3], kept: f64, whole: f64) -> Flight {
    let [first, rest @ ..] = moments;
    let bytes = |own: &Flight| kept * own.kept + whole * own.between;
    rest.into_iter()
        .fold(first, |most, own| if bytes(&own) > bytes(&most) { own } else { most })
}

/// What images make of a micro-batch on a stage.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Bytes that they keep for the backward pass.
    kept: f64,
    /// Bytes of the tower's block at work that stand beside all that is kept.
    working: f64,
    /// How often its activations are among them.
    at_work: f64,
}

impl Seen {
    /// As a block at work.
    fn block(self) -> KeptBlock {
        let whole = if self.at_work > 0.0 { self.working / self.at_work } else { 0.0 };
        KeptBlock { layers: 0.0, kept: 0.0, whole, at_work: self.at_work, weighed: 0.0 }
    }
}

/// What images make on a stage whose layers keep `kept` bytes of the same micro-batch. A tower that does not train works before
/// these: it stands beside those of the other micro-batches in flight alone.
fn images(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    (slice, usage): (&Slice, Use),
    (stage, kept): (Stage, f64),
) -> Seen {
    let first = layout.pipeline_parallel == 1 || stage == Stage::First;
    let Some(tower) = Tower::of(context, role).filter(|_| first) else {
        return Seen::default();
    };
    let whole = tower.working_bytes(context, role, layout, slice.sequences);
    if usage == Use::Evaluate {
        return Seen { kept: 0.0, working: whole, at_work: 1.0 };
    }
    let own = tower.kept_bytes(context, role, layout, slice.sequences);
    if tower.trains() {
        let at_work = at_work(BLOCK, layout, usage);
        return Seen { kept: own, working: whole * at_work, at_work };
    }
    Seen { kept: own, working: (whole - kept).max(0.0), at_work: 1.0 }
}

/// Of a role's states what is not offloaded.
fn states_on_card(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    usage: Use,
    rank: &RankWeights,
) -> States {
    let mut states = states(context, role, layout, usage, rank);
    if usage == Use::Train {
        let (_, shards) = shard_counts(layout, context.training_gpus());
        states.parameters += second_copy(&layout.zero_plus, states.parameters, shards);
    }
    if layout.offload.parameters && layout.zero_stage >= 3 {
        states.parameters = Bytes::ZERO;
    }
    if layout.offload.optimizer {
        states.optimizer = Bytes::ZERO;
    }
    if offloads_gradients(layout, batch) {
        states.gradients = Bytes::ZERO;
    }
    if layout.optimizer.in_backward && usage == Use::Train {
        states.gradients = states.gradients.min(at_once(rank, layout, context.training_gpus()));
    }
    states
}

/// Gradients that wait where each weight is stepped as soon as its own is there: the largest block's, or embedding and LM head's
/// (torchtitan, `OptimizersInBackwardContainer`); a block that was gathered has its own counted with it.
fn at_once(rank: &RankWeights, layout: &Layout, gpus: u32) -> Bytes {
    let block = if gathers(layout, gpus) { 0.0 } else { rank.largest_block };
    let (_, shards) = shard_counts(layout, gpus);
    let outer = if layout.zero_stage >= 2 { rank.outer / shards } else { rank.outer };
    Bytes::new(layout.gradient_bytes * block.max(outer))
}

/// Whether gradients lie in host memory. Offloaded ones wait on the card for the last micro-batch where `DeepSpeed` is
/// without stage 2: it reduces them, and lets go of them, in that one's backward pass alone (0.19.8,
/// `runtime/zero/stage_1_and_2.py`, `reduce_ready_partitions_and_remove_grads`).
#[must_use]
pub fn offloads_gradients(layout: &Layout, batch: &Batch) -> bool {
    let wait = layout.backend == Backend::Deepspeed && layout.zero_stage < 2 && batch.micro_batches > 1.0;
    (layout.offload.gradients || layout.steps_with_gradients()) && !wait
}

/// Weights gathered for computing under ZeRO-3 and FSDP: two blocks (the one that computes and
/// the prefetched next one) and the outer weights, in bf16; in the backward pass one block's gradients as well,
/// unless only adapters train. What stays gathered from the first pass on is all of them.
fn gathered(context: &Context<'_>, rank: &RankWeights, layout: &Layout, usage: Use, role: &Role<'_>) -> Bytes {
    let gpus = context.training_gpus();
    let gradients =
        if usage == Use::Train && role.adapters == 0 { rank.largest_block * layout.gradient_bytes } else { 0.0 };
    let quantized = role.adapters > 0 && context.job.workload.quantized_base();
    let (whole, bytes) = stays_gathered(rank, layout, gpus, quantized);
    if whole > 0.0 {
        return Bytes::new(bytes * whole + gradients);
    }
    if !gathers(layout, gpus) {
        // Autocast over fp32 weights keeps bf16 copies of one block's matrices at a time.
        let cast = if layout.backend == Backend::Ddp { rank.largest_block * 2.0 } else { 0.0 };
        return Bytes::new(cast);
    }
    Bytes::new(2.0 * (2.0 * rank.largest_block + rank.outer) + gradients)
}

/// Whether weights are gathered for computing. One GPU holds all of them, unless they come from host memory or FSDP keeps
/// them in more bytes than products read: it casts a unit as it gathers it (`MixedPrecisionPolicy.param_dtype`).
#[must_use]
pub fn gathers(layout: &Layout, gpus: u32) -> bool {
    let cast = layout.backend == Backend::Fsdp && layout.master_weights_bytes > 2.0;
    layout.zero_stage >= 3 && (gpus > 1 || layout.offload.parameters || cast)
}

/// Whether gradients are there before a micro-batch's backward pass. Trainers let go of them after the optimizer's step
/// (`zero_grad(set_to_none=True)`, PyTorch's default); Megatron, `DeepSpeed` and plain data parallelism of several GPUs keep buffers.
fn gradients_stay(context: &Context<'_>, layout: &Layout, batch: &Batch) -> bool {
    let buffers = match layout.backend {
        Backend::Megatron | Backend::Deepspeed => true,
        Backend::Ddp => context.training_gpus() > 1,
        Backend::Fsdp => false,
    };
    buffers || batch.micro_batches > 1.0 || layout.pipeline_parallel > 1
}

/// Gradients of FSDP's outermost unit in bf16, which holds the embedding: where the LM head is tied to it, theirs wait there
/// until the backward pass has come to the embedding.
fn outer_gradients(role: &Role<'_>, rank: &RankWeights, layout: &Layout, usage: Use) -> Bytes {
    let waits = layout.backend == Backend::Fsdp && layout.zero_stage >= 3 && role.model.shape.tie_word_embeddings;
    let trains = usage == Use::Train && role.adapters == 0;
    Bytes::new(if waits && trains { 2.0 * (rank.outer - rank.frozen) } else { 0.0 })
}

/// What the allocator keeps of earlier batches' logits, over those of the largest: blocks of other sizes, which it returns
/// before it gives up. Hugging Face's Trainer pads a batch to its own longest sequence, so that each has another size, and
/// its eager loss makes the largest tensors of a step; those of a batch of mean length are taken to stay. ms-swift's runs of
/// Qwen and Baichuan2 on one A100 (<https://github.com/modelscope/ms-swift/blob/d2b45ec/docs/source_en/LLM/Benchmark.md>)
/// reserve 0.5 (up to 8,192 tokens, of which their samples are a third) to 1.8 times the logits beside what they need,
/// 1.4 at the median. Where the question says that sequences are joined, batches are all alike: Qwen's own runs, which pad
/// every sample to the longest (<https://github.com/QwenLM/Qwen/blob/2df8e8ac450fa185c421a08b0090ef81826caa6e/finetune.py>), reserve none.
fn idle(context: &Context<'_>, layout: &Layout, usage: Use) -> f64 {
    let workload = &context.job.workload;
    let eager = !layout.fused_loss && !layout.fused_lm_head && workload.fine_tunes();
    let alike = workload.says_packed || workload.joins() || usage == Use::Evaluate || layout.backend != Backend::Ddp;
    if eager && !alike { (workload.mean_sequence_length / workload.sequence_length as f64).min(1.0) } else { 0.0 }
}

/// A 4-bit base is unpacked to bf16 one matrix at a time (bitsandbytes, `MatMul4Bit`): the largest one.
fn unpacked(context: &Context<'_>, role: &Role<'_>, layout: &Layout, usage: Use) -> Bytes {
    if role.adapters == 0 || usage == Use::Evaluate || !context.job.workload.quantized_base() {
        return Bytes::ZERO;
    }
    let shape = &role.model.shape;
    let widest = shape.intermediate_size.max(shape.hidden_size) * shape.hidden_size;
    Bytes::new(2.0 * widest as f64 / f64::from(layout.tensor_parallel))
}

/// Of the optimizer's states those that a paged optimizer has in unified memory: all but its small tensors' (bitsandbytes,
/// `get_state_buffer`). CUDA moves them to the host where the card is full, and back as each tensor is stepped.
fn paged(context: &Context<'_>, layout: &Layout, states: &States) -> Bytes {
    let master = if layout.backend == Backend::Deepspeed { layout.master_weights_bytes } else { 0.0 };
    let all = master + layout.optimizer_bytes;
    if !layout.optimizer.kind.row().paged || all <= 0.0 {
        return Bytes::ZERO;
    }
    states.optimizer * (layout.optimizer_bytes / all * paged_share(context.job))
}

/// Process groups of more than one GPU.
fn groups(context: &Context<'_>, layout: &Layout) -> f64 {
    let groups = [
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.sequence_split(),
        layout.expert_parallel,
        layout.data_parallel(context.training_gpus()),
    ];
    groups.iter().filter(|size| **size > 1).count() as f64
}
