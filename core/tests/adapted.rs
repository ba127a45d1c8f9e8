//! Adapters beside a frozen base: what each GPU keeps of the base, and whose experts have adapters.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use shardwise_core::context::Context;
use shardwise_core::model::ParameterCounts;
use shardwise_core::weights::{
    NF4_BYTES, RankWeights, Stage, States, adapter_states, rank_adapters, rank_weights, training_states,
};
use shardwise_core::wire::{Answer, put, question_from_value};
use shardwise_core::{catalog, complete, estimate, job};

use crate::questions::cases;

/// Bytes of weights over all GPUs of a question whose pipeline has two stages at most, and the least that they may be: none where
/// model or machine allow no such plan.
fn kept(question: &Value) -> Option<(f64, f64)> {
    let question = question_from_value(question.clone()).unwrap();
    let job = job::resolve(&question).ok()?;
    let plan = complete::complete(&job, &question.plan.clone().unwrap_or_default()).ok()?;
    let (context, layout) = (Context::new(&job), &plan.layout);
    let role = context.actor();
    let (gpus, quantized) = (job.gpus(), job.workload.quantized_base());
    let of = |stage: Stage| -> States {
        let rank = rank_weights(&role, layout, stage);
        if role.adapters > 0 {
            adapter_states(&role, &rank, layout, gpus, quantized)
        } else {
            training_states(&rank, layout, gpus)
        }
    };
    let stages = if layout.pipeline_parallel == 1 { vec![Stage::Last] } else { vec![Stage::First, Stage::Last] };
    let each = f64::from(gpus) / stages.len() as f64;
    let all: f64 = stages.into_iter().map(|stage| of(stage).parameters.get() * each).sum();
    let bytes = if quantized { NF4_BYTES } else { layout.weights_bytes.min(layout.master_weights_bytes) };
    Some((all, bytes * ParameterCounts::of(&job.model.shape).total as f64))
}

fn ids() -> impl Strategy<Value = &'static str> {
    select(catalog::models().iter().map(|model| model.id).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(cases(4000))]

    /// However a layout splits and shards, all GPUs together keep each weight at least once.
    #[test]
    fn all_gpus_together_keep_the_whole_base(
        model in ids(),
        kind in select(vec!["sft", "lora", "lora", "qlora"]),
        backend in select(vec!["fsdp", "fsdp", "megatron", "deepspeed", "ddp"]),
        gpus in select(vec![1_u64, 2, 4, 8, 16, 32, 64]),
        splits in prop::collection::vec(select(vec![1_u64, 1, 1, 2, 4, 8]), 5),
        stages in select(vec![1_u64, 1, 2]),
        zero in 0..4_u64,
    ) {
        let plan = json!({"backend": backend, "tensor_parallel": splits[0], "pipeline_parallel": stages,
            "context_parallel": splits[1], "ulysses_parallel": 1, "expert_parallel": splits[2],
            "expert_tensor_parallel": splits[3], "zero_stage": zero, "micro_batch": 1, "recompute": "full"});
        let question = json!({"version": 1, "model": model,
            "hardware": {"gpu": "h100-sxm", "gpus": gpus, "gpus_per_node": gpus.min(8)},
            "workload": {"kind": kind, "sequence_length": 2048, "global_batch": 64}, "plan": plan});
        if let Some((all, least)) = kept(&question) {
            // Biases and the last norm are not counted to a GPU.
            prop_assert!(all >= 0.99 * least, "{} of {}: {question}", all / 1e9, least / 1e9);
        }
    }
}

fn answer(question: Value) -> Answer {
    estimate(&question_from_value(question).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// Frozen experts are split over the ranks of an expert-parallel group first, and those of one part share that.
#[test]
fn experts_of_a_frozen_base_are_divided_once() {
    let asked = |ep: u64| {
        answer(json!({"version": 1, "model": "qwen3-30b-a3b", "framework": "axolotl",
            "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "lora", "sequence_length": 4096, "global_batch": 64},
            "plan": {"backend": "fsdp", "zero_stage": 3, "shard_group": 8, "expert_parallel": ep, "micro_batch": 1,
                "tensor_parallel": 1, "context_parallel": 1, "pipeline_parallel": 1, "recompute": "full"}}))
        .memory
        .parts
        .parameters
    };
    let floor = 30.5e9 * 2.0 / 8.0 / 1_073_741_824.0;
    for ep in [1, 4, 8] {
        let own = asked(ep);
        assert!(own >= floor, "{ep}: {own} GiB");
    }
}

/// Megatron-Bridge's verification card of gpt-oss-120b
/// (<https://github.com/NVIDIA-NeMo/Megatron-Bridge/blob/067f987df03b8355b03192d88d70f1709fedf51a/examples/model_verification_cards/gpt-oss-120b/card.yaml>):
/// LoRA of rank 32 on 8 H100 ran, as all experts of a rank share an adapter.
fn bridge() -> Value {
    json!({"version": 1, "model": "gpt-oss-120b", "framework": "megatron-bridge",
        "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "lora", "sequence_length": 2048, "packing": true, "global_batch": 690,
            "mean_sequence_length": 380, "sequence_length_cv": 0.8, "lora": {"rank": 32, "targets": "all-linear"}},
        "plan": {"backend": "megatron", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "expert_parallel": 8, "expert_tensor_parallel": 1, "virtual_pipeline": 1, "recompute": "none",
            "zero_stage": 1, "sequence_parallel": false, "max_tokens_per_gpu": 2048, "apply_rope_fusion": false}})
}

#[test]
fn experts_that_share_an_adapter_fit_as_they_ran() {
    let shared = answer(bridge());
    assert!(shared.fits && shared.fit.probability > 0.95, "{:?}", shared.fit);
    let mut each = bridge();
    put(&mut each, "framework", json!("ms-swift"));
    let each = answer(each);
    assert!(each.memory.parts.gradients > 5.0 * shared.memory.parts.gradients, "{:?}", each.memory.parts);
}

/// Adapter weights of one GPU: those without experts, and theirs.
fn on_one_gpu(changes: &[(&str, Value)]) -> RankWeights {
    let mut question = json!({"version": 1, "model": "gpt-oss-20b", "framework": "unsloth",
        "hardware": {"gpu": "h100-sxm", "gpus": 1},
        "workload": {"kind": "lora", "sequence_length": 1024, "global_batch": 8, "lora": {"rank": 8}},
        "plan": {"backend": "ddp", "micro_batch": 1, "recompute": "full"}});
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    let question = question_from_value(question).unwrap();
    let job = job::resolve(&question).unwrap();
    let plan = complete::complete(&job, &question.plan.clone().unwrap()).unwrap();
    rank_adapters(&Context::new(&job).actor(), &plan.layout)
}

/// "Trainable parameters" in the outputs of Unsloth's notebooks of gpt-oss
/// (<https://github.com/unslothai/notebooks/blob/bdda2efc7ad5ae129ea63cd2065d23c391406283/nb/AMD-gpt-oss-(20B)-Fine-tuning.ipynb>, and `-(120B)_A100-`), which name the
/// projections of attention and of MLPs: there are none of the latter but experts.
#[test]
fn adapters_do_not_reach_experts_in_one_tensor() {
    let small = on_one_gpu(&[]);
    assert_eq!((small.dense, small.experts), (3_981_312.0, 0.0));
    let large = on_one_gpu(&[("model", json!("gpt-oss-120b")), ("workload.lora.rank", json!(16))]);
    assert_eq!((large.dense, large.experts), (11_943_936.0, 0.0));
    let mixtral = on_one_gpu(&[("model", json!("mixtral-8x7b")), ("framework", json!("trl"))]);
    assert!(mixtral.experts > mixtral.dense);
}

#[test]
fn each_rank_has_the_adapters_of_its_experts() {
    let asked = |framework: &str, ep: u64| {
        on_one_gpu(&[
            ("model", json!("qwen3-30b-a3b")),
            ("framework", json!(framework)),
            ("hardware.gpus", json!(8)),
            ("plan", json!({"backend": "megatron", "expert_parallel": ep, "micro_batch": 1, "recompute": "full"})),
        ])
        .experts
    };
    assert_eq!(asked("ms-swift", 8) * 8.0, asked("ms-swift", 1));
    // 48 layers of 128 experts: one adapter for each layer, whatever a rank has of them.
    assert_eq!(asked("megatron-bridge", 1) * 128.0, asked("ms-swift", 1));
    assert_eq!(asked("megatron-bridge", 8), asked("megatron-bridge", 1));
}

/// <https://github.com/MakazhanAlpamys/Soup/issues/78>: Llama 3.1 8B by TRL on one H100 without recomputation, 70.99 GiB with its own
/// loss, 61.81 with Liger's.
#[test]
fn peft_adapters_keep_copies_of_what_enters_their_matrices() {
    let peak = |framework: &str, backend: &str, fused: bool| {
        let stage = if backend == "fsdp" { 3 } else { 0 };
        let question = json!({"version": 1, "model": "llama-3.1-8b", "framework": framework,
            "hardware": {"gpu": "h100-sxm", "gpus": 1},
            "workload": {"kind": "lora", "sequence_length": 1024, "packing": false, "global_batch": 4, "precision": "bf16",
                "lora": {"rank": 16, "targets": "all-linear"}},
            "plan": {"backend": backend, "zero_stage": stage, "micro_batch": 4, "recompute": "none", "attention_kernel": "sdpa",
                "fused_lm_head": fused, "offload": {"parameters": false, "gradients": false, "optimizer": false,
                "activations": false}}});
        let answer = estimate(&question_from_value(question).unwrap()).unwrap_or_else(|error| panic!("{error}"));
        answer.memory.peak_gib
    };
    for (fused, measured) in [(false, 70.99), (true, 61.81)] {
        let own = peak("trl", "ddp", fused);
        assert!((own / measured - 1.0).abs() < 0.12, "{fused}: {own} of {measured} GiB");
    }
    // Others than PEFT's read their input as it is, and who shards nothing saves nothing by it.
    let plain = peak("trl", "ddp", true);
    assert!(plain - peak("axolotl", "ddp", true) > 10.0 && peak("trl", "fsdp", true) > 0.9 * plain);
}
