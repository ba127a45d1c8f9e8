//! Memory of the worst GPU while a model trains or is only evaluated.

mod phase;
pub mod workings;

use crate::batch::{self, Batch, Largest};
use crate::context::{Context, Head, Role};
use crate::layer::{BlockContext, Slice};
use crate::weights::{RankWeights, Stage, States, adapter_states, held, shard_counts, stage_layers, training_states};
use crate::zero_infinity::second_copy;
pub use phase::{Lengths, PhaseMemory, Use};
use shardwise_catalog::units::Bytes;
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::{Backend, MemoryParts};

/// Memory of a role on the worst pipeline stage, calibrated.
#[must_use]
pub fn of_role(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch, usage: Use) -> PhaseMemory {
    let most = |largest| worst(context, role, layout, (batch, largest), usage).1;
    let expected = most(&batch.expected);
    if batch.longest == batch.expected {
        return expected;
    }
    let longest = most(&batch.longest);
    let (fixed, own) = expected.terms(Lengths::Expected);
    let (longest_fixed, longest_own) = longest.terms(Lengths::Expected);
    PhaseMemory { growth_gib: (longest_fixed - fixed, longest_own - own), ..expected }
}

/// Memory of a role on the worst pipeline stage with every sequence as long as any may be: all that a search asks for.
#[must_use]
pub fn of_role_at_longest(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    usage: Use,
) -> PhaseMemory {
    let most = || worst(context, role, layout, (batch, &batch.longest), usage).1;
    context.known.memory_at_longest(role, layout, (batch, usage), most)
}

/// The pipeline stage whose GPUs need most, and what they hold.
fn worst(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: (&Batch, &Largest),
    usage: Use,
) -> (Stage, PhaseMemory) {
    let of = |stage| {
        let memory = of_stage(context, role, layout, batch, usage, stage);
        (stage, memory)
    };
    let first = of(Stage::First);
    if layout.pipeline_parallel == 1 {
        return first;
    }
    let larger = |a: (Stage, PhaseMemory), b: (Stage, PhaseMemory)| {
        if b.1.reserved_gib() > a.1.reserved_gib() { b } else { a }
    };
    let ends = larger(first, of(Stage::Last));
    // Where blocks differ, the stage behind a first one of small layers can hold more.
    if layout.pipeline_parallel > 2 && role.blocks.len() > 1 { larger(ends, of(Stage::Second)) } else { ends }
}

fn of_stage(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: (&Batch, &Largest),
    usage: Use,
    stage: Stage,
) -> PhaseMemory {
    let held = Held::of(context, role, layout, batch, usage, stage);
    let none = Bytes::ZERO;
    let activations = &held.activations;
    let (workspace, kept, logits, step) = match held.moment() {
        Moment::Optimizer => (none, none, none, held.step),
        Moment::Loss => (held.workspace, activations.kept, held.loss, none),
        Moment::Backward => (held.workspace, activations.kept + activations.working, none, none),
    };
    let mut parts = MemoryParts {
        parameters: (held.states.parameters + workspace).gib(),
        gradients: held.states.gradients.gib(),
        optimizer: (held.states.optimizer + step).gib(),
        activations: kept.gib(),
        logits: logits.gib(),
        ..MemoryParts::default()
    }
    .times(context.job.memory_factor());
    let allocated = parts.total();
    parts.communication = context.efficiency.group_buffer_gib * groups(context, layout);
    let slack_gib = context.efficiency.allocator_slack * allocated;
    parts.framework = context.efficiency.context_gib + slack_gib;
    // A frozen base and its adapters' states are as large as they are: what else such a step holds is estimated.
    let certain_gib = if role.adapters > 0 {
        let States { parameters, gradients, optimizer } = held.states;
        (parameters + gradients + optimizer).gib() * context.job.memory_factor()
    } else {
        0.0
    };
    PhaseMemory { parts, slack_gib, certain_gib, ..PhaseMemory::default() }
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

/// What a stage's GPU holds, before its worst moment is known.
struct Held {
    rank: RankWeights,
    /// Of the states what is on the card.
    states: States,
    /// Gathered weights and one block's gradients.
    workspace: Bytes,
    activations: Activations,
    /// Logits and what the loss makes of them.
    loss: Bytes,
    /// What the optimizer's step makes beside its states.
    step: Bytes,
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

impl Held {
    fn of(
        context: &Context<'_>,
        role: &Role<'_>,
        layout: &Layout,
        (batch, largest): (&Batch, &Largest),
        usage: Use,
        stage: Stage,
    ) -> Self {
        let rank = context.known.rank_weights(role, layout, stage);
        let mut states = states(context, role, &rank, layout, usage);
        let workspace = gathered(context, &rank, layout, usage, role);
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
        let mut activations = activations(context, role, layout, largest, usage, stage);
        activations.working += unpacked(context, role, layout, usage);
        let step = optimizer_step(context, role, &rank, layout, usage);
        let has_head = layout.pipeline_parallel == 1 || stage == Stage::Last;
        let loss = if has_head { loss(context, role, &rank, layout, largest.slice.tokens, usage) } else { Bytes::ZERO };
        Self { rank, states, workspace, activations, loss, step }
    }

    /// The loss is over, its tensors gone, when the last block's backward pass begins; all activations are, and gathered
    /// weights, when the optimizer steps.
    fn moment(&self) -> Moment {
        let Activations { kept, working } = self.activations;
        if self.step > kept + self.loss.max(working) + self.workspace {
            Moment::Optimizer
        } else if self.loss > working {
            Moment::Loss
        } else {
            Moment::Backward
        }
    }
}

/// Model states of a role on a GPU of the first stage.
pub(crate) fn first_states(context: &Context<'_>, role: &Role<'_>, layout: &Layout, usage: Use) -> States {
    let rank = context.known.rank_weights(role, layout, Stage::First);
    states(context, role, &rank, layout, usage)
}

/// Model states of a role on one GPU.
fn states(context: &Context<'_>, role: &Role<'_>, rank: &RankWeights, layout: &Layout, usage: Use) -> States {
    let gpus = context.training_gpus();
    match usage {
        Use::Train if role.adapters > 0 => {
            adapter_states(role, rank, layout, gpus, context.job.workload.quantized_base())
        }
        Use::Train => training_states(rank, layout, gpus),
        Use::Evaluate => {
            let trained = training_states(rank, layout, gpus).parameters;
            let parameters = if role.adapters > 0 {
                let quantized = context.job.workload.quantized_base();
                adapter_states(role, rank, layout, gpus, quantized).parameters
            } else {
                trained
            };
            States { parameters, ..States::default() }
        }
    }
}

/// Whether gradients lie in host memory. Offloaded ones wait on the card for the last micro-batch where `DeepSpeed` is
/// without stage 2: it reduces them, and lets go of them, in that one's backward pass alone (0.19.8,
/// `runtime/zero/stage_1_and_2.py`, `reduce_ready_partitions_and_remove_grads`).
#[must_use]
pub fn offloads_gradients(layout: &Layout, batch: &Batch) -> bool {
    let wait = layout.backend == Backend::Deepspeed && layout.zero_stage < 2 && batch.micro_batches > 1.0;
    layout.offload.gradients && !wait
}

/// Weights gathered for computing under ZeRO-3 and FSDP: two blocks (the one that computes and
/// the prefetched next one) and the outer weights, in bf16; in the backward pass one block's gradients as well,
/// unless only adapters train.
fn gathered(context: &Context<'_>, rank: &RankWeights, layout: &Layout, usage: Use, role: &Role<'_>) -> Bytes {
    // One GPU holds all weights, unless they come from host memory.
    if layout.zero_stage < 3 || (context.training_gpus() == 1 && !layout.offload.parameters) {
        // Autocast over fp32 weights keeps bf16 copies of one block's matrices at a time.
        let cast = if layout.backend == Backend::Ddp { rank.largest_block * 2.0 } else { 0.0 };
        return Bytes::new(cast);
    }
    let gradients =
        if usage == Use::Train && role.adapters == 0 { rank.largest_block * layout.gradient_bytes } else { 0.0 };
    Bytes::new(2.0 * (2.0 * rank.largest_block + rank.outer) + gradients)
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

/// What the optimizer's step makes beside its states: `PyTorch`'s AdamW works on all tensors at once (`foreach`) and
/// keeps the denominator of each, in fp32 (`torch/optim/adamw.py`, `_multi_tensor_adamw`). Megatron and `DeepSpeed`
/// have fused kernels.
fn optimizer_step(context: &Context<'_>, role: &Role<'_>, rank: &RankWeights, layout: &Layout, usage: Use) -> Bytes {
    let fused = matches!(layout.backend, Backend::Megatron | Backend::Deepspeed);
    if usage == Use::Evaluate || fused || layout.offload.optimizer || role.adapters > 0 {
        return Bytes::ZERO;
    }
    let updated = held(rank, layout, shard_counts(layout, context.training_gpus()), 1);
    Bytes::new(4.0 * updated)
}

/// Bytes per logit while an eager loss is computed: logits in bf16, and at the worst moment, in its backward pass,
/// the log-softmax, its gradient and the loss's, each in fp32 (PyTorch's `cross_entropy` over `logits.float()`).
/// torchtitan's runs of December 2024 show 12 to 13.
const EAGER_LOGIT_BYTES: f64 = 12.0;

/// Bytes per logit of the eager loss of Hugging Face's models, which also keep the fp32 copy that it reads, shifted by
/// a token (`transformers` 4.45, `modeling_llama.py`, `shift_logits`): 2 + 4 · 4. Qwen's table of memory by length
/// (<https://github.com/QwenLM/Qwen/blob/main/README.md>) grows by 17 bytes a logit, Unsloth's longest lengths of plain
/// Hugging Face (<https://github.com/unslothai/unsloth/blob/e76172c/README.md>) by 18.
const HUGGING_FACE_LOGIT_BYTES: f64 = 18.0;

/// Bytes per logit of a fused loss: logits in bf16 and their gradient, or fp32 logits that the gradient replaces
/// (Korthikanti et al. 2022, arXiv:2205.05198, section 4.3: `4·s·b·v`).
const FUSED_LOGIT_BYTES: f64 = 4.0;

/// Bytes per logit in veRL, where log-probabilities and their gradient are computed in place of them: what a fused LM
/// head saves is one bf16 tensor (measured: 2.09 GB of 2.13, <https://github.com/volcengine/verl/issues/7826>).
const IN_PLACE_LOGIT_BYTES: f64 = 2.0;

/// Bytes that a logit takes at the loss's worst moment.
fn logit_bytes(context: &Context<'_>, layout: &Layout, usage: Use) -> f64 {
    let workload = &context.job.workload;
    match (usage, layout.fused_loss) {
        _ if layout.fused_lm_head => 0.0,
        (_, true) if workload.rl.is_some() => IN_PLACE_LOGIT_BYTES,
        (_, true) => FUSED_LOGIT_BYTES,
        (Use::Train, false) if workload.fine_tunes() => HUGGING_FACE_LOGIT_BYTES,
        (Use::Train, false) => EAGER_LOGIT_BYTES,
        // No gradients: logits, their fp32 copy and the log-softmax.
        (Use::Evaluate, false) => EAGER_LOGIT_BYTES - 2.0,
    }
}

/// The loss's moment: logits, what it makes of them, and the head's gradient, which stands beside them before it is
/// added to the others.
/// A fused LM head keeps no logits.
fn loss(context: &Context<'_>, role: &Role<'_>, rank: &RankWeights, layout: &Layout, tokens: f64, usage: Use) -> Bytes {
    if role.head == Head::Scalar {
        return Bytes::ZERO;
    }
    let gradient = rank.head * head_gradient(context, role, usage);
    let per_logit = logit_bytes(context, layout, usage);
    Bytes::new(per_logit * tokens * rank_vocabulary(role, layout) + gradient)
}

/// Bytes of the LM head's gradient per weight; 0 where the head is not trained.
fn head_gradient(context: &Context<'_>, role: &Role<'_>, usage: Use) -> f64 {
    if usage == Use::Train && role.adapters == 0 { context.efficiency.head_gradient } else { 0.0 }
}

/// Logits of a token on one GPU.
fn rank_vocabulary(role: &Role<'_>, layout: &Layout) -> f64 {
    role.model.shape.vocab_size as f64 / f64::from(layout.tensor_parallel)
}

/// Share of what a stage's blocks keep that is on the card: with offload two blocks' inputs, one at work, one on its way.
fn on_card(layout: &Layout, layers: f64) -> f64 {
    if layout.offload.activations && layers > 2.0 { 2.0 / layers } else { 1.0 }
}

/// How often the largest block's activations are at work beside the kept ones: in a backward pass a recomputed block
/// stands beside the gradients of its widest part, a quarter of it (assumed); without one only the block at work holds
/// anything.
fn at_work(layout: &Layout, usage: Use) -> f64 {
    match layout.recompute {
        _ if usage == Use::Evaluate => 1.0,
        Recompute::None => 0.25,
        _ => 1.25,
    }
}

/// Activations of a stage.
#[derive(Clone, Copy)]
struct Activations {
    /// Kept ones of every micro-batch in flight.
    kept: Bytes,
    /// The working set of one block's backward pass.
    working: Bytes,
}

/// What one block's bytes depend on, and what eager code keeps beside the counted ones, in bytes per token and hidden
/// size.
fn block_context<'a>(context: &'a Context<'_>, role: &'a Role<'_>, layout: &'a Layout) -> (BlockContext<'a>, f64) {
    let own = BlockContext {
        shape: &role.model.shape,
        layout,
        rates: &context.rates,
        network: &context.network,
        elementwise: context.framework(layout).elementwise,
        expert_imbalance: context.efficiency.expert_imbalance,
        weight_gradients: true,
    };
    let eager = match layout.backend {
        Backend::Megatron => 0.0,
        Backend::Fsdp | Backend::Deepspeed | Backend::Ddp => context.efficiency.eager_activation,
    };
    (own, eager)
}

fn activations(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    largest: &Largest,
    usage: Use,
    stage: Stage,
) -> Activations {
    let (block_context, eager) = block_context(context, role, layout);
    let slice: Slice = largest.slice;
    let none = layout.without_recompute();
    let whole = BlockContext { layout: &none, ..block_context };
    let trains = usage == Use::Train;
    let (mut kept, mut layers, mut working) = (0.0, 0.0, 0.0_f64);
    for (block, count) in stage_layers(role, layout, stage) {
        if count > 0.0 {
            if trains {
                kept += block_context.kept_bytes(block, slice, eager) * count;
            }
            layers += count;
            working = working.max(whole.kept_bytes(block, slice, eager));
        }
    }
    let working = Bytes::new(working * at_work(layout, usage));
    if !trains {
        return Activations { kept: Bytes::ZERO, working };
    }
    kept *= on_card(layout, layers);
    Activations { kept: Bytes::new(kept * in_flight(layout, largest.micro_batches, stage)), working }
}

/// Activations of one GPU that wait in host memory, with lengths as the question has them, on the stage that keeps most.
#[must_use]
pub fn offloaded_activations(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> Bytes {
    let sequences = context.job.workload.global_batch as f64;
    let batch = batch::split(context.job, layout, sequences, 0.0);
    let moved = moved_activations(context, role, layout, batch.expected.slice);
    moved * in_flight(layout, batch.expected.micro_batches, Stage::First)
}

/// Activations of one micro-batch that leave the card of a first stage's GPU for host memory, and come back.
#[must_use]
pub fn moved_activations(context: &Context<'_>, role: &Role<'_>, layout: &Layout, slice: Slice) -> Bytes {
    let (own, eager) = block_context(context, role, layout);
    let (mut kept, mut layers) = (0.0, 0.0);
    for (block, count) in stage_layers(role, layout, Stage::First) {
        kept += own.kept_bytes(block, slice, eager) * count;
        layers += count;
    }
    Bytes::new(kept * (1.0 - on_card(layout, layers)))
}

/// Micro-batches whose activations a stage holds at once.
///
/// 1F1B: the first stage holds `p`, each further one one less. Interleaved: `p·(1 + (p−1)/(p·v))` on the first
/// (Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.3), `2/v` less on each further one.
#[must_use]
pub fn in_flight(layout: &Layout, micro_batches: f64, stage: Stage) -> f64 {
    let p = f64::from(layout.pipeline_parallel);
    let v = f64::from(layout.virtual_pipeline);
    let behind = match stage {
        Stage::First => 0.0,
        Stage::Second => 1.0,
        Stage::Last => p - 1.0,
    };
    let most = if v > 1.0 { p + (p - 1.0 - 2.0 * behind) / v } else { p - behind };
    most.min(micro_batches.max(1.0))
}
