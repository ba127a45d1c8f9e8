//! What single changes of a plan are worth, as a document.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What each single change of a plan is worth.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Sensitivity {
    /// Interface version: 1.
    pub version: u32,
    /// The plan as it is.
    pub now: Figures,
    /// Every change, best first: what fits by tokens per second and GPU (which is by dollars per token), then what does
    /// not, the nearest first.
    pub changes: Vec<Change>,
    /// A plan that does not fit: the cheapest change that makes it fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

/// What a plan comes to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Figures {
    /// Whether it fits as surely as the question asks, however long its sequences get.
    pub fits: bool,
    /// Probability that it fits, with lengths as the question has them.
    pub probability: f64,
    /// GiB that are missing for it to fit as surely; 0 where none are.
    pub missing_gib: f64,
    /// Tokens per second over all GPUs.
    pub tokens_per_s: f64,
    /// Tokens per second of one GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Seconds of one step.
    pub step_time_s: f64,
    /// Dollars per million tokens; absent without a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_mtok: Option<f64>,
    /// Dollars per step; absent without a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_step: Option<f64>,
    /// Memory of the worst GPU at its worst moment, as `memory.reserved_gib` of an answer.
    pub reserved_gib: f64,
}

/// How much a change moves: after it less before it. Below zero is saved in dollars and GiB, and lost in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Difference {
    /// Tokens per second over all GPUs.
    pub tokens_per_s: f64,
    /// Tokens per second of one GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Dollars per million tokens; absent without a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_mtok: Option<f64>,
    /// Dollars per step; absent without a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_step: Option<f64>,
    /// GiB on the worst GPU.
    pub gib: f64,
}

/// One change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Change {
    /// Stable identifier: the field's name and the value after.
    pub id: String,
    /// Path of the field in the question.
    pub field: Cow<'static, str>,
    /// Its value before.
    pub from: String,
    /// Its value after.
    pub to: String,
    /// What to set in the question, by path; null takes a field away. What the question leaves open stays open.
    pub set: Map<String, Value>,
    /// What it changes.
    pub kind: ChangeKind,
    /// What the changed plan comes to.
    pub figures: Figures,
    /// How much that is more or less.
    pub difference: Difference,
}

/// What a change changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// How the work is laid out.
    Plan,
    /// How the work is laid out, where it gains no more than a simpler plan may cost: 1.5 %.
    Simplicity,
    /// What is computed: the number formats of caches and of what is sent.
    Numerics,
    /// The machine.
    Machine,
}

/// The cheapest way to make a plan fit: one change, or two where no single one does.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Remedy {
    /// The changes, in order; each with the ones before it.
    pub changes: Vec<Change>,
    /// How much all of them move.
    pub difference: Difference,
}
