//! NeMo-RL's keys and what each means (`examples/configs/grpo_math_1B.yaml`, `sft.yaml` and `dpo.yaml` of 7ea279a, on which its
//! recipes stand).

use crate::binding::Form::{Count, Flag};
use crate::binding::Meaning::{Field, Ignored, Plan, Taken, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Meaning, section};
use crate::emit::megatron::{MATRICES, SHARES};
use crate::emit::nemo_rl::rows::{BATCH, DTENSOR, ENGINE, ENGINE_BESIDES};

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");

/// Every key that is known.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    section("grpo.", "workload.rl.", &[Both(BATCH)]),
    section("ppo.", "workload.rl.", &[Both(BATCH)]),
    section("distillation.", "workload.rl.", &[Read(DISTILLED)]),
    section("policy.generation.vllm_cfg.", "plan.rollout.", &[Both(ENGINE), Read(ENGINE_READ)]),
    section("policy.generation.vllm_kwargs.", "plan.rollout.", &[Both(ENGINE_BESIDES), Read(BESIDES_READ)]),
    section("policy.dtensor_cfg.", "plan.", &[Both(DTENSOR), Read(DTENSOR_READ)]),
    section("policy.megatron_cfg.", "plan.", &[Both(MATRICES), Both(SHARES), Read(MEGATRON)]),
    section("policy.", "plan.", &[Read(POLICY)]),
    section("", "", &[Read(REST)]),
];

/// `examples/configs/distillation_math.yaml`.
const DISTILLED: &[(&str, Meaning)] = &[
    ("num_prompts_per_step", Taken("prompts_per_step", Count(128))),
    ("num_generations_per_prompt", Taken("responses_per_prompt", Count(1))),
];

const ENGINE_READ: &[(&str, Meaning)] = &[
    ("pipeline_parallel_size", Unmodelled("the estimate's engines have no pipeline")),
    ("async_engine", Ignored("how the engine starts")),
    ("*", Ignored("how the engine starts")),
];

const BESIDES_READ: &[(&str, Meaning)] = &[
    ("enable_chunked_prefill", Taken("chunked_prefill", Flag(true))),
    ("speculative_config.*", Unmodelled("state plan.rollout.speculative_speedup")),
    ("*", Ignored("how the engine starts")),
];

const DTENSOR_READ: &[(&str, Meaning)] = &[
    ("enabled|_v2", Plan("backend")),
    ("expert_parallel_size", Plan("expert_parallel")),
    ("data_parallel_size", Ignored("what the other sizes leave")),
    ("lora_cfg.*", Ignored("adapters, by their rank")),
    ("*", Ignored("how the model is loaded")),
];

const MEGATRON: &[(&str, Meaning)] = &[
    ("enabled", Plan("backend")),
    ("activation_checkpointing|recompute_granularity|recompute_modules", Plan("recompute")),
    ("sequence_parallel", Plan("sequence_parallel")),
    ("moe_enable_deepep|moe_flex_dispatcher_backend", Plan("moe_token_dispatcher")),
    ("attention_backend", Plan("attention_kernel")),
    ("optimizer.use_distributed_optimizer", Plan("zero_stage")),
    ("distributed_data_parallel_config.grad_reduce_in_fp32", Plan("gradient_bytes")),
    (
        "distributed_data_parallel_config.overlap_grad_reduce|distributed_data_parallel_config.overlap_param_gather",
        Plan("overlap"),
    ),
    ("apply_rope_fusion", Taken("apply_rope_fusion", Flag(true))),
    ("optimizer.optimizer_cpu_offload|optimizer.optimizer_offload_fraction", Plan("optimizer_offload_fraction")),
    ("fp8_cfg.*", Plan("precision")),
    ("num_layers_in_*", Unmodelled("the estimate splits layers as evenly as they go")),
    ("fine_grained_activation_offloading|offload_modules", Unmodelled("the estimate keeps activations on the GPU")),
    ("cuda_graph_*", Unmodelled("the estimate launches each kernel")),
    ("mtp_*|draft*", Unmodelled("the estimate trains no further prediction heads")),
    ("peft.*", Ignored("adapters, by their rank")),
    ("*", Ignored("details of Megatron")),
];

const POLICY: &[(&str, Meaning)] = &[
    ("train_micro_batch_size", Plan("micro_batch max_tokens_per_gpu")),
    ("logprob_batch_size", Plan("forward_micro_batch forward_max_tokens_per_gpu")),
    ("sequence_packing.train_mb_tokens|dynamic_batching.train_mb_tokens", Plan("max_tokens_per_gpu")),
    ("sequence_packing.logprob_mb_tokens|dynamic_batching.logprob_mb_tokens", Plan("forward_max_tokens_per_gpu")),
    ("generation.backend", Plan("rollout.engine")),
];

const REST: &[(&str, Meaning)] = &[
    ("policy.model_name", Field("model")),
    ("policy.train_global_batch_size", Field("workload.rl.mini_batch workload.global_batch")),
    ("policy.max_total_sequence_length", Field("workload.rl.max_response_length workload.sequence_length")),
    ("policy.generation.max_new_tokens", Field("workload.rl.max_response_length")),
    ("policy.precision", Field("workload.precision")),
    ("policy.sequence_packing.enabled|policy.dynamic_batching.enabled", Field("workload.packing")),
    (
        "policy.dtensor_cfg.lora_cfg.enabled|policy.dtensor_cfg.lora_cfg.dim|policy.dtensor_cfg.lora_cfg.match_all_linear|\
         policy.dtensor_cfg.lora_cfg.target_modules",
        Field("workload.lora"),
    ),
    (
        "policy.megatron_cfg.peft.enabled|policy.megatron_cfg.peft.dim|policy.megatron_cfg.peft.target_modules",
        Field("workload.lora"),
    ),
    ("policy.generation.colocated.*", Field("hardware.gpus workload.rl.train_gpus workload.rl.schedule")),
    (
        "grpo.async_grpo.enabled|grpo.async_grpo.max_trajectory_age_steps|ppo.async_ppo.enabled|ppo.async_ppo.max_trajectory_age_steps",
        Field("workload.rl.schedule"),
    ),
    (
        "grpo.async_grpo.in_flight_weight_updates|ppo.async_ppo.in_flight_weight_updates",
        Field("workload.rl.partial_rollout"),
    ),
    ("grpo.use_dynamic_sampling|ppo.use_dynamic_sampling", Field("workload.rl.oversampling")),
    ("grpo.batch_multiplier|ppo.batch_multiplier", Field("workload.rl.gen_batch_size")),
    ("ppo.ppo_epochs", Field("workload.rl.epochs")),
    ("value.model_name", Field("workload.rl.critic")),
    ("teacher.model_name", Field("workload.distillation.teacher")),
    ("distillation.topk_logits_k", Field("workload.distillation.top_k")),
    (
        "teacher.dtensor_cfg.tensor_parallel_size|teacher.dtensor_cfg.context_parallel_size|teacher.megatron_cfg.tensor_model_parallel_size|\
         teacher.megatron_cfg.pipeline_model_parallel_size|teacher.megatron_cfg.context_parallel_size",
        Unmodelled("the estimate lays the teacher out as the student"),
    ),
    ("teacher.*|value.*", Ignored("how the model is loaded")),
    (
        "grpo.adv_estimator.name|grpo.normalize_rewards|grpo.use_leave_one_out_baseline|loss_fn.disable_ppo_ratio|loss_fn.use_cispo|\
         loss_fn.sequence_level_importance_ratios|loss_fn.ratio_clip_min|loss_fn.ratio_clip_max|loss_fn.ratio_clip_c",
        Field("workload.kind"),
    ),
    ("loss_fn.reference_policy_kl_penalty", Field("workload.rl.reference")),
    ("loss_fn.force_on_policy_ratio", Field("workload.rl.old_log_prob")),
    (
        "grpo.max_num_steps|sft.max_num_steps|dpo.max_num_steps|ppo.max_num_steps|distillation.max_num_steps",
        Field("workload.run.steps"),
    ),
    ("cluster.num_nodes|cluster.gpus_per_node", Field("hardware.gpus hardware.gpus_per_node")),
    (
        "grpo.max_rollout_turns|ppo.max_rollout_turns|distillation.max_rollout_turns",
        Unmodelled("state workload.rl.agent: how long turns are no text says"),
    ),
    (
        "policy.optimizer.*|policy.scheduler.*|policy.scheduler|policy.max_grad_norm|loss_fn.*|value_loss_fn.*|grpo.*|sft.*|dpo.*|ppo.*|\
         distillation.*",
        OBJECTIVE,
    ),
    ("policy.generation.*", Ignored("which tokens are sampled, and how weights are sent")),
    ("policy.*", Ignored("how the model is loaded")),
    ("checkpointing.*|logger.*|cluster.*|data_plane.*|defaults|reward_penalties.*|on_policy_distillation", LOG),
    ("data.max_input_seq_length", Field("workload.rl.max_prompt_length")),
    ("data.*|env.*|tokenizer.*", DATA_SET),
];
