//! What each single change of a plan is worth, and the cheapest one that makes a plan fit.

use crate::figures;
use std::cmp::Ordering;

use crate::estimate::evaluate_alone;
use crate::neighbours::{Dimension, machines, settings, steps};
use crate::search::{AS_FAST, Runner, Runs, Verdict};
use shardwise_catalog::error::InputError;
use shardwise_catalog::ordered::insert;
use shardwise_engine::context::Context;
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Change, ChangeKind, Figures, PlanSpec, Question, Remedy, Sensitivity, VERSION};

/// A plan and the job it is for: changes of the machine change both.
#[derive(Clone, Copy)]
struct State<'a> {
    /// What it states, a change may have to restate.
    question: &'a Question,
    context: &'a Context<'a>,
    plan: &'a Plan,
}

/// What every single change of the plan that answers a question is worth.
///
/// # Errors
/// As [`crate::estimate()`].
///
/// ```
/// use shardwise_core::{sensitivity, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}}"#).unwrap();
/// let best = sensitivity(&question).unwrap().changes.remove(0);
/// assert!(best.figures.fits && best.difference.tokens_per_s_per_gpu > 0.0, "{}", best.id);
/// ```
pub fn sensitivity(question: &Question) -> Result<Sensitivity, InputError> {
    let found = evaluate_alone(question)?;
    Ok(of(question, &Context::new(&found.job), &found.plan))
}

/// What every single change of a plan that is known is worth.
#[must_use]
pub fn of(question: &Question, context: &Context<'_>, plan: &Plan) -> Sensitivity {
    let now = figures::of(context, plan);
    let state = State { question, context, plan };
    let changes = ranked(state, &now);
    let remedy = if now.fits { None } else { remedy(state, &now, &changes) };
    Sensitivity { version: VERSION, now, changes, remedy }
}

/// Every change, best first.
fn ranked(state: State<'_>, now: &Figures) -> Vec<Change> {
    let mut changes = Vec::with_capacity(64);
    let was = state.plan.to_spec();
    each(state, &mut |dimension, context, plan| {
        let to = State { context, plan, ..state };
        insert(&mut changes, change(dimension, (state, &was), to, now), &order);
    });
    changes
}

/// What fits, then what makes more tokens per GPU and second; of what does not fit the nearest to it.
fn order(a: &Change, b: &Change) -> Ordering {
    let (one, other) = (&a.figures, &b.figures);
    one.missing_gib
        .total_cmp(&other.missing_gib)
        .then(other.tokens_per_s_per_gpu.total_cmp(&one.tokens_per_s_per_gpu))
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
        // Where a stated plan was not what completing makes of it, a step may change other parts alone.
        let moves = dimension.value(context.job, &to) != dimension.value(context.job, plan);
        if moves && (!stays || runs(context.job, &to)) {
            each(dimension, context, &to);
        }
    }
    // Of a market that has no offer for the machine, another number may have one, and be another machine.
    let as_it_is = context.job.hardware.offer.is_none() && state.question.hardware.market.is_some();
    let others = machines(context.job, plan).into_iter();
    for (dimension, job, to) in others.filter(|(dimension, ..)| !as_it_is || *dimension != Dimension::Gpus) {
        if !stays || runs(&job, &to) {
            each(dimension, &Context::with(&job, context.efficiency), &to);
        }
    }
}

/// The cheapest single change that makes a plan fit; where none does, the cheapest two, of which the first saves memory.
fn remedy(state: State<'_>, now: &Figures, changes: &[Change]) -> Option<Remedy> {
    if let Some(best) = changes.first().filter(|best| best.figures.fits) {
        return Some(Remedy { difference: best.difference, changes: vec![best.clone()] });
    }
    let mut best: Option<[Change; 2]> = None;
    each(state, &mut |dimension, context, plan| {
        let first = State { context, plan, ..state };
        let figures = figures::of(context, plan);
        if figures.missing_gib >= now.missing_gib {
            return;
        }
        each(first, &mut |second, context, to| {
            let to = State { context, plan: to, ..state };
            let then = figures::of(context, to.plan);
            let cheaper = |[_, known]: &[Change; 2]| then.tokens_per_s_per_gpu > known.figures.tokens_per_s_per_gpu;
            if then.fits && best.as_ref().is_none_or(cheaper) {
                let [was, between] = [state.plan, plan].map(Plan::to_spec);
                let changed = change(dimension, (state, &was), first, now);
                best = Some([changed, change(second, (first, &between), to, &figures)]);
            }
        });
    });
    best.map(|changes| Remedy { difference: figures::less(&changes[1].figures, now), changes: changes.into() })
}

/// A step from a plan, which `spec` states, to another.
fn change(dimension: Dimension, (was, spec): (State<'_>, &PlanSpec), to: State<'_>, before: &Figures) -> Change {
    let field = dimension.field(to.plan);
    let name = field.rsplit('.').next().unwrap_or(field);
    let from = dimension.value(was.context.job, was.plan);
    let value = dimension.value(to.context.job, to.plan);
    let figures = figures::of(to.context, to.plan);
    Change {
        id: identifier(field, name, &value),
        field: field.into(),
        from,
        to: value,
        set: settings(was.question, &[field], (was.context.job, spec), (to.context.job, to.plan)),
        difference: figures::less(&figures, before),
        kind: kind_of(dimension, before, &figures),
        figures,
    }
}

fn kind_of(dimension: Dimension, before: &Figures, then: &Figures) -> ChangeKind {
    let gain = then.tokens_per_s_per_gpu / before.tokens_per_s_per_gpu;
    match dimension {
        Dimension::Gpus => ChangeKind::Machine,
        own if own.changes_numerics() => ChangeKind::Numerics,
        _ if gain > 1.0 && gain <= AS_FAST && then.fits => ChangeKind::Simplicity,
        _ => ChangeKind::Plan,
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
