//! One text of every kind that a framework has, of plans that no search decides.

use serde_json::{Value, json};
use shardwise_core::wire::{Fit, question_from_value};
use shardwise_core::{Evaluated, belonging, evaluate};

use super::hugging_face;

pub(super) fn evaluated(model: &str, gpu: &str, gpus: u64, workload: Value, plan: Value) -> Evaluated {
    let mut question = json!({
        "version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus}, "workload": workload, "plan": plan
    });
    // One plan for every kind: what a kind has no use for stays out.
    belonging::strip(&mut question);
    let question = question_from_value(question).unwrap();
    let mut found = evaluate(&question).unwrap();
    // The estimate's figures move with every better formula; these stay.
    let answer = &mut found.answer;
    (answer.tokens_per_s_per_gpu, answer.usd_per_mtok, answer.fits) = (3670.0, Some(0.226), true);
    (answer.memory.reserved_gib, answer.memory.capacity_gib) = (70.5, 79.6);
    answer.fit = Fit::nothing(0.95);
    (answer.interval, answer.run) = (None, None);
    answer.advice.clear();
    answer.caveats.clear();
    answer.memory.phases.clear();
    found
}

pub(super) fn rl(kind: &str) -> Value {
    json!({"kind": kind, "rl": {"prompts_per_step": 512, "responses_per_prompt": 16, "mini_batch": 128,
        "max_prompt_length": 1024, "max_response_length": 3072}})
}

pub(super) fn sft(kind: &str) -> Value {
    json!({"kind": kind, "sequence_length": 4096, "global_batch": 128})
}

/// A stated plan, so that no search decides what the examples show.
pub(super) fn plan(backend: &str, changes: Value) -> Value {
    let mut plan = json!({
        "backend": backend, "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
        "recompute": "full", "max_tokens_per_gpu": 16384, "fused_lm_head": false,
        "offload": {"parameters": true, "gradients": true, "optimizer": true, "activations": false},
        "rollout": {"tensor_parallel": 2, "gpu_memory_utilization": 0.6, "max_num_seqs": 256}
    });
    for (key, value) in changes.as_object().unwrap() {
        plan[key] = value.clone();
    }
    plan
}

/// One text of every kind that a framework has.
pub(super) fn examples() -> Vec<(&'static str, &'static str, Evaluated)> {
    let eight = |model: &str, gpu: &str, workload: Value, plan: Value| evaluated(model, gpu, 8, workload, plan);
    let mut all = vec![
        ("verl-grpo-fsdp", "verl", eight("qwen3-8b", "h100-sxm", rl("grpo"), plan("fsdp", json!({})))),
        (
            "verl-ppo-megatron",
            "verl",
            eight(
                "qwen3-30b-a3b",
                "h100-sxm",
                rl("ppo"),
                plan(
                    "megatron",
                    json!({"tensor_parallel": 2, "pipeline_parallel": 2, "expert_parallel": 4, "fused_lm_head": true,
                        "recompute": {"granularity": "selective", "modules": ["core_attn", "moe_act"]}}),
                ),
            ),
        ),
        (
            "verl-dapo-fsdp",
            "verl",
            eight("qwen2.5-7b", "a100-sxm-80g", rl("dapo"), plan("fsdp", json!({"ulysses_parallel": 2}))),
        ),
        (
            "verl-gspo-megatron",
            "verl",
            eight(
                "qwen3-30b-a3b",
                "h100-sxm",
                rl("gspo"),
                plan("megatron", json!({"tensor_parallel": 2, "expert_parallel": 8})),
            ),
        ),
        (
            "verl-lora-fsdp",
            "verl",
            eight("llama-3.1-8b", "h100-sxm", sft("lora"), plan("fsdp", json!({"offload": {}, "rollout": null}))),
        ),
        (
            "verl-sft-megatron",
            "verl",
            eight(
                "qwen3-8b",
                "h100-sxm",
                sft("sft"),
                plan("megatron", json!({"tensor_parallel": 2, "offload": {}, "rollout": null})),
            ),
        ),
        (
            "chatlearn-grpo-megatron",
            "chatlearn",
            eight(
                "qwen3-30b-a3b",
                "h20-141g",
                rl("grpo"),
                plan("megatron", json!({"tensor_parallel": 4, "pipeline_parallel": 2, "expert_parallel": 4})),
            ),
        ),
        (
            "chatlearn-gspo-megatron",
            "chatlearn",
            eight(
                "qwen3-30b-a3b",
                "h20-141g",
                rl("gspo"),
                plan("megatron", json!({"tensor_parallel": 4, "expert_parallel": 4})),
            ),
        ),
        ("chatlearn-grpo-fsdp", "chatlearn", eight("qwen3-8b", "h100-sxm", rl("grpo"), plan("fsdp", json!({})))),
        (
            "deepspeed-sft",
            "deepspeed",
            eight(
                "llama-2-7b",
                "a100-sxm-80g",
                sft("sft"),
                plan("deepspeed", json!({"max_tokens_per_gpu": null, "micro_batch": 4, "rollout": null})),
            ),
        ),
        (
            "deepspeed-nvme",
            "deepspeed",
            eight(
                "qwen3-30b-a3b",
                "a100-sxm-80g",
                json!({"kind": "sft", "sequence_length": 4096, "global_batch": 128, "precision": "fp16"}),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 1, "rollout": null, "nvme_offload": true,
                        "zero_quantized_weights": true, "zero_quantized_gradients": true}),
                ),
            ),
        ),
        (
            "deepspeed-hpz",
            "deepspeed",
            eight(
                "llama-2-7b",
                "a100-sxm-80g",
                sft("sft"),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 4, "rollout": null, "recompute": "none", "offload": {},
                        "zero_hpz_partition_size": 4}),
                ),
            ),
        ),
        (
            "llmforge-lora",
            "llmforge",
            eight(
                "llama-2-7b",
                "a100-sxm-80g",
                sft("lora"),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 4, "rollout": null, "fused_lm_head": true}),
                ),
            ),
        ),
        (
            "megatron-lm-pretrain",
            "megatron-lm",
            eight(
                "qwen3-30b-a3b",
                "h100-sxm",
                sft("pretrain"),
                plan(
                    "megatron",
                    json!({"tensor_parallel": 2, "pipeline_parallel": 2, "virtual_pipeline": 4, "expert_parallel": 4, "offload": {}, "rollout": null,
                        "max_tokens_per_gpu": null, "micro_batch": 1, "recompute": {"granularity": "selective", "modules": ["moe_act", "layernorm"]}}),
                ),
            ),
        ),
        (
            "megatron-bridge-lora",
            "megatron-bridge",
            eight(
                "llama-3.1-8b",
                "h100-sxm",
                sft("lora"),
                plan(
                    "megatron",
                    json!({"tensor_parallel": 2, "offload": {"optimizer": true}, "rollout": null, "max_tokens_per_gpu": null, "micro_batch": 1}),
                ),
            ),
        ),
        (
            "torchtitan-pretrain",
            "torchtitan",
            eight(
                "deepseek-v2-lite",
                "h100-sxm",
                json!({"kind": "pretrain", "sequence_length": 4096, "global_batch": 128, "tokens": 1e10}),
                plan(
                    "fsdp",
                    json!({"pipeline_parallel": 2, "virtual_pipeline": 2, "expert_parallel": 4, "micro_batch": 2,
                        "max_tokens_per_gpu": null, "rollout": null, "recompute": "selective", "offload": {}}),
                ),
            ),
        ),
        (
            "torchtitan-fp8",
            "torchtitan",
            eight(
                "llama-3.1-8b",
                "h100-sxm",
                json!({"kind": "pretrain", "sequence_length": 8192, "global_batch": 64, "precision": "fp8"}),
                plan(
                    "fsdp",
                    json!({"context_parallel": 2, "tensor_parallel": 2, "shard_group": 2, "micro_batch": 1,
                        "max_tokens_per_gpu": null, "rollout": null}),
                ),
            ),
        ),
        (
            "llamafactory-sft",
            "llamafactory",
            eight(
                "llama-2-7b",
                "a100-sxm-80g",
                sft("sft"),
                plan("deepspeed", json!({"max_tokens_per_gpu": null, "micro_batch": 4, "rollout": null})),
            ),
        ),
        (
            "llamafactory-qlora",
            "llamafactory",
            eight(
                "qwen2.5-7b",
                "l40s",
                sft("qlora"),
                plan(
                    "fsdp",
                    json!({"micro_batch": 1, "max_tokens_per_gpu": null, "rollout": null, "offload": {},
                        "fused_lm_head": true}),
                ),
            ),
        ),
        (
            "axolotl-lora",
            "axolotl",
            eight(
                "qwen3-8b",
                "h100-sxm",
                sft("lora"),
                plan(
                    "deepspeed",
                    json!({"micro_batch": 4, "max_tokens_per_gpu": null, "rollout": null, "fused_lm_head": true}),
                ),
            ),
        ),
        (
            "axolotl-experts",
            "axolotl",
            eight(
                "qwen3-30b-a3b",
                "h100-sxm",
                json!({"kind": "pretrain", "sequence_length": 4096, "global_batch": 128, "mean_sequence_length": 1024,
                    "packing": true, "tokens": 1e10}),
                plan(
                    "fsdp",
                    json!({"expert_parallel": 4, "micro_batch": 1, "max_tokens_per_gpu": null, "rollout": null,
                        "offload": {}}),
                ),
            ),
        ),
        (
            "deepspeed-qlora",
            "deepspeed",
            eight(
                "qwen2.5-7b",
                "l40s",
                sft("qlora"),
                plan(
                    "deepspeed",
                    json!({"zero_stage": 2, "offload": {}, "micro_batch": 1, "max_tokens_per_gpu": null, "rollout": null}),
                ),
            ),
        ),
    ];
    all.extend(hugging_face::examples());
    all
}
