//! A plan's step.

use super::{Step, engine_memory, generation_parts, recomputed_share};
use crate::batch;
use crate::context::Context;
use crate::flops;
use crate::memory::{self, Use};
use crate::rl;
use crate::rollout::{self, Requests};
use crate::training;
use shardwise_question::complete::training_gpus;
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::MemoryParts;

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
        hardware_flops: flops * (1.0 + recomputed_share(context, layout, workload.mean_sequence_length)),
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
        memories: vec![("rollout", engine_memory(&phase.room, context.efficiency.context_gib, MemoryParts::default()))],
        engine: Some(phase.room),
        tokens: generation.requests as f64 * generation.mean_response_length,
        model_flops: flops,
        hardware_flops: flops,
    }
}
