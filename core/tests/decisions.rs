//! That decisions hold: what is proposed fits, nothing near it is better, and it is the same plan everywhere.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::json;
use shardwise_core::emit::{FRAMEWORKS, Framework};

use shardwise_core::wire::{
    Answer, Backend, ChangeKind, FitState, PlanSpec, Question, question_from_value,
};
use shardwise_core::{estimate, evaluate_for, search, sensitivity};

use crate::fuzz::fuzz_from;

/// What simplicity may cost.
const AS_FAST: f64 = 1.015;
/// What sums that are rounded in another order may differ by.
const ROUNDED: f64 = 1.0 + 1e-9;

const MODELS: [&str; 20] = [
    "qwen3-0.6b",
    "qwen3-8b",
    "qwen3-32b",
    "qwen3-30b-a3b",
    "qwen3-235b-a22b",
    "qwen2.5-7b",
    "qwen2.5-32b",
    "qwen2.5-72b",
    "llama-2-7b",
    "llama-3.1-8b",
    "llama-3.1-70b",
    "llama-3.1-405b",
    "mixtral-8x7b",
    "deepseek-v2-lite",
    "deepseek-v3",
    "kimi-k2",
    "glm-5",
    "gpt-oss-20b",
    "gpt-oss-120b",
    "pythia-6.9b",
];
const GPUS: [&str; 12] = [
    "h100-sxm",
    "h800-sxm",
    "h200-sxm",
    "h20-141g",
    "b200-sxm",
    "gb200",
    "a100-sxm-80g",
    "a100-sxm-40g",
    "l40s",
    "rtx-4090",
    "mi300x",
    "mi210",
];
const KINDS: [&str; 8] = [
    "pretrain", "sft", "lora", "qlora", "grpo", "dapo", "ppo", "rollout",
];
const SCHEDULES: [&str; 4] = ["colocated", "split", "one_step_off", "fully_async"];

/// A question as people ask them, its plan open.
fn question() -> impl Strategy<Value = Question> {
    let machine = (
        select(&GPUS[..]),
        select(vec![1_u64, 2, 4, 8, 8, 16, 32, 64, 128, 256, 512, 1024]),
    );
    let batch = (
        select(vec![2048_u64, 4096, 8192, 32768]),
        prop_oneof![3 => select(vec![64_u64, 128, 256, 1024]), 1 => 8..1100_u64],
        0.2..1.0_f64,
        any::<bool>(),
    );
    let rl = (
        select(vec![64_u64, 128, 256, 512]),
        select(vec![1024_u64, 4096, 8192]),
        0.0..1.0_f64,
        prop_oneof![3 => Just("colocated"), 1 => select(&SCHEDULES[..])],
    );
    (select(&MODELS[..]), machine, select(&KINDS[..]), batch, rl).prop_map(
        |(model, (gpu, gpus), kind, (length, batch, mean, packing), (prompts, response, cv, schedule))| {
            let workload = match kind {
                "rollout" => json!({"kind": kind, "rollout": {"requests": prompts * 8, "mean_prompt_length": 300,
                    "mean_response_length": response / 3}}),
                "grpo" | "dapo" | "ppo" => json!({"kind": kind, "rl": {"prompts_per_step": prompts,
                    "responses_per_prompt": 8, "max_prompt_length": 1024, "max_response_length": response,
                    "mean_prompt_length": 300, "mean_response_length": response / 3, "response_length_cv": cv,
                    "mini_batch": 64, "schedule": schedule}}),
                "pretrain" => json!({"kind": kind, "sequence_length": length, "global_batch": batch}),
                _ => json!({"kind": kind, "sequence_length": length, "global_batch": batch,
                    "mean_sequence_length": (length as f64 * mean).ceil(), "packing": packing}),
            };
            question_from_value(json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
                "workload": workload}))
            .unwrap()
        },
    )
}

fn text(question: &Question) -> String {
    serde_json::to_string(question).unwrap()
}

/// A plan that is proposed fits as surely as asked, unless nothing does.
fn keeps_its_margin(question: &Question, answer: &Answer) {
    if answer.fit.state == FitState::Fits {
        return;
    }
    let found = search(question, None, 4).unwrap();
    for other in &found.plans {
        assert!(
            other.fit.state != FitState::Fits,
            "{} is proposed as {:?}, {} fits: {}",
            json!(answer.plan),
            answer.fit,
            json!(other.plan),
            text(question)
        );
    }
}

/// No change of its own that leaves numerics alone and fits as surely is faster by more than simplicity costs.
fn is_not_beaten_by_a_step(question: &Question, answer: &Answer) {
    let changes = sensitivity(question).unwrap().changes;
    let own = changes
        .iter()
        .filter(|own| matches!(own.kind, ChangeKind::Plan | ChangeKind::Simplicity));
    for change in own.filter(|own| own.figures.fits && answer.fit.state == FitState::Fits) {
        let gain = answer.step_time_s / change.figures.step_time_s;
        assert!(
            gain <= AS_FAST * ROUNDED,
            "{} of {} makes a step {gain} times as fast as {}: {}",
            change.to,
            change.field,
            json!(answer.plan),
            text(question)
        );
        let simple = change.kind == ChangeKind::Simplicity;
        assert!(
            simple || gain <= ROUNDED * 1.0001,
            "{} gains {gain} and is not marked as the price of simplicity: {}",
            change.id,
            text(question)
        );
    }
}

/// Naming a backend gains no more than that either.
fn is_not_beaten_by_a_backend(question: &Question, answer: &Answer) {
    for backend in [
        Backend::Megatron,
        Backend::Fsdp,
        Backend::Deepspeed,
        Backend::Ddp,
    ] {
        let named = Question {
            plan: Some(PlanSpec {
                backend: Some(backend),
                ..PlanSpec::default()
            }),
            ..question.clone()
        };
        let Ok(other) = estimate(&named) else {
            continue;
        };
        // Plans that nobody runs are another question's.
        let run = other.framework.is_some() || answer.framework.is_none();
        if other.fit.state != FitState::Fits || !run {
            continue;
        }
        let gain = answer.step_time_s / other.step_time_s;
        assert!(
            answer.fit.state == FitState::Fits && gain <= AS_FAST * ROUNDED,
            "{backend:?} is {gain} times as fast, {} and not {}: {}",
            json!(other.plan),
            json!(answer.plan),
            text(question)
        );
    }
}

/// Headline, list of plans and text have one plan.
fn is_the_same_everywhere(question: &Question, framework: &'static Framework) {
    let named = Question {
        framework: Some(framework.id.to_owned()),
        ..question.clone()
    };
    let Ok(headline) = estimate(&named) else {
        return;
    };
    let plan = json!(headline.plan);
    let listed = search(&named, Some(framework), 1)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&named)));
    let listed = json!(listed.plans[0].plan);
    assert_eq!(
        plan,
        listed,
        "search --for {}: {}",
        framework.id,
        text(&named)
    );
    let printed = evaluate_for(&named, framework).unwrap();
    let printed = json!(printed.answer.plan);
    assert_eq!(
        plan,
        printed,
        "flags --for {}: {}",
        framework.id,
        text(&named)
    );
}

/// Where the question names no framework, the answer does, and that one prints the plan of the headline.
fn is_the_plan_of_the_framework_it_names(question: &Question, answer: &Answer) {
    let Some(own) = &answer.framework else {
        return;
    };
    let framework = shardwise_core::emit::framework(own.id).unwrap();
    let printed = evaluate_for(question, framework).unwrap().answer.plan;
    let listed = search(question, Some(framework), 1)
        .unwrap_or_else(|error| panic!("{error}: {}", text(question)));
    let plan = json!(answer.plan);
    assert_eq!(
        plan,
        json!(printed),
        "flags --for {}: {}",
        own.id,
        text(question)
    );
    assert_eq!(
        plan,
        json!(listed.plans[0].plan),
        "search --for {}: {}",
        own.id,
        text(question)
    );
}

#[test]
fn random_questions_have_decisions_that_hold() {
    let asked = (question(), 0..FRAMEWORKS.len());
    let answered = Cell::new(0_u64);
    let seed = RngSeed::Fixed(1);
    let done = fuzz_from(
        seed,
        ("decisions", 100, 5),
        &asked,
        |(question, framework)| {
            let Ok(answer) = estimate(&question) else {
                return;
            };
            answered.set(answered.get() + 1);
            keeps_its_margin(&question, &answer);
            is_not_beaten_by_a_step(&question, &answer);
            is_not_beaten_by_a_backend(&question, &answer);
            is_the_same_everywhere(&question, &FRAMEWORKS[framework]);
            is_the_plan_of_the_framework_it_names(&question, &answer);
        },
    );
    assert!(
        answered.get() * 4 > done * 3,
        "{} of {done}",
        answered.get()
    );
}
