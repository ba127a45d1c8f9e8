//! What else is worth asking for where a plan pays for its memory: it is worth what the answer to that question is.

use serde_json::{Map, Value, json};
use shardwise_core::neighbours::apply;
use shardwise_core::wire::{Advice, Answer, Question, question_from_value};
use shardwise_core::{estimate, evaluate_alone};

use crate::cases::merge;

const OWN: [&str; 4] = ["less-sure", "bf16-moments", "optimizer-8bit", "adapters"];

/// Full fine-tuning of a model whose states fill the cards.
fn filled(change: &Value) -> Question {
    let mut document = json!({"version": 1, "model": "qwen3.5-27b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}});
    merge(&mut document, change.as_object().unwrap());
    question_from_value(document).unwrap()
}

fn said(answer: &Answer) -> Vec<&Advice> {
    answer.advice.iter().filter(|own| OWN.contains(&own.id.as_ref())).collect()
}

fn ids(question: &Question) -> Vec<String> {
    let answer = estimate(question).unwrap();
    said(&answer).into_iter().map(|own| own.id.to_string()).collect()
}

#[test]
fn what_else_is_asked_for_is_worth_its_own_answer() {
    let questions = [
        filled(&json!({})),
        filled(&json!({"framework": "megatron-lm", "model": "llama-3.3-70b", "hardware": {"gpus": 16}})),
        filled(&json!({"model": "llama-3.1-8b", "hardware": {"gpu": "l40s", "gpus": 4}})),
    ];
    for question in questions {
        let answer = estimate(&question).unwrap();
        assert!(answer.fits);
        let found = said(&answer);
        assert!(!found.is_empty(), "{:?}", answer.advice);
        for advice in found {
            let then = evaluate_alone(&apply(&question, &advice.set).unwrap()).unwrap().answer;
            assert!(then.fits, "{}", advice.id);
            let gain = advice.gain.unwrap().tokens_per_s_per_gpu;
            let each = then.tokens_per_s_per_gpu - answer.tokens_per_s_per_gpu;
            assert!((gain - each).abs() < 1e-6 * then.tokens_per_s_per_gpu, "{}", advice.id);
            assert!(gain >= 0.1 * answer.tokens_per_s_per_gpu, "{}", advice.id);
            let [then, now] = [&then, &answer].map(|own| own.tokens_per_s_per_gpu * own.fit.probability);
            assert!(then > now, "{}: a trial is not worth it", advice.id);
        }
    }
}

/// Megatron has no 8-bit AdamW, and BF16 moments are as good where whole states fit.
#[test]
fn moments_shrink_in_a_way_that_the_framework_has() {
    let megatron = filled(&json!({"framework": "megatron-lm", "model": "llama-3.3-70b", "hardware": {"gpus": 16}}));
    let own = ids(&megatron);
    assert!(own.contains(&"bf16-moments".into()) && !own.contains(&"optimizer-8bit".into()), "{own:?}");
    let tight = ids(&filled(&json!({})));
    assert!(tight.contains(&"optimizer-8bit".into()) && !tight.contains(&"bf16-moments".into()), "{tight:?}");
}

#[test]
fn what_is_stated_is_not_asked_anew() {
    let none = |change: Value, id: &str| {
        let own = ids(&filled(&change));
        assert!(!own.contains(&id.to_owned()), "{change}: {own:?}");
    };
    for stated in [json!({"optimizer": "adamw"}), json!({"optimizer_bytes": 8.0})] {
        none(json!({"plan": stated}), "optimizer-8bit");
    }
    none(json!({"confidence": 0.65}), "less-sure");
    none(json!({"workload": {"kind": "pretrain"}}), "adapters");
    let mut whole = filled(&json!({}));
    whole.plan = Some(estimate(&whole).unwrap().plan);
    assert_eq!(ids(&whole), [""; 0]);
}

/// Where memory is to spare nothing else is as good, and RL steps are not searched for again.
#[test]
fn what_pays_nothing_for_memory_is_left_alone() {
    assert_eq!(ids(&filled(&json!({"model": "qwen3-0.6b"}))), [""; 0]);
    let rl = json!({"prompts_per_step": 128, "responses_per_prompt": 8, "max_prompt_length": 1024, "max_response_length": 4096});
    let mut document = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8}});
    document["workload"] = json!({"kind": "grpo", "rl": rl});
    assert_eq!(ids(&question_from_value(document).unwrap()), [""; 0]);
}

/// Whoever follows it is shown the next: what is four fifths sure may gain again by being less so.
#[test]
fn following_it_is_no_dead_end() {
    let question = filled(&json!({"confidence": 0.8}));
    let mut set = Map::new();
    set.insert("confidence".to_owned(), 0.65.into());
    let found = estimate(&question).unwrap();
    let next = found.advice.iter().find(|own| own.id == "less-sure").unwrap();
    assert_eq!(next.set, set);
}
