//! `SkyRL`'s keys and what each means (`skyrl/train/config/config.py` of a956457; older names stand beside the newer).

use crate::binding::Form::{Count, Flag, Share, Size};
use crate::binding::Meaning::{Field, Ignored, Plan, Taken, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Meaning, section};
use crate::emit::megatron::{MATRICES, SHARES};

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
const SAMPLING: Meaning = Ignored("which tokens are sampled");

/// Every key that is known.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    section("", "workload.rl.", &[Read(BATCH)]),
    section("generator.inference_engine.", "plan.rollout.", &[Read(ENGINE)]),
    section("", "plan.", &[Read(ACTOR)]),
    section("trainer.policy.megatron_config.", "plan.", &[Both(MATRICES), Both(SHARES), Read(MEGATRON)]),
    section("", "", &[Read(REST)]),
];

const BATCH: &[(&str, Meaning)] = &[
    ("trainer.train_batch_size", Taken("prompts_per_step", Count(1024))),
    ("generator.n_samples_per_prompt", Taken("responses_per_prompt", Count(5))),
    ("trainer.policy_mini_batch_size", Taken("mini_batch", Count(256))),
    ("trainer.update_epochs_per_batch", Taken("epochs", Size)),
    ("trainer.max_prompt_length", Taken("max_prompt_length", Count(512))),
    ("generator.sampling_params.max_generate_length", Taken("max_response_length", Count(1024))),
];

const ENGINE: &[(&str, Meaning)] = &[
    ("backend", Plan("engine")),
    ("tensor_parallel_size", Taken("tensor_parallel", Size)),
    ("data_parallel_size", Taken("data_parallel", Size)),
    ("expert_parallel_size", Taken("expert_parallel", Size)),
    ("gpu_memory_utilization", Taken("gpu_memory_utilization", Share(0.8))),
    ("max_num_batched_tokens", Taken("max_num_batched_tokens", Count(8192))),
    ("max_num_seqs", Taken("max_num_seqs", Count(1024))),
    ("enforce_eager", Taken("enforce_eager", Flag(false))),
    ("enable_chunked_prefill", Taken("chunked_prefill", Flag(true))),
    ("num_engines", Field("hardware.gpus workload.rl.train_gpus")),
    ("pipeline_parallel_size", Unmodelled("the estimate's engines have no pipeline")),
    ("*", Ignored("how engines start and are reached")),
];

const ACTOR: &[(&str, Meaning)] = &[
    ("trainer.strategy", Plan("backend")),
    ("trainer.policy.sequence_parallel_size", Taken("ulysses_parallel", Size)),
    (
        "trainer.micro_train_batch_size_per_gpu|trainer.max_tokens_per_microbatch",
        Plan("micro_batch max_tokens_per_gpu"),
    ),
    ("trainer.micro_forward_batch_size_per_gpu", Plan("forward_micro_batch forward_max_tokens_per_gpu")),
    ("trainer.gradient_checkpointing", Plan("recompute")),
    ("trainer.policy.fsdp_config.cpu_offload|trainer.policy.optimizer_config.offload_after_step", Plan("offload")),
    ("trainer.policy.fsdp_config.reshard_after_forward", Plan("zero_stage")),
    ("trainer.policy.fsdp_config.fsdp_size", Plan("shard_group")),
    ("trainer.ref.fsdp_config.cpu_offload", Plan("reference.offload")),
];

const MEGATRON: &[(&str, Meaning)] = &[
    (
        "optimizer_config_kwargs.optimizer_cpu_offload|optimizer_config_kwargs.optimizer_offload_fraction",
        Plan("optimizer_offload_fraction"),
    ),
    ("transformer_config_kwargs.recompute_*", Plan("recompute")),
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
        "trainer.algorithm.advantage_estimator|trainer.algorithm.policy_loss_type|trainer.algorithm.eps_clip_low|trainer.algorithm.eps_clip_high",
        Field("workload.kind"),
    ),
    ("trainer.algorithm.grpo_norm_by_std", Field("workload.kind")),
    ("trainer.algorithm.use_kl_loss|trainer.algorithm.use_kl_in_reward", Field("workload.rl.reference")),
    ("trainer.algorithm.dynamic_sampling.type", Field("workload.rl.oversampling")),
    ("trainer.placement.colocate_all", Field("workload.rl.schedule")),
    (
        "trainer.placement.policy_num_nodes|trainer.placement.policy_num_gpus_per_node",
        Field("hardware.gpus hardware.gpus_per_node"),
    ),
    ("trainer.placement.*", Unmodelled("the estimate has the other roles on the actor's GPUs")),
    ("trainer.fully_async.enabled|trainer.fully_async.max_staleness_steps", Field("workload.rl.schedule")),
    ("trainer.fully_async.*", Ignored("queues of the asynchronous trainer")),
    ("trainer.remove_microbatch_padding|trainer.use_sample_packing", Field("workload.packing")),
    ("trainer.max_training_steps", Field("workload.run.steps")),
    ("generator.max_turns", Unmodelled("state workload.rl.agent: how long turns are no text says")),
    ("generator.max_input_length", Unmodelled("the estimate goes by the longest prompt and response")),
    (
        "trainer.ref.*|trainer.critic.*|trainer.critic_mini_batch_size",
        Unmodelled("the estimate lays the other roles out as the actor"),
    ),
    ("trainer.flash_attn", Ignored("the estimate's attention is flash attention")),
    ("trainer.policy.optimizer_config.*|trainer.algorithm.*|trainer.policy.*", OBJECTIVE),
    ("generator.*", SAMPLING),
    ("trainer.*", LOG),
    ("data.*|environment.*", DATA_SET),
];
