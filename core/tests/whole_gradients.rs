//! What FSDP holds whole for longer than a block's pass: gathered weights, gradients that wait for a step's last micro-batch, and the
//! fp32 copies of experts' outputs.

use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::wire::{Answer, FitState, put, question_from_value};

const GIB: f64 = 1_073_741_824.0;

fn answer(question: &Value) -> Answer {
    estimate(&question_from_value(question.clone()).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

fn with(question: &Value, changes: &[(&str, Value)]) -> Answer {
    let mut question = question.clone();
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    answer(&question)
}

/// <https://github.com/pytorch/torchtitan/pull/2107>: DeepSeek-V3 in 8 stages over 512 H100, 56.75 GiB reserved.
fn staged() -> Value {
    json!({"version": 1, "model": "deepseek-v3", "hardware": {"gpu": "h100-sxm", "gpus": 512, "gpus_per_node": 8},
        "workload": {"kind": "pretrain", "sequence_length": 4096, "global_batch": 1024, "packing": true},
        "plan": {"backend": "fsdp", "zero_stage": 2, "tensor_parallel": 1, "pipeline_parallel": 8, "virtual_pipeline": 2,
            "context_parallel": 1, "ulysses_parallel": 1, "expert_parallel": 32, "micro_batch": 1, "recompute": "full",
            "fused_lm_head": false, "fused_loss": true, "moe_token_dispatcher": "deepep",
            "offload": {"parameters": false, "gradients": false, "optimizer": false, "activations": false}}})
}

#[test]
fn a_pipelines_gradients_wait_whole_for_the_last_micro_batch() {
    let peak = answer(&staged()).memory.peak_gib;
    assert!((52.0..60.0).contains(&peak), "{peak}");
    // One round of micro-batches: a chunk's are reduced before the next chunk has its first.
    let once = with(&staged(), &[("workload.global_batch", json!(15 * 64))])
        .memory
        .parts
        .gradients;
    let rounds = with(&staged(), &[("workload.global_batch", json!(16 * 64))])
        .memory
        .parts
        .gradients;
    assert!(once < 0.8 * rounds, "{once} {rounds}");
}

/// <https://github.com/NVIDIA-NeMo/Automodel/pull/2673>: "~70GB of model states" a GPU, of which 18 are sharded, and out of memory.
#[test]
fn llama_70b_in_eight_stages_runs_out() {
    let stage = json!({"version": 1, "model": "llama-3.3-70b", "hardware": {"gpu": "h100-sxm", "gpus": 32, "gpus_per_node": 8},
        "workload": {"kind": "sft", "sequence_length": 1024, "global_batch": 256, "packing": true},
        "plan": {"backend": "fsdp", "zero_stage": 2, "tensor_parallel": 1, "pipeline_parallel": 8, "virtual_pipeline": 2,
            "context_parallel": 1, "ulysses_parallel": 1, "micro_batch": 1, "recompute": "full", "master_weights_bytes": 2,
            "gradient_bytes": 2, "optimizer_bytes": 4, "fused_lm_head": false, "fused_loss": false}});
    let own = answer(&stage);
    let parts = own.memory.parts;
    let states = parts.parameters + parts.gradients + parts.optimizer;
    assert!((states * GIB / 1e9 - 72.0).abs() < 4.0, "{states} GiB");
    assert!(!matches!(own.fit.state, FitState::Fits | FitState::Tight), "{:?}", own.fit);
    // Weights that stay gathered are beside the shards: all in the 16 bits of products, and a share of all that is updated.
    let master = with(&stage, &[("plan.master_weights_bytes", json!(4))]).memory.parts.parameters;
    let shards = 9.6e9 * 2.0 / 4.0 / GIB;
    assert!((master - parts.parameters - shards).abs() < 0.1 * shards, "{master} {}", parts.parameters);
}

/// Fine-tuning of all weights in 16 micro-batches on 8 GPUs.
fn accumulated(framework: &str) -> Value {
    json!({"version": 1, "model": "qwen3-8b", "framework": framework, "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 2048, "global_batch": 128},
        "plan": {"backend": "fsdp", "zero_stage": 3, "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 1, "recompute": "full"}})
}

#[test]
fn who_reduces_once_a_step_keeps_gradients_whole() {
    let gradients = |question: &Value, batch: u64| {
        with(question, &[("workload.global_batch", json!(batch))])
            .memory
            .parts
            .gradients
    };
    let weights = 8.19e9 / GIB;
    let deferred = |framework: &str, own: &Value, bytes: f64| {
        let most = gradients(own, 128);
        assert!((most / (bytes * weights) - 1.0).abs() < 0.05, "{framework}: {most}");
        assert!(gradients(own, 8) < 0.3 * most, "{framework}");
    };
    let reduced = |own: &Value| {
        let share = gradients(own, 128);
        assert!((share / (4.0 * weights / 8.0) - 1.0).abs() < 0.05, "{share}");
    };
    for framework in ["trl", "axolotl", "llamafactory", "ms-swift"] {
        let mut own = accumulated(framework);
        deferred(framework, &own, 2.0);
        put(&mut own, "plan.sync_each_batch", json!(true));
        reduced(&own);
    }
    // veRL's configuration has it off.
    let mut verl = accumulated("verl");
    reduced(&verl);
    put(&mut verl, "plan.sync_each_batch", json!(false));
    deferred("verl", &verl, 4.0);
    reduced(&accumulated("torchtitan"));
    // Adapters' are few.
    let adapted = with(&accumulated("trl"), &[("workload.kind", json!("lora"))]);
    assert!(adapted.memory.parts.gradients < 1.0);
}

/// Between nodes by Ethernet, sixteen times as much is sent where each micro-batch's gradients are.
#[test]
fn what_is_reduced_once_is_sent_once() {
    let mut question = accumulated("trl");
    put(&mut question, "hardware", json!({"gpu": "h100-sxm", "gpus": 16, "internode_gbit_per_s_per_gpu": 12.5}));
    put(&mut question, "workload.global_batch", json!(256));
    let seconds = |each: bool| {
        let own = with(&question, &[("plan.sync_each_batch", json!(each))]);
        own.time.parts.data_parallel
    };
    let (once, each) = (seconds(false), seconds(true));
    assert!(once < 0.8 * each, "{once} {each}");
    // One micro-batch is the last.
    put(&mut question, "workload.global_batch", json!(16));
    let seconds = |each: bool| {
        with(&question, &[("plan.sync_each_batch", json!(each))])
            .time
            .parts
            .data_parallel
    };
    assert!((seconds(false) / seconds(true) - 1.0).abs() < 1e-12);
}

/// A plan that is proposed is of a framework that runs it, which has to hold its gradients: the text says so where it would wait.
#[test]
fn a_plan_that_is_looked_for_holds_what_its_framework_keeps() {
    for (model, gpu, gpus) in
        [("qwen3-30b-a3b", "h100-sxm", 16), ("qwen3-4b", "rtx-4090", 8), ("llama-3.1-8b", "l40s", 8)]
    {
        let question = json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
            "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 128}});
        let open = answer(&question);
        let id = open.framework.as_ref().map(|own| own.id).unwrap();
        let plan = serde_json::to_value(&open.plan).unwrap();
        let asked = with(&question, &[("framework", json!(id)), ("plan", plan)]);
        assert!(open.fits && asked.fits, "{model} by {id}: {:?}", asked.fit);
    }
}

/// Full fine-tuning of Qwen3-30B-A3B on 8 H100 fits with gradients that each micro-batch reduces, and 61 GB more would not: by whoever
/// trains so it needs no host memory.
#[test]
fn experts_train_on_eight_cards_with_reduced_gradients() {
    let question = json!({"version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 128}});
    for framework in [Value::Null, json!("axolotl")] {
        let own = with(&question, &[("framework", framework.clone())]);
        assert!(own.fits && !own.plan.offload.unwrap().optimizer, "{framework}: {:?}", own.fit);
    }
}

/// <https://github.com/pytorch/torchtitan/pull/1993>: eight B200, nothing recomputed. Four sequences of 6,144 tokens take 88 % of the card,
/// and four of 8,192 run out.
#[test]
fn experts_outputs_are_kept_in_fp32_where_they_are_weighed_after() {
    let kept = |length: u64| {
        answer(&json!({"version": 1, "model": "deepseek-v2-lite", "hardware": {"gpu": "b200-sxm", "gpus": 8},
            "workload": {"kind": "pretrain", "sequence_length": length, "global_batch": 32, "packing": true},
            "plan": {"backend": "fsdp", "zero_stage": 3, "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
                "ulysses_parallel": 1, "expert_parallel": 1, "micro_batch": 4, "recompute": "none", "fused_loss": true,
                "fused_lm_head": false, "attention_kernel": "sdpa",
                "offload": {"parameters": false, "gradients": false, "optimizer": false, "activations": false}}}))
    };
    let (ran, out) = (kept(6144), kept(8192));
    assert!((ran.memory.peak_gib / 156.9 - 1.0).abs() < 0.08 && ran.fits, "{}", ran.memory.peak_gib);
    assert!(!out.fits && out.fit.probability < 0.3, "{:?}", out.fit);
}
