//! What [`generate`](super::generate) adds up, term by term: for explaining it.

use super::engine::{DecodeStep, Prefill};
pub(crate) use super::memory::sampled;
use super::memory::{expert_weight_bytes, weight_bytes};
use super::{PREEMPTED, Requests, last_batch, prepare};
use crate::context::Context;
use crate::plan::RolloutPlan;

/// The terms of a generation phase: seconds before the architecture's speed, speculation and calibration.
#[derive(Clone, Debug)]
pub(crate) struct Workings {
    /// Requests of the busiest engine.
    pub(crate) per_engine: f64,
    /// Sequences decoded together.
    pub(crate) concurrency: f64,
    /// Prompt tokens of the busiest engine, and what they take.
    pub(crate) prompts: (f64, Prefill),
    /// Full steps, and one of them.
    pub(crate) full: (f64, DecodeStep),
    /// Steps of each stretch of the last batch, and seconds of one of them.
    pub(crate) tail: Vec<(f64, f64)>,
    /// Tokens computed again for want of room, and what they take.
    pub(crate) again: (f64, f64),
    /// Speed of engines on this architecture.
    pub(crate) speed: f64,
}

/// The terms of [`generate`](super::generate).
pub(crate) fn generation(
    context: &Context<'_>,
    plan: &RolloutPlan,
    gpus: u32,
    requests: &Requests,
) -> Workings {
    let prepared = prepare(context, plan, gpus, requests);
    let (engine, per_engine) = (&prepared.engine, prepared.per_engine);
    let concurrency = prepared.concurrency;
    let prompts = per_engine * requests.prompt / requests.shared.max(1.0);
    let mean = requests.responses.mean;
    let middle = requests.prompt + mean * 0.5;
    let waves = per_engine / concurrency - 1.0;
    let mut tail = Vec::new();
    last_batch(&prepared, requests, |steps, one| {
        tail.push((steps, one.get()))
    });
    let again = PREEMPTED * (1.0 - concurrency / prepared.wanted) * per_engine * mean;
    let again_s = if again > 0.0 {
        engine.prefill(again, middle).total().get()
    } else {
        0.0
    };
    Workings {
        per_engine,
        concurrency,
        prompts: (prompts, engine.prefill(prompts, requests.prompt)),
        full: (
            waves.max(0.0) * mean,
            engine.decode_step(concurrency, middle),
        ),
        tail,
        again: (again, again_s),
        speed: engine.tuned.generation,
    }
}

/// Bytes of an engine's weight, and of an expert's.
pub(crate) fn bytes_per_weight(context: &Context<'_>, plan: &RolloutPlan) -> (f64, f64) {
    let released = context.job.workload.rl.is_none();
    (
        weight_bytes(plan.precision),
        expert_weight_bytes(&context.job.model, plan.precision, released),
    )
}
