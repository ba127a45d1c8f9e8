//! Spellings of the frameworks: the guides' own lines, older names, each kind of file.

use serde_json::{Value, json};
use shardwise_core::read::{Framework, read};
use shardwise_core::wire::question_from_value;
use shardwise_core::{estimate, read::Reading};

use super::{field, reading};

#[test]
fn the_guides_lines_of_dynamic_batching() {
    let reading = reading(
        "actor_rollout_ref.actor.use_dynamic_bsz=True \\\nactor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384 \\\n",
    );
    assert_eq!(reading.framework, Framework::Verl);
    assert_eq!(field(&reading, "plan.max_tokens_per_gpu"), json!(16384));
    assert_eq!(field(&reading, "plan.micro_batch"), Value::Null);
    assert_eq!(reading.understood.len(), 2);
    assert!(reading.unknown.is_empty());
}

#[test]
fn a_few_lines_change_the_question_that_is_there() {
    let base = question_from_value(json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 16},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 64, "max_prompt_length": 1024, "max_response_length": 2048}},
        "plan": {"backend": "fsdp", "micro_batch": 2, "tensor_parallel": 1}}))
    .unwrap();
    let text = "actor_rollout_ref.actor.use_dynamic_bsz=True\nactor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384\n\
        actor_rollout_ref.actor.fsdp_config.param_offload=True";
    let reading = read(&[text], Some(&base)).unwrap();
    let mut expected = serde_json::to_value(&base).unwrap();
    expected["plan"] = json!({"backend": "fsdp", "max_tokens_per_gpu": 16384, "tensor_parallel": 1,
        "offload": {"parameters": true, "gradients": true, "optimizer": false, "activations": false}});
    assert_eq!(super::question(&reading), expected);
    assert_eq!(reading.assumed.len(), 1);
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
}

#[test]
fn the_guides_lines_of_offload() {
    let reading = reading(
        "actor_rollout_ref.actor.strategy=megatron\n\
         actor_rollout_ref.actor.megatron.param_offload=True\n\
         actor_rollout_ref.actor.megatron.optimizer_offload=True\n\
         actor_rollout_ref.actor.megatron.grad_offload=True\n",
    );
    let away = json!({"parameters": true, "gradients": true, "optimizer": true, "activations": false});
    assert_eq!(field(&reading, "plan.offload"), away);
    let removed = reading
        .refused
        .iter()
        .find(|one| one.key == "actor_rollout_ref.actor.megatron.grad_offload")
        .unwrap();
    assert_eq!(removed.line, 4);
    assert!(removed.why.contains("Removed in 0.9.1") && removed.why.contains("param_offload"), "{removed:?}");
    assert!(removed.source.contains("verl 0.9.1"), "{removed:?}");
}

#[test]
fn lines_of_a_script_whose_variables_are_elsewhere() {
    let prefix = "actor_rollout_ref.actor.megatron.";
    let reading = reading(&format!(
        "{prefix}param_offload=${{offload}} \\\n{prefix}grad_offload=${{offload}} \\\n{prefix}tensor_model_parallel_size=2 \\\n"
    ));
    assert_eq!(field(&reading, "plan.backend"), json!("megatron"));
    assert_eq!(field(&reading, "plan.tensor_parallel"), json!(2));
    let [open] = reading.unknown.as_slice() else {
        panic!("{:?}", reading.unknown);
    };
    assert!(open.key.ends_with("param_offload") && open.hint.contains("depends on offload"), "{open:?}");
    assert_eq!(reading.understood.len(), 1, "{:?}", reading.understood);
    assert!(
        reading
            .refused
            .iter()
            .any(|one| one.key.ends_with("grad_offload") && one.why.contains("Removed in 0.9.1"))
    );
}

#[test]
fn the_guides_lines_of_recomputation() {
    let prefix = "+actor_rollout_ref.actor.megatron.override_transformer_config.";
    let text = format!(
        "model_engine=megatron \\\n{prefix}recompute_method=uniform \\\n{prefix}recompute_granularity=full \\\n{prefix}recompute_num_layers=1\n"
    );
    let full = reading(&text);
    assert_eq!(field(&full, "plan.recompute"), json!("full"));
    assert_eq!(field(&full, "plan.backend"), json!("megatron"));
    assert!(full.unknown.is_empty(), "{:?}", full.unknown);
    let block = reading(&text.replace("uniform", "block"));
    assert!(block.assumed.iter().any(|one| one.why.contains("recompute_method=block")));
    let without = reading(&format!("model_engine=megatron {prefix}recompute_granularity=full"));
    assert!(without.refused.iter().any(|one| one.key.ends_with("recompute_method")));
    let wrong = reading(&format!("model_engine=megatron {prefix}recompute_granularity=partial"));
    assert!(wrong.refused.iter().any(|one| one.why.contains("no granularity")));
    let modules = format!(
        "model_engine=megatron {prefix}recompute_granularity=selective {prefix}recompute_modules='[\"moe_act\",\"layernorm\"]'"
    );
    let expected = json!({"granularity": "selective", "modules": ["moe_act", "layernorm"]});
    assert_eq!(field(&reading(&modules), "plan.recompute"), expected);
}

/// A recipe of 2025 in its essence: older names, variables, arrays.
const RECIPE: &str = r#"#!/usr/bin/env bash
set -xeuo pipefail
NNODES=${NNODES:-4}
max_prompt_length=$((1024 * 2))
max_response_length=$((1024 * 8))
offload=True
MODEL_PATH=/models/Qwen/Qwen3-30B-A3B-Base
python3 -m verl.trainer.main_ppo --config-path=./config --config-name='ppo_megatron_trainer'\
    data.train_files="['$TRAIN']" \
    data.max_prompt_length=${max_prompt_length} \
    data.max_response_length=${max_response_length} \
    data.train_batch_size=512 \
    actor_rollout_ref.rollout.n=16 \
    algorithm.adv_estimator=grpo \
    actor_rollout_ref.model.path="${MODEL_PATH}" \
    actor_rollout_ref.actor.clip_ratio_low=0.2 \
    actor_rollout_ref.actor.clip_ratio_high=0.28 \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.actor.ppo_mini_batch_size=128 \
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$(((max_prompt_length + max_response_length))) \
    +actor_rollout_ref.actor.optim.override_optimizer_config.optimizer_cpu_offload=True \
    actor_rollout_ref.actor.megatron.param_offload=${offload} \
    actor_rollout_ref.actor.megatron.expert_model_parallel_size=${EP:-8} \
    actor_rollout_ref.actor.megatron.expert_tensor_parallel_size=1 \
    +actor_rollout_ref.actor.megatron.override_transformer_config.moe_enable_deepep=True \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=4 \
    actor_rollout_ref.rollout.gpu_memory_utilization=0.7 \
    actor_rollout_ref.actor.entropy_coef=0 \
    reward_model.reward_manager=dapo \
    trainer.logger=['console','wandb'] \
    trainer.n_gpus_per_node=8 \
    trainer.nnodes="${NNODES}" $@
"#;

#[test]
fn a_loss_by_response_is_gspo() {
    let text = RECIPE
        .replace("reward_model.reward_manager=dapo", "algorithm.adv_estimator=grpo")
        .replace(
            "actor_rollout_ref.actor.use_dynamic_bsz=True",
            "actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.policy_loss.loss_mode=gspo",
        );
    assert_eq!(field(&reading(&text), "workload.kind"), json!("gspo"));
}

#[test]
fn a_recipe_of_an_older_release() {
    let reading = reading(RECIPE);
    for (path, expected) in [
        ("model", json!("qwen3-30b-a3b")),
        ("hardware.gpus", json!(32)),
        ("workload.kind", json!("dapo")),
        ("workload.rl.max_response_length", json!(8192)),
        ("workload.rl.mini_batch", json!(128)),
        ("workload.rl.reference", json!(false)),
        ("plan.backend", json!("megatron")),
        ("plan.max_tokens_per_gpu", json!(10240)),
        ("plan.expert_parallel", json!(8)),
        // It names no share.
        ("plan.optimizer_offload_fraction", json!(0.0)),
        ("plan.rollout.tensor_parallel", json!(4)),
        ("plan.rollout.gpu_memory_utilization", json!(0.7)),
    ] {
        assert_eq!(field(&reading, path), expected, "{path}");
    }
    let renamed = reading
        .refused
        .iter()
        .find(|one| one.key == "reward_model.reward_manager")
        .unwrap();
    assert!(renamed.why.contains("reward.reward_manager.name"), "{renamed:?}");
    assert!(reading.not_modelled.iter().any(|one| one.key.ends_with("moe_enable_deepep")));
    // A slip of the pen gets the key that was meant.
    let [slip] = reading.unknown.as_slice() else {
        panic!("{:?}", reading.unknown);
    };
    assert_eq!(slip.key, "actor_rollout_ref.actor.entropy_coef");
    assert!(slip.hint.contains("actor_rollout_ref.actor.entropy_coeff"), "{slip:?}");
    // Its keys show a release before 0.7.1, whose defaults hold.
    assert_eq!(field(&reading, "plan.rollout.max_num_seqs"), json!(1024));
    let default = |reading: &Reading| reading.assumed.iter().any(|one| one.why.contains("before 0.9.0"));
    assert!(default(&reading));
    let newer = super::reading(&RECIPE.replace("reward_model.reward_manager", "reward.reward_manager.name"));
    assert_eq!(field(&newer, "plan.rollout.max_num_seqs"), json!(256));
    let oldest = super::reading(&RECIPE.replace("actor_rollout_ref.rollout.name=vllm \\\n", ""));
    assert_eq!(field(&oldest, "plan.rollout.enforce_eager"), json!(true));
    estimate(&reading.question).unwrap();
}

#[test]
fn older_names_become_the_new_ones() {
    let reading = reading(
        "torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct \
         ulysses_sequence_parallel_size=2 use_remove_padding=true data.micro_batch_size_per_gpu=4 model.fsdp_config.fsdp_size=4",
    );
    assert_eq!(field(&reading, "model"), json!("qwen2.5-0.5b"));
    assert_eq!(field(&reading, "plan.ulysses_parallel"), json!(2));
    assert_eq!(field(&reading, "plan.shard_group"), json!(4));
    assert_eq!(field(&reading, "plan.micro_batch"), json!(4));
    let renamed: Vec<&str> = reading.refused.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(
        renamed,
        [
            "model.partial_pretrain",
            "ulysses_sequence_parallel_size",
            "use_remove_padding",
            "model.fsdp_config.fsdp_size"
        ]
    );
    let critic = super::reading("critic.model.fsdp_config.param_offload=True algorithm.adv_estimator=gae");
    assert!(critic.refused[0].why.contains("critic.fsdp.param_offload"), "{:?}", critic.refused);
    assert_eq!(field(&critic, "plan.critic.offload.parameters"), json!(true));
}

#[test]
fn what_the_framework_refuses_is_refused() {
    let says = |text: &str, key: &str, why: &str| {
        let reading = reading(text);
        let found = reading.refused.iter().any(|one| one.key.contains(key) && one.why.contains(why));
        assert!(found, "{text}: {:?}", reading.refused);
    };
    let run = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=Qwen/Qwen3-8B \
               actor_rollout_ref.rollout.name=vllm trainer.n_gpus_per_node=8 ";
    says(run, "ppo_micro_batch_size_per_gpu", "starts with neither");
    says(
        &format!("{run} actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=two"),
        "ppo_micro_batch_size_per_gpu",
        "no whole number",
    );
    says(
        &format!(
            "{run} actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.ppo_max_token_len_per_gpu=512"
        ),
        "plan.max_tokens_per_gpu",
        "Set it to 1024",
    );
    says(
        &format!(
            "{run} actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.rollout.tensor_model_parallel_size=3"
        ),
        "plan.rollout.tensor_parallel",
        "",
    );
    says(r#"{"bf16": {"enabled": true}, "fp16": {"enabled": true}}"#, "fp16.enabled", "not both");
    says("python chatlearn/entrypoint.py grpo models.policy.load=Qwen3-8B", "--config-file", "drops every override");
}

#[test]
fn chatlearn_yaml_and_command() {
    let yaml = "runtime_args:\n  train_backend: megatron\n  rollout_backend: sglang\n  sample_per_episode: 512\n  train_global_batch_size: 256\nmodels:\n  policy_trainer:\n    num_gpu: 16\n    tensor_model_parallel_size: 2\n    packing: true\n    max_token_in_packing: 8192\n    recompute_granularity: null\n  policy:\n    load: /models/Qwen3-8B\n    num_inference_per_prompt: 32\n    max_prompt_tokens_length: 1024\n    max_response_tokens_length: 2048\n  ref_policy:\n    tensor_model_parallel_size: ${models.policy_trainer.tensor_model_parallel_size}\n";
    let command = "python chatlearn/entrypoint.py grpo --config-file my.yaml models.policy_trainer.tensor_model_parallel_size=4 models.policy.gpu_memory_utilization=0.75";
    let reading = read(&[yaml, command], None).unwrap();
    assert_eq!(reading.framework, Framework::Chatlearn);
    for (path, expected) in [
        ("model", json!("qwen3-8b")),
        ("hardware.gpus", json!(16)),
        ("workload.rl.prompts_per_step", json!(16)),
        ("workload.rl.mini_batch", json!(8)),
        ("plan.tensor_parallel", json!(4)),
        ("plan.max_tokens_per_gpu", json!(8192)),
        ("plan.recompute", json!("none")),
        ("plan.rollout.engine", json!("sglang")),
        ("plan.rollout.gpu_memory_utilization", json!(0.75)),
    ] {
        assert_eq!(field(&reading, path), expected, "{path}");
    }
    assert!(reading.unknown.is_empty(), "{:?}", reading.unknown);
    let marked = super::reading(
        "python chatlearn/entrypoint.py grpo --config-file template/grpo_fsdp.yaml +models.policy_trainer.num_gpu=8",
    );
    assert!(marked.refused.iter().any(|one| one.why.contains("OmegaConf")));
}

#[test]
fn what_a_chatlearn_file_leaves_out_is_the_dataclass_default() {
    // The templates say otherwise of each of these.
    let yaml = "runtime_args:\n  train_backend: megatron\n  sample_per_episode: 512\n  train_global_batch_size: 512\n\
        models:\n  policy_trainer:\n    num_gpu: 8\n  policy:\n    load: Qwen/Qwen3-8B\n";
    let command = "python chatlearn/entrypoint.py grpo --config-file template/grpo_megatron.yaml runtime_args.sample_per_episode=512 \
        runtime_args.train_global_batch_size=512 models.policy_trainer.num_gpu=8 models.policy_trainer.max_token_in_packing=4096 \
        models.policy.load=Qwen/Qwen3-8B";
    let (file, command) = (reading(yaml), reading(command));
    for (path, by_file, by_command) in [
        ("workload.packing", json!(false), json!(true)),
        ("plan.zero_stage", json!(0), json!(1)),
        ("plan.offload.parameters", json!(false), json!(true)),
        ("plan.rollout.tensor_parallel", json!(1), json!(2)),
        ("plan.rollout.enforce_eager", json!(false), json!(true)),
        ("plan.rollout.max_num_seqs", json!(1), json!(256)),
    ] {
        assert_eq!(field(&file, path), by_file, "{path}");
        assert_eq!(field(&command, path), by_command, "{path}");
    }
}

#[test]
fn engines_beside_fsdp_and_megatron_are_read_as_these() {
    let run = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B actor_rollout_ref.rollout.name=vllm trainer.n_gpus_per_node=8 ";
    let engine = "actor_rollout_ref.actor.veomni.";
    let veomni = reading(&format!(
        "{run} model_engine=veomni {engine}param_offload=True {engine}ulysses_parallel_size=2 {engine}fsdp_size=4 {engine}moe_implementation=fused"
    ));
    for (path, expected) in [
        ("plan.backend", json!("fsdp")),
        ("plan.offload.parameters", json!(true)),
        ("plan.ulysses_parallel", json!(2)),
        ("plan.shard_group", json!(4)),
    ] {
        assert_eq!(field(&veomni, path), expected, "{path}");
    }
    assert!(veomni.unknown.is_empty(), "{:?}", veomni.unknown);
    assert!(veomni.assumed.iter().any(|one| one.why.contains("veomni is not modelled")));
    let engine = "actor_rollout_ref.actor.mindspeed.";
    let mindspeed = reading(&format!(
        "{run} model_engine=mindspeed {engine}tensor_model_parallel_size=4 +{engine}mcore_kwargs.recompute_granularity=full +{engine}mcore_kwargs.recompute_method=uniform"
    ));
    for (path, expected) in
        [("plan.backend", json!("megatron")), ("plan.tensor_parallel", json!(4)), ("plan.recompute", json!("full"))]
    {
        assert_eq!(field(&mindspeed, path), expected, "{path}");
    }
    assert!(mindspeed.unknown.is_empty(), "{:?}", mindspeed.unknown);
}

#[test]
fn arguments_that_stand_in_variables_alone_are_read() {
    let text = "MODEL=(\n  --num-layers 32 --hidden-size 4096\n  --ffn-hidden-size 14336 --num-attention-heads 32 --num-query-groups 8 --swiglu --vocab-size 128256\n)\n\
        OPTIONS=\"--tensor-model-parallel-size 4 --seq-length 8192 --bf16\"\n";
    let found = reading(text);
    assert_eq!(found.framework, Framework::Megatron);
    assert_eq!(field(&found, "model"), json!("llama-3-8b"));
    assert_eq!(field(&found, "plan.tensor_parallel"), json!(4));
    let found = reading(
        "ACTOR=(\n  actor_rollout_ref.actor.use_dynamic_bsz=True\n  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192\n)\n",
    );
    assert_eq!(found.framework, Framework::Verl);
    assert_eq!(field(&found, "plan.max_tokens_per_gpu"), json!(8192));
}

#[test]
fn megatron_arguments() {
    let text = "TP=2\nMODEL_ARGS=(\n  --num-layers 32\n  --hidden-size 4096\n  --ffn-hidden-size 14336\n  --num-attention-heads 32\n  --group-query-attention\n  --num-query-groups 8\n  --swiglu\n  --untie-embeddings-and-output-weights\n  --vocab-size 128256 # Llama's\n)\ntorchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py ${MODEL_ARGS[@]} \\\n  --tensor-model-parallel-size $TP --sequence-parallel --use-distributed-optimizer --overlap-grad-reduce \\\n  --seq-length 8192 --micro-batch-size 1 --global-batch-size=128 --fp8-format hybrid --recompute-activations --lr 1.0e-4 --micro-bach-size 2\n";
    let found = reading(text);
    assert_eq!(found.framework, Framework::Megatron);
    for (path, expected) in [
        ("model", json!("llama-3-8b")),
        ("hardware.gpus", json!(16)),
        ("workload.kind", json!("pretrain")),
        ("workload.global_batch", json!(128)),
        ("workload.precision", json!("fp8")),
        ("plan.tensor_parallel", json!(2)),
        ("plan.sequence_parallel", json!(true)),
        ("plan.zero_stage", json!(1)),
        ("plan.recompute", json!("selective")),
        ("plan.overlap", json!({"gradients": true, "parameters": false, "tensor_parallel": false})),
    ] {
        assert_eq!(field(&found, path), expected, "{path}");
    }
    assert_eq!(found.unknown.len(), 1, "{:?}", found.unknown);
    assert!(found.unknown[0].hint.contains("--micro_batch_size"), "{:?}", found.unknown);
    estimate(&found.question).unwrap();
    let own = reading(&text.replace("--hidden-size 4096", "--hidden-size 3072"));
    assert_eq!(field(&own, "model.hidden_size"), json!(3072));
    estimate(&own.question).unwrap();
}

#[test]
fn a_model_that_the_catalog_lacks_is_asked_for() {
    let text = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=/data/my-own-model actor_rollout_ref.rollout.name=vllm";
    let missing = |reading: &Reading| reading.assumed.iter().find(|one| one.field == "model").unwrap().why.clone();
    let alone = reading(text);
    assert_eq!(field(&alone, "model"), json!("my-own-model"));
    assert!(missing(&alone).contains("actor_rollout_ref.model.path"), "{}", missing(&alone));
    assert!(alone.refused.iter().any(|one| one.key == "model"));
    let base = question_from_value(json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h20-141g"},
        "workload": {"kind": "grpo", "rl": {"mean_response_length": 300, "mean_prompt_length": 9000}}}))
    .unwrap();
    let with = read(&[text], Some(&base)).unwrap();
    assert_eq!(field(&with, "model"), json!("qwen3-8b"));
    assert_eq!(field(&with, "hardware.gpu"), json!("h20-141g"));
    assert_eq!(field(&with, "workload.rl.mean_response_length"), json!(300.0));
    // A mean above the longest is no use.
    assert_eq!(field(&with, "workload.rl.mean_prompt_length"), Value::Null);
}
