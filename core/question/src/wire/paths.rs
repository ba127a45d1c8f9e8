//! Values of a document by their path, dots between keys.

use serde_json::{Map, Value};

/// The value at a path; null where there is none.
///
/// ```
/// use serde_json::json;
/// use shardwise_core::wire::at;
/// let document = json!({"hardware": {"gpus": 8}});
/// assert_eq!(at(&document, "hardware.gpus"), 8);
/// assert!(at(&document, "hardware.gpu.memory_gb").is_null());
/// ```
#[must_use]
pub fn at<'a>(document: &'a Value, path: &str) -> &'a Value {
    path.split('.')
        .fold(document, |value, key| value.get(key).unwrap_or(&Value::Null))
}

/// Puts a value at a path.
///
/// ```
/// use serde_json::json;
/// use shardwise_core::wire::{put, take};
/// let mut document = json!({"version": 1});
/// put(&mut document, "plan.rollout.tensor_parallel", json!(2));
/// assert_eq!(document, json!({"version": 1, "plan": {"rollout": {"tensor_parallel": 2}}}));
/// take(&mut document, "plan.rollout.tensor_parallel");
/// assert_eq!(document, json!({"version": 1}));
/// ```
pub fn put(document: &mut Value, path: &str, value: Value) {
    let mut place = document;
    for key in path.split('.') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(map) = place else { return };
        place = map.entry(key).or_insert(Value::Null);
    }
    *place = value;
}

/// Takes away what is at a path, and what is left empty above it. See [`put`].
pub fn take(document: &mut Value, path: &str) {
    let Value::Object(map) = document else { return };
    match path.split_once('.') {
        None => {
            map.remove(path);
        }
        Some((key, rest)) => {
            if let Some(inner) = map.get_mut(key) {
                take(inner, rest);
                if inner.as_object().is_some_and(Map::is_empty) {
                    map.remove(key);
                }
            }
        }
    }
}
