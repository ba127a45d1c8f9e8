//! How far an estimate may be off, and what no published run covers.
//!
//! `core/catalog/data/coverage.toml` is written by `examples/fit`: what the published runs cover, and how far those of a
//! source are from estimates fitted on all the others.

mod beyond;
mod said;

pub use beyond::{Layouts, beyond, caution, engine_caution};
pub use said::{UNTRIED, caveat, untried};

use crate::batch;
use crate::rollout::version;
use shardwise_catalog::efficiency::EFFICIENCY;
use shardwise_catalog::hardware::Hardware;
use shardwise_catalog::model::Shape;
use shardwise_catalog::spread::{Quantile, Spread};
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::{Attention, Backend, Interval, Precision, WorkloadKind};

/// What a run has in common with others that say how far estimates of it are off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Entry of `efficiency.toml`: an architecture, or a GPU that has its own.
    pub architecture: &'static str,
    /// Bits of the matrix products.
    pub bits: u8,
    /// Entry of `efficiency.toml`: the trainer.
    pub framework: &'static str,
    /// What trains: `pretrain`, `tune` (all weights of a pre-trained model) or `adapters`.
    pub task: &'static str,
    /// Whether the model has experts.
    pub experts: bool,
}

/// Kinds whose throughput is off as far. Trainers of fine-tuning differ in what they do eagerly, in how they pad and in what the
/// host takes; those of pre-training are few and tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Pre-training of dense models in 16 bits.
    Plain,
    /// Fine-tuning of dense models in 16 bits, of all weights or of adapters.
    Tuned,
    /// Dense models in fewer bits.
    Low,
    /// Models with experts.
    Experts,
}

/// How near the nearest published run is to one. What is met for the first time is off by more the further it is from all that was
/// known before (`tests/data/first-met.jsonl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearest {
    /// Of its kind; with experts, of a model with as many that are as wide. Dense models are alike.
    Model,
    /// Of its kind.
    Kind,
    /// On its card's architecture.
    Architecture,
    /// On other architectures.
    None,
}

/// The table in `catalog/coverage.toml`.
#[derive(Clone, Copy, Debug)]
pub struct Coverage {
    /// What published runs cover.
    pub kinds: &'static [Kind],
    /// Width and number of the experts that the runs of each of [`Self::kinds`] had.
    pub experts_of: &'static [&'static [[u64; 2]]],
    /// Half-widths of the throughput's interval as logarithms, where a dense model is pre-trained in 16 bits: where some run is near
    /// ([`Nearest::Model`]; errors of sources left out), and where none is (of whole kinds, and of runs when they were first met).
    pub plain: [f64; 2],
    /// Where a dense model is fine-tuned in 16 bits: likewise.
    pub tuned: [f64; 2],
    /// Where a dense model is trained in fewer bits: likewise.
    pub low: [f64; 2],
    /// With experts: likewise.
    pub experts: [f64; 2],
    /// Where no run is on the card, least half-width of training's interval: errors of left-out generations.
    pub card: f64,
    /// How far generation is off, by engine.
    pub generation: &'static [Generation],
    /// What published RL steps cover.
    pub reinforcement_kinds: &'static [Kind],
    /// Half-width of the interval of an RL step's throughput as a logarithm: where some step is of the kind (errors of tables left
    /// out), where none is (of whole kinds), and where nothing says which engine it was (of tables, asked without).
    pub reinforcement: [f64; 3],
    /// The RL steps behind it.
    pub reinforcement_runs: usize,
    /// How far off whole ones are at the median, as a share, each table predicted from the others.
    pub reinforcement_median: f64,
    /// Needed over estimated memory, by [`MemoryKind`].
    pub memory: [Spread; 5],
    /// Architectures on which memory was measured.
    pub memory_on: &'static [&'static str],
    /// Half-widths of the intervals of training and of generation on cards of a maker of whose cards fewer than two sources
    /// have runs: how far those on AMD's are off where what is typical of all cards is taken for AMD's own rates, and what
    /// the few runs on such cards let expect.
    pub foreign: [f64; 2],
    /// Makers of whose cards two sources or more have runs.
    pub vendors: &'static [&'static str],
    /// GPU types that some run is on.
    pub cards: &'static [Card],
    /// How far published runs went with layouts.
    pub layouts: &'static [Layouts],
    /// Most GPUs of one engine that splits matrices.
    pub engine_tensor_parallel: f64,
}

/// A GPU type that some published run is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its id.
    pub gpu: &'static str,
    /// Training runs.
    pub training: usize,
    /// Generation runs and measurements of servers.
    pub generation: usize,
    /// RL steps.
    pub reinforcement: usize,
}

/// How far generation by an engine is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Generation {
    /// Entry of `efficiency.toml`: the engine.
    pub engine: &'static str,
    /// Half-width of its interval as a logarithm: where some run of it is of the kind and of the model (errors of models left out on
    /// a card in a precision), where none is (of whole kinds or models), and on an architecture that no run covers.
    pub half_widths: [f64; 3],
    /// Architectures on which it was measured.
    pub on: &'static [&'static str],
    /// Of which architecture, bits of the products, and with experts or without, it was.
    pub kinds: &'static [(&'static str, u8, bool)],
    /// The models, by their ids.
    pub models: &'static [&'static str],
    /// How many runs that is.
    pub runs: usize,
}

impl Coverage {
    /// The runs on a GPU type, or on the one that it is taken to be like; `None` where there are none.
    #[must_use]
    pub fn card(&self, hardware: &Hardware) -> Option<&'static Card> {
        self.cards.iter().find(|own| own.gpu == hardware.benchmarked())
    }

    /// Whether too few runs are on cards of a GPU's maker to say how far off its estimates are. Of a card of one's own whose
    /// architecture is not stated the maker is not asked for.
    #[must_use]
    pub fn is_foreign(&self, hardware: &Hardware) -> bool {
        hardware.vendor().is_some_and(|own| !self.vendors.contains(&own))
    }

    /// How far generation by the engine of a plan is off; without one, by today's vLLM.
    #[must_use]
    pub fn generation(&self, engine: Option<&RolloutPlan>) -> &'static Generation {
        let name = engine.map_or("vllm", version::entry);
        let own = self.generation.iter().find(|own| own.engine == name);
        own.unwrap_or(&self.generation[0])
    }
}

/// What runs have in common whose memory is off alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// All weights train, by Megatron.
    Megatron,
    /// All weights train, by FSDP.
    Fsdp,
    /// All weights train, by code that does neither: `DeepSpeed`, plain data parallelism.
    Other,
    /// Adapters train.
    Adapters,
    /// The architecture mixes in other blocks than attention, whatever trains it.
    Hybrid,
}

impl MemoryKind {
    /// Every kind, in the order of [`Coverage::memory`].
    pub const ALL: [Self; 5] = [Self::Megatron, Self::Fsdp, Self::Other, Self::Adapters, Self::Hybrid];

    /// The kind of a job under a layout.
    #[must_use]
    pub fn of(job: &Job, layout: &Layout) -> Self {
        match layout.backend {
            _ if job.model.shape.layer_pattern.contains(['L', 'M']) => Self::Hybrid,
            _ if job.workload.lora.is_some() => Self::Adapters,
            Backend::Megatron => Self::Megatron,
            Backend::Fsdp => Self::Fsdp,
            Backend::Deepspeed | Backend::Ddp => Self::Other,
        }
    }
}

/// How much wider the spread is where no published run measured the memory of preference data' or of images' training, or any on the
/// architecture. Assumed: as much as a source differs from the others of its kind beside what its own runs differ.
const UNMEASURED: f64 = 1.25;

/// What comes to the spread of an RL step, whose engine, wake-ups and exchange of weights leave on the card what no published run
/// measured. By the outcomes of the 74 reports known before 30 November 2026 (`core/tests/data/fit-reports.jsonl`) 0.27 is the least
/// that is as likely as any (Wilks 1938, doi:10.1214/aoms/1177732360). Reports leave out what a question states, which makes them look
/// further off than they are, and with more the largest budgets that are named fall by half: set by hand, to little more than half.
const REINFORCED: f64 = 0.15;

/// What comes to the upper half where routed experts train: measured peaks are of benchmarks that route evenly
/// (`moe_router_force_load_balancing` of Megatron-LM), where a run's busiest GPU has more of the tokens. The reports of 30 November 2026
/// are likelier by 3 in logarithms so, and likelier still with more; those before say nothing either way.
const UNEVEN: f64 = 0.06;

/// How far off an estimate of a job's training memory may be, by [`MemoryKind`].
pub(crate) fn memory_spreads(job: &Job) -> [Spread; MemoryKind::ALL.len()] {
    let architecture = &EFFICIENCY.architecture(&job.hardware).name;
    let taught = job.workload.distillation.is_some();
    let other = job.workload.images.is_some() || taught || job.workload.kind.preference().is_some();
    let elsewhere = !COVERAGE.memory_on.iter().any(|known| known == architecture);
    let wider = |spread: Spread, where_so: bool| if where_so { spread.wider(UNMEASURED) } else { spread };
    let (more, less) = match (&job.workload.rl, job.model.shape.num_experts) {
        (Some(_), _) => (REINFORCED, REINFORCED),
        (None, 0) => (0.0, 0.0),
        (None, _) => (UNEVEN, 0.0),
    };
    COVERAGE.memory.map(|spread| {
        let Spread { median, above, below } = wider(wider(spread, other), elsewhere);
        Spread { median, above: libm::hypot(above, more), below: libm::hypot(below, less) }
    })
}

/// What published runs cover.
#[allow(clippy::approx_constant, reason = "a measured figure may happen to look like one")]
pub static COVERAGE: Coverage = include!(concat!(env!("OUT_DIR"), "/coverage.rs"));

/// Share of left-out runs that the intervals are to hold.
pub const COVERED_SHARE: f64 = 0.8;

/// The ends of what holds that share: a tenth of the cases lies below, a tenth above. Written down, as every answer asks for them.
pub const COVERED_ENDS: [Quantile; 2] = [Quantile::at(-1.533_206_274_058_944_3), Quantile::at(1.533_206_274_058_944_3)];

impl Coverage {
    /// How near the nearest published run of training is to one of a kind, of a model of a shape.
    #[must_use]
    pub fn nearest(&self, kind: Kind, shape: &Shape) -> Nearest {
        let experts = [shape.hidden_size, shape.num_experts];
        match self.kinds.iter().position(|own| *own == kind) {
            Some(place) if !kind.experts || self.experts_of[place].contains(&experts) => Nearest::Model,
            Some(_) => Nearest::Kind,
            None if self.kinds.iter().any(|own| own.architecture == kind.architecture) => Nearest::Architecture,
            None => Nearest::None,
        }
    }

    /// Half-width of the throughput's interval as a logarithm.
    #[must_use]
    pub fn half_width(&self, family: Family, nearest: Nearest) -> f64 {
        let widths = match family {
            Family::Plain => &self.plain,
            Family::Tuned => &self.tuned,
            Family::Low => &self.low,
            Family::Experts => &self.experts,
        };
        match nearest {
            Nearest::Model => widths[0],
            Nearest::Kind | Nearest::Architecture => widths[1],
            Nearest::None => widths[1].max(self.card),
        }
    }
}

/// Entry of `efficiency.toml`: the trainer.
fn framework(layout: &Layout) -> &'static str {
    match (layout.backend, layout.attention) {
        (Backend::Megatron, Attention::Unfused) => "early_megatron",
        (Backend::Megatron, Attention::Flash) => "megatron",
        (Backend::Fsdp, _) => "fsdp",
        (Backend::Deepspeed, _) => "deepspeed",
        (Backend::Ddp, _) => "ddp",
    }
}

/// Bits of the matrix products.
fn bits(precision: Precision) -> u8 {
    match precision {
        Precision::Bf16 | Precision::Fp16 => 16,
        Precision::Fp8 | Precision::Mxfp8 => 8,
        Precision::Nvfp4 => 4,
    }
}

/// The kind of generation that a job is: architecture, bits of the products, whether the model has experts.
#[must_use]
pub fn generated(job: &Job) -> (&'static str, u8, bool) {
    let architecture = &EFFICIENCY.architecture(&job.hardware).name;
    (architecture, bits(job.workload.precision), job.model.shape.num_experts > 0)
}

impl Kind {
    /// Those that it is off with alike.
    #[must_use]
    pub fn family(self) -> Family {
        match self.task {
            _ if self.experts => Family::Experts,
            _ if self.bits != 16 => Family::Low,
            "pretrain" => Family::Plain,
            _ => Family::Tuned,
        }
    }

    /// The kind of run that a job is under a layout.
    #[must_use]
    pub fn of(job: &Job, layout: &Layout) -> Self {
        Self {
            architecture: &EFFICIENCY.architecture(&job.hardware).name,
            bits: bits(job.workload.precision),
            framework: framework(layout),
            task: match job.workload.kind {
                // No published run is one: nothing says how far off it is but runs of other kinds.
                own if own.preference().is_some() => "prefer",
                _ if job.workload.images.is_some() => "images",
                _ if job.workload.distillation.is_some() => "distil",
                _ if job.workload.lora.is_some() => "adapters",
                WorkloadKind::Pretrain => "pretrain",
                _ => "tune",
            },
            experts: job.model.shape.num_experts > 0,
        }
    }
}

/// Half-width, as a logarithm, of the interval around a throughput: wider for layouts beyond those that were tried.
#[must_use]
pub fn half_width(job: &Job, plan: &Plan) -> f64 {
    if job.workload.generation.is_some() {
        return of_kind(job, plan);
    }
    let layout = &plan.layout;
    of_kind(job, plan) + beyond::CAUTION * beyond(job, layout, batch::of_update(job, layout).mean.tokens)
}

fn of_kind(job: &Job, plan: &Plan) -> f64 {
    let generation = COVERAGE.generation(plan.rollout.as_ref());
    let half = of_runs(job, plan, generation).max(of_card(job, generation));
    // A run of one's own says most where nothing else does.
    let trains = job.workload.rl.is_none() && job.workload.generation.is_none();
    if trains && job.calibration.is_some_and(|own| own.time.is_some()) { half.min(CALIBRATED) } else { half }
}

/// Most half-width of training's interval, as a logarithm, where a run of one's own says how far off the step is: eight of ten
/// published runs of kinds that no other source covers are within it of what another run of their source on their card lets
/// expect (`tests/calibration.rs`).
pub const CALIBRATED: f64 = 0.33;

/// The least half-width where no run is on the card: that of kinds that none is of; where too few are on any card of its
/// maker, what AMD's cards say of that.
fn of_card(job: &Job, generation: &Generation) -> f64 {
    let trains = job.workload.generation.is_none();
    let generates = !trains || job.workload.rl.is_some();
    let on_others = match COVERAGE.card(&job.hardware) {
        Some(_) => [0.0; 2],
        None => [COVERAGE.card, generation.half_widths[2]],
    };
    let of_maker = if COVERAGE.is_foreign(&job.hardware) { COVERAGE.foreign } else { [0.0; 2] };
    let [training, generation] = [0, 1].map(|place| on_others[place].max(of_maker[place]));
    let asked = |which: bool, half: f64| if which { half } else { 0.0 };
    asked(trains, training).max(asked(generates, generation))
}

fn of_runs(job: &Job, plan: &Plan, generation: &Generation) -> f64 {
    let workload = &job.workload;
    if workload.rl.is_some() {
        let [.., uncovered] = generation.half_widths;
        let known = COVERAGE.reinforcement_kinds.contains(&Kind::of(job, &plan.layout));
        let [of_known, of_others, unsaid] = COVERAGE.reinforcement;
        let own = if known { of_known } else { of_others };
        // Trainers pin the engine: today's, which stands for what is not said, is none of the older ones.
        let said = plan.rollout.is_some_and(|engine| engine.engine_version.is_some());
        let own = if said { own } else { own.max(unsaid) };
        // No published step says where the time of its images goes, of its teacher, or of a reward model that trains.
        let taught = workload.distillation.is_some() || workload.kind.has_process_reward();
        let unseen = workload.images.is_some() || taught;
        let seen = if unseen { uncovered } else { 0.0 };
        // An architecture that nobody knows is no better covered by the published steps than by generation runs.
        return match EFFICIENCY.known(&job.hardware) {
            Some(_) => own.max(seen),
            None => own.max(uncovered),
        };
    }
    if workload.generation.is_some() {
        let own = generated(job);
        let place = match () {
            () if workload.images.is_some() || !generation.on.contains(&own.0) => 2,
            () if !(generation.kinds.contains(&own) && generation.models.contains(&job.model.id.as_ref())) => 1,
            () => 0,
        };
        return generation.half_widths[place];
    }
    let kind = Kind::of(job, &plan.layout);
    COVERAGE.half_width(kind.family(), COVERAGE.nearest(kind, &job.model.shape))
}

/// The interval around an estimate that holds [`COVERED_SHARE`] of the runs of sources it was not fitted on: errors of
/// left-out groups as widths (compare Barber et al. 2021, arXiv:1905.02928). `peak_gib` is that of the memory
/// ([`crate::fit::peak_interval`]).
#[must_use]
pub fn interval(job: &Job, plan: &Plan, tokens_per_s: f64, peak_gib: [f64; 2]) -> Interval {
    Interval { coverage: COVERED_SHARE, tokens_per_s_per_gpu: around(tokens_per_s, half_width(job, plan)), peak_gib }
}

fn around(value: f64, half: f64) -> [f64; 2] {
    [value * libm::exp(-half), value * libm::exp(half)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_those_of_the_share() {
        let ends = [0.5 * (1.0 - COVERED_SHARE), 0.5 * (1.0 + COVERED_SHARE)];
        assert_eq!(COVERED_ENDS, ends.map(Quantile::of));
    }
}
