//! `DeepSpeed`'s configurations, the lines that launch them, and LLMForge's YAML.

use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::read::{Framework, Reading, read};
use shardwise_core::wire::question_from_value;

use super::{field, reading};

#[test]
fn deepspeed_with_and_without_its_launch_line() {
    let config = r#"{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
        "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}, "stage3_prefetch_bucket_size": "auto"},
        "amp": {"enabled": false}, "zero_optimisation": {"stage": 2}}"#;
    let line = "deepspeed --num_nodes 2 --num_gpus 8 train.py --deepspeed ds_config.json --per_device_train_batch_size 2 \
                --gradient_accumulation_steps=4 --model_name_or_path meta-llama/Llama-2-7b-hf --max_seq_length 4096 --gradient_checkpointing";
    let both = read(&[config, line], None).unwrap();
    for (path, expected) in [
        ("model", json!("llama-2-7b")),
        ("hardware.gpus", json!(16)),
        ("workload.global_batch", json!(128)),
        ("workload.sequence_length", json!(4096)),
        ("plan.zero_stage", json!(3)),
        ("plan.micro_batch", json!(2)),
        ("plan.offload.optimizer", json!(true)),
        ("plan.recompute", json!("full")),
    ] {
        assert_eq!(field(&both, path), expected, "{path}");
    }
    assert!(both.refused.iter().any(|one| one.key == "amp" && one.why.contains("Removed")));
    assert!(
        both.unknown
            .iter()
            .any(|one| one.key == "zero_optimisation.stage" && one.hint.contains("zero_optimization.stage"))
    );
    // Alone, the batch says how many GPUs there are, and the base which model.
    let base = question_from_value(
        json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "l40s"}, "workload": {"kind": "sft"}}),
    )
    .unwrap();
    let alone = read(&[r#"{"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 4, "fp16": {"enabled": true}}"#], Some(&base)).unwrap();
    assert_eq!(field(&alone, "hardware.gpus"), json!(4));
    assert_eq!(field(&alone, "hardware.gpu"), json!("l40s"));
    assert_eq!(field(&alone, "workload.precision"), json!("fp16"));
    let heredoc = format!("cat > ds.json <<EOF\n{config}\nEOF\n{line}\n");
    assert_eq!(reading(&heredoc).question, both.question);
}

#[test]
fn the_trainer_fills_auto_whoever_launches_it() {
    let config = r#"{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
        "bf16": {"enabled": "auto"}, "scheduler": null,
        "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto"}},
        "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto", "overlap_comm": true}}"#;
    let arguments = "--per_device_train_batch_size 2 --gradient_accumulation_steps 4 --bf16 True --max_length 2048 \
        --model_name_or_path Qwen/Qwen3-8B --gradient_checkpointing";
    for launcher in [
        "deepspeed --num_gpus 8 train.py --deepspeed ds.json",
        "deepspeed --include localhost:0,1,2,3,4,5,6,7 train.py --deepspeed ds.json",
        "torchrun --nproc_per_node 8 train.py",
        "torchrun --nproc-per-node=8 train.py --deepspeed ds.json",
        "accelerate launch --num_processes 8 --use_deepspeed train.py",
        "accelerate launch --num_machines 2 --num_processes 8 train.py",
    ] {
        let line = format!("{launcher} {arguments}");
        let reading = read(&[config, &line], None).unwrap();
        assert_eq!(reading.framework, Framework::Deepspeed, "{launcher}");
        for (path, expected) in [
            ("model", json!("qwen3-8b")),
            ("hardware.gpus", json!(8)),
            ("workload.global_batch", json!(64)),
            ("workload.precision", json!("bf16")),
            ("plan.micro_batch", json!(2)),
            ("plan.zero_stage", json!(2)),
            ("plan.backend", json!("deepspeed")),
        ] {
            assert_eq!(field(&reading, path), expected, "{launcher}: {path}");
        }
        assert!(reading.refused.is_empty(), "{launcher}: {:?}", reading.refused);
        assert!(reading.unknown.is_empty(), "{launcher}: {:?}", reading.unknown);
    }
    // Arguments that are not stated have the Trainer's defaults.
    let line = "deepspeed --num_gpus 4 train.py --deepspeed ds.json --per_device_train_batch_size";
    let reading = read(
        &[config, &line.replace(" --per_device_train_batch_size", " --bf16 --per-device-train-batch-size 8")],
        None,
    )
    .unwrap();
    assert_eq!(field(&reading, "workload.global_batch"), json!(32));
    // Without a configuration and without --deepspeed nothing is sharded.
    let alone = reading_of("torchrun --nproc_per_node 4 train.py", arguments);
    assert_eq!(field(&alone, "plan.backend"), json!("ddp"));
    assert_eq!(field(&alone, "workload.global_batch"), json!(32));
    let named = reading_of("deepspeed --num_gpus 4 train.py --deepspeed configs/zero_2.json", arguments);
    assert_eq!(field(&named, "plan.zero_stage"), json!(2));
    assert!(named.assumed.iter().any(|one| one.field == "plan.zero_stage"));
}

fn reading_of(launcher: &str, arguments: &str) -> Reading {
    reading(&format!("{launcher} {arguments}"))
}

#[test]
fn a_plain_configuration_shows_that_its_script_recomputes() {
    let config = r#"{"train_batch_size": 8, "activation_checkpointing": {"partition_activations": false}}"#;
    let alone = reading(config);
    assert_eq!(field(&alone, "plan.recompute"), json!("full"));
    assert!(alone.assumed.iter().any(|one| one.field == "plan.recompute"));
    let line = "deepspeed --num_gpus 8 train.py --deepspeed --gradient_checkpointing False";
    let both = read(&[config, line], None).unwrap();
    assert_eq!(field(&both, "plan.recompute"), json!("none"));
}

#[test]
fn auto_that_nobody_fills_is_refused() {
    let config = r#"{"train_batch_size": 8, "zero_optimization": {"stage": "auto", "stage3_max_live_parameters": "auto", "stage3_prefetch_bucket_size": "auto"}}"#;
    let found = read(&[config], None).unwrap();
    let keys: Vec<&str> = found.refused.iter().map(|one| one.key.as_str()).collect();
    assert!(keys.contains(&"zero_optimization.stage"), "{keys:?}");
    assert!(keys.contains(&"zero_optimization.stage3_max_live_parameters"), "{keys:?}");
    assert!(!keys.contains(&"zero_optimization.stage3_prefetch_bucket_size"), "{keys:?}");
}

#[test]
fn deepspeed_on_drives_and_zero_plus() {
    let config = |stage: u64, rest: &str| {
        format!(
            r#"{{"train_batch_size": 16, "train_micro_batch_size_per_gpu": 1, "bf16": {{"enabled": true}},
                "aio": {{"queue_depth": 32, "thread_count": 1}},
                "zero_optimization": {{"stage": {stage}, {rest}}}}}"#
        )
    };
    let drives = r#""offload_optimizer": {"device": "nvme", "nvme_path": "/nvme", "buffer_count": 5},
        "offload_param": {"device": "nvme", "nvme_path": "/nvme", "buffer_size": 1e8, "max_in_cpu": 1e9}"#;
    let stored = reading(&config(3, drives));
    assert_eq!(field(&stored, "plan.nvme_offload"), json!(true));
    assert_eq!(field(&stored, "plan.offload.parameters"), json!(true));
    assert!(stored.unknown.is_empty(), "{:?}", stored.unknown);
    let refused: Vec<&str> = stored.refused.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(refused, ["aio.thread_count", "model"]);
    let fewer = reading(&config(2, r#""offload_optimizer": {"device": "nvme", "nvme_path": "/nvme"}"#));
    assert_eq!(field(&fewer, "plan.nvme_offload"), Value::Null);
    assert!(fewer.refused.iter().any(|one| one.why.contains("nothing on NVMe")));
    let nowhere = reading(&config(3, r#""offload_optimizer": {"device": "nvme"}"#));
    assert!(nowhere.refused.iter().any(|one| one.key.ends_with("nvme_path")));
    let plus = r#""zero_hpz_partition_size": 8, "zero_quantized_weights": true, "zero_quantized_gradients": true"#;
    let quantized = reading(&config(3, plus));
    for (path, expected) in [
        ("hardware.gpus", json!(16)),
        ("plan.zero_hpz_partition_size", json!(8)),
        ("plan.zero_quantized_weights", json!(true)),
        ("plan.zero_quantized_gradients", json!(true)),
    ] {
        assert_eq!(field(&quantized, path), expected, "{path}");
    }
    let ignored = reading(&config(2, plus));
    assert_eq!(field(&ignored, "plan.zero_quantized_weights"), Value::Null);
    let unread = ignored.refused.iter().filter(|one| one.why.contains("does not read it"));
    assert_eq!(unread.count(), 3);
}

#[test]
fn a_removed_section_is_said_once() {
    let config = r#"{"train_batch_size": 8, "compression_training": {"weight_quantization": {"shared_parameters": {"enabled": true, "rounding": "nearest"}}}}"#;
    let found = reading(config);
    let keys: Vec<&str> = found.refused.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys, ["compression_training", "model"]);
}

/// A configuration of its templates' keys.
const LLMFORGE: &str = "model_id: meta-llama/Meta-Llama-3-8B-Instruct
train_path: s3://bucket/train.jsonl
context_length: 512
num_devices: 16
num_epochs: 10
train_batch_size_per_device: 16
eval_batch_size_per_device: 16
learning_rate: 1e-4
padding: \"longest\"
deepspeed:
  config_path: deepspeed_configs/zero_3_offload_optim+param.json
worker_resources:
  accelerator_type:A10G: 0.001
trainer_resources:
  memory: 53687091200 # 50 GB
lora_config:
  r: 8
  lora_alpha: 16
  lora_dropout: 0.05
  target_modules:
    - q_proj
    - v_proj
    - k_proj
    - o_proj
    - gate_proj
    - up_proj
    - down_proj
    - embed_tokens
    - lm_head
  task_type: \"CAUSAL_LM\"
  modules_to_save: []
  bias: \"none\"
  fan_in_fan_out: false
  init_lora_weights: true
";

#[test]
fn llmforge_yaml() {
    let found = reading(LLMFORGE);
    assert_eq!(found.framework, Framework::Llmforge);
    for (path, expected) in [
        ("model", json!("llama-3-8b")),
        ("hardware.gpu", json!("a10g")),
        ("hardware.gpus", json!(16)),
        ("workload.kind", json!("lora")),
        ("workload.lora", json!({"rank": 8, "targets": "all-linear"})),
        ("workload.sequence_length", json!(512)),
        ("workload.global_batch", json!(256)),
        ("workload.packing", json!(false)),
        ("plan.micro_batch", json!(16)),
        ("plan.zero_stage", json!(3)),
        ("plan.recompute", json!("full")),
        ("plan.offload", json!({"parameters": true, "gradients": true, "optimizer": true, "activations": false})),
    ] {
        assert_eq!(field(&found, path), expected, "{path}");
    }
    assert!(found.unknown.is_empty() && found.refused.is_empty(), "{:?} {:?}", found.unknown, found.refused);
    assert!(estimate(&found.question).is_ok());
    // The configuration that it names, where that is there too.
    let config = r#"{"bf16": {"enabled": true}, "train_batch_size": "auto", "zero_optimization": {"stage": 2}}"#;
    let both = read(&[LLMFORGE, config], None).unwrap();
    assert_eq!(field(&both, "plan.zero_stage"), json!(2));
    assert_eq!(field(&both, "plan.offload.parameters"), json!(false));
    let hpz = LLMFORGE.replace("zero_3_offload_optim+param", "zero_3_hpz");
    assert_eq!(field(&reading(&hpz), "plan.zero_hpz_partition_size"), json!(8));
    let other = reading(&LLMFORGE.replace("zero_3_offload_optim+param", "mine"));
    assert!(other.assumed.iter().any(|one| one.field == "plan.zero_stage"));
    for (old, new, path, expected) in [
        ("accelerator_type:A10G: 0.001", "g5.48xlarge: 1", "hardware.gpus_per_node", json!(8)),
        (
            "accelerator_type:A10G: 0.001",
            "anyscale/accelerator_shape:4xA10G: 0.001",
            "hardware.gpus_per_node",
            json!(4),
        ),
        ("accelerator_type:A10G: 0.001", "accelerator_type:A100-80G: 0.001", "hardware.gpu", json!("a100-sxm-80g")),
        ("num_epochs: 10", "gradient_checkpointing: False", "plan.recompute", json!("none")),
        ("num_epochs: 10", "gradient_accumulation_steps: 2", "workload.global_batch", json!(512)),
        ("longest", "max_length", "workload.mean_sequence_length", json!(512.0)),
    ] {
        let changed = reading(&LLMFORGE.replace(old, new));
        assert_eq!(field(&changed, path), expected, "{new}");
        assert!(changed.unknown.is_empty(), "{:?}", changed.unknown);
    }
    let old = reading(&LLMFORGE.replace("num_epochs: 10", "no_gradient_checkpoint: True"));
    assert_eq!(field(&old, "plan.recompute"), json!("none"));
    assert!(old.refused.iter().any(|one| one.why.contains("Renamed")));
    let unknown = reading(&LLMFORGE.replace("accelerator_type:A10G", "accelerator_type:B200"));
    assert!(unknown.refused.iter().any(|one| one.why.contains("B200")));
    let typo = reading(&LLMFORGE.replace("num_epochs", "num_epoch"));
    assert!(
        typo.unknown
            .iter()
            .any(|one| one.key == "num_epoch" && one.hint.contains("num_epochs"))
    );
    let preferences = reading(&format!("{LLMFORGE}task: preference_tuning\npreference_tuning_config:\n  beta: 0.01\n"));
    assert!(
        preferences
            .not_modelled
            .iter()
            .any(|one| one.key == "preference_tuning_config.beta")
    );
}

#[test]
fn no_stage_and_no_adapters_are_values() {
    let found = super::reading(
        "deepspeed --num_gpus 8 main.py --model_name_or_path meta-llama/Llama-2-7b-hf --zero_stage 0 --lora_dim 0 --max_seq_len 512",
    );
    assert!(found.refused.is_empty(), "{:?}", found.refused);
    assert_eq!(super::field(&found, "plan.zero_stage"), serde_json::json!(0));
    assert_eq!(super::field(&found, "workload.lora"), serde_json::Value::Null);
}
