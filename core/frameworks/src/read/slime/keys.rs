//! slime's own arguments, beside Megatron-LM's (`slime/utils/arguments.py` of 624b824), underscores for dashes.

use crate::binding::Form::{Count, Flag, Share, Size, Stated};
use crate::binding::Meaning::{Field, Ignored, Plan, Taken, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Meaning, Table};
use crate::emit::megatron::RECOMPUTE;
use crate::read::megatron::keys::{KEYS, LAYOUT};

const fn arguments(plan: &'static str, tables: &'static [Table]) -> KeySection {
    KeySection { prefix: "--", plan, tables }
}

/// Every argument that is known: its own first, as some of Megatron's mean something else here.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    arguments("workload.rl.", &[Read(BATCH)]),
    arguments("plan.rollout.", &[Read(ENGINE)]),
    arguments("plan.", &[Read(OWN)]),
    arguments("plan.", LAYOUT),
    arguments("plan.", &[Both(RECOMPUTE)]),
    arguments("plan.", &[Read(KEYS)]),
];

const BATCH: &[(&str, Meaning)] = &[
    ("rollout_batch_size", Taken("prompts_per_step", Stated)),
    ("over_sampling_batch_size", Taken("gen_batch_size", Stated)),
    ("n_samples_per_prompt", Taken("responses_per_prompt", Count(1))),
    ("balance_data", Taken("balance_batch", Flag(false))),
];

const ENGINE: &[(&str, Meaning)] = &[
    ("rollout_num_gpus_per_engine", Taken("tensor_parallel", Size)),
    ("sglang_mem_fraction_static", Taken("gpu_memory_utilization", Share(0.88))),
    ("sglang_max_running_requests", Taken("max_num_seqs", Stated)),
    ("sglang_disable_cuda_graph", Taken("enforce_eager", Flag(false))),
    ("sglang_kv_cache_dtype", Plan("kv_cache_dtype")),
    ("sglang_ep_size|sglang_expert_parallel_size", Plan("expert_parallel")),
    ("sglang_dp_size|sglang_data_parallel_size|sglang_enable_dp_attention", Plan("data_parallel")),
    ("sglang_speculative_*", Unmodelled("state plan.rollout.speculative_speedup")),
    ("sglang_*", Ignored("how the engine starts and answers")),
];

const OWN: &[(&str, Meaning)] = &[
    ("hf_checkpoint", Field("model")),
    ("actor_num_nodes|actor_num_gpus_per_node|rollout_num_gpus", Field("hardware.gpus workload.rl.train_gpus")),
    ("num_gpus_per_node", Field("hardware.gpus_per_node")),
    ("colocate", Field("workload.rl.schedule")),
    ("global_batch_size|num_steps_per_rollout", Field("workload.rl.mini_batch")),
    ("rollout_max_prompt_len", Field("workload.rl.max_prompt_length")),
    ("rollout_max_response_len|rollout_max_context_len", Field("workload.rl.max_response_length")),
    ("num_rollout", Field("workload.run.steps")),
    ("dynamic_sampling_filter_path", Field("workload.rl.oversampling")),
    ("use_dynamic_batch_size|max_tokens_per_gpu|micro_batch_size", Plan("max_tokens_per_gpu micro_batch")),
    ("log_probs_max_tokens_per_gpu", Plan("forward_max_tokens_per_gpu")),
    ("advantage_estimator|loss_type", Field("workload.kind")),
    ("use_kl_loss|kl_coef|ref_load", Field("workload.rl.reference")),
    ("use_rollout_logprobs", Field("workload.rl.old_log_prob")),
    ("moe_enable_deepep|moe_flex_dispatcher_backend|moe_token_dispatcher_type", Plan("moe_token_dispatcher")),
    ("overlap_moe_expert_parallel_comm", Taken("overlap_moe_expert_parallel_comm", Flag(false))),
    ("offload|offload_train|no_offload_train", Plan("offload")),
    ("offload_rollout|no_offload_rollout", Ignored("what the engine gives back while training goes on")),
    ("use_opd|opd_*", Unmodelled("the estimate has no teacher here")),
    ("partial_rollout|mask_offpolicy_in_partial_rollout", Unmodelled("the estimate finishes every response")),
    ("custom_generate_function_path", Unmodelled("state workload.rl.agent where responses call tools")),
    ("train_backend", Unmodelled("the estimate's trainer is Megatron")),
    ("critic_*|num_critic_only_steps|value_clip", Unmodelled("the estimate lays the critic out as the actor")),
    ("update_weight_*", Ignored("how weights are sent")),
    (
        "prompt_data|input_key|label_key|metadata_key|tool_key|multimodal_keys|apply_chat_template*|rollout_shuffle|\
         rollout_seed|rm_*|custom_rm_path|reward_key|group_rm|loss_mask_type|data_pad_size_multiplier|num_epoch|\
         disable_rollout_global_dataset|data_source_path|buffer_filter_path|rollout_function_path|custom_*|rollout_*|\
         start_rollout_id",
        Ignored("which data is read, and how"),
    ),
    (
        "eps_clip*|entropy_coef|kl_loss_*|gamma|lambd|normalize_advantages|use_tis|tis_*|use_unbiased_kl|\
         disable_grpo_std_normalization|disable_rewards_normalization|calculate_per_token_loss|use_opsm|opsm_delta|\
         use_routing_replay|use_rollout_routing_replay|ref_update_interval|get_mismatch_metrics|\
         disable_compute_advantages_and_returns",
        Ignored("changes the loss, not what a step costs"),
    ),
    ("n_samples_per_eval_prompt|skip_eval_before_train", Ignored("validation")),
    (
        "use_wandb|wandb*|use_tensorboard|tb_*|dump_details|save_debug_*|load_debug_*|use_fault_tolerance|ci_*|\
         model_name|megatron_to_hf_mode|train_memory_margin_bytes|train_env_vars|use_slime_router|router_*|slime_*|\
         memory_*|record_memory_history|ref_ckpt_step|keep_old_actor|http_proxy|use_distributed_post|\
         log_*|distributed_timeout_minutes",
        Ignored("logs and checkpoints"),
    ),
    ("log_probs_chunk_size|recompute_loss_function", Ignored("size of a chunk of the loss")),
    ("debug_train_only|debug_rollout_only", Ignored("which phases run")),
    ("enable_mtp_training", Unmodelled("the estimate trains no further prediction heads")),
    ("allgather_cp", Unmodelled("the estimate's context parallelism sends keys and values around a ring")),
    ("use_gated_attention|attention_output_gate", Unmodelled("the model's shape is that of the arguments")),
];
