//! The scenario interface: the one place that knows JSON.
//!
//! [`Question`] is what a person asks, [`Answer`] what the calculator replies. Page, permalink,
//! embed, JavaScript and command line all carry these two documents. Additions are fine; a rename
//! needs version 2.

mod answer;
mod calibration;
mod distillation;
mod document;
mod images;
mod json;
mod known;
mod language;
mod launches;
mod operations;
mod optimizer;
mod options;
mod parse;
mod parts;
mod paths;
mod plan;
mod question;
mod rental;
mod sensitivity;
mod unique;
mod version;

pub use answer::*;
pub use calibration::*;
pub use distillation::*;
pub use document::{Document, read};
pub use images::*;
pub use json::{Json, Member};
pub use language::{Language, Words};
pub use launches::{CudaGraphs, TokenDispatcher};
pub use operations::*;
pub use optimizer::Optimizer;
pub use options::*;
pub use parse::{parse_question, question_from_value};
pub use parts::{HostParts, MemoryParts, RunParts, TimeParts};
pub use paths::{at, put, take};
pub use plan::*;
pub use question::*;
pub use rental::Rental;
pub use sensitivity::*;
pub use unique::repeated;
pub use version::EngineVersion;

pub use shardwise_catalog::hardware::Precision;
pub use shardwise_catalog::model::LoraTargets;
