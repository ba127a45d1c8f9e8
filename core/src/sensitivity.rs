//! What each single change of a plan is worth, and the cheapest one that makes a plan fit.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::context::Context;
use crate::error::InputError;
use crate::estimate::evaluate_alone;
use crate::fit;
use crate::job::Job;
use crate::memory::Lengths;
use crate::neighbours::{Dimension, machines, steps};
use crate::plan::Plan;
use crate::search::{AS_FAST, Runner, Runs, Verdict};
use crate::step;
use crate::units::{Seconds, UsdPerHour};
use crate::wire::{
    Change, ChangeKind, Difference, Figures, Question, Remedy, Sensitivity, VERSION, at,
    plan_to_value, put, question_from_value, take, to_value,
};

/// A plan and the job it is for: changes of the machine change both.
#[derive(Clone, Copy)]
struct State<'a> {
    /// The question as a document: what it states, a change may have to restate.
    question: &'a Value,
    context: &'a Context<'a>,
    plan: &'a Plan,
}

/// What every single change of the plan that answers a question is worth.
///
/// # Errors
/// As [`crate::estimate()`].
pub fn sensitivity(question: &Question) -> Result<Sensitivity, InputError> {
    let found = evaluate_alone(question)?;
    Ok(of(question, &Context::new(&found.job), &found.plan))
}

/// The same of a plan that is known.
#[must_use]
pub fn of(question: &Question, context: &Context<'_>, plan: &Plan) -> Sensitivity {
    let now = Figures::of(context, plan);
    let state = State {
        question: &to_value(question),
        context,
        plan,
    };
    let changes = ranked(state, &now);
    let remedy = if now.fits {
        None
    } else {
        remedy(state, &now, &changes)
    };
    Sensitivity {
        version: VERSION,
        now,
        changes,
        remedy,
    }
}

/// Every change, best first.
fn ranked(state: State<'_>, now: &Figures) -> Vec<Change> {
    let mut changes = Vec::with_capacity(64);
    each(state, &mut |dimension, context, plan| {
        let to = State {
            context,
            plan,
            ..state
        };
        insert(&mut changes, change(dimension, state, to, now), &order);
    });
    changes
}

/// Puts an item where it belongs. Such lists are short, and a sort is ten times the code to download.
pub(crate) fn insert<T>(list: &mut Vec<T>, item: T, order: &dyn Fn(&T, &T) -> Ordering) {
    let behind = |other: &T| order(&item, other).is_lt();
    let place = list.iter().position(behind).unwrap_or(list.len());
    list.insert(place, item);
}

/// What fits, then what makes more tokens per GPU and second; of what does not fit the nearest to it.
fn order(a: &Change, b: &Change) -> Ordering {
    let (one, other) = (&a.figures, &b.figures);
    one.missing_gib
        .total_cmp(&other.missing_gib)
        .then(
            other
                .tokens_per_s_per_gpu
                .total_cmp(&one.tokens_per_s_per_gpu),
        )
        .then(one.reserved_gib.total_cmp(&other.reserved_gib))
        .then_with(|| a.id.cmp(&b.id))
}

/// Calls `each` with every plan one step away that those who run the plan run, and the context it is evaluated in.
fn each(state: State<'_>, each: &mut dyn FnMut(Dimension, &Context<'_>, &Plan)) {
    let State { context, plan, .. } = state;
    let runner = Runner::of(context.job);
    // What nobody here runs as it is, nobody need run changed.
    let runs = |job: &Job, plan: &Plan| Runs::new(runner, job).verdict(plan) == Verdict::Yes;
    let stays = runs(context.job, plan);
    for (dimension, to) in steps(context.job, plan) {
        if !stays || runs(context.job, &to) {
            each(dimension, context, &to);
        }
    }
    for (dimension, job, to) in machines(context.job, plan) {
        if !stays || runs(&job, &to) {
            each(dimension, &Context::with(&job, context.efficiency), &to);
        }
    }
}

/// The cheapest single change that makes a plan fit; where none does, the cheapest two, of which the first saves memory.
fn remedy(state: State<'_>, now: &Figures, changes: &[Change]) -> Option<Remedy> {
    if let Some(best) = changes.first().filter(|best| best.figures.fits) {
        return Some(Remedy {
            difference: best.difference,
            changes: vec![best.clone()],
        });
    }
    let mut best: Option<[Change; 2]> = None;
    each(state, &mut |dimension, context, plan| {
        let first = State {
            context,
            plan,
            ..state
        };
        let figures = Figures::of(context, plan);
        if figures.missing_gib >= now.missing_gib {
            return;
        }
        each(first, &mut |second, context, to| {
            let to = State {
                context,
                plan: to,
                ..state
            };
            let then = Figures::of(context, to.plan);
            let cheaper = |[_, known]: &[Change; 2]| {
                then.tokens_per_s_per_gpu > known.figures.tokens_per_s_per_gpu
            };
            if then.fits && best.as_ref().is_none_or(cheaper) {
                best = Some([
                    change(dimension, state, first, now),
                    change(second, first, to, &figures),
                ]);
            }
        });
    });
    best.map(|changes| Remedy {
        difference: changes[1].figures.less(now),
        changes: changes.into(),
    })
}

fn change(dimension: Dimension, was: State<'_>, to: State<'_>, before: &Figures) -> Change {
    let field = dimension.field(to.plan);
    let name = field.rsplit('.').next().unwrap_or(field);
    let from = dimension.value(was.context.job, was.plan);
    let value = dimension.value(to.context.job, to.plan);
    let figures = Figures::of(to.context, to.plan);
    Change {
        id: identifier(field, name, &value),
        field: field.into(),
        from,
        to: value,
        set: settings(
            was.question,
            &[field],
            (was.context.job, was.plan),
            (to.context.job, to.plan),
        ),
        difference: figures.less(before),
        kind: ChangeKind::of(dimension, before, &figures),
        figures,
    }
}

impl ChangeKind {
    fn of(dimension: Dimension, before: &Figures, then: &Figures) -> Self {
        let gain = then.tokens_per_s_per_gpu / before.tokens_per_s_per_gpu;
        match dimension {
            Dimension::Gpus => Self::Machine,
            own if own.changes_numerics() => Self::Numerics,
            _ if gain > 1.0 && gain <= AS_FAST && then.fits => Self::Simplicity,
            _ => Self::Plan,
        }
    }
}

/// `rollout-tensor-parallel-2`: the role, the field and the value, in kebab case.
fn identifier(field: &str, name: &str, value: &str) -> String {
    let role = ["rollout", "critic", "reference"]
        .into_iter()
        .find(|role| field.contains(&format!("plan.{role}.")));
    let words = [role.unwrap_or_default(), name, value].join("-");
    let mut id = String::with_capacity(words.len());
    for letter in words.chars() {
        if letter.is_ascii_alphanumeric() || letter == '.' {
            id.push(letter.to_ascii_lowercase());
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    id.truncate(id.trim_end_matches('-').len());
    id
}

/// What to set in a question so that it asks for the second of two plans: the fields that a change is about, and of the
/// others that differ those that the question states. What it leaves open the search chooses anew.
pub(crate) fn settings(
    question: &Value,
    about: &[&str],
    was: (&Job, &Plan),
    to: (&Job, &Plan),
) -> Map<String, Value> {
    let mut set = Map::new();
    let mut differ = |path: &str, now: &Value| {
        let own = |field: &&str| field.starts_with(path) || path.starts_with(*field);
        if about.iter().any(own) || !at(question, path).is_null() {
            set.insert(path.to_owned(), now.clone());
        }
    };
    let (from, plan) = (document(was.1), document(to.1));
    for above in ["plan", "plan.rollout"] {
        let [from, plan] = [&from, &plan].map(|document| match above.split_once('.') {
            Some((_, role)) => at(document, role),
            None => document,
        });
        let keys = [from, plan].into_iter().filter_map(Value::as_object);
        for key in keys.flat_map(Map::keys).filter(|key| *key != "rollout") {
            let now = at(plan, key);
            if at(from, key) != now {
                differ(&format!("{above}.{key}"), now);
            }
        }
    }
    let trained = |job: &Job| {
        let rl = job.workload.rl.as_ref()?;
        (rl.train_gpus < job.hardware.gpus).then_some(rl.train_gpus)
    };
    let machine = |(job, _): (&Job, &Plan)| {
        let hardware = &job.hardware;
        let sizes = [
            Some(hardware.gpus),
            Some(hardware.gpus_per_node),
            trained(job),
        ];
        sizes.map(|size| size.map_or(Value::Null, Value::from))
    };
    let fields = [
        "hardware.gpus",
        "hardware.gpus_per_node",
        "workload.rl.train_gpus",
    ];
    for ((path, old), new) in fields.into_iter().zip(machine(was)).zip(machine(to)) {
        if old != new {
            differ(path, &new);
        }
    }
    set
}

fn document(plan: &Plan) -> Value {
    plan_to_value(&plan.to_spec())
}

impl Figures {
    /// What a plan comes to: as its answer says.
    #[must_use]
    pub fn of(context: &Context<'_>, plan: &Plan) -> Self {
        let hardware = &context.job.hardware;
        let step = step::evaluate(context, plan);
        let demands = fit::demands(context, plan, &step);
        let expected = Lengths::Expected;
        let probability =
            fit::decisive(&demands, expected).map_or(1.0, |own| own.probability(expected));
        let missing_gib = fit::shortfall_gib(&demands, context.job.confidence);
        let step = step.pressed(hardware.memory_gib);
        let gpus = f64::from(hardware.gpus);
        let tokens_per_s = step.tokens / step.seconds;
        let price = hardware
            .usd_per_gpu_hour
            .map(|usd| UsdPerHour::new(usd * gpus));
        Self {
            fits: missing_gib == 0.0,
            probability,
            missing_gib,
            tokens_per_s,
            tokens_per_s_per_gpu: tokens_per_s / gpus,
            step_time_s: step.seconds,
            usd_per_mtok: price.map(|price| price.over(Seconds::new(1e6 / tokens_per_s)).get()),
            usd_per_step: price.map(|price| price.over(Seconds::new(step.seconds)).get()),
            reserved_gib: step.reserved_gib(),
        }
    }

    /// How much these are more than those before.
    #[must_use]
    pub fn less(&self, before: &Self) -> Difference {
        let usd = |now: Option<f64>, then: Option<f64>| Some(now? - then?);
        Difference {
            tokens_per_s: self.tokens_per_s - before.tokens_per_s,
            tokens_per_s_per_gpu: self.tokens_per_s_per_gpu - before.tokens_per_s_per_gpu,
            usd_per_mtok: usd(self.usd_per_mtok, before.usd_per_mtok),
            usd_per_step: usd(self.usd_per_step, before.usd_per_step),
            gib: self.reserved_gib - before.reserved_gib,
        }
    }
}

/// The question with what a change sets; null takes a field away.
///
/// `None` where that is no question.
#[must_use]
pub fn apply(question: &Question, set: &Map<String, Value>) -> Option<Question> {
    let mut document = to_value(question);
    for (path, value) in set {
        if value.is_null() {
            take(&mut document, path);
        } else {
            put(&mut document, path, value.clone());
        }
    }
    question_from_value(document).ok()
}
