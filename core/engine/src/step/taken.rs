//! What a step takes.

use crate::context::Context;
use crate::coverage;
use crate::flops;
use crate::memory::PhaseMemory;
use crate::phase::Phase;
use crate::rollout::{self, Room};
use shardwise_question::job::Timed;
use shardwise_question::plan::{Layout, RolloutPlan};
use shardwise_question::wire::{MemoryParts, TimeParts};

/// Time and memory of a step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Phases in order, with their parts.
    pub times: Vec<(Phase, TimeParts)>,
    /// Phases with what the worst GPU holds.
    pub memories: Vec<(Phase, PhaseMemory)>,
    /// What the engine holds, where there is one.
    pub engine: Option<Room>,
    /// Seconds of the step, overlap between phases applied.
    pub seconds: f64,
    /// Tokens that count for throughput.
    pub tokens: f64,
    /// Model operations of the step.
    pub model_flops: f64,
    /// Operations of the step with what is recomputed: hardware FLOPs utilization counts them.
    pub hardware_flops: f64,
}

impl Step {
    /// The parts of all phases together.
    #[must_use]
    pub fn parts(&self) -> TimeParts {
        let add = |sum: TimeParts, (_, parts): &(Phase, TimeParts)| sum.plus(parts);
        self.times.iter().fold(TimeParts::default(), add)
    }

    /// The phase whose memory is largest, by what `nvidia-smi` would show.
    #[must_use]
    pub fn peak(&self) -> Option<&(Phase, PhaseMemory)> {
        self.memories
            .iter()
            .max_by(|a, b| a.1.reserved_gib().total_cmp(&b.1.reserved_gib()))
    }

    /// Largest reserved memory of any phase in GiB.
    #[must_use]
    pub fn reserved_gib(&self) -> f64 {
        self.peak().map_or(0.0, |(_, memory)| memory.reserved_gib())
    }

    /// This step on cards of `capacity_gib`, whose allocator gives free blocks back before it gives up.
    #[must_use]
    pub fn pressed(mut self, capacity_gib: f64) -> Self {
        for (_, memory) in &mut self.memories {
            *memory = memory.pressed(capacity_gib);
        }
        self
    }
}

/// What recomputation adds to the operations of a training step, as a share of the model's: HFU counts it, MFU does not
/// (PaLM, arXiv:2204.02311, appendix B). Of what is computed again: [`flops::recomputed_per_token`].
pub fn recomputed_share(context: &Context<'_>, layout: &Layout, length: f64) -> f64 {
    let adapters = context.visited_adapters(layout.backend);
    let again = flops::recomputed_per_token(&context.job.model, &context.blocks, layout, adapters, length)
        + context.images_per_token(|tower| tower.recomputed_flops(layout));
    again.get() / context.training_flops(layout.backend, length).get()
}

/// Seconds of a generation phase, calibrated.
pub fn generation_parts(context: &Context<'_>, engine: &RolloutPlan, phase: &rollout::Generation) -> TimeParts {
    let parts = TimeParts {
        prefill: phase.prefill.get(),
        decode: (phase.decode + phase.recomputed).get(),
        tools: phase.tools.get(),
        ..TimeParts::default()
    };
    parts.times(context.job.time_factor(Timed::Rollout) * coverage::engine_caution(engine))
}

/// Memory while the engine generates: its own, and what training leaves on the card.
pub fn engine_memory(room: &Room, context_gib: f64, resident: MemoryParts) -> PhaseMemory {
    let (weights, cache) = (room.weights.gib(), room.cache.gib());
    PhaseMemory {
        parts: MemoryParts {
            rollout_weights: weights,
            kv_cache: cache,
            framework: context_gib + room.workspace.gib(),
            ..resident
        },
        certain_gib: weights + cache,
        ..PhaseMemory::default()
    }
}
