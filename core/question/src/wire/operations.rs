//! What a whole run meets beside its steps, in the question and in the answer.

use serde::{Deserialize, Serialize};

use super::document::document;
use super::parts::RunParts;

document! {
    /// What a whole run meets beside its steps. Stated, even as `{}`, the answer has `run.operations`: each field has a
    /// default then, and a switch. Absent: the run is its steps alone.
    #[derive(Copy, Default)]
    pub struct OperationsSpec {
        /// Seconds from the first paid second to the first step; 0 for none. Default 660.
        pub startup_s: Option<f64>,
        /// Evaluation during the run. Default: none.
        pub evaluation: Option<EvaluationSpec>,
        /// Checkpoints that it saves.
        pub checkpoint: Option<SavingSpec>,
        /// Failures of machines and software.
        pub failures: Option<FailuresSpec>,
        /// How often a provider takes back one instance (a node), per hour, as spot instances are. Default 0.
        pub interruptions_per_instance_hour: Option<f64>,
        /// Seconds from a failure to where the last checkpoint is loaded. Default: `startup_s` and the time to read it.
        pub restart_s: Option<f64>,
        /// Energy and emissions.
        pub power: Option<PowerSpec>,
    }
}

document! {
    /// Evaluation during a run: `every_steps` with `seconds`, or a `share`.
    #[derive(Copy, Default)]
    pub struct EvaluationSpec {
        /// Steps from one evaluation to the next.
        pub every_steps: Option<u64>,
        /// Seconds of one evaluation.
        pub seconds: Option<f64>,
        /// Time that it takes beside training's: 0.05 for a twentieth.
        pub share: Option<f64>,
    }
}

document! {
    /// Checkpoints of a run. Where neither steps nor minutes are stated, as many as cost the least time.
    #[derive(Copy, Default)]
    pub struct SavingSpec {
        /// Whether it saves any: false loses all that was done to every failure. Default true.
        pub on: Option<bool>,
        /// Steps from one checkpoint to the next.
        pub every_steps: Option<u64>,
        /// Minutes from one checkpoint to the next.
        pub every_minutes: Option<f64>,
        /// Bandwidth to and from storage over all nodes, in GB/s. Default: 0.63 for each node.
        pub storage_gb_per_s: Option<f64>,
        /// Whether training goes on once the checkpoint is in host memory, while it is written. Default false.
        pub asynchronous: Option<bool>,
    }
}

document! {
    /// Failures that end the whole job.
    #[derive(Copy, Default)]
    pub struct FailuresSpec {
        /// Whether they are counted. Default true.
        pub on: Option<bool>,
        /// Hours of one GPU between two failures of the job that it is part of. Default 50,700.
        pub mtbf_gpu_hours: Option<f64>,
    }
}

document! {
    /// Energy and emissions.
    #[derive(Copy, Default)]
    pub struct PowerSpec {
        /// Whether they are counted. Default true.
        pub on: Option<bool>,
        /// Power that one GPU is rated at, in watts. Default: the catalog's, where it has one.
        pub board_w: Option<f64>,
        /// What a node is rated at over what its GPUs are. Default 1.82.
        pub node_factor: Option<f64>,
        /// Mean power over rated power, 0 to 1. Default 0.76.
        pub utilization: Option<f64>,
        /// Power of the whole site over that of its computers. Default 1.58.
        pub pue: Option<f64>,
        /// Grams of CO2 equivalent for one kilowatt-hour of the grid. Default 436.
        pub grid_gco2_per_kwh: Option<f64>,
    }
}

/// A whole run with what it meets beside its steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct RunOperations {
    /// Mean hours between two failures or interruptions of the whole job; absent where none are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtbf_hours: Option<f64>,
    /// Seconds of a restart, the checkpoint read; absent where there are no failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_s: Option<f64>,
    /// Its checkpoints; absent where it saves none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saving: Option<Saving>,
    /// What is to be expected of it; absent where it would hardly ever finish (advice `never-finishes` says so).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
}

/// How a run saves its checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Saving {
    /// Seconds until one is written.
    pub write_s: f64,
    /// Seconds of these in which training waits.
    pub pause_s: f64,
    /// Checkpoints of the run, the last at its end.
    pub saves: f64,
    /// Seconds of work from one to the next.
    pub interval_s: f64,
    /// Seconds of work from one to the next that cost the least time, by Daly's formula, and at least those in which
    /// the last one is still being written; absent without failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_interval_s: Option<f64>,
}

/// What is to be expected of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Expected {
    /// Hours; what the parts add up to.
    pub hours: f64,
    /// Dollars; absent without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Share of the hours that trains for good.
    pub goodput: f64,
    /// Failures and interruptions.
    pub failures: f64,
    /// Hours of each part.
    pub hours_of: RunParts,
    /// Dollars of each part; absent without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_of: Option<RunParts>,
    /// Energy in kilowatt-hours; absent where it is not counted, or the card's power not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_kwh: Option<f64>,
    /// Emissions in kilograms of CO2 equivalent; absent where the energy is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub co2_kg: Option<f64>,
}
