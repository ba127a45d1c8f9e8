//! The frameworks' texts both ways: a plan as flags to paste, and a pasted text as a question with a report.

mod binding;
mod defaults;
pub mod doctor;
pub mod emit;
mod flags;
pub mod log;
pub mod read;
mod verl;

pub use defaults::defaults;
pub use flags::{evaluate_for, flags, serves};
