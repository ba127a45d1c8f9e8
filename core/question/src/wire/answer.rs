//! The answer document. Fields that do not apply are absent: never zero, never NaN.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::calibration::Calibration;
use super::known::{self, Word};
use super::operations::RunOperations;
use super::parts::{HostParts, MemoryParts, TimeParts};
use super::parts::{is_false, is_zero};
use super::plan::PlanSpec;
use super::rental::Rental;
use super::sensitivity::Difference;
use shardwise_catalog::error::Caveat;

/// What the calculator replies.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Answer {
    /// Interface version: 1.
    pub version: u32,
    /// Whether it fits rather than not: `fit.state` is `fits` or `tight`.
    pub fits: bool,
    /// How sure that is.
    pub fit: Fit,
    /// The complete plan that was evaluated.
    pub plan: PlanSpec,
    /// Who runs it: the question's framework, or where it names none the first that does; absent where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<RunBy>,
    /// Non-padding tokens per second and GPU, over the whole step and all GPUs.
    pub tokens_per_s_per_gpu: f64,
    /// Non-padding tokens per second over all GPUs.
    pub tokens_per_s: f64,
    /// Millions of tokens per hour, over all GPUs.
    pub mtok_per_hour: f64,
    /// Seconds of one step (optimizer step, RL step, or the whole generation run).
    pub step_time_s: f64,
    /// Model FLOPs utilization, without recomputation, over the dense peak of the precision. Six operations per weight that
    /// multiplies a token and trains, four per frozen one.
    pub mfu: f64,
    /// Hardware FLOPs utilization: the same with what the plan computes again; equal where it recomputes nothing.
    pub hfu: f64,
    /// Model TFLOPS per GPU.
    pub model_tflops_per_gpu: f64,
    /// Dollars per million tokens; absent without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_mtok: Option<f64>,
    /// Dollars per step; absent without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_step: Option<f64>,
    /// Price per GPU and hour that was used; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_gpu_hour: Option<f64>,
    /// The offer that the GPUs are rented by, from which the price is; absent where the question asks for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Rental>,
    /// The whole run, where `workload.tokens` or `workload.run` says how long it is; of RL always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// GPUs of the two sides, where generation has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// Memory of the worst GPU at its worst moment.
    pub memory: Memory,
    /// Where the time goes.
    pub time: Time,
    /// Ranges; absent where no published run supports one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The question's calibration, which all figures above contain; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Errors, warnings, then what would help, most valuable first. Only the answer to a question has the last: not the
    /// plans of a search.
    pub advice: Vec<Advice>,
    /// What the estimate leaves out or assumes.
    pub caveats: Vec<Caveat>,
    /// Which data answered.
    pub data: Data,
}

impl Answer {
    /// The interval of a figure that grows as the speed does, such as MFU; `None` where the answer has none.
    #[must_use]
    pub fn with_speed(&self, figure: f64) -> Option<[f64; 2]> {
        let speeds = self.interval?.tokens_per_s_per_gpu;
        let range = speeds.map(|speed| figure * speed / self.tokens_per_s_per_gpu);
        range.iter().all(|end| end.is_finite()).then_some(range)
    }

    /// The interval of a figure that shrinks as the speed grows: seconds, hours, dollars.
    #[must_use]
    pub fn against_speed(&self, figure: f64) -> Option<[f64; 2]> {
        let [low, high] = self.interval?.tokens_per_s_per_gpu;
        let range = [high, low].map(|speed| figure * self.tokens_per_s_per_gpu / speed);
        range.iter().all(|end| end.is_finite()).then_some(range)
    }
}

/// Whether a plan fits, as a decision under uncertainty.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Fit {
    /// `fits` where it is as sure as asked, `tight` from one half, `unlikely` from one in twenty, else `no`.
    pub state: FitState,
    /// Probability that nothing runs out of memory, 0 to 1.
    pub probability: f64,
    /// How sure the question wants to be, 0 to 1.
    pub confidence: f64,
    /// What decides: a phase of `memory.phases`, `engine` (its own share of the card) or `host` (a node's host memory).
    #[serde(deserialize_with = "known::phase")]
    pub phase: Word,
    /// GiB that there are for it.
    pub capacity_gib: f64,
    /// GiB that it needs by the estimate. Below `memory.reserved_gib`, which counts what an allocator could return.
    pub needed_gib: f64,
    /// GiB that suffice as surely as asked.
    pub needed_at_confidence_gib: f64,
    /// `capacity_gib` less `needed_gib`: below zero where that much is missing.
    pub margin_gib: f64,
    /// RL: it is as sure as asked while the mean response is at most so long, in tokens; absent where it is whatever
    /// they are, or not now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_response_at_most: Option<f64>,
    /// Host memory of one node; absent where the plan moves nothing there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostMemory>,
}

impl Fit {
    /// GiB that are missing for it to fit as surely as asked; 0 where none are.
    #[must_use]
    pub fn missing_gib(&self) -> f64 {
        (self.needed_at_confidence_gib - self.capacity_gib).max(0.0)
    }

    /// The decision on a plan that needs nothing.
    #[must_use]
    pub fn nothing(confidence: f64) -> Self {
        Self {
            state: FitState::Fits,
            probability: 1.0,
            confidence,
            phase: "train",
            capacity_gib: 0.0,
            needed_gib: 0.0,
            needed_at_confidence_gib: 0.0,
            margin_gib: 0.0,
            mean_response_at_most: None,
            host: None,
        }
    }
}

/// The framework that an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct RunBy {
    /// Identifier, as in `flags --for`.
    #[serde(deserialize_with = "known::framework")]
    pub id: Word,
    /// One of its versions.
    #[serde(deserialize_with = "known::version")]
    pub version: Word,
    /// Whether the question names it.
    pub stated: bool,
}

/// How sure it is that a plan fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FitState {
    /// As sure as asked.
    Fits,
    /// Less, but more likely than not.
    Tight,
    /// Less likely than not.
    Unlikely,
    /// Less than one in twenty.
    No,
}

impl FitState {
    /// The state at a probability, of which `confidence` is asked.
    #[must_use]
    pub fn of(probability: f64, confidence: f64) -> Self {
        if probability >= confidence {
            Self::Fits
        } else if probability >= 0.5 {
            Self::Tight
        } else if probability >= 0.05 {
            Self::Unlikely
        } else {
            Self::No
        }
    }

    /// Whether a plan fits rather than not.
    #[must_use]
    pub fn fits(self) -> bool {
        matches!(self, Self::Fits | Self::Tight)
    }
}

/// Host memory of one node, in GiB.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct HostMemory {
    /// What the parts add up to.
    pub needed_gib: f64,
    /// What the node has; absent where nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_gib: Option<f64>,
    /// The parts.
    pub parts: HostParts,
}

/// A whole run: how long it is, what it costs and what it keeps.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Run {
    /// Steps, whole or begun.
    pub steps: f64,
    /// Non-padding tokens.
    pub tokens: f64,
    /// Whether nothing says how long it is, so that its steps are assumed; absent where something does.
    #[serde(default, skip_serializing_if = "is_false")]
    pub assumed: bool,
    /// Hours.
    pub hours: f64,
    /// Dollars; absent without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// What it writes to disk; absent where nothing trains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// The run with what it meets beside its steps; absent where the question states no `operations`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<RunOperations>,
}

impl Run {
    /// Hours in all: with what it meets beside its steps, where the question asks for that; `None` where it would hardly ever
    /// finish.
    #[must_use]
    pub fn all_hours(&self) -> Option<f64> {
        match &self.operations {
            Some(own) => own.expected.map(|expected| expected.hours),
            None => Some(self.hours),
        }
    }

    /// Dollars in all, likewise; `None` without a price too.
    #[must_use]
    pub fn all_usd(&self) -> Option<f64> {
        match &self.operations {
            Some(own) => own.expected?.usd,
            None => self.usd,
        }
    }
}

/// A checkpoint that training can go on from, in bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Checkpoint {
    /// Weights, as the framework saves them.
    pub weights_bytes: f64,
    /// Master weights beside them and the optimizer's states.
    pub optimizer_bytes: f64,
    /// Both.
    pub bytes: f64,
    /// Checkpoints that are kept at a time.
    pub kept: u64,
    /// What those take.
    pub storage_bytes: f64,
}

/// GPUs that train and GPUs that generate.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Split {
    /// GPUs that train.
    pub train_gpus: u32,
    /// GPUs that generate.
    pub rollout_gpus: u32,
}

/// Memory of the worst GPU in its worst phase, in GiB.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Memory {
    /// What the framework's allocator has handed out (`torch.cuda.max_memory_allocated`).
    pub peak_gib: f64,
    /// The peak with the allocator's slack, the CUDA context and communication buffers.
    pub reserved_gib: f64,
    /// What the card has.
    pub capacity_gib: f64,
    /// Phase of the peak: a name from `phases`.
    #[serde(deserialize_with = "known::phase")]
    pub phase: Word,
    /// The peak's parts; they add up to `reserved_gib`.
    pub parts: MemoryParts,
    /// Every phase with its own parts.
    pub phases: Vec<MemoryPhase>,
    /// RL: the most that fits, all else as planned, without offload and with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
}

/// The most that fits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Limit {
    /// Whether parameters, gradients and optimizer states wait in host memory between their phases.
    pub offload: bool,
    /// The largest safe share of the card for the engine, to a twentieth; absent where its weights alone do not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_memory_utilization: Option<f64>,
    /// The largest token budget of each training phase.
    pub max_tokens_per_gpu: Vec<TokenBudget>,
}

/// A role's token budget.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct TokenBudget {
    /// As in [`MemoryPhase::name`].
    #[serde(deserialize_with = "known::phase")]
    pub phase: Word,
    /// Tokens per GPU and pass; absent where not even the longest sequence fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// Memory of one phase.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct MemoryPhase {
    /// `train`, or `rollout`, `old_log_prob`, `reference`, `values`, `update_reward`, `reward`, `reward_reference`,
    /// `update_critic`, `update_actor`.
    #[serde(deserialize_with = "known::phase")]
    pub name: Word,
    /// GiB, everything included.
    pub reserved_gib: f64,
    /// The parts; they add up to `reserved_gib`.
    pub parts: MemoryParts,
}

/// Where the time of one step goes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Time {
    /// Phases, in order; they add up to `step_time_s` unless the schedule overlaps them.
    pub phases: Vec<TimePhase>,
    /// Parts of the step, over all phases.
    pub parts: TimeParts,
    /// Seconds of phases that run beside others: their sum less the step.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden_s: f64,
}

/// One phase of the step.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct TimePhase {
    /// As in [`MemoryPhase::name`], and `reward`, `weight_sync`, `driver`.
    #[serde(deserialize_with = "known::phase")]
    pub name: Word,
    /// Seconds.
    pub s: f64,
    /// Parts of this phase; they add up to `s`.
    pub parts: TimeParts,
}

/// Ranges that hold with the stated probability.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Share of published runs that the range covers.
    pub coverage: f64,
    /// Range of `tokens_per_s_per_gpu`.
    pub tokens_per_s_per_gpu: [f64; 2],
    /// Range of `memory.peak_gib`.
    pub peak_gib: [f64; 2],
}

/// One piece of advice.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Advice {
    /// Stable identifier, kebab case.
    pub id: Cow<'static, str>,
    /// `error`, `warning` or `hint`.
    pub severity: Severity,
    /// One or two sentences for a person, with the gain in numbers where there is one.
    pub text: String,
    /// Where the rule comes from.
    pub source: Cow<'static, str>,
    /// What following it changes; absent where it proposes no plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<Difference>,
    /// What to set in the question to follow it, by path; null takes a field away.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
}

/// How much a piece of advice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It will not run.
    Error,
    /// It runs, but badly.
    Warning,
    /// It could be better.
    Hint,
}

/// Versions of what answered.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Data {
    /// Version of catalogs and efficiencies.
    #[serde(deserialize_with = "known::data")]
    pub version: Word,
    /// Date of the newest price.
    #[serde(deserialize_with = "known::data")]
    pub prices: Word,
}
