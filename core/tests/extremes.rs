//! Extreme values that are accepted: every figure is a number, and no card does more than its peak.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use shardwise_core::wire::{Answer, Question, at, put, question_from_value, to_value};
use shardwise_core::{belonging, estimate, search, sensitivity};

use crate::questions::{self, Asked, Plan, cases};
use crate::said::said;

/// No null, which a number that is none would be; what a change sets may be null.
fn check_numbers(value: &Value, path: &str) {
    match value {
        Value::Null => panic!("{path} is null"),
        Value::Array(items) => items.iter().for_each(|item| check_numbers(item, path)),
        Value::Object(map) => {
            for (key, item) in map.iter().filter(|(key, _)| *key != "set") {
                check_numbers(item, &format!("{path}.{key}"));
            }
        }
        Value::String(text) => {
            let mut words = text.split(|c: char| !c.is_alphanumeric());
            assert!(!words.any(|word| matches!(word, "NaN" | "inf")), "{path}: {text}");
        }
        Value::Bool(_) | Value::Number(_) => {}
    }
}

fn check(answer: &Answer) {
    check_numbers(&serde_json::to_value(answer).unwrap(), "answer");
    assert!(answer.mfu > 0.0 && answer.hfu >= answer.mfu, "{}", answer.mfu);
    assert!(answer.hfu <= 1.0, "HFU {}", answer.hfu);
}

/// Fields with the least and the most that is accepted, and values between.
const FIELDS: &[(&str, &[f64])] = &[
    ("hardware.gpus_per_node", &[1.0, 8.0, 1_048_576.0]),
    ("hardware.internode_gbit_per_s_per_gpu", &[0.1, 400.0, 100_000.0]),
    ("hardware.usd_per_gpu_hour", &[0.0, 1e-300, 1e6]),
    ("hardware.owned.usd_per_gpu", &[0.0, 1e-300, 1e6]),
    ("calibration.time", &[0.1, 0.3, 10.0]),
    ("calibration.memory", &[0.1, 10.0]),
    ("operations.startup_s", &[0.0, 1e7]),
    ("operations.restart_s", &[0.0, 1e7]),
    ("operations.evaluation.share", &[0.0, 10.0]),
    ("operations.checkpoint.every_steps", &[1.0, 1e9]),
    ("operations.checkpoint.storage_gb_per_s", &[0.001, 1e6]),
    ("operations.failures.mtbf_gpu_hours", &[1.0, 1e9]),
    ("operations.interruptions_per_instance_hour", &[0.0, 1000.0]),
    ("operations.power.board_w", &[1.0, 10_000.0]),
    ("workload.tokens", &[1.0, 1e15]),
    ("workload.run.steps", &[1.0, 1e9]),
    ("workload.run.examples", &[1.0, 1e12]),
    ("workload.run.checkpoints", &[1.0, 100_000.0]),
    ("workload.sequence_length", &[1.0, 16_777_216.0]),
    ("workload.mean_sequence_length", &[1.0]),
    ("workload.global_batch", &[1.0, 16_777_216.0]),
    ("workload.lora.rank", &[1.0, 4096.0]),
    ("workload.rl.prompts_per_step", &[1.0, 16_777_216.0]),
    ("workload.rl.gen_batch_size", &[1.0, 16_777_216.0]),
    ("workload.rl.oversampling", &[1.0, 100.0]),
    ("workload.rl.responses_per_prompt", &[1.0, 4096.0]),
    ("workload.rl.max_prompt_length", &[1.0, 16_777_216.0]),
    ("workload.rl.max_response_length", &[1.0, 16_777_216.0]),
    ("workload.rl.mean_prompt_length", &[1.0]),
    ("workload.rl.mean_response_length", &[1.0]),
    ("workload.rl.response_length_cv", &[0.0, 10.0]),
    ("workload.rl.mini_batch", &[1.0]),
    ("workload.rl.epochs", &[1.0, 1000.0]),
    ("workload.rl.reward_s", &[0.0, 1e-300, 1e6]),
    ("workload.rl.agent.turns", &[1.0, 1.5]),
    ("workload.rl.agent.tool_s", &[0.0, 1e-300, 1e5]),
    ("workload.rl.agent.tool_cv", &[0.0, 10.0]),
    ("workload.rl.agent.environments", &[1.0, 16_777_216.0]),
    ("workload.rl.agent.prefix_cache_hit_rate", &[0.0, 1.0]),
    ("workload.distillation.gpus", &[1.0, 1_048_576.0]),
    ("workload.distillation.tensor_parallel", &[1.0]),
    ("workload.distillation.gpu_memory_utilization", &[1e-3, 1.0]),
    ("workload.distillation.max_num_batched_tokens", &[1.0, 4_294_967_296.0]),
    ("workload.distillation.on_policy", &[0.001, 1.0]),
    ("workload.rl.max_staleness", &[0.0, 0.5, 1.0, 16_777_216.0]),
    ("workload.rollout.requests", &[1.0, 4_294_967_296.0]),
    ("workload.rollout.mean_prompt_length", &[1.0, 16_777_216.0]),
    ("workload.rollout.mean_response_length", &[1.0, 16_777_216.0]),
    ("workload.rollout.response_length_cv", &[0.0, 10.0]),
    ("plan.micro_batch", &[1.0, 1_048_576.0]),
    ("plan.max_tokens_per_gpu", &[1.0, 1_073_741_824.0]),
    ("plan.forward_micro_batch", &[1.0, 1_048_576.0]),
    ("plan.forward_max_tokens_per_gpu", &[1.0, 1_073_741_824.0]),
    ("plan.master_weights_bytes", &[0.0, 64.0]),
    ("plan.gradient_bytes", &[0.0, 64.0]),
    ("plan.optimizer_bytes", &[0.0, 64.0]),
    ("plan.logit_bytes", &[0.0, 64.0]),
    ("plan.weight_sync_parts", &[1.0, 1_048_576.0]),
    ("plan.rollout.gpu_memory_utilization", &[1e-9, 1.0]),
    ("plan.rollout.max_num_seqs", &[1.0, 4_294_967_296.0]),
    ("plan.rollout.max_num_batched_tokens", &[1.0, 4_294_967_296.0]),
    ("plan.rollout.speculative_speedup", &[0.1, 3.0, 20.0]),
];

/// Figures of a card by itself, with the least and the most that is accepted.
const CARD: &[(&str, &[f64])] = &[
    ("memory_gib", &[1.0, 80.0, 10_000.0]),
    ("hbm_gb_per_s", &[10.0, 3000.0, 100_000.0]),
    ("bf16_dense_tflops", &[0.1, 989.0, 100_000.0]),
    ("fp8_dense_tflops", &[989.0, 100_000.0]),
    ("nvlink_gb_per_s", &[0.0, 1.0, 20_000.0]),
    ("nvlink_domain", &[1.0, 1_048_576.0]),
    ("pcie_gb_per_s", &[0.1, 10_000.0]),
];

fn number(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as u64) } else { json!(value) }
}

/// A card with extreme figures.
fn card() -> BoxedStrategy<Value> {
    let figures: Vec<_> = CARD.iter().map(|(_, values)| select(values.to_vec())).collect();
    let architecture = proptest::option::of(select(vec!["hopper", "cdna", "turing"]));
    (figures, architecture)
        .prop_map(|(figures, architecture)| {
            let mut card = json!({});
            for ((key, _), figure) in CARD.iter().zip(figures) {
                card[*key] = number(figure);
            }
            if let Some(architecture) = architecture {
                card["architecture"] = json!(architecture);
            }
            card
        })
        .boxed()
}

/// A question with some fields at an end of what is accepted.
fn extreme() -> BoxedStrategy<Asked> {
    let change = (0..FIELDS.len(), any::<proptest::sample::Index>());
    let changes = proptest::collection::vec(change, 1..6);
    (questions::question(Plan::Complete), proptest::option::of(card()), changes)
        .prop_map(|(Asked(question), card, changes)| {
            let mut document = to_value(&question);
            if let Some(card) = card {
                put(&mut document, "hardware.gpu", card);
            }
            for (field, value) in changes {
                let (path, values) = FIELDS[field];
                put(&mut document, path, number(values[value.index(values.len())]));
            }
            // Of two sizes of a micro-batch one is stated.
            if !at(&document, "plan.max_tokens_per_gpu").is_null() {
                shardwise_core::wire::take(&mut document, "plan.micro_batch");
            }
            belonging::strip(&mut document);
            Asked(question_from_value(document).unwrap())
        })
        .boxed()
}

fn with(question: &Question, path: &str, value: f64) -> Question {
    let mut document = to_value(question);
    put(&mut document, path, json!(value));
    question_from_value(document).unwrap()
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn extreme_values_give_numbers(Asked(asked) in extreme()) {
        match estimate(&asked) {
            Ok(answer) => check(&answer),
            Err(error) => {
                prop_assert!(error.message.ends_with('.'), "{error}");
                said(&error.message);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn extreme_values_give_numbers_to_every_change(Asked(asked) in extreme()) {
        if let Ok(found) = sensitivity(&asked) {
            check_numbers(&serde_json::to_value(&found).unwrap(), "sensitivity");
        }
    }
}

/// Questions whose estimates come close to the peak: long training of a large model, and generation of many.
fn near_the_peak() -> Vec<Value> {
    let layout = json!({"backend": "megatron", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
        "micro_batch": 4, "recompute": "none"});
    let rl = json!({"prompts_per_step": 1024, "max_prompt_length": 1024, "max_response_length": 1024, "reward_s": 3.0,
        "schedule": "one_step_off", "train_gpus": 4});
    let mut both = layout.clone();
    both["rollout"] = json!({"tensor_parallel": 1});
    let of = |workload: Value, plan: Value| {
        json!({"version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": workload, "plan": plan})
    };
    vec![
        of(json!({"kind": "pretrain", "sequence_length": 8192, "global_batch": 512}), layout.clone()),
        of(json!({"kind": "lora", "sequence_length": 8192, "global_batch": 512}), layout),
        of(json!({"kind": "grpo", "rl": rl}), both),
        of(
            json!({"kind": "rollout", "rollout": {"requests": 100_000, "mean_prompt_length": 8000,
                "mean_response_length": 100}}),
            json!({"rollout": {"tensor_parallel": 1}}),
        ),
    ]
}

#[test]
fn a_calibration_beyond_the_peak_is_refused_with_the_least_that_is_not() {
    let mut refusals = 0;
    for document in near_the_peak() {
        let question = question_from_value(document).unwrap();
        check(&estimate(&question).unwrap());
        let Err(error) = estimate(&with(&question, "calibration.time", 0.1)) else {
            continue;
        };
        refusals += 1;
        assert_eq!(error.field, "calibration.time");
        said(&error.message);
        let least = error.message.split("Give ").nth(1).unwrap();
        let least: f64 = least.split(' ').next().unwrap().parse().unwrap();
        assert!(least > 0.1 && least < 1.0, "{error}");
        check(&estimate(&with(&question, "calibration.time", least)).unwrap());
        let just_below = with(&question, "calibration.time", least * 0.99);
        assert_eq!(estimate(&just_below).unwrap_err().field, "calibration.time");
        // A search offers no plan that no card can run.
        let mut open = with(&question, "calibration.time", 0.1);
        open.plan = None;
        let found = search(&open, None, 3);
        assert_eq!(found.unwrap_err().field, "calibration.time");
    }
    assert!(refusals >= 3, "{refusals}");
}

#[test]
fn speculation_beyond_the_peak_is_refused_with_the_most_that_is_not() {
    let question = question_from_value(near_the_peak().pop().unwrap()).unwrap();
    let field = "plan.rollout.speculative_speedup";
    let fast = with(&question, "workload.rollout.mean_response_length", 8000.0);
    let fast = with(&fast, "workload.rollout.mean_prompt_length", 1.0);
    let fast = with(&fast, "plan.rollout.max_num_seqs", 4_000_000.0);
    let card = json!({"base": "h100-sxm", "hbm_gb_per_s": 100_000, "memory_gib": 10_000, "bf16_dense_tflops": 100});
    let mut fast = to_value(&fast);
    put(&mut fast, "hardware.gpu", card);
    let fast = question_from_value(fast).unwrap();
    check(&estimate(&fast).unwrap());
    let error = estimate(&with(&fast, field, 20.0)).unwrap_err();
    assert_eq!(error.field, field);
    said(&error.message);
    let most = error.message.split("Give ").nth(1).unwrap();
    let most: f64 = most.split(' ').next().unwrap().parse().unwrap();
    check(&estimate(&with(&fast, field, most)).unwrap());
}

/// An engine may compute in fewer bits than the question states: it is their peak that counts.
#[test]
fn generation_counts_by_the_engines_precision() {
    let of = |precision: &str, engine: &str| {
        let mut document = near_the_peak().pop().unwrap();
        document["workload"]["precision"] = json!(precision);
        document["plan"]["rollout"]["precision"] = json!(engine);
        estimate(&question_from_value(document).unwrap()).unwrap().mfu
    };
    assert_eq!(of("bf16", "fp8"), of("fp8", "fp8"));
    assert_eq!(of("fp8", "bf16"), of("bf16", "bf16"));
    assert!(of("bf16", "fp8") < of("bf16", "bf16"));
}

#[test]
fn figures_of_a_card_are_physical() {
    let with_card = |key: &str, value: f64| {
        let mut card = json!({"memory_gib": 80, "hbm_gb_per_s": 3000, "bf16_dense_tflops": 900});
        card[key] = json!(value);
        let document = json!({"version": 1, "model": "qwen3-0.6b", "hardware": {"gpu": card, "gpus": 8},
            "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}});
        estimate(&question_from_value(document).unwrap())
    };
    for (key, values) in CARD {
        for value in [1e-308, -1.0, 1e300] {
            if *key == "nvlink_domain" {
                continue;
            }
            let error = with_card(key, value).unwrap_err();
            assert_eq!(error.field, format!("hardware.gpu.{key}"));
            assert!(error.message.contains("Give "), "{error}");
            said(&error.message);
        }
        for value in values.iter().filter(|_| *key != "nvlink_domain") {
            check(&with_card(key, *value).unwrap());
        }
    }
    let error = with_card("fp8_dense_tflops", 899.0).unwrap_err();
    assert!(error.message.contains("900"), "{error}");
    let error = with_card("nvlink_gb_per_s", 1e-308).unwrap_err();
    assert!(error.message.contains("0 for a card without"), "{error}");
}
