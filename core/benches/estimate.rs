//! How long one answer takes: `estimate/`, `evaluate/`, `line/` from text to text, `permalink`, and `search/` for one GPU type.

use std::hint::black_box;

use criterion::{Criterion, criterion_group};
use shardwise_core::complete::complete;
use shardwise_core::context::Context;
use shardwise_core::interface::{Function, ask};
use shardwise_core::wire::{Question, parse_question, to_value};
use shardwise_core::{answer, estimate, job, permalink, search};

fn question(text: &str) -> Question {
    parse_question(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Llama-3.1-70B on 64 H100, decided to the last field.
fn training() -> Question {
    question(
        r#"{"version": 1, "model": "llama-3.1-70b", "hardware": {"gpu": "h100-sxm", "gpus": 64},
            "workload": {"kind": "sft", "sequence_length": 8192, "global_batch": 128},
            "plan": {"backend": "megatron", "tensor_parallel": 4, "pipeline_parallel": 4, "context_parallel": 1,
                "micro_batch": 1, "recompute": "none"}}"#,
    )
}

/// GRPO on Qwen3-8B, decided to the last field.
fn reinforcement() -> Question {
    question(
        r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 512, "responses_per_prompt": 16,
                "max_prompt_length": 1024, "max_response_length": 3072, "mean_prompt_length": 184,
                "mean_response_length": 1246, "response_length_cv": 0.6, "mini_batch": 128}},
            "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
                "max_tokens_per_gpu": 16384, "recompute": "full", "rollout": {"tensor_parallel": 1}}}"#,
    )
}

fn without_plan(mut question: Question) -> Question {
    question.plan = None;
    question
}

/// One evaluation of a complete plan, as the search does it thousands of times.
fn evaluations(c: &mut Criterion) {
    for (name, question) in [("training", training()), ("reinforcement learning", reinforcement())] {
        let job = job::resolve(&question).unwrap();
        let context = Context::new(&job);
        let plan = complete(&job, question.plan.as_ref().unwrap()).unwrap();
        c.bench_function(&format!("evaluate/{name}"), |b| b.iter(|| answer(black_box(&context), black_box(&plan))));
        c.bench_function(&format!("estimate/{name}"), |b| b.iter(|| estimate(black_box(&question)).unwrap()));
    }
    for (name, question) in [("training", training()), ("reinforcement learning", reinforcement())] {
        let text = to_value(&question).to_string();
        for (what, options) in [("", ""), (", without advice", r#"{"advice": false}"#)] {
            c.bench_function(&format!("line/{name}{what}"), |b| {
                b.iter(|| ask(Function::Estimate, black_box(&text), options));
            });
        }
    }
    let question = training();
    c.bench_function("permalink", |b| {
        b.iter(|| permalink::from_hash(&permalink::to_hash(black_box(&question))).unwrap())
    });
}

/// Every layout on one GPU type.
fn searches(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group.sample_size(10);
    for (name, question) in [("training on 64 GPUs", training()), ("reinforcement learning on 8 GPUs", reinforcement())]
    {
        let question = without_plan(question);
        group.bench_function(name, |b| b.iter(|| search(black_box(&question), None, 5).unwrap()));
    }
}

criterion_group!(benches, evaluations, searches);
