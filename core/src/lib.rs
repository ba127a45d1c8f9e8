//! Memory, speed and cost of fine-tuning and RL-training language models, and the flags to run it.
//!
//! A [`Question`] names a model, GPUs, a workload and, as far as it is decided, a plan.
//! [`estimate()`] answers it; [`search()`] ranks every legal plan; [`sensitivity()`] says what each change is worth;
//! [`flags()`] prints texts to paste.
//! The crate is pure: no clock, no I/O, no randomness, no web. Figures come from the [`catalog`],
//! each with its source; formulas cite theirs.
//!
//! Quantities carry their unit ([`units`]); bandwidth is per GPU and one direction, rates are dense,
//! one multiply-add is two operations.

mod activations;
pub mod advice;
mod answer;
pub mod batch;
pub mod belonging;
pub mod calibration;
pub mod catalog;
mod caveats;
pub mod chinese;
pub mod communication;
pub mod complete;
pub mod context;
pub mod coverage;
pub mod efficiency;
pub mod emit;
pub mod error;
mod estimate;
mod figures;
pub mod fit;
mod flags;
pub mod flops;
pub mod framework;
pub mod hardware;
pub mod host;
pub mod interface;
pub mod job;
pub mod kernels;
mod known;
pub mod layer;
pub mod memory;
pub mod methods;
pub mod model;
pub mod neighbours;
mod ordered;
pub mod permalink;
pub mod plan;
mod possible;
pub mod presets;
pub mod read;
pub mod recipes;
pub mod rl;
pub mod role;
pub mod rollout;
pub mod rules;
pub mod search;
pub mod sensitivity;
pub mod spread;
pub mod step;
pub mod task;
pub mod training;
pub mod units;
mod warnings;
pub mod weights;
pub mod wire;
mod words;
pub mod workload;
pub mod zero_infinity;
pub mod zero_needs;

pub use answer::answer;
pub use error::{Caveat, InputError};
pub use estimate::{Evaluated, advise, estimate, evaluate, evaluate_alone, evaluate_with};
pub use flags::{evaluate_for, flags};
pub use search::{Objective, SearchResult, search};
pub use sensitivity::sensitivity;
pub use wire::{Answer, Question};
