//! How many GPUs train and how many generate, where the question leaves it open.
//!
//! Each way to share them is a search of its own. With more GPUs a side is faster, so the best shares lie where the sides
//! meet: eighths are tried, then ever smaller steps from the best of them.

use super::accept::{Runner, Runs, Verdict};
use super::bounded::Limits;
use super::candidate::Candidate;
use super::desk::Desk;
use super::ranked::Ranked;
use super::work::Work;
use shardwise_catalog::efficiency::Efficiency;
use shardwise_catalog::error::InputError;
use shardwise_engine::context::Context;
use shardwise_question::complete::{complete, is_complete};
use shardwise_question::job::{self, Job};
use shardwise_question::wire::{PlanSpec, Question, Schedule};
use shardwise_rules::Framework;

/// Parts of the GPUs, of which it does not matter which side has one more.
const FINEST: u32 = 64;

/// Parts of many GPUs of which each is asked.
const COARSE: u32 = 32;

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
pub(super) fn resolve(question: &Question, efficiency: &Efficiency, desk: &mut Desk) -> Result<Resolved, InputError> {
    let job = job::resolve(question)?;
    let spec = question.plan.clone().unwrap_or_default();
    let others = desk.by_name(&job, &spec);
    if others.is_empty() && !desk.may_be_in_need(&job, &spec) && !is_open(question, &job) {
        return Ok(Resolved { job, found: None });
    }
    let mut best = found(question, job, efficiency, desk, Limits::best(1));
    let mut all = best.as_ref().map_or((0, true), Resolved::among);
    for framework in others {
        // Of interest is what comes before what is known.
        let known = best.as_ref().ok().filter(|best| best.is_run());
        let known = known.and_then(Resolved::first).filter(Candidate::fits);
        let limits = known.map_or(Limits::best(1), |known| Limits::settled(known.seconds));
        let named = named(question, framework);
        let own = job::resolve(&named).and_then(|job| found(&named, job, efficiency, desk, limits));
        best = first_of(best, own.ok(), &mut all);
    }
    if best.as_ref().is_ok_and(Resolved::rather_fits) {
        return best.map(|best| best.found_among(all));
    }
    // Few questions come here.
    for framework in desk.in_need(&job::resolve(question)?, &spec) {
        let named = named(question, framework);
        let Ok(job) = job::resolve(&named) else { continue };
        let context = Context::with(&job, efficiency).for_many();
        if is_open(&named, &job) || desk.has_room(&context, &spec) {
            let own = found(&named, job, efficiency, desk, Limits::best(1));
            best = first_of(best, own.ok().filter(Resolved::rather_fits), &mut all);
        }
    }
    best.map(|best| best.found_among(all))
}

/// A question by the name of a framework.
fn named(question: &Question, framework: &Framework) -> Question {
    Question { framework: Some(framework.id.to_owned()), ..question.clone() }
}

/// What is known, or what a framework by its name has before it; with how many plans were looked at.
fn first_of(
    best: Result<Resolved, InputError>,
    own: Option<Resolved>,
    all: &mut (u64, bool),
) -> Result<Resolved, InputError> {
    let Some(own) = own else { return best };
    let (considered, complete) = own.among();
    *all = (all.0 + considered, all.1 && complete);
    if best.as_ref().is_ok_and(|best| !own.comes_before(best)) {
        return best;
    }
    Ok(Resolved { job: Job { framework_stated: false, searched: true, ..own.job }, ..own })
}

impl Resolved {
    /// Legal plans among which it was found, and whether those are all.
    fn among(&self) -> (u64, bool) {
        self.found
            .as_ref()
            .map_or((0, true), |found| (found.considered, found.complete))
    }

    /// It, found among so many.
    fn found_among(self, all: (u64, bool)) -> Self {
        Self { found: self.found.map(|found| found.among(all)), ..self }
    }

    /// The plan that is proposed.
    fn first(&self) -> Option<Candidate> {
        self.found.as_ref().and_then(|found| found.plans.first().copied())
    }

    /// Whether its plan rather fits than not.
    fn rather_fits(&self) -> bool {
        self.found.as_ref().is_some_and(Ranked::rather_fits)
    }

    /// Whether somebody runs its plan as it is estimated.
    fn is_run(&self) -> bool {
        let runs = Runs::new(Runner::of(&self.job), &self.job);
        self.first().is_some_and(|own| runs.verdict(&own.plan) == Verdict::Yes)
    }

    /// Whether its plan, which a framework runs, comes before another's: before one that nobody runs, in any case.
    fn comes_before(&self, other: &Self) -> bool {
        match (self.first(), other.first()) {
            (Some(own), Some(known)) => !other.is_run() || own.beats(&known),
            (own, _) => own.is_some(),
        }
    }
}

/// The best plan of a job, its GPUs shared where that is open.
fn found(
    question: &Question,
    job: Job,
    efficiency: &Efficiency,
    desk: &mut Desk,
    limits: Limits,
) -> Result<Resolved, InputError> {
    if is_open(question, &job) {
        return shared(question, job, efficiency, desk);
    }
    let spec = question.plan.clone().unwrap_or_default();
    desk.work.renew();
    let found = desk.ranked(&Context::with(&job, efficiency).for_many(), &spec, limits)?;
    Ok(Resolved { job, found: Some(found) })
}

/// [`resolve`] of a job whose GPUs are to be shared.
fn shared(question: &Question, job: Job, efficiency: &Efficiency, desk: &mut Desk) -> Result<Resolved, InputError> {
    let spec = question.plan.clone().unwrap_or_default();
    if job.hardware.gpus < 2 {
        return Err(InputError::new("hardware.gpus", "There are no GPUs to share. Give 2 or more."));
    }
    let shares = Shares::of(&job, desk.work.is_whole());
    let share = |desk: &mut Desk| {
        shares.best(&mut |job, limits| {
            let context = Context::with(job, efficiency);
            if is_complete(job, &spec) {
                return stated(&context, &spec, &desk.work);
            }
            desk.ranked(&context.for_many(), &spec, limits).ok()
        })
    };
    // All shares are asked of the same: else a plan that nobody runs would win where those that are run are many.
    let runner = match desk.runner(&job) {
        // Asked once: that nobody runs any of many plans takes long to find. A mini-batch keeps not every number of GPUs busy.
        Runner::Some if !is_complete(&job, &spec) => {
            let is_run = |place| {
                let job = shares.job(place);
                desk.is_run(&Context::with(&job, efficiency).for_many(), &spec)
            };
            if shares.spread().into_iter().any(is_run) { Runner::Some } else { Runner::Nobody }
        }
        runner => runner,
    };
    let found = desk.of_one_runner(runner, share);
    if found.found.is_none() && matches!(runner, Runner::Some) {
        return Ok(desk.of_one_runner(Runner::Nobody, share));
    }
    Ok(found)
}

/// The job of a question, with as many of its GPUs on either side as may be where the question leaves that open.
///
/// # Errors
/// As [`job::resolve`].
pub(super) fn even(question: &Question) -> Result<Job, InputError> {
    let job = job::resolve(question)?;
    if !is_open(question, &job) || job.hardware.gpus < 2 {
        return Ok(job);
    }
    let shares = Shares::of(&job, true);
    Ok(shares.job(shares.count / 2))
}

/// Whether a question leaves open how its GPUs are shared.
pub(super) fn is_open(question: &Question, job: &Job) -> bool {
    let asked = question.workload.rl.as_ref();
    let open = asked.is_some_and(|rl| rl.train_gpus.is_none());
    let apart = |schedule: Schedule| schedule != Schedule::Colocated;
    let rl = job.workload.rl.as_ref();
    open && rl.is_some_and(|rl| apart(rl.schedule))
}

/// A plan that the question decides.
fn stated(context: &Context<'_>, spec: &PlanSpec, work: &Work) -> Option<Ranked> {
    let plan = complete(context.job, spec).ok()?;
    work.count();
    Some(Ranked::of(1, work, vec![Candidate::of(context, &plan)]))
}

/// The ways to share a job's GPUs.
struct Shares<'a> {
    job: &'a Job,
    /// GPUs that are shared together.
    unit: u32,
    /// How many such there are.
    count: u32,
    /// Whether there is work enough to ask many of them.
    thorough: bool,
}

impl<'a> Shares<'a> {
    fn of(job: &'a Job, thorough: bool) -> Self {
        let unit = unit(job);
        Self { job, unit, count: job.hardware.gpus / unit, thorough }
    }

    /// The job with so many of them in training, one at least.
    fn job(&self, place: u32) -> Job {
        with_training(self.job, place.max(1) * self.unit)
    }

    /// The job whose best plan, which `best` finds within limits, is the best of all ways to share the GPUs.
    fn best(&self, best: &mut dyn FnMut(&Job, Limits) -> Option<Ranked>) -> Resolved {
        if let Some(place) = self.fastest(best) {
            let job = self.job(place);
            let found = best(&job, Limits::best(1));
            return Resolved { job, found };
        }
        self.nearest(best)
    }

    /// Shares of which some has a plan where any has, mostly the first.
    fn spread(&self) -> Vec<u32> {
        let count = self.count;
        [count / 2, count / 4, count * 3 / 4].into_iter().chain(self.grid()).collect()
    }

    /// Shares that are all asked, where there is work enough.
    fn grid(&self) -> Vec<u32> {
        let apart = if self.count <= FINEST { 1 } else { self.count / COARSE };
        if self.thorough { (apart..self.count).step_by(apart as usize).collect() } else { Vec::new() }
    }

    /// The share whose plan is nearest to fitting, once it is settled: that may well fit.
    fn nearest(&self, best: &mut dyn FnMut(&Job, Limits) -> Option<Ranked>) -> Resolved {
        let count = self.count;
        let mut tried: Vec<u32> = Vec::new();
        let mut first: Option<(u32, Ranked)> = None;
        let mut next = vec![count / 2, count / 4, count * 3 / 4];
        // Where those who run the plans run none of these, they may run another: a mini-batch keeps so many busy.
        let mut others = self.grid().into_iter();
        let mut pop = |next: &mut Vec<u32>, none: bool| next.pop().or_else(|| others.next().filter(|_| none));
        while let Some(place) = pop(&mut next, first.is_none()).map(|place| place.clamp(1, count - 1)) {
            if tried.contains(&place) {
                continue;
            }
            tried.push(place);
            let known = first.as_ref().and_then(|(_, found)| found.plans.first());
            let short = known.map_or(f64::INFINITY, |known| known.shortfall_gib);
            let limits = Limits::nearer(short);
            let Some(found) = best(&self.job(place), limits) else {
                continue;
            };
            let nearer = match (&first, found.plans.first()) {
                (Some((_, known)), Some(own)) => {
                    let known = known.plans.first();
                    known.is_none_or(|known| own.order(known).is_lt())
                }
                (None, own) => own.is_some(),
                (Some(_), None) => false,
            };
            if nearer {
                // Of one that fits, twice and half as many: as far as a person would look.
                if found.plans.first().is_some_and(Candidate::fits) {
                    next.extend([place / 2, place.saturating_mul(2)]);
                }
                first = Some((place, found));
            }
        }
        match first {
            Some((place, found)) => Resolved { job: self.job(place), found: Some(found) },
            None => Resolved { job: self.job(count / 2), found: None },
        }
    }

    /// The share whose plan fits and is the fastest.
    fn fastest(&self, best: &mut dyn FnMut(&Job, Limits) -> Option<Ranked>) -> Option<u32> {
        let count = self.count;
        let mut tried: Vec<u32> = Vec::new();
        let mut first: Option<(u32, Candidate)> = None;
        // Whose plans fit, faster than what is known.
        let mut attempt = |place: u32, first: &mut Option<(u32, Candidate)>| {
            if place == 0 || place >= count || tried.contains(&place) {
                return;
            }
            tried.push(place);
            let enough = first.map_or(f64::INFINITY, |(_, own)| own.seconds);
            let found = best(&self.job(place), Limits::faster(enough));
            let found = found.and_then(|ranked| ranked.plans.first().copied());
            if let Some(found) = found.filter(Candidate::fits)
                && first.is_none_or(|(_, known)| found.beats(&known))
            {
                *first = Some((place, found));
            }
        };
        // The middle first: what it takes rules out much of the others.
        for eighths in [4, 2, 6, 3, 5, 1, 7] {
            attempt((count * eighths / 8).max(1), &mut first);
        }
        let (mut step, finest) = (count / 16, (count / FINEST).max(1));
        // Where none of them fits, one side may need more than that.
        for part in [16, 32, 64] {
            if first.is_none() {
                attempt(count - count / part, &mut first);
                attempt(count / part, &mut first);
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
        // Another back end may be the fastest at a share that the first does not run: a question by itself is asked of each.
        for place in self.grid() {
            attempt(place, &mut first);
        }
        if !self.thorough && count <= FINEST {
            // So few that each neighbour of the best is asked.
            while let Some(place) = first.map(|(place, _)| place) {
                attempt(place.saturating_sub(1), &mut first);
                attempt(place + 1, &mut first);
                if first.map(|(place, _)| place) == Some(place) {
                    break;
                }
            }
        }
        first.map(|(place, _)| place)
    }
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
    if all > node && all.is_multiple_of(node) { node } else { 1 }
}
