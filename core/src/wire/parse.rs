//! Reading a question: JSON errors become errors about a field.

use serde_json::Value;

use super::{Question, VERSION, tracked};
use crate::error::InputError;

/// Longest question that is read, in bytes: far above any `config.json`.
const MAX_BYTES: usize = 1 << 20;

/// Reads a question from JSON text.
///
/// # Errors
/// Names the field that is missing, unknown or of the wrong type; `question` where the text is no
/// JSON at all.
pub fn parse_question(text: &str) -> Result<Question, InputError> {
    if text.len() > MAX_BYTES {
        return Err(InputError::new(
            "question",
            "The question is longer than 1 MiB. Shorten it.",
        ));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        InputError::new(
            "question",
            format!(
                "This is not JSON ({error}). Write one JSON object, as in the interface's example."
            ),
        )
    })?;
    question_from_value(value)
}

/// Reads a question from a JSON value.
///
/// # Errors
/// As [`parse_question`].
pub fn question_from_value(value: Value) -> Result<Question, InputError> {
    if !value.is_object() {
        return Err(InputError::new(
            "question",
            "A question is a JSON object with version, model, hardware and workload.",
        ));
    }
    let question: Question =
        tracked::read(&value).map_err(|(path, message)| describe(&path, &message))?;
    if question.version != VERSION {
        return Err(InputError::new(
            "version",
            format!(
                "This calculator speaks version {VERSION} of the interface, not {}.",
                question.version
            ),
        ));
    }
    Ok(question)
}

/// Turns serde's words into ours: the field's name, what was found, what is allowed.
pub(crate) fn describe(path: &str, message: &str) -> InputError {
    let join = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    let quoted = message.split('`').nth(1).unwrap_or_default();
    if message.starts_with("missing field") {
        return InputError::new(join(quoted), "This field is required.");
    }
    if message.starts_with("unknown field") {
        let known = message
            .split_once("expected")
            .map_or("", |(_, known)| known.trim());
        let known = known.trim_start_matches("one of").trim().replace('`', "");
        let field = join(quoted);
        return InputError::new(
            if field.is_empty() { "question" } else { &field },
            format!("There is no such field. Known here: {known}."),
        );
    }
    let field = if path.is_empty() { "question" } else { path };
    if message.contains("untagged enum RecomputeSpec") {
        return InputError::new(
            field,
            "Give none, selective or full, or an object with granularity and modules.",
        );
    }
    // Names of our types say nothing to a person.
    let message = match (message.split_once("struct "), message.split_once("enum ")) {
        (Some((start, _)), _) => format!("{start}an object"),
        (None, Some((start, _))) => format!("{start}a word in quotes"),
        (None, None) => message.to_owned(),
    };
    let mut text = message
        .replace("u64", "a whole number, zero or more")
        .replace("u32", "a whole number, zero or more")
        .replace("f64", "a number")
        .replace("a boolean", "true or false")
        .replace("unknown variant", "unknown value")
        .replace('`', "");
    if let Some(first) = text.get(..1).map(str::to_ascii_uppercase) {
        text.replace_range(..1, &first);
    }
    if !text.ends_with('.') {
        text.push('.');
    }
    InputError::new(field, text)
}
