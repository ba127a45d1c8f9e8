//! `SkyRL`'s keys and what each means (`skyrl/train/config/config.py` of 0.3.0; older names, and newer ones of a956457,
//! stand beside them).

use crate::binding::Form::Flag;
use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Taken, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Meaning, section};
use crate::emit::megatron::{MATRICES, SHARES};
use crate::emit::skyrl::rows::{AGENT, BATCH, ENGINE, FSDP};

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
const SAMPLING: Meaning = Ignored("which tokens are sampled");

/// Every key that is known.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    section("", "workload.rl.", &[Both(BATCH)]),
    section("generator.inference_engine.", "plan.rollout.", &[Both(ENGINE), Read(ENGINE_READ)]),
    section("trainer.policy.", "plan.", &[Both(FSDP)]),
    section("", "plan.", &[Read(ACTOR)]),
    section("trainer.policy.megatron_config.", "plan.", &[Both(MATRICES), Both(SHARES), Read(MEGATRON)]),
    section("", "", &[Both(AGENT), Read(REST)]),
];

const ENGINE_READ: &[(&str, Meaning)] = &[
    ("backend", Plan("engine")),
    ("num_engines", Field("hardware.gpus workload.rl.train_gpus")),
    ("pipeline_parallel_size", Unmodelled("the estimate's engines have no pipeline")),
    ("engine_init_kwargs.max_model_len", Ignored("the longest prompt and response say it")),
    ("engine_init_kwargs.*", Unmodelled("the estimate's engine runs by its defaults")),
    ("*", Ignored("how engines start and are reached")),
];

const ACTOR: &[(&str, Meaning)] = &[
    ("trainer.strategy", Plan("backend")),
    (
        "trainer.micro_train_batch_size_per_gpu|trainer.max_tokens_per_microbatch",
        Plan("micro_batch max_tokens_per_gpu"),
    ),
    ("trainer.micro_forward_batch_size_per_gpu", Plan("forward_micro_batch forward_max_tokens_per_gpu")),
    ("trainer.gradient_checkpointing", Plan("recompute")),
    ("trainer.policy.fsdp_config.cpu_offload|trainer.policy.optimizer_config.offload_after_step", Plan("offload")),
    ("trainer.flash_attn", Plan("attention_kernel")),
    ("trainer.fused_lm_head_logprob", Taken("fused_lm_head", Flag(false))),
    ("trainer.ref.fsdp_config.cpu_offload", Plan("reference.offload")),
];

const MEGATRON: &[(&str, Meaning)] = &[
    (
        "optimizer_config_kwargs.optimizer_cpu_offload|optimizer_config_kwargs.optimizer_offload_fraction",
        Plan("optimizer_offload_fraction"),
    ),
    ("transformer_config_kwargs.recompute_*", Plan("recompute")),
    ("transformer_config_kwargs.apply_rope_fusion", Taken("apply_rope_fusion", Flag(true))),
    (
        "transformer_config_kwargs.moe_enable_deepep|transformer_config_kwargs.moe_flex_dispatcher_backend|moe_token_dispatcher_type",
        Plan("moe_token_dispatcher"),
    ),
    ("transformer_config_kwargs.num_layers_in_*", Unmodelled("the estimate splits layers as evenly as they go")),
    ("ddp_config.grad_reduce_in_fp32", Plan("gradient_bytes")),
    ("ddp_config.overlap_grad_reduce|ddp_config.overlap_param_gather", Plan("overlap")),
    ("transformer_config_kwargs.moe_shared_expert_overlap", Ignored("the estimate runs shared experts by themselves")),
    ("optimizer_config_kwargs.*", Ignored("details of its optimizer")),
    ("moe_*|mtp_*|freeze_moe_router", Ignored("which experts are taken, and further heads")),
    ("*", Ignored("details of Megatron")),
];

const REST: &[(&str, Meaning)] = &[
    ("trainer.policy.model.path", Field("model")),
    ("trainer.critic.model.path", Field("workload.rl.critic")),
    ("trainer.policy.model.lora.rank|trainer.policy.model.lora.target_modules", Field("workload.lora")),
    ("trainer.policy.model.lora.*", Ignored("how adapters are scaled")),
    (
        "trainer.algorithm.advantage_estimator|trainer.algorithm.eps_clip_low|trainer.algorithm.eps_clip_high",
        Field("workload.kind"),
    ),
    ("trainer.algorithm.grpo_norm_by_std", Field("workload.kind")),
    ("trainer.algorithm.use_kl_loss|trainer.algorithm.use_kl_in_reward", Field("workload.rl.reference")),
    ("trainer.algorithm.policy_loss_type", Field("workload.kind workload.rl.old_log_prob")),
    ("trainer.algorithm.dynamic_sampling.type", Field("workload.rl.oversampling")),
    ("trainer.placement.colocate_all", Field("workload.rl.schedule")),
    (
        "trainer.placement.policy_num_nodes|trainer.placement.policy_num_gpus_per_node",
        Field("hardware.gpus hardware.gpus_per_node"),
    ),
    (
        "trainer.placement.ref_num_nodes|trainer.placement.ref_num_gpus_per_node|trainer.placement.critic_num_nodes|\
         trainer.placement.critic_num_gpus_per_node",
        Field("hardware.gpus hardware.gpus_per_node"),
    ),
    ("trainer.placement.*", Unmodelled("the estimate has the other roles on the actor's GPUs")),
    ("trainer.fully_async.enabled|trainer.fully_async.max_staleness_steps", Field("workload.rl.schedule")),
    ("trainer.fully_async.*", Ignored("queues of the asynchronous trainer")),
    ("trainer.remove_microbatch_padding|trainer.use_sample_packing", Field("workload.packing")),
    ("trainer.max_training_steps", Field("workload.run.steps")),
    (
        "generator.vision_language_generator",
        Ignored("how images are read; workload.images of the question counts them"),
    ),
    ("generator.step_wise_trajectories", IfOn("the estimate trains on a response once, with all its turns")),
    ("generator.merge_stepwise_output", Ignored("turns that continue one another become one sequence again")),
    (
        "generator.use_conversation_multi_turn|generator.append_eos_token_after_stop_str_in_multi_turn|\
         generator.chat_template.*|generator.chat_template_kwargs.*|generator.chat_template_kwargs",
        Ignored("how turns become messages"),
    ),
    ("trainer.critic_mini_batch_size", Field("workload.rl.mini_batch")),
    ("trainer.ref.sequence_parallel_size|trainer.critic.sequence_parallel_size", Field("plan.ulysses_parallel")),
    (
        "trainer.ref.fsdp_config.reshard_after_forward|trainer.critic.fsdp_config.reshard_after_forward",
        Field("plan.zero_stage"),
    ),
    ("trainer.ref.fsdp_config.fsdp_size|trainer.critic.fsdp_config.fsdp_size", Field("plan.shard_group")),
    ("trainer.ref.megatron_config.tensor_model_parallel_size", Field("plan.tensor_parallel")),
    ("trainer.ref.megatron_config.pipeline_model_parallel_size", Field("plan.pipeline_parallel")),
    ("trainer.ref.megatron_config.context_parallel_size", Field("plan.context_parallel")),
    ("trainer.ref.megatron_config.expert_model_parallel_size", Field("plan.expert_parallel")),
    ("trainer.ref.megatron_config.expert_tensor_parallel_size", Field("plan.expert_tensor_parallel")),
    (
        "trainer.ref.megatron_config.transformer_config_kwargs.num_layers_in_*",
        Unmodelled("the estimate splits layers as evenly as they go"),
    ),
    ("max_length", Field("workload.sequence_length")),
    ("batch_size", Field("workload.global_batch")),
    ("num_steps|max_training_steps", Field("workload.run.steps")),
    ("trainer.ref.*|trainer.critic.*", Unmodelled("the estimate lays the other roles out as the actor")),
    ("trainer.policy.optimizer_config.*|trainer.algorithm.*|trainer.policy.*", OBJECTIVE),
    ("generator.*", SAMPLING),
    ("trainer.*", LOG),
    ("data.*|environment.*", DATA_SET),
];
