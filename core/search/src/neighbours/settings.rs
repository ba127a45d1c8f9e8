//! What a question has to state for a plan that is a step away.

use serde_json::{Map, Value};

use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Question, at, plan_to_value, put, question_from_value, take, to_value};

/// What to set in a question so that it asks for the second of two plans: the fields that a change is about, and of the
/// others that differ those that the question states. What it leaves open the search chooses anew.
pub(crate) fn settings(question: &Value, about: &[&str], was: (&Job, &Plan), to: (&Job, &Plan)) -> Map<String, Value> {
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
        let sizes = [Some(hardware.gpus), Some(hardware.gpus_per_node), trained(job)];
        sizes.map(|size| size.map_or(Value::Null, Value::from))
    };
    let fields = ["hardware.gpus", "hardware.gpus_per_node", "workload.rl.train_gpus"];
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
