//! What holds for every question: sums, signs, monotony, and that the search keeps its word.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod questions;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use shardwise_core::wire::{Answer, Question, Schedule, question_from_value};
use shardwise_core::{Objective, catalog, estimate, search};

use questions::{Asked, Plan};

/// Fails where a number is not finite or negative, or where one became `null` because it was not.
fn check_numbers(value: &Value, path: &str) {
    match value {
        Value::Null => panic!("{path} is null"),
        Value::Number(number) => {
            let number = number.as_f64().unwrap();
            assert!(number.is_finite() && number >= 0.0, "{path} is {number}");
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check_numbers(item, &format!("{path}[{index}]"));
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                check_numbers(item, &format!("{path}.{key}"));
            }
        }
        Value::Bool(_) => {}
        Value::String(text) => {
            for word in ["NaN", "inf"] {
                let found = text
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|part| part == word);
                assert!(!found, "{path} says {text:?}");
            }
        }
    }
}

#[track_caller]
fn same(a: f64, b: f64, what: &str) {
    assert!(
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9),
        "{what}: {a} is not {b}"
    );
}

fn check_answer(question: &Question, answer: &Answer) {
    check_numbers(&serde_json::to_value(answer).unwrap(), "answer");
    check_memory(answer);
    check_time(question, answer);
    check_rates(question, answer);
}

fn check_memory(answer: &Answer) {
    let memory = &answer.memory;
    same(
        memory.parts.total(),
        memory.reserved_gib,
        "parts of the memory",
    );
    for phase in &memory.phases {
        same(phase.parts.total(), phase.reserved_gib, phase.name);
        assert!(
            phase.reserved_gib <= memory.reserved_gib,
            "{} is above the peak",
            phase.name
        );
    }
    let peak = memory
        .phases
        .iter()
        .find(|phase| phase.name == memory.phase);
    same(
        peak.unwrap().reserved_gib,
        memory.reserved_gib,
        "the peak's phase",
    );
    assert!(memory.peak_gib <= memory.reserved_gib * (1.0 + 1e-12));
    assert_eq!(answer.fits, memory.reserved_gib <= memory.capacity_gib);
}

fn check_time(question: &Question, answer: &Answer) {
    let time = &answer.time;
    for phase in &time.phases {
        same(phase.parts.total(), phase.s, phase.name);
    }
    let phases: f64 = time.phases.iter().map(|phase| phase.s).sum();
    same(time.parts.total(), phases, "parts of the time");
    let schedule = question
        .workload
        .rl
        .as_ref()
        .and_then(|rl| rl.schedule)
        .unwrap_or_default();
    if matches!(schedule, Schedule::Colocated | Schedule::Split) {
        same(phases, answer.step_time_s, "phases of the step");
    } else {
        assert!(answer.step_time_s <= phases * (1.0 + 1e-12));
    }
}

fn check_rates(question: &Question, answer: &Answer) {
    assert!(answer.mfu > 0.0 && answer.mfu <= 1.0, "MFU {}", answer.mfu);
    assert!(
        answer.hfu >= answer.mfu && answer.hfu <= 1.0,
        "HFU {} beside MFU {}",
        answer.hfu,
        answer.mfu
    );
    let gpus = question.hardware.gpus.unwrap_or(8) as f64;
    same(
        answer.tokens_per_s,
        answer.tokens_per_s_per_gpu * gpus,
        "tokens per second",
    );
    same(
        answer.mtok_per_hour,
        answer.tokens_per_s * 3600.0 / 1e6,
        "tokens per hour",
    );
    if let Some(price) = question.hardware.usd_per_gpu_hour {
        assert_eq!(answer.usd_per_gpu_hour, Some(price));
    }
    assert_eq!(
        answer.usd_per_mtok.is_some(),
        answer.usd_per_gpu_hour.is_some()
    );
    if let (Some(price), Some(usd)) = (answer.usd_per_gpu_hour, answer.usd_per_mtok) {
        same(
            usd,
            price * gpus / answer.mtok_per_hour,
            "dollars per million tokens",
        );
        same(
            answer.usd_per_step.unwrap(),
            price * gpus * answer.step_time_s / 3600.0,
            "dollars per step",
        );
    }
    assert_eq!(answer.run.is_some(), question.workload.tokens.is_some());
    if let (Some(run), Some(tokens)) = (&answer.run, question.workload.tokens) {
        same(
            run.hours,
            tokens / 1e6 / answer.mtok_per_hour,
            "hours of the run",
        );
        assert_eq!(run.usd.is_some(), answer.usd_per_mtok.is_some());
        if let (Some(usd), Some(rate)) = (run.usd, answer.usd_per_mtok) {
            same(usd, rate * tokens / 1e6, "dollars of the run");
        }
    }
}

/// Answers, or fails where the refusal does not name a field and a remedy.
fn answer_or_refusal(question: &Question) -> Option<Answer> {
    match estimate(question) {
        Ok(answer) => Some(answer),
        Err(error) => {
            let root = error.field.split('.').next().unwrap_or_default();
            assert!(
                ["model", "hardware", "workload", "plan"].contains(&root),
                "{error}"
            );
            assert!(
                error.message.len() > 10 && error.message.ends_with('.'),
                "{error}"
            );
            None
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_consistent(Asked(question) in questions::question(Plan::Complete)) {
        if let Some(answer) = answer_or_refusal(&question) {
            check_answer(&question, &answer);
            let again = Question { plan: Some(answer.plan.clone()), ..question };
            let again = estimate(&again).unwrap_or_else(|error| panic!("its own plan is refused: {error}"));
            prop_assert_eq!(serde_json::to_value(&answer).unwrap(), serde_json::to_value(&again).unwrap());
        }
    }
}

#[test]
fn zz_scan() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let strategy = questions::question(Plan::Complete);
    let mut found: std::collections::BTreeMap<String, (usize, String)> = Default::default();
    let (mut ok, mut refused) = (0, std::collections::BTreeMap::<String, usize>::new());
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..20000 {
        let question = strategy.new_tree(&mut runner).unwrap().current();
        let result = std::panic::catch_unwind(|| {
            if let Err(e) = estimate(&question.0) { return Some(e.field); }
            if let Some(answer) = answer_or_refusal(&question.0) {
                check_answer(&question.0, &answer);
                let again = Question { plan: Some(answer.plan.clone()), ..question.0.clone() };
                let again = estimate(&again).unwrap_or_else(|error| panic!("own plan refused: {error}"));
                let (a, b) = (serde_json::to_value(&answer).unwrap(), serde_json::to_value(&again).unwrap());
                if a != b { panic!("not idempotent"); }
            }
            None
        });
        match result {
            Ok(None) => ok += 1,
            Ok(Some(f)) => *refused.entry(f).or_default() += 1,
            Err(error) => {
                let text = error.downcast_ref::<String>().cloned().or_else(|| error.downcast_ref::<&str>().map(|s| s.to_string())).unwrap();
                let key: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).take(60).collect();
                let entry = found.entry(key).or_insert((0, String::new()));
                entry.0 += 1;
                let q = format!("{text}\n      {question:?}");
                if entry.1.is_empty() || q.len() < entry.1.len() { entry.1 = q; }
            }
        }
    }
    println!("ok {ok} refused {refused:?}");
    for (key, (count, text)) in found { println!("{count} x {key}\n   {text}"); }
}
