//! ms-swift's keys (4.6.0, `swift/arguments`, `swift/trainers`, `swift/rlhf_trainers`, `swift/megatron/arguments`), and those
//! that releases before it had.

use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Renamed, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Meaning};
use crate::emit::megatron::RECOMPUTE;
use crate::read::megatron::keys::LAYOUT;
use crate::read::trainer::keys::{BESIDE, DATA, LAUNCHER, LOG, OBJECTIVE, SAMPLING};

/// Its own keys, those of its Megatron, then the Trainer's, Accelerate's and `DeepSpeed`'s.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    KeySection {
        prefix: "",
        plan: "plan.",
        tables: &[Read(MODEL), Read(DATA_SETS), Read(TUNER), Read(GENERATION), Read(OTHERS), Read(EARLIER)],
    },
    KeySection { prefix: "", plan: "plan.", tables: LAYOUT },
    KeySection { prefix: "", plan: "plan.", tables: &[Both(RECOMPUTE)] },
    KeySection { prefix: "", plan: "plan.", tables: &[Read(MEGATRON)] },
    BESIDE[0],
    BESIDE[1],
    BESIDE[2],
    BESIDE[3],
    BESIDE[4],
    BESIDE[5],
    BESIDE[6],
];

const KERNELS: Meaning = Ignored("the estimate's kernels are fused ones");
const IMAGES: Meaning = Ignored("how images and sounds are read; workload.images of the question counts them");

const MODEL: &[(&str, Meaning)] = &[
    ("model", Field("model")),
    ("config", Ignored("the other file")),
    ("torch_dtype", Field("workload.precision plan.master_weights_bytes")),
    ("attn_impl", Plan("attention_kernel attention")),
    ("rlhf_type|loss_type", Field("workload.kind")),
    ("tuner_type|train_type|quant_bits|load_in_4bit", Field("workload.kind")),
    ("quant_method|hqq_axis", Ignored("the type of the 4-bit base")),
    (
        "model_type|task_type|num_labels|problem_type|new_special_tokens|rope_scaling|device_map|max_memory|max_model_len|local_repo_path|init_strategy|\
         use_hf|hub_token|ignore_args_error|custom_register_path|external_plugins|custom_dataset_info|model_kwargs*|load_args|load_data_args|\
         check_model|enable_npu_model_patch|tuner_backend|use_swift_lora|add_version|create_checkpoint_symlink",
        Ignored("how files are loaded"),
    ),
    ("experts_impl", KERNELS),
    ("sequence_parallel_size", Plan("ulysses_parallel context_parallel")),
    ("deepspeed_autotp_size", Plan("tensor_parallel")),
    ("zero_hpz_partition_size", Plan("zero_hpz_partition_size")),
    ("use_liger_kernel", Plan("fused_lm_head")),
    ("optimizer", Plan("optimizer")),
    ("train.gpus|device_groups.nproc_per_node", Field("hardware.gpus hardware.gpus_per_node")),
    ("rollout.gpus|colocate_groups|teacher.*", Unmodelled("the estimate is of the training step alone")),
    ("vit_gradient_checkpointing*|vit_attn_impl|vit_lr|aligner_lr|max_pixels|norm_bbox", IMAGES),
    ("freeze_vit|freeze_aligner", IMAGES),
    (
        "freeze_llm|freeze_parameters*|trainable_parameters*",
        IfOn("the estimate trains the language model, all of it or adapters on it"),
    ),
];

/// Names of ms-swift 2 (`docs/source_en/Instruction/ReleaseNote3.0.md`, `BreakChanges`,
/// <https://github.com/modelscope/ms-swift/blob/1b132f644eccb1990a6fcb604271b82b9a068dae/docs/source_en/Instruction/ReleaseNote3.0.md>).
/// Those whose values have other words now as well are read as they are.
const EARLIER: &[(&str, Meaning)] = &[
    ("sft_type", Renamed("tuner_type", "3.0")),
    ("model_id_or_path", Renamed("model", "3.0")),
    ("template_type", Renamed("template", "3.0")),
    ("quantization_bit", Renamed("quant_bits", "3.0")),
    ("batch_size", Renamed("per_device_train_batch_size", "3.0")),
    ("eval_batch_size", Renamed("per_device_eval_batch_size", "3.0")),
    ("check_model_is_latest", Renamed("check_model", "3.0")),
    ("add_output_dir_suffix", Renamed("add_version", "3.0")),
    ("bnb_4bit_comp_dtype", Renamed("bnb_4bit_compute_dtype", "3.0")),
    ("dtype", Field("workload.precision plan.master_weights_bytes")),
    ("lora_target_modules", Field("workload.lora.targets")),
    ("use_flash_attn", Plan("attention_kernel attention")),
    (
        "train_dataset_sample|val_dataset_sample|dataset_test_ratio|check_dataset_strategy|custom_train_dataset_path|custom_val_dataset_path|preprocess_num_proc|self_cognition_sample",
        DATA,
    ),
    ("eval_human|do_sample|predict_with_generate|only_save_model|save_on_each_node", LOG),
];

const DATA_SETS: &[(&str, Meaning)] = &[
    ("max_length", Field("workload.sequence_length")),
    ("packing|padding_free", Field("workload.packing")),
    (
        "dataset|val_dataset|cached_dataset|cached_val_dataset|split_dataset_ratio|dataset_*|load_from_cache_file|val_dataset_shuffle|streaming|\
         interleave_prob|stopping_strategy|shuffle_buffer_size|download_mode|columns*|strict|disable_auto_column_mapping|model_name|model_author|\
         template|system|truncation_strategy|agent_template|use_chat_template|padding_side|loss_scale|is_binary_loss_scale|template_backend|\
         response_prefix|enable_thinking|preserve_thinking|add_non_thinking_prefix|disable_ignore_empty_think|packing_*|lazy_tokenize|\
         train_dataloader_shuffle|decision_*|to_cached_dataset",
        DATA,
    ),
];

const TUNER: &[(&str, Meaning)] = &[
    ("lora_rank", Field("workload.lora.rank")),
    ("target_modules|target_regex", Field("workload.lora.targets")),
    ("target_parameters|modules_to_save", IfOn("the estimate trains adapters alone, on whole matrices")),
    ("adapters|ref_adapters|merge_lora|init_weights|lorap_lr_ratio|lora_*", OBJECTIVE),
    (
        "fourier_*|boft_*|vera_*|adapter_*|adalora_*|reft_*|llamapro_*|lisa_*|use_galore|galore_*",
        IfOn("the estimate's adapters are LoRA's, and its optimizer has whole moments"),
    ),
    (
        "beta|label_smoothing|rpo_alpha|ld_alpha|discopop_tau|loss_weights|cpo_alpha|simpo_gamma|desirable_weight|undesirable_weight|\
         center_rewards_coefficient|router_aux_loss_coef|enable_dft_loss|enable_channel_loss|reference_free|f_divergence_type|mrl_dims|\
         calculate_KL|acc_strategy",
        OBJECTIVE,
    ),
    ("ref_model*|reward_*|reward_model*", Ignored("which weights score")),
    ("teacher_deepspeed|teacher_model_*|sft_alpha", Ignored("how the teacher is loaded, and what of it counts")),
    ("teacher_model", Field("workload.distillation.teacher")),
    ("offload_teacher_model", Unmodelled("the estimate has the teacher on the card")),
    ("lmbda|seq_kd", Field("workload.distillation.on_policy")),
    ("gkd_logits_topk", Field("workload.distillation.top_k")),
    (
        "num_ppo_epochs|whiten_rewards|kl_coef|cliprange*|vf_coef|gamma|lam|num_mini_batches|local_rollout_forward_batch_size|num_sample_generations|missing_eos_penalty",
        OBJECTIVE,
    ),
];

const GENERATION: &[(&str, Meaning)] = &[
    ("num_generations", Field("workload.rl.responses_per_prompt")),
    ("num_generations_eval", Ignored("validation")),
    ("generation_batch_size|steps_per_generation", Field("workload.rl.prompts_per_step")),
    ("num_iterations", Field("workload.rl.epochs")),
    ("max_completion_length|response_length", Field("workload.rl.max_response_length")),
    ("vllm_max_model_len", Field("workload.rl.max_prompt_length")),
    ("use_vllm|vllm_mode", Field("workload.rl.schedule")),
    ("vllm_tensor_parallel_size", Plan("rollout.tensor_parallel")),
    ("vllm_gpu_memory_utilization", Plan("rollout.gpu_memory_utilization")),
    ("vllm_max_num_seqs", Plan("rollout.max_num_seqs")),
    ("vllm_enforce_eager", Plan("rollout.enforce_eager")),
    ("sleep_level", Plan("rollout.free_cache")),
    ("offload_model|offload_optimizer", Plan("offload")),
    ("importance_sampling_level|scale_rewards|epsilon|epsilon_high|advantage_estimator", Field("workload.kind")),
    ("dynamic_sample|max_resample_times", Unmodelled("the estimate drops no prompts")),
    (
        "multi_turn_scheduler|max_turns|use_gym_env|gym_env|context_manager",
        Unmodelled("the estimate generates one turn"),
    ),
    ("async_generate", IfOn("the estimate waits for its responses")),
    (
        "temperature|top_k|top_p|repetition_penalty|num_beams|stop_words|structured_outputs_regex|max_new_tokens|stream",
        SAMPLING,
    ),
    (
        "vllm_server_*|vllm_enable_*|vllm_limit_mm_per_prompt|vllm_disable_*|vllm_mm_*|vllm_engine_kwargs*|vllm_use_async_engine|\
         offload_bridge|ds3_gather_for_generation|use_ray",
        Ignored("where and how the engine is reached"),
    ),
    ("move_model_batches", Plan("weight_sync_parts")),
    (
        "delta|overlong_filter|kl_in_reward|soft_*|cosine_*|repetition_n_grams|repetition_max_penalty|sync_ref_model|ref_model_sync_steps|\
         ref_model_mixup_alpha|rollout_importance_sampling_*|off_policy_sequence_mask_delta|tau_pos|tau_neg|real_tau|fipo_*|router_replay_mode|\
         completion_length_limit_scope|sapo_*|use_logits_to_keep",
        OBJECTIVE,
    ),
    ("top_entropy_quantile", Ignored("which tokens train, after all of them are computed")),
    ("log_completions|log_rollout_offpolicy_metrics|log_entropy", LOG),
];

const OTHERS: &[(&str, Meaning)] = &[
    (
        "swanlab_*|safe_serialization|max_shard_size|resume_only_model|callbacks|early_stop_interval|metric|use_flash_ckpt|infer_backend|write_batch_size|result_path|\
         ENV.*|ray_*|device_groups*",
        LOG,
    ),
    ("max_epochs", Ignored("length of the run")),
    ("optim_*", OBJECTIVE),
];

/// What its Megatron has beside the layout.
const MEGATRON: &[(&str, Meaning)] = &[
    ("micro_batch_size", Plan("micro_batch")),
    ("global_batch_size", Field("workload.global_batch")),
    ("train_iters", Field("workload.run.steps")),
    ("virtual_pipeline_model_parallel_size", Plan("virtual_pipeline")),
    ("attention_backend", Plan("attention_kernel attention")),
    ("overlap_grad_reduce", Plan("overlap.gradients")),
    ("overlap_param_gather", Plan("overlap.parameters")),
    ("tp_comm_overlap", Plan("overlap.tensor_parallel")),
    ("optimizer_cpu_offload|optimizer_offload_fraction", Plan("optimizer_offload_fraction")),
    ("fp8_format|fp8_recipe", Field("workload.precision")),
    ("fp8_*|fp4_*", Ignored("details of fp8")),
    (
        "use_precision_aware_optimizer|main_grads_dtype|main_params_dtype|exp_avg_dtype|exp_avg_sq_dtype",
        IfOn("the estimate keeps states in 32 bits: state plan.optimizer_bytes"),
    ),
    (
        "use_megatron_fsdp|data_parallel_sharding_strategy",
        IfOn("the estimate's Megatron shards optimizer states alone"),
    ),
    (
        "decoder_*|account_for_*|pipeline_model_parallel_layout|microbatch_group_size_per_vp_stage",
        Unmodelled("the estimate splits layers as evenly as they go"),
    ),
    ("moe_expert_capacity_factor", Unmodelled("the estimate drops no token")),
    (
        "moe_enable_deepep|moe_token_dispatcher_type|moe_shared_expert_overlap",
        Ignored("the estimate's all-to-all is fitted on both kinds"),
    ),
    ("moe_*", Ignored("which experts are taken")),
    ("mtp_*", Unmodelled("the estimate trains no further prediction heads")),
    ("cp_*|sequence_packing_scheduler", Ignored("how parts of a sequence are exchanged")),
    (
        "masked_softmax_fusion|bias_*|apply_rope_fusion|gradient_accumulation_fusion|cross_entropy_*|use_fused_*|te_rng_tracker|manual_gc*|mlp_padding_free|\
         attention_softmax_in_fp32|accumulate_allreduce_grads_in_fp32|apply_*|linear_decoupled_in_proj|dsa_*|csa_*|mhc_*",
        KERNELS,
    ),
    (
        "finetune|no_save_*|no_load_*|mcore_*|save|load|async_save|use_cpu_initialization|perform_initialization|dist_ckpt_*|distrib_optim_*|\
         tensorboard_*|bridge_backend|megatron_extra_kwargs*|save_safetensors|to_hf|use_persistent_ckpt_worker|language_model_only|data_sharding|\
         data_parallel_random_init|align_*|overlap_p2p_comm|batch_p2p_comm|nccl_comm_warmup",
        LOG,
    ),
    (
        "lr|min_lr|clip_grad|muon_*|sgd_momentum|start_weight_decay|end_weight_decay|weight_decay_incr_style|calculate_per_token_loss",
        OBJECTIVE,
    ),
    ("local_rank|distributed_*", LAUNCHER),
];
