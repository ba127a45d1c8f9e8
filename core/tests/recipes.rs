//! Published recipes: each is one that the core can follow, and a plan that departs from one says what it would cost.

use serde_json::{Value, json};
use shardwise_core::advice::helps;
use shardwise_core::catalog;
use shardwise_core::neighbours::apply;
use shardwise_core::recipes::{Recipe, recipes};
use shardwise_core::wire::{Advice, Answer, FitState, Question, Severity, WorkloadKind, question_from_value};
use shardwise_core::{estimate, search};

use crate::said;

fn departure(answer: &Answer) -> Option<&Advice> {
    let mut found = answer.advice.iter();
    found.find(|advice| advice.id == "published-recipe")
}

fn tuned(gpus: u32, length: u32, rest: Value) -> Question {
    let mut document = json!({"version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "h100-sxm", "gpus": gpus},
        "workload": {"kind": "sft", "sequence_length": length, "global_batch": 128}});
    for (key, value) in rest.as_object().unwrap() {
        document[key] = value.clone();
    }
    question_from_value(document).unwrap()
}

/// The job of a recipe, on its machine or on one that it may have been meant for.
fn job_of(recipe: &Recipe) -> Question {
    let gpus = recipe.gpus.unwrap_or(64);
    let length = recipe.sequence_length.unwrap_or(4096);
    let reinforced = [WorkloadKind::Ppo, WorkloadKind::Grpo].contains(&recipe.kind);
    let workload = if reinforced {
        json!({"kind": recipe.kind, "rl": {"prompts_per_step": 512, "responses_per_prompt": 8,
            "max_prompt_length": length / 4, "max_response_length": length - length / 4}})
    } else {
        json!({"kind": recipe.kind, "sequence_length": length, "global_batch": 8 * gpus})
    };
    let gpu = recipe.gpu.unwrap_or("h100-sxm");
    question_from_value(json!({"version": 1, "model": recipe.model, "workload": workload,
        "hardware": {"gpu": gpu, "gpus": gpus}}))
    .unwrap()
}

#[test]
fn every_recipe_is_of_a_known_model_and_pinned() {
    assert!(recipes().len() >= 100);
    for recipe in recipes() {
        assert!(catalog::model(recipe.model).is_some(), "{}", recipe.model);
        let url = recipe.url();
        let pinned = |part: &str| part.len() == 40 && u128::from_str_radix(&part[..32], 16).is_ok();
        assert!(url.starts_with("https://github.com/"), "{url}");
        assert!(url.split('/').any(pinned), "{url}");
        assert!(url.contains("#L"), "{url}");
        assert_eq!(recipe.publisher.source.date.len(), 10);
    }
}

#[test]
fn a_recipe_is_held_against_the_search() {
    let question = tuned(8, 4096, json!({}));
    let answer = estimate(&question).unwrap();
    let advice = departure(&answer).expect("EP 8 is faster here");
    said::said(&advice.text);
    assert!(!helps(advice) && advice.severity == Severity::Hint);
    let says = "Megatron-Bridge splits Qwen3 30B A3B by TP 4 × PP 2 × EP 4 on 8 × NVIDIA H100 SXM5 80GB in its recipe. \
                The best such plan, Megatron with TP 4 × PP 2 × ";
    assert!(advice.text.starts_with(says), "{}", advice.text);
    assert!(advice.text.contains("% slower: "), "{}", advice.text);
    assert!(advice.source.contains("qwen/h100/qwen3_moe.py#L"));
    let sizes = json!({"plan.backend": "megatron", "plan.tensor_parallel": 4, "plan.pipeline_parallel": 2,
        "plan.context_parallel": 1, "plan.expert_parallel": 4, "plan.expert_tensor_parallel": 1});
    assert_eq!(Value::from(advice.set.clone()), sizes);
}

/// What is said of each recipe's own job is what following it comes to; who has its sizes is told nothing.
#[test]
fn what_a_recipe_would_cost_is_what_asking_for_it_answers() {
    let (mut departures, mut short) = (0, 0);
    for recipe in recipes() {
        let question = job_of(recipe);
        let Ok(answer) = estimate(&question) else {
            panic!("{recipe:?} is of no job");
        };
        let Some(advice) = departure(&answer) else {
            continue;
        };
        said::said(&advice.text);
        let chinese = said::chinese().say(&advice.text).unwrap();
        assert!(chinese.contains("的配方") && !chinese.contains("plan"), "{chinese}");
        departures += 1;
        let then = estimate(&apply(&question, &advice.set).unwrap()).unwrap();
        let gain = advice.gain.unwrap();
        let change = then.tokens_per_s - answer.tokens_per_s;
        let close = (gain.tokens_per_s - change).abs() <= 1e-6 * answer.tokens_per_s;
        assert!(close, "{recipe:?}: {} is not {change}", gain.tokens_per_s);
        let fits = then.fit.state == FitState::Fits;
        assert_eq!(advice.text.contains("No such plan fits"), !fits);
        short += u32::from(!fits);
        assert!(departure(&then).is_none(), "{recipe:?}");
        let plan = serde_json::to_value(&then.plan).unwrap();
        for (path, size) in &advice.set {
            assert_eq!(plan[path.trim_start_matches("plan.")], *size, "{path}");
        }
    }
    println!("{departures} departures, {short} of which do not fit");
    assert!(departures > 50 && short > 0, "{departures}, {short}");
}

/// The same GPU first, then the nearest number of them; sizes that do not divide them are passed over.
#[test]
fn the_nearest_recipe_is_the_one_that_is_said() {
    let text = |question: &Question| {
        let answer = estimate(question).unwrap();
        departure(&answer).map_or_else(String::new, |advice| advice.text.clone())
    };
    let many = |gpu: &str| {
        question_from_value(json!({"version": 1, "model": "qwen3-235b-a22b", "hardware": {"gpu": gpu, "gpus": 256},
            "workload": {"kind": "pretrain", "sequence_length": 4096, "global_batch": 2048},
            "plan": {"micro_batch": 1}}))
        .unwrap()
    };
    assert!(text(&many("h100-sxm")).contains("by TP 2 × PP 8 × EP 32 on 256 × NVIDIA H100 SXM5 80GB in"));
    assert!(text(&many("h200-sxm")).contains("by TP 2 × PP 8 × EP 32 on 256 × NVIDIA H100 SXM5 80GB in"));
    let few = tuned(12, 4096, json!({}));
    assert_eq!(text(&few), "", "neither 8 nor 16 GPUs");
}

/// Sizes that the question states, another back end, a framework without them, other lengths and models that nobody
/// publishes a layout of are no departures.
#[test]
fn recipes_leave_a_person_alone() {
    let silent = |question: Question| {
        let answer = estimate(&question).unwrap();
        assert!(departure(&answer).is_none(), "{:?}", departure(&answer));
    };
    assert!(departure(&estimate(&tuned(8, 4096, json!({}))).unwrap()).is_some());
    silent(tuned(8, 4096, json!({"plan": {"expert_parallel": 8}})));
    silent(tuned(8, 4096, json!({"plan": {"backend": "fsdp"}})));
    silent(tuned(8, 4096, json!({"framework": "deepspeed"})));
    silent(tuned(8, 65536, json!({})));
    silent(tuned(8, 4096, json!({"model": "qwen2-57b-a14b"})));
    let mut whole = tuned(8, 4096, json!({}));
    whole.plan = Some(estimate(&whole).unwrap().plan);
    silent(whole);
    // Whoever has the recipe's sizes has nothing to hold against it.
    let same = tuned(16, 4096, json!({"plan": {"backend": "megatron", "tensor_parallel": 1}}));
    assert_eq!(estimate(&same).unwrap().plan.expert_parallel, Some(16));
    silent(same);
    // A list carries what is wrong with its plans alone.
    let found = search(&tuned(8, 4096, json!({})), None, 3).unwrap();
    assert!(found.plans.iter().all(|plan| departure(plan).is_none()));
}
