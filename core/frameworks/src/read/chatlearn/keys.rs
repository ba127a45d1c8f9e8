//! `ChatLearn`'s keys and what each means, after the dataclasses in `chatlearn/configs` of b7af31a.

use crate::binding::Form::{Flag, Size};
use crate::binding::Meaning::{Field, Ignored, Plan, Taken, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Meaning};
use crate::emit::megatron::RECOMPUTE;
use crate::read::megatron::keys::LAYOUT;

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
const PLACE: Meaning = Ignored("where processes run");
const SAMPLING: Meaning = Ignored("which tokens are sampled");
const FOLLOWS: Meaning = Ignored("it follows another key in the templates");
const STAGES: Meaning = Unmodelled("the estimate splits layers as evenly as they go");
const TURNS: Meaning = Unmodelled("the estimate's responses have one turn");
const FORWARD: Meaning = Ignored("the estimate's forward pass takes twice the update's");

/// Every key of `ChatLearn` that is known.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    KeySection { prefix: "runtime_args.", plan: "plan.", tables: &[Read(RUNTIME)] },
    KeySection { prefix: "models.policy_trainer.", plan: "plan.", tables: LAYOUT },
    KeySection { prefix: "models.policy_trainer.", plan: "plan.", tables: &[Both(RECOMPUTE)] },
    KeySection { prefix: "models.policy_trainer.", plan: "plan.", tables: &[Read(TRAINER)] },
    KeySection { prefix: "models.ref_policy.", plan: "plan.reference.", tables: &[Read(REFERENCE)] },
    KeySection { prefix: "models.policy.", plan: "plan.rollout.", tables: &[Read(POLICY)] },
    KeySection { prefix: "models.reward.", plan: "", tables: &[Read(&[("*", Ignored("which rule scores"))])] },
    KeySection {
        prefix: "models.rollout_manager.",
        plan: "",
        tables: &[Read(&[("*", Unmodelled("the estimate's engines share the requests evenly"))])],
    },
    KeySection {
        prefix: "models.partial_rollout_manager.",
        plan: "",
        tables: &[Read(&[("*", Unmodelled("the estimate waits for every response"))])],
    },
    KeySection { prefix: "env_args.", plan: "", tables: &[Read(&[("*", PLACE)])] },
];

const RUNTIME: &[(&str, Meaning)] = &[
    ("train_backend", Plan("backend")),
    ("rollout_backend", Plan("rollout.engine")),
    ("sample_per_episode", Field("workload.rl.prompts_per_step")),
    ("train_global_batch_size", Field("workload.rl.mini_batch")),
    ("train_micro_batch_size", Plan("micro_batch")),
    ("num_inference_per_prompt", Field("workload.rl.responses_per_prompt")),
    ("colocation", Ignored("generation and training share the GPUs in any case")),
    ("use_rollout_manager", Unmodelled("the estimate's engines share the requests evenly")),
    ("use_partial_rollout", Unmodelled("the estimate waits for every response")),
    ("task_type", TURNS),
    ("model_type", Ignored("the model says it")),
    ("raw_chat|data_*|stream_data_loader_type", DATA_SET),
    ("eval_*|enable_eval_before_training", Ignored("validation")),
    ("num_episode", Field("workload.run.steps")),
    ("num_training_epoch", Ignored("length of the run")),
    (
        "save_episode_interval|exp_name|output_dir|log_*|consumed_samples|debug|profiler_*|nsys|\
         enable_resume_training|max_data_ckpt_nums|load_data_checkpoint_iteration",
        LOG,
    ),
    ("max_replay_episode|replay_episode_offset", Ignored("samples that are kept")),
    ("bucket_size_mb_in_memory_manager", Ignored("size of one copy to the host")),
    (
        "free_sync_collective_group|validate_param_sync|concurrent_setup|cpu_schedule_strategy|\
         policy_to_regroup_queue",
        PLACE,
    ),
];

/// Both backends' keys, and those of either.
const TRAINER: &[(&str, Meaning)] = &[
    ("num_gpu", Field("hardware.gpus")),
    ("packing", Field("workload.packing plan.max_tokens_per_gpu plan.micro_batch")),
    ("max_token_in_packing", Plan("max_tokens_per_gpu")),
    ("load", Field("model")),
    ("ulysses_sequence_parallel_size", Plan("ulysses_parallel")),
    ("virtual_pipeline_model_parallel_size", Taken("virtual_pipeline", Size)),
    ("free_gpu_memory.offload_weights", Plan("offload.parameters")),
    ("free_gpu_memory.offload_optimizer_states", Plan("offload.optimizer")),
    ("free_gpu_memory.free_grad_buffers", Plan("offload.gradients")),
    (
        "train_micro_batch_size|max_prompt_tokens_length|max_response_tokens_length|seq_length|variable_seq_lengths|\
         num_inference_per_prompt|enable_thinking",
        FOLLOWS,
    ),
    ("generation_batch_size", FORWARD),
    ("fsdp_size", Ignored("ChatLearn sets it to num_gpu, whatever is stated")),
    ("gradient_checkpointing", Ignored("ChatLearn's FSDP recomputes each layer, whatever is stated")),
    ("meta_init", Ignored("how weights are loaded")),
    ("groupgemm", Ignored("the estimate has one kernel for all experts")),
    ("save_hf|rerun_mode|no_load_*|finetune", LOG),
    ("decoder_first_pipeline_num_layers|decoder_last_pipeline_num_layers|pipeline_model_parallel_layout", STAGES),
    ("bf16", Ignored("ChatLearn trains in bf16")),
    ("empty_unused_memory_level", Ignored("when the allocator gives memory back")),
    ("use_expandable_segments", Ignored("how the allocator grows")),
    ("gradient_accumulation_fusion", Ignored("the estimate's kernels are fused ones")),
    (
        "distributed_timeout_minutes|model_provider_module|gpu_per_process|cpu_per_process|num_cpu|num_replica|\
         trainable|sync_frequency|replica_dp_size",
        PLACE,
    ),
    ("moe_router_force_load_balancing", Ignored("the estimate's experts are balanced")),
    ("megatron_model_cfg.moe_token_dispatcher_type", Plan("moe_token_dispatcher")),
    ("megatron_model_cfg.apply_rope_fusion", Taken("apply_rope_fusion", Flag(true))),
    ("megatron_model_cfg.overlap_moe_expert_parallel_comm", Taken("overlap_moe_expert_parallel_comm", Flag(false))),
    ("megatron_model_cfg.overlap_p2p_comm", Ignored("the estimate's chunks send while they compute")),
    (
        "megatron_model_cfg.attention_backend",
        Unmodelled("the estimate's attention is what TransformerEngine takes by itself"),
    ),
    ("megatron_model_cfg.*", Unmodelled("the model's shape is the catalog's")),
    (
        "seed|optimizer.*|kl_coef|entropy_coef|pos_clip_ratio|neg_clip_ratio|diff_clip_ratio|final_clip_ratio|\
         calculate_per_token_loss|use_checkpoint_opt_param_scheduler",
        OBJECTIVE,
    ),
    ("tokenizer_*|trust_remote_code", DATA_SET),
    ("use_group_sequence_policy", Field("workload.kind")),
    ("freeze_vision", Unmodelled("the estimate trains every part")),
];

const REFERENCE: &[(&str, Meaning)] = &[
    ("free_gpu_memory.offload_weights", Plan("offload.parameters")),
    ("generation_batch_size", FORWARD),
    ("*", FOLLOWS),
];

const POLICY: &[(&str, Meaning)] = &[
    ("load", Field("model")),
    ("num_inference_per_prompt", Field("workload.rl.responses_per_prompt")),
    ("max_prompt_tokens_length", Field("workload.rl.max_prompt_length")),
    ("max_response_tokens_length", Field("workload.rl.max_response_length")),
    ("tensor_model_parallel_size", Plan("tensor_parallel")),
    ("generation_batch_size", Plan("max_num_seqs")),
    ("max_num_batched_tokens", Plan("max_num_batched_tokens")),
    ("gpu_memory_utilization", Plan("gpu_memory_utilization")),
    ("enforce_eager", Plan("enforce_eager")),
    ("free_gpu_memory.offload_weights", Plan("free_cache")),
    ("is_sync_mode", Ignored("how requests reach the engine")),
    (
        "pipeline_model_parallel_size|expert_model_parallel_size",
        Unmodelled("the estimate's engine splits matrices alone"),
    ),
    ("seq_length|num_gpu|max_seq_len_to_capture|packing|max_token_in_packing", FOLLOWS),
    ("num_replica|gpu_per_process|trainable|sync_frequency|replica_dp_size|num_cpu|cpu_per_process", PLACE),
    ("trust_remote_code|vllm_*", DATA_SET),
    (
        "temperature|top_p|top_k|min_p|presence_penalty|frequency_penalty|repetition_penalty|stop_token_list|\
         new_token_limit|enable_thinking|seed",
        SAMPLING,
    ),
    ("eval_*", Ignored("validation")),
    ("enable_stage_resume", LOG),
    ("max_turns|*_cfg_path", TURNS),
    ("free_gpu_memory.free_grad_buffers", Ignored("the engine has no gradients")),
    ("free_gpu_memory.offload_optimizer_states", Ignored("the engine has no optimizer")),
];
