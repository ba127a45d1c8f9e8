//! One whole step: every phase's time and memory, and what the schedule makes of them.

use crate::batch;
use crate::complete::training_gpus;
use crate::context::Context;
use crate::coverage;
use crate::flops;
use crate::memory::{self, PhaseMemory, Use};
use crate::plan::{Layout, Plan, RolloutPlan};
use crate::rl;
use crate::rollout::{self, Requests, Room};
use crate::training;
use crate::wire::{MemoryParts, TimeParts};

/// Time and memory of a step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Phases in order, with their parts.
    pub times: Vec<(&'static str, TimeParts)>,
    /// Phases with what the worst GPU holds.
    pub memories: Vec<(&'static str, PhaseMemory)>,
    /// What the engine holds, where there is one.
    pub engine: Option<Room>,
    /// Seconds of the step, overlap between phases applied.
    pub seconds: f64,
    /// Tokens that count for throughput.
    pub tokens: f64,
    /// Model operations of the step.
    pub model_flops: f64,
    /// The same with recomputation.
    pub hardware_flops: f64,
}

impl Step {
    /// The parts of all phases together.
    #[must_use]
    pub fn parts(&self) -> TimeParts {
        let add = |sum: TimeParts, (_, parts): &(&str, TimeParts)| sum.plus(parts, 1.0);
        self.times.iter().fold(TimeParts::default(), add)
    }

    /// The phase whose memory is largest, by what `nvidia-smi` would show.
    #[must_use]
    pub fn peak(&self) -> Option<&(&'static str, PhaseMemory)> {
        self.memories
            .iter()
            .max_by(|a, b| a.1.reserved_gib().total_cmp(&b.1.reserved_gib()))
    }

    /// Largest reserved memory of any phase in GiB.
    #[must_use]
    pub fn reserved_gib(&self) -> f64 {
        self.peak().map_or(0.0, |(_, memory)| memory.reserved_gib())
    }

    /// The same on cards of `capacity_gib`, whose allocator gives free blocks back before it gives up.
    #[must_use]
    pub fn pressed(mut self, capacity_gib: f64) -> Self {
        for (_, memory) in &mut self.memories {
            *memory = memory.pressed(capacity_gib);
        }
        self
    }
}

/// Evaluates a plan.
#[must_use]
pub fn evaluate(context: &Context<'_>, plan: &Plan) -> Step {
    let workload = &context.job.workload;
    match (&workload.rl, &workload.generation) {
        (Some(rl), _) => rl::step(context, plan, rl),
        (None, Some(_)) => generation_step(context, plan),
        (None, None) => training_step(context, &plan.layout),
    }
}

/// What recomputation adds to the operations of a training step, as a share of the model's: HFU counts it, MFU does not
/// (PaLM, arXiv:2204.02311, appendix B). Of what is computed again: [`flops::recomputed_per_token`].
pub(crate) fn recomputed_share(context: &Context<'_>, layout: &Layout, length: f64) -> f64 {
    let again = flops::recomputed_per_token(
        &context.job.model,
        &context.blocks,
        layout,
        context.visited_adapters,
        length,
    );
    again.get() / context.training_flops(length).get()
}

fn training_step(context: &Context<'_>, layout: &Layout) -> Step {
    let gpus = training_gpus(context.job);
    let workload = &context.job.workload;
    let role = context.actor();
    let batch = batch::split(context.job, layout, gpus, workload.global_batch as f64, 0.0);
    let parts = training::step(context, &role, layout, gpus, &batch);
    let memory = memory::of_role(context, &role, layout, gpus, &batch, Use::Train);
    let flops = context.training_flops(workload.mean_sequence_length).get() * batch.tokens;
    Step {
        seconds: parts.total(),
        times: vec![("train", parts)],
        memories: vec![("train", memory)],
        engine: None,
        tokens: batch.tokens,
        model_flops: flops,
        hardware_flops: flops
            * (1.0 + recomputed_share(context, layout, workload.mean_sequence_length)),
    }
}

/// Seconds of a generation phase, calibrated.
pub(crate) fn generation_parts(
    context: &Context<'_>,
    engine: &RolloutPlan,
    phase: &rollout::Generation,
) -> TimeParts {
    let parts = TimeParts {
        prefill: phase.prefill.get(),
        decode: (phase.decode + phase.recomputed).get(),
        ..TimeParts::default()
    };
    parts.times(context.job.time_factor() * coverage::engine_caution(engine))
}

/// Memory while the engine generates: its own, and what training leaves on the card.
pub(crate) fn engine_memory(room: &Room, context_gib: f64, resident: MemoryParts) -> PhaseMemory {
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

fn generation_step(context: &Context<'_>, plan: &Plan) -> Step {
    let (Some(generation), Some(engine)) = (context.job.workload.generation, &plan.rollout) else {
        return Step::default();
    };
    let gpus = context.job.hardware.gpus;
    let requests = Requests {
        count: generation.requests as f64,
        prompt: generation.mean_prompt_length,
        shared: 1.0,
        responses: context.responses,
    };
    let phase = rollout::generate(context, engine, gpus, &requests);
    let parts = generation_parts(context, engine, &phase);
    let length = generation.mean_prompt_length + generation.mean_response_length;
    let processed = generation.requests as f64 * length;
    let flops = flops::forward_per_token(&context.job.model, length).get() * processed;
    Step {
        seconds: parts.total(),
        times: vec![("rollout", parts)],
        memories: vec![(
            "rollout",
            engine_memory(
                &phase.room,
                context.efficiency.context_gib,
                MemoryParts::default(),
            ),
        )],
        engine: Some(phase.room),
        tokens: generation.requests as f64 * generation.mean_response_length,
        model_flops: flops,
        hardware_flops: flops,
    }
}
