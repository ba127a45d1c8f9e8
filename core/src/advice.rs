//! Advice: what is wrong with a plan, what following the tuning guides would change, and where the search disagrees with
//! a rule of thumb or a published recipe.
//!
//! A rule proposes a plan, and the estimate of that plan says what the rule is worth in the case at hand. A rule that
//! gains nothing there is not said; a rule of thumb or a recipe that the search departs from is, with what following it
//! would cost.

mod caveats;
mod departure;
mod recipe;
mod rollout;
mod schedule;
mod thumb;
mod training;

use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::context::Context;
use crate::emit;
use crate::error::InputError;
use crate::fit;
use crate::job::Job;
use crate::neighbours::{checked, moved_to};
use crate::plan::{Layout, Plan, RolloutPlan};
use crate::search::{Runner, Runs, Verdict};
use crate::sensitivity::{insert, settings};
use crate::step::{self, Step};
use crate::units::fixed;
use crate::wire::{Advice, Answer, Backend, Figures, Fit, Question, Severity, to_value};
pub use caveats::{caveats, cut_short};

const CHATLEARN_GUIDE: &str =
    "https://github.com/alibaba/ChatLearn/blob/main/docs/en/tutorial/tuning.md";
const VERL_GUIDE: &str = "https://github.com/volcengine/verl/blob/main/docs/perf/perf_tuning.rst";
const PRACTICE: &str = "https://github.com/ISEEKYAN/verl_megatron_practice";
/// As it was before its removal (commit d0879a6c).
const LLMFORGE_COOKBOOK: &str = "https://github.com/anyscale/templates/blob/main/templates/fine-tune-llm_v2/cookbooks/optimize_cost/README.md";

/// Gains below this share of the step are not worth a reader's time.
const NOTICEABLE: f64 = 0.01;

/// Every network costs something: from this share of the step it is slow.
const SLOW_NETWORK: f64 = 0.1;

/// GiB that are worth a reader's time where memory is short.
const NOTICEABLE_GIB: f64 = 1.0;

/// One rule of a guide or a framework.
pub struct Rule {
    /// Stable identifier, kebab case.
    pub id: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
    /// The fields of the question that it is about.
    about: &'static [&'static str],
    /// What it proposes, where a plan departs from it.
    propose: fn(&Case<'_>) -> Option<Proposal>,
}

/// Every rule whose gain is computed, those of each part of a plan together.
pub const RULES: [&[Rule]; 3] = [&training::RULES, &rollout::RULES, &schedule::RULES];

const fn rule(
    id: &'static str,
    source: &'static str,
    about: &'static [&'static str],
    propose: fn(&Case<'_>) -> Option<Proposal>,
) -> Rule {
    Rule {
        id,
        source,
        about,
        propose,
    }
}

/// What a rule would have instead.
struct Proposal {
    /// What to set, as the frameworks call it.
    what: String,
    /// What else a reader should know.
    note: &'static str,
    plan: Plan,
    /// The job, where that changes too, and what to set for it.
    job: Option<(Job, Map<String, Value>)>,
}

impl Proposal {
    fn new(what: impl Into<String>, plan: Plan) -> Self {
        Self::of(what.into(), plan)
    }

    #[inline(never)]
    fn of(what: String, plan: Plan) -> Self {
        Self {
            what,
            note: "",
            plan,
            job: None,
        }
    }
}

fn one(path: &str, value: Value) -> Map<String, Value> {
    let mut set = Map::new();
    set.insert(path.to_owned(), value);
    set
}

/// A plan to advise on.
struct Case<'a> {
    context: &'a Context<'a>,
    plan: &'a Plan,
    step: Step,
    now: Figures,
    /// Who runs it, and whether they do as it is: then what is advised they run, too.
    runner: Runner,
    runs: bool,
}

impl Case<'_> {
    fn job(&self) -> &Job {
        self.context.job
    }

    fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    fn backend(&self) -> Backend {
        self.layout().backend
    }

    /// The plan with every role's layout changed.
    #[inline(never)]
    fn with(&self, change: &dyn Fn(&mut Layout)) -> Plan {
        let mut plan = *self.plan;
        change(&mut plan.layout);
        for other in [&mut plan.critic, &mut plan.reference]
            .into_iter()
            .flatten()
        {
            change(other);
        }
        plan
    }

    /// The plan with its engine changed.
    #[inline(never)]
    fn with_engine(&self, change: &dyn Fn(&mut RolloutPlan)) -> Plan {
        let mut plan = *self.plan;
        if let Some(engine) = &mut plan.rollout {
            change(engine);
        }
        plan
    }

    /// What a changed plan comes to; `None` where model or machine rule it out.
    fn figures(&self, plan: &Plan) -> Option<Figures> {
        let plan = checked(self.job(), self.plan, plan)?;
        Some(Figures::of(self.context, &plan))
    }

    /// Whether memory is what to look after: the plan does not fit, or fills nine tenths of the card.
    fn is_tight(&self) -> bool {
        self.step.reserved_gib() > 0.9 * self.job().hardware.memory_gib
    }

    /// The fastest of some plans that fits.
    fn fastest(&self, plans: &mut dyn Iterator<Item = Plan>) -> Option<Plan> {
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

/// What memory a plan lacks, and what helps.
fn shortage(fit: &Fit) -> String {
    let over = fixed((-fit.margin_gib).max(0.1), 1);
    let missing = fixed(fit.missing_gib().max(0.1), 1);
    let phase = fit.phase.replace('_', " ");
    match fit.phase {
        fit::HOST => format!(
            "Out of host memory by {missing} GiB per node. Offload less, or use more nodes or nodes with more memory."
        ),
        fit::ENGINE => format!(
            "The engine lacks {missing} GiB in its share of the card. Raise gpu_memory_utilization, or split the engine over more GPUs."
        ),
        _ if fit.margin_gib < 0.0 => format!(
            "Out of memory by {over} GiB in {phase}. Use more GPUs, a larger card, a smaller micro-batch, recomputation or offload."
        ),
        _ => format!(
            "Probably out of memory in {phase}: estimates of such plans are too far off for what is to spare. With {missing} GiB less it is as sure as asked: use more GPUs, a larger card, a smaller micro-batch, recomputation or offload."
        ),
    }
}

/// What is wrong with a plan, at no cost: that it does not fit, that it waits for the network.
#[must_use]
pub fn warnings(job: &Job, plan: &Plan, answer: &Answer) -> Vec<Advice> {
    let mut found = Vec::new();
    let layout = &plan.layout;
    if !answer.fits {
        found.push(Advice {
            id: "out-of-memory".into(),
            severity: Severity::Error,
            text: shortage(&answer.fit),
            source: CHATLEARN_GUIDE.into(),
            gain: None,
            set: Map::new(),
        });
    }
    if let Some((refusal, docs)) = refusal(job, plan) {
        found.push(Advice {
            id: "framework-refuses".into(),
            severity: Severity::Error,
            text: refusal.message,
            source: docs.into(),
            gain: None,
            set: Map::new(),
        });
    }
    let trains = job.workload.generation.is_none();
    let node = job.hardware.gpus_per_node;
    if trains && layout.backend == Backend::Megatron && layout.tensor_parallel > node {
        found.push(Advice {
            id: training::WITHIN_NODE.into(),
            severity: Severity::Warning,
            text: format!(
                "Tensor parallelism of {} leaves the node of {node} GPUs: every layer waits for the network. Keep it within the node.",
                layout.tensor_parallel
            ),
            source: CHATLEARN_GUIDE.into(),
            gain: None,
            set: Map::new(),
        });
    }
    found
}

/// Why the framework that the question names does not run its plan, and where its keys are documented; none where it
/// does, or none is named.
fn refusal(job: &Job, plan: &Plan) -> Option<(InputError, &'static str)> {
    let framework = emit::framework(job.framework?.id)?;
    let mut broken = (framework.violations)(job, plan);
    (!broken.is_empty()).then(|| (broken.swap_remove(0), framework.docs_url))
}

/// Whether following it helps: rules of thumb and recipes that the search departs from say what they would cost.
#[must_use]
pub fn helps(advice: &Advice) -> bool {
    !thumb::is_one(&advice.id) && advice.id != recipe::ID
}

/// All advice on the plan that answers a question: errors, warnings, then what gains most. `searched` says whether the
/// search chose the plan, so that it may be held against rules of thumb and a published recipe.
#[must_use]
pub fn advice(
    question: &Question,
    context: &Context<'_>,
    plan: &Plan,
    answer: &Answer,
    searched: bool,
) -> Vec<Advice> {
    let runner = Runner::of(context.job);
    let case = Case {
        context,
        plan,
        step: step::evaluate(context, plan),
        now: Figures::of(context, plan),
        runner,
        runs: Runs::new(runner, context.job).verdict(plan) == Verdict::Yes,
    };
    let document = to_value(question);
    let mut found: Vec<(f64, Advice)> = warnings(context.job, plan, answer)
        .into_iter()
        .map(|advice| (0.0, advice))
        .collect();
    for rule in RULES.into_iter().flatten() {
        let Some((gain, advice)) = judged(&case, rule, &document) else {
            continue;
        };
        match found.iter_mut().find(|(_, known)| known.id == rule.id) {
            // What is wrong stays as bad as it is; what mending it gains is added.
            Some((order, known)) => {
                *order = gain;
                known.text = format!("{} {}", known.text, advice.text);
                known.gain = advice.gain;
                known.set = advice.set;
            }
            None => found.push((gain, advice)),
        }
    }
    if searched {
        found.extend(thumb::departures(&case, question, &document));
        found.extend(recipe::departed(&case, question, &document));
    }
    let mut sorted: Vec<(f64, Advice)> = Vec::with_capacity(found.len());
    for advice in found {
        insert(&mut sorted, advice, &order);
    }
    sorted.into_iter().map(|(_, advice)| advice).collect()
}

/// Errors, warnings, then what gains most speed, or else memory.
fn order((one, a): &(f64, Advice), (other, b): &(f64, Advice)) -> Ordering {
    (a.severity as u8)
        .cmp(&(b.severity as u8))
        .then(other.total_cmp(one))
        .then(gib(a).total_cmp(&gib(b)))
}

fn gib(advice: &Advice) -> f64 {
    advice.gain.map_or(0.0, |gain| gain.gib)
}

/// What a rule says, where following it makes the step noticeably faster, or memory go round: first what makes a plan
/// fit, then by the share that each GPU gains in tokens.
fn judged(case: &Case<'_>, rule: &Rule, question: &Value) -> Option<(f64, Advice)> {
    let proposal = (rule.propose)(case)?;
    let job = proposal.job.as_ref().map_or(case.job(), |(job, _)| job);
    let plan = moved_to(case.job(), job, case.plan, &proposal.plan)?;
    if case.runs && Runs::new(case.runner, job).verdict(&plan) != Verdict::Yes {
        return None;
    }
    let context = Context::with(job, case.context.efficiency);
    let then = Figures::of(&context, &plan);
    let now = &case.now;
    let share = then.tokens_per_s_per_gpu / now.tokens_per_s_per_gpu - 1.0;
    let saved = now.reserved_gib - then.reserved_gib;
    // A plan that fits pays nothing for more room.
    let saves = match rule.id {
        training::FUSED_HEAD => saved > 0.1,
        _ => case.is_tight() && saved > NOTICEABLE_GIB,
    } && (share > -NOTICEABLE || !now.fits);
    let noticeable = match rule.id {
        schedule::ONE_NODE => SLOW_NETWORK,
        _ => NOTICEABLE,
    };
    let text = if then.fits && share >= noticeable {
        faster(&proposal.what, now, &then)
    } else if saves {
        smaller(&proposal.what, saved, then.step_time_s - now.step_time_s)
    } else {
        return None;
    };
    let mut set = settings(question, rule.about, (case.job(), case.plan), (job, &plan));
    if let Some((_, own)) = proposal.job {
        for (path, value) in own {
            set.insert(path, value);
        }
    }
    let mends = then.fits && !now.fits;
    let advice = Advice {
        id: rule.id.into(),
        severity: Severity::Hint,
        text: [text.as_str(), proposal.note]
            .join(" ")
            .trim_end()
            .to_owned(),
        source: rule.source.into(),
        gain: Some(then.less(now)),
        set,
    };
    Some((share + if mends { 1e3 } else { 0.0 }, advice))
}

fn faster(what: &str, now: &Figures, then: &Figures) -> String {
    let taken = now.step_time_s - then.step_time_s;
    // Fewer GPUs take longer for a step that is cheaper.
    if taken <= 0.0 {
        let less = 1.0 - now.tokens_per_s_per_gpu / then.tokens_per_s_per_gpu;
        return format!(
            "{what} makes a token {} % cheaper; a step takes {} longer.",
            fixed(100.0 * less, 0),
            seconds(-taken)
        );
    }
    format!(
        "{what} takes {} off the step, {} %.",
        seconds(taken),
        fixed(100.0 * taken / now.step_time_s, 0)
    )
}

fn smaller(what: &str, gib: f64, slower: f64) -> String {
    let saved = fixed(gib, 1);
    if slower > 0.005 {
        format!(
            "{what} saves {saved} GiB at the peak and takes {} longer.",
            seconds(slower)
        )
    } else {
        format!("{what} saves {saved} GiB at the peak.")
    }
}

/// Seconds with about two digits.
fn seconds(s: f64) -> String {
    let decimals = match s {
        s if s >= 10.0 => 0,
        s if s >= 1.0 => 1,
        s if s >= 0.1 => 2,
        _ => 3,
    };
    format!("{} s", fixed(s, decimals))
}
