//! The accuracy page's data: every run with its measurement, its estimate, and the estimate without its source.

use std::collections::BTreeMap;

use serde::Serialize;
use shardwise_core::catalog;
use shardwise_core::coverage::COVERED_SHARE;
use shardwise_core::efficiency::Efficiency;
use shardwise_core::{evaluate_with, permalink};

use crate::memory::{Decile, Memory};
use crate::report::Errors;
use crate::runs::Run;
use crate::validate::Validated;

#[derive(Serialize)]
struct Page {
    data: &'static str,
    coverage: f64,
    runs: Vec<Row>,
    figures: Vec<Figure>,
    /// How often probabilities that memory suffices come true.
    reliability: Vec<Decile>,
}

#[derive(Serialize)]
struct Row {
    id: String,
    source: String,
    url: String,
    date: String,
    group: String,
    model: String,
    family: String,
    gpu: String,
    gpus: u64,
    framework: String,
    precision: String,
    /// The trainer, as its source names it.
    trainer: String,
    /// What the question states beside the published table.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    headline: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Figures>,
    link: String,
}

#[derive(Clone, Copy, Serialize)]
struct Figures {
    measured: f64,
    predicted: f64,
    left_out: f64,
    /// Predicted over measured, less one.
    error: f64,
    left_out_error: f64,
    low: f64,
    high: f64,
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
    covered: f64,
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
fn figures(measured: f64, error: f64, left_out: f64, [low, high]: [f64; 2]) -> Figures {
    let without = measured * left_out.exp();
    Figures {
        measured: digits(measured),
        predicted: digits(measured * error.exp()),
        left_out: digits(without),
        error: share(error.exp() - 1.0),
        left_out_error: share(left_out.exp() - 1.0),
        low: digits(low),
        high: digits(high),
    }
}

fn row(run: &Run, place: usize, validated: &Validated, memory: &Memory, fitted: &Efficiency) -> Option<Row> {
    let answer = evaluate_with(&run.question, fitted).ok()?.answer;
    let speed = run.tokens_per_s_per_gpu.and_then(|measured| {
        let left_out = validated.left_out[place]?;
        let width = validated.width(place);
        let interval = [left_out - width, left_out + width].map(|log| measured * log.exp());
        Some(figures(measured, validated.fitted[place]?, left_out, interval))
    });
    // No constant of the memory's is fitted on many sources: only the interval leaves the run's own out.
    let memory = memory.interval(place).and_then(|interval| {
        let measured = run.memory_gib?;
        let error = (run.predicted_gib(&answer) / measured).ln();
        Some(figures(measured, error, error, interval))
    });
    let question = &run.question;
    let precision = serde_json::to_value(question.workload.precision).ok()?;
    let backend = serde_json::to_value(question.plan.as_ref()?.backend).ok()?;
    let gpu = question
        .hardware
        .gpu
        .as_str()
        .or_else(|| question.hardware.gpu["base"].as_str());
    Some(Row {
        id: run.id.clone(),
        source: run.source.clone(),
        url: run.source_url.clone(),
        date: run.date.clone(),
        group: run.group.clone(),
        model: run.model.clone(),
        family: run.family.clone(),
        gpu: gpu.unwrap_or_default().to_owned(),
        gpus: question.hardware.gpus.unwrap_or(8),
        framework: backend.as_str().unwrap_or_default().to_owned(),
        precision: precision.as_str().unwrap_or("bf16").to_owned(),
        trainer: run.framework.clone(),
        note: run.mended.clone(),
        headline: run.headline,
        speed,
        memory,
        link: permalink::to_hash(question),
    })
}

fn add(found: &mut Vec<Figure>, rows: &[Row], kind: &'static str, by: &'static str, value: impl Fn(&Row) -> String) {
    let of = |row: &Row| {
        if kind == "speed" { row.speed } else { row.memory }
    };
    let mut groups: BTreeMap<String, Vec<Figures>> = BTreeMap::new();
    for row in rows {
        if let Some(figures) = of(row) {
            groups.entry(value(row)).or_default().push(figures);
        }
    }
    for (name, all) in groups {
        let held = all.iter().filter(|own| own.low <= own.measured && own.measured <= own.high);
        let covered = held.count() as f64 / all.len() as f64;
        for case in ["predicted", "left_out"] {
            let logs = all.iter().map(|own| {
                let value = if case == "predicted" { own.predicted } else { own.left_out };
                (value / own.measured).ln()
            });
            let errors = Errors(logs.collect());
            found.push(Figure {
                kind,
                by,
                name: name.clone(),
                case,
                runs: all.len(),
                median: share(errors.at(0.5)),
                mean: share(errors.mean()),
                p90: share(errors.at(0.9)),
                covered: share(covered),
            });
        }
    }
}

/// The text of `public/accuracy.json`.
pub(crate) fn data(runs: &[Run], fitted: &Efficiency, validated: &Validated, memory: &Memory) -> String {
    let rows: Vec<Row> = runs
        .iter()
        .enumerate()
        .filter_map(|(place, run)| row(run, place, validated, memory, fitted))
        .filter(|row| row.speed.is_some() || row.memory.is_some())
        .collect();
    let mut figures = Vec::new();
    for kind in ["speed", "memory"] {
        let tier = |row: &Row| if row.headline { "headline" } else { "other" }.to_owned();
        add(&mut figures, &rows, kind, "all", tier);
        add(&mut figures, &rows, kind, "group", |row| row.group.clone());
        add(&mut figures, &rows, kind, "gpu", |row| row.gpu.clone());
        add(&mut figures, &rows, kind, "framework", |row| row.framework.clone());
        add(&mut figures, &rows, kind, "family", |row| row.family.clone());
    }
    let page = Page {
        data: catalog::VERSION,
        coverage: COVERED_SHARE,
        runs: rows,
        figures,
        reliability: memory.reliability(),
    };
    serde_json::to_string(&page).unwrap() + "\n"
}
