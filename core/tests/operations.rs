//! Operations that MFU and HFU count: of adapters over frozen weights, and of what is computed again.

use serde_json::{Value, json};
use shardwise_core::wire::{Answer, question_from_value};
use shardwise_core::{estimate, flops, model};

fn close(found: f64, wanted: f64, within: f64) {
    let off = found / wanted - 1.0;
    assert!(off.abs() <= within, "{found} in place of {wanted}");
}

/// Sequences of 4,096 tokens on 8 GPUs.
fn answer(model: &str, gpu: &str, workload: &Value, plan: &Value) -> Answer {
    let mut question = json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": 8},
        "workload": {"sequence_length": 4096, "global_batch": 64}, "plan": {"backend": "fsdp", "tensor_parallel": 1,
            "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 1, "recompute": "none"}});
    for (key, own) in [("workload", workload), ("plan", plan)] {
        for (field, value) in own.as_object().unwrap() {
            question[key][field] = value.clone();
        }
    }
    estimate(&question_from_value(question).unwrap()).unwrap()
}

/// Operations per token that an answer's MFU, or HFU, means.
fn per_token(answer: &Answer, share: f64, peak_tflops: f64) -> f64 {
    share * peak_tflops * 1e12 / answer.tokens_per_s_per_gpu
}

/// Llama 3.1 8B by its `config.json`: hidden 4096, 32 layers, 32 heads of 128, 8 of keys and values, MLP 14336,
/// vocabulary 128256.
const ATTENTION: f64 = 4096.0 * (2.0 * 4096.0 + 2.0 * 1024.0);
const MLP: f64 = 3.0 * 4096.0 * 14336.0;
const HEAD: f64 = 4096.0 * 128_256.0;
/// Scores and weighted sums over half of 4,096 keys, forward, in all layers.
const SCORES: f64 = 32.0 * 2.0 * 2048.0 * 2.0 * 4096.0;

#[test]
fn frozen_weights_count_four_operations() {
    let peak = 148.0;
    for kind in ["lora", "qlora"] {
        for micro_batch in [1, 4, 8] {
            let answer = answer(
                "llama-3.1-8b",
                "h20",
                &json!({"kind": kind, "lora": {"rank": 16}}),
                &json!({"micro_batch": micro_batch}),
            );
            assert!(answer.mfu < 1.0 && answer.hfu < 1.0, "{}", answer.mfu);
            // PEFT's count for rank 16 on every linear layer: 41,943,040.
            let weights = 32.0 * (ATTENTION + MLP) + HEAD;
            let all = 4.0 * weights + 6.0 * 41_943_040.0 + 3.0 * SCORES;
            close(per_token(&answer, answer.mfu, peak), all, 1e-3);
            assert!(!answer.caveats.iter().any(|own| own.id == "adapter-mfu"));
        }
    }
}

#[test]
fn only_adapters_of_visited_experts_count() {
    let mixtral = model::resolve_model(&"mixtral-8x7b".into(), "model").unwrap();
    let (shape, targets) = (&mixtral.shape, Default::default());
    let all = model::ParameterCounts::lora(shape, 16, targets);
    let visited = model::ParameterCounts::visited_lora(shape, 16, targets);
    // Two of eight experts, each with three matrices of 4096 and 14336.
    let expert = 16 * 3 * (4096 + 14336) * 32;
    assert_eq!(all - visited, 6 * expert);
    let dense = model::resolve_model(&"llama-3.1-8b".into(), "model").unwrap();
    assert_eq!(
        model::ParameterCounts::lora(&dense.shape, 16, targets),
        model::ParameterCounts::visited_lora(&dense.shape, 16, targets)
    );
}

#[test]
fn rl_steps_with_adapters_count_them() {
    let step = |lora: Option<u64>| {
        let mut question = json!({"version": 1, "model": "llama-3.1-8b", "hardware": {"gpu": "h20", "gpus": 8},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 64, "max_prompt_length": 1024,
                "max_response_length": 3072, "mean_prompt_length": 300, "mean_response_length": 1000}},
            "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
                "micro_batch": 1, "recompute": "full", "rollout": {"tensor_parallel": 1}}});
        if let Some(rank) = lora {
            question["workload"]["lora"] = json!({"rank": rank});
        }
        estimate(&question_from_value(question).unwrap()).unwrap()
    };
    let (all, adapters) = (step(None), step(Some(16)));
    let of = |answer: &Answer| per_token(answer, answer.mfu, 148.0);
    let llama = model::resolve_model(&"llama-3.1-8b".into(), "model").unwrap();
    close(of(&all), flops::training_per_token(&llama, 1300.0).get(), 1e-9);
    let frozen = flops::adapted_per_token(&llama, 1300.0, 41_943_040).get();
    close(of(&adapters), frozen, 1e-9);
    // The forward pass once more, without the LM head, on 4 of 6: more than a third.
    close(all.hfu / all.mfu, 1.0 + (1.0 - 0.07) / 3.0, 0.01);
    close(adapters.hfu / adapters.mfu, 1.0 + (1.0 - 0.07) / 2.0, 0.02);
}

/// Operations per token that are computed again.
fn again(model: &str, plan: &Value) -> f64 {
    let answer = answer(model, "h100-sxm", &json!({"kind": "sft"}), plan);
    per_token(&answer, answer.hfu - answer.mfu, 989.4)
}

#[test]
fn each_module_counts_what_it_multiplies_again() {
    let megatron =
        |modules: Value| json!({"backend": "megatron", "recompute": {"granularity": "selective", "modules": modules}});
    let llama = |plan: &Value| again("llama-3.1-8b", plan);
    close(llama(&megatron(json!(["core_attn"]))), SCORES, 1e-3);
    close(llama(&megatron(json!(["mlp"]))), 32.0 * 2.0 * MLP, 1e-3);
    close(llama(&megatron(json!(["mlp", "core_attn"]))), 32.0 * 2.0 * MLP + SCORES, 1e-3);
    assert_eq!(llama(&megatron(json!(["layernorm"]))), 0.0);
    assert_eq!(llama(&json!({"recompute": "none"})), 0.0);
    let layers = 32.0 * 2.0 * (ATTENTION + MLP) + SCORES;
    close(llama(&json!({"recompute": "full"})), layers, 1e-3);
    close(llama(&json!({"fused_lm_head": true})), 2.0 * HEAD, 1e-3);
    // Per operator, every second product of a block: of keys, output, and one into the MLP.
    let second = 32.0 * 2.0 * (4096.0 * (1024.0 + 4096.0) + MLP / 3.0);
    close(llama(&json!({"recompute": "selective"})), second, 0.1);
}

/// DeepSeek-V3 by its `config.json`: hidden 7168, 61 layers of which 3 dense, 8 of 256 experts of 2048 and a shared one,
/// 128 heads; queries from 1536, keys and values from 512 latents.
#[test]
fn modules_of_experts_and_latents() {
    let deepseek = |modules: Value| {
        let recompute = json!({"granularity": "selective", "modules": modules});
        again("deepseek-v3", &json!({"backend": "megatron", "expert_parallel": 8, "recompute": recompute}))
    };
    let expert = 3.0 * 7168.0 * 2048.0;
    let experts = 58.0 * 2.0 * (9.0 * expert + 7168.0 * 256.0);
    close(deepseek(json!(["moe"])), experts, 1e-3);
    close(deepseek(json!(["moe", "shared_experts"])), experts, 1e-3);
    close(deepseek(json!(["shared_experts"])), 58.0 * 2.0 * expert, 1e-3);
    assert_eq!(deepseek(json!(["moe_act"])), 0.0);
    let dense = 3.0 * 2.0 * 3.0 * 7168.0 * 18432.0;
    close(deepseek(json!(["mlp"])), dense, 1e-3);
    let up = 61.0 * 2.0 * (1536.0 * 128.0 * 192.0 + 512.0 * 128.0 * 256.0);
    close(deepseek(json!(["mla_up_proj"])), up, 1e-3);
}

/// What saves memory takes time: shared experts too.
#[test]
fn recomputed_shared_experts_take_time() {
    let deepseek = |modules: Value| {
        let recompute = json!({"granularity": "selective", "modules": modules});
        answer(
            "deepseek-v3",
            "h100-sxm",
            &json!({"kind": "sft"}),
            &json!({"backend": "megatron", "expert_parallel": 8, "recompute": recompute}),
        )
    };
    let (norms, shared) = (deepseek(json!(["layernorm"])), deepseek(json!(["layernorm", "shared_experts"])));
    assert!(shared.memory.parts.activations < norms.memory.parts.activations);
    assert!(shared.time.parts.recompute > norms.time.parts.recompute);
    // All of the experts' layer holds them already.
    let moe = |modules: Value| deepseek(modules).time.parts.recompute;
    assert_eq!(moe(json!(["moe"])), moe(json!(["moe", "shared_experts"])));
}
