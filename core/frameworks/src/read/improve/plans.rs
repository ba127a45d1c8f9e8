//! Plans that are better: found step by step, and put in the order in which each change is worth most.

use shardwise_catalog::ordered;
use std::cmp::Ordering;

use shardwise_engine::context::Context;
use shardwise_engine::fit;
use shardwise_engine::step;
use shardwise_question::plan::Plan;
use shardwise_rules::Framework;
use shardwise_search::neighbours::{Dimension, checked, neighbours};

/// Dimensions that are changed at most.
const MOST_CHANGES: usize = 3;
/// Plans that are followed further after each step.
const WIDTH: usize = 6;
/// Steps, of which several may be in one dimension.
const MOST_STEPS: usize = 7;
/// Gains below this share of the step are not worth a change.
const NOTICEABLE: f64 = 0.03;
/// Gains of memory below this, in GiB, are not worth a change where a plan does not fit.
const NOTICEABLE_GIB: f64 = 0.5;

/// A plan, what it was changed in, and how good it is.
#[derive(Clone)]
pub(super) struct State {
    pub(super) plan: Plan,
    pub(super) changed: Vec<Dimension>,
    broken: usize,
    /// GiB that are missing for it to fit as surely as asked; 0 where it does.
    pub(super) missing: f64,
    pub(super) reserved: f64,
    pub(super) seconds: f64,
    pub(super) tokens: f64,
}

impl State {
    /// Whether it fits as surely as asked, however long its sequences get.
    pub(super) fn fits(&self) -> bool {
        self.missing == 0.0
    }

    /// Fewer broken rules, then what fits or is nearest to it, then what is faster.
    fn order(&self, other: &Self) -> Ordering {
        self.broken
            .cmp(&other.broken)
            .then(self.missing.total_cmp(&other.missing))
            .then(self.seconds.total_cmp(&other.seconds))
    }

    /// Whether it is worth a change more than `other`.
    fn pays(&self, other: &Self) -> bool {
        if (self.broken, self.fits()) != (other.broken, other.fits()) {
            return self.order(other).is_lt();
        }
        if self.fits() {
            self.seconds < other.seconds * (1.0 - NOTICEABLE)
        } else {
            self.missing < other.missing - NOTICEABLE_GIB
        }
    }
}

/// The best plan with no change, with one, with two and with three; only as far as each pays.
pub(super) fn search(
    context: &Context<'_>,
    framework: Option<&'static Framework>,
    plan: &Plan,
    without: &[Dimension],
) -> Vec<State> {
    let start = state(context, framework, *plan, Vec::new());
    let mut best: Vec<State> = vec![start.clone()];
    let mut followed = vec![start];
    let mut seen = vec![*plan];
    for _ in 0..MOST_STEPS {
        let mut found: Vec<State> = Vec::new();
        for from in &followed {
            for (dimension, plan) in neighbours(context.job, &from.plan) {
                let mut changed = from.changed.clone();
                if !changed.contains(&dimension) {
                    changed.push(dimension);
                }
                if changed.len() > MOST_CHANGES || without.contains(&dimension) || seen.contains(&plan) {
                    continue;
                }
                seen.push(plan);
                found.push(state(context, framework, plan, changed));
            }
        }
        ordered::sort(&mut found, &State::order);
        for found in &found {
            let at = found.changed.len();
            match best.get(at) {
                Some(known) if known.order(found).is_le() => {}
                Some(_) => best[at] = found.clone(),
                None if at == best.len() => best.push(found.clone()),
                None => {}
            }
        }
        found.truncate(WIDTH);
        followed = found;
    }
    let mut kept: Vec<State> = Vec::new();
    for state in best {
        match kept.last() {
            Some(last) if !state.pays(last) => {}
            _ => kept.push(state),
        }
    }
    kept
}

fn state(context: &Context<'_>, framework: Option<&Framework>, plan: Plan, changed: Vec<Dimension>) -> State {
    let capacity = context.job.hardware.memory_gib;
    let step = step::evaluate(context, &plan);
    let demands = fit::demands(context, &plan, &step);
    let step = step.pressed(capacity);
    let broken = framework.map_or(0, |own| own.violations(context.job, &plan).len());
    State {
        plan,
        changed,
        broken,
        missing: fit::shortfall_gib(&demands, context.sure.confidence),
        reserved: step.reserved_gib(),
        seconds: step.seconds,
        tokens: step.tokens,
    }
}

/// From the first to the last state one dimension at a time, most valuable first.
pub(super) fn in_order(
    context: &Context<'_>,
    framework: Option<&Framework>,
    first: &State,
    last: &State,
) -> Vec<State> {
    let mut path = vec![first.clone()];
    let mut left = last.changed.clone();
    let mut now = first.clone();
    while left.len() > 1 {
        let next = left
            .iter()
            .filter_map(|dimension| {
                let mut plan = now.plan;
                dimension.carry(&last.plan, &mut plan);
                let plan = checked(context.job, &now.plan, &plan)?;
                Some(state(context, framework, plan, vec![*dimension]))
            })
            .min_by(State::order);
        // Where none of them is legal by itself, the rest is one change.
        let Some(next) = next else { break };
        left.retain(|dimension| !next.changed.contains(dimension));
        now = next.clone();
        path.push(next);
    }
    path.push(State { changed: left, ..last.clone() });
    // Each was worth it when it was found. Beside the others the last ones may no longer be.
    while let [.., was, now] = path.as_slice()
        && !now.pays(was)
    {
        path.pop();
    }
    path
}
