//! One whole step: every phase's time and memory, and what the schedule makes of them.

use crate::batch::{self, Batch};
use crate::complete::{generating_gpus, training_gpus};
use crate::context::{Context, Head, Role};
use crate::flops;
use crate::memory::{self, PhaseMemory, Use};
use crate::model::Model;
use crate::plan::{Layout, MicroBatch, Plan, RolloutPlan};
use crate::rollout::{self, Requests};
use crate::training;
use crate::units::{Bytes, Seconds};
use crate::weights::{Stage, rank_weights, training_states};
use crate::wire::{MemoryParts, Schedule, TimeParts};
use crate::workload::Rl;

/// Time and memory of a step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Phases in order, with their parts.
    pub times: Vec<(&'static str, TimeParts)>,
    /// Phases with what the worst GPU holds.
    pub memories: Vec<(&'static str, PhaseMemory)>,
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
}

/// Forward-only roles take larger micro-batches than training ones: nothing is kept for a backward pass
/// (veRL's tuning guide, "Batch Size Tuning", rule 3: twice).
#[must_use]
pub fn forward_layout(layout: &Layout) -> Layout {
    let micro_batch = match layout.micro_batch {
        MicroBatch::Sequences(n) => MicroBatch::Sequences(n * 2),
        MicroBatch::Tokens(n) => MicroBatch::Tokens(n * 2),
    };
    Layout {
        micro_batch,
        ..*layout
    }
}

/// Evaluates a plan.
#[must_use]
pub fn evaluate(context: &Context<'_>, plan: &Plan) -> Step {
    let workload = &context.job.workload;
    match (&workload.rl, &workload.generation) {
        (Some(rl), _) => rl_step(context, plan, rl),
        (None, Some(_)) => generation_step(context, plan),
        (None, None) => training_step(context, &plan.layout),
    }
}

/// Extra share of operations that recomputation adds to a training step.
fn recomputed_share(layout: &Layout) -> f64 {
    match layout.recompute {
        crate::plan::Recompute::Full => 1.0 / 3.0,
        crate::plan::Recompute::Selective(_) | crate::plan::Recompute::None => 0.0,
    }
}

fn training_step(context: &Context<'_>, layout: &Layout) -> Step {
    let gpus = training_gpus(context.job);
    let workload = &context.job.workload;
    let role = context.actor();
    let batch = batch::split(context.job, layout, gpus, workload.global_batch as f64, 0.0);
    let parts = training::step(context, &role, layout, gpus, &batch);
    let memory = memory::of_role(context, &role, layout, gpus, &batch, Use::Train);
    let flops = flops::training_per_token(&context.job.model, workload.mean_sequence_length).get()
        * batch.tokens;
    Step {
        seconds: parts.total(),
        times: vec![("train", parts)],
        memories: vec![("train", memory)],
        tokens: batch.tokens,
        model_flops: flops,
        hardware_flops: flops * (1.0 + recomputed_share(layout)),
    }
}

fn generation_parts(phase: &rollout::Generation) -> TimeParts {
    TimeParts {
        prefill: phase.prefill.get(),
        decode: phase.decode.get(),
        ..TimeParts::default()
    }
}

/// Memory while the engine generates: its own, and what training leaves on the card.
fn engine_memory(
    phase: &rollout::Generation,
    context_gib: f64,
    resident: MemoryParts,
) -> PhaseMemory {
    PhaseMemory {
        parts: MemoryParts {
            rollout_weights: phase.weights.gib(),
            kv_cache: phase.cache.gib(),
            framework: context_gib + rollout::ENGINE_GIB,
            ..resident
        },
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
        response: generation.mean_response_length,
        cv: generation.response_length_cv,
        longest: f64::MAX,
    };
    let phase = rollout::generate(context, engine, gpus, &requests);
    let parts = generation_parts(&phase);
    let length = generation.mean_prompt_length + generation.mean_response_length;
    let processed = generation.requests as f64 * length;
    let flops = flops::forward_per_token(&context.job.model, length).get() * processed;
    Step {
        seconds: parts.total(),
        times: vec![("rollout", parts)],
        memories: vec![(
            "rollout",
            engine_memory(
                &phase,
                context.efficiency.context_gib,
                MemoryParts::default(),
            ),
        )],
        tokens: generation.requests as f64 * generation.mean_response_length,
        model_flops: flops,
        hardware_flops: flops,
    }
}

/// The rollout phase of an RL step.
#[must_use]
pub fn rollout_phase(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> rollout::Generation {
    let requests = Requests {
        count: rl.sequences() as f64,
        prompt: rl.mean_prompt_length,
        shared: rl.responses_per_prompt as f64,
        response: rl.mean_response_length,
        cv: rl.response_length_cv,
        longest: rl.max_response_length as f64,
    };
    rollout::generate(context, engine, generating_gpus(context.job), &requests)
}

/// What stays on a training GPU between phases, in GiB: states that are not offloaded.
#[must_use]
pub fn resident(context: &Context<'_>, layout: &Layout, model: &Model, gpus: u32) -> MemoryParts {
    let actor = context.actor();
    let role = Role { model, ..actor };
    let rank = rank_weights(&role, layout, Stage::First);
    let states = training_states(&rank, layout, gpus);
    let keep = |bytes: Bytes, offloaded: bool| if offloaded { 0.0 } else { bytes.gib() };
    MemoryParts {
        parameters: keep(states.parameters, layout.offload.parameters),
        // Megatron frees its gradient buffers with the parameters (verl 0.9.1, `param_offload`).
        gradients: keep(
            states.gradients,
            layout.offload.gradients || layout.offload.parameters,
        ),
        optimizer: keep(states.optimizer, layout.offload.optimizer),
        ..MemoryParts::default()
    }
}

fn join(a: MemoryParts, b: MemoryParts) -> MemoryParts {
    MemoryParts {
        parameters: a.parameters + b.parameters,
        gradients: a.gradients + b.gradients,
        optimizer: a.optimizer + b.optimizer,
        activations: a.activations + b.activations,
        logits: a.logits + b.logits,
        kv_cache: a.kv_cache + b.kv_cache,
        rollout_weights: a.rollout_weights + b.rollout_weights,
        frozen_weights: a.frozen_weights + b.frozen_weights,
        communication: a.communication + b.communication,
        framework: a.framework + b.framework,
    }
}

/// States that are offloaded between phases come back for the phase that uses them.
fn in_phase(layout: &Layout) -> Layout {
    Layout {
        offload: crate::wire::Offload {
            activations: layout.offload.activations,
            ..Default::default()
        },
        ..*layout
    }
}

/// The training side of an RL step: everything but generation.
#[derive(Clone, Debug)]
pub struct TrainingSide {
    times: Vec<(&'static str, TimeParts)>,
    memories: Vec<(&'static str, PhaseMemory)>,
    /// States that stay on the card while the engine generates.
    resident: MemoryParts,
}

impl TrainingSide {
    fn seconds(&self) -> f64 {
        self.times.iter().map(|(_, parts)| parts.total()).sum()
    }
}

/// The generating side of an RL step: the engine's phase.
#[derive(Clone, Copy, Debug)]
pub struct GeneratingSide {
    phase: rollout::Generation,
    times: TimeParts,
}

/// The generating side of `engine`.
#[must_use]
pub fn generating_side(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> GeneratingSide {
    let phase = rollout_phase(context, engine, rl);
    GeneratingSide {
        phase,
        times: generation_parts(&phase),
    }
}

/// Seconds and largest reserved GiB of the two sides together: [`evaluate`] without its lists, for
/// searching.
#[must_use]
pub fn joined(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    training: &TrainingSide,
    generating: &GeneratingSide,
) -> (f64, f64) {
    let Some(engine) = &plan.rollout else {
        return (f64::MAX, f64::MAX);
    };
    let sync = weight_sync(context, plan, engine).total();
    let seconds = schedule(rl.schedule, generating.times.total(), training.seconds()) + sync;
    let generation = engine_memory(
        &generating.phase,
        context.efficiency.context_gib,
        training.resident,
    )
    .reserved_gib();
    let kept = kept_engine(engine, rl, &generating.phase).total();
    let trained = training
        .memories
        .iter()
        .map(|(_, memory)| memory.reserved_gib())
        .fold(0.0, f64::max)
        + kept;
    (seconds, generation.max(trained))
}

/// Seconds of both sides under a schedule.
fn schedule(schedule: Schedule, generating: f64, training: f64) -> f64 {
    match schedule {
        Schedule::Colocated | Schedule::Split => generating + training,
        Schedule::OneStepOff | Schedule::FullyAsync => generating.max(training),
    }
}

/// What an engine that keeps its cache holds beside training.
fn kept_engine(engine: &RolloutPlan, rl: &Rl, phase: &rollout::Generation) -> MemoryParts {
    if rl.schedule == Schedule::Colocated && !engine.free_cache {
        MemoryParts {
            rollout_weights: phase.weights.gib(),
            kv_cache: phase.cache.gib(),
            ..MemoryParts::default()
        }
    } else {
        MemoryParts::default()
    }
}

/// The training side of `plan`.
#[must_use]
pub fn training_side(context: &Context<'_>, plan: &Plan, rl: &Rl) -> TrainingSide {
    let job = context.job;
    let gpus = training_gpus(job);
    let actor = context.actor();
    let spread = rl.response_length_cv * rl.mean_response_length / rl.mean_length();
    let all = |layout: &Layout| batch::split(job, layout, gpus, rl.sequences() as f64, spread);
    let mini = |layout: &Layout| {
        batch::split(
            job,
            layout,
            gpus,
            (rl.mini_batch * rl.responses_per_prompt) as f64,
            spread,
        )
    };
    let updates = (rl.prompts_per_step as f64 / rl.mini_batch as f64).ceil() * rl.epochs as f64;
    let mut times = Vec::with_capacity(8);
    let mut memories = Vec::with_capacity(8);
    let layout = in_phase(&plan.layout);
    let own = resident(context, &plan.layout, &job.model, gpus);
    let mut evaluate =
        |name: &'static str, role: &Role<'_>, layout: &Layout, beside: MemoryParts| {
            let wide = forward_layout(layout);
            let batch: Batch = all(&wide);
            times.push((name, training::forward(context, role, &wide, gpus, &batch)));
            let own = memory::of_role(context, role, &wide, gpus, &batch, Use::Evaluate);
            memories.push((
                name,
                PhaseMemory {
                    parts: join(own.parts, beside),
                },
            ));
        };
    let without_parameters = MemoryParts {
        parameters: 0.0,
        ..own
    };
    evaluate("old_log_prob", &actor, &layout, without_parameters);
    if let Some(reference) = &plan.reference {
        evaluate("reference", &actor, &in_phase(reference), own);
    }
    let critic_role = |model| Role {
        model,
        blocks: context.blocks.as_slice(),
        adapters: 0,
        head: Head::Scalar,
    };
    let critic_blocks = rl.critic.as_ref().map(|model| flops::blocks(&model.shape));
    if let (Some(model), Some(blocks), Some(layout)) = (&rl.critic, &critic_blocks, &plan.critic) {
        let role = Role {
            blocks,
            ..critic_role(model)
        };
        evaluate("values", &role, &in_phase(layout), own);
    }
    if let Some(model) = &rl.reward_model {
        let blocks = flops::blocks(&model.shape);
        let role = Role {
            blocks: &blocks,
            ..critic_role(model)
        };
        evaluate("reward", &role, &layout, own);
    }
    let mut train = |name: &'static str, role: &Role<'_>, layout: &Layout, beside: MemoryParts| {
        let batch = mini(layout);
        let once = training::step(context, role, layout, gpus, &batch);
        times.push((name, TimeParts::default().plus(&once, updates)));
        let own = memory::of_role(context, role, layout, gpus, &batch, Use::Train);
        memories.push((
            name,
            PhaseMemory {
                parts: join(own.parts, beside),
            },
        ));
    };
    if let (Some(model), Some(blocks), Some(layout)) = (&rl.critic, &critic_blocks, &plan.critic) {
        let role = Role {
            blocks,
            ..critic_role(model)
        };
        train("update_critic", &role, &in_phase(layout), own);
    }
    let critic = match (&rl.critic, &plan.critic) {
        (Some(model), Some(layout)) => resident(context, layout, model, gpus),
        _ => MemoryParts::default(),
    };
    train("update_actor", &actor, &layout, critic);
    times.push(("offload", offload_time(context, plan, rl)));
    let resident = if rl.schedule == Schedule::Colocated {
        join(own, critic)
    } else {
        MemoryParts::default()
    };
    TrainingSide {
        times,
        memories,
        resident,
    }
}

/// Moving offloaded states to the card and back, once per phase that needs them.
fn offload_time(context: &Context<'_>, plan: &Plan, rl: &Rl) -> TimeParts {
    let gpus = training_gpus(context.job);
    let host = context.network.host;
    let role = context.actor();
    let states =
        |layout: &Layout| training_states(&rank_weights(&role, layout, Stage::First), layout, gpus);
    let mut bytes = Bytes::ZERO;
    let offload = plan.layout.offload;
    let actor = states(&plan.layout);
    if offload.parameters {
        // For log-probabilities, for the update, for the weights' way to the engine: there and back.
        bytes += actor.parameters * 4.0;
    }
    if offload.optimizer {
        bytes += actor.optimizer * 2.0;
    }
    if let Some(reference) = &plan.reference
        && reference.offload.parameters
    {
        bytes += states(reference).parameters;
    }
    if let (Some(_), Some(critic)) = (&rl.critic, &plan.critic) {
        let own = states(critic);
        if critic.offload.parameters {
            bytes += own.parameters * 4.0;
        }
        if critic.offload.optimizer {
            bytes += own.optimizer * 2.0;
        }
    }
    TimeParts {
        offload: (bytes / host).get(),
        ..TimeParts::default()
    }
}

/// New weights on their way to the engine: gathered from their shards, copied into place.
fn weight_sync(context: &Context<'_>, plan: &Plan, engine: &RolloutPlan) -> TimeParts {
    let model = &context.job.model;
    let bytes = 2.0 * model.parameters.total as f64;
    let gpus = context.job.hardware.gpus;
    let group = context.network.group(gpus, 1);
    let gather = context
        .network
        .gather(bytes / f64::from(plan.layout.pipeline_parallel), group);
    let copy =
        Seconds::new(bytes / f64::from(engine.tensor_parallel) / context.rates.memory.get() * 2.0);
    // Waking the engine and rebuilding its cache.
    TimeParts {
        weight_sync: (gather + copy).get() + 1.0,
        ..TimeParts::default()
    }
}

fn rl_step(context: &Context<'_>, plan: &Plan, rl: &Rl) -> Step {
    let Some(engine) = &plan.rollout else {
        return Step::default();
    };
    let generating = generating_side(context, engine, rl);
    let training = training_side(context, plan, rl);
    let sync = weight_sync(context, plan, engine);
    let context_gib = context.efficiency.context_gib;
    let mut memories = vec![(
        "rollout",
        engine_memory(&generating.phase, context_gib, training.resident),
    )];
    let kept = kept_engine(engine, rl, &generating.phase);
    memories.extend(training.memories.iter().map(|(name, memory)| {
        (
            *name,
            PhaseMemory {
                parts: join(memory.parts, kept),
            },
        )
    }));
    let seconds =
        schedule(rl.schedule, generating.times.total(), training.seconds()) + sync.total();
    let mut times = vec![("rollout", generating.times)];
    times.extend(training.times);
    times.push(("weight_sync", sync));
    let tokens = rl.sequences() as f64 * rl.mean_length();
    let trained = tokens * rl.epochs as f64;
    let per_token = flops::training_per_token(&context.job.model, rl.mean_length()).get();
    Step {
        times,
        memories,
        seconds,
        tokens,
        model_flops: per_token * trained,
        hardware_flops: per_token * trained * (1.0 + recomputed_share(&plan.layout)),
    }
}
