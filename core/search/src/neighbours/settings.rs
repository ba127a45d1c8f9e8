//! What a question has to state for a plan that is a step away.

use serde_json::{Map, Value};

use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Question, at, plan_to_value, put, question_from_value, take, to_value};

/// What to set in a question so that it asks for the second of two plans, the first as [`document`] writes it: the fields that a
/// change is about, and of the others that differ those that the question states. What it leaves open the search chooses anew.
pub(crate) fn settings(question: &Value, about: &[&str], was: (&Job, &Value), to: (&Job, &Plan)) -> Map<String, Value> {
    let mut set = Map::new();
    let mut differ = |path: &str, now: &Value| {
        let below = |path: &str, above: &str| {
            path.strip_prefix(above)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let own = |field: &&str| below(field, path) || below(path, field);
        if about.iter().any(own) || !at(question, path).is_null() {
            set.insert(path.to_owned(), now.clone());
        }
    };
    let (from, plan) = (was.1, document(to.1));
    each_other(from, &plan, &mut |key, now| differ(&format!("plan.{key}"), now));
    each_other(at(from, "rollout"), at(&plan, "rollout"), &mut |key, now| {
        differ(&format!("plan.rollout.{key}"), now);
    });
    let trained = |job: &Job| {
        let rl = job.workload.rl.as_ref()?;
        (rl.train_gpus < job.hardware.gpus).then_some(rl.train_gpus)
    };
    let machine = |job: &Job| {
        let hardware = &job.hardware;
        let sizes = [Some(hardware.gpus), Some(hardware.gpus_per_node), trained(job)];
        sizes.map(|size| size.map_or(Value::Null, Value::from))
    };
    let fields = ["hardware.gpus", "hardware.gpus_per_node", "workload.rl.train_gpus"];
    for ((path, old), new) in fields.into_iter().zip(machine(was.0)).zip(machine(to.0)) {
        if old != new {
            differ(path, &new);
        }
    }
    set
}

/// Every key of two documents whose values differ, the engine's own apart, with what the second has there.
fn each_other(from: &Value, to: &Value, differ: &mut dyn FnMut(&str, &Value)) {
    let nothing = Map::new();
    let [from, to] = [from, to].map(|document| document.as_object().unwrap_or(&nothing));
    let gone = from.keys().filter(|key| !to.contains_key(*key)).map(|key| (key, &Value::Null));
    for (key, now) in to.iter().chain(gone).filter(|(key, _)| *key != "rollout") {
        if from.get(key).unwrap_or(&Value::Null) != now {
            differ(key, now);
        }
    }
}

/// A plan as a question states it.
pub(crate) fn document(plan: &Plan) -> Value {
    plan_to_value(&plan.to_spec())
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
