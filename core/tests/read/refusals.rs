//! Each rule that a framework asserts about keys: the text that keeps it is accepted, the text that breaks it is not.

use std::collections::BTreeMap;

use super::{field, reading};

const VERL: &str = "algorithm.adv_estimator=grpo data.train_batch_size=256 data.max_prompt_length=1024 data.max_response_length=3072 \
    actor_rollout_ref.model.path=Qwen/Qwen3-8B actor_rollout_ref.actor.ppo_mini_batch_size=64 \
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.actor.use_kl_loss=True \
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8 actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=8 \
    actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.tensor_model_parallel_size=2 \
    trainer.n_gpus_per_node=8 trainer.nnodes=1";
const CHATLEARN: &str = "models.policy_trainer.num_gpu=8 models.policy.load=Qwen/Qwen3-8B models.policy_trainer.load=Qwen/Qwen3-8B \
    runtime_args.train_backend=fsdp runtime_args.rollout_backend=vllm runtime_args.sample_per_episode=2048 \
    runtime_args.train_global_batch_size=2048 runtime_args.train_micro_batch_size=8 models.policy.num_inference_per_prompt=32 \
    models.policy.tensor_model_parallel_size=2 models.policy_trainer.generation_batch_size=64 \
    models.ref_policy.generation_batch_size=64 models.policy_trainer.packing=False";

/// The command with keys set and, where they begin with a dash, taken out. `A.`, `R.`, `F.`, `T.`, `P.` are the long prefixes.
fn command(framework: &str, changes: &str) -> String {
    let (start, base) = match framework {
        "verl" => ("python3 -m verl.trainer.main_ppo", VERL),
        _ => ("python chatlearn/entrypoint.py grpo --config-file template/grpo_fsdp.yaml", CHATLEARN),
    };
    let mut settings: BTreeMap<String, String> = BTreeMap::new();
    for word in base.split_whitespace().chain(changes.split_whitespace()) {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let gone = key.starts_with('-');
        let key = long(key.trim_start_matches('-'));
        if gone {
            assert!(settings.remove(&key).is_some(), "{key}");
        } else {
            settings.insert(key, value.to_owned());
        }
    }
    settings
        .iter()
        .fold(start.to_owned(), |text, (key, value)| format!("{text} \\\n    {key}={value}"))
}

fn long(key: &str) -> String {
    for (short, long) in [
        ("A.", "actor_rollout_ref.actor."),
        ("R.", "actor_rollout_ref.rollout."),
        ("F.", "actor_rollout_ref.ref."),
        ("M.", "actor_rollout_ref.model."),
        ("T.", "models.policy_trainer."),
        ("P.", "models.policy."),
        ("U.", "runtime_args."),
        ("O.", "models.partial_rollout_manager."),
    ] {
        if let Some(rest) = key.strip_prefix(short) {
            return format!("{long}{rest}");
        }
    }
    key.to_owned()
}

const DYNAMIC: &str = "A.use_dynamic_bsz=True -A.ppo_micro_batch_size_per_gpu -R.log_prob_micro_batch_size_per_gpu -F.log_prob_micro_batch_size_per_gpu";
const CRITIC: &str =
    "algorithm.adv_estimator=gae critic.model.path=Qwen/Qwen3-8B critic.ppo_micro_batch_size_per_gpu=4";
const MEGATRON: &str = "model_engine=megatron";
const CHAT_MEGATRON: &str = "U.train_backend=megatron T.max_token_in_packing=8192";
const ASYNC: &str =
    "trainer.v1.trainer_mode=separate_async R.nnodes=1 R.n_gpus_per_node=8 R.checkpoint_engine.backend=nccl";
const REWARD: &str = "reward.reward_model.enable=True reward.reward_model.model_path=Qwen/Qwen3-8B";

/// What the text that keeps the rule says; what breaks it beside that; the key of the refusal; its file.
/// The same texts were given to verl 0.9.1's own `validate_config` and to the restated worker rules
/// (e2e/frameworks/verl/check.py), which refuse the ones and accept the others.
const VERL_RULES: &[(&str, &str, &str, &str)] = &[
    ("", "A.ppo_micro_batch_size=32", "A.ppo_micro_batch_size", "workers/config/actor.py"),
    (
        "",
        "-A.ppo_micro_batch_size_per_gpu A.ppo_micro_batch_size=32",
        "A.ppo_micro_batch_size",
        "workers/engine_workers.py",
    ),
    ("", "-R.log_prob_micro_batch_size_per_gpu", "R.log_prob_micro_batch_size_per_gpu", "utils/config.py"),
    ("", "R.log_prob_micro_batch_size=32", "R.log_prob_micro_batch_size", "utils/config.py"),
    (
        "",
        "-R.log_prob_micro_batch_size_per_gpu R.log_prob_micro_batch_size=32",
        "R.log_prob_micro_batch_size",
        "workers/engine_workers.py",
    ),
    ("", "-F.log_prob_micro_batch_size_per_gpu", "F.log_prob_micro_batch_size_per_gpu", "utils/config.py"),
    (
        "A.use_kl_loss=False algorithm.use_kl_in_reward=True",
        "-F.log_prob_micro_batch_size_per_gpu",
        "F.log_prob_micro_batch_size_per_gpu",
        "utils/config.py",
    ),
    ("", "F.log_prob_micro_batch_size=32", "F.log_prob_micro_batch_size", "utils/config.py"),
    (CRITIC, "-critic.ppo_micro_batch_size_per_gpu", "critic.ppo_micro_batch_size_per_gpu", "workers/config/critic.py"),
    (CRITIC, "critic.ppo_micro_batch_size=32", "critic.ppo_micro_batch_size", "workers/config/critic.py"),
    (CRITIC, "critic.ppo_mini_batch_size=512", "critic.ppo_mini_batch_size", "workers/config/critic.py"),
    ("", "R.log_prob_micro_batch_size_per_gpu=7", "R.log_prob_micro_batch_size_per_gpu", "workers/engine/utils.py"),
    ("", "F.log_prob_micro_batch_size_per_gpu=7", "F.log_prob_micro_batch_size_per_gpu", "workers/engine/utils.py"),
    ("", "R.log_prob_use_dynamic_bsz=True", "R.log_prob_use_dynamic_bsz", "workers/engine_workers.py"),
    (DYNAMIC, "R.log_prob_use_dynamic_bsz=False", "R.log_prob_use_dynamic_bsz", "workers/engine_workers.py"),
    (DYNAMIC, "R.log_prob_max_token_len_per_gpu=2048", "R.log_prob_max_token_len_per_gpu", "utils/seqlen_balancing.py"),
    (DYNAMIC, "F.log_prob_max_token_len_per_gpu=2048", "F.log_prob_max_token_len_per_gpu", "utils/seqlen_balancing.py"),
    ("A.loss_agg_mode=token-sum", "A.loss_agg_mode=mean", "A.loss_agg_mode", "workers/config/actor.py"),
    (
        "A.optim.lr_scheduler_type=cosine",
        "A.optim.lr_scheduler_type=linear",
        "A.optim.lr_scheduler_type",
        "workers/config/optimizer.py",
    ),
    (MEGATRON, "A.optim.main_grads_dtype=fp16", "A.optim.main_grads_dtype", "workers/config/optimizer.py"),
    ("A.strategy=fsdp2", "A.strategy=ddp", "A.strategy", "workers/engine/base.py"),
    ("R.mode=async", "R.mode=sync", "R.mode", "workers/config/rollout.py"),
    (
        "R.pipeline_model_parallel_size=1",
        "R.pipeline_model_parallel_size=2",
        "R.pipeline_model_parallel_size",
        "workers/config/rollout.py",
    ),
    ("R.val_kwargs.do_sample=True", "R.temperature=0", "R.temperature", "utils/config.py"),
    ("R.max_model_len=4096", "R.max_model_len=2048", "R.max_model_len", "vllm_async_server.py"),
    ("R.max_model_len=40960", "R.max_model_len=40961", "R.max_model_len", "vllm_async_server.py"),
    (
        "model_engine=megatron A.megatron.router_replay.mode=R2",
        "algorithm.rollout_correction.bypass_mode=True",
        "A.megatron.router_replay.mode",
        "utils/config.py",
    ),
    (MEGATRON, "A.megatron.router_replay.mode=R4", "A.megatron.router_replay.mode", "workers/config/engine.py"),
    (
        MEGATRON,
        "A.megatron.dynamic_context_parallel=True",
        "A.megatron.dynamic_context_parallel",
        "workers/config/engine.py",
    ),
    (MEGATRON, "A.megatron.use_mbridge=False", "A.megatron.use_mbridge", "workers/engine/megatron/transformer_impl.py"),
    (
        "algorithm.filter_groups.enable=True algorithm.filter_groups.metric=acc",
        "algorithm.filter_groups.metric=null",
        "algorithm.filter_groups.metric",
        "trainer/ppo/v1/trainer_base.py",
    ),
    (
        "M.use_fused_kernels=True",
        "M.fused_kernel_options.impl_backend=cuda",
        "M.fused_kernel_options.impl_backend",
        "models/transformers/monkey_patch.py",
    ),
    ("", REWARD, "reward.reward_model.rollout.name", "trainer/config/reward"),
    (ASYNC, "R.checkpoint_engine.backend=naive", "R.checkpoint_engine.backend", "trainer_separate_async.py"),
    (ASYNC, "trainer.v1.separate_async.parameter_sync_step=2", "data.train_batch_size", "trainer_separate_async.py"),
];
/// The same of `ChatLearn` (algorithm/grpo.py, configs, models).
const CHATLEARN_RULES: &[(&str, &str, &str, &str)] = &[
    ("", "U.train_backend=deepspeed", "U.train_backend", "algorithm/grpo.py"),
    ("", "U.rollout_backend=hf", "U.rollout_backend", "algorithm/grpo.py"),
    ("", "T.gpu_per_process=2", "T.gpu_per_process", "schedule/model_manager.py"),
    ("", "P.pipeline_model_parallel_size=2", "P.pipeline_model_parallel_size", "configs/policy_config.py"),
    ("", "P.expert_model_parallel_size=2", "P.expert_model_parallel_size", "configs/policy_config.py"),
    ("P.trainable=False", "P.trainable=True", "P.trainable", "configs/policy_config.py"),
    (
        "U.rollout_backend=sglang P.is_sync_mode=False U.use_rollout_manager=True",
        "P.is_sync_mode=True",
        "U.use_rollout_manager",
        "algorithm/grpo.py",
    ),
    ("U.use_partial_rollout=True", "O.rollout_ratio=[0.5,0.6]", "O.rollout_ratio", "configs"),
    (
        "U.use_partial_rollout=True",
        "O.mini_response_per_prompt=32",
        "O.mini_response_per_prompt",
        "partial_rollout_manager.py",
    ),
    (
        "U.model_type=vlm",
        "T.ulysses_sequence_parallel_size=2",
        "T.ulysses_sequence_parallel_size",
        "models/fsdp_module.py",
    ),
    ("", "T.generation_batch_size=100", "T.generation_batch_size", "algorithm/grpo.py"),
    ("", "models.ref_policy.generation_batch_size=100", "models.ref_policy.generation_batch_size", "algorithm/grpo.py"),
    (CHAT_MEGATRON, "T.recompute_granularity=full", "T.recompute_method", ""),
    (CHAT_MEGATRON, "T.recompute_granularity=full T.recompute_method=uniform", "T.recompute_num_layers", ""),
    (CHAT_MEGATRON, "T.recompute_granularity=selective T.recompute_num_layers=1", "T.recompute_num_layers", ""),
    (CHAT_MEGATRON, "T.recompute_granularity=sel", "T.recompute_granularity", ""),
    (
        "U.train_backend=megatron T.max_token_in_packing=8192 U.model_type=vlm",
        "T.packing=True",
        "T.packing",
        "models/megatron_module.py",
    ),
];

#[test]
fn what_a_framework_asserts_about_keys_is_said() {
    for (framework, rules) in [("verl", VERL_RULES), ("chatlearn", CHATLEARN_RULES)] {
        for (kept, broken, key, file) in rules {
            let fine = reading(&command(framework, kept));
            assert!(fine.refused.is_empty(), "{kept}: {:?}", fine.refused);
            let refused = reading(&command(framework, &format!("{kept} {broken}"))).refused;
            let key = long(key);
            let found = refused.iter().find(|one| one.key == key);
            let found = found.unwrap_or_else(|| panic!("{broken}: {refused:?}"));
            assert!(found.source.contains(file) && found.why.ends_with('.'), "{broken}: {found:?}");
            let stated = broken.split_whitespace().any(|word| long(word).starts_with(&format!("{key}=")));
            assert!(!stated || found.line > 0, "{broken}: {found:?}");
        }
    }
}

#[test]
fn a_few_lines_and_open_values_are_not_refused_for_what_they_leave_out() {
    let keys = |reading: &shardwise_core::read::Reading| {
        let keys = reading.refused.iter().map(|one| one.key.clone());
        keys.filter(|key| key != "model").collect::<Vec<_>>()
    };
    let lines = reading("actor_rollout_ref.actor.ppo_mini_batch_size=64\nactor_rollout_ref.actor.use_kl_loss=True\n");
    assert!(keys(&lines).is_empty(), "{:?}", lines.refused);
    let recipe = "python3 -m recipe.gvpo.main_ppo actor_rollout_ref.rollout.name=vllm";
    assert!(keys(&reading(recipe)).is_empty());
    let open = command("verl", "R.log_prob_micro_batch_size_per_gpu=$micro A.loss_agg_mode=$mode");
    let open = reading(&open);
    assert!(open.refused.is_empty(), "{:?}", open.refused);
}

#[test]
fn an_optimizer_that_steps_in_host_memory_is_read_by_its_share() {
    let optim = "actor_rollout_ref.actor.optim.override_optimizer_config.";
    let away = |rest: &str| {
        let text = command("verl", &format!("{MEGATRON} +{optim}optimizer_cpu_offload=True {rest}"));
        let found = reading(&text);
        assert!(found.not_modelled.is_empty(), "{:?}", found.not_modelled);
        (field(&found, "plan.optimizer_offload_fraction").as_f64(), field(&found, "plan.offload.optimizer").as_bool())
    };
    let half = format!("+{optim}optimizer_offload_fraction=0.5");
    assert_eq!(away(&half), (Some(0.5), Some(false)));
    // What is not told stays on the GPU.
    assert_eq!(away("").0, Some(0.0));
    let text = "torchrun --nnodes=1 --nproc-per-node=8 -m verl.trainer.sft_trainer engine=megatron optim=megatron model.path=Qwen/Qwen3-8B \
        +optim.override_optimizer_config.optimizer_cpu_offload=True +optim.override_optimizer_config.optimizer_offload_fraction=1.0";
    let found = reading(text);
    assert!(found.not_modelled.is_empty());
    assert_eq!(field(&found, "plan.offload.optimizer"), true);
}

#[test]
fn a_token_budget_without_packing_is_noted_and_not_refused() {
    let found = reading(&command("verl", &format!("{DYNAMIC} M.use_remove_padding=False")));
    assert!(found.refused.is_empty(), "{:?}", found.refused);
    assert!(found.notes.iter().any(|note| note.text.contains("pads each micro-batch")), "{:?}", found.notes);
}
