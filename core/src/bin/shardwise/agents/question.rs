//! The schema of a question, cut to what most questions say: an agent reads it before it knows what it will ask.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::schemas;

/// Types that are written out; of any other the description says where its fields are.
const WRITTEN_OUT: [&str; 8] = [
    "HardwareSpec",
    "WorkloadSpec",
    "WorkloadKind",
    "RlSpec",
    "RolloutWorkloadSpec",
    "LoraSpec",
    "RunSpec",
    "PlanSpec",
];

/// The question's schema, without what few questions say.
pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
    let question = schemas::question();
    let cut = cut(&question, &question["$defs"], &mut Vec::new());
    Schema::try_from(cut).unwrap_or_default()
}

/// A schema with its references put in place where they are written out, but for types that it stands `within`, and of descriptions
/// the first sentence.
fn cut<'a>(schema: &'a Value, types: &'a Value, within: &mut Vec<&'a str>) -> Value {
    let Value::Object(own) = schema else { return schema.clone() };
    if let Some(name) = named(schema) {
        let description = own.get("description").or_else(|| types[name].get("description"));
        let description = first(description.and_then(Value::as_str).unwrap_or_default());
        if WRITTEN_OUT.contains(&name) && !within.contains(&name) {
            within.push(name);
            let mut inner = cut(&types[name], types, within);
            within.pop();
            inner["description"] = json!(description);
            return inner;
        }
        // Words are few; a document has a schema of its own.
        let words = words(&types[name]);
        return if words.is_empty() {
            json!({"description": format!("{description} Its fields: `schema` of {name}.")})
        } else {
            json!({"enum": words, "description": description})
        };
    }
    let words = words(schema);
    if !words.is_empty() {
        return json!({"enum": words});
    }
    let mut map = Map::new();
    for (key, value) in own {
        match key.as_str() {
            "properties" => {
                let inner = value.as_object().into_iter().flatten();
                let inner: Map<String, Value> =
                    inner.map(|(name, field)| (name.clone(), cut(field, types, within))).collect();
                map.insert(key.clone(), Value::Object(inner));
            }
            "items" => {
                map.insert(key.clone(), cut(value, types, within));
            }
            "description" => {
                map.insert(key.clone(), json!(first(value.as_str().unwrap_or_default())));
            }
            "$defs" | "$schema" | "title" | "format" | "default" => {}
            "minimum" if value == &json!(0) => {}
            _ => {
                map.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(map)
}

/// The type that a schema refers to, or may be.
fn named(schema: &Value) -> Option<&str> {
    fn reference(one: &Value) -> Option<&str> {
        one.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
    }
    reference(schema).or_else(|| schema.get("anyOf")?.as_array()?.iter().find_map(reference))
}

/// The words of a type that has nothing else.
fn words(schema: &Value) -> Vec<&Value> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.iter().collect();
    }
    let each = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let words: Vec<&Value> = each.iter().filter_map(|one| one.get("const")).collect();
    if words.len() == each.len() { words } else { Vec::new() }
}

/// The first sentence of a description.
fn first(text: &str) -> String {
    let end = text.find(". ").or_else(|| text.find(".\n")).map_or(text.len(), |at| at + 1);
    text[..end].replace('\n', " ")
}
