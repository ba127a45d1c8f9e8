//! How long the search takes: every GPU type's best plan for the questions of `questions`, and how one type's grows with
//! GPUs and with layers.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};
use serde_json::json;
use shardwise_core::wire::{Question, question_from_value};
use shardwise_core::{estimate, search};

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

criterion_group!(benches, every_gpu_type, large_models, growth_with_gpus, growth_with_layers);
