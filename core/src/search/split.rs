//! How many GPUs train and how many generate, where the question leaves it open.

use crate::complete::{complete, is_complete};
use crate::context::Context;
use crate::efficiency::Efficiency;
use crate::error::InputError;
use crate::job::{self, Job};
use crate::step;
use crate::wire::{PlanSpec, Question, Schedule};

/// The job of a question, its GPUs split so that its best plan's step is the fastest.
///
/// # Errors
/// As [`job::resolve`]; where no split has a legal plan, what is wrong with the even one.
pub fn resolve(question: &Question, efficiency: &Efficiency) -> Result<Job, InputError> {
    let job = job::resolve(question)?;
    let stated = question.workload.rl.as_ref().map(|rl| rl.train_gpus);
    match (&job.workload.rl, stated) {
        (Some(rl), Some(None)) if rl.schedule != Schedule::Colocated => {}
        _ => return Ok(job),
    }
    let spec = question.plan.clone().unwrap_or_default();
    let splits = splits(&job);
    let last = splits.len() - 1;
    let decided = is_complete(&job, &spec);
    let mut scores: Vec<Option<Score>> = vec![None; splits.len()];
    let mut best: Option<usize> = None;
    let mut attempt = |place: usize, best: &mut Option<usize>| {
        if scores[place].is_none() {
            scores[place] = score(
                &with_training(&job, splits[place]),
                &spec,
                decided,
                efficiency,
            );
        }
        if let Some(own) = scores[place]
            && best
                .and_then(|best| scores[best])
                .is_none_or(|best| own < best)
        {
            *best = Some(place);
        }
    };
    if decided {
        for place in 0..=last {
            attempt(place, &mut best);
        }
    } else {
        // Each is a search: a half, a quarter, three quarters, then the neighbours of the best.
        for place in [last / 2, last / 4, last - last / 4] {
            attempt(place, &mut best);
        }
        if let Some(middle) = best {
            for place in [middle.saturating_sub(1), (middle + 1).min(last)] {
                attempt(place, &mut best);
            }
        }
    }
    Ok(match best {
        Some(place) => with_training(&job, splits[place]),
        None => job,
    })
}

fn with_training(job: &Job, gpus: u32) -> Job {
    let mut job = job.clone();
    if let Some(rl) = &mut job.workload.rl {
        rl.train_gpus = gpus;
    }
    job
}

/// GPUs that may train, in eighths: both sides are whole nodes, or parts of the only one.
fn splits(job: &Job) -> Vec<u32> {
    let (all, node) = (job.hardware.gpus, job.hardware.gpus_per_node.max(1));
    let unit = if all > node && all.is_multiple_of(node) {
        node
    } else {
        1
    };
    let mut found: Vec<u32> = (1..8)
        .map(|eighths| (all / unit * eighths / 8) * unit)
        .filter(|gpus| (unit..all).contains(gpus))
        .collect();
    found.dedup();
    if found.is_empty() {
        // Two nodes, or two GPUs: one each.
        found.push((all / 2 / unit).max(1) * unit);
    }
    found
}

/// What does not fit last, then seconds of the step.
type Score = (bool, f64);

fn score(job: &Job, spec: &PlanSpec, decided: bool, efficiency: &Efficiency) -> Option<Score> {
    let context = Context::with(job, efficiency);
    let plan = if decided {
        complete(job, spec).ok()?
    } else {
        super::best(&context, spec).ok()?
    };
    let step = step::evaluate(&context, &plan);
    Some((step.reserved_gib() > job.hardware.memory_gib, step.seconds))
}
