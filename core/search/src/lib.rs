//! Answers: that of one plan, the best of all legal plans, what each change of one is worth, and advice.

pub mod advice;
pub mod answer;
pub mod calibration;
pub mod caveats;
pub mod estimate;
mod figures;
pub mod neighbours;
pub mod search;
pub mod sensitivity;
mod warnings;

pub use answer::answer;
pub use estimate::{Evaluated, advise, estimate, evaluate, evaluate_alone, evaluate_open, evaluate_with};
pub use search::{Objective, SearchResult, search};
pub use sensitivity::sensitivity;
