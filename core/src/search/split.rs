//! How many GPUs train and how many generate, where the question leaves it open.
//!
//! Each way to share them is a search of its own. With more GPUs a side is faster, so the best shares lie where the sides
//! meet: eighths are tried, then ever smaller steps from the best of them.

use super::bounded::{Limits, Work};
use super::candidate::Candidate;
use super::desk::Desk;
use super::fit_of;
use super::ranked::Ranked;
use crate::complete::{complete, is_complete};
use crate::context::Context;
use crate::efficiency::Efficiency;
use crate::error::InputError;
use crate::job::{self, Job};
use crate::step;
use crate::wire::{PlanSpec, Question, Schedule};

/// Parts of the GPUs, of which it does not matter which side has one more.
const FINEST: u32 = 64;

/// The job of a question, and what was found as its GPUs were shared; none where nothing had to be.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) job: Job,
    pub(crate) found: Option<Ranked>,
}

/// The job of a question, its GPUs shared so that its best plan's step is the fastest.
///
/// # Errors
/// As [`job::resolve`]; where no split has a legal plan, what is wrong with the even one.
pub(super) fn resolve(
    question: &Question,
    efficiency: &Efficiency,
    desk: &mut Desk,
) -> Result<Resolved, InputError> {
    let spec = question.plan.clone().unwrap_or_default();
    shared(question, |job, limits| {
        let context = Context::with(job, efficiency);
        if is_complete(job, &spec) {
            return stated(&context, &spec, &desk.work);
        }
        desk.ranked(&context.for_many(), &spec, limits).ok()
    })
}

/// A plan that the question decides.
fn stated(context: &Context<'_>, spec: &PlanSpec, work: &Work) -> Option<Ranked> {
    let plan = complete(context.job, spec).ok()?;
    let step = step::evaluate(context, &plan);
    let missing = fit_of(context, &plan, &step);
    work.count();
    let found = Candidate::new(context.job, &plan, step.seconds, missing, 0);
    Some(Ranked::of(1, work, vec![found]))
}

/// The job of a question whose best plan, which `best` finds within limits, is the best of all ways to share the GPUs.
fn shared(
    question: &Question,
    mut best: impl FnMut(&Job, Limits) -> Option<Ranked>,
) -> Result<Resolved, InputError> {
    let job = job::resolve(question)?;
    let open = question
        .workload
        .rl
        .as_ref()
        .is_some_and(|rl| rl.train_gpus.is_none());
    let apart = |schedule: Schedule| schedule != Schedule::Colocated;
    let split = job
        .workload
        .rl
        .as_ref()
        .is_some_and(|rl| apart(rl.schedule));
    if !(open && split) {
        return Ok(Resolved { job, found: None });
    }
    if job.hardware.gpus < 2 {
        return Err(InputError::new(
            "hardware.gpus",
            "There are no GPUs to share. Give 2 or more.",
        ));
    }
    let (all, unit) = (job.hardware.gpus, unit(&job));
    let units = all / unit;
    let mut tried: Vec<u32> = Vec::new();
    let mut first: Option<(u32, Candidate)> = None;
    // Whose plans fit, faster than what is known.
    let mut attempt = |place: u32, first: &mut Option<(u32, Candidate)>| {
        if place == 0 || place >= units || tried.contains(&place) {
            return;
        }
        tried.push(place);
        let enough = first.map_or(f64::INFINITY, |(_, own)| own.seconds);
        let job = with_training(&job, place * unit);
        let found = best(&job, Limits::faster(enough));
        let found = found.and_then(|ranked| ranked.plans.first().copied());
        if let Some(found) = found.filter(Candidate::fits)
            && first.is_none_or(|(_, known)| found.beats(&known))
        {
            *first = Some((place, found));
        }
    };
    // The middle first: what it takes rules out much of the others.
    for eighths in [4, 2, 6, 3, 5, 1, 7] {
        attempt((units * eighths / 8).max(1), &mut first);
    }
    let (mut step, finest) = (units / 16, (units / FINEST).max(1));
    // Where none of them fits, one side may need more than that.
    for part in [16, 32, 64] {
        if first.is_none() {
            attempt(units - units / part, &mut first);
            attempt(units / part, &mut first);
        }
    }
    // A sixty-fourth is as near as estimates are.
    while let (true, Some(place)) = (step >= finest, first.map(|(place, _)| place)) {
        attempt(place.saturating_sub(step), &mut first);
        attempt(place + step, &mut first);
        if first.map(|(place, _)| place) == Some(place) {
            step /= 2;
        }
    }
    if units <= FINEST {
        // So few that each neighbour of the best is asked.
        while let Some(place) = first.map(|(place, _)| place) {
            attempt(place.saturating_sub(1), &mut first);
            attempt(place + 1, &mut first);
            if first.map(|(place, _)| place) == Some(place) {
                break;
            }
        }
    }
    if let Some((place, _)) = first {
        let job = with_training(&job, place * unit);
        let found = best(&job, Limits::best(1));
        return Ok(Resolved { job, found });
    }
    // What is nearest to fitting.
    let short = |own: &Ranked| {
        own.plans
            .first()
            .map_or(f64::INFINITY, |own| own.shortfall_gib)
    };
    let found = [units / 2, units / 4, units * 3 / 4]
        .into_iter()
        .map(|place| with_training(&job, place.max(1) * unit))
        .filter_map(|job| best(&job, Limits::nearest()).map(|found| (job, found)))
        .min_by(|a, b| short(&a.1).total_cmp(&short(&b.1)));
    Ok(match found {
        Some((job, found)) => Resolved {
            job,
            found: Some(found),
        },
        None => Resolved {
            job: with_training(&job, (units / 2).max(1) * unit),
            found: None,
        },
    })
}

fn with_training(job: &Job, gpus: u32) -> Job {
    let mut job = job.clone();
    if let Some(rl) = &mut job.workload.rl {
        rl.train_gpus = gpus;
    }
    job
}

/// GPUs that are shared together: whole nodes, or single ones of the only node.
fn unit(job: &Job) -> u32 {
    let (all, node) = (job.hardware.gpus, job.hardware.gpus_per_node.max(1));
    if all > node && all.is_multiple_of(node) {
        node
    } else {
        1
    }
}
