//! What is asked: the question and the answer as JSON ([`wire`]), the task, the job with its defaults and limits ([`job`]),
//! the plan, and the plan made complete ([`complete`]).

pub mod adapters;
pub mod belonging;
pub mod complete;
pub mod engines;
pub mod framework;
pub mod job;
pub mod market;
pub mod operations;
pub mod optimizer;
pub mod permalink;
pub mod place;
pub mod plan;
pub mod presets;
pub mod recipes;
pub mod sheet;
pub mod task;
pub mod usual;
pub mod wire;
pub mod workload;
pub mod zero_needs;

pub use wire::{Answer, Question};
