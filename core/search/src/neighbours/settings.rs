//! What a question has to state for a plan that is a step away.

use serde_json::{Map, Value};

use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{
    Document, PlanSpec, Question, RolloutPlanSpec, at, put, question_from_value, take, to_value,
};

/// What to set in a question so that it asks for the second of two plans, the first as a question states it: the fields that a
/// change is about, and of the others that differ those that the question states. What it leaves open the search chooses anew.
pub(crate) fn settings(
    question: &Question,
    about: &[&str],
    was: (&Job, &PlanSpec),
    to: (&Job, &Plan),
) -> Map<String, Value> {
    let mut set = Map::new();
    let mut differ = |path: String, now: Option<Value>| {
        let below = |path: &str, above: &str| {
            path.strip_prefix(above)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let own = |field: &&str| below(field, &path) || below(&path, field);
        if about.iter().any(own) || states(question, &path) {
            set.insert(path, now.unwrap_or(Value::Null));
        }
    };
    let (from, plan) = (was.1, to.1.to_spec());
    from.differing(&plan, &mut |key, now| {
        if key != "rollout" {
            differ(format!("plan.{key}"), now);
        }
    });
    let none = RolloutPlanSpec::default();
    let [engine, other] = [from, &plan].map(|own| own.rollout.as_ref().unwrap_or(&none));
    engine.differing(other, &mut |key, now| differ(format!("plan.rollout.{key}"), now));
    let trained = |job: &Job| {
        let rl = job.workload.rl.as_ref()?;
        (rl.train_gpus < job.hardware.gpus).then_some(rl.train_gpus)
    };
    let machine = |job: &Job| {
        let hardware = &job.hardware;
        [Some(hardware.gpus), Some(hardware.gpus_per_node), trained(job)]
    };
    let fields = ["hardware.gpus", "hardware.gpus_per_node", "workload.rl.train_gpus"];
    for ((path, old), new) in fields.into_iter().zip(machine(was.0)).zip(machine(to.0)) {
        if old != new {
            differ(path.to_owned(), new.map(Value::from));
        }
    }
    set
}

/// Whether a question states the field at a path.
fn states(question: &Question, path: &str) -> bool {
    let Some(key) = path.strip_prefix("plan.") else {
        return !at(&to_value(question), path).is_null();
    };
    let Some(plan) = &question.plan else {
        return false;
    };
    match key.strip_prefix("rollout.") {
        Some(key) => plan.rollout.as_ref().is_some_and(|own| own.entry(key).is_some()),
        None => plan.entry(key).is_some(),
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
