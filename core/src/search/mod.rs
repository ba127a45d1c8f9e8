//! Every legal plan of a job on its GPUs, ranked.

mod accept;
mod bounded;
mod candidate;
mod choices;
mod generation;
pub mod market;
mod reinforcement;
mod space;
pub mod split;
pub mod sweep;
mod training;

#[cfg(all(test, not(target_family = "wasm")))]
mod tests;

use std::cell::Cell;

use crate::complete::complete;
use crate::context::Context;
use crate::efficiency::EFFICIENCY;
use crate::emit::Framework;
use crate::error::InputError;
use crate::estimate;
use crate::plan::Plan;
use crate::wire::{Answer, PlanSpec, Question};
use accept::{Accept, Verdict, run_by};
use bounded::{Search, Task};
pub use candidate::Candidate;
use candidate::{Room, Top};
use reinforcement::{Reinforcement, engines};
use space::Space;
use training::Training;

/// What "best" means. On one GPU type and number the cheapest plan is the fastest one; the objectives
/// differ once types or numbers are compared ([`market`]).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Objective {
    /// Dollars per token.
    #[default]
    Cost,
    /// Seconds per token.
    Time,
    /// GPUs, then dollars.
    Gpus,
    /// Dollars, of runs that end in time.
    CostWithin {
        /// Hours that the run may take.
        hours: f64,
    },
    /// Seconds, of runs that can be paid.
    TimeWithin {
        /// Dollars that the run may cost.
        usd: f64,
    },
}

/// Ranked plans.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Legal plans among which the best were found.
    pub considered: u64,
    /// Those whose time had to be computed: the others were ruled out before.
    pub evaluated: u64,
    /// The best plan of each parallel layout, the best layouts first; then layouts of which nothing fits, by shortfall.
    pub plans: Vec<Answer>,
}

/// Searches all legal plans of a question, or those of them that `framework` runs, and answers the best `limit`.
///
/// # Errors
/// As [`crate::estimate()`].
pub fn search(
    question: &Question,
    framework: Option<&Framework>,
    limit: usize,
) -> Result<SearchResult, InputError> {
    let job = split::resolve(question, &EFFICIENCY)?;
    let context = Context::new(&job).for_many();
    let spec = question.plan.clone().unwrap_or_default();
    let ranked = rank_for(&context, &spec, framework, limit)?;
    Ok(SearchResult {
        considered: ranked.considered,
        evaluated: ranked.evaluated,
        plans: ranked
            .plans
            .iter()
            .map(|scored| estimate::answer(&context, &scored.plan))
            .collect(),
    })
}

/// The best plan that keeps what `spec` states and that `framework` runs.
///
/// # Errors
/// As [`best`]; an error about `plan` where the framework runs none.
pub fn best_for(
    context: &Context<'_>,
    spec: &PlanSpec,
    framework: &Framework,
) -> Result<Plan, InputError> {
    let ranked = rank_for(&context.clone().for_many(), spec, Some(framework), 1)?;
    first(ranked).map(|found| found.plan)
}

fn first(ranked: Ranked) -> Result<Candidate, InputError> {
    let first = ranked.plans.into_iter().next();
    first.ok_or_else(|| InputError::new("plan", "No legal layout is accepted."))
}

/// What `spec` becomes for a framework: one for each of its back ends, without what it does not have.
fn specs(spec: &PlanSpec, framework: Option<&Framework>) -> Vec<PlanSpec> {
    let Some(framework) = framework else {
        return vec![spec.clone()];
    };
    let fused = (!framework.fused_lm_head).then_some(false);
    let backends = match spec.backend {
        Some(backend) => vec![backend],
        None => framework.backends.to_vec(),
    };
    let with = |backend| PlanSpec {
        backend: Some(backend),
        fused_lm_head: spec.fused_lm_head.or(fused),
        ..spec.clone()
    };
    backends.into_iter().map(with).collect()
}

fn rank_for(
    context: &Context<'_>,
    spec: &PlanSpec,
    framework: Option<&Framework>,
    keep: usize,
) -> Result<Ranked, InputError> {
    let mut all: Option<Ranked> = None;
    let mut refusal = None;
    for spec in specs(spec, framework) {
        let accept = |plan: &Plan| run_by(framework, context.job, plan);
        match rank(context, &spec, keep, &accept) {
            Ok(found) => {
                all = Some(match all {
                    None => found,
                    Some(known) => known.merged(found, keep),
                });
            }
            Err(error) => refusal = Some(error),
        }
    }
    all.ok_or_else(|| nothing(context, spec, refusal))
}

/// The best plan that keeps what `spec` states.
///
/// # Errors
/// Names the stated field that no legal layout can keep.
pub fn best(context: &Context<'_>, spec: &PlanSpec) -> Result<Plan, InputError> {
    best_where(context, spec, &|_| true).map(|found| found.plan)
}

/// The best plan that keeps what `spec` states and that `accept` accepts.
///
/// # Errors
/// As [`best`]; an error about `plan` where nothing is accepted.
pub fn best_where(
    context: &Context<'_>,
    spec: &PlanSpec,
    accept: &dyn Fn(&Plan) -> bool,
) -> Result<Candidate, InputError> {
    let accept = |plan: &Plan| {
        if accept(plan) {
            Verdict::Yes
        } else {
            Verdict::No
        }
    };
    first(rank(&context.clone().for_many(), spec, 1, &accept)?)
}

struct Ranked {
    considered: u64,
    evaluated: u64,
    plans: Vec<Candidate>,
}

impl Ranked {
    fn merged(self, other: Self, keep: usize) -> Self {
        let mut top = Top::new(keep);
        for found in self.plans.into_iter().chain(other.plans) {
            top.offer(found);
        }
        Self {
            considered: self.considered + other.considered,
            evaluated: self.evaluated + other.evaluated,
            plans: top.best,
        }
    }
}

fn rank(
    context: &Context<'_>,
    spec: &PlanSpec,
    keep: usize,
    accept: Accept<'_>,
) -> Result<Ranked, InputError> {
    if context.job.workload.generation.is_some() {
        return generation::ranked(context, spec, keep, accept);
    }
    ranked(context, spec, &Space::of(context, spec), keep, accept)
}

/// The best of `space`, which is that of `context`'s job and `spec`: with room to spare, or where no plan has any, as the
/// card allows.
fn ranked(
    context: &Context<'_>,
    spec: &PlanSpec,
    space: &Space,
    keep: usize,
    accept: Accept<'_>,
) -> Result<Ranked, InputError> {
    let job = context.job;
    let reinforcement = job.workload.rl.as_ref();
    let (engines, refused) =
        reinforcement.map_or_else(Default::default, |rl| engines(context, spec, rl));
    let pairs = reinforcement.map_or(1, |_| engines.len() as u64);
    let considered = space.plans * pairs;
    if considered == 0 {
        return Err(nothing(context, spec, space.refusal.clone().or(refused)));
    }
    let evaluated = Cell::new(0);
    let within = |room: Room| {
        let run = |task: &dyn Task| {
            let search = Search {
                context,
                task,
                accept,
                room,
                evaluated: &evaluated,
            };
            search.run(space, keep)
        };
        match reinforcement {
            Some(rl) => run(&Reinforcement::new(context, spec, rl, (&engines, room))),
            None => run(&Training { context, room }),
        }
    };
    let mut plans = within(Room::comfortable(&job.hardware));
    if !plans.first().is_some_and(Candidate::fits) {
        plans = within(Room::tight(&job.hardware));
    }
    Ok(Ranked {
        considered,
        evaluated: evaluated.get(),
        plans,
    })
}

/// Why there is no plan: the plan as stated names what is wrong with it, where anything is.
fn nothing(context: &Context<'_>, spec: &PlanSpec, refusal: Option<InputError>) -> InputError {
    let stated = complete(context.job, spec).err();
    stated.or(refusal).unwrap_or_else(|| {
        InputError::new("plan", "No layout is legal for this model and machine.")
    })
}
