//! How far an estimate may be off, and what no published run covers.
//!
//! `core/catalog/coverage.toml` is written by `examples/fit`: what the published runs cover, and how far those of a
//! source are from estimates fitted on all the others.

use crate::efficiency::EFFICIENCY;
use crate::error::Caveat;
use crate::job::Job;
use crate::plan::Layout;
use crate::wire::{Attention, Backend, Interval, Precision};

/// What a run has in common with others that say how far estimates of it are off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Entry of `efficiency.toml`: an architecture, or a GPU that has its own.
    pub architecture: &'static str,
    /// Bits of the matrix products.
    pub bits: u8,
    /// Entry of `efficiency.toml`: the trainer.
    pub framework: &'static str,
    /// Whether the model has experts.
    pub experts: bool,
}

/// The table in `catalog/coverage.toml`.
#[derive(Clone, Copy, Debug)]
pub struct Coverage {
    /// What published runs cover.
    pub kinds: &'static [Kind],
    /// Half-width of the throughput's interval as a logarithm, for dense models in 16 bits: where some source covers
    /// the kind of run, and where none does.
    pub plain: [f64; 2],
    /// The same for models with experts and for fewer bits.
    pub involved: [f64; 2],
    /// The same for generation: on an architecture that some run covers, and on another.
    pub generation: [f64; 2],
    /// Architectures on which generation was measured.
    pub generation_on: &'static [&'static str],
    /// The same for an RL step.
    pub reinforcement: f64,
    /// The same of the peak memory: full-parameter training, adapters, anything without a measured peak.
    pub memory: [f64; 3],
}

/// What published runs cover.
#[allow(
    clippy::approx_constant,
    reason = "a measured figure may happen to look like one"
)]
pub static COVERAGE: Coverage = include!(concat!(env!("OUT_DIR"), "/coverage.rs"));

/// Share of left-out runs that the intervals are to hold.
pub const COVERED_SHARE: f64 = 0.8;

impl Coverage {
    /// Half-width of the throughput's interval as a logarithm.
    #[must_use]
    pub fn half_width(&self, kind: Kind, covered: bool) -> f64 {
        let widths = if kind.is_plain() {
            &self.plain
        } else {
            &self.involved
        };
        widths[usize::from(!covered)]
    }
}

impl Kind {
    /// A dense model in 16 bits.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.bits == 16 && !self.experts
    }

    /// The kind of run that a job is under a layout.
    #[must_use]
    pub fn of(job: &Job, layout: &Layout) -> Self {
        let framework = match (layout.backend, layout.attention) {
            (Backend::Megatron, Attention::Unfused) => "early_megatron",
            (Backend::Megatron, Attention::Flash) => "megatron",
            (Backend::Fsdp, _) => "fsdp",
            (Backend::Deepspeed, _) => "deepspeed",
            (Backend::Ddp, _) => "ddp",
        };
        Self {
            architecture: &EFFICIENCY.architecture(&job.hardware).name,
            bits: match job.workload.precision {
                Precision::Bf16 | Precision::Fp16 => 16,
                Precision::Fp8 | Precision::Mxfp8 => 8,
                Precision::Nvfp4 => 4,
            },
            framework,
            experts: job.model.shape.num_experts > 0,
        }
    }
}

/// Half-widths, as logarithms, of the intervals around a throughput and a peak.
#[must_use]
pub fn half_widths(job: &Job, layout: &Layout) -> (f64, f64) {
    let workload = &job.workload;
    let [full, adapters, unmeasured] = COVERAGE.memory;
    if workload.rl.is_some() {
        return (COVERAGE.reinforcement, unmeasured);
    }
    if workload.generation.is_some() {
        let own = &EFFICIENCY.architecture(&job.hardware).name;
        let covered = COVERAGE.generation_on.iter().any(|known| known == own);
        return (COVERAGE.generation[usize::from(!covered)], unmeasured);
    }
    let kind = Kind::of(job, layout);
    let peak = match layout.backend {
        _ if workload.lora.is_some() => adapters,
        Backend::Megatron | Backend::Fsdp => full,
        Backend::Deepspeed | Backend::Ddp => unmeasured,
    };
    (
        COVERAGE.half_width(kind, COVERAGE.kinds.contains(&kind)),
        peak,
    )
}

/// The interval around an estimate that holds [`COVERED_SHARE`] of the runs of sources it was not fitted on: errors of
/// left-out groups as widths (compare Barber et al. 2021, arXiv:1905.02928).
#[must_use]
pub fn interval(job: &Job, layout: &Layout, tokens_per_s: f64, peak_gib: f64) -> Interval {
    let (speed, peak) = half_widths(job, layout);
    Interval {
        coverage: COVERED_SHARE,
        tokens_per_s_per_gpu: around(tokens_per_s, speed),
        peak_gib: around(peak_gib, peak),
    }
}

/// Share of a card that a plan may fill by our estimate so that it really fits in most cases: the upper end of the
/// memory's interval, of full training on Megatron and FSDP, is within the card.
#[must_use]
pub fn comfortable_share() -> f64 {
    libm::exp(-COVERAGE.memory[0])
}

fn around(value: f64, half: f64) -> [f64; 2] {
    [value * libm::exp(-half), value * libm::exp(half)]
}

/// What published runs do not cover of this job, as a caveat.
#[must_use]
pub fn caveat(job: &Job, layout: &Layout) -> Option<Caveat> {
    let kind = Kind::of(job, layout);
    let covered = |alike: &dyn Fn(&Kind) -> bool| COVERAGE.kinds.iter().any(alike);
    if covered(&|own| *own == kind) {
        return None;
    }
    let of_gpu = |own: &Kind| own.architecture == kind.architecture;
    let missing = if !covered(&of_gpu) {
        "runs on this architecture"
    } else if !covered(&|own| of_gpu(own) && own.bits == kind.bits) {
        "runs in this precision on this architecture"
    } else if !covered(&|own| of_gpu(own) && own.framework == kind.framework) {
        "runs of this framework on this architecture"
    } else if kind.experts {
        "runs of experts with all of these"
    } else {
        "runs of a dense model with all of these"
    };
    Some(Caveat::new(
        "not-covered",
        format!(
            "No published training {missing} ({}) are in the data: the interval is wider.",
            job.hardware.name
        ),
    ))
}
