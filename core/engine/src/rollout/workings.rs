//! What [`generate`](super::generate) adds up, term by term: for explaining it.

use super::engine::{DecodeStep, Prefill};
pub use super::memory::sampled;
use super::memory::{Kept, dense_weight_bytes, expert_weight_bytes};
use super::{Requests, agent, last_batch, prepare};
use crate::context::Context;
use shardwise_question::plan::RolloutPlan;

/// The terms of a generation phase: seconds before the architecture's speed, speculation and calibration.
#[derive(Clone, Debug)]
pub struct Workings {
    /// Requests of the busiest engine.
    pub per_engine: f64,
    /// Sequences decoded together.
    pub concurrency: f64,
    /// Prompt tokens of the busiest engine, with those read between an agent's turns, and what they take.
    pub prompts: (f64, Prefill),
    /// Of these, those read between turns.
    pub between: f64,
    /// Full steps, and one of them.
    pub full: (f64, DecodeStep),
    /// Steps of each stretch of the last batch, and seconds of one of them.
    pub tail: Vec<(f64, f64)>,
    /// What waiting for tools adds.
    pub tools: agent::Added,
    /// Responses in progress, and those decoded at a time.
    pub in_progress: (f64, f64),
    /// Tokens computed again for want of room, and what they take.
    pub again: (f64, f64),
    /// Speed of engines on this architecture.
    pub speed: f64,
}

/// The terms of [`generate`](super::generate).
pub fn generation(context: &Context<'_>, plan: &RolloutPlan, gpus: u32, requests: &Requests) -> Workings {
    let prepared = prepare(context, plan, gpus, requests);
    let engine = &prepared.engine;
    let work = prepared.work(requests);
    let mut tail = Vec::new();
    last_batch(&prepared, requests, |tokens, alive, now| tail.push((tokens, prepared.pace(alive, now).get())));
    let again = prepared.recomputed(requests, &work).get();
    Workings {
        per_engine: prepared.per_engine,
        concurrency: prepared.room.concurrency,
        prompts: (work.prompts + work.between, prepared.reading(requests, &work)),
        between: work.between,
        full: (work.full_steps, engine.decode_step(prepared.room.concurrency, requests.decoded())),
        tail,
        tools: agent::added(&prepared, requests),
        in_progress: (prepared.in_progress, prepared.decoding),
        again: (work.again, again),
        speed: engine.speed(),
    }
}

/// Bytes of an engine's weight, and of an expert's.
pub fn bytes_per_weight(context: &Context<'_>, plan: &RolloutPlan) -> (f64, f64) {
    let (model, kept) = (&context.job.model, Kept::of(context.job));
    (dense_weight_bytes(model, plan.precision, kept), expert_weight_bytes(model, plan.precision, kept))
}
