//! A reference that waits in host memory and takes the policy's place on the card while it is evaluated, as with NeMo-RL, slime
//! and SkyRL.

use serde_json::{Value, json};
use shardwise_core::complete::complete;
use shardwise_core::context::Context;
use shardwise_core::framework::swaps_reference;
use shardwise_core::search::chosen::decided;
use shardwise_core::wire::{Answer, MemoryParts, Question, WorkloadKind, put, question_from_value};
use shardwise_core::{emit, estimate, evaluate_alone, evaluate_for, flags, job, presets, search};

use crate::methods;

const GIB: f64 = 1_073_741_824.0;

/// GRPO of Qwen3-8B on 16 H100, 8 of which train.
/// Gradients have the same bytes whoever trains: NeMo-RL sums them in bf16 by itself.
fn asked(framework: Option<&str>, changes: &[(&str, Value)]) -> Value {
    let engine = if framework == Some("slime") { "sglang" } else { "vllm" };
    let mut question = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 16},
        "framework": framework,
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 64, "responses_per_prompt": 8, "mini_batch": 64,
            "reference": true, "schedule": "split", "train_gpus": 8, "max_prompt_length": 1024,
            "max_response_length": 3072}},
        "plan": {"backend": "megatron", "tensor_parallel": 2, "recompute": "full", "max_tokens_per_gpu": 8192,
            "forward_max_tokens_per_gpu": 8192, "fused_lm_head": false, "gradient_bytes": 4,
            "offload": {"parameters": false, "gradients": false, "optimizer": false},
            "rollout": {"engine": engine, "tensor_parallel": 1}}});
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    question
}

fn answer(framework: Option<&str>, changes: &[(&str, Value)]) -> Answer {
    estimate(&question_from_value(asked(framework, changes)).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// With a reference that stays on the card beside the policy. An answer may choose a framework that swaps it.
fn beside(changes: &[(&str, Value)]) -> Answer {
    let question = question_from_value(asked(None, changes)).unwrap();
    let job = job::resolve(&question).unwrap();
    let plan = complete(&job, question.plan.as_ref().unwrap()).unwrap();
    shardwise_core::answer(&Context::new(&job), &plan)
}

fn held(answer: &Answer, phase: &str) -> MemoryParts {
    let own = answer.memory.phases.iter().find(|own| own.name == phase);
    own.unwrap_or_else(|| panic!("no memory of {phase}")).parts
}

fn seconds(answer: &Answer, phase: &str) -> f64 {
    let own = answer.time.phases.iter().find(|own| own.name == phase);
    own.unwrap_or_else(|| panic!("no time of {phase}")).s
}

/// GiB of the weights of one GPU.
const WEIGHTS: f64 = 8.19e9 * 2.0 / 2.0 / GIB;

#[test]
fn the_card_never_holds_it_beside_the_policy() {
    let beside = beside(&[]);
    assert!((held(&beside, "update_actor").frozen_weights - WEIGHTS).abs() < 0.05);
    for framework in ["nemo-rl", "slime", "skyrl"] {
        let own = answer(Some(framework), &[]);
        assert_eq!(held(&own, "update_actor").frozen_weights, 0.0, "{framework}");
        // Each has logits of its own, and an allocator's slack that goes with them.
        let states = |parts: &MemoryParts| parts.total() - parts.logits - parts.framework - parts.activations;
        let [with, without] = [&beside, &own].map(|answer| states(&held(answer, "update_actor")));
        let saved = with - without;
        assert!((saved - WEIGHTS).abs() < 0.1, "{framework} {saved}");
        // Its own weights alone are on the card while it is at work.
        let [with, without] = [&beside, &own].map(|answer| held(answer, "reference").parameters);
        assert!((with - 2.0 * WEIGHTS).abs() < 0.1 && (without - WEIGHTS).abs() < 0.1, "{framework} {with} {without}");
        let [with, without] = [&beside, &own].map(|answer| held(answer, "old_log_prob"));
        assert_eq!((with.parameters, without.frozen_weights), (without.parameters, 0.0));
    }
}

#[test]
fn it_crosses_the_host_link_and_lies_in_host_memory() {
    let (beside, own) = (beside(&[]), answer(Some("nemo-rl"), &[]));
    let taken = seconds(&own, "reference") - seconds(&beside, "reference");
    let moved = own
        .time
        .phases
        .iter()
        .find(|own| own.name == "reference")
        .unwrap()
        .parts
        .offload;
    assert!(moved > 0.0 && (taken - moved).abs() < 1e-6, "{taken} {moved}");
    // Both copies of what each of eight GPUs has.
    let more = |answer: &Answer| answer.fit.host.as_ref().map_or(0.0, |own| own.parts.parameters);
    assert_eq!(more(&beside), 0.0);
    assert!((more(&own) - 8.0 * 2.0 * WEIGHTS).abs() < 1.0, "{}", more(&own));
}

#[test]
fn it_is_given_text_alike_and_only_with_weights_of_its_own() {
    let dpo = [
        ("workload", json!({"kind": "dpo", "sequence_length": 2048, "global_batch": 64})),
        (
            "plan",
            json!({"backend": "megatron", "tensor_parallel": 2, "recompute": "full", "micro_batch": 1,
            "fused_lm_head": false}),
        ),
    ];
    let (beside, own) = (beside(&dpo), answer(Some("nemo-rl"), &dpo));
    assert!(held(&beside, "train").frozen_weights > WEIGHTS - 0.05);
    assert_eq!(held(&own, "train").frozen_weights, 0.0);
    assert!(own.time.parts.offload > beside.time.parts.offload);
    // Adapters are switched off in place.
    let lora = ("workload.lora", json!({"rank": 16}));
    let [with, without] =
        [None, Some("nemo-rl")].map(|own| held(&answer(own, std::slice::from_ref(&lora)), "reference"));
    assert_eq!((with.parameters, with.frozen_weights), (without.parameters, without.frozen_weights));
}

#[test]
fn it_is_explained_as_it_is_estimated() {
    for framework in ["nemo-rl", "slime", "skyrl"] {
        let question = question_from_value(asked(Some(framework), &[])).unwrap();
        methods::check(&evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}")));
    }
}

/// What an answer says of memory, time and dollars.
fn figures(answer: &Answer) -> Value {
    let whole = serde_json::to_value(answer).unwrap();
    let kept =
        ["fits", "fit", "plan", "split", "memory", "time", "step_time_s", "usd_per_step", "run", "interval", "offer"];
    kept.iter()
        .map(|key| ((*key).to_owned(), whole[*key].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// A framework that the answer chooses by itself is asked as if it were named: texts of it, a question with its plan stated, and
/// that with the framework named have the figures of the answer.
fn is_asked_as_named(name: &str, question: &Question) -> Option<&'static str> {
    let found = evaluate_alone(question).ok()?;
    let own = found.answer.framework.as_ref().filter(|own| !own.stated)?;
    let framework = emit::framework(own.id).unwrap();
    let said = figures(&found.answer);
    assert_eq!(figures(&evaluate_for(question, framework).unwrap().answer), said, "{name}: flags of {}", own.id);
    let stated = decided(question, &found.answer);
    assert_eq!(figures(&evaluate_alone(&stated).unwrap().answer), said, "{name}: again by {}", own.id);
    let first = search(question, None, 1).unwrap().plans.remove(0);
    assert_eq!(figures(&first), said, "{name}: the first of the plans, by {}", own.id);
    if swaps_reference(Some(own.id)) {
        let named = Question { framework: Some(own.id.to_owned()), ..stated };
        assert_eq!(figures(&evaluate_alone(&named).unwrap().answer), said, "{name}: named {}", own.id);
        let texts = flags(question, framework, framework.versions[0], "").unwrap().unwrap();
        assert!(!texts.is_empty(), "{name}");
    }
    Some(own.id)
}

#[test]
fn the_framework_that_an_answer_chooses_is_asked_as_one_that_is_named() {
    let mut chosen: Vec<&str> = Vec::new();
    for preset in presets::presets() {
        let Some(question) = preset.question() else { continue };
        let open = Question { framework: None, framework_version: None, ..question };
        chosen.extend(is_asked_as_named(preset.id, &open));
    }
    for kind in WorkloadKind::ALL {
        let preference = kind.preference().is_some();
        if kind.algorithm().is_none() && !preference {
            continue;
        }
        for (schedule, backend) in [("colocated", None), ("split", Some("megatron")), ("fully_async", Some("megatron"))]
        {
            let workload = if preference {
                json!({"kind": kind.as_str(), "sequence_length": 2048, "global_batch": 64})
            } else {
                json!({"kind": kind.as_str(), "rl": {"prompts_per_step": 64, "responses_per_prompt": 8, "mini_batch": 64,
                    "schedule": schedule, "max_prompt_length": 1024, "max_response_length": 3072}})
            };
            let question = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 16},
                "workload": workload, "plan": {"backend": backend}});
            let question = question_from_value(question).unwrap();
            chosen.extend(is_asked_as_named(&format!("{} {schedule} {backend:?}", kind.as_str()), &question));
        }
    }
    assert!(chosen.iter().any(|id| swaps_reference(Some(id))), "{chosen:?}");
}
