//! Memory of the worst GPU while a model trains or is only evaluated.

use crate::batch::Batch;
use crate::context::{Context, Head, Role};
use crate::layer::{BlockContext, Slice};
use crate::plan::{Layout, Recompute};
use crate::units::Bytes;
use crate::weights::{RankWeights, Stage, States, adapter_states, rank_weights, training_states};
use crate::wire::{Backend, MemoryParts};

/// What a role does in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Forward, backward, optimizer step.
    Train,
    /// Forward alone.
    Evaluate,
}

/// Memory of one phase, in parts: allocated first, then what the allocator and the driver add.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseMemory {
    /// Parts, in GiB.
    pub parts: MemoryParts,
}

impl PhaseMemory {
    /// What the framework's allocator has handed out, in GiB.
    #[must_use]
    pub fn allocated_gib(&self) -> f64 {
        self.parts.total() - self.parts.framework - self.parts.communication
    }

    /// Everything `nvidia-smi` would show, in GiB.
    #[must_use]
    pub fn reserved_gib(&self) -> f64 {
        self.parts.total()
    }
}

/// Memory of a role on the worst pipeline stage.
#[must_use]
pub fn of_role(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    gpus: u32,
    batch: &Batch,
    usage: Use,
) -> PhaseMemory {
    let first = of_stage(context, role, layout, gpus, batch, usage, Stage::First);
    if layout.pipeline_parallel == 1 {
        return first;
    }
    let last = of_stage(context, role, layout, gpus, batch, usage, Stage::Last);
    if last.reserved_gib() > first.reserved_gib() {
        last
    } else {
        first
    }
}

fn of_stage(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    gpus: u32,
    batch: &Batch,
    usage: Use,
    stage: Stage,
) -> PhaseMemory {
    let rank = rank_weights(role, layout, stage);
    let mut states = states(context, role, &rank, layout, gpus, usage);
    let workspace = gathered(&rank, layout, gpus, usage, role);
    if layout.offload.parameters && layout.zero_stage >= 3 {
        states.parameters = Bytes::ZERO;
    }
    if layout.offload.optimizer {
        states.optimizer = Bytes::ZERO;
    }
    if layout.offload.gradients {
        states.gradients = Bytes::ZERO;
    }
    let activations = activations(context, role, layout, batch, usage, stage);
    let has_head = layout.pipeline_parallel == 1 || stage == Stage::Last;
    let logits = if has_head {
        logits(role, layout, batch.largest.tokens, usage)
    } else {
        Bytes::ZERO
    };
    let mut parts = MemoryParts {
        parameters: (states.parameters + workspace).gib(),
        gradients: states.gradients.gib(),
        optimizer: states.optimizer.gib(),
        activations: activations.gib(),
        logits: logits.gib(),
        ..MemoryParts::default()
    };
    let allocated = parts.total();
    let groups = [
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.sequence_split(),
        layout.expert_parallel,
        layout.data_parallel(gpus),
    ];
    let groups = groups.iter().filter(|size| **size > 1).count() as f64;
    parts.communication = context.efficiency.group_buffer_gib * groups;
    parts.framework =
        context.efficiency.context_gib + context.efficiency.allocator_slack * allocated;
    PhaseMemory { parts }
}

/// Model states of a role on one GPU.
pub(crate) fn states(
    context: &Context<'_>,
    role: &Role<'_>,
    rank: &RankWeights,
    layout: &Layout,
    gpus: u32,
    usage: Use,
) -> States {
    match usage {
        Use::Train if role.adapters > 0 => adapter_states(
            role,
            rank,
            layout,
            gpus,
            context.job.workload.quantized_base(),
        ),
        Use::Train => training_states(rank, layout, gpus),
        Use::Evaluate => {
            let trained = training_states(rank, layout, gpus).parameters;
            let parameters = if role.adapters > 0 {
                let quantized = context.job.workload.quantized_base();
                adapter_states(role, rank, layout, gpus, quantized).parameters
            } else {
                trained
            };
            States {
                parameters,
                ..States::default()
            }
        }
    }
}

/// Weights gathered for computing under ZeRO-3 and FSDP: two blocks (the one that computes and
/// the prefetched next one) and the outer weights, in bf16; in the backward pass one block's gradients as well,
/// unless only adapters train.
fn gathered(rank: &RankWeights, layout: &Layout, gpus: u32, usage: Use, role: &Role<'_>) -> Bytes {
    if layout.zero_stage < 3 || gpus == 1 {
        // Autocast over fp32 weights keeps bf16 copies of one block's matrices at a time.
        let cast = if layout.backend == Backend::Ddp {
            rank.largest_block * 2.0
        } else {
            0.0
        };
        return Bytes::new(cast);
    }
    let gradients = if usage == Use::Train && role.adapters == 0 {
        rank.largest_block * layout.gradient_bytes
    } else {
        0.0
    };
    Bytes::new(2.0 * (2.0 * rank.largest_block + rank.outer) + gradients)
}

/// Logits and what the loss keeps of them.
///
/// A bf16 tensor of tokens × vocabulary, an fp32 copy for the softmax whose gradient replaces it,
/// and that gradient cast back: 2 + 4 + 2 bytes at the worst moment in eager code; 2 + 4 where the
/// loss works in place over a split vocabulary (Megatron's `vocab_parallel_cross_entropy`). A
/// fused LM head keeps none (measured: one bf16 tensor less, <https://github.com/volcengine/verl/issues/7826>).
fn logits(role: &Role<'_>, layout: &Layout, tokens: f64, usage: Use) -> Bytes {
    if role.head == Head::Scalar || layout.fused_lm_head {
        return Bytes::ZERO;
    }
    let per_logit = match (usage, layout.backend) {
        (Use::Evaluate, _) | (Use::Train, Backend::Megatron) => 6.0,
        (Use::Train, _) => 8.0,
    };
    let vocabulary = role.model.shape.vocab_size as f64 / f64::from(layout.tensor_parallel);
    Bytes::new(per_logit * tokens * vocabulary)
}

/// Activations: kept ones of every micro-batch in flight, and the working set of one block.
fn activations(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    usage: Use,
    stage: Stage,
) -> Bytes {
    let shape = &role.model.shape;
    let framework = context.framework(layout.backend);
    let block_context = BlockContext {
        shape,
        layout,
        rates: &context.rates,
        network: &context.network,
        elementwise: framework.elementwise,
        expert_imbalance: context.efficiency.expert_imbalance,
        weight_gradients: true,
    };
    let eager = match layout.backend {
        Backend::Megatron => 0.0,
        Backend::Fsdp | Backend::Deepspeed | Backend::Ddp => context.efficiency.eager_activation,
    };
    let slice: Slice = batch.largest;
    let share = shape
        .num_hidden_layers
        .div_ceil(layout.pipeline_parallel.into()) as f64
        / shape.num_hidden_layers as f64;
    let none = Layout {
        recompute: Recompute::None,
        ..*layout
    };
    let whole = BlockContext {
        layout: &none,
        ..block_context
    };
    let mut kept = 0.0;
    let mut working: f64 = 0.0;
    for block in role.blocks {
        kept += block_context.kept_bytes(*block, slice, eager) * block.count as f64 * share;
        working = working.max(whole.kept_bytes(*block, slice, eager));
    }
    if usage == Use::Evaluate {
        // Only the block at work holds anything.
        return Bytes::new(working);
    }
    if layout.offload.activations {
        // Two blocks' inputs are on the card: one at work, one on its way.
        kept = kept / (shape.num_hidden_layers as f64 * share) * 2.0;
    }
    let in_flight = in_flight(layout, batch.micro_batches, stage);
    // In the backward pass a recomputed block stands beside the gradients of its widest part.
    let recomputed = if layout.recompute == Recompute::None {
        0.0
    } else {
        working
    };
    let gradients = working * 0.25;
    Bytes::new(kept * in_flight + recomputed + gradients)
}

/// Micro-batches whose activations a stage holds at once.
///
/// 1F1B: the first stage holds `p`, the last one. Interleaved: `p·(1 + (p−1)/(p·v))` on the first
/// (Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.3).
#[must_use]
pub fn in_flight(layout: &Layout, micro_batches: f64, stage: Stage) -> f64 {
    let p = f64::from(layout.pipeline_parallel);
    let v = f64::from(layout.virtual_pipeline);
    let most = match stage {
        Stage::First if v > 1.0 => p * (1.0 + (p - 1.0) / (p * v)),
        Stage::First => p,
        Stage::Last if v > 1.0 => (p * (v - 1.0) + 1.0) / v,
        Stage::Last => 1.0,
    };
    most.min(micro_batches.max(1.0))
}
