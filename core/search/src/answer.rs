//! From a job and a plan to an answer.

use crate::caveats::caveats;
use crate::search::first_to_run;
use crate::warnings::warnings;
use shardwise_catalog::catalog;
use shardwise_catalog::units::{Seconds, UsdPerHour};
use shardwise_engine::checkpoint;
use shardwise_engine::context::Context;
use shardwise_engine::coverage;
use shardwise_engine::fit;
use shardwise_engine::phase::Phase;
use shardwise_engine::possible::of_peak;
use shardwise_engine::rl;
use shardwise_engine::run;
use shardwise_engine::step::{self, Step};
use shardwise_question::complete::generating_gpus;
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{
    Answer, Data, Memory, MemoryPhase, PlanSpec, Rental, Run, RunBy, Schedule, Split, Time, TimePhase, VERSION,
};
use shardwise_question::workload::Length;

/// Who runs a plan: the framework that the question names, or the first that does.
fn run_by(job: &Job, plan: &Plan) -> Option<RunBy> {
    let (id, version) = match job.framework {
        Some(own) => (own.id, own.version),
        None => {
            let first = first_to_run(job, plan)?;
            (first.id, *first.versions.first()?)
        }
    };
    Some(RunBy { id, version, stated: job.framework_stated })
}

/// The answer for a complete plan, of the advice only what is wrong.
///
/// ```
/// use shardwise_core::{answer, complete::complete, context::Context, job, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}}"#).unwrap();
/// let job = job::resolve(&question).unwrap();
/// let plan = complete(&job, question.plan.as_ref().unwrap()).unwrap();
/// let answer = answer(&Context::new(&job), &plan);
/// assert!(answer.fits && answer.plan == plan.to_spec());
/// ```
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
    let peak = fit::peak_interval(context, plan, &step, coverage::COVERED_ENDS);
    let step = step.pressed(hardware.memory_gib);
    let gpus = f64::from(job.gpus());
    let seconds = step.seconds;
    let tokens_per_s = step.tokens / seconds;
    let price = hardware.usd_per_gpu_hour.map(|usd| UsdPerHour::new(usd * gpus));
    let run = whole_run(context, plan, &step, price);
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
        offer: hardware.offer.as_ref().map(|offer| Rental::of(offer, job.gpus())),
        run,
        split: split(job),
        memory,
        time: time(&step),
        interval: Some(coverage::interval(job, plan, tokens_per_s / gpus, peak)),
        calibration: job.calibration,
        advice: Vec::new(),
        caveats: Vec::new(),
        data: Data { version: catalog::VERSION, prices: catalog::PRICES_AS_OF },
    };
    answer.caveats = caveats(job, plan, answer.framework.as_ref());
    answer.advice = warnings(job, plan, &answer);
    answer
}

/// The whole run, where something says how long it is.
fn whole_run(context: &Context<'_>, plan: &Plan, step: &Step, price: Option<UsdPerHour>) -> Option<Run> {
    let workload = &context.job.workload;
    let tokens = workload.run_tokens(step.tokens)?;
    let time = Seconds::new(tokens / (step.tokens / step.seconds));
    let steps = workload.run_steps(step.tokens).unwrap_or(1.0);
    let checkpoint = checkpoint::of(context, plan);
    Some(Run {
        steps,
        tokens,
        assumed: matches!(workload.run, Some(Length::Assumed(_))),
        hours: time.get() / 3600.0,
        usd: price.map(|price| price.over(time).get()),
        checkpoint,
        operations: run::of(context, time.get(), steps, checkpoint.as_ref(), price),
    })
}

/// The plan as a question states it: generation alone has no layout of training.
fn stated(job: &Job, plan: &Plan) -> PlanSpec {
    let whole = plan.to_spec();
    match job.workload.generation {
        Some(_) => PlanSpec { rollout: whole.rollout, ..PlanSpec::default() },
        None => whole,
    }
}

/// The two sides' GPUs, where generation has its own.
fn split(job: &Job) -> Option<Split> {
    let rl = job.workload.rl.as_ref()?;
    (rl.schedule != Schedule::Colocated)
        .then(|| Split { train_gpus: rl.train_gpus, rollout_gpus: generating_gpus(job) })
}

fn memory(step: &Step, capacity: f64) -> Memory {
    let phases: Vec<MemoryPhase> = step
        .memories
        .iter()
        .map(|(phase, memory)| MemoryPhase {
            name: phase.name(),
            reserved_gib: memory.reserved_gib(),
            parts: memory.parts,
        })
        .collect();
    let (phase, peak) = step
        .peak()
        .map_or((Phase::Train, Default::default()), |(phase, memory)| (*phase, *memory));
    let allocated = step
        .memories
        .iter()
        .map(|(_, memory)| memory.allocated_gib())
        .fold(0.0, f64::max);
    Memory {
        peak_gib: allocated,
        reserved_gib: peak.reserved_gib(),
        capacity_gib: capacity,
        phase: phase.name(),
        parts: peak.parts,
        phases,
        limits: Vec::new(),
    }
}

fn time(step: &Step) -> Time {
    let phases: Vec<TimePhase> = step
        .times
        .iter()
        .map(|(phase, parts)| TimePhase { name: phase.name(), s: parts.total(), parts: *parts })
        .filter(|phase| phase.s > 0.0)
        .collect();
    let parts = step.parts();
    let sum: f64 = phases.iter().map(|phase| phase.s).sum();
    // Less than a rounding apart is nothing hidden.
    let hidden = sum - step.seconds;
    Time { phases, parts, hidden_s: if hidden > 1e-6 * sum { hidden } else { 0.0 } }
}
