//! What the command line writes and the JavaScript functions return: one document for each question, text or table.
//!
//! Both call these functions and print what comes back, so that they cannot differ. [`ask()`] takes and gives nothing but
//! text, for callers that know no Rust.

mod ask;
mod calibrating;
mod catalog;
mod check;
mod contributing;
mod explaining;
mod flags;
mod language;
mod linking;
mod reading;
mod search;

use serde::Serialize;

pub use ask::{
    Function, answered, ask, ask_calibration, ask_explanations, ask_link, ask_sensitivity, check_texts, diagnose_texts,
    estimated, look_up, read_texts, tried,
};
pub use calibrating::{CalibratedRun, LoggedPhase, calibrated};
pub use catalog::{GpuRow, ModelRow, OfferRow, PriceRow, Row, offers, rows};
pub use check::{Checked, Finding, Level, RULES, Said, Verdict, check};
pub use contributing::{Compared, Contribution, Figure, LEAST_STEPS, Origin, Published, contributed, moving};
pub use explaining::{Explanations, explained, explanations};
pub use flags::{Flags, Snippets, Unavailable, flags, framework_named};
pub use language::Speak;
pub use linking::{Linked, linked};
pub use reading::{ReadText, Unread, answer_of, base, doctor, read};
pub use search::{Closing, Found, Offered, Offers, Plans, RefusedOffer, search};

use shardwise_catalog::error::InputError;
use shardwise_question::wire::Language;
use shardwise_question::wire::VERSION;

/// What a question that cannot be answered gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Refusal {
    /// Interface version: 1.
    pub version: u32,
    /// Which field is wrong, and what would be right.
    pub error: InputError,
}

/// A document as one line.
///
/// # Errors
/// None in practice: every document can be written.
///
/// ```
/// use shardwise_core::{InputError, interface::line, wire::Language};
/// let error = InputError::new("plan.tensor_parallel", "This model has no experts. Give 1.");
/// assert_eq!(line(&error, Language::Zh).unwrap(), r#"{"field":"plan.tensor_parallel","message":"此模型没有专家。请填 1。"}"#);
/// ```
pub fn line<T: Serialize>(document: &T, lang: Language) -> Result<String, InputError> {
    let line = serde_json::to_string(document)
        .map_err(|error| InputError::new("answer", format!("The answer cannot be written: {error}.")))?;
    Ok(lang.document(line))
}

/// A document as one line, its keys by the alphabet.
///
/// # Errors
/// As [`line()`].
pub fn sorted<T: Serialize>(document: &T, lang: Language) -> Result<String, InputError> {
    let value = serde_json::to_value(document)
        .map_err(|error| InputError::new("answer", format!("The answer cannot be written: {error}.")))?;
    line(&value, lang)
}

/// The line that a refused question gets.
#[must_use]
pub fn refused(error: InputError, lang: Language) -> String {
    let version = VERSION;
    line(&Refusal { version, error }, lang).unwrap_or_default()
}
