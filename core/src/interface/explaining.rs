//! How figures of an answer come about.

use serde::Serialize;

use super::sorted;
use crate::words;
use shardwise_catalog::error::InputError;
use shardwise_explain::{Explanation, explain, figures};
use shardwise_question::wire::{Language, Question, VERSION};
use shardwise_search::evaluate_alone;

/// How figures come about.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Explanations {
    /// Interface version: 1.
    pub version: u32,
    /// An explanation of each figure.
    pub explanations: Vec<Explanation>,
}

/// The explanations of a question's figures; of all of them where none is named.
///
/// # Errors
/// A question that cannot be answered; a figure that its answer lacks.
///
/// ```
/// use shardwise_core::{interface::explained, wire::{Language, parse_question}};
/// let question = parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let found = explained(&question, &["mfu".to_owned()], Language::En).unwrap();
/// assert_eq!(found[0].figure, "mfu");
/// assert_eq!(explained(&question, &["luck".to_owned()], Language::En).unwrap_err().field, "figure");
/// ```
pub fn explained(question: &Question, wanted: &[String], lang: Language) -> Result<Vec<Explanation>, InputError> {
    let found = evaluate_alone(question)?;
    let known = figures(&found);
    let wanted = if wanted.is_empty() { &known } else { wanted };
    let own = wanted.iter().map(|figure| {
        let own = explain(&found, figure).ok_or_else(|| {
            let known = known.join(", ");
            InputError::new("figure", format!("The answer has no figure {figure}. It has: {known}."))
        })?;
        Ok(words::explanation(own, words::of(lang)))
    });
    own.collect()
}

/// The document of explanations.
///
/// # Errors
/// As [`explained()`].
pub fn explanations(question: &Question, wanted: &[String], lang: Language) -> Result<String, InputError> {
    let explanations = explained(question, wanted, lang)?;
    // Its sentences are in the language already.
    sorted(&Explanations { version: VERSION, explanations }, Language::En)
}
