//! How every figure comes about: the formulas with their sources, and each figure of an answer with its numbers put in.
//!
//! [`groups`] is the table of formulas, from `core/explain/methods/*.toml`, whose English sentences are the doc comments of the
//! code that computes them. [`explain()`] puts the numbers of one answer into the formula of one of its [`figures`]. Both
//! are in English, as all that the core says, and are for the page's worker and the command line; the calculator's own program
//! links neither.

mod entries;
mod errors;
mod explain;
mod expression;
mod number;
mod sheet;
mod words;

pub use entries::{Citation, Code, Constant, Entry, Group, Symbol, entry, groups};
pub use errors::{Errors, Measured, error_of, measured};
pub use explain::{explain, figures};
pub use expression::Expression;
pub use number::Unit;
pub use sheet::{ExplainedTerm, Explanation, Link};
