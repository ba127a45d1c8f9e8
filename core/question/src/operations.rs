//! What a whole run meets beside its steps, with every default applied, and the published figures that these are.

use crate::workload::Workload;
use shardwise_catalog::hardware::Hardware;

/// Hours of one GPU between two failures of the job that it is part of: Llama 3 405B had 419 unexpected interruptions in 54
/// days on 16,384 H100 (Grattafiori et al. 2024, arXiv:2407.21783;
/// <https://direct.datacenterdynamics.com/en/news/meta-report-details-hundreds-of-gpu-and-hbm3-related-interruptions-to-llama-3-training-run>,
/// read 2026-11-26), to three digits.
///
/// Jobs of other clusters failed more often: one GPU of Meta's RSC-1 every 29,500 hours (6.50 failures of a node of eight in
/// a thousand days; Kokolis et al. 2024, arXiv:2410.21680), one of OPT-175B's every 7,400 (7.5 hours between failures on
/// 992 A100; <https://glennklockwood.com/garden/job-reliability>, read 2026-11-26).
pub const MTBF_GPU_HOURS: f64 = 50_700.0;

/// Seconds from one start of a job to the next that trains: the median of automatic retries on 63 nodes of eight B200 is 11
/// minutes (Lablup 2026, arXiv:2605.09370, abstract; <https://arxiv.org/html/2605.09370>, read 2026-11-26).
pub const STARTUP_S: f64 = 660.0;

/// GB/s to storage for each node: the same 63 nodes write checkpoints at 16.0 % of their storage's 250 GB/s (Lablup 2026,
/// arXiv:2605.09370, abstract; read 2026-11-26).
pub const STORAGE_GB_PER_S_PER_NODE: f64 = 0.63;

/// What a node is rated at over what its GPUs are: a DGX H100 at 10.2 kW, its eight cards at 700 W (Latif et al. 2024,
/// arXiv:2412.08602, abstract; <https://tomesphere.com/paper/2412.08602>, read 2026-11-26).
pub const NODE_FACTOR: f64 = 1.82;

/// Mean power over rated power: computationally intensive training draws 76 % of what an eight-GPU H100 node is rated at
/// (arXiv:2506.14551, abstract; <https://arcxiv.org/abs/2506.14551>, read 2026-11-26).
pub const UTILIZATION: f64 = 0.76;

/// Power of a site over that of its computers: the mean of Uptime Institute's survey of 2023
/// (<https://intelligence.uptimeinstitute.com/resource/large-data-centers-are-mostly-more-efficient-analysis-confirms>, read
/// 2026-11-26). New sites of clouds come to 1.1 to 1.3.
pub const PUE: f64 = 1.58;

/// Grams of CO2 equivalent for one kilowatt-hour: the world's electricity in 2022, by Ember
/// (<https://www.financialexpress.com/opinion/a-cleaner-power-sector/3049395/>, of 2023-04-17, read 2026-11-26).
pub const GRID_GCO2_PER_KWH: f64 = 436.0;

/// What a whole run meets beside its steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operations {
    /// Seconds until the first step.
    pub startup_s: f64,
    /// Evaluation during the run.
    pub evaluation: Evaluation,
    /// Checkpoints; `None` where it saves none.
    pub saving: Option<SavingPlan>,
    /// Hours of one GPU between two failures of its job; `None` where they are not counted.
    pub mtbf_gpu_hours: Option<f64>,
    /// How often a provider takes back one node, per hour. None is published by the hour: AWS's advisor says which share of
    /// an instance type was taken back in a month, in steps of 5 % up to "over 20 %"
    /// (<https://sparecores.com/article/spot-instance-terminate-rates-per-az>, read 2026-11-26); 20 % are 0.0003 an hour.
    pub interruptions_per_instance_hour: f64,
    /// Seconds of a restart; `None`: the start-up's, and those in which a checkpoint is read.
    pub restart_s: Option<f64>,
    /// Energy; `None` where it is not counted.
    pub power: Option<Power>,
}

/// Evaluation during a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evaluation {
    /// Of so many seconds after so many steps.
    Every {
        /// Steps from one to the next.
        steps: u64,
        /// Seconds of one.
        seconds: f64,
    },
    /// A share of training's time beside it; 0 for none.
    Share(f64),
}

/// How a run saves checkpoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SavingPlan {
    /// How often.
    pub every: Often,
    /// Bytes per second over all nodes.
    pub bytes_per_s: f64,
    /// Whether training goes on while one is written.
    pub asynchronous: bool,
}

/// How often a run saves a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Often {
    /// As often as costs the least time.
    Best,
    /// After so many steps.
    Steps(u64),
    /// After so many seconds of work.
    Seconds(f64),
}

/// What energy is counted by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Watts that one GPU is rated at, where they are known.
    pub board_w: Option<f64>,
    /// What a node is rated at over what its GPUs are.
    pub node_factor: f64,
    /// Mean power over rated power.
    pub utilization: f64,
    /// Power of the site over that of its computers.
    pub pue: f64,
    /// Grams of CO2 equivalent for one kilowatt-hour.
    pub grid_gco2_per_kwh: f64,
}

/// Whether a run is counted with what it meets beside its steps: it trains, and something says how long it is.
#[must_use]
pub fn counts(workload: &Workload) -> bool {
    workload.generation.is_none() && workload.run.is_some()
}

/// Instances of a job, each of which a provider may take back: its nodes.
#[must_use]
pub fn instances(hardware: &Hardware) -> f64 {
    f64::from(hardware.nodes())
}
