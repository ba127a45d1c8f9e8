//! Reading a question: JSON errors become errors about a field.

use serde_json::Value;

use super::json::Json;
use super::question::{Question, VERSION};
use super::{document, unique};
use crate::place::Place;
use shardwise_catalog::encoding::{UTF_16, unmarked};
use shardwise_catalog::error::InputError;

/// Longest question that is read, in bytes: far above any `config.json`.
const MAX_BYTES: usize = 1 << 20;

/// Reads a question from JSON text, with a byte-order mark or without.
///
/// # Errors
/// Names the field that is missing, unknown, of the wrong type or there twice; `question` where the text is no JSON at
/// all.
///
/// ```
/// use shardwise_core::wire::parse_question;
/// let text = r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft"}}"#;
/// assert_eq!(parse_question(text).unwrap().hardware.gpus, Some(8));
/// let error = parse_question(&text.replace("\"gpus\": 8", "\"gpus\": \"8\"")).unwrap_err();
/// assert_eq!(error.field, "hardware.gpus");
/// ```
pub fn parse_question(text: &str) -> Result<Question, InputError> {
    if text.len() > MAX_BYTES {
        return Err(InputError::new("question", "The question is longer than 1 MiB. Shorten it."));
    }
    let text = unmarked(text).ok_or_else(|| InputError::new("question", UTF_16))?;
    unique::read(text, question_of).unwrap_or_else(|error| {
        Err(match error {
            unique::Error::Twice(path) => twice(path),
            unique::Error::NoJson(error) => InputError::new(
                "question",
                format!("This is not JSON ({error}). Write one JSON object, as in the interface's example."),
            ),
        })
    })
}

/// A key that stands in its object twice.
pub(super) fn twice(path: String) -> InputError {
    InputError::new(path, "This key stands here twice. Leave one of the two.")
}

/// Reads a question from a JSON value.
///
/// # Errors
/// As [`parse_question`].
///
/// ```
/// use serde_json::json;
/// use shardwise_core::wire::{question_from_value, to_value};
/// let document = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"},
///     "workload": {"kind": "sft"}});
/// let question = question_from_value(document.clone()).unwrap();
/// assert_eq!(question.model, "qwen3-8b");
/// assert_eq!(to_value(&question), document);
/// ```
pub fn question_from_value(value: Value) -> Result<Question, InputError> {
    question_of(Json::of(&value))
}

fn question_of(json: Json<'_>) -> Result<Question, InputError> {
    if !matches!(json, Json::Object(_)) {
        return Err(InputError::new(
            "question",
            "A question is a JSON object with version, model, hardware and workload.",
        ));
    }
    let question: Question = document::read(&json, &Place::TOP)?;
    if question.version != VERSION {
        return Err(InputError::new(
            "version",
            format!("This calculator speaks version {VERSION} of the interface, not {}.", question.version),
        ));
    }
    Ok(question)
}
