//! Layouts that a framework publishes for the model, and what the search gains by another one.
//!
//! It costs one search more, of a plan whose sizes are stated: of several recipes the nearest alone is said.

use std::cmp::Ordering;

use serde_json::Value;

use super::Case;
use super::departure::{Textbook, departure};
use crate::search::{self, Runner, Runs, Verdict};
use shardwise_catalog::catalog;
use shardwise_catalog::words::product;
use shardwise_engine::context::Context;
use shardwise_question::complete::training_gpus;
use shardwise_question::job::Job;
use shardwise_question::recipes::{Recipe, recipes};
use shardwise_question::wire::{Advice, Backend, PlanSpec, Question, at, plan_to_value};

/// Identifier of this advice.
pub(super) const ID: &str = "published-recipe";

/// A recipe for sequences over so many times as long, or as short, is one for other jobs.
const ABOUT_AS_LONG: f64 = 4.0;

/// The nearest recipe for the model and task, where the chosen plan has other sizes, with the best plan that has its.
pub(super) fn departed(case: &Case<'_>, question: &Question, document: &Value) -> Option<(f64, Advice)> {
    let recipe = nearest(case.job())?;
    let spec = question.plan.clone().unwrap_or_default();
    if spec.backend.is_some_and(|own| own != Backend::Megatron) {
        return None;
    }
    let sizes = plan_to_value(&with_sizes(recipe, &PlanSpec::default()));
    let sizes = sizes.as_object()?;
    let chosen = plan_to_value(&case.plan.to_spec());
    let about: Vec<String> = sizes
        .keys()
        .filter(|key| *key != "backend")
        .map(|key| format!("plan.{key}"))
        .collect();
    let about: Vec<&str> = about.iter().map(String::as_str).collect();
    let stated = about.iter().any(|path| !at(document, path).is_null());
    if stated || sizes.iter().all(|(key, size)| at(&chosen, key) == size) {
        return None;
    }
    // Where no plan is legal, the recipe is for other machines.
    let context = Context::with(case.asked(), case.context.efficiency);
    let plan = search::best_of(&context, &with_sizes(recipe, &spec)).ok()?.plan;
    if case.runs && Runs::new(Runner::of(case.asked()), case.asked()).verdict(&plan) != Verdict::Yes {
        return None;
    }
    let says =
        Textbook { id: ID, rule: &in_words(recipe, &case.job().model.name), source: &recipe.url(), about: &about };
    Some(departure(case, question, says, &plan))
}

/// The recipe of the model and task that the GPUs can follow: of the same GPU type first, then of the nearest number of
/// GPUs, then of the nearest length.
pub(super) fn nearest(job: &Job) -> Option<&'static Recipe> {
    let length = job.workload.sequence_length as f64;
    let away = |recipe: &Recipe| {
        let own = recipe.sequence_length;
        own.map_or(ABOUT_AS_LONG, |own| times(own as f64, length))
    };
    let gpus = f64::from(job.hardware.gpus);
    let resized = |recipe: &Recipe| {
        let own = recipe.gpus;
        own.map_or(f64::INFINITY, |own| times(own.into(), gpus))
    };
    let order = |a: &&Recipe, b: &&Recipe| -> Ordering {
        (machine(job, a).cmp(&machine(job, b)))
            .then(resized(a).total_cmp(&resized(b)))
            .then(away(a).total_cmp(&away(b)))
    };
    recipes()
        .iter()
        .filter(|recipe| recipe.model == job.model.id && recipe.kind == job.workload.kind)
        .filter(|recipe| away(recipe) <= ABOUT_AS_LONG && divides(recipe, training_gpus(job)))
        .min_by(order)
}

/// By how much two figures differ, as a factor of at least 1.
fn times(a: f64, b: f64) -> f64 {
    (a / b).max(b / a)
}

/// How far a recipe's GPU is from the job's: the same, one of its generation or none that is stated, another.
fn machine(job: &Job, recipe: &Recipe) -> u8 {
    let generation = |architecture: &str| {
        let first = architecture.split(' ').next().unwrap_or_default();
        first.to_ascii_lowercase()
    };
    match recipe.gpu {
        Some(gpu) if gpu == job.hardware.gpu => 0,
        Some(gpu) => {
            let own = catalog::gpu(gpu).map_or("", |gpu| gpu.architecture);
            1 + u8::from(generation(own) != generation(&job.hardware.architecture))
        }
        None => 1,
    }
}

/// Whether so many GPUs can be split as it says.
fn divides(recipe: &Recipe, gpus: u32) -> bool {
    let [tp, pp, cp, ep, etp] = [
        recipe.tensor_parallel,
        recipe.pipeline_parallel,
        recipe.context_parallel,
        recipe.expert_parallel,
        recipe.expert_tensor_parallel,
    ]
    .map(|size| size.unwrap_or(1));
    gpus.is_multiple_of(tp * pp * cp) && gpus.is_multiple_of(ep * etp * pp)
}

/// A plan's fields with the sizes that a recipe states.
pub(super) fn with_sizes(recipe: &Recipe, spec: &PlanSpec) -> PlanSpec {
    let size = |own: Option<u32>, stated: Option<u64>| own.map(u64::from).or(stated);
    PlanSpec {
        backend: Some(Backend::Megatron),
        tensor_parallel: size(recipe.tensor_parallel, spec.tensor_parallel),
        pipeline_parallel: size(recipe.pipeline_parallel, spec.pipeline_parallel),
        virtual_pipeline: size(recipe.virtual_pipeline, spec.virtual_pipeline),
        context_parallel: size(recipe.context_parallel, spec.context_parallel),
        expert_parallel: size(recipe.expert_parallel, spec.expert_parallel),
        expert_tensor_parallel: size(recipe.expert_tensor_parallel, spec.expert_tensor_parallel),
        ..spec.clone()
    }
}

/// `veRL splits Qwen3 30B A3B by TP 4 × PP 2 on 8 GPUs in its recipe.`
fn in_words(recipe: &Recipe, model: &str) -> String {
    let sizes = product(
        &[
            ("TP", recipe.tensor_parallel),
            ("PP", recipe.pipeline_parallel),
            ("VPP", recipe.virtual_pipeline),
            ("CP", recipe.context_parallel),
            ("EP", recipe.expert_parallel),
            ("ETP", recipe.expert_tensor_parallel),
        ]
        .map(|(name, size)| (name, size.unwrap_or(1))),
    );
    let publisher = recipe.publisher.name;
    let gpu = recipe.gpu.and_then(catalog::gpu);
    // A sentence that ended with a value would run into the next one where its Chinese is looked up.
    match (recipe.gpus, gpu) {
        (Some(gpus), Some(gpu)) => {
            format!("{publisher} splits {model} by {sizes} on {gpus} × {} in its recipe.", gpu.name)
        }
        (Some(gpus), None) => {
            format!("{publisher} splits {model} by {sizes} on {gpus} GPUs in its recipe.")
        }
        (None, _) => format!("{publisher} splits {model} by {sizes} in its recipe."),
    }
}
