//! veRL's keys: a row each, under the prefixes of their sections. Names after `trainer/config` of verl 0.9.1, older ones with the
//! release that renamed or removed them.

mod common;
pub(super) mod distillation;
pub(super) mod earlier;
pub(super) mod engine;
pub(super) mod fine_tuning;
pub(super) mod model;
mod others;
mod prime;
pub(super) mod reinforcement;
pub(super) mod roles;
pub(super) mod rollout;
pub(super) mod streamed;

use crate::binding::Meaning::{Field, Ignored, Plan, Removed, Renamed, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Table, section};
use crate::emit::megatron::{MATRICES, RECOMPUTE, SEQUENCE, SHARES, STATES};
use common::{DATA_SET, Keys, LOG, OBJECTIVE, PATH, PROFILE, ROUTING, VALIDATION};
use engine::{
    CHUNKS, FSDP, FSDP_READ, MEGATRON, MEGATRON_DTYPE, MEGATRON_READ, OFFLOAD, OPTIM, OPTIM_READ, TRANSFORMER,
    TRANSFORMER_READ,
};
use model::{ADAPTERS, CHECKPOINTING, HEAD, KERNEL, MODEL, MODEL_READ};
pub(super) use others::read_as;
use others::{AUTOMODEL, LITE, MINDSPEED, SHARDED};
pub(super) use prime::PRIME;

const MODELS: &[Table] =
    &[Both(MODEL), Both(CHECKPOINTING), Both(KERNEL), Both(HEAD), Both(ADAPTERS), Read(MODEL_READ)];
const MEGATRONS: &[Table] = &[Both(OFFLOAD), Both(MEGATRON), Both(MEGATRON_DTYPE), Read(MEGATRON_READ)];
const LAYOUTS: &[Table] = &[Both(MATRICES), Both(SHARES), Both(SEQUENCE), Both(STATES), Both(CHUNKS)];
const TRANSFORMERS: &[Table] = &[Both(TRANSFORMER), Both(RECOMPUTE), Read(TRANSFORMER_READ)];
const FSDPS: &[Table] = &[Both(FSDP), Read(FSDP_READ)];
const OPTIMS: &[Table] = &[Both(OPTIM), Read(OPTIM_READ)];
const OTHERS: &[Table] = &[Read(SHARDED)];

/// Every key of veRL that is known.
pub(crate) static SECTIONS: &[KeySection] = &[
    section("", "workload.rl.", &[Both(reinforcement::BATCH)]),
    section("", "", &[Both(reinforcement::BACKEND), Both(reinforcement::ALGORITHM), Both(reinforcement::RUN)]),
    section("", "", &[Both(fine_tuning::BACKEND), Both(fine_tuning::BATCH), Read(TOP)]),
    section("data.", "", &[Read(DATA)]),
    section("algorithm.", "", &[Read(ALGORITHM)]),
    section("trainer.", "", &[Read(TRAINER)]),
    section("actor_rollout_ref.", "", &[Read(ROLES)]),
    section("actor_rollout_ref.model.", "plan.", MODELS),
    section(
        "actor_rollout_ref.actor.",
        "plan.",
        &[Both(reinforcement::STRATEGY), Both(reinforcement::UPDATE), Read(ACTOR)],
    ),
    section("actor_rollout_ref.actor.optim.", "plan.", OPTIMS),
    section("actor_rollout_ref.actor.fsdp_config.", "plan.", FSDPS),
    section("actor_rollout_ref.actor.megatron.", "plan.", MEGATRONS),
    section("actor_rollout_ref.actor.megatron.override_transformer_config.", "plan.", TRANSFORMERS),
    section("actor_rollout_ref.ref.", "plan.reference.", &[Both(roles::REFERENCE), Read(roles::REFERENCE_READ)]),
    section("actor_rollout_ref.ref.fsdp_config.", "plan.reference.", FSDPS),
    section("actor_rollout_ref.ref.megatron.", "plan.reference.", MEGATRONS),
    section("actor_rollout_ref.ref.megatron.override_transformer_config.", "plan.reference.", TRANSFORMERS),
    section(
        "actor_rollout_ref.rollout.",
        "plan.rollout.",
        &[Both(rollout::ROLLOUT), Both(rollout::AGENT), Both(rollout::LOG_PROB), Read(rollout::ROLLOUT_READ)],
    ),
    section("critic.", "plan.critic.", &[Both(roles::CRITIC_MODEL), Both(roles::CRITIC), Read(roles::CRITIC_READ)]),
    section("critic.model.", "plan.critic.", MODELS),
    section("critic.optim.", "plan.critic.", OPTIMS),
    section("critic.fsdp.", "plan.critic.", FSDPS),
    section("critic.megatron.", "plan.critic.", MEGATRONS),
    section("critic.megatron.override_transformer_config.", "plan.critic.", TRANSFORMERS),
    section("distillation.", "", &[Both(distillation::DISTILLATION), Read(distillation::DISTILLATION_READ)]),
    section("distillation.teacher_models.teacher_model.", "", &[Both(distillation::TEACHER)]),
    section("reward.", "", &[Both(rollout::REWARD_MODEL), Read(rollout::REWARD_READ)]),
    section("reward_model.", "", &[Read(rollout::OLDER_REWARD_MODEL)]),
    section("rollout.", "", &[Both(streamed::ENGINES), Read(streamed::ENGINES_READ)]),
    section("async_training.", "", &[Both(streamed::QUEUE), Read(streamed::QUEUE_READ)]),
    // How Megatron splits a model, in each of its places.
    section("actor_rollout_ref.actor.megatron.", "plan.", LAYOUTS),
    section("actor_rollout_ref.ref.megatron.", "plan.reference.", LAYOUTS),
    section("critic.megatron.", "plan.critic.", LAYOUTS),
    section("actor_rollout_ref.actor.mindspeed.", "plan.", LAYOUTS),
    section("actor_rollout_ref.ref.mindspeed.", "plan.reference.", LAYOUTS),
    section("engine.", "plan.", LAYOUTS),
    // Engines beside FSDP and Megatron.
    section("actor_rollout_ref.actor.veomni.", "plan.", OTHERS),
    section("actor_rollout_ref.ref.veomni.", "plan.reference.", OTHERS),
    section("critic.veomni.", "plan.critic.", OTHERS),
    section("actor_rollout_ref.actor.torchtitan.", "plan.", OTHERS),
    section("actor_rollout_ref.ref.torchtitan.", "plan.reference.", OTHERS),
    section("critic.torchtitan.", "plan.critic.", OTHERS),
    section("actor_rollout_ref.actor.mindspeed.", "plan.", MEGATRONS),
    section("actor_rollout_ref.actor.mindspeed.", "plan.", &[Read(MINDSPEED)]),
    section(
        "actor_rollout_ref.actor.mindspeed.override_transformer_config.",
        "plan.",
        &[Both(TRANSFORMER), Read(TRANSFORMER_READ)],
    ),
    section("actor_rollout_ref.actor.mindspeed.mcore_kwargs.", "plan.", &[Both(RECOMPUTE)]),
    section("actor_rollout_ref.ref.mindspeed.", "plan.reference.", MEGATRONS),
    section("actor_rollout_ref.ref.mindspeed.", "plan.reference.", &[Read(MINDSPEED)]),
    section(
        "actor_rollout_ref.ref.mindspeed.override_transformer_config.",
        "plan.reference.",
        &[Both(TRANSFORMER), Read(TRANSFORMER_READ)],
    ),
    section("actor_rollout_ref.ref.mindspeed.mcore_kwargs.", "plan.reference.", &[Both(RECOMPUTE)]),
    section("actor_rollout_ref.actor.engine.", "plan.", &[Read(LITE)]),
    // Fine-tuning: verl.trainer.sft_trainer.
    section("model.", "plan.", MODELS),
    section("optim.", "plan.", OPTIMS),
    section("engine.", "plan.", FSDPS),
    section("engine.", "plan.", MEGATRONS),
    section("engine.override_transformer_config.", "plan.", TRANSFORMERS),
    section("engine.", "plan.", &[Read(LITE)]),
    section("engine.", "plan.", &[Read(AUTOMODEL)]),
    section("engine.", "plan.", OTHERS),
];

const TOP: Keys = &[
    ("skip.*|global_profiler.*|profiler.*", PROFILE),
    ("actor@actor_rollout_ref.actor", Field("plan.backend")),
    ("model", Ignored("the kind of model's configuration")),
    ("ray_kwargs.*|ray_init.*", Ignored("how ray starts")),
    ("checkpoint.*|hydra.*|defaults", LOG),
    ("transfer_queue.*", Ignored("how samples pass between processes")),
    ("custom_reward_function.*|sandbox_fusion.*|reward_manager.*", Ignored("which rule scores")),
    ("ulysses_sequence_parallel_size", Renamed("engine.ulysses_sequence_parallel_size", "0.6.0")),
    ("use_remove_padding", Renamed("model.use_remove_padding", "0.6.0")),
];

const DATA: Keys = &[
    ("micro_batch_size", Renamed("data.micro_batch_size_per_gpu", "0.4.0")),
    ("balance_dp_token", Ignored("the estimate shares tokens evenly")),
    ("pad_mode", Field("workload.packing")),
    (
        "path|output_path|n_samples|prompt_key|reward_fn_key|response_key|prompt_dict_keys|response_dict_keys|tools_key|\
         image_key|image_patch_size|video_key|audio_key|enable_thinking_*|ignore_input_ids_mismatch|chat_template|\
         apply_chat_template_kwargs*|mm_processor_kwargs*|multiturn.*|continuous_token.*|custom_cls.*|datagen.*|sampler.*|\
         tokenizer|tool_config_path|function_tool_path|filter_overlong_prompts_workers|shuffle|validation_shuffle|seed|\
         return_*|train_max_samples|val_max_samples|dataloader_num_workers|num_workers|trust_remote_code|use_shm",
        DATA_SET,
    ),
    ("val_batch_size", VALIDATION),
    ("oversample_factor", Field("workload.rl.oversampling")),
    (
        "filter_accuracy|filter_truncate|accuracy_lower_bound|accuracy_upper_bound",
        Ignored("which prompts of those that are generated train"),
    ),
];

const ALGORITHM: Keys = &[
    ("filter_groups.*", Ignored("which groups are dropped")),
    (
        "rollout_correction.*|rollout_is*|kl_ctrl.*|kl_penalty|gamma|lam|norm_adv_by_std_in_grpo|use_pf_ppo|pf_ppo.*|\
         reward_gt_coef|reward_dpo_coef",
        OBJECTIVE,
    ),
];

const TRAINER: Keys = &[
    ("v1.*", Ignored("the trainer's queues")),
    ("use_v1", Ignored("which trainer runs")),
    ("use_legacy_worker_impl", Removed("0.8.0", "leave it out.")),
    ("critic_warmup", Ignored("steps before the actor trains")),
    ("device", Ignored("the GPU is chosen apart from the script")),
    (
        "project_name|experiment_name|log_val_generations|val_generations_to_log_to_wandb|validation_data_dir|\
         rollout_data_dir|default_local_dir|default_hdfs_dir|resume_mode|resume_path|resume_from_path|\
         del_local_ckpt_after_load|max_actor_ckpt_to_keep|max_critic_ckpt_to_keep|max_ckpt_to_keep|checkpoint*|\
         esi_redundant_time|seed|tensorboard_dir|rl_logging_board_dir",
        LOG,
    ),
    ("val_before_train|val_only", VALIDATION),
    ("ray_wait_register_center_timeout", Ignored("how ray starts")),
    ("profile_*|npu_profile.*|controller_nsight_options.*|worker_nsight_options.*", PROFILE),
    ("worker_env.*", Ignored("how processes start")),
];

const ROLES: Keys = &[("nccl_timeout", Ignored("when a hang is given up")), ("profiler.*", PROFILE)];

const ACTOR: Keys = &[
    ("ppo_micro_batch_size", Plan("micro_batch")),
    ("ulysses_sequence_parallel_size", Plan("ulysses_parallel")),
    ("entropy_coeff", Plan("logit_bytes")),
    (
        "entropy_checkpointing|entropy_from_logits_with_chunking",
        Unmodelled("the estimate keeps the entropy's gradient as its default code does"),
    ),
    ("entropy_from_logits_chunk_size", Ignored("size of a chunk of the loss")),
    ("use_torch_compile", Ignored("the estimate's kernels are compiled ones")),
    ("use_prefix_grouper", Unmodelled("the estimate computes each prompt once per response")),
    ("use_fused_kernels", Renamed("actor_rollout_ref.model.use_fused_kernels", "0.4.1")),
    ("use_remove_padding", Renamed("actor_rollout_ref.model.use_remove_padding", "0.4.0")),
    ("pad_to_length", Unmodelled("the estimate pads nothing where sequences are packed")),
    ("freeze_vision_tower", Unmodelled("the estimate trains every part")),
    ("router_replay.*", ROUTING),
    (
        "calculate_entropy|calculate_sum_pi_squared|sum_pi_squared_checkpointing|clip_ratio|loss_scale_factor|\
         policy_loss.*|tau_pos|tau_neg|grad_clip",
        OBJECTIVE,
    ),
    ("shuffle|data_loader_seed", DATA_SET),
    ("rollout_n", Ignored("actor_rollout_ref.rollout.n says it")),
    ("load_weight", PATH),
    ("checkpoint.*", LOG),
    ("profile*", PROFILE),
    ("qat.*", Unmodelled("the estimate trains without simulated quantisation")),
];
