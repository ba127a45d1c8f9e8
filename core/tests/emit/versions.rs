//! What versions and frameworks cannot say is said in their words, or in a warning.

use serde_json::{Value, json};
use shardwise_core::wire::question_from_value;
use shardwise_core::{emit, flags};

use super::examples::{plan, rl, sft};

/// Older versions of veRL get their own words; a version that is none is refused by name.
#[test]
fn versions_have_their_own_words() {
    let verl = emit::framework("verl").unwrap();
    let question = question_from_value(json!({"version": 1, "model": "qwen3-8b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8}, "workload": rl("ppo"),
        "plan": {"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 1, "context_parallel": 1,
            "max_tokens_per_gpu": 16384, "recompute": "full", "offload": {"parameters": true, "optimizer": true},
            "rollout": {"tensor_parallel": 1}}}))
    .unwrap();
    for version in verl.versions {
        let texts = flags(&question, verl, version, "").unwrap().unwrap();
        let text = &texts[0].text;
        assert!(text.contains(&format!("for veRL {version}")), "{version}");
        let old = *version != "0.9.1";
        assert_eq!(text.contains("megatron.grad_offload=True"), old, "{version}");
        let by_name = text.contains("--config-name=ppo_megatron_trainer.yaml");
        assert_eq!(by_name, ["0.7.1", "0.5.0", "0.4.1"].contains(version), "{version}");
        assert_eq!(text.contains("model_engine=megatron"), !by_name, "{version}");
    }
    assert_eq!(verl.version("").unwrap(), "0.9.1");
    let error = verl.version("0.6.9").unwrap_err();
    assert!(error.field == "version" && error.message.contains("0.8.0"), "{error}");
}

/// The optimizer that steps in host memory is veRL's since 0.6, and none of ChatLearn's.
#[test]
fn the_optimizer_steps_in_host_memory_where_it_can() {
    let question = question_from_value(json!({"version": 1, "model": "qwen3-8b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8}, "workload": rl("grpo"),
        "plan": plan("megatron", json!({"tensor_parallel": 2, "optimizer_offload_fraction": 0.5}))}))
    .unwrap();
    let verl = emit::framework("verl").unwrap();
    for version in verl.versions {
        let texts = flags(&question, verl, version, "").unwrap();
        if ["0.5.0", "0.4.1"].contains(version) {
            let refused = texts.unwrap_err();
            assert!(refused.message.contains("host memory"), "{refused:?}");
        } else {
            let texts = texts.unwrap();
            let text = &texts[0].text;
            assert!(
                text.contains("optimizer_cpu_offload=True") && text.contains("optimizer_offload_fraction=0.5"),
                "{version}: {text}"
            );
        }
    }
    let chatlearn = emit::framework("chatlearn").unwrap();
    let refused = flags(&question, chatlearn, "", "").unwrap().unwrap_err();
    assert!(refused.message.contains("plan.optimizer_offload_fraction: ChatLearn"), "{refused:?}");
}

#[test]
fn a_loss_by_response_is_said_where_a_release_has_it() {
    let question = question_from_value(json!({"version": 1, "model": "qwen3-8b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8}, "workload": rl("gspo"), "plan": plan("fsdp", json!({}))}))
    .unwrap();
    let verl = emit::framework("verl").unwrap();
    for version in ["0.4.1", "0.5.0"] {
        let refused = flags(&question, verl, version, "").unwrap().unwrap_err();
        assert!(refused.message.contains("one ratio"), "{refused:?}");
    }
    for version in ["0.7.1", "0.8.0", "0.9.1"] {
        let texts = flags(&question, verl, version, "").unwrap().unwrap();
        let says = texts[0].text.contains("policy_loss.loss_mode=gspo");
        assert!(says, "{version}");
    }
}

#[test]
fn states_are_written_down_or_said() {
    let asked = |backend: &str, changes: Value| {
        flags_of(json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": rl("grpo"), "plan": plan(backend, changes)}))
    };
    let narrow = asked("megatron", json!({"tensor_parallel": 2, "gradient_bytes": 2, "optimizer_bytes": 4}));
    let text = narrow("verl", "0.9.1");
    for key in
        ["use_precision_aware_optimizer=True", "exp_avg_dtype=bf16", "exp_avg_sq_dtype=bf16", "main_grads_dtype=bf16"]
    {
        assert!(text.contains(&format!("  actor_rollout_ref.actor.optim.{key}")), "{key}");
    }
    assert!(!text.contains("per parameter"));
    let older = narrow("verl", "0.8.0");
    assert!(!older.contains("_dtype=bf16") && older.contains("keeps gradients and moments in fp32"));
    let text = narrow("chatlearn", "");
    assert!(text.contains("4 bytes of optimizer state per parameter; ChatLearn keeps 8."));
    let masters = asked("megatron", json!({"tensor_parallel": 2, "master_weights_bytes": 2}));
    for (id, name) in [("verl", "veRL"), ("chatlearn", "ChatLearn")] {
        let said = format!("2 bytes of master weights per parameter; {name} keeps 4.");
        assert!(masters(id, "").contains(&said), "{id}");
    }
    let shards = asked("fsdp", json!({"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4}));
    let text = shards("verl", "");
    assert!(text.contains("fsdp_config.model_dtype=bf16") && !text.contains("per parameter"));
}

/// The first text of a question, by framework and version.
pub(super) fn flags_of(question: Value) -> impl Fn(&str, &str) -> String {
    let question = question_from_value(question).unwrap();
    move |id, version| {
        let framework = emit::framework(id).unwrap();
        let version = framework.version(version).unwrap();
        let texts = flags(&question, framework, version, "").unwrap().unwrap();
        texts[0].text.clone()
    }
}

/// DeepSpeed's gradients are where its optimizer is, whatever the plan says.
#[test]
fn gradients_apart_from_their_optimizer_are_said() {
    for (id, file) in [("deepspeed", 2), ("llmforge", 0), ("llamafactory", 0), ("axolotl", 0)] {
        let framework = emit::framework(id).unwrap();
        for (gradients, said) in [(false, true), (true, false)] {
            let question = question_from_value(json!({"version": 1, "model": "llama-2-7b",
                "hardware": {"gpu": "a100-sxm-80g", "gpus": 8}, "workload": sft("sft"),
                "plan": {"backend": "deepspeed", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 1,
                    "recompute": "full", "offload": {"optimizer": true, "gradients": gradients}}}))
            .unwrap();
            let texts = flags(&question, framework, framework.versions[0], "").unwrap().unwrap();
            let text = &texts[file].text;
            assert_eq!(text.contains("keeps them where its optimizer is, in host memory"), said, "{id}: {text}");
        }
    }
}
