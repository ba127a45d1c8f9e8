//! What comes between the phases of an RL step, by framework: waking the engine, and the driver's own work.

use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::wire::{Answer, question_from_value};

fn answer(question: Value) -> Answer {
    estimate(&question_from_value(question).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// GRPO of 128 short responses with a model of 1.5 billion weights on 4 A100 (<https://github.com/marin-community/marin/issues/6218>).
fn small(framework: Option<&str>) -> Answer {
    let mut question = json!({"version": 1, "model": "qwen2.5-1.5b",
        "hardware": {"gpu": {"base": "a100-sxm-80g", "memory_gib": 63.4, "hbm_gb_per_s": 1640}, "gpus": 4},
        "workload": {"kind": "grpo", "packing": false, "rl": {"prompts_per_step": 32, "responses_per_prompt": 4,
            "mean_prompt_length": 110, "max_prompt_length": 512, "mean_response_length": 220, "max_response_length": 512,
            "response_length_cv": 0.4, "mini_batch": 32, "reference": false}},
        "plan": {"backend": "fsdp", "zero_stage": 3, "recompute": "full", "micro_batch": 8,
            "rollout": {"tensor_parallel": 1, "gpu_memory_utilization": 0.7, "enforce_eager": true}}});
    question["framework"] = json!(framework);
    answer(question)
}

fn phase(answer: &Answer, name: &str) -> f64 {
    answer.time.phases.iter().find(|own| own.name == name).unwrap().s
}

/// The whole step took 9.6 s, less than what veRL's wakes and drives in.
#[test]
fn a_small_step_has_its_own_framework_beside_its_phases() {
    let own = small(Some("skyrl"));
    assert!((7.0..12.0).contains(&own.step_time_s), "{}", own.step_time_s);
    for framework in [None, Some("verl")] {
        let other = small(framework);
        assert!(phase(&other, "weight_sync") > phase(&own, "weight_sync") + 5.0, "{framework:?}");
        assert!(phase(&other, "driver") > 10.0 * phase(&own, "driver"), "{framework:?}");
    }
}

/// 11.6 s on 4 A6000 (<https://github.com/redai-studio/Relax/issues/230>), 11 to 13 with a model as large that sees: in what began as
/// slime, which pauses training.
#[test]
fn slime_pauses_training_to_generate() {
    let question = |framework: &str| {
        json!({"version": 1, "model": "qwen3-4b", "framework": framework, "hardware": {"gpu": "rtx-a6000", "gpus": 4},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 32, "responses_per_prompt": 8,
                "mean_prompt_length": 150, "max_prompt_length": 1024, "mean_response_length": 2000,
                "max_response_length": 8192, "mini_batch": 32, "reference": false}},
            "plan": {"backend": "megatron", "tensor_parallel": 2, "sequence_parallel": true, "recompute": "full",
                "max_tokens_per_gpu": 12000, "offload": {"parameters": true, "gradients": true, "optimizer": true},
                "rollout": {"engine": "sglang", "tensor_parallel": 2}}})
    };
    let [own, other] = ["slime", "verl"].map(|framework| answer(question(framework)));
    let sync = phase(&own, "weight_sync");
    assert!((9.0..13.5).contains(&sync), "{sync}");
    assert!(sync > phase(&other, "weight_sync"));
    // 125 ms for as many responses: vime (<https://github.com/vllm-project/vime/issues/442>).
    let driver = phase(&own, "driver");
    assert!((0.05..0.3).contains(&driver), "{driver}");
}

/// Miles at 8f409c7c, which began as slime: 256 responses of 8,070 tokens took 93, 73 and 69 s.
#[test]
fn sglang_gains_from_a_larger_group_beside_a_trainer() {
    let rollout = |tensor_parallel: u32| {
        let own = answer(json!({"version": 1, "model": "qwen3.5-9b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 32, "responses_per_prompt": 8,
                "mean_prompt_length": 150, "max_prompt_length": 1024, "mean_response_length": 8070,
                "max_response_length": 8192, "response_length_cv": 0.08, "mini_batch": 32, "reference": false}},
            "plan": {"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 1, "context_parallel": 1,
                "sequence_parallel": true, "recompute": "full", "max_tokens_per_gpu": 9216, "offload": {"parameters": true, "gradients": true, "optimizer": true},
                "rollout": {"engine": "sglang", "tensor_parallel": tensor_parallel, "gpu_memory_utilization": 0.6}}}));
        phase(&own, "rollout")
    };
    let [one, two, four] = [1, 2, 4].map(rollout);
    assert!(two < one && four < one, "{one} {two} {four}");
}
