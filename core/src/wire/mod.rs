//! The scenario interface: the one place that knows JSON.
//!
//! [`Question`] is what a person asks, [`Answer`] what the calculator replies. Page, permalink,
//! embed, JavaScript and command line all carry these two documents. Additions are fine; a rename
//! needs version 2.

mod answer;
mod document;
mod parse;
mod question;

pub use answer::*;
pub use document::to_value;
pub(crate) use document::{Place, read};
pub use parse::{parse_question, question_from_value};
pub use question::*;
