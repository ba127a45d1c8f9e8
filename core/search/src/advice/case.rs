//! A plan to advise on, and what a rule may propose instead.

use std::borrow::Cow;

use crate::figures;
use serde_json::{Map, Value};

use crate::neighbours::checked;
use crate::search::{self, Runner, Runs, Verdict};
use shardwise_catalog::units::fixed;
use shardwise_engine::context::Context;
use shardwise_engine::step::{self, Step};
use shardwise_question::engines::usual as usual_engine;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::{Backend, Engine, Figures, PlanSpec};

/// Gains below this share of the step are not worth a reader's time.
pub(super) const NOTICEABLE: f64 = 0.01;

/// GiB that are worth a reader's time where memory is short.
const NOTICEABLE_GIB: f64 = 1.0;

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
    /// The share of the step from which its gain is worth a reader's time.
    pub(super) noticeable: f64,
    /// The GiB from which its saving is, and whether that is so where memory is not short.
    pub(super) saves: (f64, Room),
    /// Whether it is worth what a search finds where it is followed, if a search chose the plan: else what it changes of the plan at hand.
    pub(crate) anew: bool,
}

/// Where memory that a rule saves counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Anywhere.
    Any,
    /// Where the plan does not fit, or fills nine tenths of the card.
    Short,
}

impl Rule {
    /// This rule, said from another share of the step on.
    pub(super) const fn noticed_from(self, share: f64) -> Self {
        Self { noticeable: share, ..self }
    }

    /// This rule, worth what it changes of the plan at hand, however that was chosen, where generation shares its GPUs: a search finds the
    /// same plan, mostly, and would take half as long again as all of an answer, of most RL steps.
    pub(super) const fn of_the_plan(self) -> Self {
        Self { anew: false, ..self }
    }

    /// This rule, said wherever it saves so many GiB.
    pub(super) const fn saving_from(self, gib: f64) -> Self {
        Self { saves: (gib, Room::Any), ..self }
    }
}

pub(super) const fn rule(
    id: &'static str,
    source: &'static str,
    about: &'static [&'static str],
    propose: fn(&Case<'_>) -> Option<Proposal>,
) -> Rule {
    Rule { id, source, about, propose, noticeable: NOTICEABLE, saves: (NOTICEABLE_GIB, Room::Short), anew: true }
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
    #[inline(never)]
    pub(super) fn new(what: &str, plan: Plan) -> Self {
        Self { what: what.to_owned(), note: "", plan, job: None }
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
    /// It as a question states it.
    pub(super) spec: PlanSpec,
    pub(super) step: Step,
    pub(super) now: Figures,
    /// The job as it is asked, where the answer chose who runs it: what a search finds for it, that one need not run.
    asked: Option<Job>,
    /// Who runs it, and whether they do as it is: then what is advised they run, too.
    pub(super) runner: Runner,
    pub(super) runs: bool,
}

impl<'a> Case<'a> {
    pub(super) fn of(context: &'a Context<'a>, plan: &'a Plan) -> Self {
        let runner = Runner::of(context.job);
        let step = step::evaluate(context, plan);
        Self {
            context,
            plan,
            spec: plan.to_spec(),
            now: figures::of_step(context, plan, step.clone()),
            step,
            asked: asked(context.job),
            runner,
            runs: Runs::new(runner, context.job).verdict(plan) == Verdict::Yes,
        }
    }
}

/// A job as it is asked, where its answer chose a framework of the usual engine ([`search::as_run`]).
fn asked(job: &Job) -> Option<Job> {
    let chosen = job.framework.filter(|_| !job.framework_stated)?;
    let usual = usual_engine(Some(chosen.id)) == Engine::default();
    usual.then(|| Job { framework: None, ..job.clone() })
}

impl Case<'_> {
    /// The job as it is asked.
    pub(super) fn asked(&self) -> &Job {
        self.asked.as_ref().unwrap_or(self.context.job)
    }

    /// What a plan that was found for the job as it is asked comes to, by whoever runs it.
    pub(super) fn as_answered(&self, plan: &Plan) -> Figures {
        let (job, plan) = search::as_run(Cow::Borrowed(self.asked()), *plan, true);
        figures::of(&Context::with(&job, self.context.efficiency), &plan)
    }

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

    /// The plan with every role's layout changed, where it departs from the rule.
    #[inline(never)]
    pub(super) fn propose(&self, departs: bool, what: &str, change: &dyn Fn(&mut Layout)) -> Option<Proposal> {
        departs.then(|| Proposal::new(what, self.with(change)))
    }

    /// The plan with its engine changed, where that departs from the rule.
    #[inline(never)]
    pub(super) fn propose_engine(
        &self,
        departs: bool,
        what: &str,
        change: &dyn Fn(&mut RolloutPlan),
    ) -> Option<Proposal> {
        let mut plan = *self.plan;
        change(plan.rollout.as_mut()?);
        departs.then(|| Proposal::new(what, plan))
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
