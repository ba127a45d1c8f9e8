//! How long the search takes: every GPU type's best plan for the questions of `questions`, and how one type's grows with
//! GPUs and with layers.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use serde_json::json;
use shardwise_core::search::sweep::Sweep;
use shardwise_core::search::within;
use shardwise_core::wire::{HardwareSpec, MarketSpec, Question, question_from_value};
use shardwise_core::{Objective, estimate, presets, search};

use crate::questions::{LARGE, TIMED, every_gpu, large};

fn every_gpu_type(c: &mut Criterion) {
    let mut group = c.benchmark_group("search every GPU type");
    group.sample_size(10);
    for timed in TIMED {
        let question = timed.question();
        let (considered, evaluated) = every_gpu(&question);
        println!(
            "{}: {considered} plans considered, {evaluated} evaluated, at most {} ms",
            timed.name, timed.targets_ms[0]
        );
        group.bench_function(timed.name, |b| b.iter(|| every_gpu(black_box(&question))));
    }
}

/// What a search over a market may take natively, in milliseconds.
const RENTING_MS: f64 = 100.0;

/// The training presets on every GPU type, as whoever rents it out has it: with the number of GPUs of the preset, each type
/// at its cheapest offer; with every number that a deadline tries, each offer by itself; and of those what a search lists.
fn renting(c: &mut Criterion) {
    rented(c, "rent every GPU type", Sweep::every_gpu, |sweep| sweep.for_each(drop));
    rented(c, "rent every GPU type and number", within::every, |sweep| sweep.for_each(drop));
    rented(c, "list every GPU type and number", within::every, |sweep| drop(sweep.listed(Objective::Cost, LISTED)));
}

/// Offers that a search lists where nobody says how many.
const LISTED: usize = 5;

fn rented(c: &mut Criterion, name: &str, sweep: fn(&Question) -> Sweep, ask: fn(Sweep)) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    for (preset, question) in crate::asked(training_presets()) {
        println!("{preset}: {} machines, at most {RENTING_MS} ms", sweep(&question).total());
        group.bench_function(preset, |b| b.iter(|| ask(sweep(black_box(&question)))));
    }
}

/// The presets that train without RL, rented on demand.
fn training_presets() -> impl Iterator<Item = (&'static str, Question)> {
    presets::presets().iter().filter_map(|preset| {
        let question = preset.question()?;
        let hardware = HardwareSpec {
            gpu: question.hardware.gpu.clone(),
            gpus: question.hardware.gpus,
            market: Some(MarketSpec::default()),
            ..HardwareSpec::default()
        };
        let trains = question.workload.rl.is_none() && question.workload.rollout.is_none();
        trains.then_some((preset.id, Question { hardware, ..question }))
    })
}

/// Large models with experts: an estimate with its advice, and every GPU type.
fn large_models(c: &mut Criterion) {
    for (name, ask) in
        [("estimate of a large model", estimated as fn(&Question)), ("every GPU type for a large model", swept)]
    {
        let mut group = c.benchmark_group(name);
        group.sample_size(10);
        for (name, question) in crate::asked(LARGE.into_iter().rev()).map(large) {
            group.bench_function(name, |b| b.iter(|| ask(black_box(&question))));
        }
    }
}

fn estimated(question: &Question) {
    black_box(estimate(question).unwrap());
}

fn swept(question: &Question) {
    black_box(every_gpu(question));
}

fn one(c: &mut Criterion, group: &str, cases: impl Iterator<Item = (u64, Question)>) {
    let mut group = c.benchmark_group(group);
    group.sample_size(10);
    for (size, question) in crate::asked(cases) {
        let ask = || search(black_box(&question), None, 1).unwrap();
        let found = ask();
        println!("{size}: {} plans considered, {} evaluated", found.considered, found.evaluated);
        group.bench_function(BenchmarkId::from_parameter(size), |b| b.iter(ask));
    }
}

/// Eight sequences for each GPU, so that the batch divides over all of them.
fn growth_with_gpus(c: &mut Criterion) {
    let asked = (3..=14).map(|power| {
        let gpus = 1_u64 << power;
        let question = json!({
            "version": 1, "model": "llama-3.1-70b", "hardware": {"gpu": "h100-sxm", "gpus": gpus},
            "workload": {"kind": "pretrain", "sequence_length": 8192, "global_batch": 8 * gpus},
        });
        (gpus, question_from_value(question).unwrap())
    });
    one(c, "search one GPU type, by GPUs", asked);
}

fn growth_with_layers(c: &mut Criterion) {
    let asked = [16, 32, 64, 128].into_iter().map(|layers| {
        let model = json!({
            "hidden_size": 8192, "num_hidden_layers": layers, "intermediate_size": 28672,
            "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 128256,
        });
        let question = json!({
            "version": 1, "model": model, "hardware": {"gpu": "h100-sxm", "gpus": 256},
            "workload": {"kind": "pretrain", "sequence_length": 8192, "global_batch": 2048},
        });
        (layers, question_from_value(question).unwrap())
    });
    one(c, "search one GPU type, by layers", asked);
}

criterion_group!(benches, every_gpu_type, renting, large_models, growth_with_gpus, growth_with_layers);
