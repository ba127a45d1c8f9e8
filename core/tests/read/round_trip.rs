//! Emitted, read, compared: every field that a text carries comes back; the others are listed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shardwise_core::emit::{self, Framework};
use shardwise_core::presets::presets;
use shardwise_core::read::{Unmodelled, read};
use shardwise_core::wire::{Question, question_from_value};
use shardwise_core::{complete, evaluate, flags, job, permalink};

/// What no framework on Hugging Face's Trainer is told: what is not varied is not packed, a kernel is named in any case, a budget
/// of tokens becomes sequences, and the length of the run is in steps.
const HUGGING_FACE: [&str; 6] = [
    "workload.packing",
    "plan.attention_kernel",
    "plan.max_tokens_per_gpu",
    "plan.micro_batch",
    "workload.tokens",
    "workload.run.steps",
];

/// Fields that the texts of a framework do not carry. Where a text gives no word of a field, the reading
/// assumes it and says so; the test fails where one comes back after all, so that the lists stay short.
pub(super) fn not_carried(framework: &str) -> BTreeSet<&'static str> {
    // How long samples are, and how fast drafts are taken, no framework is told.
    let lengths = [
        "workload.mean_sequence_length",
        "workload.rl.mean_prompt_length",
        "workload.rl.mean_response_length",
        "workload.rl.response_length_cv",
        "plan.rollout.speculative_speedup",
    ];
    let own: &[&str] = match framework {
        "verl" => &[
            // How many groups are dropped; the length of the run is in steps.
            "workload.rl.oversampling",
            "workload.tokens",
            "workload.run.steps",
            // What an agent's tools do.
            "workload.rl.agent.turns",
            "workload.rl.agent.tool_response_length",
            "workload.rl.agent.tool_s",
            "workload.rl.agent.tool_cv",
        ],
        "chatlearn" => &[
            // It computes the reference in any case, and has no fused head.
            "workload.rl.reference",
            "plan.fused_lm_head",
            // Without packing it pads.
            "workload.packing",
            // FSDP always recomputes each layer.
            "plan.recompute",
            // vLLM over several GPUs runs eagerly.
            "plan.rollout.enforce_eager",
            // Its optimizer is Adam in fp32 over fp32 weights.
            "plan.optimizer_bytes",
            "plan.gradient_bytes",
            "plan.master_weights_bytes",
            "workload.tokens",
            // Its text runs as long as is assumed.
            "workload.run.steps",
        ],
        "deepspeed" => &[
            // One file serves every loss, and pairs that are padded.
            "workload.kind",
            "workload.packing",
            // A budget of tokens becomes sequences.
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            // The fused loss is the script's.
            "plan.fused_loss",
        ],
        "megatron-lm" => &[
            // A budget of tokens becomes sequences.
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            // Packs are counted, not the sequences that they hold.
            "workload.global_batch",
            // It has no fused head, and the length of the run is in steps.
            "plan.fused_lm_head",
            "workload.tokens",
            "workload.run.steps",
        ],
        "trl" => &[
            // By its name gradients stay whole until a step's last micro-batch.
            "plan.sync_each_batch",
            // What is not varied is not packed, responses are padded, and no loss has all logits.
            "workload.packing",
            "plan.fused_lm_head",
            // A kernel is named in any case; a budget of tokens becomes sequences.
            "plan.attention_kernel",
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            // Accelerate's plug-in has no word for these, and weights are fp32.
            "plan.gradient_bytes",
            "plan.overlap.gradients",
            "plan.master_weights_bytes",
            "plan.optimizer_bytes",
            // Only ZeRO 3 has groups, and samples go round as they come.
            "plan.shard_group",
            "workload.rl.balance_batch",
            // The length of the run is in steps.
            "workload.tokens",
            "workload.run.steps",
            // Nothing is cut where sequences stand side by side.
            "workload.sequence_length",
            // vLLM beside training decodes all responses together.
            "plan.rollout.max_num_seqs",
            "plan.rollout.max_num_batched_tokens",
        ],
        "llamafactory" => &HUGGING_FACE,
        "axolotl" => &[
            "workload.packing",
            "plan.attention_kernel",
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "workload.tokens",
            "workload.run.steps",
            // Without shards its weights are trained in 16 bits.
            "plan.master_weights_bytes",
            "plan.gradient_bytes",
            "plan.optimizer_bytes",
        ],
        "ms-swift" => &HUGGING_FACE,
        "openrlhf" => &[
            "plan.attention_kernel",
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "plan.forward_max_tokens_per_gpu",
            // It computes the logits, and vLLM chooses how many sequences it decodes.
            "plan.fused_lm_head",
            "plan.rollout.max_num_seqs",
        ],
        "slime" => &[
            // Passes forward alone have a budget, and it has no fused head.
            "plan.forward_max_tokens_per_gpu",
            "plan.fused_lm_head",
            // A question that names no engine gets the one that it has.
            "plan.rollout.engine",
            // The length of the run is in steps.
            "workload.tokens",
            "workload.run.steps",
        ],
        "nemo-rl" => &[
            // What is packed has a budget, pairs are padded, and passes forward alone have a size of their own.
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "plan.forward_max_tokens_per_gpu",
            "plan.forward_micro_batch",
            // It has no fused head, and no setting of these bytes.
            "plan.fused_lm_head",
            "plan.master_weights_bytes",
            "plan.gradient_bytes",
            "plan.optimizer_bytes",
            // The length of the run is in steps.
            "workload.tokens",
            "workload.run.steps",
        ],
        "skyrl" => &[
            // One budget is for all passes.
            "plan.forward_max_tokens_per_gpu",
            "plan.forward_micro_batch",
            // It overlaps nothing with Megatron, and has no setting of these bytes.
            "plan.overlap.gradients",
            "plan.overlap.parameters",
            "plan.master_weights_bytes",
            "plan.gradient_bytes",
            "plan.optimizer_bytes",
            // The length of the run is in steps.
            "workload.run.steps",
            // What an agent's tools do.
            "workload.rl.agent.turns",
            "workload.rl.agent.tool_response_length",
            "workload.rl.agent.tool_s",
            "workload.rl.agent.tool_cv",
        ],
        "unsloth" => &[
            // What is not varied is not packed.
            "workload.packing",
            // No loss has all logits, and the kernel is the one that is installed.
            "plan.fused_lm_head",
            "plan.attention_kernel",
            // The length of the run is in steps.
            "workload.tokens",
            "workload.run.steps",
            // 256 sequences would leave them to Unsloth.
            "plan.rollout.max_num_seqs",
        ],
        // A flavor attends in its own way, and the length of the run is in steps.
        "torchtitan" => &["plan.attention_kernel", "workload.tokens", "workload.run.steps"],
        "megatron-bridge" => &[
            // A budget of tokens becomes sequences, and packs are counted.
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "workload.global_batch",
            // What is not varied is not packed, and the length of the run is in steps.
            "workload.packing",
            "workload.tokens",
            "workload.run.steps",
            // It has no fused head, and a precision brings the type of its gradients.
            "plan.fused_lm_head",
            "plan.gradient_bytes",
        ],
        // Nothing is packed, and what is shorter is padded.
        "llmforge" => &["workload.packing"],
        other => panic!("{other}"),
    };
    let rl = matches!(framework, "verl" | "chatlearn" | "trl" | "openrlhf" | "slime" | "nemo-rl" | "skyrl" | "unsloth");
    let fine_tuning = !matches!(framework, "chatlearn" | "slime" | "skyrl");
    lengths
        .into_iter()
        .filter(|name| match *name {
            "workload.mean_sequence_length" => fine_tuning || rl,
            "plan.rollout.speculative_speedup" => {
                matches!(framework, "verl" | "chatlearn" | "slime" | "nemo-rl" | "skyrl")
            }
            _ => rl,
        })
        .chain(own.iter().copied())
        .collect()
}

pub(super) fn rl(changes: Value) -> Value {
    let mut workload = json!({"kind": "grpo", "rl": {"prompts_per_step": 128, "responses_per_prompt": 8,
        "mini_batch": 64, "max_prompt_length": 1024, "max_response_length": 3072,
        "mean_prompt_length": 184, "mean_response_length": 1246, "response_length_cv": 0.6}});
    for (key, value) in changes.as_object().unwrap() {
        if ["kind", "packing", "precision", "lora", "tokens", "distillation"].contains(&key.as_str()) {
            workload[key] = value.clone();
        } else {
            workload["rl"][key] = value.clone();
        }
    }
    workload
}

/// A teacher on a pool of its own.
fn served(changes: Value) -> Value {
    let mut own = json!({"teacher": "qwen3-32b", "placement": "pool", "gpus": 4, "tensor_parallel": 2});
    own.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    own
}

pub(super) fn sft(changes: Value) -> Value {
    let mut workload = json!({"kind": "sft", "sequence_length": 4096, "global_batch": 128});
    for (key, value) in changes.as_object().unwrap() {
        workload[key] = value.clone();
    }
    workload
}

pub(super) fn plan(backend: &str, changes: Value) -> Value {
    let mut plan = json!({"backend": backend, "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
        "max_tokens_per_gpu": 8192, "recompute": "full", "rollout": {"tensor_parallel": 1}});
    if backend == "deepspeed" {
        plan["max_tokens_per_gpu"] = Value::Null;
        plan["micro_batch"] = json!(1);
    }
    for (key, value) in changes.as_object().unwrap() {
        plan[key] = value.clone();
    }
    plan
}

/// Reinforcement learning that moves all that trains while engines generate, as NeMo-RL does, and what it has beside that.
fn moved() -> Vec<(&'static str, Value, Value)> {
    let away = json!({"parameters": true, "gradients": true, "optimizer": true});
    let states = json!({"parameters": true, "gradients": true});
    let with = |backend: &str, offload: &Value, changes: Value| {
        let mut all = changes;
        all["offload"] = offload.clone();
        plan(backend, all)
    };
    let (dense, experts) = ("qwen3-8b", "qwen3-30b-a3b");
    let mut rows: Vec<(&str, Value, Value)> = Vec::new();
    for changes in [
        json!({"tensor_parallel": 2}),
        json!({"recompute": "none", "fused_lm_head": true}),
        json!({"tensor_parallel": 2, "sequence_parallel": false, "rollout": {"tensor_parallel": 2, "enforce_eager": true}}),
        json!({"rollout": {"tensor_parallel": 1, "gpu_memory_utilization": 0.73, "max_num_seqs": 512,
            "max_num_batched_tokens": 16384, "speculative_speedup": 1.5}}),
        json!({"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4}),
        json!({"forward_max_tokens_per_gpu": 65536}),
    ] {
        rows.push((dense, rl(json!({})), with("fsdp", &away, changes)));
    }
    let padded = json!({"packing": false});
    for changes in [
        json!({"max_tokens_per_gpu": null, "micro_batch": 4, "forward_micro_batch": 16}),
        json!({"max_tokens_per_gpu": null, "micro_batch": 2}),
        json!({"context_parallel": 2, "max_tokens_per_gpu": 4096, "forward_max_tokens_per_gpu": 8192}),
    ] {
        rows.push((dense, rl(padded.clone()), with("fsdp", &away, changes)));
    }
    for changes in [
        json!({"kind": "dapo", "responses_per_prompt": 16, "gen_batch_size": 192}),
        json!({"kind": "dapo", "oversampling": 1}),
        json!({"kind": "gspo"}),
        json!({"kind": "cispo", "reference": true}),
        json!({"kind": "rloo"}),
        json!({"kind": "reinforce_plus_plus", "responses_per_prompt": 1, "mini_batch": 128}),
        json!({"mini_batch": 128, "old_log_prob": false}),
        json!({"agent": {"turns": 3.0, "max_turns": 6, "tool_response_length": 100.0, "tool_s": 2.5, "tool_cv": 0.5}}),
    ] {
        rows.push((dense, rl(changes.clone()), with("fsdp", &away, json!({}))));
        rows.push((dense, rl(changes), with("megatron", &away, json!({"tensor_parallel": 2}))));
    }
    for targets in ["attention", "all-linear"] {
        let own = json!({"lora": {"rank": 32, "targets": targets}});
        rows.push((dense, rl(own), with("fsdp", &away, json!({}))));
    }
    for changes in [
        json!({"tensor_parallel": 2, "context_parallel": 2, "max_tokens_per_gpu": 4096}),
        json!({"pipeline_parallel": 2}),
        json!({"gradient_bytes": 2, "apply_rope_fusion": false, "attention_kernel": "flash2"}),
        json!({"rollout": {"tensor_parallel": 1, "precision": "fp8", "kv_cache_dtype": "fp8"}}),
    ] {
        rows.push((dense, rl(json!({})), with("megatron", &away, changes)));
    }
    rows.push((dense, rl(json!({})), with("megatron", &states, json!({"optimizer_offload_fraction": 0.5}))));
    rows.push((dense, rl(json!({"precision": "fp8"})), with("megatron", &away, json!({"tensor_parallel": 2}))));
    for changes in [
        json!({"expert_parallel": 8, "moe_enable_deepep": true}),
        json!({"expert_parallel": 8, "moe_token_dispatcher": "hybridep"}),
        json!({"expert_parallel": 8, "moe_enable_deepep": false, "apply_rope_fusion": false,
            "recompute": {"granularity": "selective", "modules": ["moe_act", "layernorm"]}}),
        json!({"tensor_parallel": 2, "expert_parallel": 4, "expert_tensor_parallel": 2,
            "rollout": {"tensor_parallel": 2, "data_parallel": 4, "expert_parallel": 8}}),
        json!({"rollout": {"tensor_parallel": 4, "expert_parallel": 4}}),
    ] {
        rows.push((experts, rl(json!({})), with("megatron", &away, changes)));
    }
    let apart = json!({"schedule": "split", "train_gpus": 4});
    rows.push((dense, rl(apart), with("fsdp", &json!({}), json!({}))));
    rows
}

/// Model, workload and plan of every kind of text, and of every key that only some plans have.
fn grid() -> Vec<(&'static str, Value, Value)> {
    let away = json!({"parameters": true, "gradients": true, "optimizer": true});
    let stay = json!({"parameters": false, "gradients": false, "optimizer": true});
    let megatron = |changes: Value| plan("megatron", changes);
    let fsdp = |changes: Value| plan("fsdp", changes);
    let zero = |changes: Value| plan("deepspeed", changes);
    let dense = "qwen3-8b";
    let experts = "qwen3-30b-a3b";
    let mut rows: Vec<(&str, Value, Value)> = Vec::new();
    for changes in [
        json!({}),
        json!({"tensor_parallel": 2}),
        json!({"pipeline_parallel": 2}),
        json!({"pipeline_parallel": 2, "virtual_pipeline": 2}),
        json!({"tensor_parallel": 2, "context_parallel": 2, "max_tokens_per_gpu": 4096}),
        json!({"tensor_parallel": 2, "recompute": "selective"}),
        json!({"recompute": {"granularity": "selective", "modules": ["layernorm", "core_attn"]}}),
        json!({"recompute": "none", "offload": away}),
        json!({"offload": stay, "zero_stage": 0}),
        json!({"optimizer_offload_fraction": 0.5}),
        json!({"optimizer_offload_fraction": 1.0, "offload": {"parameters": true, "gradients": true}}),
        json!({"gradient_bytes": 2, "optimizer_bytes": 4}),
        json!({"fused_lm_head": true}),
        json!({"attention": "unfused"}),
        json!({"rollout": {"tensor_parallel": 2, "engine": "sglang"}}),
        json!({"rollout": {"tensor_parallel": 1, "gpu_memory_utilization": 0.73, "max_num_seqs": 512,
            "max_num_batched_tokens": 16384, "enforce_eager": true, "free_cache": false}}),
        json!({"rollout": {"tensor_parallel": 2, "speculative_speedup": 1.5}}),
        json!({"rollout": {"tensor_parallel": 1, "kv_cache_dtype": "fp8", "precision": "fp8"}}),
        json!({"rollout": {"tensor_parallel": 1, "engine": "tensorrt_llm", "kv_cache_dtype": "fp8"}}),
        json!({"attention_kernel": "flash2"}),
        json!({"optimizer": "sgd"}),
        json!({"optimizer": "muon"}),
        json!({"optimizer": "muon", "zero_stage": 0}),
    ] {
        rows.push((dense, rl(json!({})), megatron(changes)));
    }
    for changes in [
        json!({"expert_parallel": 8}),
        json!({"tensor_parallel": 2, "pipeline_parallel": 2, "expert_parallel": 2, "expert_tensor_parallel": 2}),
        json!({"tensor_parallel": 4, "expert_parallel": 4}),
        json!({"expert_parallel": 8, "recompute": "none", "moe_enable_deepep": true}),
        json!({"expert_parallel": 8, "moe_enable_deepep": false}),
        json!({"expert_parallel": 8, "moe_token_dispatcher": "hybridep"}),
        json!({"expert_parallel": 8, "apply_rope_fusion": false, "moe_enable_deepep": false}),
        json!({"recompute": {"granularity": "full", "num_layers": 12}}),
        json!({"expert_parallel": 8, "rollout": {"tensor_parallel": 2, "data_parallel": 4, "expert_parallel": 8}}),
        json!({"recompute": {"granularity": "selective", "modules": ["moe_act", "layernorm", "core_attn"]}}),
    ] {
        rows.push((experts, rl(json!({})), megatron(changes)));
    }
    for changes in [
        json!({}),
        json!({"ulysses_parallel": 2, "offload": away}),
        json!({"shard_group": 4, "zero_stage": 2}),
        json!({"recompute": "none", "optimizer": "adamw_8bit"}),
        json!({"optimizer": "sgd", "recompute": "none"}),
        json!({"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4, "bf16_stochastic_round": true}),
        json!({"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer": "adamw_8bit", "bf16_stochastic_round": true}),
        json!({"offload": {"parameters": true, "gradients": true, "optimizer": true, "activations": true}}),
        json!({"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4}),
        json!({"max_tokens_per_gpu": null, "micro_batch": 4}),
        json!({"max_tokens_per_gpu": null, "micro_batch": 4, "forward_micro_batch": 16}),
        json!({"forward_max_tokens_per_gpu": 65536, "reference": {"forward_max_tokens_per_gpu": 32768}}),
        json!({"attention_kernel": "flash3"}),
        json!({"attention_kernel": "sdpa"}),
    ] {
        rows.push((dense, rl(json!({})), fsdp(changes)));
    }
    rows.extend(moved());
    let critic = json!({"kind": "ppo", "critic": "qwen3-4b"});
    rows.push((dense, rl(critic), fsdp(json!({"attention_kernel": "flash3"}))));
    let eager = json!({"attention": "unfused", "max_tokens_per_gpu": null, "micro_batch": 2});
    rows.push((dense, rl(json!({"packing": false})), fsdp(eager)));
    for changes in [
        json!({"reference": false}),
        json!({"epochs": 2}),
        json!({"lora": {"rank": 32, "targets": "attention"}}),
        json!({"lora": {"rank": 64, "targets": "all-linear"}}),
        json!({"schedule": "one_step_off", "train_gpus": 4}),
        json!({"schedule": "fully_async", "train_gpus": 4, "max_staleness": 2}),
        json!({"schedule": "fully_async", "train_gpus": 4, "max_staleness": 0.1}),
        json!({"schedule": "fully_async", "train_gpus": 4, "max_staleness": 1.5, "old_log_prob": false, "reference": false}),
        json!({"schedule": "fully_async", "train_gpus": 4, "max_staleness": 0, "partial_rollout": false}),
        json!({"oversampling": 2, "gen_batch_size": 64}),
        json!({"old_log_prob": false}),
        json!({"balance_batch": false}),
        json!({"agent": {"turns": 3.0, "max_turns": 6, "tool_response_length": 100.0, "tool_s": 2.5, "tool_cv": 0.5}}),
        json!({"tokens": 1e10}),
        json!({"kind": "dapo", "responses_per_prompt": 16, "reference": false}),
        json!({"kind": "dapo", "oversampling": 1, "reference": true}),
        json!({"kind": "gspo"}),
        json!({"kind": "dr_grpo", "reference": false}),
        json!({"kind": "cispo", "reference": true}),
        json!({"kind": "gmpo"}),
        json!({"kind": "rloo"}),
        json!({"kind": "reinforce_plus_plus", "responses_per_prompt": 1, "mini_batch": 128}),
        json!({"kind": "remax", "responses_per_prompt": 1, "mini_batch": 128}),
        json!({"kind": "ppo", "responses_per_prompt": 1, "mini_batch": 128}),
        json!({"kind": "ppo", "critic": "qwen3-4b", "reward_model": "qwen3-8b"}),
        json!({"kind": "distill", "responses_per_prompt": 1, "distillation": served(json!({}))}),
        json!({"kind": "distill", "distillation": served(json!({"gpus": 16, "tensor_parallel": 4, "precision": "fp8",
            "gpu_memory_utilization": 0.75, "max_num_batched_tokens": 4096}))}),
        json!({"kind": "distill", "distillation": served(json!({"logits": "top_k", "top_k": 48}))}),
    ] {
        rows.push((dense, rl(changes.clone()), fsdp(json!({}))));
        rows.push((dense, rl(changes), megatron(json!({"tensor_parallel": 2}))));
    }
    rows.push((dense, rl(json!({"precision": "fp16"})), fsdp(json!({}))));
    rows.push((dense, rl(json!({"precision": "fp8"})), megatron(json!({}))));
    let sequences = json!({"max_tokens_per_gpu": null, "micro_batch": 2});
    rows.push((dense, rl(json!({"packing": false})), megatron(sequences.clone())));
    rows.push((dense, sft(json!({})), fsdp(sequences)));
    for (workload, changes) in [
        (json!({}), json!({})),
        (json!({"mean_sequence_length": 1000}), json!({"offload": away})),
        (json!({}), json!({"attention_kernel": "flash2"})),
        (json!({"kind": "lora", "lora": {"rank": 8, "targets": "attention"}}), json!({"ulysses_parallel": 2})),
    ] {
        rows.push((dense, sft(workload), fsdp(changes)));
    }
    rows.push((dense, sft(json!({})), megatron(json!({"tensor_parallel": 2, "offload": {"optimizer": true}}))));
    let trained = json!({"tensor_parallel": 2, "max_tokens_per_gpu": null, "micro_batch": 1});
    for (model, workload, changes) in [
        (dense, json!({"kind": "pretrain"}), json!({})),
        (dense, json!({}), json!({"offload": {"optimizer": true}})),
        (
            dense,
            json!({"kind": "pretrain", "mean_sequence_length": 1000}),
            json!({"max_tokens_per_gpu": 4096, "micro_batch": null}),
        ),
        (dense, json!({"kind": "pretrain", "tokens": 1e10}), json!({"pipeline_parallel": 2, "virtual_pipeline": 3})),
        (dense, json!({"kind": "pretrain", "precision": "fp8"}), json!({"context_parallel": 2, "gradient_bytes": 4})),
        (dense, json!({"kind": "pretrain", "precision": "mxfp8"}), json!({"recompute": "none"})),
        (
            dense,
            json!({"kind": "pretrain", "precision": "fp16"}),
            json!({"optimizer_bytes": 4, "master_weights_bytes": 2}),
        ),
        (
            dense,
            json!({"kind": "pretrain"}),
            json!({"zero_stage": 0, "overlap": {"gradients": false, "parameters": false}}),
        ),
        (
            dense,
            json!({"kind": "pretrain"}),
            json!({"attention": "unfused", "sequence_parallel": false, "recompute": "selective"}),
        ),
        (dense, json!({"kind": "pretrain"}), json!({"attention_kernel": "flash2"})),
        (dense, json!({"kind": "pretrain"}), json!({"optimizer": "sgd"})),
        (
            dense,
            json!({"kind": "pretrain"}),
            json!({"optimizer": "muon", "overlap": {"gradients": false, "parameters": false}}),
        ),
        (
            dense,
            json!({"kind": "pretrain"}),
            json!({"max_tokens_per_gpu": 8192, "micro_batch": null, "fused_lm_head": true}),
        ),
        (experts, json!({"kind": "pretrain"}), json!({"expert_parallel": 4, "expert_tensor_parallel": 2})),
        (
            experts,
            json!({"kind": "pretrain"}),
            json!({"expert_parallel": 8, "recompute": "none", "moe_token_dispatcher": "hybridep", "cuda_graphs": "partial",
                "overlap_moe_expert_parallel_comm": true}),
        ),
        (
            experts,
            json!({"kind": "pretrain"}),
            json!({"expert_parallel": 8, "moe_token_dispatcher": "deepep", "cuda_graphs": "full"}),
        ),
        ("deepseek-v2-lite", json!({"kind": "pretrain"}), json!({"pipeline_parallel": 4, "expert_parallel": 2})),
        (
            "moonlight-16b-a3b",
            json!({"kind": "pretrain"}),
            json!({"expert_parallel": 8,
                "recompute": {"granularity": "selective", "modules": ["mla_up_proj", "moe_act"]}}),
        ),
    ] {
        let mut all = trained.clone();
        for (key, value) in changes.as_object().unwrap() {
            all[key] = value.clone();
        }
        rows.push((model, sft(workload), megatron(all)));
    }
    for (kind, changes) in [
        ("pretrain", json!({"zero_stage": 0})),
        ("sft", json!({"zero_stage": 1, "tensor_parallel": 2})),
        ("sft", json!({"zero_stage": 2, "offload": {"optimizer": true, "gradients": true}, "fused_lm_head": true})),
        ("sft", json!({"zero_stage": 3, "offload": away, "micro_batch": 4})),
        ("sft", json!({"ulysses_parallel": 2, "gradient_bytes": 4, "overlap": {"gradients": false}})),
        ("lora", json!({"recompute": "none"})),
        ("qlora", json!({"zero_stage": 2})),
        ("sft", json!({"max_tokens_per_gpu": 8192, "micro_batch": null})),
        ("sft", json!({"offload": away, "nvme_offload": true})),
        ("sft", json!({"offload": {"optimizer": true, "gradients": true}, "nvme_offload": true})),
        ("sft", json!({"zero_hpz_partition_size": 8})),
        ("sft", json!({"zero_hpz_partition_size": 4, "zero_quantized_weights": true})),
        ("lora", json!({"zero_quantized_gradients": true, "offload": away})),
        ("lora", json!({"zero_stage": 2, "micro_batch": 2, "fused_lm_head": true})),
        ("lora", json!({"offload": {"optimizer": true, "gradients": true}})),
        ("sft", json!({"attention_kernel": "flash3"})),
        ("sft", json!({"attention": "unfused"})),
        ("sft", json!({"optimizer": "lion", "zero_stage": 2})),
        ("sft", json!({"optimizer": "sgd"})),
        ("sft", json!({"optimizer": "muon", "zero_stage": 1})),
        ("lora", json!({"optimizer": "lion", "offload": {"optimizer": true, "gradients": true}})),
    ] {
        rows.push(("llama-2-7b", sft(json!({"kind": kind})), zero(changes)));
    }
    for changes in [
        json!({"precision": "fp16", "mean_sequence_length": 1000}),
        json!({"mean_sequence_length": 1000}),
        json!({"kind": "lora", "lora": {"rank": 8, "targets": "attention"}, "mean_sequence_length": 500}),
    ] {
        rows.push(("llama-2-7b", sft(changes), zero(json!({}))));
    }
    rows.extend(preferences());
    rows.extend(trainers());
    rows.extend(rewarded());
    rows.extend(counted());
    rows.extend(pre_training());
    rows
}

/// Reinforcement learning on FSDP2 whose passes count padded sequences, as TRL's do.
fn counted() -> Vec<(&'static str, Value, Value)> {
    let mut rows = Vec::new();
    for changes in [
        json!({}),
        json!({"shard_group": 4, "zero_stage": 2}),
        json!({"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4}),
    ] {
        let mut own = json!({"max_tokens_per_gpu": null, "micro_batch": 2, "recompute": "none"});
        own.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        rows.push(("qwen3-8b", rl(json!({"packing": false, "balance_batch": false})), plan("fsdp", own)));
    }
    rows
}

/// Reinforcement learning of adapters on GPUs that have the whole model each.
fn rewarded() -> Vec<(&'static str, Value, Value)> {
    let mut rows = Vec::new();
    for (workload, changes) in [
        (json!({}), json!({})),
        (json!({"kind": "gspo"}), json!({"recompute": "none"})),
        (
            json!({"kind": "dr_grpo", "mini_batch": 128, "old_log_prob": false}),
            json!({"offload": {"activations": true}}),
        ),
        (json!({"kind": "dapo", "oversampling": 1, "epochs": 2}), json!({"optimizer": "adamw_8bit"})),
        (
            json!({"kind": "cispo", "reference": true}),
            json!({"rollout": {"tensor_parallel": 1, "kv_cache_dtype": "fp8"}}),
        ),
        (
            json!({"lora": {"rank": 8, "targets": "attention"}, "precision": "fp16"}),
            json!({"rollout": {"tensor_parallel": 1, "gpu_memory_utilization": 0.37, "max_num_seqs": 96,
                "max_num_batched_tokens": 4096, "enforce_eager": true, "free_cache": false}}),
        ),
        (json!({"lora": {"rank": 16, "targets": "all-linear"}, "packing": true}), json!({"micro_batch": 2})),
        (
            json!({"lora": {"rank": 16, "targets": "all-linear", "load_in_4bit": true}}),
            json!({"optimizer": "adamw_8bit"}),
        ),
    ] {
        let mut asked = json!({"lora": {"rank": 32, "targets": "all-linear"}, "packing": false});
        asked.as_object_mut().unwrap().extend(workload.as_object().unwrap().clone());
        let mut own = json!({"max_tokens_per_gpu": null, "micro_batch": 4});
        own.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        rows.push(("qwen3-4b", rl(asked), plan("ddp", own)));
    }
    rows
}

/// Preference data, by all weights and by adapters.
fn preferences() -> Vec<(&'static str, Value, Value)> {
    let mut rows = Vec::new();
    let sequences = json!({"max_tokens_per_gpu": null, "micro_batch": 2});
    for kind in ["dpo", "ipo", "kto", "orpo", "simpo", "reward_model"] {
        let lora = json!({"rank": 16, "targets": "all-linear", "load_in_4bit": kind == "dpo"});
        let adapters = sft(json!({"kind": kind, "lora": lora}));
        rows.push(("qwen3-8b", adapters, plan("fsdp", sequences.clone())));
        rows.push(("llama-2-7b", sft(json!({"kind": kind})), plan("deepspeed", json!({"zero_stage": 2}))));
        let alone = sft(
            json!({"kind": kind, "lora": {"rank": 8, "targets": "attention"}, "precompute_ref_log_probs": (kind == "ipo").then_some(true)}),
        );
        rows.push(("qwen3-8b", alone, plan("ddp", sequences.clone())));
    }
    let before = json!({"kind": "dpo", "precompute_ref_log_probs": true});
    rows.push(("qwen3-8b", sft(before), plan("fsdp", sequences)));
    rows
}

/// Pre-training on FSDP2, by what torchtitan has keys for.
fn pre_training() -> Vec<(&'static str, Value, Value)> {
    let away = json!({"parameters": true, "gradients": true, "optimizer": true});
    let mut rows = Vec::new();
    for (model, workload, changes) in [
        ("llama-3.1-8b", json!({}), json!({"tensor_parallel": 2, "overlap": {"tensor_parallel": true}})),
        ("llama-3.1-8b", json!({}), json!({"context_parallel": 2, "shard_group": 4})),
        ("llama-3.1-8b", json!({}), json!({"recompute": "none", "offload": away})),
        ("llama-3.1-8b", json!({}), json!({"recompute": "selective", "zero_stage": 2, "fused_loss": false})),
        ("llama-3.1-8b", json!({}), json!({"pipeline_parallel": 2})),
        ("llama-3.1-8b", json!({}), json!({"pipeline_parallel": 2, "virtual_pipeline": 2, "micro_batch": 2})),
        (
            "llama-3.1-8b",
            json!({}),
            json!({"pipeline_parallel": 2, "virtual_pipeline": 4, "pipeline_schedule": "interleaved_zero_bubble", "recompute": "none"}),
        ),
        ("llama-3.1-8b", json!({}), json!({"pipeline_parallel": 4, "pipeline_schedule": "zbv_zero_bubble"})),
        ("llama-3.1-8b", json!({}), json!({"pipeline_parallel": 2, "pipeline_schedule": "dual_pipe_v"})),
        (
            "deepseek-v2-lite",
            json!({}),
            json!({"pipeline_parallel": 2, "expert_parallel": 4, "pipeline_schedule": "dual_pipe_v"}),
        ),
        ("llama-3.1-8b", json!({"tokens": 1e9}), json!({})),
        ("llama-3.1-8b", json!({}), json!({"fused_lm_head": true, "tensor_parallel": 2, "sequence_parallel": false})),
        ("deepseek-v2-lite", json!({}), json!({"context_parallel": 2, "expert_parallel": 4})),
        ("gpt-oss-20b", json!({}), json!({"pipeline_parallel": 2, "expert_parallel": 4})),
        ("llama-3.1-8b", json!({}), json!({"attention_kernel": "sdpa"})),
        ("qwen3-30b-a3b", json!({}), json!({"expert_parallel": 8})),
        ("qwen3-30b-a3b", json!({}), json!({"tensor_parallel": 2, "expert_parallel": 4, "expert_tensor_parallel": 1})),
        ("deepseek-v2-lite", json!({}), json!({"pipeline_parallel": 2, "expert_parallel": 4})),
    ] {
        let mut own = json!({"max_tokens_per_gpu": null, "micro_batch": 1});
        own.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let mut asked = json!({"kind": "pretrain"});
        asked.as_object_mut().unwrap().extend(workload.as_object().unwrap().clone());
        rows.push((model, sft(asked), plan("fsdp", own)));
    }
    rows
}

/// What trainers on FSDP2 or without shards have beside.
fn trainers() -> Vec<(&'static str, Value, Value)> {
    let away = json!({"parameters": true, "gradients": true, "optimizer": true});
    let mut rows = Vec::new();
    for (workload, changes) in [
        (json!({"kind": "lora", "lora": {"rank": 8, "targets": "attention"}}), json!({})),
        (json!({"kind": "qlora"}), json!({"recompute": "none"})),
        (json!({"kind": "pretrain", "mean_sequence_length": 1000}), json!({})),
        (json!({"precision": "fp16"}), json!({"zero_stage": 2})),
        (json!({"mean_sequence_length": 500, "packing": false}), json!({"offload": away})),
        (json!({"mean_sequence_length": 500}), json!({"fused_lm_head": true, "attention_kernel": "flash2"})),
        (json!({}), json!({"attention_kernel": "sdpa", "context_parallel": 2})),
        (json!({}), json!({"attention": "unfused"})),
        (json!({}), json!({"optimizer": "adamw_8bit"})),
        (json!({}), json!({"optimizer": "muon"})),
        (json!({}), json!({"tensor_parallel": 2})),
        (json!({}), json!({"shard_group": 4})),
        (json!({}), json!({"offload": {"activations": true}})),
        (json!({"tokens": 1e9}), json!({})),
        (json!({"kind": "qlora"}), json!({"offload": {"activations": true}, "optimizer": "paged_adamw_8bit"})),
    ] {
        let mut all = json!({"max_tokens_per_gpu": null, "micro_batch": 1});
        for (key, value) in changes.as_object().unwrap() {
            all[key] = value.clone();
        }
        rows.push(("qwen3-8b", sft(workload.clone()), plan("fsdp", all.clone())));
        // Without shards there is neither a stage nor a group.
        if ["zero_stage", "shard_group"].iter().all(|key| all.get(key).is_none()) {
            rows.push(("qwen3-8b", sft(workload), plan("ddp", all)));
        }
    }
    rows
}

/// Every leaf of a JSON value under its path.
fn leaves(path: &str, value: &Value, out: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                leaves(&format!("{path}.{key}"), value, out);
            }
        }
        Value::Null => {}
        other => {
            out.insert(path.to_owned(), other.clone());
        }
    }
}

/// What a question asks, with every default: the same fields whoever wrote it.
fn facts(question: &Question) -> BTreeMap<String, Value> {
    let job = job::resolve(question).unwrap();
    let spec = question.plan.clone().unwrap_or_default();
    let plan = complete::complete(&job, &spec).unwrap();
    let mut out = BTreeMap::new();
    leaves("plan", &serde_json::to_value(plan.to_spec()).unwrap(), &mut out);
    let workload = &job.workload;
    let lora = workload
        .lora
        .map(|lora| json!({"rank": lora.rank, "targets": lora.targets, "four_bits": lora.quantized_base}));
    let mut stated = json!({"kind": workload.kind, "precision": workload.precision, "packing": workload.packing,
        "sequence_length": workload.sequence_length, "mean_sequence_length": workload.mean_sequence_length,
        "global_batch": workload.global_batch, "lora": lora, "tokens": question.workload.tokens, "run": question.workload.run.map(|own| {
            json!({"steps": own.steps, "examples": own.examples, "epochs": own.epochs})})});
    if let Some(rl) = &workload.rl {
        let model = |model: &Option<shardwise_core::model::Model>| model.as_ref().map(|model| model.id.to_string());
        stated["rl"] = json!({"prompts_per_step": rl.prompts_per_step, "gen_batch_size": rl.gen_batch_size,
            "oversampling": rl.oversampling, "responses_per_prompt": rl.responses_per_prompt,
            "max_prompt_length": rl.max_prompt_length, "max_response_length": rl.max_response_length,
            "mean_prompt_length": rl.mean_prompt_length, "mean_response_length": rl.mean_response_length,
            "response_length_cv": rl.response_length_cv, "mini_batch": rl.mini_batch, "epochs": rl.epochs,
            "reference": rl.reference, "critic": model(&rl.critic), "reward_model": model(&rl.reward_model),
            "old_log_prob": rl.old_log_prob, "balance_batch": rl.balance_batch, "reward_s": rl.reward_s, "schedule": rl.schedule,
            "max_staleness": rl.max_staleness, "partial_rollout": rl.partial_rollout, "train_gpus": rl.train_gpus, "agent": rl.agent.map(|own| json!({
            "turns": own.turns, "max_turns": own.max_turns, "tool_response_length": own.tool_response_length,
            "tool_s": own.tool_s, "tool_cv": own.tool_cv, "environments": own.environments}))});
    }
    stated["distillation"] = json!(workload.distillation.as_ref().map(|own| {
        let pool = own.pool.map(|pool| {
            let engine = pool.engine;
            json!({"gpus": pool.gpus, "tensor_parallel": engine.tensor_parallel, "share": engine.gpu_memory_utilization,
                "tokens": engine.max_num_batched_tokens, "precision": engine.precision})
        });
        json!({"teacher": own.teacher.id, "logits": format!("{:?}", own.logits), "pool": pool})
    }));
    leaves("workload", &stated, &mut out);
    let hardware = &job.hardware;
    let machine = json!({"model": job.model.id, "gpu": hardware.gpu, "gpus": hardware.gpus, "gpus_per_node": hardware.gpus_per_node,
        "usd": question.hardware.usd_per_gpu_hour, "owned": question.hardware.owned, "network": question.hardware.internode_gbit_per_s_per_gpu, "host": question.hardware.host_ram_gib});
    leaves("job", &machine, &mut out);
    out
}

/// The texts of a question, where the framework has any; with `linked`, its link is in their heads.
pub(super) fn texts_of(framework: &'static Framework, asked: &Question, linked: bool) -> Option<Vec<String>> {
    let link = match linked {
        true => format!("https://shardwise.example/#{}", permalink::to_hash(asked)),
        false => String::new(),
    };
    let snippets = flags(asked, framework, framework.versions[0], &link).unwrap().ok()?;
    Some(snippets.into_iter().map(|snippet| snippet.text).collect())
}

/// Emits and reads; the fields that came back otherwise, and whether there was a text.
pub(super) fn differing(
    framework: &'static Framework,
    asked: &Question,
    linked: bool,
) -> Option<Vec<(String, String)>> {
    let texts = texts_of(framework, asked, linked)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    // Without a link the base says the GPU and its price, and nothing else of the question; with one there is no base.
    let hardware = &asked.hardware;
    let base = question_from_value(json!({"version": 1, "model": null, "hardware": {"gpu": hardware.gpu,
        "usd_per_gpu_hour": hardware.usd_per_gpu_hour, "internode_gbit_per_s_per_gpu": hardware.internode_gbit_per_s_per_gpu,
        "host_ram_gib": hardware.host_ram_gib, "owned": hardware.owned},
        "workload": {"kind": "sft"}}))
    .unwrap();
    let base = (!linked).then_some(&base);
    let reading = read(&texts, base).unwrap_or_else(|trouble| panic!("{trouble}\n{}", texts.join("\n")));
    // Where layers do not divide, the text states the stages as the estimate has them.
    let stages = |one: &&Unmodelled| one.why.contains("as evenly as they go");
    let other: Vec<_> = reading.not_modelled.iter().filter(|one| !stages(one)).collect();
    assert!(reading.unknown.is_empty() && other.is_empty(), "{:?} {other:?}", reading.unknown);
    assert!(reading.refused.is_empty(), "{:?}\n{}", reading.refused, texts.join("\n"));
    // ChatLearn's two texts say the same, each by itself; of the others both make the run.
    let alone = framework.id == "chatlearn";
    let joined = texts.join("\n");
    for text in texts.iter().copied().filter(|_| alone).chain([&*joined]) {
        let other = read(&[text], base).unwrap();
        assert_eq!(other.question, reading.question, "{text}");
        assert!(other.unknown.is_empty(), "{:?}", other.unknown);
    }
    let (asked, found) = (facts(asked), facts(&reading.question));
    let keys: BTreeSet<&String> = asked.keys().chain(found.keys()).collect();
    let null = Value::Null;
    Some(
        keys.into_iter()
            .filter(|key| asked.get(*key) != found.get(*key))
            .map(|key| {
                let (a, b) = (asked.get(key).unwrap_or(&null), found.get(key).unwrap_or(&null));
                (key.clone(), format!("{a} became {b}"))
            })
            .collect(),
    )
}

/// Every question of the grid, and the presets with the best plan of each backend.
pub(super) fn questions() -> Vec<Question> {
    let mut questions: Vec<Question> = grid()
        .into_iter()
        .map(|(model, workload, mut plan)| {
            if workload.get("rl").is_none() {
                plan.as_object_mut().unwrap().remove("rollout");
            }
            // RL over a base in 4 bits is a question for Unsloth.
            let shares = workload.get("rl").is_some() && workload["lora"]["load_in_4bit"] == true;
            question_from_value(json!({"version": 1, "model": model, "hardware": {"gpu": "h100-sxm", "gpus": 8},
                "workload": workload, "plan": plan, "framework": shares.then_some("unsloth")}))
            .unwrap()
        })
        .collect();
    // Presets leave the plan open: the best one of each backend is emitted.
    // The largest take minutes to search without optimization.
    let small = |question: &Question| {
        let staleness = question.workload.rl.as_ref().and_then(|rl| rl.max_staleness);
        // A bound of one version is one step off in veRL's words, and read as that.
        question.hardware.gpus.unwrap_or_default() <= 16 && staleness != Some(1.0)
    };
    for preset in presets()
        .iter()
        .filter(|preset| preset.question().is_some_and(|asked| small(&asked)))
    {
        for backend in ["fsdp", "megatron", "deepspeed"] {
            let mut asked = preset.question().unwrap();
            let stated = asked.plan.as_ref().and_then(|plan| plan.backend);
            if stated.is_none() {
                asked.plan = Some(serde_json::from_value(json!({"backend": backend})).unwrap());
            }
            let answer = evaluate(&asked).unwrap().answer;
            asked.plan = Some(answer.plan);
            questions.push(asked);
        }
    }
    questions
}

/// The frameworks whose texts are read back.
pub(super) fn read_back() -> impl Iterator<Item = &'static Framework> {
    emit::FRAMEWORKS.iter()
}

#[test]
fn what_is_emitted_is_read_as_the_same_question() {
    let questions = questions();
    for framework in read_back() {
        let allowed = not_carried(framework.id);
        let mut seen = BTreeSet::new();
        let mut wrong = Vec::new();
        let mut texts = 0;
        for asked in &questions {
            let Some(different) = differing(framework, asked, false) else {
                continue;
            };
            texts += 1;
            for (key, what) in different {
                match allowed.get(key.as_str()) {
                    Some(key) => {
                        seen.insert(*key);
                    }
                    None => wrong.push(format!("{key}: {what} in {}", serde_json::to_string(asked).unwrap())),
                }
            }
        }
        assert!(wrong.is_empty(), "{}: {}", framework.id, wrong.join("\n"));
        assert_eq!(seen, allowed, "{}: fields that do come back", framework.id);
        assert!(texts > 8, "{}: {texts} texts", framework.id);
    }
}
