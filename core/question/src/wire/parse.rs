//! Reading a question: JSON errors become errors about a field.

use serde_json::Value;

use super::question::{Question, VERSION};
use super::{document, unique};
use crate::place::Place;
use shardwise_catalog::error::InputError;

/// Longest question that is read, in bytes: far above any `config.json`.
const MAX_BYTES: usize = 1 << 20;

/// Reads a question from JSON text.
///
/// # Errors
/// Names the field that is missing, unknown, of the wrong type or there twice; `question` where the text is no JSON at
/// all.
pub fn parse_question(text: &str) -> Result<Question, InputError> {
    if text.len() > MAX_BYTES {
        return Err(InputError::new("question", "The question is longer than 1 MiB. Shorten it."));
    }
    let value = unique::read(text).map_err(|error| match error {
        unique::Error::Twice(path) => twice(path),
        unique::Error::NoJson(error) => InputError::new(
            "question",
            format!("This is not JSON ({error}). Write one JSON object, as in the interface's example."),
        ),
    })?;
    question_from_value(value)
}

/// A key that stands in its object twice.
pub(super) fn twice(path: String) -> InputError {
    InputError::new(path, "This key stands here twice. Leave one of the two.")
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
    let question: Question = document::read(&value, &Place::TOP)?;
    if question.version != VERSION {
        return Err(InputError::new(
            "version",
            format!("This calculator speaks version {VERSION} of the interface, not {}.", question.version),
        ));
    }
    Ok(question)
}
