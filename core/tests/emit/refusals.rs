//! What each framework refuses, by the field to change and the remedy.

use serde_json::{Value, json};
use shardwise_core::{Evaluated, emit};

use super::examples::{evaluated, plan, rl, sft};
use super::{hugging_face, texts};
use crate::said::said;

#[test]
fn a_framework_refuses_by_field_and_remedy() {
    let refusal = |id: &str, found: &Evaluated| texts(emit::framework(id).unwrap(), found, "").unwrap_err().message;
    let plain = plan("fsdp", json!({}));
    let eight = |workload: Value, plan: Value| evaluated("qwen3-8b", "h100-sxm", 8, workload, plan);
    let cases = [
        ("verl", eight(sft("pretrain"), plan("fsdp", json!({"offload": {}}))), "workload.kind: veRL fine-tunes"),
        ("verl", eight(sft("qlora"), plan("fsdp", json!({"offload": {}}))), "workload.kind: veRL loads no 4-bit"),
        ("verl", eight(rl("grpo"), plan("deepspeed", json!({}))), "plan.backend: veRL trains with FSDP or Megatron"),
        ("verl", eight(rl("grpo"), plan("fsdp", json!({"recompute": "selective"}))), "plan.recompute: "),
        ("verl", eight(rl("grpo"), plan("fsdp", json!({"max_tokens_per_gpu": 2048}))), "Set it to 4096 or more"),
        ("chatlearn", eight(rl("ppo"), plain.clone()), "workload.kind: ChatLearn 1.2.0 has GRPO and GSPO"),
        ("chatlearn", eight(rl("dapo"), plain.clone()), "pos_clip_ratio"),
        (
            "chatlearn",
            eight(rl("gspo"), plan("fsdp", json!({}))),
            "plan.backend: ChatLearn's FSDP trainer has GRPO's loss alone",
        ),
        ("chatlearn", eight(rl("grpo"), plan("fsdp", json!({"shard_group": 4}))), "plan.shard_group: "),
        ("deepspeed", eight(rl("grpo"), plain.clone()), "no generation"),
        (
            "deepspeed",
            eight(sft("sft"), plan("fsdp", json!({"offload": {}}))),
            "plan.backend: Set the backend to deepspeed",
        ),
        (
            "megatron-lm",
            eight(rl("grpo"), plan("megatron", json!({}))),
            "workload.kind: These texts of pretrain_gpt.py",
        ),
        (
            "megatron-lm",
            eight(sft("lora"), plan("megatron", json!({"offload": {}}))),
            "workload.kind: pretrain_gpt.py trains every weight",
        ),
        (
            "megatron-lm",
            evaluated(
                "gemma-2-9b",
                "h100-sxm",
                8,
                sft("sft"),
                plan("megatron", json!({"offload": {}, "rollout": null})),
            ),
            "model: Shardwise writes no Megatron-LM arguments for layers of several kinds",
        ),
        (
            "megatron-bridge",
            evaluated("yi-34b", "h100-sxm", 8, sft("sft"), plan("megatron", json!({"offload": {}, "rollout": null}))),
            "model: Shardwise knows no recipe",
        ),
        (
            "megatron-bridge",
            eight(sft("sft"), plan("megatron", json!({"offload": {}, "rollout": null, "attention": "unfused"}))),
            "plan.attention: No override",
        ),
        (
            "deepspeed",
            eight(sft("qlora"), plan("deepspeed", json!({"offload": {}, "zero_quantized_weights": true}))),
            "plan.zero_quantized_weights: The base is in 4 bits",
        ),
        (
            "llmforge",
            eight(
                sft("sft"),
                plan("deepspeed", json!({"max_tokens_per_gpu": null, "micro_batch": 1, "nvme_offload": true})),
            ),
            "plan.zero_stage: LLMForge's configurations",
        ),
        ("torchtitan", eight(sft("sft"), plan("fsdp", json!({}))), "workload.kind: torchtitan 0.2.2 pre-trains"),
        (
            "torchtitan",
            evaluated("qwen2.5-7b", "h100-sxm", 8, sft("pretrain"), plan("fsdp", json!({"max_tokens_per_gpu": null}))),
            "model: torchtitan 0.2.2 carries its own models",
        ),
        (
            "torchtitan",
            eight(sft("pretrain"), plan("fsdp", json!({"pipeline_parallel": 2, "max_tokens_per_gpu": null}))),
            "plan.pipeline_parallel: torchtitan has no pipeline for qwen3",
        ),
        (
            "torchtitan",
            evaluated(
                "deepseek-v2-lite",
                "h100-sxm",
                8,
                sft("pretrain"),
                plan("fsdp", json!({"context_parallel": 2, "max_tokens_per_gpu": null})),
            ),
            "plan.context_parallel: torchtitan's deepseek_v3 16B runs flex attention",
        ),
        (
            "torchtitan",
            eight(
                sft("pretrain"),
                plan(
                    "fsdp",
                    json!({"max_tokens_per_gpu": null, "recompute": {"granularity": "selective", "modules": ["mlp"]}}),
                ),
            ),
            "plan.recompute: torchtitan chooses what to recompute by operation",
        ),
        (
            "llamafactory",
            eight(rl("ppo"), plan("fsdp", json!({}))),
            "workload.kind: LLaMA-Factory's own reinforcement learning",
        ),
        (
            "llamafactory",
            eight(sft("sft"), plan("fsdp", json!({"context_parallel": 2}))),
            "plan.context_parallel: LLaMA-Factory's Trainer splits no model",
        ),
        (
            "llamafactory",
            eight(sft("sft"), plan("ddp", json!({"offload": {"optimizer": true}}))),
            "plan.offload: Plain data parallelism offloads nothing",
        ),
        (
            "axolotl",
            eight(sft("sft"), plan("fsdp", json!({"pipeline_parallel": 2}))),
            "plan.pipeline_parallel: Hugging Face's Trainer has no pipeline",
        ),
        (
            "axolotl",
            eight(sft("sft"), plan("deepspeed", json!({"tensor_parallel": 2}))),
            "plan.tensor_parallel: axolotl combines this with FSDP2",
        ),
        (
            "axolotl",
            eight(
                json!({"kind": "lora", "sequence_length": 4096, "global_batch": 128, "precision": "fp8"}),
                plan("fsdp", json!({})),
            ),
            "workload.precision: axolotl's fp8 is laid out for all weights",
        ),
    ];
    for (id, found, says) in cases.into_iter().chain(hugging_face::refused()) {
        let message = refusal(id, &found);
        assert!(message.contains(says), "{id}: {message}");
        said(&message);
        let framework = emit::framework(id).unwrap();
        let broken = framework.violations(&found.job, &found.plan);
        assert_eq!(message, format!("{}: {}", broken[0].field, broken[0].message), "{id}: the first rule broken");
    }
}
