//! Answers cut to what decides: an agent pays for every word that it reads.

use serde_json::{Map, Value, json};
use shardwise_core::permalink;
use shardwise_core::wire::Question;

/// Pieces of advice and caveats that are told.
const MOST_TOLD: usize = 4;

/// Fields of an answer that are told as they are.
const TOLD: [&str; 13] = [
    "fits",
    "step_time_s",
    "tokens_per_s_per_gpu",
    "mfu",
    "usd_per_mtok",
    "usd_per_step",
    "usd_per_gpu_hour",
    "framework",
    "split",
    "run",
    "offer",
    "interval",
    "plan",
];

/// The link of a question.
pub(super) fn link(question: &Question, page: &str) -> String {
    format!("{page}#{}", permalink::to_hash(question))
}

/// An answer, cut; as it is where all of it is wanted.
pub(super) fn answer(answer: &Value, full: bool) -> Value {
    if full {
        return answer.clone();
    }
    let mut own = Map::new();
    for field in TOLD {
        if let Some(value) = answer.get(field) {
            own.insert(field.to_owned(), value.clone());
        }
    }
    if let Some(fit) = answer.get("fit") {
        let fields = ["state", "probability", "confidence", "phase", "needed_gib", "capacity_gib"];
        own.insert("fit".to_owned(), only(fit, &fields));
    }
    if let Some(run) = own.get_mut("run").and_then(Value::as_object_mut) {
        run.remove("checkpoint");
    }
    let phases = answer.pointer("/time/phases").and_then(Value::as_array).into_iter().flatten();
    let seconds: Map<String, Value> = phases
        .filter_map(|phase| Some((phase.get("name")?.as_str()?.to_owned(), phase.get("s")?.clone())))
        .collect();
    own.insert("seconds_by_phase".to_owned(), Value::Object(seconds));
    own.insert("advice".to_owned(), told(answer.get("advice"), "text"));
    own.insert("caveats".to_owned(), told(answer.get("caveats"), "message"));
    let mut own = Value::Object(own);
    round(&mut own);
    own
}

/// So many of the sentences of a list, and how many more there are.
fn told(list: Option<&Value>, key: &str) -> Value {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut told: Vec<Value> = list
        .iter()
        .filter_map(|one| one.get(key).or_else(|| one.get("text")))
        .take(MOST_TOLD)
        .cloned()
        .collect();
    if list.len() > MOST_TOLD {
        told.push(json!(format!("… and {} more (full: true)", list.len() - MOST_TOLD)));
    }
    Value::Array(told)
}

/// These fields of a document.
pub(super) fn only(document: &Value, fields: &[&str]) -> Value {
    let found = fields
        .iter()
        .filter_map(|field| Some(((*field).to_owned(), document.get(field)?.clone())));
    Value::Object(found.collect())
}

/// Rounds every number to five digits, which is more than any estimate is good for.
pub(super) fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let own = number.as_f64().unwrap_or_default();
            let digits = format!("{own:.4e}");
            if let Ok(rounded) = digits.parse::<f64>() {
                *value = json!(rounded);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}
