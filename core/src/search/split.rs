//! How many GPUs train and how many generate, where the question leaves it open.

use super::candidate::{Candidate, Room};
use crate::complete::{complete, is_complete};
use crate::context::Context;
use crate::efficiency::Efficiency;
use crate::error::InputError;
use crate::job::{self, Job};
use crate::step;
use crate::wire::{Question, Schedule};

/// The job of a question, its GPUs split so that its best plan's step is the fastest.
///
/// # Errors
/// As [`job::resolve`]; where no split has a legal plan, what is wrong with the even one.
pub fn resolve(question: &Question, efficiency: &Efficiency) -> Result<Job, InputError> {
    let spec = question.plan.clone().unwrap_or_default();
    let mut jobs = jobs(question)?;
    if jobs.len() == 1 {
        return jobs.pop().ok_or_else(unsplit);
    }
    let best = |job: &Job| {
        let context = Context::with(job, efficiency);
        if !is_complete(job, &spec) {
            return super::best_where(&context, &spec, &|_| true).ok();
        }
        let plan = complete(job, &spec).ok()?;
        let step = step::evaluate(&context, &plan);
        let room = Room::tight(&job.hardware);
        let reserved = step.reserved_gib();
        let memory = (&room, room.missing(reserved, reserved));
        Some(Candidate::new(
            &job.workload,
            &plan,
            step.seconds,
            memory,
            0,
        ))
    };
    let (job, _) = fastest(&jobs, best)?;
    Ok(job)
}

/// The job whose best plan is the best of all; where none has one, the one that shares its GPUs evenly.
pub(super) fn fastest(
    jobs: &[Job],
    mut best: impl FnMut(&Job) -> Option<Candidate>,
) -> Result<(Job, Option<Candidate>), InputError> {
    let mut found: Option<(&Job, Candidate)> = None;
    for job in jobs {
        if let Some(own) = best(job)
            && found.as_ref().is_none_or(|(_, best)| own.beats(best))
        {
            found = Some((job, own));
        }
    }
    match found {
        Some((job, candidate)) => Ok((job.clone(), Some(candidate))),
        None => {
            let even = jobs.get(jobs.len() / 2).cloned();
            Ok((even.ok_or_else(unsplit)?, None))
        }
    }
}

fn unsplit() -> InputError {
    InputError::new(
        "hardware.gpus",
        "There are no GPUs to share. Give 2 or more.",
    )
}

/// The question's job with every way to share its GPUs between training and generation; one job where the question
/// says how, or nothing is shared.
pub(super) fn jobs(question: &Question) -> Result<Vec<Job>, InputError> {
    let job = job::resolve(question)?;
    let stated = question.workload.rl.as_ref().map(|rl| rl.train_gpus);
    Ok(match (&job.workload.rl, stated) {
        (Some(rl), Some(None)) if rl.schedule != Schedule::Colocated => splits(&job)
            .into_iter()
            .map(|gpus| with_training(&job, gpus))
            .collect(),
        _ => vec![job],
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
