//! From a job and a plan to an answer.

use crate::advice;
use crate::catalog;
use crate::complete::{self, generating_gpus};
use crate::context::Context;
use crate::coverage;
use crate::efficiency::{EFFICIENCY, Efficiency};
use crate::error::InputError;
use crate::fit;
use crate::job::Job;
use crate::plan::Plan;
use crate::possible::{of_peak, possible};
use crate::rl;
use crate::search;
use crate::step::{self, Step};
use crate::units::{Seconds, UsdPerHour};
use crate::wire::{
    Advice, Answer, Data, Memory, MemoryPhase, PlanSpec, Question, Run, RunBy, Schedule, Split,
    Time, TimePhase, VERSION,
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
    /// Whether all plans were considered: false where the work that a question may cost ran out.
    pub complete: bool,
}

impl Evaluated {
    /// The same, found among all plans or not: its answer says so.
    #[must_use]
    pub fn considering(mut self, complete: bool) -> Self {
        self.complete = complete;
        self.answer
            .caveats
            .extend((!complete).then(advice::cut_short));
        self
    }
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
    let Evaluated {
        job, plan, answer, ..
    } = found;
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
    let search::Best {
        job,
        plan,
        complete,
    } = search::best(question, efficiency, None)?;
    let context = Context::with(&job, efficiency);
    let answer = possible(&context, &plan, answer(&context, &plan))?;
    let found = Evaluated {
        plan,
        answer,
        job,
        complete: true,
    };
    Ok(found.considering(complete))
}

/// Who runs a plan: the framework that the question names, or the first that does.
fn run_by(job: &Job, plan: &Plan) -> Option<RunBy> {
    let (id, version) = match job.framework {
        Some(own) => (own.id, own.version),
        None => {
            let first = search::first_to_run(job, plan)?;
            (first.id, *first.versions.first()?)
        }
    };
    Some(RunBy {
        id,
        version,
        stated: job.framework.is_some(),
    })
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
    let fit = fit::judge(context, plan, &step);
    let peak = fit::peak_interval(job, plan, &step, coverage::COVERED_SHARE);
    let step = step.pressed(hardware.memory_gib);
    let gpus = f64::from(hardware.gpus);
    let seconds = step.seconds;
    let tokens_per_s = step.tokens / seconds;
    let price = hardware
        .usd_per_gpu_hour
        .map(|usd| UsdPerHour::new(usd * gpus));
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
    let mut answer = Answer {
        version: VERSION,
        fits: fit.state.fits(),
        fit,
        plan: stated(job, plan),
        framework: run_by(job, plan),
        tokens_per_s_per_gpu: tokens_per_s / gpus,
        tokens_per_s,
        mtok_per_hour: tokens_per_s * 3600.0 / 1e6,
        step_time_s: seconds,
        // Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, appendix B.
        mfu: of_peak(job, plan, step.model_flops, &step),
        hfu: of_peak(job, plan, step.hardware_flops, &step),
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
            peak,
        )),
        calibration: job.calibration,
        advice: Vec::new(),
        caveats: Vec::new(),
        data: Data {
            version: catalog::VERSION,
            prices: catalog::PRICES_AS_OF,
        },
    };
    answer.caveats = advice::caveats(job, plan, answer.framework.as_ref());
    answer.advice = advice::warnings(job, plan, &answer);
    answer
}

/// The plan as a question states it: generation alone has no layout of training.
fn stated(job: &Job, plan: &Plan) -> PlanSpec {
    let whole = plan.to_spec();
    match job.workload.generation {
        Some(_) => PlanSpec {
            rollout: whole.rollout,
            ..PlanSpec::default()
        },
        None => whole,
    }
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
