//! What Megatron-Core's own fused loss holds where models are fine-tuned.

use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::wire::{Answer, question_from_value};

fn answer(question: Value) -> Answer {
    estimate(&question_from_value(question).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// Megatron-SWIFT's scripts, `examples/megatron/moe` at
/// <https://github.com/modelscope/ms-swift/tree/3602360a562313afbf2ef6065fdf61f271a2c5b9>: packs of 8,192 tokens, everything computed again.
fn script(model: &str, gpus: u64, (stages, experts): (u64, u64), kind: &str, on_host: bool) -> Answer {
    answer(json!({"version": 1, "model": model, "hardware": {"gpu": "a100-sxm-80g", "gpus": gpus},
        "workload": {"kind": kind, "sequence_length": 8192, "global_batch": 16, "precision": "bf16", "packing": true},
        "plan": {"backend": "megatron", "tensor_parallel": 1, "pipeline_parallel": stages, "context_parallel": 1,
            "expert_parallel": experts, "virtual_pipeline": 1, "micro_batch": 1, "recompute": "full", "gradient_bytes": 4,
            "offload": {"parameters": false, "gradients": false, "optimizer": on_host, "activations": false}}}))
}

#[test]
fn megatron_swift_reserves_what_it_did() {
    for (model, gpus, split, on_host, measured) in [
        ("qwen1.5-moe-a2.7b", 8, (2, 4), false, 57.0),
        ("moonlight-16b-a3b", 8, (2, 4), false, 60.0),
        ("qwen3-30b-a3b", 16, (2, 8), false, 60.0),
        ("qwen3-30b-a3b", 4, (1, 4), true, 75.0),
    ] {
        let own = script(model, gpus, split, "sft", on_host).memory.reserved_gib;
        assert!((own / measured - 1.0).abs() < 0.04, "{model}: {own} of {measured} GiB");
    }
}

/// Recipes of pre-training have Transformer Engine's loss, which takes 4 bytes a logit.
#[test]
fn pre_training_has_another_loss() {
    let of = |kind: &str| script("qwen1.5-moe-a2.7b", 8, (2, 4), kind, false).memory.parts.logits;
    let logits = 8192.0 * 151_936.0 / 1_073_741_824.0;
    let each = (of("sft") - of("pretrain")) / logits;
    assert!((each - 10.0).abs() < 0.5, "{each} bytes a logit");
}
