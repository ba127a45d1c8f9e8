//! How every figure comes about: the formulas with their sources, and each figure of an answer with its numbers put in.
//!
//! [`groups`] is the table of formulas, from `core/methods/*.toml`, whose English sentences are the doc comments of the
//! code that computes them. [`explain()`] puts the numbers of one answer into the formula of one of its [`figures`]. Both
//! are for the page's worker and the command line; the calculator's own program links neither.

mod entries;
mod errors;
mod explain;
mod expression;
mod number;
mod sheet;
mod words;

use serde::{Deserialize, Serialize};

pub use entries::{Citation, Code, Constant, Entry, Group, Symbol, entry, groups};
pub use errors::{Errors, Measured, error_of, measured};
pub use explain::{explain, figures};
pub use expression::Expression;
pub use number::Unit;
pub use sheet::{ExplainedTerm, Explanation, Link};

/// The same in English and in Chinese.
pub(crate) type Words = (&'static str, &'static str);

/// A language that explanations are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

impl Language {
    /// What is meant for this language.
    #[must_use]
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }

    pub(crate) fn word(self, words: Words) -> &'static str {
        self.pick(words.0, words.1)
    }
}
