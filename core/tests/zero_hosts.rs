//! What `DeepSpeed`'s host takes under ZeRO-3, which fetches weights module by module.

use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::wire::{Answer, put, question_from_value};

fn answer(question: &Value) -> Answer {
    estimate(&question_from_value(question.clone()).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// An answer's question with some fields changed.
fn with(question: &Value, changes: &[(&str, Value)]) -> Answer {
    let mut question = question.clone();
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    answer(&question)
}

/// A model of 7 billion weights on 4 H100 with 512 tokens a GPU
/// (<https://github.com/deepspeedai/DeepSpeedExamples/blob/516082c65853d48b50850a05782267f36bcdc170/training/bf16_master_weight/README.md>).
fn plain() -> Value {
    json!({"version": 1, "model": "opt-6.7b", "hardware": {"gpu": "h100-sxm", "gpus": 4},
        "workload": {"kind": "pretrain", "sequence_length": 512, "packing": false, "global_batch": 4, "precision": "bf16"},
        "plan": {"backend": "deepspeed", "micro_batch": 1, "zero_stage": 3, "recompute": "none",
            "offload": {"parameters": false, "gradients": false, "optimizer": false, "activations": false}}})
}

/// <https://github.com/deepspeedai/DeepSpeed/blob/2f5eaa6aead476c666bf2446df37fd368e614e16/examples/sdma_allgather/README.md>.
fn qwen() -> Value {
    json!({"version": 1, "model": "qwen3-32b", "hardware": {"gpu": "mi300x", "gpus": 8},
        "workload": {"kind": "pretrain", "sequence_length": 1024, "packing": false, "global_batch": 8, "precision": "bf16"},
        "plan": {"backend": "deepspeed", "micro_batch": 1, "zero_stage": 3, "recompute": "none", "attention": "unfused",
            "offload": {"parameters": false, "gradients": false, "optimizer": false, "activations": false}}})
}

#[test]
fn short_micro_batches_take_as_long_as_they_did() {
    let again = with(&plain(), &[("plan.recompute", json!("full"))]);
    for (own, measured) in [(answer(&plain()), 0.5078), (again, 0.6016), (answer(&qwen()), 1.4025)] {
        let step = own.step_time_s;
        assert!((step / measured - 1.0).abs() < 0.12, "{step} of {measured} s");
    }
}

#[test]
fn stages_that_hold_all_weights_fetch_none_and_long_micro_batches_hide_it() {
    assert!(with(&plain(), &[("plan.zero_stage", json!(2))]).step_time_s < 0.3);
    let long = |stage: u64| {
        let changes = [
            ("workload.sequence_length", json!(2048)),
            ("workload.global_batch", json!(64)),
            ("plan.micro_batch", json!(16)),
            ("plan.zero_stage", json!(stage)),
        ];
        with(&plain(), &changes).step_time_s
    };
    assert!(long(3) < 1.1 * long(2), "{} {}", long(3), long(2));
}

/// Stages are compared within one search, which keeps what their blocks take.
#[test]
fn a_search_tells_the_stages_apart() {
    let question = json!({"version": 1, "model": "qwen2.5-7b", "hardware": {"gpu": "b200-sxm", "gpus": 64},
        "workload": {"kind": "orpo", "sequence_length": 4096, "global_batch": 64, "mean_sequence_length": 3215.0, "packing": false}});
    let found = answer(&question);
    for plan in
        [json!({"backend": "deepspeed"}), json!({"backend": "deepspeed", "zero_stage": 2}), json!({"backend": "fsdp"})]
    {
        let named = with(&question, &[("plan", plan.clone())]);
        let faster = named.fits && named.step_time_s * 1.02 < found.step_time_s;
        assert!(!faster, "{plan}: {} of {} s", named.step_time_s, found.step_time_s);
    }
}
