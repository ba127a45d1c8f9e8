//! How long a run is: by its steps, its data set, its tokens; what that costs, and what it keeps.

use serde_json::{Value, json};
use shardwise_core::wire::{Answer, question_from_value, to_value};
use shardwise_core::{estimate, permalink};

fn sft(run: Value) -> Value {
    json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8, "usd_per_gpu_hour": 2.0},
        "workload": {"kind": "sft", "sequence_length": 4096, "mean_sequence_length": 1000, "global_batch": 64, "run": run},
        "plan": {"backend": "fsdp", "micro_batch": 1, "recompute": "full"}})
}

fn grpo(run: Value) -> Value {
    json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "grpo", "run": run, "rl": {"prompts_per_step": 128, "responses_per_prompt": 8,
            "max_prompt_length": 1024, "max_response_length": 2048}}})
}

fn answer(question: Value) -> Answer {
    let question = question_from_value(question).unwrap();
    // A link carries it.
    assert_eq!(permalink::from_hash(&permalink::to_hash(&question)).unwrap(), question);
    assert_eq!(question_from_value(to_value(&question)).unwrap(), question);
    estimate(&question).unwrap()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs(), "{a} beside {b}");
}

#[test]
fn steps_and_a_data_set_say_the_same_of_training() {
    let steps = answer(sft(json!({"steps": 300}))).run.unwrap();
    let data = answer(sft(json!({"examples": 9600, "epochs": 2}))).run.unwrap();
    assert_eq!((steps.steps, data.steps), (300.0, 300.0));
    // 64 sequences of 1,000 tokens a step.
    close(steps.tokens, 300.0 * 64.0 * 1000.0);
    close(data.tokens, steps.tokens);
    let whole = answer(sft(json!({"steps": 300})));
    close(steps.hours * 3600.0, 300.0 * whole.step_time_s);
    close(steps.usd.unwrap(), steps.hours * 8.0 * 2.0);
    assert!(!steps.assumed && !data.assumed);
    // Half a step is begun.
    let more = answer(sft(json!({"examples": 9632, "epochs": 2}))).run.unwrap();
    assert_eq!(more.steps, 301.0);
    close(answer(sft(json!({"examples": 9600}))).run.unwrap().tokens, 0.5 * data.tokens);
    assert!(answer(sft(Value::Null)).run.is_none());
}

#[test]
fn a_step_of_rl_draws_prompts() {
    let run = |own: Value| answer(grpo(own)).run.unwrap();
    // 51,200 prompts in steps of 128; what does not fill a step is left out.
    assert_eq!(run(json!({"examples": 51_200})).steps, 400.0);
    assert_eq!(run(json!({"examples": 51_327, "epochs": 1})).steps, 400.0);
    assert_eq!(run(json!({"examples": 51_200, "epochs": 1.5})).steps, 600.0);
    assert_eq!(run(json!({"examples": 3})).steps, 1.0);
    let whole = answer(grpo(json!({"steps": 400})));
    close(whole.run.unwrap().hours * 3600.0, 400.0 * whole.step_time_s);
    // Prompts that are dropped are drawn, too.
    let mut dropped = grpo(json!({"examples": 51_200}));
    dropped["workload"]["rl"]["oversampling"] = json!(2);
    assert_eq!(answer(dropped).run.unwrap().steps, 200.0);
}

#[test]
fn a_run_of_rl_that_nobody_states_is_assumed_and_says_so() {
    let assumed = answer(grpo(Value::Null));
    let run = assumed.run.unwrap();
    assert!(run.assumed && run.steps == 100.0);
    assert!(assumed.caveats.iter().any(|own| own.id == "run-assumed"));
    let stated = answer(grpo(json!({"steps": 100})));
    close(stated.run.unwrap().hours, run.hours);
    assert!(stated.caveats.iter().all(|own| own.id != "run-assumed"));
    // Only checkpoints are stated: its length is still assumed.
    let kept = answer(grpo(json!({"checkpoints": 3}))).run.unwrap();
    assert!(kept.assumed && kept.checkpoint.unwrap().kept == 3);
}

/// Bytes a weight: FSDP saves fp32 weights and two moments, Megatron bf16 ones, their masters and two moments.
#[test]
fn a_checkpoint_holds_what_outlasts_a_step() {
    let run = |backend: &str, kind: &str| {
        let mut question = sft(json!({"steps": 10, "checkpoints": 2}));
        question["workload"]["kind"] = json!(kind);
        question["plan"] = json!({"backend": backend});
        answer(question).run.unwrap().checkpoint.unwrap()
    };
    let weights = shardwise_core::catalog::model("qwen3-8b").unwrap();
    let weights = shardwise_core::model::resolve_model(&json!(weights.id), "model")
        .unwrap()
        .parameters
        .total as f64;
    let fsdp = run("fsdp", "sft");
    close(fsdp.weights_bytes, 4.0 * weights);
    close(fsdp.optimizer_bytes, 8.0 * weights);
    let megatron = run("megatron", "sft");
    close(megatron.weights_bytes, 2.0 * weights);
    close(megatron.optimizer_bytes, 12.0 * weights);
    close(megatron.storage_bytes, 2.0 * 14.0 * weights);
    // Adapters alone.
    let lora = run("fsdp", "lora");
    assert!(lora.bytes < 0.02 * fsdp.bytes && lora.bytes > 0.0, "{lora:?}");
    // A critic trains, too.
    let mut ppo = grpo(json!({"steps": 10}));
    ppo["workload"]["kind"] = json!("ppo");
    ppo["plan"] = json!({"backend": "fsdp"});
    let critic = answer(ppo).run.unwrap().checkpoint.unwrap();
    assert!(critic.bytes > 1.8 * 12.0 * weights, "{critic:?}");
}
