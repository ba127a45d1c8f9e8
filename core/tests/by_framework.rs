//! What the same plan is in the code of one framework and of another: layers that are not split, gradients that are summed in
//! other bytes, and what engines set aside.

use serde_json::{Value, json};
use shardwise_core::context::Context;
use shardwise_core::rollout::workings::generation;
use shardwise_core::rollout::{Requests, Responses, room, state_bytes_per_sequence};
use shardwise_core::wire::{Answer, put, question_from_value};
use shardwise_core::{blocks::Blocks, complete, estimate, job, model};

fn answer(question: Value) -> Answer {
    estimate(&question_from_value(question).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// GRPO of a model with Gated `DeltaNet` on 8 H200, split over four.
fn grpo(framework: &str) -> Answer {
    answer(json!({"version": 1, "model": "qwen3.8-27b", "framework": framework,
        "hardware": {"gpu": "h200-sxm", "gpus": 8},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 32, "responses_per_prompt": 8, "mini_batch": 32,
            "mean_prompt_length": 150, "max_prompt_length": 2048, "max_response_length": 8192,
            "mean_response_length": 4585, "reference": true}},
        "plan": {"backend": "megatron", "tensor_parallel": 4, "pipeline_parallel": 1, "context_parallel": 1,
            "sequence_parallel": true, "recompute": "full", "max_tokens_per_gpu": 8192,
            "optimizer_offload_fraction": 1, "offload": {"parameters": true, "gradients": true, "optimizer": true},
            "rollout": {"engine": "sglang", "tensor_parallel": 1, "gpu_memory_utilization": 0.8}}}))
}

/// miles, which began as slime, measured 282 s for this update where 109 were estimated with every layer split
/// (<https://github.com/radixark/miles/blob/31f1ca961/docs/models/qwen/qwen3-8.md>).
#[test]
fn slime_computes_gated_delta_net_on_every_gpu() {
    let update = |answer: &Answer| answer.time.phases.iter().find(|own| own.name == "update_actor").unwrap().s;
    let (whole, split) = (grpo("slime"), grpo("verl"));
    assert!(update(&whole) > 1.3 * update(&split), "{} {}", update(&whole), update(&split));
    assert!(update(&whole) < 282.0);
}

#[test]
fn megatron_sums_gradients_as_its_framework_says() {
    let bytes = |framework: Option<&str>, precision: &str| {
        let question = json!({"version": 1, "model": "llama-3.1-8b", "framework": framework,
            "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "precision": precision},
            "plan": {"backend": "megatron", "tensor_parallel": 2, "micro_batch": 1, "recompute": "full"}});
        let question = question_from_value(question).unwrap();
        let job = job::resolve(&question).unwrap();
        complete::complete(&job, &question.plan.unwrap()).unwrap().layout.gradient_bytes
    };
    for (framework, narrow, wide) in [
        (None, 2.0, 4.0),
        (Some("megatron-lm"), 4.0, 4.0),
        (Some("megatron-bridge"), 4.0, 4.0),
        (Some("ms-swift"), 4.0, 4.0),
        (Some("nemo-rl"), 2.0, 4.0),
    ] {
        assert_eq!([bytes(framework, "fp8"), bytes(framework, "bf16")], [narrow, wide], "{framework:?}");
    }
}

/// TRL 1.16.0 merges adapters under ZeRO-3 into all gathered weights (`generation/vllm_generation.py`, `_iter_named_params`): 135 GiB of a
/// 72B. A report of the same in ms-swift: <https://github.com/modelscope/ms-swift/issues/6209>.
#[test]
fn trl_hands_over_adapters_where_the_whole_model_goes_on_a_card() {
    let refusal = |model: &str, gpu: &str| {
        let question = json!({"version": 1, "model": model, "framework": "trl", "hardware": {"gpu": gpu, "gpus": 8},
            "workload": {"kind": "grpo", "lora": {"rank": 16, "targets": "all-linear"},
                "rl": {"prompts_per_step": 8, "responses_per_prompt": 8, "max_prompt_length": 512, "max_response_length": 1024}},
            "plan": {"backend": "deepspeed", "zero_stage": 3}});
        estimate(&question_from_value(question).unwrap()).err().map(|error| error.field)
    };
    assert_eq!(refusal("qwen2.5-72b", "h100-sxm").as_deref(), Some("plan.zero_stage"));
    assert_eq!(refusal("qwen2.5-72b", "h200-sxm"), None);
    assert_eq!(refusal("qwen2.5-32b", "h100-sxm"), None);
}

fn serving(model: &str, gpu: &str, gpus: u64, rollout: Value) -> Value {
    json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"kind": "rollout", "rollout": {"requests": 2048, "mean_prompt_length": 1000,
            "mean_response_length": 2000}},
        "plan": {"rollout": rollout}})
}

/// miles's table says 151 MB for a sequence of Qwen3.8-27B; what SGLang's and vLLM's shapes give: 48 layers of 48 heads of 128 x 128
/// in fp32, and three inputs of each convolution.
#[test]
fn engines_keep_and_move_the_states_of_recurrent_layers() {
    let of = |id: &str, tensor| {
        let own = model::resolve_model(&id.into(), "model").unwrap();
        state_bytes_per_sequence(&own, &Blocks::of(&own.shape), tensor)
    };
    let state = of("qwen3.8-27b", 1);
    assert!((state / 151e6 - 1.0).abs() < 0.03, "{state}");
    assert_eq!(of("qwen3.8-27b", 4) * 4.0, state);
    assert_eq!(of("qwen3-8b", 1), 0.0);
    assert!(of("nemotron-3-nano-30b-a3b", 1) > 40e6);

    let asked = |id: &str| {
        let question =
            question_from_value(serving(id, "h100-sxm", 4, json!({"tensor_parallel": 4, "max_num_seqs": 8192})));
        let question = question.unwrap();
        let job = job::resolve(&question).unwrap();
        let plan = complete::complete(&job, &question.plan.unwrap()).unwrap().rollout.unwrap();
        let requests = Requests {
            count: 65536.0,
            prompt: 100.0,
            shared: 1.0,
            responses: Responses::new(100.0, 0.0, f64::MAX),
            agent: None,
        };
        let context = Context::new(&job);
        (generation(&context, &plan, 4, &requests).full.1.states.get(), room(&context, &plan, 4, &requests))
    };
    let (states, held) = asked("qwen3.8-27b");
    assert!(states > 0.0);
    assert!(held.concurrency * state / 4.0 <= held.cache.get(), "{held:?}");
    assert_eq!(asked("qwen3-32b").0, 0.0);
}

/// <https://github.com/sgl-project/sglang>, `python/sglang/srt/server_args.py`, `_handle_gpu_memory_settings`.
#[test]
fn sglang_chooses_its_share_of_the_card() {
    let share = |gpu: &str, rollout: Value| {
        let mut engine = json!({"engine": "sglang"});
        for (key, value) in rollout.as_object().unwrap() {
            engine[key] = value.clone();
        }
        let own = answer(serving("glm-4.5-air", gpu, 8, engine)).plan.rollout.unwrap();
        own.gpu_memory_utilization.unwrap()
    };
    let alone = json!({"tensor_parallel": 8, "max_num_seqs": 256});
    let ranks = json!({"tensor_parallel": 1, "data_parallel": 8, "max_num_seqs": 256});
    assert!(share("h200-sxm", ranks.clone()) < share("h200-sxm", alone.clone()) - 0.1);
    assert!(share("h200-sxm", alone.clone()) < 0.9);
    let mut stated = ranks;
    put(&mut stated, "gpu_memory_utilization", json!(0.85));
    assert_eq!(share("h200-sxm", stated), 0.85);
    let mut vllm = alone;
    put(&mut vllm, "engine", json!("vllm"));
    assert_eq!(share("h200-sxm", vllm), 0.9);
}
