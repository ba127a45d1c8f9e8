//! RL on cards where nothing fits that is the same by whichever framework: who leaves open who runs it is told who has means of
//! its own to hold less, and who names one keeps it.

use serde_json::json;
use shardwise_core::search::chosen::decided;
use shardwise_core::search::sweep::Sweep;
use shardwise_core::wire::{Answer, Question, question_from_value};
use shardwise_core::{estimate, search};

/// GRPO of a model on one card, which trains and generates.
fn alone(model: &str, gpu: &str, framework: Option<&str>) -> Question {
    let question = json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": 1}, "framework": framework,
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 8, "responses_per_prompt": 8, "mean_prompt_length": 200,
            "mean_response_length": 500, "max_prompt_length": 512, "max_response_length": 1024}}});
    question_from_value(question).unwrap()
}

fn answer(question: &Question) -> Answer {
    estimate(question).unwrap_or_else(|error| panic!("{error}"))
}

/// The framework of an answer, and whether the question names it.
fn own(answer: &Answer) -> Option<(&str, bool)> {
    answer.framework.as_ref().map(|own| (own.id, own.stated))
}

/// veRL's FSDP has its optimizer on the card while it steps, and its Megatron trains in no fp16: on a T4 neither fits. TRL's
/// DeepSpeed steps in host memory.
#[test]
fn a_small_card_is_answered_by_whoever_fits_it() {
    let open = alone("qwen2.5-1.5b", "t4", None);
    let found = answer(&open);
    assert!(found.fits);
    assert_eq!(own(&found), Some(("trl", false)));
    let by_name = answer(&alone("qwen2.5-1.5b", "t4", Some("trl")));
    assert_eq!((&found.plan, found.step_time_s), (&by_name.plan, by_name.step_time_s));
    // Asked again with what was found, it is the same.
    let again = answer(&decided(&open, &found));
    assert_eq!((&found.plan, found.step_time_s, found.fits), (&again.plan, again.step_time_s, again.fits));
    let listed = search(&open, None, 3).unwrap();
    assert_eq!(listed.plans.first().map(|own| &own.plan), Some(&found.plan));
}

#[test]
fn the_framework_that_is_named_stays() {
    let found = answer(&alone("qwen2.5-1.5b", "t4", Some("verl")));
    assert!(!found.fits);
    assert_eq!(own(&found), Some(("verl", true)));
}

/// Where something fits that is the same by whichever, nobody is asked by name, nor is one named where nothing fits by any.
#[test]
fn others_are_asked_in_need_alone() {
    let known = answer(&alone("qwen3-1.7b", "rtx-3090", None));
    assert!(known.fits);
    assert_eq!(own(&known), Some(("verl", false)));
    let none = answer(&alone("qwen3-8b", "rtx-4090", None));
    assert!(!none.fits);
    assert_eq!(own(&none), Some(("verl", false)));
}

#[test]
fn gpu_types_are_compared_by_whoever_fits_them() {
    let question = alone("qwen2.5-1.5b", "rtx-3090", None);
    let sweep = Sweep::new(&question, &["rtx-3090", "t4"], &[]);
    let place = (0..sweep.total()).find(|place| sweep.hardware(*place).is_some_and(|own| own.gpu == "t4"));
    let found = sweep.at(place.unwrap()).unwrap().result.unwrap().answer;
    assert!(found.fits);
    assert_eq!(own(&found), Some(("trl", false)));
}

/// NeMo-RL's reference waits in host memory: a plan fits by it that does not beside one that stays on the card.
#[test]
fn a_reference_that_waits_in_host_memory_is_found() {
    let asked = |framework: Option<&str>| {
        let question = json!({"version": 1, "model": "llama-3.1-8b", "framework": framework,
            "hardware": {"gpu": "h100-sxm", "gpus": 16},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 64, "responses_per_prompt": 32, "mini_batch": 16,
                "mean_prompt_length": 131.5, "mean_response_length": 1123, "max_prompt_length": 1024,
                "max_response_length": 4096, "reference": true, "schedule": "fully_async", "train_gpus": 8}},
            "plan": {"backend": "megatron", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
                "expert_parallel": 1, "recompute": "full", "fused_lm_head": false,
                "offload": {"parameters": false, "gradients": false, "optimizer": false},
                "optimizer_offload_fraction": 0, "rollout": {"tensor_parallel": 1, "gpu_memory_utilization": 0.8}}});
        question_from_value(question).unwrap()
    };
    assert!(!answer(&asked(Some("verl"))).fits);
    let open = asked(None);
    let found = answer(&open);
    assert!(found.fits, "{:?}", found.fit);
    assert_eq!(own(&found), Some(("nemo-rl", false)));
    let again = answer(&decided(&open, &found));
    assert_eq!((&found.plan, found.step_time_s, found.fits), (&again.plan, again.step_time_s, again.fits));
}
