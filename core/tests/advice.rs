//! Advice: each rule fires where it should and not elsewhere, and is worth what it says; rules of thumb are held against
//! the search.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::advice::{RULES, helps};
use shardwise_core::neighbours::apply;
use shardwise_core::search::chosen::decided;
use shardwise_core::wire::{Advice, Answer, Question, Severity, question_from_value};
use shardwise_core::{estimate, evaluate_alone, search, sensitivity};

use crate::questions::{self, Asked, Plan, cases};
use crate::said;

/// veRL, ChatLearn and TRL checkpoint whole layers with FSDP, or nothing.
#[test]
fn fsdp_is_not_advised_to_choose_modules_for_reinforcement_learning() {
    let asked = |framework: Value| {
        question_from_value(json!({"version": 1, "model": "llama-3.1-8b", "framework": framework,
            "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "grpo", "precision": "fp8", "rl": {"prompts_per_step": 256, "responses_per_prompt": 8,
                "mini_batch": 64, "max_prompt_length": 1024, "max_response_length": 4096}},
            "plan": {"backend": "fsdp", "recompute": "full", "ulysses_parallel": 1, "zero_stage": 3, "fused_lm_head": true,
                "attention": "unfused", "max_tokens_per_gpu": 8192,
                "offload": {"parameters": true, "gradients": true, "optimizer": true},
                "rollout": {"tensor_parallel": 2, "gpu_memory_utilization": 0.5}}}))
        .unwrap()
    };
    let answer = estimate(&asked(Value::Null)).unwrap();
    let ids: Vec<&str> = answer.advice.iter().map(|own| own.id.as_ref()).collect();
    assert!(!ids.contains(&"recompute-selective"), "{ids:?}");
}

/// JSON merge patch (RFC 7396).
fn merge(target: &mut Value, change: Value) {
    match change {
        Value::Object(change) => {
            if !target.is_object() {
                *target = json!({});
            }
            for (key, value) in change {
                let map = target.as_object_mut().unwrap();
                if value.is_null() {
                    map.remove(&key);
                } else {
                    merge(map.entry(key).or_insert(Value::Null), value);
                }
            }
        }
        other => *target = other,
    }
}

fn with(base: Value, change: Value) -> Question {
    let mut document = base;
    merge(&mut document, change);
    question_from_value(document).unwrap()
}

/// Fine-tuning of an 8B model with Megatron on one node, decided to the last field.
fn tuned(change: Value) -> Question {
    let base = json!({
        "version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 128},
        "plan": {"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 2, "recompute": "none", "fused_lm_head": true,
            "overlap": {"gradients": true, "parameters": true, "tensor_parallel": true}},
    });
    with(base, change)
}

/// The same with DeepSpeed.
fn sharded(change: Value) -> Question {
    let base = json!({
        "version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 128},
        "plan": {"backend": "deepspeed", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 2, "recompute": "full", "fused_lm_head": true},
    });
    with(base, change)
}

/// GRPO with veRL's engines, decided to the last field.
fn practice(change: Value) -> Question {
    let base = json!({
        "version": 1, "model": "qwen2.5-7b-instruct", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 512, "responses_per_prompt": 16, "mini_batch": 32,
            "max_prompt_length": 2048, "max_response_length": 8192, "mean_prompt_length": 155,
            "mean_response_length": 551, "response_length_cv": 0.8, "reference": true}},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "max_tokens_per_gpu": 20480, "recompute": "full", "fused_lm_head": true,
            "rollout": {"tensor_parallel": 1, "gpu_memory_utilization": 0.6, "max_num_seqs": 1024}},
    });
    with(base, change)
}

fn said<'a>(answer: &'a Answer, id: &str) -> Option<&'a Advice> {
    answer.advice.iter().find(|advice| advice.id == id)
}

fn close(a: f64, b: f64, scale: f64) {
    assert!((a - b).abs() <= 1e-6 * scale.abs(), "{a} is not {b}");
}

/// What holds for all advice: order, identifiers, sources.
fn check(question: &Question) -> Answer {
    let answer = estimate(question).unwrap();
    let mut ids = BTreeSet::new();
    let rank = |advice: &Advice| advice.severity as u8;
    for advice in &answer.advice {
        assert!(ids.insert(advice.id.clone()), "{} twice", advice.id);
        assert!(advice.source.starts_with("https://"), "{}", advice.source);
        said::said(&advice.text);
        // What is listed as a help is one: per GPU as the headline counts, or in memory.
        if let Some(gain) = advice.gain.filter(|_| helps(advice)) {
            let helped = gain.tokens_per_s_per_gpu > 0.0 || gain.gib < 0.0;
            assert!(helped, "{}: {gain:?}", advice.id);
        }
    }
    for caveat in &answer.caveats {
        said::said(&caveat.text);
    }
    assert!(answer.advice.is_sorted_by_key(rank));
    answer
}

/// Gains are what following the advice changes.
fn check_gains(question: &Question, answer: &Answer) {
    let whole = decided(question, answer);
    for advice in estimate(&whole).unwrap().advice {
        let Some(gain) = advice.gain else { continue };
        let to = apply(&whole, &advice.set).unwrap();
        let then = evaluate_alone(&to)
            .unwrap_or_else(|error| panic!("{}: {error}", advice.id))
            .answer;
        let off = gain.tokens_per_s - (then.tokens_per_s - answer.tokens_per_s);
        let each = then.tokens_per_s_per_gpu - answer.tokens_per_s_per_gpu;
        assert!((gain.tokens_per_s_per_gpu - each).abs() < 1e-6 * then.tokens_per_s_per_gpu, "{}", advice.id);
        assert!(off.abs() < 1e-6 * then.tokens_per_s, "{}: {:?}", advice.id, advice.set);
        close(gain.gib, then.memory.reserved_gib - answer.memory.reserved_gib, then.memory.reserved_gib);
        assert_eq!(gain.usd_per_mtok.is_some(), answer.usd_per_mtok.is_some());
        if let (Some(gain), Some(now), Some(then)) = (gain.usd_per_mtok, answer.usd_per_mtok, then.usd_per_mtok) {
            close(gain, then - now, then);
        }
    }
}

/// Of each rule a plan that departs from it to its cost, and one that does not or loses nothing.
fn departures() -> Vec<(&'static str, Question, Question)> {
    let none = || json!({});
    let rl = |rl: Value| json!({"workload": {"rl": rl}});
    let plan = |plan: Value| json!({"plan": plan});
    let engine = |engine: Value| json!({"plan": {"rollout": engine}});
    let experts = json!({"model": "qwen3-30b-a3b", "hardware": {"gpus": 16},
        "plan": {"expert_parallel": 2, "expert_tensor_parallel": 4, "tensor_parallel": 4}});
    let long = json!({"hardware": {"gpus": 16}, "workload": {"sequence_length": 65_536, "global_batch": 4},
        "plan": {"recompute": "full", "micro_batch": 1}});
    let offloaded = json!({"parameters": true, "gradients": true, "optimizer": true, "activations": false});
    let far = json!({"hardware": {"gpus": 32, "internode_gbit_per_s_per_gpu": 25}});
    let mut far_fsdp = far.clone();
    merge(&mut far_fsdp, plan(json!({"backend": "fsdp"})));
    // Generation takes about as long as training.
    let sided = || {
        practice(json!({"model": "llama-3.1-8b-instruct", "hardware": {"gpus": 16},
                "workload": {"rl": {"prompts_per_step": 64, "responses_per_prompt": 32, "mini_batch": 16,
                    "mean_prompt_length": 131, "mean_response_length": 1123, "max_prompt_length": 1024,
                    "max_response_length": 4096}},
                "plan": {"backend": "megatron", "max_tokens_per_gpu": 16_384, "offload": offloaded.clone(),
                    "rollout": {"max_num_seqs": 256}}}))
    };
    let turns = || practice(rl(json!({"schedule": "one_step_off", "train_gpus": 4})));
    vec![
        (
            "tensor-parallel-within-node",
            tuned(json!({"hardware": {"gpus": 32}, "plan": {"tensor_parallel": 16}})),
            tuned(none()),
        ),
        (
            "tensor-parallel-smaller",
            tuned(plan(json!({"tensor_parallel": 8}))),
            tuned(plan(json!({"tensor_parallel": 1, "recompute": "full"}))),
        ),
        (
            "pipeline-fewer-stages",
            tuned(json!({"workload": {"global_batch": 16}, "plan": {"pipeline_parallel": 4, "micro_batch": 4}})),
            tuned(plan(json!({"pipeline_parallel": 2, "micro_batch": 1}))),
        ),
        (
            "virtual-pipeline",
            tuned(json!({"workload": {"global_batch": 32}, "plan": {"pipeline_parallel": 4, "micro_batch": 2}})),
            tuned(none()),
        ),
        ("context-parallel-long", tuned(long.clone()), tuned(none())),
        (
            "ulysses",
            practice(
                json!({"hardware": {"gpus": 32}, "workload": {"rl": {"max_response_length": 30_720, "prompts_per_step": 64,
                "mini_batch": 8, "responses_per_prompt": 4, "mean_response_length": 15_360}},
                "plan": {"max_tokens_per_gpu": 2048, "offload": offloaded, "rollout": {"tensor_parallel": 4}}}),
            ),
            practice(rl(json!({"max_response_length": 4096}))),
        ),
        ("expert-over-expert-tensor", tuned(experts.clone()), tuned(none())),
        ("sequence-parallel", tuned(plan(json!({"tensor_parallel": 8, "sequence_parallel": false}))), tuned(none())),
        ("dynamic-batching", practice(plan(json!({"max_tokens_per_gpu": null, "micro_batch": 1}))), practice(none())),
        (
            "token-budget-floor",
            practice(json!({"model": "qwen3-0.6b", "plan": {"max_tokens_per_gpu": 10_240}})),
            practice(none()),
        ),
        ("larger-micro-batch", sharded(plan(json!({"micro_batch": 1}))), sharded(plan(json!({"micro_batch": 16})))),
        (
            "token-budget",
            practice(json!({"model": "qwen3-0.6b", "plan": {"max_tokens_per_gpu": 10_240}})),
            practice(plan(json!({"max_tokens_per_gpu": 655_360, "offload": offloaded, "recompute": "full"}))),
        ),
        ("smaller-micro-batch", sharded(plan(json!({"micro_batch": 16, "recompute": "none"}))), sharded(none())),
        (
            "critic-budget",
            practice(json!({"model": "qwen3-0.6b", "workload": {"kind": "ppo", "rl": {"responses_per_prompt": 1,
                "prompts_per_step": 2048, "mini_batch": 1024}}, "plan": {"recompute": "full", "critic": {"backend": "fsdp", "max_tokens_per_gpu": 10_240,
                "recompute": "full"}}})),
            practice(none()),
        ),
        (
            "packing",
            sharded(json!({"workload": {"packing": false, "mean_sequence_length": 1000}})),
            sharded(json!({"workload": {"packing": false}})),
        ),
        (
            "overlap",
            sharded(json!({"hardware": {"gpus": 16},
                "plan": {"overlap": {"gradients": false, "parameters": false, "tensor_parallel": false}}})),
            sharded(none()),
        ),
        (
            "overlap-tensor-parallel",
            tuned(json!({"workload": {"kind": "pretrain"}, "plan": {"tensor_parallel": 8, "fused_lm_head": false,
                "overlap": {"tensor_parallel": false}}})),
            tuned(none()),
        ),
        (
            "fused-loss",
            sharded(plan(json!({"micro_batch": 8, "fused_lm_head": false, "fused_loss": false}))),
            sharded(plan(json!({"fused_lm_head": false, "fused_loss": true}))),
        ),
        ("fused-lm-head", sharded(plan(json!({"micro_batch": 8, "fused_lm_head": false}))), sharded(none())),
        ("recompute-off", sharded(plan(json!({"micro_batch": 1}))), sharded(plan(json!({"recompute": "none"})))),
        (
            "recompute-selective",
            tuned(json!({"model": "llama-2-7b", "hardware": {"gpu": "a100-sxm-80g"}, "workload": {"global_batch": 64},
                    "plan": {"recompute": "full", "attention": "unfused", "fused_lm_head": false,
                        "overlap": {"tensor_parallel": false}}})),
            sharded(plan(json!({"micro_batch": 1}))),
        ),
        (
            "recompute-full",
            practice(plan(json!({"recompute": "none", "max_tokens_per_gpu": 15_360}))),
            practice(none()),
        ),
        ("offload-off", sharded(plan(json!({"offload": offloaded}))), sharded(none())),
        (
            "offload-parameters-off",
            sharded(json!({"workload": {"sequence_length": 512}, "plan": {"micro_batch": 1, "offload": offloaded}})),
            sharded(plan(json!({"offload": {"optimizer": true}}))),
        ),
        (
            "offload-states",
            practice(engine(json!({"gpu_memory_utilization": 0.9}))),
            practice(engine(json!({"gpu_memory_utilization": 0.4}))),
        ),
        (
            "zero-stage",
            sharded(plan(json!({"zero_stage": 3}))),
            sharded(plan(json!({"zero_stage": 0, "offload": offloaded}))),
        ),
        ("hybrid-shard", sharded(far_fsdp), sharded(plan(json!({"backend": "fsdp"})))),
        ("zero-hpz", sharded(far.clone()), sharded(none())),
        ("rollout-smaller-engines", practice(engine(json!({"tensor_parallel": 4}))), practice(none())),
        (
            "rollout-utilization",
            practice(json!({"workload": {"rl": {"mean_response_length": 4000}}, "plan": {"offload": offloaded,
                "rollout": {"gpu_memory_utilization": 0.3}}})),
            practice(engine(json!({"gpu_memory_utilization": 0.95}))),
        ),
        ("rollout-max-num-seqs", practice(engine(json!({"max_num_seqs": 64}))), practice(none())),
        (
            "rollout-batched-tokens",
            practice(json!({"workload": {"rl": {"mean_prompt_length": 2000, "responses_per_prompt": 1,
                "prompts_per_step": 8192, "mean_response_length": 50}}, "plan": {"rollout": {"max_num_batched_tokens": 128}}})),
            practice(none()),
        ),
        (
            "rollout-cuda-graphs",
            practice(json!({"workload": {"rl": {"mean_response_length": 1300}},
                "plan": {"rollout": {"enforce_eager": true, "max_num_seqs": 64}}})),
            practice(none()),
        ),
        ("rollout-free-cache", practice(engine(json!({"free_cache": false}))), practice(none())),
        (
            "one-node",
            sharded(far.clone()),
            sharded(json!({"hardware": {"gpus": 32, "internode_gbit_per_s_per_gpu": 400}})),
        ),
        ("adapters", sharded(json!({"model": "llama-3.1-70b", "hardware": {"gpus": 8}})), sharded(none())),
        ("rollout-log-probs", practice(none()), practice(rl(json!({"old_log_prob": false})))),
        ("one-step-off", sided(), turns()),
        ("fully-async", sided(), turns()),
    ]
}

#[test]
fn rules_fire_where_they_gain() {
    let mut missing = Vec::new();
    for (id, departs, follows) in departures() {
        let answer = check(&departs);
        check_gains(&departs, &answer);
        match said(&answer, id) {
            Some(advice) if advice.gain.is_none() => missing.push(format!("{id}: no gain")),
            Some(_) => {}
            None => {
                missing.push(format!("{id}: {:?}", answer.advice.iter().map(|a| a.id.as_ref()).collect::<Vec<_>>()))
            }
        }
        let answer = check(&follows);
        if said(&answer, id).is_some() {
            missing.push(format!("{id} is said all the same"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_rule_is_tried() {
    let tried: BTreeSet<&str> = departures().into_iter().map(|(id, ..)| id).collect();
    let rules: Vec<&str> = RULES.into_iter().flatten().map(|rule| rule.id).collect();
    let unique: BTreeSet<&str> = rules.iter().copied().collect();
    assert_eq!(unique.len(), rules.len());
    assert_eq!(tried, unique);
    for rule in RULES.into_iter().flatten() {
        assert!(rule.source.starts_with("https://"), "{}", rule.source);
    }
}

/// The larger gain comes first, and what makes a plan fit before what makes it faster.
#[test]
fn advice_is_sorted() {
    for (_, departs, _) in departures() {
        let whole = decided(&departs, &estimate(&departs).unwrap());
        let answer = estimate(&whole).unwrap();
        let fits = sensitivity(&whole).unwrap().now.fits;
        let hints = answer.advice.iter().filter(|one| one.severity == Severity::Hint);
        let order: Vec<(bool, f64)> = hints
            .filter(|one| !one.set.contains_key("hardware.gpus"))
            .filter_map(|one| {
                let gain = one.gain?;
                let then = apply(&whole, &one.set).unwrap();
                let mends = !fits && sensitivity(&then).unwrap().now.fits;
                Some((mends, gain.tokens_per_s_per_gpu))
            })
            .collect();
        assert!(order.is_sorted_by(|a, b| a >= b), "{order:?}");
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn advice_keeps_its_word(Asked(question) in questions::question(Plan::Complete)) {
        if evaluate_alone(&question).is_ok() {
            let answer = check(&question);
            check_gains(&question, &answer);
        }
    }
}

fn searched(change: Value) -> Question {
    let base = json!({
        "version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "h200-sxm", "gpus": 16},
        "workload": {"kind": "sft", "sequence_length": 8192, "global_batch": 128},
    });
    with(base, change)
}

/// A rule of thumb is held against the best plan that obeys it, found by pinning what it asks for.
#[test]
fn rules_of_thumb_are_held_against_the_search() {
    let question = searched(json!({}));
    let answer = check(&question);
    let advice = said(&answer, "context-parallel-from-8192").expect("a departure");
    assert_eq!(answer.plan.context_parallel, Some(1));
    let best = ["context_parallel", "ulysses_parallel"]
        .iter()
        .flat_map(|key| [2, 4, 8].map(|size| searched(json!({"plan": {*key: size}}))))
        .filter_map(|pinned| search(&pinned, None, 1).ok()?.plans.pop())
        .filter(|plan| plan.fits)
        .map(|plan| plan.tokens_per_s)
        .fold(0.0, f64::max);
    assert!(!helps(advice));
    let gain = advice.gain.unwrap();
    // Plans within three digits rank by simplicity.
    close(gain.tokens_per_s / best, (best - answer.tokens_per_s) / best, 5e3);
    assert!(gain.tokens_per_s <= 0.0);
    let obeyed = estimate(&apply(&question, &advice.set).unwrap()).unwrap();
    close(gain.tokens_per_s, obeyed.tokens_per_s - answer.tokens_per_s, answer.tokens_per_s);
    assert!(said(&obeyed, "context-parallel-from-8192").is_none());
}

#[test]
fn four_billion_parameters_are_a_start() {
    let question = searched(json!({"model": "llama-3.1-8b", "workload": {"sequence_length": 4096}}));
    let answer = check(&question);
    let advice = said(&answer, "parameters-per-gpu").expect("a departure");
    assert!(advice.text.contains("4 billion parameters"), "{}", advice.text);
    let obeyed = apply(&question, &advice.set).unwrap();
    let plan = obeyed.plan.clone().unwrap();
    let split = plan.tensor_parallel.unwrap() * plan.pipeline_parallel.unwrap();
    assert_eq!(split, 2, "8 billion over two");
    let then = estimate(&obeyed).unwrap();
    close(advice.gain.unwrap().tokens_per_s, then.tokens_per_s - answer.tokens_per_s, then.tokens_per_s);
}

/// A dimension that the question states, a complete plan and a job that the rule does not speak of are no departures of
/// the search.
#[test]
fn rules_of_thumb_leave_a_person_alone() {
    let pinned = searched(json!({"plan": {"context_parallel": 1}}));
    let answer = check(&pinned);
    assert!(said(&answer, "context-parallel-from-8192").is_none());
    let short = searched(json!({"workload": {"sequence_length": 4096}}));
    assert!(said(&check(&short), "context-parallel-from-8192").is_none());
    let mut whole = searched(json!({}));
    whole.plan = Some(estimate(&whole).unwrap().plan);
    for advice in check(&whole).advice {
        assert_ne!(advice.id, "parameters-per-gpu");
        assert_ne!(advice.id, "context-parallel-from-8192");
    }
    let lora =
        searched(json!({"model": "llama-3.1-8b", "workload": {"kind": "lora"}, "plan": {"backend": "deepspeed"}}));
    assert!(said(&check(&lora), "parameters-per-gpu").is_none(), "no Megatron here");
}

/// Plans of a list carry what is wrong with them and no more.
#[test]
fn lists_have_warnings_alone() {
    let found = search(&searched(json!({})), None, 5).unwrap();
    for plan in found.plans {
        assert!(plan.advice.iter().all(|one| one.severity != Severity::Hint));
    }
}

#[test]
fn cards_before_ampere_are_said_to_lack_bf16_and_flash_attention() {
    let caveats = |gpu: &str, precision: &str, attention: &str| -> Vec<&'static str> {
        let question = question_from_value(json!({"version": 1, "model": "qwen3-0.6b",
            "hardware": {"gpu": gpu, "gpus": 1},
            "workload": {"kind": "lora", "sequence_length": 1024, "global_batch": 8, "precision": precision},
            "plan": {"attention": attention}}))
        .unwrap();
        let own = ["no-bf16", "no-flash-attention"];
        let answer = estimate(&question).unwrap();
        let said = own.into_iter();
        said.filter(|id| answer.caveats.iter().any(|caveat| caveat.id == *id)).collect()
    };
    for gpu in ["t4", "v100-sxm-32g"] {
        assert_eq!(caveats(gpu, "bf16", "flash"), ["no-bf16", "no-flash-attention"]);
        assert_eq!(caveats(gpu, "fp16", "unfused"), [""; 0]);
    }
    assert_eq!(caveats("a100-sxm-80g", "bf16", "flash"), [""; 0]);
}
