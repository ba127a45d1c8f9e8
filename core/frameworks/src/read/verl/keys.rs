//! veRL's keys and what each means: one line per key. Names after `trainer/config` of verl 0.9.1, older
//! ones with the release that renamed or removed them.

mod engine;
mod others;
mod rollout;

use self::engine::{FSDP, MEGATRON, MODEL, OPTIM};
use self::others::{AUTOMODEL, LITE, MINDSPEED, SHARDED};
use self::rollout::{REWARD, REWARD_MODEL, ROLLOUT};
use crate::read::meaning::Meaning::{Field, Ignored, Plan, Removed, Renamed, Unmodelled};
use crate::read::meaning::{Meaning, Section};
use crate::read::megatron::keys::{LAYOUT, RECOMPUTE};

/// Keys with their meanings.
type Keys = &'static [(&'static str, Meaning)];

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("what the loss is, not how much it computes");
const PROFILE: Meaning = Ignored("profiling");
const PATH: Meaning = Ignored("a place on disk");

const fn section(prefix: &'static str, plan: &'static str, keys: Keys) -> Section {
    Section { prefix, plan, keys }
}

/// Every key of veRL that is known.
pub(in crate::read) static SECTIONS: &[Section] = &[
    section("", "", TOP),
    section("data.", "", DATA),
    section("algorithm.", "", ALGORITHM),
    section("trainer.", "", TRAINER),
    section("actor_rollout_ref.", "", ROLES),
    section("actor_rollout_ref.model.", "plan.", MODEL),
    section("actor_rollout_ref.actor.", "plan.", ACTOR),
    section("actor_rollout_ref.actor.optim.", "plan.", OPTIM),
    section("actor_rollout_ref.actor.fsdp_config.", "plan.", FSDP),
    section("actor_rollout_ref.actor.megatron.", "plan.", MEGATRON),
    section("actor_rollout_ref.ref.", "plan.reference.", REFERENCE),
    section(
        "actor_rollout_ref.ref.fsdp_config.",
        "plan.reference.",
        FSDP,
    ),
    section(
        "actor_rollout_ref.ref.megatron.",
        "plan.reference.",
        MEGATRON,
    ),
    section("actor_rollout_ref.rollout.", "plan.rollout.", ROLLOUT),
    section("critic.", "plan.critic.", CRITIC),
    section("critic.model.", "plan.critic.", MODEL),
    section("critic.optim.", "plan.critic.", OPTIM),
    section("critic.fsdp.", "plan.critic.", FSDP),
    section("critic.megatron.", "plan.critic.", MEGATRON),
    section("reward.", "", REWARD),
    section("reward_model.", "", REWARD_MODEL),
    section("rollout.", "", ASYNC_ROLLOUT),
    section("async_training.", "", ASYNC),
    // Megatron's own keys, in each of its places.
    section("actor_rollout_ref.actor.megatron.", "plan.", LAYOUT),
    section("actor_rollout_ref.ref.megatron.", "plan.reference.", LAYOUT),
    section("critic.megatron.", "plan.critic.", LAYOUT),
    section("actor_rollout_ref.actor.mindspeed.", "plan.", LAYOUT),
    section(
        "actor_rollout_ref.ref.mindspeed.",
        "plan.reference.",
        LAYOUT,
    ),
    section("engine.", "plan.", LAYOUT),
    section(
        "actor_rollout_ref.actor.megatron.override_transformer_config.",
        "plan.",
        RECOMPUTE,
    ),
    section(
        "actor_rollout_ref.ref.megatron.override_transformer_config.",
        "plan.reference.",
        RECOMPUTE,
    ),
    section(
        "critic.megatron.override_transformer_config.",
        "plan.critic.",
        RECOMPUTE,
    ),
    section(
        "actor_rollout_ref.actor.mindspeed.mcore_kwargs.",
        "plan.",
        RECOMPUTE,
    ),
    section(
        "actor_rollout_ref.ref.mindspeed.mcore_kwargs.",
        "plan.reference.",
        RECOMPUTE,
    ),
    section("engine.override_transformer_config.", "plan.", RECOMPUTE),
    // Engines beside FSDP and Megatron.
    section("actor_rollout_ref.actor.veomni.", "plan.", SHARDED),
    section("actor_rollout_ref.ref.veomni.", "plan.reference.", SHARDED),
    section("critic.veomni.", "plan.critic.", SHARDED),
    section("actor_rollout_ref.actor.torchtitan.", "plan.", SHARDED),
    section(
        "actor_rollout_ref.ref.torchtitan.",
        "plan.reference.",
        SHARDED,
    ),
    section("critic.torchtitan.", "plan.critic.", SHARDED),
    section("actor_rollout_ref.actor.mindspeed.", "plan.", MEGATRON),
    section("actor_rollout_ref.actor.mindspeed.", "plan.", MINDSPEED),
    section(
        "actor_rollout_ref.ref.mindspeed.",
        "plan.reference.",
        MEGATRON,
    ),
    section(
        "actor_rollout_ref.ref.mindspeed.",
        "plan.reference.",
        MINDSPEED,
    ),
    section("actor_rollout_ref.actor.engine.", "plan.", LITE),
    // Fine-tuning: verl.trainer.sft_trainer.
    section("model.", "plan.", MODEL),
    section("optim.", "plan.", OPTIM),
    section("engine.", "plan.", FSDP),
    section("engine.", "plan.", MEGATRON),
    section("engine.", "plan.", LITE),
    section("engine.", "plan.", AUTOMODEL),
    section("engine.", "plan.", SHARDED),
];

const TOP: Keys = &[
    ("skip.*", PROFILE),
    ("model_engine", Field("plan.backend")),
    ("engine", Field("plan.backend")),
    ("optim", Ignored("the optimizer of the backend")),
    ("model", Ignored("the kind of model's configuration")),
    ("actor@actor_rollout_ref.actor", Field("plan.backend")),
    ("ray_kwargs.*", Ignored("how ray starts")),
    ("ray_init.*", Ignored("how ray starts")),
    ("global_profiler.*", PROFILE),
    ("profiler.*", PROFILE),
    ("checkpoint.*", LOG),
    (
        "transfer_queue.*",
        Ignored("how samples pass between processes"),
    ),
    ("custom_reward_function.*", Ignored("which rule scores")),
    ("sandbox_fusion.*", Ignored("which rule scores")),
    ("reward_manager.*", Ignored("which rule scores")),
    ("hydra.*", LOG),
    ("distillation.*", Unmodelled("the estimate has no teacher")),
    (
        "ulysses_sequence_parallel_size",
        Renamed("engine.ulysses_sequence_parallel_size", "0.6.0"),
    ),
    (
        "use_remove_padding",
        Renamed("model.use_remove_padding", "0.6.0"),
    ),
];

const DATA: Keys = &[
    ("train_batch_size", Field("workload.rl.prompts_per_step")),
    ("gen_batch_size", Field("workload.rl.gen_batch_size")),
    ("max_prompt_length", Field("workload.rl.max_prompt_length")),
    (
        "max_response_length",
        Field("workload.rl.max_response_length"),
    ),
    ("max_length", Field("workload.sequence_length")),
    (
        "use_dynamic_bsz",
        Field("plan.max_tokens_per_gpu plan.micro_batch"),
    ),
    ("max_token_len_per_gpu", Field("plan.max_tokens_per_gpu")),
    ("micro_batch_size_per_gpu", Field("plan.micro_batch")),
    (
        "micro_batch_size",
        Renamed("data.micro_batch_size_per_gpu", "0.4.0"),
    ),
    (
        "balance_dp_token",
        Ignored("the estimate shares tokens evenly"),
    ),
    ("pad_mode", Field("workload.packing")),
    ("train_files", DATA_SET),
    ("val_files", DATA_SET),
    ("path", DATA_SET),
    ("output_path", DATA_SET),
    ("n_samples", DATA_SET),
    ("prompt_key", DATA_SET),
    ("reward_fn_key", DATA_SET),
    ("response_key", DATA_SET),
    ("prompt_dict_keys", DATA_SET),
    ("response_dict_keys", DATA_SET),
    ("messages_key", DATA_SET),
    ("tools_key", DATA_SET),
    ("image_key", DATA_SET),
    ("image_patch_size", DATA_SET),
    ("video_key", DATA_SET),
    ("audio_key", DATA_SET),
    ("enable_thinking_*", DATA_SET),
    ("ignore_input_ids_mismatch", DATA_SET),
    ("chat_template", DATA_SET),
    ("apply_chat_template_kwargs*", DATA_SET),
    ("mm_processor_kwargs*", DATA_SET),
    ("multiturn.*", DATA_SET),
    ("continuous_token.*", DATA_SET),
    ("custom_cls.*", DATA_SET),
    ("datagen.*", DATA_SET),
    ("sampler.*", DATA_SET),
    ("tokenizer", DATA_SET),
    ("tool_config_path", DATA_SET),
    ("function_tool_path", DATA_SET),
    ("filter_overlong_prompts", DATA_SET),
    ("filter_overlong_prompts_workers", DATA_SET),
    ("truncation", DATA_SET),
    ("shuffle", DATA_SET),
    ("validation_shuffle", DATA_SET),
    ("seed", DATA_SET),
    ("return_*", DATA_SET),
    ("train_max_samples", DATA_SET),
    ("val_max_samples", DATA_SET),
    ("val_batch_size", Ignored("validation")),
    ("dataloader_num_workers", DATA_SET),
    ("num_workers", DATA_SET),
    ("trust_remote_code", DATA_SET),
    ("use_shm", DATA_SET),
];

const ALGORITHM: Keys = &[
    ("adv_estimator", Field("workload.kind")),
    ("use_kl_in_reward", Field("workload.rl.reference")),
    ("filter_groups.enable", Field("workload.rl.oversampling")),
    ("filter_groups.*", Ignored("which groups are dropped")),
    (
        "rollout_correction.bypass_mode",
        Field("workload.rl.old_log_prob"),
    ),
    ("rollout_correction.*", OBJECTIVE),
    ("rollout_is*", OBJECTIVE),
    ("kl_ctrl.*", OBJECTIVE),
    ("kl_penalty", OBJECTIVE),
    ("gamma", OBJECTIVE),
    ("lam", OBJECTIVE),
    ("norm_adv_by_std_in_grpo", OBJECTIVE),
    ("use_pf_ppo", OBJECTIVE),
    ("pf_ppo.*", OBJECTIVE),
];

const TRAINER: Keys = &[
    ("nnodes", Field("hardware.gpus")),
    (
        "n_gpus_per_node",
        Field("hardware.gpus hardware.gpus_per_node"),
    ),
    ("v1.trainer_mode", Field("workload.rl.schedule")),
    (
        "v1.sampler.max_off_policy_threshold",
        Field("workload.rl.max_staleness"),
    ),
    (
        "v1.separate_async.parameter_sync_step",
        Ignored("the step's mini-batches say it"),
    ),
    ("v1.*", Ignored("the trainer's queues")),
    ("use_v1", Ignored("which trainer runs")),
    ("use_legacy_worker_impl", Removed("0.8.0", "leave it out.")),
    (
        "balance_batch",
        Ignored("the estimate shares tokens evenly"),
    ),
    ("critic_warmup", Ignored("steps before the actor trains")),
    ("device", Ignored("the base question names the GPU")),
    ("total_epochs", Ignored("length of the run")),
    ("total_training_steps", Ignored("length of the run")),
    ("logger", LOG),
    ("project_name", LOG),
    ("experiment_name", LOG),
    ("save_freq", LOG),
    ("test_freq", Ignored("validation")),
    ("val_before_train", Ignored("validation")),
    ("val_only", Ignored("validation")),
    ("log_val_generations", LOG),
    ("val_generations_to_log_to_wandb", LOG),
    ("validation_data_dir", LOG),
    ("rollout_data_dir", LOG),
    ("default_local_dir", LOG),
    ("default_hdfs_dir", LOG),
    ("resume_mode", LOG),
    ("resume_path", LOG),
    ("resume_from_path", LOG),
    ("del_local_ckpt_after_load", LOG),
    ("max_actor_ckpt_to_keep", LOG),
    ("max_critic_ckpt_to_keep", LOG),
    ("max_ckpt_to_keep", LOG),
    ("checkpoint*", LOG),
    ("esi_redundant_time", LOG),
    (
        "ray_wait_register_center_timeout",
        Ignored("how ray starts"),
    ),
    ("profile_*", PROFILE),
    ("npu_profile.*", PROFILE),
    ("controller_nsight_options.*", PROFILE),
    ("worker_nsight_options.*", PROFILE),
    ("seed", LOG),
    ("worker_env.*", Ignored("how processes start")),
    ("tensorboard_dir", LOG),
    ("rl_logging_board_dir", LOG),
];

const ROLES: Keys = &[
    ("hybrid_engine", Field("workload.rl.schedule")),
    ("nccl_timeout", Ignored("when a hang is given up")),
    ("profiler.*", PROFILE),
];

const ACTOR: Keys = &[
    ("strategy", Plan("backend")),
    ("ppo_mini_batch_size", Field("workload.rl.mini_batch")),
    ("ppo_epochs", Field("workload.rl.epochs")),
    ("use_dynamic_bsz", Plan("max_tokens_per_gpu micro_batch")),
    ("ppo_max_token_len_per_gpu", Plan("max_tokens_per_gpu")),
    ("ppo_micro_batch_size_per_gpu", Plan("micro_batch")),
    ("ppo_micro_batch_size", Plan("micro_batch")),
    ("ulysses_sequence_parallel_size", Plan("ulysses_parallel")),
    ("use_kl_loss", Field("workload.rl.reference")),
    ("policy_loss.loss_mode", Field("workload.kind")),
    ("clip_ratio_high", Field("workload.kind")),
    ("clip_ratio_low", Field("workload.kind")),
    (
        "entropy_coeff",
        Ignored("its entropy takes no more memory than the loss, where that is chunked"),
    ),
    (
        "entropy_checkpointing",
        Unmodelled("the estimate's loss is fused or eager, by plan.fused_loss"),
    ),
    (
        "entropy_from_logits_with_chunking",
        Unmodelled("the estimate's loss is fused or eager, by plan.fused_loss"),
    ),
    (
        "entropy_from_logits_chunk_size",
        Ignored("size of a chunk of the loss"),
    ),
    ("calculate_entropy", OBJECTIVE),
    ("calculate_sum_pi_squared", OBJECTIVE),
    ("sum_pi_squared_checkpointing", OBJECTIVE),
    (
        "use_torch_compile",
        Ignored("the estimate's kernels are compiled ones"),
    ),
    (
        "use_prefix_grouper",
        Unmodelled("the estimate computes each prompt once per response"),
    ),
    (
        "use_fused_kernels",
        Renamed("actor_rollout_ref.model.use_fused_kernels", "0.4.1"),
    ),
    (
        "use_remove_padding",
        Renamed("actor_rollout_ref.model.use_remove_padding", "0.4.0"),
    ),
    (
        "pad_to_length",
        Unmodelled("the estimate pads nothing where sequences are packed"),
    ),
    (
        "freeze_vision_tower",
        Unmodelled("the estimate trains every part"),
    ),
    ("router_replay.*", Ignored("which experts are taken")),
    ("clip_ratio", OBJECTIVE),
    ("clip_ratio_c", OBJECTIVE),
    ("loss_agg_mode", OBJECTIVE),
    ("loss_scale_factor", OBJECTIVE),
    ("kl_loss_coef", OBJECTIVE),
    ("kl_loss_type", OBJECTIVE),
    ("policy_loss.*", OBJECTIVE),
    ("tau_pos", OBJECTIVE),
    ("tau_neg", OBJECTIVE),
    ("grad_clip", OBJECTIVE),
    ("shuffle", DATA_SET),
    ("data_loader_seed", DATA_SET),
    ("rollout_n", Ignored("actor_rollout_ref.rollout.n says it")),
    ("load_weight", PATH),
    ("checkpoint.*", LOG),
    ("profile*", PROFILE),
    (
        "qat.*",
        Unmodelled("the estimate trains without simulated quantisation"),
    ),
];

const REFERENCE: Keys = &[
    (
        "log_prob_use_dynamic_bsz",
        Plan("max_tokens_per_gpu micro_batch"),
    ),
    ("log_prob_max_token_len_per_gpu", Plan("max_tokens_per_gpu")),
    ("log_prob_micro_batch_size_per_gpu", Plan("micro_batch")),
    ("log_prob_micro_batch_size", Plan("micro_batch")),
    ("ulysses_sequence_parallel_size", Plan("ulysses_parallel")),
    ("strategy", Ignored("the actor's")),
    (
        "param_offload",
        Renamed("actor_rollout_ref.ref.megatron.param_offload", "0.4.0"),
    ),
    ("entropy_*", Ignored("the reference has no entropy")),
    (
        "use_torch_compile",
        Ignored("the estimate's kernels are compiled ones"),
    ),
    ("pad_to_length", Ignored("the actor's")),
    (
        "model*",
        Unmodelled("the estimate's reference is the actor's model"),
    ),
    ("router_replay.*", Ignored("which experts are taken")),
    ("rollout_n", Ignored("actor_rollout_ref.rollout.n says it")),
    ("load_weight", PATH),
    ("profile*", PROFILE),
];

const CRITIC: Keys = &[
    ("enable", Field("workload.kind")),
    ("strategy", Plan("backend")),
    ("model.path", Field("workload.rl.critic")),
    ("model.fsdp_config.*", Renamed("critic.fsdp.*", "0.8.0")),
    ("model.tokenizer_path", PATH),
    ("ulysses_sequence_parallel_size", Plan("ulysses_parallel")),
    ("use_dynamic_bsz", Plan("max_tokens_per_gpu micro_batch")),
    ("ppo_max_token_len_per_gpu", Plan("max_tokens_per_gpu")),
    ("ppo_micro_batch_size_per_gpu", Plan("micro_batch")),
    ("ppo_micro_batch_size", Plan("micro_batch")),
    (
        "forward_max_token_len_per_gpu",
        Ignored("the estimate's forward pass takes twice the update's"),
    ),
    (
        "forward_micro_batch_size_per_gpu",
        Ignored("the estimate's forward pass takes twice the update's"),
    ),
    (
        "forward_micro_batch_size",
        Ignored("the estimate's forward pass takes twice the update's"),
    ),
    (
        "ppo_mini_batch_size",
        Ignored("the estimate's critic takes the actor's"),
    ),
    (
        "ppo_epochs",
        Ignored("the estimate's critic takes the actor's"),
    ),
    ("rollout_n", Ignored("actor_rollout_ref.rollout.n says it")),
    ("cliprange_value", OBJECTIVE),
    ("loss_agg_mode", OBJECTIVE),
    ("loss_scale_factor", OBJECTIVE),
    ("grad_clip", OBJECTIVE),
    ("kl_ctrl.*", OBJECTIVE),
    ("nccl_timeout", Ignored("when a hang is given up")),
    ("shuffle", DATA_SET),
    ("data_loader_seed", DATA_SET),
    ("load_weight", PATH),
    ("checkpoint.*", LOG),
    ("profile*", PROFILE),
];

/// GPUs that generate, in `verl.experimental.{one_step_off,fully_async}_policy`.
const ASYNC_ROLLOUT: Keys = &[
    ("nnodes", Field("hardware.gpus workload.rl.train_gpus")),
    (
        "n_gpus_per_node",
        Field("hardware.gpus workload.rl.train_gpus"),
    ),
    ("total_rollout_steps", Ignored("length of the run")),
    ("total_epochs", Ignored("length of the run")),
    ("test_freq", Ignored("validation")),
    ("name", Renamed("actor_rollout_ref.rollout.name", "0.3.0")),
];

const ASYNC: Keys = &[
    (
        "trigger_parameter_sync_step",
        Field("workload.rl.prompts_per_step"),
    ),
    ("require_batches", Field("workload.rl.prompts_per_step")),
    (
        "staleness_threshold",
        Unmodelled("the estimate bounds staleness by workload.rl.max_staleness"),
    ),
    ("use_rollout_log_probs", Field("workload.rl.old_log_prob")),
    (
        "partial_rollout",
        Unmodelled("the estimate's generation runs on while weights are sent"),
    ),
    (
        "compute_prox_log_prob",
        Unmodelled("the estimate takes workload.rl.old_log_prob"),
    ),
    ("*", Ignored("queues of the asynchronous trainer")),
];
