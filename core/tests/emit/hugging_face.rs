//! TRL and OpenRLHF: their examples, and what each refuses.

use serde_json::{Value, json};
use shardwise_core::wire::question_from_value;
use shardwise_core::{Evaluated, emit, evaluate, flags};

use super::examples::{evaluated, plan, rl, sft};

/// One text of every kind that they have.
pub(super) fn examples() -> Vec<(&'static str, &'static str, Evaluated)> {
    let eight = |model: &str, gpu: &str, workload: Value, plan: Value| evaluated(model, gpu, 8, workload, plan);
    vec![
        (
            "trl-sft-fsdp",
            "trl",
            eight(
                "qwen3-8b",
                "h100-sxm",
                sft("sft"),
                plan("fsdp", json!({"offload": {}, "max_tokens_per_gpu": null, "micro_batch": 2, "rollout": null})),
            ),
        ),
        (
            "trl-qlora-deepspeed",
            "trl",
            eight(
                "qwen2.5-7b",
                "l40s",
                sft("qlora"),
                plan(
                    "deepspeed",
                    json!({"zero_stage": 2, "offload": {}, "max_tokens_per_gpu": null, "micro_batch": 1, "rollout": null}),
                ),
            ),
        ),
        (
            "trl-grpo-deepspeed",
            "trl",
            eight(
                "qwen3-8b",
                "h100-sxm",
                rl("grpo"),
                plan("deepspeed", json!({"offload": {}, "max_tokens_per_gpu": null, "micro_batch": 2})),
            ),
        ),
        (
            "openrlhf-ppo",
            "openrlhf",
            eight(
                "qwen3-8b",
                "h100-sxm",
                rl("ppo"),
                plan("deepspeed", json!({"offload": {"optimizer": true, "gradients": true}})),
            ),
        ),
        (
            "trl-gspo",
            "trl",
            eight(
                "qwen3-8b",
                "h100-sxm",
                rl("gspo"),
                plan("deepspeed", json!({"offload": {}, "max_tokens_per_gpu": null, "micro_batch": 2})),
            ),
        ),
        (
            "openrlhf-gspo",
            "openrlhf",
            eight(
                "qwen3-8b",
                "h100-sxm",
                rl("gspo"),
                plan("deepspeed", json!({"offload": {}, "max_tokens_per_gpu": null, "micro_batch": 2})),
            ),
        ),
        (
            "openrlhf-dapo",
            "openrlhf",
            eight(
                "qwen3-8b",
                "h100-sxm",
                rl("dapo"),
                plan("deepspeed", json!({"offload": {}, "max_tokens_per_gpu": null, "micro_batch": 2})),
            ),
        ),
        (
            "openrlhf-lora",
            "openrlhf",
            eight(
                "llama-3.1-8b",
                "h100-sxm",
                sft("lora"),
                plan(
                    "deepspeed",
                    json!({"offload": {}, "max_tokens_per_gpu": null, "micro_batch": 2, "rollout": null}),
                ),
            ),
        ),
    ]
}

/// Framework, question, and how its refusal reads.
pub(super) fn refused() -> Vec<(&'static str, Evaluated, &'static str)> {
    let eight = |workload: Value, plan: Value| evaluated("qwen3-8b", "h100-sxm", 8, workload, plan);
    vec![
        (
            "trl",
            eight(rl("ppo"), plan("deepspeed", json!({"offload": {}}))),
            "workload.kind: TRL 1.16.0 has no PPO trainer",
        ),
        (
            "trl",
            eight(
                sft("sft"),
                plan("fsdp", json!({"shard_group": 1, "offload": {}, "max_tokens_per_gpu": null, "micro_batch": 2})),
            ),
            "plan.shard_group: Accelerate's FSDP shards over 2 GPUs or more",
        ),
        (
            "trl",
            eight(rl("dapo"), plan("fsdp", json!({"offload": {}}))),
            "workload.rl.oversampling: TRL drops no prompts",
        ),
        ("trl", eight(rl("grpo"), plan("fsdp", json!({}))), "plan.offload: TRL keeps"),
        (
            "trl",
            eight(
                rl("grpo"),
                plan("fsdp", json!({"offload": {}, "rollout": {"tensor_parallel": 1, "engine": "sglang"}})),
            ),
            "plan.rollout.engine: ",
        ),
        (
            "trl",
            eight(sft("sft"), plan("fsdp", json!({"offload": {}, "ulysses_parallel": 2, "rollout": null}))),
            "plan.ulysses_parallel: ",
        ),
        (
            "openrlhf",
            eight(rl("grpo"), plan("fsdp", json!({"offload": {}}))),
            "plan.backend: OpenRLHF trains with DeepSpeed",
        ),
        ("openrlhf", eight(rl("grpo"), plan("deepspeed", json!({}))), "plan.offload.parameters: "),
        (
            "openrlhf",
            eight(rl("grpo"), plan("deepspeed", json!({"offload": {}, "max_tokens_per_gpu": 2048}))),
            "Set it to 4096 or more",
        ),
        (
            "openrlhf",
            eight(
                rl("grpo"),
                plan("deepspeed", json!({"offload": {}, "rollout": {"tensor_parallel": 1, "kv_cache_dtype": "fp8"}})),
            ),
            "plan.rollout.kv_cache_dtype: ",
        ),
    ]
}

/// Where the states must leave the card, DeepSpeed moves the optimizer and its gradients, and keeps the weights.
#[test]
fn a_searched_rl_plan_sleeps_as_openrlhf_does() {
    let asked = |model: &str, gpus: u64| {
        question_from_value(json!({"version": 1, "model": model, "framework": "openrlhf",
            "hardware": {"gpu": "h100-sxm", "gpus": gpus}, "workload": {"kind": "grpo", "rl": {"prompts_per_step": 128,
                "responses_per_prompt": 8, "max_prompt_length": 1024, "max_response_length": 3072}}}))
        .unwrap()
    };
    let openrlhf = emit::framework("openrlhf").unwrap();
    for (model, gpus, sleeps) in [("qwen3-4b", 2, true), ("phi-4", 64, false)] {
        let question = asked(model, gpus);
        let offload = evaluate(&question).unwrap().plan.layout.offload;
        assert_eq!((offload.parameters, offload.optimizer, offload.gradients), (false, sleeps, sleeps), "{gpus} GPUs");
        let texts = flags(&question, openrlhf, "0.11.2", "").unwrap().unwrap();
        let has = texts[0].text.contains("--ds.enable_sleep  #");
        assert_eq!(has, sleeps, "{gpus} GPUs");
    }
}
