//! One RL step: the generating and the training side, and where they meet.

use crate::batch::{self, Batch};
use crate::complete::{generating_gpus, training_gpus};
use crate::context::{Context, Head, Role};
use crate::flops::{self, Block};
use crate::memory::{self, PhaseMemory, Use};
use crate::model::Model;
use crate::plan::{Layout, MicroBatch, Plan, RolloutPlan};
use crate::rollout::{self, Requests};
use crate::step::{self, Step};
use crate::training;
use crate::units::{Bytes, BytesPerSecond, Seconds};
use crate::weights::{Stage, States, rank_weights};
use crate::wire::{MemoryParts, Offload, Schedule, TimeParts};
use crate::workload::Rl;

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

/// The training side of an RL step: everything but generation.
#[derive(Clone, Debug)]
pub struct TrainingSide {
    times: Vec<(&'static str, TimeParts)>,
    memories: Vec<(&'static str, PhaseMemory)>,
    /// States that stay on the card while the engine generates.
    resident: MemoryParts,
}

/// The generating side of an RL step: the engine's phase.
#[derive(Clone, Copy, Debug)]
pub struct GeneratingSide {
    phase: rollout::Generation,
    times: TimeParts,
}

/// The whole step.
#[must_use]
pub fn step(context: &Context<'_>, plan: &Plan, rl: &Rl) -> Step {
    let Some(engine) = &plan.rollout else {
        return Step::default();
    };
    let generating = generating_side(context, engine, rl);
    let training = training_side(context, plan, rl);
    let sync = weight_sync(context, plan, engine);
    let seconds = schedule(
        rl.schedule,
        generating.times.total(),
        seconds(&training.times),
    ) + sync.total();
    let context_gib = context.efficiency.context_gib;
    let kept = kept_engine(engine, rl, &generating.phase);
    let mut memories = vec![(
        "rollout",
        step::engine_memory(&generating.phase, context_gib, training.resident),
    )];
    memories.extend(
        training
            .memories
            .iter()
            .map(|(name, memory)| (*name, memory.beside(&kept))),
    );
    let mut times = vec![("rollout", generating.times)];
    times.extend(training.times);
    times.push(("weight_sync", sync));
    let tokens = rl.sequences() as f64 * rl.mean_length();
    let per_token = flops::training_per_token(&context.job.model, rl.mean_length()).get();
    let model_flops = per_token * tokens * rl.epochs as f64;
    Step {
        times,
        memories,
        seconds,
        tokens,
        model_flops,
        hardware_flops: model_flops
            * (1.0 + step::recomputed_share(context, &plan.layout, rl.mean_length())),
    }
}

/// Seconds and largest reserved GiB of the two sides together: [`step()`] without its lists, for
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
    let seconds = schedule(
        rl.schedule,
        generating.times.total(),
        seconds(&training.times),
    ) + sync;
    let context_gib = context.efficiency.context_gib;
    let generation = step::engine_memory(&generating.phase, context_gib, training.resident);
    let kept = kept_engine(engine, rl, &generating.phase).total();
    let trained = training
        .memories
        .iter()
        .map(|(_, memory)| memory.reserved_gib())
        .fold(0.0, f64::max);
    (seconds, generation.reserved_gib().max(trained + kept))
}

fn seconds(times: &[(&'static str, TimeParts)]) -> f64 {
    times.iter().map(|(_, parts)| parts.total()).sum()
}

/// Seconds of both sides under a schedule: one after the other, or the slower one's.
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

/// The generating side of `engine`.
#[must_use]
pub fn generating_side(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> GeneratingSide {
    let requests = Requests {
        count: rl.sequences() as f64,
        prompt: rl.mean_prompt_length,
        shared: rl.responses_per_prompt as f64,
        response: rl.mean_response_length,
        cv: rl.response_length_cv,
        longest: rl.max_response_length as f64,
    };
    let phase = rollout::generate(context, engine, generating_gpus(context.job), &requests);
    GeneratingSide {
        phase,
        times: step::generation_parts(&phase),
    }
}

/// A model with a scalar head and its layout: critic or reward model.
struct Side<'a> {
    model: &'a Model,
    blocks: Vec<Block>,
    order: Vec<u8>,
    layout: Layout,
}

impl<'a> Side<'a> {
    fn of(model: Option<&'a Model>, layout: Option<Layout>) -> Option<Self> {
        let (model, layout) = (model?, layout?);
        let blocks = flops::blocks(&model.shape);
        Some(Self {
            model,
            order: flops::order(&model.shape, &blocks),
            blocks,
            layout,
        })
    }

    fn role(&self) -> Role<'_> {
        Role {
            model: self.model,
            blocks: &self.blocks,
            order: &self.order,
            adapters: 0,
            head: Head::Scalar,
        }
    }
}

/// States that are offloaded between phases come back for the phase that uses them.
fn in_phase(layout: &Layout) -> Layout {
    let offload = Offload {
        activations: layout.offload.activations,
        ..Offload::default()
    };
    Layout { offload, ..*layout }
}

fn states(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    gpus: u32,
    usage: Use,
) -> States {
    let rank = rank_weights(role, layout, Stage::First);
    memory::states(context, role, &rank, layout, gpus, usage)
}

/// What a trained role leaves on the card between its phases: states that are not offloaded.
fn left_by_trained(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    gpus: u32,
) -> MemoryParts {
    let states = states(context, role, layout, gpus, Use::Train);
    let keep = |bytes: Bytes, offloaded: bool| if offloaded { 0.0 } else { bytes.gib() };
    let offload = layout.offload;
    MemoryParts {
        parameters: keep(states.parameters, offload.parameters),
        // Gradient buffers go with the parameters (verl 0.9.1, `param_offload`).
        gradients: keep(states.gradients, offload.gradients || offload.parameters),
        optimizer: keep(states.optimizer, offload.optimizer),
        ..MemoryParts::default()
    }
}

/// What a frozen role leaves on the card: its weights, unless they are offloaded.
fn left_by_frozen(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    gpus: u32,
) -> MemoryParts {
    if layout.offload.parameters {
        return MemoryParts::default();
    }
    let states = states(context, role, layout, gpus, Use::Evaluate);
    MemoryParts {
        frozen_weights: states.parameters.gib(),
        ..MemoryParts::default()
    }
}

/// The training side of `plan`.
#[must_use]
pub fn training_side(context: &Context<'_>, plan: &Plan, rl: &Rl) -> TrainingSide {
    let job = context.job;
    let gpus = training_gpus(job);
    let actor = context.actor();
    let reference = Role {
        adapters: 0,
        ..actor
    };
    let critic = Side::of(rl.critic.as_ref(), plan.critic);
    let reward = Side::of(rl.reward_model.as_ref(), Some(plan.layout));
    let nothing = MemoryParts::default();
    // With adapters the reference is the base itself, adapters switched off.
    let shared_reference = actor.adapters > 0;
    let by_actor = left_by_trained(context, &actor, &plan.layout, gpus);
    let by_critic = critic.as_ref().map_or(nothing, |side| {
        left_by_trained(context, &side.role(), &side.layout, gpus)
    });
    let by_reference = match &plan.reference {
        Some(layout) if !shared_reference => left_by_frozen(context, &reference, layout, gpus),
        _ => nothing,
    };
    let by_reward = reward.as_ref().map_or(nothing, |side| {
        left_by_frozen(context, &side.role(), &side.layout, gpus)
    });

    let spread = rl.response_length_cv * rl.mean_response_length / rl.mean_length();
    let mut times = Vec::with_capacity(8);
    let mut memories = Vec::with_capacity(8);
    let mut evaluate =
        |name: &'static str, role: &Role<'_>, layout: &Layout, beside: MemoryParts| {
            let layout = forward_layout(&in_phase(layout));
            let batch: Batch = batch::split(job, &layout, gpus, rl.sequences() as f64, spread);
            times.push((
                name,
                training::forward(context, role, &layout, gpus, &batch),
            ));
            let own = memory::of_role(context, role, &layout, gpus, &batch, Use::Evaluate);
            memories.push((name, own.beside(&beside)));
        };
    // The actor's own weights are the ones at work.
    let frozen = by_reference.plus(&by_reward);
    let others = by_critic.plus(&frozen);
    let actor_states = MemoryParts {
        parameters: 0.0,
        ..by_actor
    };
    evaluate(
        "old_log_prob",
        &actor,
        &plan.layout,
        actor_states.plus(&others),
    );
    if let Some(layout) = &plan.reference {
        let beside = if shared_reference {
            actor_states
        } else {
            by_actor
        };
        evaluate(
            "reference",
            &reference,
            layout,
            beside.plus(&by_critic).plus(&by_reward),
        );
    }
    if let Some(side) = &critic {
        let critic_states = MemoryParts {
            parameters: 0.0,
            ..by_critic
        };
        evaluate(
            "values",
            &side.role(),
            &side.layout,
            by_actor.plus(&critic_states).plus(&frozen),
        );
    }
    if let Some(side) = &reward {
        let beside = by_actor.plus(&by_critic).plus(&by_reference);
        evaluate("reward", &side.role(), &side.layout, beside);
    }

    let sequences = (rl.mini_batch * rl.responses_per_prompt) as f64;
    let updates = (rl.prompts_per_step as f64 / rl.mini_batch as f64).ceil() * rl.epochs as f64;
    let mut train = |name: &'static str, role: &Role<'_>, layout: &Layout, beside: MemoryParts| {
        let layout = in_phase(layout);
        let batch = batch::split(job, &layout, gpus, sequences, spread);
        let once = training::step(context, role, &layout, gpus, &batch);
        times.push((name, TimeParts::default().plus(&once, updates)));
        let own = memory::of_role(context, role, &layout, gpus, &batch, Use::Train);
        memories.push((name, own.beside(&beside)));
    };
    if let Some(side) = &critic {
        train(
            "update_critic",
            &side.role(),
            &side.layout,
            by_actor.plus(&frozen),
        );
    }
    train("update_actor", &actor, &plan.layout, others);
    times.push(("offload", offload_time(context, plan, critic.as_ref())));
    let resident = if rl.schedule == Schedule::Colocated {
        by_actor.plus(&others)
    } else {
        nothing
    };
    TrainingSide {
        times,
        memories,
        resident,
    }
}

/// Moving offloaded states to the card and back, once per phase that needs them.
fn offload_time(context: &Context<'_>, plan: &Plan, critic: Option<&Side<'_>>) -> TimeParts {
    let gpus = training_gpus(context.job);
    let actor = context.actor();
    let mut bytes = moved(context, &actor, &plan.layout, gpus, 2.0);
    if let Some(layout) = &plan.reference
        && layout.offload.parameters
    {
        bytes += states(context, &actor, layout, gpus, Use::Evaluate).parameters;
    }
    if let Some(side) = critic {
        bytes += moved(context, &side.role(), &side.layout, gpus, 2.0);
    }
    TimeParts {
        offload: (bytes / context.network.host).get(),
        ..TimeParts::default()
    }
}

/// Bytes a trained role moves: its weights there and back for each of `phases`, its optimizer for
/// the update.
fn moved(context: &Context<'_>, role: &Role<'_>, layout: &Layout, gpus: u32, phases: f64) -> Bytes {
    let states = states(context, role, layout, gpus, Use::Train);
    let mut bytes = Bytes::ZERO;
    if layout.offload.parameters {
        bytes += states.parameters * (2.0 * phases);
    }
    if layout.offload.optimizer {
        bytes += states.optimizer * 2.0;
    }
    bytes
}

/// Waking the engine and rebuilding its cache, in seconds. Assumed.
const WAKE_S: f64 = 1.0;

/// Advantages, metrics and the driver's own work in one step, in seconds: what verl_megatron_practice's steps take
/// beside their phases (5 to 7 s, <https://github.com/ISEEKYAN/verl_megatron_practice>).
const DRIVER_S: f64 = 5.0;

/// New weights on their way to the engine: gathered from their shards, copied into place.
fn weight_sync(context: &Context<'_>, plan: &Plan, engine: &RolloutPlan) -> TimeParts {
    let bytes = 2.0 * context.job.model.parameters.total as f64;
    let network = &context.network;
    let group = network.group(context.job.hardware.gpus, 1);
    let gather = network.gather(bytes / f64::from(plan.layout.pipeline_parallel), group);
    let copy = bytes / f64::from(engine.tensor_parallel) / context.rates.memory.get() * 2.0;
    // Tensor by tensor: gathered, renamed, loaded. That, not the links, decides.
    let rate = context.framework(&plan.layout).sync_gb_per_s;
    let by_tensor = Bytes::new(bytes) / BytesPerSecond::from_gb(rate);
    TimeParts {
        weight_sync: (gather + Seconds::new(copy)).max(by_tensor).get() + WAKE_S,
        overhead: DRIVER_S,
        ..TimeParts::default()
    }
}
