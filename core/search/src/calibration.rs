//! A run of one's own beside the estimate of it: its MFU, and by how much the estimate is off.
//!
//! What is measured is compared with the estimate of the same thing, without calibration: the passes of a micro-batch
//! with the passes, a whole step with the step, the allocator's peak with the peak. The factors go into
//! [`Question::calibration`], and from there into every estimate of that question: seconds in [`training::step`],
//! [`training::forward`] and the phases of [`shardwise_engine::rl`] and [`shardwise_engine::step`], bytes in [`shardwise_engine::memory::of_role`] and what
//! roles leave on the card. A log that says how long the phases of an RL step took gives each kind of them a factor of its own
//! ([`by_phase`]).
//!
//! Intervals keep their relative width where runs of the kind are known. Published runs, each estimated with its source left out, were
//! taken in pairs of one source and GPU, one calibrating the other (`core/tests/calibration.rs` computes it): eight of ten come no
//! nearer than without. Where no run is near, they come within [`coverage::CALIBRATED`], and the interval of a calibrated estimate is
//! no wider than that: a calibration is worth most where estimates are least certain.
//!
//! [`coverage::CALIBRATED`]: shardwise_engine::coverage::CALIBRATED

mod phases;

pub use phases::by_phase;

use serde::{Deserialize, Serialize};

use crate::estimate::{Evaluated, evaluate_alone};
use shardwise_catalog::error::InputError;
use shardwise_catalog::units::fixed;
use shardwise_engine::batch::{self, Batch};
use shardwise_engine::context::Context;
use shardwise_engine::possible;
use shardwise_engine::training;
use shardwise_question::job::{FACTORS, Job};
use shardwise_question::place::Place;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Answer, Calibration, PlanSpec, Question, Schedule};
use shardwise_question::workload::Rl;

/// Decimals that a factor keeps, so that links stay short.
const DECIMALS: f64 = 1e4;

/// What was measured; at least one of the three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Seconds of a micro-batch's forward pass on one GPU, mean over a step: LLMForge's `fwd_time`.
    pub forward_s: Option<f64>,
    /// Seconds of its backward pass, recomputation included: LLMForge's `bwd_time`.
    pub backward_s: Option<f64>,
    /// Seconds of a whole step: from one optimizer step to the next, an RL step, or a whole generation run.
    pub step_time_s: Option<f64>,
    /// GiB that training's allocator handed out at its worst moment (`torch.cuda.max_memory_allocated`).
    pub peak_gib: Option<f64>,
}

/// A run beside its estimate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Calibrated {
    /// The plan that the run is compared with: the question's, or the search's choice without calibration.
    pub plan: PlanSpec,
    /// Forward and backward pass of a micro-batch on one GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<Pace>,
    /// A whole step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Pace>,
    /// The allocator's peak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Peak>,
    /// The factors: of time the step's, or else the passes'; of phases those that the run tells apart.
    pub calibration: Calibration,
}

impl Calibrated {
    /// The question with these factors.
    #[must_use]
    pub fn applied(&self, question: &Question) -> Question {
        Question { calibration: Some(self.calibration), ..question.clone() }
    }
}

/// Measured seconds beside estimated ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Pace {
    /// Measured.
    pub measured_s: f64,
    /// Estimated, without calibration.
    pub estimated_s: f64,
    /// What estimated seconds are to be multiplied by. Seconds that the question states are not.
    pub factor: f64,
    /// Whether the estimate's interval holds the measured speed.
    pub inside_interval: bool,
    /// Model FLOPs utilization of the run, counted as in `Answer::mfu`.
    pub mfu: f64,
    /// Model FLOPs utilization of the estimate.
    pub estimated_mfu: f64,
    /// The run's by the guide's formula ([`guide_mfu`]); absent where something else than training takes time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guide_mfu: Option<f64>,
}

/// A measured peak beside the estimated one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Peak {
    /// Measured.
    pub measured_gib: f64,
    /// Estimated, without calibration: of RL's phases the largest one of training, without the engine.
    pub estimated_gib: f64,
    /// Measured over estimated.
    pub factor: f64,
    /// Whether the estimate's interval holds it.
    pub inside_interval: bool,
}

/// MFU as LLMForge's cookbook counts it: `2 · 3 · context · batch per device · parameters` operations over the seconds of
/// forward and backward pass and the card's peak. Attention is not counted, the embedding is.
///
/// `tokens` are context × batch per device; `parameters` those that one GPU computes with, of experts the active ones;
/// `peak_tflops` is the card's dense peak.
/// Source: Anyscale's LLMForge cookbook, "How do you benchmark yourself?"
/// (<https://github.com/anyscale/templates/blob/398a117ee7bf54a28ad3a6ec291c08d8779573ca/templates/fine-tune-llm_v2/cookbooks/optimize_cost/README.md>). Its tables follow from it with 7, 70 and 14 billion
/// parameters and the seconds that their throughput means.
///
/// ```
/// use shardwise_core::calibration::guide_mfu;
/// // Llama-2-7B, context 4096, 4 sequences per device, 8 A100 of 312 TFLOPS: 102.58 million tokens per hour, MFU 0.48.
/// let tokens = 4096.0 * 4.0;
/// let seconds = tokens * 8.0 * 3600.0 / 102.58e6;
/// assert_eq!(format!("{:.2}", guide_mfu(tokens, 7e9, seconds, 312.0)), "0.48");
/// ```
#[must_use]
pub fn guide_mfu(tokens: f64, parameters: f64, seconds: f64, peak_tflops: f64) -> f64 {
    2.0 * 3.0 * tokens * parameters / seconds / (peak_tflops * 1e12)
}

/// Compares a run with the estimate of it.
///
/// # Errors
/// Names what is missing, out of range, contradictory, or cannot be compared for this kind of work, and the remedy; else as
/// [`crate::estimate()`].
///
/// ```
/// use shardwise_core::{calibration::{Measured, calibrate}, estimate, wire};
/// let question = wire::parse_question(r#"{
///     "version": 1, "model": "llama-2-7b", "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}
/// }"#).unwrap();
/// let own = calibrate(&question, &Measured { step_time_s: Some(5.0), ..Measured::default() }).unwrap();
/// assert!((estimate(&own.applied(&question)).unwrap().step_time_s - 5.0).abs() < 1e-3);
/// ```
pub fn calibrate(question: &Question, measured: &Measured) -> Result<Calibrated, InputError> {
    let mut plain = question.clone();
    plain.calibration = None;
    compare(&evaluate_alone(&plain)?, measured)
}

/// Compares what was measured with an answer that has been found, of a question without calibration.
///
/// # Errors
/// As [`calibrate`], of what is measured alone.
///
/// ```
/// use shardwise_core::{calibration::{Measured, compare}, evaluate_alone, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}}"#).unwrap();
/// let found = evaluate_alone(&question).unwrap();
/// let twice = Measured { step_time_s: Some(2.0 * found.answer.step_time_s), ..Measured::default() };
/// assert_eq!(compare(&found, &twice).unwrap().calibration.time, Some(2.0));
/// ```
pub fn compare(found: &Evaluated, measured: &Measured) -> Result<Calibrated, InputError> {
    check(measured)?;
    let Evaluated { job, plan, answer, .. } = found;
    let passes = match (measured.forward_s, measured.backward_s) {
        (Some(forward), Some(backward)) => Some(passes(job, &plan.layout, answer, forward + backward)?),
        _ => None,
    };
    let step = match measured.step_time_s {
        Some(seconds) => Some(step(job, &plan.layout, answer, seconds)?),
        None => None,
    };
    if let (Some(passes), Some(step)) = (&passes, &step)
        && passes.measured_s > step.measured_s
    {
        return Err(InputError::new(
            "step_time_s",
            "The passes of one micro-batch take longer than this whole step. Give the seconds from one optimizer step to the next.",
        ));
    }
    let memory = match measured.peak_gib {
        Some(gib) => Some(memory(job, answer, gib)?),
        None => None,
    };
    let calibration = Calibration {
        time: step.or(passes).map(|pace| pace.factor),
        memory: memory.map(|peak| peak.factor),
        ..Calibration::default()
    };
    Ok(Calibrated { plan: answer.plan.clone(), passes, step, memory, calibration })
}

/// What is given is within reason, and enough.
fn check(measured: &Measured) -> Result<(), InputError> {
    let given = [
        ("forward_s", measured.forward_s, SECONDS),
        ("backward_s", measured.backward_s, SECONDS),
        ("step_time_s", measured.step_time_s, SECONDS),
        ("peak_gib", measured.peak_gib, GIB),
    ];
    for (field, value, (least, most)) in given {
        if let Some(value) = value {
            Place::TOP.within(field, value, least, most)?;
        }
    }
    let (field, message) = match given.map(|(_, value, _)| value.is_some()) {
        [true, false, ..] => ("backward_s", LONE_PASS),
        [false, true, ..] => ("forward_s", LONE_PASS),
        [false, false, false, false] => ("step_time_s", NOTHING),
        _ => return Ok(()),
    };
    Err(InputError::new(field, message))
}

/// Seconds and GiB that a run can have.
const SECONDS: (f64, f64) = (1e-4, 1e7);
const GIB: (f64, f64) = (1e-3, 1e5);

const LONE_PASS: &str = "Forward and backward pass are compared together. Give both, or the step's seconds.";
const NOTHING: &str = "Nothing is measured. Give step_time_s, forward_s and backward_s, or peak_gib.";

/// Measured over estimated, as a question carries it.
fn factor(field: &str, measured: f64, estimated: f64) -> Result<f64, InputError> {
    let factor = (measured / estimated * DECIMALS).round() / DECIMALS;
    let (least, most) = FACTORS;
    if (least..=most).contains(&factor) {
        return Ok(factor);
    }
    Err(InputError::new(
        field,
        format!(
            "{} was measured and {} is estimated, more than {} times apart. Check the unit, and that the question is the run's.",
            figure(measured),
            figure(estimated),
            fixed(most, 0)
        ),
    ))
}

fn figure(value: f64) -> String {
    fixed(value, if value < 1.0 { 4 } else { 1 })
}

/// The passes of a micro-batch. Beside the GPU's work and waits they hold what exchange of weights and gradients shows
/// in them: all of it under ZeRO-3, and without ZeRO. That of ZeRO-1 and 2 is counted with the optimizer's step.
fn passes(job: &Job, layout: &Layout, answer: &Answer, seconds: f64) -> Result<Pace, InputError> {
    let workload = &job.workload;
    if workload.rl.is_some() || workload.generation.is_some() || workload.kind.preference().is_some() {
        return Err(InputError::new(
            "forward_s",
            "Passes are compared for pre-training and fine-tuning alone: here other work fills the step. Give step_time_s.",
        ));
    }
    let (context, batch) = micro_batches(job, layout);
    let parts = training::step(&context, &context.actor(), layout, &batch).parts();
    let exchanged = match layout.zero_stage {
        0 | 3 => parts.data_parallel,
        _ => 0.0,
    };
    let all = parts.compute
        + parts.recompute
        + parts.tensor_parallel
        + parts.context_parallel
        + parts.expert_parallel
        + (parts.overhead - context.framework(layout).step_s).max(0.0)
        + exchanged;
    let estimated = all / batch.micro_batches;
    let tokens = batch.mean.tokens;
    // Padding is work, but no token that counts.
    let filled = workload.mean_sequence_length / batch::length(job, layout);
    let share = tokens * filled / model_parallel(layout);
    let flops = context.training_flops(layout.backend, workload.attended_length()).get() * share;
    let peak = job.hardware.peak_tflops(workload.precision) * 1e12;
    pace(
        answer,
        Pace {
            measured_s: seconds,
            estimated_s: estimated,
            factor: factor("forward_s", seconds, estimated)?,
            inside_interval: false,
            mfu: flops / seconds / peak,
            estimated_mfu: flops / estimated / peak,
            guide_mfu: Some(by_guide(job, layout, tokens, seconds)),
        },
        "forward_s",
    )
}

/// A whole step.
fn step(job: &Job, layout: &Layout, answer: &Answer, seconds: f64) -> Result<Pace, InputError> {
    let (workload, estimated) = (&job.workload, answer.step_time_s);
    let field = "step_time_s";
    let factor = match &workload.rl {
        Some(rl) if rl.reward_s > 0.0 => {
            let free = beyond_reward(rl, answer, seconds);
            if free <= 0.0 {
                let message = "The step is not longer than workload.rl.reward_s, which is part of it. Give less for one, or more for the other.";
                return Err(InputError::new(field, message));
            }
            factor(field, free, 1.0)?
        }
        _ => factor(field, seconds, estimated)?,
    };
    let trains = workload.rl.is_none() && workload.generation.is_none();
    let guide_mfu = trains.then(|| {
        let (_, batch) = micro_batches(job, layout);
        by_guide(job, layout, batch.mean.tokens * batch.micro_batches, seconds)
    });
    pace(
        answer,
        Pace {
            measured_s: seconds,
            estimated_s: estimated,
            factor,
            inside_interval: false,
            mfu: answer.mfu * estimated / seconds,
            estimated_mfu: answer.mfu,
            guide_mfu,
        },
        field,
    )
}

/// The factor that brings an RL step to `seconds` where the question states how long rewards take, which no factor changes.
fn beyond_reward(rl: &Rl, answer: &Answer, seconds: f64) -> f64 {
    let of = |name: &str| {
        let mut phases = answer.time.phases.iter();
        phases.find(|phase| phase.name == name).map_or(0.0, |phase| phase.s)
    };
    let (generating, sync) = (of("rollout"), of("weight_sync") + of("driver"));
    let training = answer.time.parts.total() - generating - sync - rl.reward_s;
    let rest = seconds - rl.reward_s;
    match rl.schedule {
        Schedule::Colocated | Schedule::Split => rest / (generating + training + sync),
        // The longer of the two sides decides, whichever that is once both are scaled.
        Schedule::OneStepOff | Schedule::FullyAsync => (seconds / (generating + sync)).min(rest / (training + sync)),
    }
}

/// Says whether the interval holds it; refuses what no card can do, recomputation counted.
fn pace(answer: &Answer, pace: Pace, field: &str) -> Result<Pace, InputError> {
    let all = pace.mfu * answer.hfu / answer.mfu;
    if all > possible::MOST {
        return Err(InputError::new(
            field,
            format!(
                "This would be {} % of the card's peak. Check the unit, and that the question is the run's.",
                fixed(all * 100.0, 0)
            ),
        ));
    }
    let speed = answer.tokens_per_s_per_gpu / pace.factor;
    let inside_interval = answer.interval.is_some_and(|interval| {
        let [low, high] = interval.tokens_per_s_per_gpu;
        (low..=high).contains(&speed)
    });
    Ok(Pace { inside_interval, ..pace })
}

fn memory(job: &Job, answer: &Answer, gib: f64) -> Result<Peak, InputError> {
    if job.workload.generation.is_some() {
        return Err(InputError::new(
            "peak_gib",
            "The engine takes the share of the card that plan.rollout.gpu_memory_utilization states: leave this out.",
        ));
    }
    // The engine's weights and cache are sized by that share too, and its allocator is another.
    let trainer = |parts: &shardwise_question::wire::MemoryParts| {
        parts.total() - parts.framework - parts.communication - parts.kv_cache - parts.rollout_weights
    };
    let phases = answer.memory.phases.iter();
    let estimated = phases
        .filter(|phase| phase.name != "rollout")
        .map(|phase| trainer(&phase.parts))
        .fold(0.0, f64::max);
    let factor = factor("peak_gib", gib, estimated)?;
    let inside_interval = answer.interval.is_some_and(|interval| {
        let [low, high] = interval.peak_gib;
        (low..=high).contains(&(answer.memory.peak_gib * factor))
    });
    Ok(Peak { measured_gib: gib, estimated_gib: estimated, factor, inside_interval })
}

/// A training step's context and micro-batches.
fn micro_batches<'a>(job: &'a Job, layout: &Layout) -> (Context<'a>, Batch) {
    let sequences = job.workload.global_batch as f64;
    let batch = batch::split(job, layout, sequences, 0.0);
    (Context::new(job), batch)
}

/// GPUs that share a micro-batch's weights: each computes with its part of them.
fn model_parallel(layout: &Layout) -> f64 {
    f64::from(layout.tensor_parallel) * f64::from(layout.pipeline_parallel)
}

fn by_guide(job: &Job, layout: &Layout, tokens: f64, seconds: f64) -> f64 {
    let parameters = job.model.parameters.active as f64 / model_parallel(layout);
    let peak = job.hardware.peak_tflops(job.workload.precision);
    guide_mfu(tokens, parameters, seconds, peak)
}
