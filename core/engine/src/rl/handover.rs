//! What a card holds while the engine takes new weights over.
//!
//! The trainer's shards, of which so much is gathered at once, lie beside an engine whose weights are awake: veRL wakes them alone, and
//! its cache once the trainer's are away again (`update_weights` of `workers/engine_workers.py` at 1dda039b, lines 781 to 816); so do
//! ms-swift (`_fast_infer` of `rlhf_trainers/rollout_mixin.py` at 3602360a, lines 1186 to 1204), TRL (`sync_weights` and `generate`
//! of `generation/vllm_generation.py` at f2cd5771), NeMo-RL (`refit_policy_generation`), slime (`train.py` at 624b824, lines 84 to 88)
//! and EasyR1. An engine that never sleeps has its cache as well.

use super::{asleep, turns::beside};
use crate::context::Context;
use crate::memory::PhaseMemory;
use crate::phase::Phase;
use crate::rollout::Room;
use crate::weights::{NF4_BYTES, base_bytes};
use shardwise_catalog::units::Bytes;
use shardwise_question::framework::{Gathering, gathering};
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::{Backend, MemoryParts, Schedule};
use shardwise_question::workload::Rl;

/// How much is gathered on each GPU at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gathered {
    /// One of so many parts of the model.
    Part(u32),
    /// The larger of two: a matrix of embedding or LM head, and so many GiB.
    Tensors(f64),
}

/// How much of a layout's weights is gathered at once; `None` where each GPU has what the engine takes.
pub fn gathered(context: &Context<'_>, layout: &Layout) -> Option<Gathered> {
    let job = context.job;
    let alone = context.training_gpus() == 1;
    let shards = match layout.backend {
        Backend::Ddp => false,
        Backend::Deepspeed => layout.zero_stage >= 3,
        Backend::Fsdp | Backend::Megatron => true,
    };
    if alone || !shards {
        return None;
    }
    let adapters = job.workload.lora.is_some();
    let own = gathering(job.framework.map(|own| own.id), layout.backend, adapters);
    let stated = layout.weight_sync_parts.filter(|_| layout.backend != Backend::Megatron);
    Some(match (stated, own) {
        (Some(parts), _) => Gathered::Part(parts),
        (None, Gathering::Whole) => Gathered::Part(1),
        (None, Gathering::Layers) => {
            Gathered::Part(u32::try_from(job.model.shape.num_hidden_layers).unwrap_or(u32::MAX))
        }
        (None, Gathering::Tensors(bucket)) => Gathered::Tensors(bucket),
    })
}

/// Bytes of a weight that is gathered: as the trainer has it.
#[must_use]
pub fn gathered_bytes(context: &Context<'_>, layout: &Layout) -> f64 {
    if context.job.workload.quantized_base() { NF4_BYTES } else { base_bytes(layout) }
}

/// What is gathered on each GPU at once.
fn gathered_size(context: &Context<'_>, layout: &Layout) -> Bytes {
    let (model, each) = (&context.job.model, gathered_bytes(context, layout));
    match gathered(context, layout) {
        None => Bytes::ZERO,
        Some(Gathered::Part(parts)) => Bytes::new(each * model.parameters.total as f64 / f64::from(parts.max(1))),
        Some(Gathered::Tensors(bucket)) => {
            let matrix = (model.shape.hidden_size * model.shape.vocab_size) as f64;
            Bytes::new((each * matrix).max(Bytes::from_gib(bucket).get()))
        }
    }
}

/// What training has on the card while its weights are taken over, what is gathered of them included; `None` where no more of it is
/// there than in every other phase: an engine that reads the trainer's base takes adapters alone, and beside one with GPUs of its own a
/// tensor at a time is little.
#[must_use]
pub fn of_training(context: &Context<'_>, plan: &Plan, rl: &Rl) -> Option<MemoryParts> {
    let parts = matches!(gathered(context, &plan.layout), Some(Gathered::Part(_)));
    let meets = rl.schedule == Schedule::Colocated && !context.job.shares_base();
    (parts || meets).then(|| {
        let left = beside(context, plan)(Phase::WeightSync);
        let gathered = gathered_size(context, &plan.layout).gib() * context.job.memory_factor();
        MemoryParts { parameters: left.parameters + gathered, ..left }
    })
}

/// What an engine holds on the card meanwhile: nothing where it has GPUs of its own.
#[must_use]
pub fn of_engine(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl, room: &Room) -> MemoryParts {
    if rl.schedule != Schedule::Colocated {
        return MemoryParts::default();
    }
    let cache = if engine.free_cache { 0.0 } else { room.cache.gib() };
    MemoryParts { rollout_weights: room.weights.gib(), kv_cache: cache, ..asleep(context, engine, rl) }
}

/// Both together.
pub(super) fn memory(context: &Context<'_>, training: &MemoryParts, engine: &MemoryParts) -> PhaseMemory {
    let certain_gib = engine.rollout_weights + engine.kv_cache;
    let framework = MemoryParts { framework: context.efficiency.context_gib, ..MemoryParts::default() };
    PhaseMemory { parts: training.plus(engine).plus(&framework), certain_gib, ..PhaseMemory::default() }
}
