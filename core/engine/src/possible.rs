//! Answers that no card can give: more operations than its peak does in the time.
//!
//! Estimates themselves stay below it. What a question states may not: a calibration that makes every second shorter, or
//! what speculative decoding is said to gain.

use crate::context::Context;
use crate::step::{self, Step};
use shardwise_catalog::error::InputError;
use shardwise_catalog::units::{fixed, shortest};
use shardwise_question::job::Job;
use shardwise_question::plan::{Plan, RolloutPlan};
use shardwise_question::wire::{Answer, Calibration};

/// Share of the peak that is not exceeded: what a factor of four decimals may round.
pub const MOST: f64 = 0.9995;

/// Halvings of the range in which the first possible value is looked for.
const HALVINGS: u32 = 30;

/// The answer, or what makes it impossible.
///
/// # Errors
/// Names the field that asks for more than the card's peak, and the first value that does not.
pub fn possible(context: &Context<'_>, plan: &Plan, answer: Answer) -> Result<Answer, InputError> {
    below_peak(context, plan, answer.hfu).map(|()| answer)
}

/// What makes an answer impossible that nobody needs: only the step is estimated, which decides it.
///
/// # Errors
/// As [`possible`].
pub fn check(context: &Context<'_>, plan: &Plan) -> Result<(), InputError> {
    below_peak(context, plan, share(context, plan))
}

fn below_peak(context: &Context<'_>, plan: &Plan, hfu: f64) -> Result<(), InputError> {
    if hfu <= 1.0 {
        return Ok(());
    }
    let job = context.job;
    let share = fixed(hfu * 100.0, 0);
    if let Some(own) = job.calibration.filter(Calibration::has_phases) {
        let plain = Calibration { memory: own.memory, ..Calibration::default() };
        if utilization(&Job { calibration: Some(plain), ..job.clone() }, context, plan) <= MOST {
            return Err(InputError::new(
                "calibration",
                format!(
                    "With these factors this would be {share} % of the card's peak. Give larger ones, and check that the run is this question's."
                ),
            ));
        }
    } else if let Some(own) = job.calibration
        && let Some(time) = own.time
    {
        let with = |time: f64| {
            let job = Job { calibration: Some(Calibration { time: Some(time), ..own }), ..job.clone() };
            utilization(&job, context, plan)
        };
        // The answer's share may be a plan's that a longer time leaves alone.
        if with(1.0) <= MOST {
            // Up, to four decimals.
            let least = (first((time, 1.0), &with) * 1e4).ceil() / 1e4;
            return Err(InputError::new(
                "calibration.time",
                format!(
                    "At {} times the estimated seconds this would be {share} % of the card's peak. Give {} or more, and check that the run is this question's.",
                    shortest((time * 1e4).round() / 1e4),
                    shortest(least)
                ),
            ));
        }
    }
    if let Some(engine) = plan.rollout.filter(|engine| engine.speculative_speedup > 1.0) {
        let with = |speedup: f64| {
            let plan = Plan { rollout: Some(RolloutPlan { speculative_speedup: speedup, ..engine }), ..*plan };
            utilization(job, context, &plan)
        };
        let most = (first((engine.speculative_speedup, 1.0), &with) * 100.0).floor() / 100.0;
        return Err(InputError::new(
            "plan.rollout.speculative_speedup",
            format!("Generating so fast would take {share} % of the card's peak. Give {} or less.", shortest(most)),
        ));
    }
    Ok(())
}

/// Share of the peak that a plan takes of another job, with recomputation.
fn utilization(job: &Job, context: &Context<'_>, plan: &Plan) -> f64 {
    share(&Context::with(job, context.efficiency), plan)
}

fn share(context: &Context<'_>, plan: &Plan) -> f64 {
    let step = step::evaluate(context, plan);
    of_peak(context.job, plan, step.hardware_flops, &step)
}

/// Operations of a step over what all GPUs could do in its time.
pub fn of_peak(job: &Job, plan: &Plan, flops: f64, step: &Step) -> f64 {
    flops / step.seconds / (peak(job, plan) * f64::from(job.gpus()))
}

/// Operations per second of the card's peak, in the precision of what counts: the engine's where nothing trains.
pub fn peak(job: &Job, plan: &Plan) -> f64 {
    let precision = match (&job.workload.generation, &plan.rollout) {
        (Some(_), Some(engine)) => engine.precision,
        _ => job.workload.precision,
    };
    job.hardware.peak_tflops(precision) * 1e12
}

/// The value nearest to the first of two that is possible, where the second is.
fn first((mut no, mut yes): (f64, f64), utilization: &dyn Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = no.midpoint(yes);
        if utilization(middle) <= MOST {
            yes = middle;
        } else {
            no = middle;
        }
    }
    yes
}
