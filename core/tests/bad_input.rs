//! What is refused: always by the field's name, always with a remedy, never by a panic.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};
use shardwise_core::wire::{parse_question, question_from_value};
use shardwise_core::{InputError, Objective, emit, estimate, flags, permalink, search};

/// A training question that is answered as it is.
fn sft() -> Value {
    json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
        "plan": {"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 1, "recompute": "none"}})
}

/// An RL question that is answered as it is.
fn ppo() -> Value {
    json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "ppo", "rl": {"prompts_per_step": 128, "max_prompt_length": 1024,
            "max_response_length": 3072, "mean_prompt_length": 200, "mean_response_length": 1000}},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 1, "recompute": "full", "rollout": {"tensor_parallel": 1}}})
}

/// A generation question that is answered as it is.
fn rollout() -> Value {
    json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "rollout", "rollout": {"requests": 100, "mean_prompt_length": 100, "mean_response_length": 500}},
        "plan": {"rollout": {"tensor_parallel": 1}}})
}

/// Marks a field to leave out.
fn absent() -> Value {
    json!("(absent)")
}

/// The question with one value set, by dotted path.
fn with(mut question: Value, path: &str, value: &Value) -> Value {
    let (parents, last) = path.rsplit_once('.').unwrap_or(("", path));
    let mut at = &mut question;
    for key in parents.split('.').filter(|key| !key.is_empty()) {
        if !at[key].is_object() {
            at[key] = json!({});
        }
        at = &mut at[key];
    }
    if *value == absent() {
        at.as_object_mut().unwrap().remove(last);
    } else {
        at[last] = value.clone();
    }
    question
}

fn refusal(question: &Value) -> InputError {
    // The text, as the command line reads it.
    let result = parse_question(&question.to_string()).and_then(|question| estimate(&question));
    match result {
        Ok(answer) => panic!(
            "answered: {question}\n{}",
            serde_json::to_string(&answer).unwrap()
        ),
        Err(error) => error,
    }
}

/// Checks rows of path, value, the field that the refusal names, and a phrase of its message.
#[track_caller]
fn refused(question: &Value, rows: &[(&str, Value, &str, &str)]) {
    question_from_value(question.clone())
        .and_then(|question| estimate(&question))
        .expect("the base is answered");
    let mut wrong = Vec::new();
    for (path, value, field, phrase) in rows {
        let error = refusal(&with(question.clone(), path, value));
        if phrase.is_empty()
            || error.field != *field
            || !error.message.contains(phrase)
            || !error.message.ends_with('.')
        {
            wrong.push(format!(
                "{path} = {value}: {} | {}",
                error.field, error.message
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_document() {
    refused(
        &sft(),
        &[
            ("version", absent(), "version", "required"),
            ("version", json!(2), "version", "version 1"),
            ("version", json!("1"), "version", "whole number"),
            ("version", json!(-1), "version", "whole number"),
            ("model", absent(), "model", "required"),
            ("hardware", absent(), "hardware", "required"),
            ("workload", absent(), "workload", "required"),
            ("hardware", json!([]), "hardware", "an object"),
            ("hardware", json!("h100-sxm"), "hardware", "an object"),
            ("workload", json!(null), "workload", "an object"),
            ("plan", json!(7), "plan", "an object"),
            ("modle", json!("llama-2-7b"), "modle", "no such field"),
            ("", json!(1), "question", "no such field"),
        ],
    );
}

#[test]
fn the_model() {
    refused(
        &sft(),
        &[
            ("model", json!(null), "model", "model id"),
            ("model", json!(7), "model", "model id"),
            ("model", json!([]), "model", "model id"),
            ("model", json!(""), "model", "name is empty"),
            ("model", json!("llama-2-8b"), "model", "llama-2-7b"),
            (
                "model",
                json!("meta-llama/Nothing-7B"),
                "model",
                "config.json",
            ),
            ("model", json!({}), "model.hidden_size", "is missing"),
            (
                "model",
                json!({"num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000}),
                "model.hidden_size",
                "is missing",
            ),
            (
                "model",
                json!({"model_type": "diffusion", "hidden_size": 4096}),
                "model.model_type",
                "diffusion",
            ),
            (
                "model",
                json!({"model_type": 7}),
                "model.model_type",
                "Give a text",
            ),
        ],
    );
    let model = json!({"hidden_size": 4096, "num_hidden_layers": 32, "intermediate_size": 11008,
        "num_attention_heads": 32, "vocab_size": 32000});
    refused(
        &with(sft(), "model", &model),
        &[
            (
                "model.hidden_size",
                absent(),
                "model.hidden_size",
                "is missing",
            ),
            (
                "model.hidden_size",
                json!(0),
                "model.hidden_size",
                "whole number from 1 to",
            ),
            (
                "model.hidden_size",
                json!(-4096),
                "model.hidden_size",
                "whole number from 1 to",
            ),
            (
                "model.hidden_size",
                json!("4096"),
                "model.hidden_size",
                "whole number from 1 to",
            ),
            (
                "model.hidden_size",
                json!(4096.5),
                "model.hidden_size",
                "whole number from 1 to",
            ),
            (
                "model.hidden_size",
                json!(u64::MAX),
                "model.hidden_size",
                "whole number from 1 to",
            ),
            (
                "model.num_hidden_layers",
                json!(0),
                "model.num_hidden_layers",
                "whole number from 1 to",
            ),
            (
                "model.num_hidden_layers",
                absent(),
                "model.num_hidden_layers",
                "is missing",
            ),
            (
                "model.vocab_size",
                json!(0),
                "model.vocab_size",
                "whole number from 1 to",
            ),
            (
                "model.num_attention_heads",
                json!(0),
                "model.num_attention_heads",
                "whole number from 1 to",
            ),
            (
                "model.num_key_value_heads",
                json!(5),
                "model.num_key_value_heads",
                "Give a divisor of 32",
            ),
            (
                "model.tie_word_embeddings",
                json!("yes"),
                "model.tie_word_embeddings",
                "true or false",
            ),
            (
                "model.hiden_size",
                json!(1),
                "model.hiden_size",
                "did you mean",
            ),
        ],
    );
}

#[test]
fn the_hardware() {
    refused(
        &sft(),
        &[
            ("hardware.gpu", absent(), "hardware.gpu", "required"),
            ("hardware.gpu", json!(null), "hardware.gpu", "catalog id"),
            ("hardware.gpu", json!(4), "hardware.gpu", "catalog id"),
            ("hardware.gpu", json!(""), "hardware.gpu", "no GPU"),
            ("hardware.gpu", json!("h100"), "hardware.gpu", "h100-sxm"),
            ("hardware.gpu", json!("模型"), "hardware.gpu", "no GPU"),
            ("hardware.gpus", json!(0), "hardware.gpus", "1 or more"),
            ("hardware.gpus", json!(-8), "hardware.gpus", "whole number"),
            ("hardware.gpus", json!(8.5), "hardware.gpus", "whole number"),
            ("hardware.gpus", json!("8"), "hardware.gpus", "whole number"),
            ("hardware.gpus", json!(u64::MAX), "hardware.gpus", "largest"),
            (
                "hardware.gpus_per_node",
                json!(0),
                "hardware.gpus_per_node",
                "1 or more",
            ),
            (
                "hardware.usd_per_gpu_hour",
                json!(-0.01),
                "hardware.usd_per_gpu_hour",
                "negative",
            ),
            (
                "hardware.usd_per_gpu_hour",
                json!(1e300),
                "hardware.usd_per_gpu_hour",
                "out of range",
            ),
            (
                "hardware.usd_per_gpu_hour",
                json!("NaN"),
                "hardware.usd_per_gpu_hour",
                "number",
            ),
            (
                "hardware.internode_gbit_per_s_per_gpu",
                json!(0),
                "hardware.internode_gbit_per_s_per_gpu",
                "out of range",
            ),
            (
                "hardware.internode_gbit_per_s_per_gpu",
                json!(-1),
                "hardware.internode_gbit_per_s_per_gpu",
                "out of range",
            ),
            (
                "hardware.price",
                json!(2),
                "hardware.price",
                "usd_per_gpu_hour",
            ),
            (
                "hardware.gpu",
                json!({}),
                "hardware.gpu.bf16_dense_tflops",
                "base",
            ),
            (
                "hardware.gpu",
                json!({"bf16_dense_tflops": 100, "hbm_gb_per_s": 1000}),
                "hardware.gpu.memory_gib",
                "base",
            ),
            (
                "hardware.gpu",
                json!({"base": "h101"}),
                "hardware.gpu.base",
                "no GPU",
            ),
            (
                "hardware.gpu",
                json!({"base": "h100-sxm", "memory_gib": 0}),
                "hardware.gpu.memory_gib",
                "out of range",
            ),
            (
                "hardware.gpu",
                json!({"base": "h100-sxm", "memory_gib": -1}),
                "hardware.gpu.memory_gib",
                "out of range",
            ),
            (
                "hardware.gpu",
                json!({"base": "h100-sxm", "memory_gib": "80"}),
                "hardware.gpu.memory_gib",
                "a number",
            ),
            (
                "hardware.gpu",
                json!({"base": "h100-sxm", "bf16_dense_tflops": 0}),
                "hardware.gpu.bf16_dense_tflops",
                "out of range",
            ),
            (
                "hardware.gpu",
                json!({"base": "h100-sxm", "hbm_gb_per_s": 1e300}),
                "hardware.gpu.hbm_gb_per_s",
                "out of range",
            ),
            (
                "hardware.gpu",
                json!({"base": "h100-sxm", "nvlink_domain": 0}),
                "hardware.gpu.nvlink_domain",
                "1 or more",
            ),
            (
                "hardware.gpu",
                json!({"base": "h100-sxm", "pcie_gb_per_s": 0}),
                "hardware.gpu.pcie_gb_per_s",
                "out of range",
            ),
            (
                "hardware.gpu",
                json!({"base": "h100-sxm", "memory": 80}),
                "hardware.gpu.memory",
                "memory_gib",
            ),
        ],
    );
}

#[test]
fn the_workload() {
    refused(
        &sft(),
        &[
            ("workload.kind", absent(), "workload.kind", "required"),
            ("workload.kind", json!("dpo"), "workload.kind", "grpo"),
            ("workload.kind", json!(1), "workload.kind", "a word"),
            ("workload.kind", json!("grpo"), "workload.rl", "need"),
            (
                "workload.kind",
                json!("rollout"),
                "workload.rollout",
                "needs",
            ),
            (
                "workload.sequence_length",
                absent(),
                "workload.sequence_length",
                "required",
            ),
            (
                "workload.sequence_length",
                json!(0),
                "workload.sequence_length",
                "1 or more",
            ),
            (
                "workload.sequence_length",
                json!(-1),
                "workload.sequence_length",
                "whole number",
            ),
            (
                "workload.sequence_length",
                json!(1_u64 << 40),
                "workload.sequence_length",
                "largest",
            ),
            (
                "workload.global_batch",
                absent(),
                "workload.global_batch",
                "required",
            ),
            (
                "workload.global_batch",
                json!(0),
                "workload.global_batch",
                "1 or more",
            ),
            (
                "workload.global_batch",
                json!(1e30),
                "workload.global_batch",
                "whole number",
            ),
            (
                "workload.mean_sequence_length",
                json!(5000),
                "workload.mean_sequence_length",
                "4096",
            ),
            (
                "workload.mean_sequence_length",
                json!(0),
                "workload.mean_sequence_length",
                "out of range",
            ),
            ("workload.tokens", json!(1e18), "workload.tokens", "1e15"),
            ("workload.tokens", json!(0), "workload.tokens", "1 to 1e15"),
            ("workload.tokens", json!(-5), "workload.tokens", "1 to 1e15"),
            (
                "workload.precision",
                json!("fp32"),
                "workload.precision",
                "bf16",
            ),
            (
                "workload.packing",
                json!("yes"),
                "workload.packing",
                "true or false",
            ),
            ("workload.lora", json!({"rank": 8}), "workload.lora", "lora"),
            (
                "workload.seq_len",
                json!(4096),
                "workload.seq_len",
                "sequence_length",
            ),
        ],
    );
    refused(
        &with(
            with(sft(), "workload.kind", &json!("lora")),
            "plan.backend",
            &json!("fsdp"),
        ),
        &[
            (
                "workload.lora.rank",
                json!(0),
                "workload.lora.rank",
                "1 or more",
            ),
            (
                "workload.lora.rank",
                json!(100_000),
                "workload.lora.rank",
                "4096",
            ),
            (
                "workload.lora.targets",
                json!("everything"),
                "workload.lora.targets",
                "all-linear",
            ),
            (
                "workload.lora.alpha",
                json!(16),
                "workload.lora.alpha",
                "no such field",
            ),
        ],
    );
}

#[test]
fn reinforcement_learning() {
    refused(
        &ppo(),
        &[
            ("workload.rl", absent(), "workload.rl", "need"),
            (
                "workload.rl.prompts_per_step",
                absent(),
                "workload.rl.prompts_per_step",
                "required",
            ),
            (
                "workload.rl.prompts_per_step",
                json!(0),
                "workload.rl.prompts_per_step",
                "1 or more",
            ),
            (
                "workload.rl.responses_per_prompt",
                json!(0),
                "workload.rl.responses_per_prompt",
                "1 or more",
            ),
            (
                "workload.rl.responses_per_prompt",
                json!(10_000),
                "workload.rl.responses_per_prompt",
                "4096",
            ),
            (
                "workload.rl.max_prompt_length",
                absent(),
                "workload.rl.max_prompt_length",
                "required",
            ),
            (
                "workload.rl.max_response_length",
                absent(),
                "workload.rl.max_response_length",
                "required",
            ),
            (
                "workload.rl.mean_prompt_length",
                json!(1025),
                "workload.rl.mean_prompt_length",
                "above the longest",
            ),
            (
                "workload.rl.mean_response_length",
                json!(4000),
                "workload.rl.mean_response_length",
                "above the longest",
            ),
            (
                "workload.rl.mean_response_length",
                json!(0),
                "workload.rl.mean_response_length",
                "out of range",
            ),
            (
                "workload.rl.response_length_cv",
                json!(-0.1),
                "workload.rl.response_length_cv",
                "out of range",
            ),
            (
                "workload.rl.response_length_cv",
                json!(1e9),
                "workload.rl.response_length_cv",
                "out of range",
            ),
            (
                "workload.rl.mini_batch",
                json!(129),
                "workload.rl.mini_batch",
                "128 or less",
            ),
            (
                "workload.rl.mini_batch",
                json!(0),
                "workload.rl.mini_batch",
                "1 or more",
            ),
            (
                "workload.rl.epochs",
                json!(0),
                "workload.rl.epochs",
                "1 or more",
            ),
            (
                "workload.rl.critic",
                json!(null),
                "workload.rl.critic",
                "PPO",
            ),
            (
                "workload.rl.critic",
                json!("nothing"),
                "workload.rl.critic",
                "config.json",
            ),
            (
                "workload.rl.critic",
                json!({"hidden_size": 1}),
                "workload.rl.critic.num_hidden_layers",
                "is missing",
            ),
            (
                "workload.rl.reward_model",
                json!(3),
                "workload.rl.reward_model",
                "model id",
            ),
            (
                "workload.rl.schedule",
                json!("async"),
                "workload.rl.schedule",
                "colocated",
            ),
            (
                "workload.rl.train_gpus",
                json!(4),
                "workload.rl.train_gpus",
                "colocated",
            ),
            (
                "workload.rl.group_size",
                json!(4),
                "workload.rl.group_size",
                "responses_per_prompt",
            ),
        ],
    );
    refused(
        &with(ppo(), "workload.rl.schedule", &json!("one_step_off")),
        &[
            (
                "workload.rl.train_gpus",
                json!(0),
                "workload.rl.train_gpus",
                "1 or more",
            ),
            (
                "workload.rl.train_gpus",
                json!(8),
                "workload.rl.train_gpus",
                "none is left",
            ),
            (
                "workload.rl.train_gpus",
                json!(80),
                "workload.rl.train_gpus",
                "none is left",
            ),
            (
                "hardware.gpus",
                json!(1),
                "workload.rl.train_gpus",
                "none is left",
            ),
        ],
    );
    refused(
        &rollout(),
        &[
            (
                "workload.rollout.requests",
                absent(),
                "workload.rollout.requests",
                "required",
            ),
            (
                "workload.rollout.requests",
                json!(0),
                "workload.rollout.requests",
                "1 or more",
            ),
            (
                "workload.rollout.mean_prompt_length",
                absent(),
                "workload.rollout.mean_prompt_length",
                "required",
            ),
            (
                "workload.rollout.mean_response_length",
                json!(0),
                "workload.rollout.mean_response_length",
                "out of range",
            ),
            (
                "workload.rollout.response_length_cv",
                json!(-1),
                "workload.rollout.response_length_cv",
                "out of range",
            ),
        ],
    );
}

#[test]
fn the_plan() {
    refused(
        &sft(),
        &[
            (
                "plan.backend",
                json!("accelerate"),
                "plan.backend",
                "megatron",
            ),
            (
                "plan.tensor_parallel",
                json!(3),
                "plan.tensor_parallel",
                "2 or 4",
            ),
            (
                "plan.tensor_parallel",
                json!(0),
                "plan.tensor_parallel",
                "1 or more",
            ),
            (
                "plan.tensor_parallel",
                json!(-2),
                "plan.tensor_parallel",
                "whole number",
            ),
            (
                "plan.tensor_parallel",
                json!(16),
                "plan.tensor_parallel",
                "multiple of 16 GPUs",
            ),
            (
                "plan.tensor_parallel",
                json!(u64::MAX),
                "plan.tensor_parallel",
                "largest",
            ),
            (
                "plan.pipeline_parallel",
                json!(33),
                "plan.pipeline_parallel",
                "32 or less",
            ),
            (
                "plan.pipeline_parallel",
                json!(8),
                "plan.pipeline_parallel",
                "multiple of 16 GPUs",
            ),
            (
                "plan.virtual_pipeline",
                json!(2),
                "plan.virtual_pipeline",
                "pipeline_parallel",
            ),
            (
                "plan.virtual_pipeline",
                json!(0),
                "plan.virtual_pipeline",
                "1 or more",
            ),
            (
                "plan.context_parallel",
                json!(16),
                "plan.context_parallel",
                "multiple of 32 GPUs",
            ),
            (
                "plan.ulysses_parallel",
                json!(3),
                "plan.ulysses_parallel",
                "do not split",
            ),
            (
                "plan.expert_parallel",
                json!(2),
                "plan.expert_parallel",
                "no experts",
            ),
            (
                "plan.zero_stage",
                json!(4),
                "plan.zero_stage",
                "0, 1, 2 or 3",
            ),
            (
                "plan.shard_group",
                json!(3),
                "plan.shard_group",
                "divisor of 4",
            ),
            (
                "plan.shard_group",
                json!(0),
                "plan.shard_group",
                "1 or more",
            ),
            (
                "plan.micro_batch",
                json!(0),
                "plan.micro_batch",
                "1 or more",
            ),
            (
                "plan.max_tokens_per_gpu",
                json!(4096),
                "plan.max_tokens_per_gpu",
                "Give one",
            ),
            (
                "plan.recompute",
                json!("all"),
                "plan.recompute",
                "selective",
            ),
            (
                "plan.recompute",
                json!({"granularity": "selective", "modules": ["attention"]}),
                "plan.recompute",
                "granularity and modules",
            ),
            ("plan.offload", json!(true), "plan.offload", "an object"),
            (
                "plan.offload.parameter",
                json!(true),
                "plan.offload.parameter",
                "parameters",
            ),
            ("plan.attention", json!("sdpa"), "plan.attention", "flash"),
            (
                "plan.fused_lm_head",
                json!(1),
                "plan.fused_lm_head",
                "true or false",
            ),
            (
                "plan.overlap.gradients",
                json!("on"),
                "plan.overlap.gradients",
                "true or false",
            ),
            (
                "plan.master_weights_bytes",
                json!(-1),
                "plan.master_weights_bytes",
                "out of range",
            ),
            (
                "plan.optimizer_bytes",
                json!(1e9),
                "plan.optimizer_bytes",
                "out of range",
            ),
            ("plan.tp", json!(2), "plan.tp", "tensor_parallel"),
        ],
    );
    refused(
        &with(sft(), "model", &json!("qwen3-30b-a3b")),
        &[
            (
                "plan.expert_parallel",
                json!(3),
                "plan.expert_parallel",
                "2 or 4",
            ),
            (
                "plan.expert_parallel",
                json!(16),
                "plan.expert_parallel",
                "multiple of 16 GPUs",
            ),
            (
                "plan.virtual_pipeline",
                json!(3),
                "plan.virtual_pipeline",
                "pipeline_parallel",
            ),
        ],
    );
    refused(
        &ppo(),
        &[
            (
                "plan.rollout.tensor_parallel",
                json!(3),
                "plan.rollout.tensor_parallel",
                "2 or 4",
            ),
            (
                "plan.rollout.tensor_parallel",
                json!(16),
                "plan.rollout.tensor_parallel",
                "divisor of 8",
            ),
            (
                "plan.rollout.tensor_parallel",
                json!(0),
                "plan.rollout.tensor_parallel",
                "1 or more",
            ),
            (
                "plan.rollout.gpu_memory_utilization",
                json!(1.2),
                "plan.rollout.gpu_memory_utilization",
                "up to 1",
            ),
            (
                "plan.rollout.gpu_memory_utilization",
                json!(0),
                "plan.rollout.gpu_memory_utilization",
                "above 0",
            ),
            (
                "plan.rollout.max_num_seqs",
                json!(0),
                "plan.rollout.max_num_seqs",
                "1 or more",
            ),
            (
                "plan.rollout.engine",
                json!("tgi"),
                "plan.rollout.engine",
                "vllm",
            ),
            (
                "plan.critic",
                json!({"tensor_parallel": 3}),
                "plan.critic.tensor_parallel",
                "do not split",
            ),
            (
                "plan.reference",
                json!({"tensor_parallel": 3}),
                "plan.reference.tensor_parallel",
                "do not split",
            ),
        ],
    );
}

/// The search and the flags refuse what the estimate refuses.
#[test]
fn every_entrance_refuses() {
    for (path, value, field) in [
        ("plan.tensor_parallel", json!(3), "plan.tensor_parallel"),
        ("hardware.gpus", json!(0), "hardware.gpus"),
        ("model", json!("nothing"), "model"),
    ] {
        let mut question = with(sft(), path, &value);
        let refusals = |question: &Value| {
            let question = question_from_value(question.clone()).unwrap();
            let mut found = vec![
                estimate(&question).unwrap_err(),
                search(&question, Objective::Cost, 3).unwrap_err(),
            ];
            for framework in emit::FRAMEWORKS {
                found.extend(flags(&question, framework, "").err());
            }
            // A link carries a question that is refused as well as any other.
            let back = permalink::from_hash(&permalink::to_hash(&question)).unwrap();
            found.push(estimate(&back).unwrap_err());
            found
        };
        for error in refusals(&question) {
            assert_eq!(error.field, field, "{error}");
        }
        // The same where the search has to fill in the rest.
        question["plan"]
            .as_object_mut()
            .unwrap()
            .remove("micro_batch");
        for error in refusals(&question) {
            assert_eq!(error.field, field, "{error}");
        }
    }
}

#[test]
fn text_that_is_no_question() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_object = format!("{}1{}", "{\"plan\":".repeat(50_000), "}".repeat(50_000));
    let long = format!("{{\"model\": \"{}\"}}", "a".repeat(2 << 20));
    let long_model = sft()
        .to_string()
        .replace("llama-2-7b", &"b".repeat(500_000));
    for text in [
        "",
        " ",
        "{",
        "null",
        "7",
        "\"llama-2-7b\"",
        "[]",
        "[1, 2]",
        "NaN",
        "{\"version\": NaN}",
        "{\"version\": Infinity}",
        "{\"version\": 1e400}",
        "version: 1",
        "{'version': 1}",
        "{\"version\": 1,}",
        "\u{feff}{}",
        "\u{0}",
        deep.as_str(),
        deep_object.as_str(),
        long.as_str(),
        long_model.as_str(),
    ] {
        let error = parse_question(text)
            .and_then(|question| estimate(&question))
            .unwrap_err();
        assert!(!error.field.is_empty(), "{error}");
        assert!(error.message.ends_with('.'), "{error}");
        assert!(
            error.message.len() < 2000,
            "{} characters about {} characters",
            error.message.len(),
            text.len()
        );
    }
}

#[test]
fn cut_links() {
    let question = question_from_value(sft()).unwrap();
    let link = permalink::to_hash(&question);
    let cut = &link[..link.find("plan.tensor_parallel=").unwrap() + 8];
    let error = permalink::from_hash(cut).unwrap_err();
    assert!(error.field.starts_with("plan.ten"), "{error}");
    assert!(error.message.contains("Copy the whole link"), "{error}");
}

#[cfg(feature = "cli")]
mod command_line {
    use std::io::Write;
    use std::process::{Command, Output, Stdio};

    use serde_json::{Value, json};

    fn run(arguments: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shardwise"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        // A command that stops reading early has said why.
        drop(writer.join().unwrap());
        output
    }

    fn lines(output: &Output) -> Vec<Value> {
        let text = std::str::from_utf8(&output.stdout).unwrap();
        text.lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    #[test]
    fn a_refusal_never_stops_the_others() {
        let good = super::sft().to_string();
        let bad = super::with(super::sft(), "plan.tensor_parallel", &json!(3)).to_string();
        let mut input = format!("{good}\n{bad}\nnonsense\n\n").into_bytes();
        input.extend(b"{\"version\": 1, \"model\": \"\xff\xfe\"}\n");
        input.extend(good.as_bytes());
        let output = run(&["estimate"], &input);
        assert_eq!(output.status.code(), Some(1));
        let lines = lines(&output);
        let fields: Vec<&Value> = lines.iter().map(|line| &line["error"]["field"]).collect();
        assert_eq!(
            fields,
            [
                &Value::Null,
                &json!("plan.tensor_parallel"),
                &json!("question"),
                &json!("hardware"),
                &Value::Null
            ]
        );
        assert!(lines.iter().all(|line| line["version"] == 1));
        assert_eq!(lines[0], lines[4]);
        assert!(
            lines[1]["error"]["message"]
                .as_str()
                .unwrap()
                .contains("2 or 4")
        );
        assert!(String::from_utf8_lossy(&output.stderr).is_empty());
    }

    #[test]
    fn each_refusal_of_the_list_has_its_line_and_status() {
        for (path, value, field) in [
            (
                "model",
                json!({"num_hidden_layers": 2}),
                "model.hidden_size",
            ),
            (
                "model",
                json!({"model_type": "diffusion"}),
                "model.model_type",
            ),
            ("plan.tensor_parallel", json!(3), "plan.tensor_parallel"),
            ("hardware.gpus", json!(0), "hardware.gpus"),
            (
                "hardware.usd_per_gpu_hour",
                json!(-1),
                "hardware.usd_per_gpu_hour",
            ),
            ("workload.tokens", json!(1e18), "workload.tokens"),
        ] {
            let question = super::with(super::sft(), path, &value);
            for command in [
                &["estimate"][..],
                &["search"],
                &["flags", "--for", "deepspeed"],
            ] {
                // On one line and on several.
                for text in [
                    question.to_string(),
                    serde_json::to_string_pretty(&question).unwrap(),
                ] {
                    let output = run(command, text.as_bytes());
                    assert_eq!(output.status.code(), Some(1), "{command:?} {path}");
                    let lines = lines(&output);
                    assert_eq!(lines.len(), 1, "{command:?} {path}");
                    assert_eq!(lines[0]["error"]["field"], field, "{command:?}");
                }
            }
        }
    }

    #[test]
    fn answers_exit_with_success() {
        let output = run(&["estimate"], super::sft().to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(lines(&output).len(), 1);
        let output = run(&["estimate"], b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let output = run(&["estimate", "no-such-file.json"], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file.json"));
    }

    #[test]
    fn huge_input_gets_one_line_each() {
        let mut input = "a".repeat(2 << 20).into_bytes();
        input.push(b'\n');
        input.extend(super::sft().to_string().as_bytes());
        let output = run(&["estimate"], &input);
        assert_eq!(output.status.code(), Some(1));
        let lines = lines(&output);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["error"]["field"], "question");
        assert_eq!(lines[1]["fits"], true);
    }
}
