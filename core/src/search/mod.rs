//! Every legal layout of a job on its GPUs, ranked.

mod candidates;
pub mod split;

use std::cmp::Ordering;

use crate::complete::{complete, complete_rollout};
use crate::context::Context;
use crate::efficiency::EFFICIENCY;
use crate::error::InputError;
use crate::estimate;
use crate::plan::{Layout, Plan, Recompute};
use crate::rl as rl_step;
use crate::step;
use crate::wire::{Answer, PlanSpec, Question};
use crate::workload::Rl;
use candidates::{Sharing, layouts, rollouts};

/// What "best" means. For one GPU type and count the cheapest plan is the fastest one; the two
/// differ once counts or types are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Dollars per token.
    #[default]
    Cost,
    /// Seconds per step.
    Time,
}

/// Ranked plans.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Legal layouts that were evaluated.
    pub considered: usize,
    /// Those that fit.
    pub fitting: usize,
    /// The best ones, best first; where none fits, those with the smallest shortfall.
    pub plans: Vec<Answer>,
}

/// Searches all legal layouts of a question.
///
/// # Errors
/// As [`crate::estimate()`].
pub fn search(
    question: &Question,
    objective: Objective,
    limit: usize,
) -> Result<SearchResult, InputError> {
    let job = split::resolve(question, &EFFICIENCY)?;
    let context = Context::new(&job);
    let spec = question.plan.clone().unwrap_or_default();
    // Cost and time agree for one GPU type and count.
    let (Objective::Cost | Objective::Time) = objective;
    let ranked = rank(&context, &spec, &|_| true)?;
    Ok(SearchResult {
        considered: ranked.considered,
        fitting: ranked.fitting,
        plans: ranked
            .plans
            .iter()
            .take(limit.max(1))
            .map(|scored| estimate::answer(&context, &scored.plan))
            .collect(),
    })
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
    let ranked = rank(context, spec, accept)?;
    ranked
        .plans
        .into_iter()
        .next()
        .ok_or_else(|| InputError::new("plan", "No legal layout is accepted."))
}

/// A plan and how it ranks.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    fits: bool,
    shortfall: f64,
    seconds: f64,
    simplicity: u32,
}

impl Candidate {
    /// Whether this plan ranks before another: what fits, then what is faster, then what is simpler.
    #[must_use]
    pub fn beats(&self, other: &Self) -> bool {
        self.order(other).is_lt()
    }

    fn order(&self, other: &Self) -> Ordering {
        other
            .fits
            .cmp(&self.fits)
            .then(self.shortfall.total_cmp(&other.shortfall))
            .then(bucket(self.seconds).total_cmp(&bucket(other.seconds)))
            .then(self.simplicity.cmp(&other.simplicity))
            .then(self.seconds.total_cmp(&other.seconds))
    }
}

struct Ranked {
    considered: usize,
    fitting: usize,
    plans: Vec<Candidate>,
}

/// Plans kept after ranking: more than any table shows.
const KEPT: usize = 64;

fn rank(
    context: &Context<'_>,
    spec: &PlanSpec,
    accept: &dyn Fn(&Plan) -> bool,
) -> Result<Ranked, InputError> {
    let job = context.job;
    let mut found = Found::default();
    // A batch that ranks share unevenly is a plan only where no other is legal.
    for sharing in [Sharing::Even, Sharing::Any] {
        if found.considered > 0 {
            break;
        }
        let layouts = layouts(job, spec, sharing);
        match &job.workload.rl {
            Some(rl) => rank_rl(context, spec, layouts, rl, accept, &mut found),
            None => rank_single(context, spec, layouts, accept, &mut found),
        }
    }
    let Found {
        considered,
        fitting,
        mut plans,
        refusal,
    } = found;
    if considered == 0 {
        // The plan as stated names what is wrong with it, where anything is.
        let error = complete(job, spec).err().or(refusal);
        let nothing = || InputError::new("plan", "No layout is legal for this model and machine.");
        return Err(error.unwrap_or_else(nothing));
    }
    plans.sort_by(Candidate::order);
    plans.truncate(KEPT);
    Ok(Ranked {
        considered,
        fitting,
        plans,
    })
}

/// Seconds to three significant digits: plans closer than that are ranked by simplicity.
fn bucket(seconds: f64) -> f64 {
    let mut scale = 1.0;
    while seconds * scale < 100.0 && scale < 1e12 {
        scale *= 10.0;
    }
    (seconds * scale).round() / scale
}

/// What a search has found so far.
#[derive(Default)]
struct Found {
    considered: usize,
    fitting: usize,
    plans: Vec<Candidate>,
    refusal: Option<InputError>,
}

impl Found {
    fn consider(&mut self, candidate: Candidate) {
        self.considered += 1;
        self.fitting += usize::from(candidate.fits);
        self.plans.push(candidate);
    }
}

/// Training alone, or generation alone: every layout with every engine.
fn rank_single(
    context: &Context<'_>,
    spec: &PlanSpec,
    layouts: Vec<PlanSpec>,
    accept: &dyn Fn(&Plan) -> bool,
    found: &mut Found,
) {
    let job = context.job;
    let rollouts = rollouts(job, spec);
    for layout in layouts {
        for rollout in &rollouts {
            match complete(
                job,
                &PlanSpec {
                    rollout: rollout.clone(),
                    ..layout.clone()
                },
            ) {
                Ok(plan) if accept(&plan) => {
                    let step = step::evaluate(context, &plan);
                    found.consider(candidate(context, &plan, step.seconds, step.reserved_gib()));
                }
                Ok(_) => found.considered += 1,
                Err(error) => found.refusal = Some(error),
            }
        }
    }
}

/// Engines kept for each layout of an RL step.
const ENGINES_KEPT: usize = 3;

/// An RL step: both sides are evaluated once each, then paired; they meet only in memory and in the
/// schedule.
fn rank_rl(
    context: &Context<'_>,
    spec: &PlanSpec,
    layouts: Vec<PlanSpec>,
    rl: &Rl,
    accept: &dyn Fn(&Plan) -> bool,
    found: &mut Found,
) {
    let job = context.job;
    let mut engines = Vec::new();
    for rollout in rollouts(job, spec).into_iter().flatten() {
        match complete_rollout(job, &rollout) {
            Ok(engine) => engines.push((
                rollout,
                engine,
                rl_step::generating_side(context, &engine, rl),
            )),
            Err(error) => found.refusal = Some(error),
        }
    }
    let Some((first, _, _)) = engines.first() else {
        return;
    };
    let first = Some(first.clone());
    let mut paired: Vec<Candidate> = Vec::new();
    for layout in layouts {
        let whole = PlanSpec {
            rollout: first.clone(),
            ..layout
        };
        let plan = match complete(job, &whole) {
            Ok(plan) => plan,
            Err(error) => {
                found.refusal = Some(error);
                continue;
            }
        };
        let training = rl_step::training_side(context, &plan, rl);
        paired.clear();
        for (_, engine, generating) in &engines {
            found.considered += 1;
            let plan = Plan {
                rollout: Some(*engine),
                ..plan
            };
            if accept(&plan) {
                let (seconds, reserved) =
                    rl_step::joined(context, &plan, rl, &training, generating);
                let candidate = candidate(context, &plan, seconds, reserved);
                found.fitting += usize::from(candidate.fits);
                paired.push(candidate);
            }
        }
        paired.sort_by(Candidate::order);
        found.plans.extend(paired.iter().take(ENGINES_KEPT));
        if found.plans.len() > 64 * KEPT {
            found.plans.sort_by(Candidate::order);
            found.plans.truncate(KEPT);
        }
    }
}

fn candidate(context: &Context<'_>, plan: &Plan, seconds: f64, reserved: f64) -> Candidate {
    let capacity = context.job.hardware.memory_gib;
    let fits = reserved <= capacity;
    Candidate {
        plan: *plan,
        fits,
        shortfall: if fits { 0.0 } else { reserved - capacity },
        seconds,
        simplicity: simplicity(&plan.layout),
    }
}

/// Number of mechanisms a layout uses: fewer is simpler.
fn simplicity(layout: &Layout) -> u32 {
    let dimensions = [
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.virtual_pipeline,
        layout.context_parallel,
        layout.ulysses_parallel,
        layout.expert_parallel,
    ];
    let offload = layout.offload;
    let used = dimensions.iter().filter(|size| **size > 1).count() as u32;
    let moved = [
        offload.parameters,
        offload.gradients,
        offload.optimizer,
        offload.activations,
    ];
    used + moved.iter().filter(|moved| **moved).count() as u32
        + u32::from(layout.recompute != Recompute::None)
}
