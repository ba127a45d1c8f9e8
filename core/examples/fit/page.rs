//! The accuracy page's data: every run with its measurement, its estimate, and the estimate without its source.
//!
//! What the page shows first is a small file of its own; the runs one by one are in others, one a line, so that the page can
//! read them in slices.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use shardwise_core::catalog;
use shardwise_core::coverage::{COVERED_SHARE, MemoryKind};
use shardwise_core::efficiency::Efficiency;
use shardwise_core::job::Job;
use shardwise_core::wire::{FitState, Question};
use shardwise_core::{evaluate_with, permalink};

use crate::files::Found;
use crate::memory::{Decile, Memory, Sure};
use crate::misses::{self, Why};
use crate::reinforcement::Published;
use crate::report::Errors;
use crate::rollouts::Rollout;
use crate::runs::{self, Run};
use crate::validate::Validated;

const OUT_OF_MEMORY: &str = include_str!("../../tests/data/out-of-memory.jsonl");
const REPORTS: &str = include_str!("../../tests/data/fit-reports.jsonl");

#[derive(Serialize)]
struct Page {
    data: &'static str,
    coverage: f64,
    figures: Vec<Figure>,
    /// How often probabilities that memory suffices come true.
    reliability: Vec<Decile>,
    /// How often runs fit a card that is just large enough to be so sure.
    sure: Vec<Sure>,
    said: Said,
}

/// What was said of runs whose outcome is known, as their sources state them.
#[derive(Default, Serialize)]
struct Said {
    /// Training runs and RL steps that ran.
    ran: usize,
    /// Of those, said not to fit, or hardly.
    ran_unfit: usize,
    /// Runs that ran out of memory.
    failed: usize,
    /// Of those, said to fit for sure.
    failed_fit: usize,
}

#[derive(Default, Serialize)]
struct Row {
    id: String,
    source: String,
    url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    date: String,
    group: String,
    model: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    family: String,
    gpu: String,
    gpus: u64,
    /// What trains or, where nothing does, the engine.
    framework: String,
    precision: String,
    /// The trainer, as its source names it.
    #[serde(skip_serializing_if = "String::is_empty")]
    trainer: String,
    /// What the question states beside the published table.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    headline: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Figures>,
    link: String,
}

impl Row {
    /// What it measured of a quantity.
    fn of(&self, kind: &str) -> Option<&Figures> {
        match kind {
            "speed" => self.speed.as_ref(),
            "memory" => self.memory.as_ref(),
            "generation" => self.generation.as_ref(),
            _ => self.step.as_ref(),
        }
    }
}

#[derive(Clone, Serialize)]
struct Figures {
    /// What it is shown beside.
    kind: &'static str,
    measured: f64,
    predicted: f64,
    left_out: f64,
    /// Predicted over measured, less one.
    error: f64,
    left_out_error: f64,
    low: f64,
    high: f64,
    /// What is known of why it is missed.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
}

#[derive(Serialize)]
struct Figure {
    kind: &'static str,
    by: &'static str,
    name: String,
    case: &'static str,
    runs: usize,
    median: f64,
    mean: f64,
    p90: f64,
    /// Share of the runs in their intervals; none where nothing has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    covered: Option<f64>,
    /// Errors with their signs: the median, and what one in ten is below and above.
    bias: f64,
    low: f64,
    high: f64,
    /// Every error, where the page draws them before it has the runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dots: Vec<f64>,
}

fn digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// A share to a hundredth of a percent.
fn share(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Figures of an estimate that is `error` (a logarithm) above the measurement, `left_out` without its source, as is the
/// interval.
fn figures(kind: &'static str, measured: f64, [error, left_out]: [f64; 2], [low, high]: [f64; 2]) -> Figures {
    let without = measured * left_out.exp();
    Figures {
        kind,
        measured: digits(measured),
        predicted: digits(measured * error.exp()),
        left_out: digits(without),
        error: share(error.exp() - 1.0),
        left_out_error: share(left_out.exp() - 1.0),
        low: digits(low),
        high: digits(high),
        why: None,
    }
}

/// The interval around an estimate that is `left_out` (a logarithm) above the measurement.
fn around(measured: f64, left_out: f64, width: f64) -> [f64; 2] {
    [left_out - width, left_out + width].map(|log| measured * log.exp())
}

/// The kind of a training run.
fn training_kind(job: &Job) -> &'static str {
    let many = job.hardware.gpus > job.hardware.gpus_per_node;
    match (job.workload.lora.is_some(), job.model.shape.num_experts > 0, many) {
        (true, _, _) => "adapters",
        (_, false, false) => "dense_node",
        (_, false, true) => "dense_nodes",
        (_, true, false) => "experts_node",
        (_, true, true) => "experts_nodes",
    }
}

/// The kind of a training run's memory.
fn memory_kind(job: &Job, kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Adapters => "adapters",
        MemoryKind::Hybrid => "hybrid",
        _ if job.model.shape.num_experts > 0 => "experts",
        MemoryKind::Megatron => "megatron",
        MemoryKind::Fsdp => "fsdp",
        MemoryKind::Other => "other",
    }
}

/// The kind of a generation run: how many sequences it generates at once.
fn generation_kind(run: &Rollout) -> &'static str {
    match run.sequences() {
        at_once if at_once <= 1.0 => "one",
        at_once if at_once <= 32.0 => "few",
        at_once if at_once <= 256.0 => "many",
        _ => "crowd",
    }
}

/// What a row has from its question alone.
fn of_question(question: &Question) -> Option<Row> {
    let precision = serde_json::to_value(question.workload.precision).ok()?;
    let backend = serde_json::to_value(question.plan.as_ref()?.backend).ok()?;
    let gpu = question
        .hardware
        .gpu
        .as_str()
        .or_else(|| question.hardware.gpu["base"].as_str());
    Some(Row {
        gpu: gpu.unwrap_or_default().to_owned(),
        gpus: question.hardware.gpus.unwrap_or(8),
        framework: backend.as_str().unwrap_or_default().to_owned(),
        precision: precision.as_str().unwrap_or("bf16").to_owned(),
        link: permalink::to_hash(question),
        ..Row::default()
    })
}

fn row(run: &Run, place: usize, validated: &Validated, memory: &Memory, fitted: &Efficiency) -> Option<Row> {
    let evaluated = evaluate_with(&run.question, fitted).ok()?;
    let speed = run.tokens_per_s_per_gpu.and_then(|measured| {
        let left_out = validated.left_out[place]?;
        let interval = around(measured, left_out, validated.width(place));
        let kind = training_kind(&evaluated.job);
        Some(figures(kind, measured, [validated.fitted[place]?, left_out], interval))
    });
    // No constant of the memory's is fitted on many sources: only the interval leaves the run's own out.
    let memory = memory.interval(place).and_then(|interval| {
        let measured = run.memory_gib?;
        let error = (run.predicted_gib(&evaluated.answer) / measured).ln();
        let kind = memory_kind(&evaluated.job, memory.kind(place)?);
        Some(figures(kind, measured, [error; 2], interval))
    });
    Some(Row {
        id: run.id.clone(),
        source: run.source.clone(),
        url: run.source_url.clone(),
        date: run.date.clone(),
        group: run.group.clone(),
        model: run.model.clone(),
        family: run.family.clone(),
        trainer: run.framework.clone(),
        note: run.mended.clone(),
        headline: run.headline,
        speed,
        memory,
        ..of_question(&run.question)?
    })
}

fn step_row(run: &Published, width: f64) -> Option<Row> {
    let interval = around(run.measured, run.errors[1], width);
    Some(Row {
        id: run.id.clone(),
        source: run.source.clone(),
        url: run.url.clone(),
        date: run.date.clone(),
        group: run.source.split(':').next().unwrap_or_default().to_owned(),
        model: run.question.model.as_str().unwrap_or_default().to_owned(),
        note: run.note.clone(),
        headline: run.headline,
        step: Some(figures("step", run.measured, run.errors, interval)),
        ..of_question(&run.question)?
    })
}

/// An engine as the page names it.
fn engine_name(entry: &str) -> &str {
    match entry {
        "early_vllm" => "vLLM < 0.12",
        "vllm" => "vLLM",
        "sglang" => "SGLang",
        "tensorrt_llm" => "TensorRT-LLM",
        other => other,
    }
}

/// A run of an engine whose constants are fitted.
fn generation_row(rollout: &Rollout, errors: [f64; 2], width: f64) -> Option<Row> {
    let run = &rollout.run;
    let (source, url) = run.source.clone();
    let group = source.split(':').next().unwrap_or_default().to_owned();
    Some(Row {
        id: run.id.to_owned(),
        group,
        source,
        url,
        date: run.date.to_owned(),
        model: run.model.to_owned(),
        framework: engine_name(run.engine).to_owned(),
        precision: run.precision.to_owned(),
        headline: true,
        generation: Some(figures(generation_kind(rollout), run.rate, errors, around(run.rate, errors[1], width))),
        ..of_question(&rollout.question)?
    })
}

/// Errors from logarithms of predicted over measured.
fn figure(kind: &'static str, by: &'static str, name: &str, case: &'static str, logs: Vec<f64>) -> Figure {
    let errors = Errors(logs);
    Figure {
        kind,
        by,
        name: name.to_owned(),
        case,
        runs: errors.0.len(),
        median: share(errors.at(0.5)),
        mean: share(errors.mean()),
        p90: share(errors.at(0.9)),
        covered: None,
        bias: share(errors.bias()),
        low: share(errors.signed_at(0.1)),
        high: share(errors.signed_at(0.9)),
        dots: Vec::new(),
    }
}

const CASES: [&str; 2] = ["predicted", "left_out"];

/// Every error to a tenth of a percent.
fn dots(logs: &[f64]) -> Vec<f64> {
    let mut dots: Vec<f64> = logs.iter().map(|log| ((log.exp() - 1.0) * 1e3).round() / 1e3).collect();
    dots.sort_by(f64::total_cmp);
    dots
}

fn add(found: &mut Vec<Figure>, rows: &[Row], kind: &'static str, by: &'static str, value: impl Fn(&Row) -> String) {
    let mut groups: BTreeMap<String, Vec<&Figures>> = BTreeMap::new();
    for row in rows {
        if let Some(figures) = row.of(kind) {
            groups.entry(value(row)).or_default().push(figures);
        }
    }
    groups.remove("");
    for (name, all) in groups {
        let held = all.iter().filter(|own| own.low <= own.measured && own.measured <= own.high);
        let covered = held.count() as f64 / all.len() as f64;
        for case in CASES {
            let logs: Vec<f64> = all
                .iter()
                .map(|own| {
                    let value = if case == CASES[0] { own.predicted } else { own.left_out };
                    (value / own.measured).ln()
                })
                .collect();
            let dots = if by == "kind" && case == CASES[1] { dots(&logs) } else { Vec::new() };
            found.push(Figure { covered: Some(share(covered)), dots, ..figure(kind, by, &name, case, logs) });
        }
    }
}

/// Logarithms by name, fitted and left out.
type Cases<'a> = BTreeMap<&'a str, [Vec<f64>; 2]>;

fn gathered<'a>(all: impl Iterator<Item = (&'a str, [f64; 2])>) -> Cases<'a> {
    let mut found = Cases::new();
    for (name, errors) in all {
        for (logs, error) in found.entry(name).or_default().iter_mut().zip(errors) {
            logs.push(error);
        }
    }
    found
}

/// Errors of what has no row of its own: phases of RL steps as those of their speeds, and engines that nothing is fitted on.
fn add_parts(found: &mut Vec<Figure>, kind: &'static str, parts: Cases<'_>) {
    for (name, cases) in parts {
        for (case, logs) in CASES.into_iter().zip(cases) {
            let dots = if case == CASES[1] { dots(&logs) } else { Vec::new() };
            found.push(Figure { dots, ..figure(kind, "kind", name, case, logs) });
        }
    }
}

/// A run whose outcome is known.
#[derive(serde::Deserialize)]
struct Known {
    question: Question,
    /// Of a report, `ran` or `oom`.
    outcome: Option<String>,
}

fn known(text: &str) -> impl Iterator<Item = Known> + '_ {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
}

fn said(found: &Found<'_>) -> Said {
    let state = |question: &Question| Some(evaluate_with(question, found.fitted).ok()?.answer.fit.state);
    let reports: Vec<Known> = known(REPORTS).collect();
    let (ran, ran_out): (Vec<&Known>, Vec<&Known>) =
        reports.iter().partition(|own| own.outcome.as_deref() == Some("ran"));
    let mut said = Said::default();
    let training = found.runs.iter().map(|run: &runs::Run| &run.question);
    let steps = found.steps.published.iter().map(|run| &run.question);
    let reported = ran.iter().map(|own| &own.question);
    for state in training.chain(steps).chain(reported).filter_map(state) {
        said.ran += 1;
        said.ran_unfit += usize::from(matches!(state, FitState::Unlikely | FitState::No));
    }
    let failed: Vec<Known> = known(OUT_OF_MEMORY).collect();
    for own in failed.iter().chain(ran_out) {
        said.failed += 1;
        said.failed_fit += usize::from(state(&own.question) == Some(FitState::Fits));
    }
    said
}

/// Runs as JSON, one a line.
fn lines(rows: &[Row]) -> String {
    let mut out = String::from("[\n");
    for (place, row) in rows.iter().enumerate() {
        let end = if place + 1 < rows.len() { "," } else { "" };
        let _ = writeln!(out, "{}{end}", serde_json::to_string(row).unwrap());
    }
    out + "]\n"
}

/// All that is shown of errors: in groups, and run by run.
pub(crate) struct Shown {
    figures: Vec<Figure>,
    rows: Vec<Row>,
    generation: Vec<Row>,
}

/// Says of each run what is known of why it is missed.
fn explain<'a>(rows: impl Iterator<Item = &'a mut Row>) {
    let mut known = misses::known();
    for row in rows {
        let own = [
            ("speed", &mut row.speed),
            ("memory", &mut row.memory),
            ("generation", &mut row.generation),
            ("step", &mut row.step),
        ];
        for (of, figures) in own {
            if let Some(figures) = figures {
                figures.why = known.remove(&(of.to_owned(), row.id.clone()));
            }
        }
    }
    assert!(known.is_empty(), "misses.toml explains what is no run: {:?}", known.keys());
}

/// Gathers what is shown of errors.
pub(crate) fn shown(found: &Found<'_>) -> Shown {
    let Found { runs, fitted, validated, memory, engines, steps, .. } = found;
    let runs = runs.iter().enumerate();
    let training = runs.filter_map(|(place, run)| row(run, place, validated, memory, fitted));
    let mut rows: Vec<Row> = training.filter(|row| row.speed.is_some() || row.memory.is_some()).collect();
    rows.extend(steps.published.iter().filter_map(|run| step_row(run, steps.widths[0])));
    let mut generation: Vec<Row> = engines
        .published
        .iter()
        .filter_map(|(run, errors)| generation_row(run, *errors, engines.width(run)))
        .collect();
    explain(rows.iter_mut().chain(&mut generation));
    let mut figures = Vec::new();
    for kind in ["speed", "memory", "generation", "step"] {
        let rows = if kind == "generation" { &generation } else { &rows };
        let tier = |row: &Row| if row.headline { "headline" } else { "other" }.to_owned();
        add(&mut figures, rows, kind, "all", tier);
        add(&mut figures, rows, kind, "kind", |row| row.of(kind).map_or("", |own| own.kind).to_owned());
        add(&mut figures, rows, kind, "group", |row| row.group.clone());
        add(&mut figures, rows, kind, "gpu", |row| row.gpu.clone());
        add(&mut figures, rows, kind, "framework", |row| row.framework.clone());
        add(&mut figures, rows, kind, "family", |row| row.family.clone());
    }
    let phases = steps.published.iter().flat_map(|step| &step.phases);
    add_parts(&mut figures, "step", gathered(phases.copied()));
    Shown { figures, rows, generation }
}

/// What the README's table of errors has a row for: words, and the figures' kind, by and name.
const IN_README: [(&str, [&str; 3]); 12] = [
    ("Training, tokens/s, sources that state all that matters", ["speed", "all", "headline"]),
    ("Training, tokens/s, other sources", ["speed", "all", "other"]),
    ("Training, peak memory, sources that state all that matters", ["memory", "all", "headline"]),
    ("Training, peak memory, other sources", ["memory", "all", "other"]),
    ("Generation, vLLM", ["generation", "framework", "vLLM"]),
    ("Generation, SGLang", ["generation", "framework", "SGLang"]),
    ("Generation, TensorRT-LLM", ["generation", "framework", "TensorRT-LLM"]),
    ("Generation, vLLM before 0.12", ["generation", "framework", "vLLM < 0.12"]),
    ("RL, whole steps, sources that state all that matters", ["step", "all", "headline"]),
    ("RL, generation", ["step", "kind", "rollout"]),
    ("RL, update of the actor", ["step", "kind", "update_actor"]),
    ("RL, log probabilities", ["step", "kind", "old_log_prob"]),
];

impl Shown {
    /// The README's table: errors of runs left out first.
    pub(crate) fn in_markdown(&self) -> String {
        let mut out = String::from(
            "| | runs | median, left out | nine in ten, left out | median, all | in the 80 % interval |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
        );
        for (words, of) in IN_README {
            let case = |case: &str| {
                let mut all = self.figures.iter();
                all.find(|own| [own.kind, own.by, own.name.as_str()] == of && own.case == case)
            };
            let (Some(fitted), Some(left)) = (case(CASES[0]), case(CASES[1])) else {
                panic!("no figure of {of:?}");
            };
            let percent = |share: f64| format!("{:.0} %", share * 100.0);
            let covered = left.covered.map_or_else(String::new, percent);
            let [median, p90, all] = [left.median, left.p90, fitted.median].map(percent);
            let _ = writeln!(out, "| {words} | {} | {median} | {p90} | {all} | {covered} |", left.runs);
        }
        out
    }
}

/// The files of `public/` that the accuracy page shows, each with its name.
pub(crate) fn files(found: &Found<'_>, shown: Shown) -> [(&'static str, String); 3] {
    let Found { memory, .. } = found;
    let Shown { figures, rows, generation } = shown;
    let page = Page {
        data: catalog::VERSION,
        coverage: COVERED_SHARE,
        figures,
        reliability: memory.reliability(),
        sure: memory.sure(),
        said: said(found),
    };
    let page = serde_json::to_string(&page).unwrap() + "\n";
    [("accuracy.json", page), ("runs.json", lines(&rows)), ("generation.json", lines(&generation))]
}
