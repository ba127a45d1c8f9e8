//! A plan to advise on, and what a rule may propose instead.

use crate::figures;
use serde_json::{Map, Value};

use crate::neighbours::checked;
use crate::search::Runner;
use shardwise_catalog::units::fixed;
use shardwise_engine::context::Context;
use shardwise_engine::step::Step;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::{Backend, Figures};

/// One rule of a guide or a framework.
pub struct Rule {
    /// Stable identifier, kebab case.
    pub id: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
    /// The fields of the question that it is about.
    pub(super) about: &'static [&'static str],
    /// What it proposes, where a plan departs from it.
    pub(super) propose: fn(&Case<'_>) -> Option<Proposal>,
}

pub(super) const fn rule(
    id: &'static str,
    source: &'static str,
    about: &'static [&'static str],
    propose: fn(&Case<'_>) -> Option<Proposal>,
) -> Rule {
    Rule { id, source, about, propose }
}

/// What a rule would have instead.
pub(super) struct Proposal {
    /// What to set, as the frameworks call it.
    pub(super) what: String,
    /// What else a reader should know.
    pub(super) note: &'static str,
    pub(super) plan: Plan,
    /// The job, where that changes too, and what to set for it.
    pub(super) job: Option<(Job, Map<String, Value>)>,
}

impl Proposal {
    pub(super) fn new(what: impl Into<String>, plan: Plan) -> Self {
        Self::of(what.into(), plan)
    }

    #[inline(never)]
    pub(super) fn of(what: String, plan: Plan) -> Self {
        Self { what, note: "", plan, job: None }
    }
}

pub(super) fn one(path: &str, value: Value) -> Map<String, Value> {
    let mut set = Map::new();
    set.insert(path.to_owned(), value);
    set
}

/// A plan to advise on.
pub(super) struct Case<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) plan: &'a Plan,
    pub(super) step: Step,
    pub(super) now: Figures,
    /// Who runs it, and whether they do as it is: then what is advised they run, too.
    pub(super) runner: Runner,
    pub(super) runs: bool,
}

impl Case<'_> {
    pub(super) fn job(&self) -> &Job {
        self.context.job
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    pub(super) fn backend(&self) -> Backend {
        self.layout().backend
    }

    /// The plan with every role's layout changed.
    #[inline(never)]
    pub(super) fn with(&self, change: &dyn Fn(&mut Layout)) -> Plan {
        let mut plan = *self.plan;
        change(&mut plan.layout);
        for other in [&mut plan.critic, &mut plan.reference].into_iter().flatten() {
            change(other);
        }
        plan
    }

    /// The plan with its engine changed.
    #[inline(never)]
    pub(super) fn with_engine(&self, change: &dyn Fn(&mut RolloutPlan)) -> Plan {
        let mut plan = *self.plan;
        if let Some(engine) = &mut plan.rollout {
            change(engine);
        }
        plan
    }

    /// What a changed plan comes to; `None` where model or machine rule it out.
    pub(super) fn figures(&self, plan: &Plan) -> Option<Figures> {
        let plan = checked(self.job(), self.plan, plan)?;
        Some(figures::of(self.context, &plan))
    }

    /// Whether memory is what to look after: the plan does not fit, or fills nine tenths of the card.
    pub(super) fn is_tight(&self) -> bool {
        self.step.reserved_gib() > 0.9 * self.job().hardware.memory_gib
    }

    /// The fastest of some plans that fits.
    pub(super) fn fastest(&self, plans: &mut dyn Iterator<Item = Plan>) -> Option<Plan> {
        let mut best: Option<(f64, Plan)> = None;
        for plan in plans {
            let Some(figures) = self.figures(&plan).filter(|figures| figures.fits) else {
                continue;
            };
            let speed = figures.tokens_per_s_per_gpu;
            if best.as_ref().is_none_or(|(known, _)| speed > *known) {
                best = Some((speed, plan));
            }
        }
        best.map(|(_, plan)| plan)
    }
}

/// Seconds with about two digits.
pub(super) fn seconds(s: f64) -> String {
    let decimals = match s {
        s if s >= 10.0 => 0,
        s if s >= 1.0 => 1,
        s if s >= 0.1 => 2,
        _ => 3,
    };
    format!("{} s", fixed(s, decimals))
}
