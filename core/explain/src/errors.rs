//! How far estimates were off where they were measured, in words.
//!
//! The figures are `public/accuracy.json`'s and `core/catalog/data/coverage.toml`'s, which `make fit` writes and
//! `core/explain/build/measured.rs` reads: none is written here.

use serde::Serialize;

use shardwise_catalog::efficiency::TYPICAL;
use shardwise_catalog::units::fixed;
use shardwise_engine::coverage::{self, COVERAGE, COVERED_SHARE, Family, Kind, MemoryKind, Nearest};
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::Backend;
use shardwise_search::estimate::Evaluated;

/// What measured a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Errors {
    /// Nothing: it is exact, or no published figure shows it.
    None,
    /// The throughput of published training runs.
    Speed,
    /// Their peak memory.
    Memory,
    /// Published RL steps and their phases.
    Rl,
    /// Published generation runs.
    Generation,
}

/// Errors of estimates of a kind of runs: `|predicted / measured − 1|`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Measured {
    /// `speed`, `memory`, `generation` or `step`.
    pub of: &'static str,
    /// `all`, `framework`, or of RL steps `kind`.
    pub by: &'static str,
    /// Of `all`: `headline` for sources that state all that matters, else `other`. A framework or engine; a phase of a step.
    pub name: &'static str,
    /// Whether constants were fitted without the run's own source.
    pub left_out: bool,
    /// Runs.
    pub runs: usize,
    /// Median error.
    pub median: f64,
    /// Nine in ten are below it.
    pub p90: f64,
    /// Share of the runs that the interval holds; absent where that is not recorded.
    pub covered: Option<f64>,
}

include!(concat!(env!("OUT_DIR"), "/measured.rs"));

/// Every error on record.
#[must_use]
pub fn measured() -> &'static [Measured] {
    MEASURED
}

fn found(of: &str, by: &str, name: &str, left_out: bool) -> Option<&'static Measured> {
    let mut all = MEASURED.iter();
    all.find(|own| (own.of, own.by, own.name, own.left_out) == (of, by, name, left_out))
}

fn percent(share: f64) -> String {
    format!("{} %", fixed(share * 100.0, 1))
}

/// What is on record of a kind, in a sentence or two; nothing of [`Errors::None`].
#[must_use]
pub fn error_of(errors: Errors) -> String {
    match errors {
        Errors::None => String::new(),
        Errors::Speed => training("speed", None),
        Errors::Memory => training("memory", None),
        Errors::Rl => phases("headline"),
        Errors::Generation => generation(None, COVERAGE.generation(None).half_widths[1]),
    }
}

/// Errors of training runs: all whose source states everything, and those of a framework.
fn training(of: &str, framework: Option<&str>) -> String {
    let (Some(own), Some(left)) = (found(of, "all", "headline", false), found(of, "all", "headline", true)) else {
        return String::new();
    };
    let covered = own.covered.map(percent).unwrap_or_default();
    let [median, p90, left] = [own.median, own.p90, left.median].map(percent);
    let (runs, share) = (own.runs, fixed(COVERED_SHARE * 100.0, 0));
    let mut text = match of {
        "speed" => format!(
            "Median {median} on {runs} published training runs, nine in ten within {p90}; {left} with the run's own source left out of the fit. The {share} % interval held {covered} of them."
        ),
        _ => format!(
            "Median {median} on {runs} published memory peaks, nine in ten within {p90}. The {share} % interval held {covered} of them."
        ),
    };
    if let Some(own) = framework.and_then(|name| found(of, "framework", name, false)) {
        let (name, runs, median) = (name(own.name), own.runs, percent(own.median));
        text.push_str(&format!(" On {name}: {median} on {runs} runs."));
    }
    text
}

/// Errors of RL steps, or of one of their phases.
fn phases(name: &str) -> String {
    let by = if name == "headline" { "all" } else { "kind" };
    let (Some(own), Some(left)) = (found("step", by, name, false), found("step", by, name, true)) else {
        return String::new();
    };
    let [median, p90, left] = [own.median, own.p90, left.median].map(percent);
    let runs = own.runs;
    let what = match name {
        "rollout" => "rollouts",
        "update_actor" => "actor updates",
        "old_log_prob" => "log-prob phases",
        _ => "RL steps",
    };
    format!(
        "Median {median} on {runs} published {what}, nine in ten within {p90}; {left} with the run's own table left out of the fit."
    )
}

/// What the interval says of generation runs.
fn generation(engine: Option<&RolloutPlan>, half: f64) -> String {
    let [low, high] = [1.0 - libm::exp(-half), libm::exp(half) - 1.0].map(percent);
    let share = fixed(COVERED_SHARE * 100.0, 0);
    let own = COVERAGE.generation(engine);
    let runs = own.runs;
    let name = match own.engine {
        "sglang" => "SGLang",
        "tensorrt_llm" => "TensorRT-LLM",
        _ => "vLLM",
    };
    format!(
        "{share} % of {runs} published {name} runs, predicted by fits without them, lie between −{low} and +{high} of the estimate."
    )
}

/// Half-width of the interval around a throughput, as a logarithm.
pub(super) fn half_width(found: &Evaluated) -> f64 {
    coverage::half_width(&found.job, &found.plan)
}

fn framework(found: &Evaluated) -> &'static str {
    match found.plan.layout.backend {
        Backend::Megatron => "megatron",
        Backend::Fsdp => "fsdp",
        Backend::Deepspeed => "deepspeed",
        Backend::Ddp => "ddp",
    }
}

/// How far a figure of `found` may be off.
pub(super) fn error_sentence(found: &Evaluated, method: &str, figure: &str) -> String {
    // Of what a run meets beside its steps no published run states all.
    if matches!(method, "price" | "capacity") || figure.starts_with("run.operations") {
        return String::new();
    }
    let workload = &found.job.workload;
    if figure.starts_with("memory") || figure.starts_with("limits") || figure.contains("peak_gib") {
        let measured = workload.rl.is_none()
            && workload.generation.is_none()
            && workload.lora.is_none()
            && matches!(found.plan.layout.backend, Backend::Megatron | Backend::Fsdp);
        let all = training("memory", measured.then(|| framework(found)));
        if measured {
            return all;
        }
        return format!("No published peak is of such a run. {all}");
    }
    if workload.generation.is_some() {
        return generation(found.plan.rollout.as_ref(), half_width(found));
    }
    if workload.rl.is_none() {
        return training("speed", Some(framework(found)));
    }
    let phase = figure.strip_prefix("time.").unwrap_or_default();
    let phase = phase.split('.').next().unwrap_or_default();
    phases(match phase {
        "rollout" => "rollout",
        "update_actor" | "update_critic" | "update_reward" => "update_actor",
        "old_log_prob" | "mismatched" | "reference" | "values" | "reward_reference" => "old_log_prob",
        _ => "headline",
    })
}

/// Which runs an interval is as wide as.
pub(super) fn group_of_runs(found: &Evaluated, memory: bool) -> String {
    let (job, layout) = (&found.job, &found.plan.layout);
    let share = fixed(COVERED_SHARE * 100.0, 0);
    let runs = if memory {
        peaks(MemoryKind::of(job, layout))
    } else if job.workload.rl.is_some() {
        "RL steps".to_owned()
    } else if job.workload.generation.is_some() {
        "vLLM runs".to_owned()
    } else {
        training_runs(Kind::of(job, layout))
    };
    let trains = !memory && job.workload.rl.is_none() && job.workload.generation.is_none();
    if trains && COVERAGE.nearest(Kind::of(job, layout), &job.model.shape) != Nearest::Model {
        return format!(
            "{share} % of the published {runs} lie within this factor of their estimate, each kind of run left out of the fit in turn, and so do {share} % of the runs as new as this one that were collected later, held against the estimate before it learnt from them."
        );
    }
    format!(
        "{share} % of the published {runs} lie within this factor of their estimate, each source left out of the fit in turn."
    )
}

/// The peaks whose errors make the interval of `kind`, and how many there are.
fn peaks(kind: MemoryKind) -> String {
    let own = match kind {
        MemoryKind::Megatron => "of full training on Megatron",
        MemoryKind::Fsdp => "of full training on FSDP",
        MemoryKind::Other => "of full training",
        MemoryKind::Adapters => "of adapter runs",
        MemoryKind::Hybrid => "of hybrid architectures",
    };
    match MEMORY_RUNS.get(kind as usize) {
        // As `examples/fit/memory.rs` does where fewer than two sources measured a kind.
        Some((0 | 1, _)) => format!("peaks of every kind, as next to none are {own},"),
        found => {
            let (sources, runs) = found.copied().unwrap_or_default();
            format!("peaks {own} ({runs} runs of {sources} sources)")
        }
    }
}

/// The training runs whose errors make the interval of `kind`, and how many are like it.
fn training_runs(kind: Kind) -> String {
    let covered = COVERAGE.kinds.iter().position(|known| *known == kind);
    let own = covered.and_then(|place| KIND_RUNS.get(place));
    let models = match kind.family() {
        Family::Plain => "dense pre-training runs in 16 bits",
        Family::Tuned => "dense fine-tuning runs in 16 bits",
        Family::Low => "dense training runs in fewer bits",
        Family::Experts => "training runs with experts",
    };
    let on = match kind.architecture {
        TYPICAL => "an unknown architecture",
        known => known,
    };
    let like = format!("{} on {on}, {} bits", name(kind.framework), kind.bits);
    match own {
        Some((1, runs)) => format!("{models} (here: {like}; {runs} runs of 1 source)"),
        Some((sources, runs)) => format!("{models} (here: {like}; {runs} runs of {sources} sources)"),
        None => format!("{models} (here of a kind that none of them covers: {like})"),
    }
}

/// What a framework is called.
fn name(framework: &str) -> &str {
    match framework {
        "megatron" => "Megatron",
        "early_megatron" => "Megatron without flash attention",
        "fsdp" => "FSDP",
        "deepspeed" => "DeepSpeed",
        "ddp" => "DDP",
        other => other,
    }
}
