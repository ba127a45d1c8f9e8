//! What the calculator refuses, and what it answers with a warning.

use std::borrow::Cow;
use std::fmt;

/// A question that cannot be answered: which field is wrong, and what would be right.
///
/// `field` is the path of the value in the question (`plan.tensor_parallel`), as a person would
/// look it up in the JSON document or in the form.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct InputError {
    /// Path of the offending value, dots between keys.
    pub field: String,
    /// What was found, what is allowed, and the remedy. One or two sentences.
    pub message: String,
}

impl InputError {
    /// An error about `field`.
    #[must_use]
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for InputError {}

/// Something the estimate leaves out or assumes; it travels with the answer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Caveat {
    /// Stable identifier, kebab case.
    pub id: Cow<'static, str>,
    /// One sentence for a person.
    pub text: String,
}

impl Caveat {
    /// A caveat with a stable identifier.
    #[must_use]
    pub fn new(id: &'static str, text: impl Into<String>) -> Self {
        Self { id: Cow::Borrowed(id), text: text.into() }
    }
}
