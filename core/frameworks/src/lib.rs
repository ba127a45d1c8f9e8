//! The frameworks' texts both ways: a plan as flags to paste, and a pasted text as a question with a report.

mod binding;
pub mod emit;
mod flags;
pub mod read;
mod verl;

pub use flags::{evaluate_for, flags};
