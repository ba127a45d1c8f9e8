//! What a rule sends to another framework is not refused there for the same reason.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shardwise_core::framework::NAMES;
use shardwise_core::rules::FRAMEWORKS;
use shardwise_core::wire::question_from_value;
use shardwise_core::{catalog, complete, job};

/// Questions by what frameworks tell apart of a job: its kind, data and precision.
fn workloads() -> Vec<Value> {
    let rl = json!({"prompts_per_step": 64, "responses_per_prompt": 8, "mini_batch": 64, "max_prompt_length": 512,
        "max_response_length": 512, "reference": true});
    let tuned = |kind: &str| json!({"kind": kind, "sequence_length": 1024, "global_batch": 64});
    let adapters =
        |kind: &str| json!({"kind": kind, "sequence_length": 1024, "global_batch": 64, "lora": {"rank": 16}});
    let mut all: Vec<Value> = ["pretrain", "sft", "dpo", "ipo", "orpo", "simpo", "kto", "reward_model"]
        .map(tuned)
        .into();
    all.extend(["lora", "qlora"].map(adapters));
    all.extend(["grpo", "ppo"].map(|kind| json!({"kind": kind, "rl": rl})));
    all.push(json!({"kind": "grpo", "rl": rl, "lora": {"rank": 16}}));
    all
}

/// Other frameworks that a remedy names as those to take.
fn named(message: &str, own: &str) -> Vec<&'static str> {
    let takes = message.split(['.', ';']).filter(|part| part.contains("ake "));
    let says = takes
        .filter_map(|part| part.split_once("ake "))
        .map(|(_, says)| says)
        .collect::<String>();
    NAMES
        .iter()
        .filter(|name| name.id != own && says.contains(&format!("{}'s", name.name)))
        .map(|name| name.id)
        .collect()
}

#[test]
fn no_remedy_names_who_refuses_the_same() {
    let (mut checked, mut circular) = (BTreeSet::new(), BTreeSet::new());
    for model in catalog::models() {
        for workload in workloads() {
            let question = json!({"version": 1, "model": model.id, "hardware": {"gpu": "h100-sxm", "gpus": 64},
                "workload": workload});
            let Ok(job) = question_from_value(question)
                .map_err(drop)
                .and_then(|own| job::resolve(&own).map_err(drop))
            else {
                continue;
            };
            let Ok(plan) = complete::complete(&job, &shardwise_core::wire::PlanSpec::default()) else {
                continue;
            };
            for framework in FRAMEWORKS {
                for broken in framework.violations(&job, &plan) {
                    for other in named(&broken.message, framework.id) {
                        checked.insert((framework.id, broken.field.clone(), other));
                        let there = FRAMEWORKS.iter().find(|own| own.id == other).unwrap();
                        if there.violations(&job, &plan).iter().any(|own| own.field == broken.field) {
                            let kind = workload["kind"].as_str().unwrap().to_owned();
                            circular.insert((framework.id, broken.message.clone(), other, kind, model.id));
                        }
                    }
                }
            }
        }
    }
    let list: Vec<String> = circular.iter().map(|own| format!("{own:?}")).collect();
    assert!(circular.is_empty(), "{} of {}\n{}", circular.len(), checked.len(), list.join("\n"));
    // A remedy that no question meets is no test.
    for own in [("megatron-bridge", "model", "megatron-lm"), ("megatron-lm", "model", "megatron-bridge")] {
        assert!(checked.contains(&(own.0, own.1.to_owned(), own.2)), "{own:?} is never met: {checked:?}");
    }
    assert!(checked.len() > 20, "{checked:?}");
}
