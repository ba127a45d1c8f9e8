//! A plan's step.

use super::{Step, engine_memory, generation_parts, recomputed_share};
use crate::batch;
use crate::context::Context;
use crate::flops;
use crate::given;
use crate::memory::PhaseMemory;
use crate::phase::Phase;
use crate::rl;
use crate::rollout::{self, Requests, Room};
use crate::tower::Tower;
use crate::turn::Turn;
use shardwise_question::plan::Plan;
use shardwise_question::wire::MemoryParts;

/// Evaluates a plan.
#[must_use]
pub fn evaluate(context: &Context<'_>, plan: &Plan) -> Step {
    let workload = &context.job.workload;
    match (&workload.rl, &workload.generation) {
        (Some(rl), _) => rl::step(context, plan, rl),
        (None, Some(_)) => generation_step(context, plan),
        (None, None) => training_step(context, plan),
    }
}

/// What each phase of a plan's step holds, and its engine: [`evaluate`] without its times.
#[must_use]
pub fn memories(context: &Context<'_>, plan: &Plan) -> (Vec<(Phase, PhaseMemory)>, Option<Room>) {
    let workload = &context.job.workload;
    match (&workload.rl, &workload.generation) {
        (Some(rl), _) => rl::memories(context, plan, rl),
        (None, Some(_)) => {
            let step = generation_step(context, plan);
            (step.memories, step.engine)
        }
        (None, None) => (held_in_turns(context, &given::turns(context, plan)), None),
    }
}

fn held_in_turns(context: &Context<'_>, turns: &[Turn<'_>]) -> Vec<(Phase, PhaseMemory)> {
    turns.iter().map(|turn| (turn.phase, turn.memory(context))).collect()
}

/// The turns of a plan's models, in order.
#[must_use]
pub fn turns<'a>(context: &'a Context<'_>, plan: &Plan) -> Vec<Turn<'a>> {
    match &context.job.workload.rl {
        Some(rl) => rl::turns(context, plan, rl).0,
        None if context.job.workload.generation.is_some() => Vec::new(),
        None => given::turns(context, plan),
    }
}

fn training_step(context: &Context<'_>, plan: &Plan) -> Step {
    let turns = given::turns(context, plan);
    let times: Vec<_> = turns.iter().map(|turn| (turn.phase, turn.time(context))).collect();
    let (tokens, length) = (batch::of_update(context.job, &plan.layout).tokens, context.job.workload.attended_length());
    let flops = context.training_flops(plan.layout.backend, length).get() * tokens;
    Step {
        seconds: times.iter().map(|(_, parts)| parts.total()).sum(),
        times,
        memories: held_in_turns(context, &turns),
        engine: None,
        tokens,
        model_flops: flops,
        hardware_flops: flops * (1.0 + recomputed_share(context, &plan.layout, length)),
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
        agent: None,
    };
    let phase = rollout::generate(context, engine, gpus, &requests);
    let parts = generation_parts(context, engine, &phase);
    let length = generation.mean_prompt_length + generation.mean_response_length;
    let processed = generation.requests as f64 * length;
    let images = context.images_per_token(Tower::evaluated_flops).get();
    let flops = (flops::forward(&context.job.model, &context.blocks, length).get() + images) * processed;
    let memory = engine_memory(&phase.room, context.efficiency.context_gib, MemoryParts::default());
    Step {
        seconds: parts.total(),
        times: vec![(Phase::Rollout, parts)],
        memories: vec![(Phase::Rollout, memory)],
        engine: Some(phase.room),
        tokens: generation.requests as f64 * generation.mean_response_length,
        model_flops: flops,
        hardware_flops: flops,
    }
}
