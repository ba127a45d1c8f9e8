//! From a job and a plan to an answer.

use crate::advice;
use crate::catalog;
use crate::complete::{self, generating_gpus};
use crate::context::Context;
use crate::coverage;
use crate::efficiency::{EFFICIENCY, Efficiency};
use crate::error::InputError;
use crate::job::Job;
use crate::plan::Plan;
use crate::rl;
use crate::search;
use crate::step::{self, Step};
use crate::units::{Seconds, UsdPerHour};
use crate::wire::{
    Advice, Answer, Data, Memory, MemoryPhase, Question, Run, Schedule, Split, Time, TimePhase,
    VERSION,
};

/// An answer with its workings.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The question, resolved.
    pub job: Job,
    /// The plan that was evaluated.
    pub plan: Plan,
    /// The answer.
    pub answer: Answer,
}

/// Answers a question.
///
/// # Errors
/// Names the field that is missing, out of range, or ruled out by model or machine.
///
/// ```
/// let question = shardwise_core::wire::parse_question(r#"{
///     "version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "tensor_parallel": 1, "pipeline_parallel": 1,
///              "context_parallel": 1, "micro_batch": 4, "recompute": "full"}
/// }"#).unwrap();
/// let answer = shardwise_core::estimate(&question).unwrap();
/// assert!(answer.fits);
/// ```
pub fn estimate(question: &Question) -> Result<Answer, InputError> {
    evaluate(question).map(|evaluated| evaluated.answer)
}

/// Answers a question and keeps the workings.
///
/// # Errors
/// As [`estimate()`].
pub fn evaluate(question: &Question) -> Result<Evaluated, InputError> {
    let mut found = evaluate_alone(question)?;
    found.answer.advice = advise(question, &found);
    Ok(found)
}

/// What [`evaluate`] advises beside what [`evaluate_alone`] answers.
#[must_use]
pub fn advise(question: &Question, found: &Evaluated) -> Vec<Advice> {
    let Evaluated { job, plan, answer } = found;
    let searched = !complete::is_complete(job, &question.plan.clone().unwrap_or_default());
    advice::advice(question, &Context::new(job), plan, answer, searched)
}

/// The same without advice, which takes longer than all the rest: for comparing many questions.
///
/// # Errors
/// As [`estimate()`].
pub fn evaluate_alone(question: &Question) -> Result<Evaluated, InputError> {
    evaluate_with(question, &EFFICIENCY)
}

/// The same with other efficiencies than the built-in ones: for fitting them.
///
/// # Errors
/// As [`estimate()`].
pub fn evaluate_with(
    question: &Question,
    efficiency: &Efficiency,
) -> Result<Evaluated, InputError> {
    let job = search::split::resolve(question, efficiency)?;
    let spec = question.plan.clone().unwrap_or_default();
    let context = Context::with(&job, efficiency);
    let plan = if complete::is_complete(&job, &spec) {
        complete::complete(&job, &spec)?
    } else {
        search::best(&context, &spec)?
    };
    let answer = answer(&context, &plan);
    Ok(Evaluated { plan, answer, job })
}

/// The answer for a complete plan, of the advice only what is wrong.
#[must_use]
pub fn answer(context: &Context<'_>, plan: &Plan) -> Answer {
    let job = context.job;
    let hardware = &job.hardware;
    let reinforcement = job.workload.rl.as_ref();
    let sides = reinforcement.and_then(|rl| rl::sides(context, plan, rl));
    let step = match (reinforcement, &sides) {
        (Some(rl), Some(sides)) => rl::together(context, plan, rl, sides),
        _ => step::evaluate(context, plan),
    };
    let pressed = step.reserved_gib() - hardware.memory_gib;
    let step = step.pressed(hardware.memory_gib);
    let gpus = f64::from(hardware.gpus);
    let seconds = step.seconds;
    let tokens_per_s = step.tokens / seconds;
    let price = hardware
        .usd_per_gpu_hour
        .map(|usd| UsdPerHour::new(usd * gpus));
    let peak_flops = hardware.peak_tflops(job.workload.precision) * 1e12 * gpus;
    let run = job.workload.tokens.map(|tokens| {
        let time = Seconds::new(tokens / tokens_per_s);
        Run {
            hours: time.get() / 3600.0,
            usd: price.map(|price| price.over(time).get()),
        }
    });
    let mut memory = memory(&step, hardware.memory_gib);
    if let (Some(rl), Some(sides)) = (reinforcement, &sides) {
        memory.limits = rl::limits(context, plan, rl, &sides.generating);
    }
    let memory_peak = memory.peak_gib;
    let fits = memory.reserved_gib <= hardware.memory_gib;
    let mut answer = Answer {
        version: VERSION,
        fits,
        plan: plan.to_spec(),
        tokens_per_s_per_gpu: tokens_per_s / gpus,
        tokens_per_s,
        mtok_per_hour: tokens_per_s * 3600.0 / 1e6,
        step_time_s: seconds,
        // Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, appendix B.
        mfu: step.model_flops / seconds / peak_flops,
        hfu: step.hardware_flops / seconds / peak_flops,
        model_tflops_per_gpu: step.model_flops / seconds / gpus / 1e12,
        usd_per_mtok: price.map(|price| price.over(Seconds::new(1e6 / tokens_per_s)).get()),
        usd_per_step: price.map(|price| price.over(Seconds::new(seconds)).get()),
        usd_per_gpu_hour: hardware.usd_per_gpu_hour,
        run,
        split: split(job),
        memory,
        time: time(&step),
        interval: Some(coverage::interval(
            job,
            &plan.layout,
            tokens_per_s / gpus,
            memory_peak,
        )),
        calibration: job.calibration,
        advice: Vec::new(),
        caveats: Vec::new(),
        data: Data {
            version: catalog::VERSION,
            prices: catalog::PRICES_AS_OF,
        },
    };
    answer.caveats = advice::caveats(job, plan, &answer);
    if fits && pressed > 0.0 {
        answer.caveats.push(advice::tight(pressed));
    }
    answer.advice = advice::warnings(job, plan, &answer);
    answer
}

/// The two sides' GPUs, where generation has its own.
fn split(job: &Job) -> Option<Split> {
    let rl = job.workload.rl.as_ref()?;
    (rl.schedule != Schedule::Colocated).then(|| Split {
        train_gpus: rl.train_gpus,
        rollout_gpus: generating_gpus(job),
    })
}

fn memory(step: &Step, capacity: f64) -> Memory {
    let phases: Vec<MemoryPhase> = step
        .memories
        .iter()
        .map(|(name, memory)| MemoryPhase {
            name,
            reserved_gib: memory.reserved_gib(),
            parts: memory.parts,
        })
        .collect();
    let (phase, peak) = step
        .peak()
        .map_or(("train", Default::default()), |(name, memory)| {
            (*name, *memory)
        });
    let allocated = step
        .memories
        .iter()
        .map(|(_, memory)| memory.allocated_gib())
        .fold(0.0, f64::max);
    Memory {
        peak_gib: allocated,
        reserved_gib: peak.reserved_gib(),
        capacity_gib: capacity,
        phase,
        parts: peak.parts,
        phases,
        limits: Vec::new(),
    }
}

fn time(step: &Step) -> Time {
    let phases: Vec<TimePhase> = step
        .times
        .iter()
        .map(|(name, parts)| TimePhase {
            name,
            s: parts.total(),
            parts: *parts,
        })
        .filter(|phase| phase.s > 0.0)
        .collect();
    let parts = step.parts();
    let sum: f64 = phases.iter().map(|phase| phase.s).sum();
    // Less than a rounding apart is nothing hidden.
    let hidden = sum - step.seconds;
    Time {
        phases,
        parts,
        hidden_s: if hidden > 1e-6 * sum { hidden } else { 0.0 },
    }
}
