//! How far estimates were off where they were measured, in words.
//!
//! The figures are `public/accuracy.json`'s, `core/tests/data/rl.toml`'s and `core/catalog/data/coverage.toml`'s, which
//! `core/explain/build/measured.rs` reads: none is written here.

use serde::Serialize;

use shardwise_catalog::efficiency::TYPICAL;
use shardwise_catalog::units::fixed;
use shardwise_engine::coverage::{self, COVERAGE, COVERED_SHARE, Kind, MemoryKind};
use shardwise_question::wire::Backend;
use shardwise_question::wire::Language;
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
    /// `speed`, `memory` or `rl`.
    pub of: &'static str,
    /// `all`, or `framework`.
    pub by: &'static str,
    /// Of `all`: `headline` for sources that state all that matters, else `other`; of RL also a phase. Or a framework.
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
pub fn error_of(errors: Errors, language: Language) -> String {
    match errors {
        Errors::None => String::new(),
        Errors::Speed => training("speed", None, language),
        Errors::Memory => training("memory", None, language),
        Errors::Rl => phases("headline", language),
        Errors::Generation => generation(COVERAGE.generation[0], language),
    }
}

/// Errors of training runs: all whose source states everything, and those of a framework.
fn training(of: &str, framework: Option<&str>, language: Language) -> String {
    let (Some(own), Some(left)) = (found(of, "all", "headline", false), found(of, "all", "headline", true)) else {
        return String::new();
    };
    let covered = own.covered.map(percent).unwrap_or_default();
    let [median, p90, left] = [own.median, own.p90, left.median].map(percent);
    let (runs, share) = (own.runs, fixed(COVERED_SHARE * 100.0, 0));
    let mut text = match (of, language) {
        ("speed", Language::En) => format!(
            "Median {median} on {runs} published training runs, nine in ten within {p90}; {left} with the run's own source left out of the fit. The {share} % interval held {covered} of them."
        ),
        ("speed", Language::Zh) => format!(
            "{runs} 次公开训练的误差中位数为 {median}，九成在 {p90} 以内；拟合时排除其自身来源则为 {left}。{share} % 区间包含其中 {covered}。"
        ),
        (_, Language::En) => format!(
            "Median {median} on {runs} published memory peaks, nine in ten within {p90}. The {share} % interval held {covered} of them."
        ),
        (_, Language::Zh) => format!(
            "{runs} 个公开内存峰值的误差中位数为 {median}，九成在 {p90} 以内。{share} % 区间包含其中 {covered}。"
        ),
    };
    if let Some(own) = framework.and_then(|name| found(of, "framework", name, false)) {
        let (name, runs, median) = (name(own.name), own.runs, percent(own.median));
        text.push_str(&language.pick(
            format!(" On {name}: {median} on {runs} runs."),
            format!("其中 {name} {runs} 次，中位数 {median}。"),
        ));
    }
    text
}

/// Errors of RL steps, or of one of their phases.
fn phases(name: &str, language: Language) -> String {
    let Some(own) = found("rl", "all", name, false) else {
        return String::new();
    };
    let (runs, median, p90) = (own.runs, percent(own.median), percent(own.p90));
    let (what, what_zh) = match name {
        "rollout" => ("rollouts", "次公开 RL 生成阶段"),
        "update_actor" => ("actor updates", "次公开策略更新"),
        "old_log_prob" => ("log-prob phases", "次公开对数概率阶段"),
        _ => ("RL steps", "个公开 RL 训练步"),
    };
    language.pick(
        format!("Median {median} on {runs} published {what}, nine in ten within {p90}."),
        format!("{runs} {what_zh}的误差中位数为 {median}，九成在 {p90} 以内。"),
    )
}

/// What the interval says of generation runs.
fn generation(half: f64, language: Language) -> String {
    let [low, high] = [1.0 - libm::exp(-half), libm::exp(half) - 1.0].map(percent);
    let share = fixed(COVERED_SHARE * 100.0, 0);
    language.pick(
        format!(
            "{share} % of published vLLM runs, their own source left out of the fit, lie between −{low} and +{high} of the estimate."
        ),
        format!("拟合时排除自身来源，{share} % 的公开 vLLM 运行落在预测值的 −{low} 至 +{high} 之间。"),
    )
}

/// Half-width of the interval around a throughput, as a logarithm.
pub(super) fn half_width(found: &Evaluated) -> f64 {
    coverage::half_width(&found.job, &found.plan.layout)
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
pub(super) fn error_sentence(found: &Evaluated, method: &str, figure: &str, language: Language) -> String {
    if matches!(method, "price" | "capacity") {
        return String::new();
    }
    let workload = &found.job.workload;
    if figure.starts_with("memory") || figure.starts_with("limits") || figure.contains("peak_gib") {
        let measured = workload.rl.is_none()
            && workload.generation.is_none()
            && workload.lora.is_none()
            && matches!(found.plan.layout.backend, Backend::Megatron | Backend::Fsdp);
        let all = training("memory", measured.then(|| framework(found)), language);
        if measured {
            return all;
        }
        let none = language.pick("No published peak is of such a run. ", "没有此类训练的公开内存峰值。");
        return format!("{none}{all}");
    }
    if workload.generation.is_some() {
        return generation(half_width(found), language);
    }
    if workload.rl.is_none() {
        return training("speed", Some(framework(found)), language);
    }
    let phase = figure.strip_prefix("time.").unwrap_or_default();
    let phase = phase.split('.').next().unwrap_or_default();
    phases(
        match phase {
            "rollout" => "rollout",
            "update_actor" | "update_critic" => "update_actor",
            "old_log_prob" | "reference" | "values" => "old_log_prob",
            _ => "headline",
        },
        language,
    )
}

/// Which runs an interval is as wide as, in English and Chinese.
pub(super) fn group_of_runs(found: &Evaluated, memory: bool) -> (String, String) {
    let (job, layout) = (&found.job, &found.plan.layout);
    let share = fixed(COVERED_SHARE * 100.0, 0);
    let (en, zh) = if memory {
        let kind = MemoryKind::of(job, layout);
        let (en, zh) = match kind {
            MemoryKind::Megatron => ("of full training on Megatron", " Megatron 全参数训练"),
            MemoryKind::Fsdp => ("of full training on FSDP", " FSDP 全参数训练"),
            MemoryKind::Other => ("of full training", "全参数训练"),
            MemoryKind::Adapters => ("of adapter runs", "适配器训练"),
            MemoryKind::Hybrid => ("of hybrid architectures", "混合架构训练"),
        };
        match MEMORY_RUNS.get(kind as usize) {
            // As `examples/fit/memory.rs` does where fewer than two sources measured a kind.
            Some((0 | 1, _)) => (
                format!("peaks of every kind, as next to none are {en},"),
                format!("各类训练的内存峰值（几乎没有{zh}的）"),
            ),
            found => {
                let (sources, runs) = found.copied().unwrap_or_default();
                (
                    format!("peaks {en} ({runs} runs of {sources} sources)"),
                    format!("{zh}的内存峰值（{sources} 个来源的 {runs} 次）"),
                )
            }
        }
    } else if job.workload.rl.is_some() {
        ("RL steps".to_owned(), " RL 训练步".to_owned())
    } else if job.workload.generation.is_some() {
        ("vLLM runs".to_owned(), " vLLM 运行".to_owned())
    } else {
        training_runs(Kind::of(job, layout))
    };
    (
        format!(
            "{share} % of the published {en} lie within this factor of their estimate, each source left out of the fit in turn."
        ),
        format!("{share} % 的公开{zh}落在预测值的这一倍数之内；每个来源依次排除在拟合之外。"),
    )
}

/// The training runs whose errors make the interval of `kind`, and how many are like it.
fn training_runs(kind: Kind) -> (String, String) {
    let covered = COVERAGE.kinds.iter().position(|known| *known == kind);
    let own = covered.and_then(|place| KIND_RUNS.get(place));
    let (models, models_zh) = if kind.is_plain() {
        ("dense training runs in 16 bits", " 16 位稠密训练")
    } else {
        ("training runs with experts or in fewer bits", "含专家或更低精度的训练")
    };
    let (on, on_zh) = match kind.architecture {
        TYPICAL => ("an unknown architecture", "未知架构"),
        known => (known, known),
    };
    let like = format!("{} on {on}, {} bits", name(kind.framework), kind.bits);
    let like_zh = format!("{on_zh} 上的 {}，{} 位", name(kind.framework), kind.bits);
    match own {
        Some((sources, runs)) => {
            let plural = if *sources == 1 { "source" } else { "sources" };
            (
                format!("{models} (here: {like}; {runs} runs of {sources} {plural})"),
                format!("{models_zh}（此处：{like_zh}；{sources} 个来源的 {runs} 次）"),
            )
        }
        None => (
            format!("{models} of kinds that no other source covers (as here: {like})"),
            format!("{models_zh}中没有其他来源覆盖的类型（如此处：{like_zh}）"),
        ),
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
