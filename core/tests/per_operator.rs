//! What torchtitan's checkpointing per operator keeps of a block, and what it makes again.

use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::wire::{Answer, put, question_from_value};

fn answer(question: &Value) -> Answer {
    estimate(&question_from_value(question.clone()).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// Nothing is moved to the host, so that nothing is left to a search.
fn on_card() -> Value {
    json!({"parameters": false, "gradients": false, "optimizer": false, "activations": false})
}

/// An answer's question with some fields changed.
fn with(question: &Value, changes: &[(&str, Value)]) -> Answer {
    let mut question = question.clone();
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    answer(&question)
}

/// <https://github.com/mlc-ai/pith-train/issues/79>: eight B200, 141.79 GiB reserved of some 180.
fn titan() -> Value {
    json!({"version": 1, "model": "qwen3-30b-a3b", "framework": "torchtitan", "hardware": {"gpu": "b200-sxm", "gpus": 8},
        "workload": {"kind": "pretrain", "sequence_length": 8192, "packing": true, "global_batch": 64, "precision": "bf16"},
        "plan": {"backend": "fsdp", "zero_stage": 3, "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "expert_parallel": 1, "virtual_pipeline": 1, "micro_batch": 8, "recompute": "selective", "fused_lm_head": true,
            "offload": on_card()}})
}

#[test]
fn experts_products_are_made_again_where_torchtitan_checkpoints_per_operator() {
    let ran = answer(&titan());
    let reserved = ran.memory.reserved_gib;
    assert!(ran.fits && (130.0..165.0).contains(&reserved), "{reserved} GiB, {:?}", ran.fit);
    // All of the experts' products run again, and half of attention's: most of the forward pass.
    let full = with(&titan(), &[("plan.recompute", json!("full"))]);
    let again = |answer: &Answer| answer.time.parts.recompute;
    assert!(again(&ran) > 0.5 * again(&full) && again(&ran) < again(&full), "{} {}", again(&ran), again(&full));
    assert!(full.memory.reserved_gib < reserved);
}

#[test]
fn tokens_that_came_from_other_gpus_stay_where_torchtitan_checkpoints_per_operator() {
    let kept = |ep: u64| with(&titan(), &[("plan.expert_parallel", json!(ep))]).memory.parts.activations;
    // 48 layers, 8 visits of 65,536 tokens, 2,048 wide: dispatched and combined in bf16.
    let exchanged = 48.0 * 8.0 * 65_536.0 * 2048.0 * 4.0 / 1_073_741_824.0;
    let more = kept(8) - kept(1);
    assert!((more / exchanged - 1.0).abs() < 0.3, "{more} of {exchanged} GiB");
}
