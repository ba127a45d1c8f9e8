//! The frameworks' texts both ways: a plan as flags to paste, and a pasted text as a question with a report.

pub mod emit;
mod flags;
pub mod read;

pub use flags::{evaluate_for, flags};
