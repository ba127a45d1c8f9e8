//! TRL's keys (1.16.0, `trl/trainer/*_config.py`, `trl/scripts/`), and those that releases before it had.

use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning};
use crate::read::trainer::keys::{BESIDE, DATA, LOG, OBJECTIVE, SAMPLING};
use crate::read::trainer::reinforcement::SERVER as SERVER_PREFIX;

/// Its own keys, those of vLLM's server, then the Trainer's, Accelerate's and `DeepSpeed`'s.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    KeySection { prefix: "", plan: "plan.", tables: &[Read(MODEL), Read(DATA_SETS), Read(LOSSES), Read(GENERATION)] },
    KeySection { prefix: SERVER_PREFIX, plan: "plan.", tables: &[Read(SERVER)] },
    BESIDE[0],
    BESIDE[1],
    BESIDE[2],
    BESIDE[3],
    BESIDE[4],
    BESIDE[5],
    BESIDE[6],
];

pub(in crate::read) const MODEL: &[(&str, Meaning)] = &[
    ("model_name_or_path", Field("model")),
    ("dtype|torch_dtype", Plan("master_weights_bytes")),
    ("attn_implementation", Plan("attention_kernel attention")),
    ("use_peft|load_in_4bit|load_in_8bit", Field("workload.kind")),
    ("lora_r", Field("workload.lora.rank")),
    ("lora_target_modules", Field("workload.lora.targets")),
    ("lora_target_parameters", Unmodelled("the estimate's adapters are on whole matrices")),
    ("lora_modules_to_save", Unmodelled("the estimate trains adapters alone")),
    ("activation_offloading", Plan("offload")),
    ("use_liger_kernel|use_liger|use_liger_loss", Ignored("its loss has no logits either")),
    ("model_init_kwargs*|chat_template_path|eos_token|pad_token|disable_dropout", OBJECTIVE),
    ("config", Ignored("the other file")),
    ("accelerate_config", Plan("backend zero_stage")),
];

pub(in crate::read) const DATA_SETS: &[(&str, Meaning)] = &[
    ("max_length|max_seq_length", Field("workload.sequence_length")),
    ("packing|padding_free", Field("workload.packing")),
    ("eval_packing", Ignored("validation")),
    ("pad_to_multiple_of", Ignored("a few tokens")),
    (
        "dataset_*|datasets*|truncation_mode|shuffle_dataset|packing_strategy|streaming|test_split_size|ignore_bias_buffers|env.*",
        DATA,
    ),
    ("completion_only_loss|assistant_only_loss", OBJECTIVE),
];

pub(in crate::read) const LOSSES: &[(&str, Meaning)] = &[
    ("loss_type", Field("workload.kind")),
    ("precompute_ref_log_probs", Field("workload.precompute_ref_log_probs")),
    ("precompute_ref_batch_size", Ignored("the pass before training")),
    ("beta", Field("workload.rl.reference")),
    (
        "loss_weights|ld_alpha|f_*|label_smoothing|use_weighting|discopop_tau|ref_model_mixup_alpha|ref_model_sync_steps|desirable_weight|\
         undesirable_weight|center_rewards_coefficient|router_aux_loss_coef|cpo_alpha|simpo_gamma|reference_free|rpo_alpha",
        OBJECTIVE,
    ),
    ("sync_ref_model", Ignored("copies the policy now and then")),
];

pub(in crate::read) const GENERATION: &[(&str, Meaning)] = &[
    ("num_generations", Field("workload.rl.responses_per_prompt")),
    ("num_generations_eval", Ignored("validation")),
    ("generation_batch_size|steps_per_generation", Field("workload.rl.prompts_per_step")),
    ("num_iterations", Field("workload.rl.epochs")),
    ("max_completion_length", Field("workload.rl.max_response_length")),
    ("max_prompt_length", Field("workload.rl.max_prompt_length")),
    ("vllm_max_model_length|vllm_max_model_len", Field("workload.rl.max_prompt_length")),
    ("use_vllm|vllm_mode", Field("workload.rl.schedule")),
    ("vllm_tensor_parallel_size", Plan("rollout.tensor_parallel")),
    ("vllm_gpu_memory_utilization", Plan("rollout.gpu_memory_utilization")),
    ("vllm_enable_sleep_mode", Plan("rollout.free_cache")),
    ("vllm_importance_sampling_correction", Field("workload.rl.old_log_prob")),
    ("vllm_importance_sampling_*", OBJECTIVE),
    ("importance_sampling_level|scale_rewards|epsilon|epsilon_high", Field("workload.kind")),
    ("reward_model_name_or_path", Field("workload.rl.reward_model")),
    (
        "delta|sapo_*|vespo_*|reward_weights|reward_funcs|reward_model_path|multi_objective_aggregation|mask_truncated_completions|\
         off_policy_mask_threshold|use_bias_correction_kl|normalize_advantages|reward_clip_range|entropy_*|use_adaptive_entropy",
        OBJECTIVE,
    ),
    ("top_entropy_quantile", Ignored("which tokens train, after all of them are computed")),
    (
        "temperature|top_p|top_k|min_p|generation_kwargs*|chat_template_kwargs*|repetition_penalty|cache_implementation",
        SAMPLING,
    ),
    ("teacher_model_name_or_path", Field("workload.distillation.teacher")),
    ("teacher_model_init_kwargs*", Ignored("how the teacher is loaded")),
    ("teacher_model_revision|seq_kd", OBJECTIVE),
    ("lmbda", Field("workload.distillation.on_policy")),
    ("max_new_tokens", Field("workload.rl.max_response_length")),
    ("max_tool_calling_iterations", Unmodelled("the estimate generates one turn")),
    ("use_transformers_continuous_batching|use_transformers_paged", IfOn("the estimate generates with vLLM")),
    (
        "transformers_continuous_batching_config*|ds3_gather_for_generation",
        Ignored("how weights are gathered to generate"),
    ),
    ("cast_lm_head_to_fp32", IfOn("the estimate's logits are products in 16 bits")),
    (
        "vllm_server_*|vllm_group_port|vllm_model_impl|vllm_structured_outputs_regex|vllm_guided_decoding_regex",
        Ignored("where and how the server answers"),
    ),
    ("log_completions*|log_multimodal|num_completions_to_print|log_unique_prompts|wandb_log_unique_prompts", LOG),
];

/// Arguments of `trl vllm-serve`.
const SERVER: &[(&str, Meaning)] = &[
    ("tensor_parallel_size", Plan("rollout.tensor_parallel")),
    ("data_parallel_size", Plan("rollout.data_parallel")),
    ("gpu_memory_utilization", Plan("rollout.gpu_memory_utilization")),
    ("enforce_eager", Plan("rollout.enforce_eager")),
    ("kv_cache_dtype", Plan("rollout.kv_cache_dtype")),
    ("max_model_len", Field("workload.rl.max_prompt_length")),
    (
        "model|revision|dtype|host|port|enable_prefix_caching|trust_remote_code|log_level|vllm_model_impl|distributed_executor_backend",
        Ignored("how the server is reached, and what it loads"),
    ),
    ("speculative_config", Unmodelled("the estimate generates token by token")),
];
