//! axolotl's keys (0.21.0, `axolotl/utils/schemas`), and those that releases before it had.

use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning};
use crate::read::trainer::keys::{BESIDE, DATA, LAUNCHER, LENGTH, LOG, OBJECTIVE};

/// Its own keys, then the Trainer's, Accelerate's and `DeepSpeed`'s.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    KeySection { prefix: "", plan: "plan.", tables: &[Read(MODEL), Read(BATCH), Read(LAYOUT), Read(OTHERS)] },
    BESIDE[0],
    BESIDE[1],
    BESIDE[2],
    BESIDE[3],
    BESIDE[4],
    BESIDE[5],
    BESIDE[6],
];

const KERNELS: Meaning = Ignored("small kernels, which the estimate has as the backend does");

const MODEL: &[(&str, Meaning)] = &[
    ("base_model", Field("model")),
    (
        "base_model_config|base_model_ignore_patterns|cls_model_config|tokenizer_*|processor_*|model_type|type_of_model|special_tokens*|tokens|tokens.*|\
         added_tokens_overrides*|experimental_skip_move_to_device|device|device_map|device_map.*|max_memory|gpu_memory_limit|low_cpu_mem_usage|\
         is_falcon_derived_model|is_llama_derived_model|is_mistral_derived_model|is_qwen_derived_model|torch_dtype|model_quantization_config*|\
         resize_token_embeddings_to_32x|mean_resizing_embeddings|shrink_embeddings|embeddings_skip_upcast|fix_untrained_tokens|hf_use_auth_token|strict|\
         lora_on_cpu|qlora_sharded_model_loading|overrides_of_model_*|torchdistx_path|load_in_8bit|gptq|gptq_*|bnb_config_kwargs*|nf4_backend|loftq*|peft.loftq*|model_config.*",
        Ignored("how files are loaded"),
    ),
    ("adapter|load_in_4bit|rl|dpo_loss_type|reward_model|process_reward_model", Field("workload.kind")),
    ("lora_r", Field("workload.lora.rank")),
    ("lora_target_modules|lora_target_linear", Field("workload.lora.targets")),
    (
        "lora_target_parameters|quantize_moe_experts|mixlora_*",
        Unmodelled("the estimate's adapters and 4-bit weights are of whole matrices"),
    ),
    (
        "lora_modules_to_save|peft_layers_to_transform|peft_layers_pattern|peft_layer_replication|peft_trainable_token_indices|lora_rank_pattern",
        Unmodelled("the estimate trains adapters alone, on all layers"),
    ),
    (
        "lora_model_dir|lora_alpha_pattern|peft_*|peft.*|loraplus_*|merge_lora|merge_method|reinit_weights|num_labels",
        OBJECTIVE,
    ),
    ("lora_fp32_gradients", IfOn("the estimate keeps the gradients of adapters as the backend does")),
    ("lora_mlp_kernel|lora_qkv_kernel|lora_o_kernel|lora_embedding_kernel", KERNELS),
    (
        "unfrozen_parameters|freeze_mm_modules|lisa_*|relora*",
        IfOn("the estimate trains all weights, or adapters, in every step"),
    ),
    (
        "qat|qat.*|quantization.*|llmcompressor*|use_onebitllms|nvfp4_*",
        Unmodelled("the estimate trains no weights that are rounded on the way"),
    ),
];

const BATCH: &[(&str, Meaning)] = &[
    ("micro_batch_size", Plan("micro_batch")),
    ("batch_size", Field("workload.global_batch")),
    ("sequence_len", Field("workload.sequence_length")),
    ("max_packed_sequence_len", IfOn("the estimate packs by sample_packing")),
    ("sample_packing|batch_flattening", Field("workload.packing")),
    ("pad_to_sequence_len", Field("workload.mean_sequence_length")),
    ("pretraining_dataset|pretraining_dataset.*", Field("workload.kind")),
    (
        "datasets|datasets.*|test_datasets*|val_set_size|dataset_*|shuffle_*|skip_prepare_dataset|num_dataset_shards_to_save|dataloader_*|\
         push_dataset_to_hub|excess_length_strategy|min_sample_len|max_prompt_len|sample_packing_*|eval_sample_packing|pad_to_multiple_of|\
         curriculum_sampling|multipack_real_batches|pretrain_multipack_*|pretraining_sample_concatenation|streaming|streaming_*|chat_template*|\
         eot_tokens|default_system_message|train_on_inputs|roles_to_train|image_size|image_resize_algorithm|role_boundaries*|total_num_tokens|\
         total_supervised_tokens|balance_labels|label_balance_*|is_preprocess|preprocess_iterable|use_pose|pose_*|data_seed",
        DATA,
    ),
    ("num_epochs|full_finetune", LENGTH),
];

const LAYOUT: &[(&str, Meaning)] = &[
    ("optimizer", Plan("optimizer optimizer_bytes")),
    ("gradient_checkpointing", Plan("recompute")),
    ("selective_checkpointing*", Unmodelled("the estimate recomputes whole layers")),
    ("activation_offloading", Plan("offload.activations")),
    ("layer_offloading", IfOn("the estimate keeps layers on the GPU")),
    ("fp8|fp8_config*|fp8_enable_fsdp_float8_all_gather|bfloat16|float16|float32", Field("workload.precision")),
    ("attn_implementation|flash_attention|xformers_attention|eager_attention", Plan("attention_kernel attention")),
    ("sdp_attention|flex_attention|sage_attention|s2_attention", IfOn("the estimate attends by PyTorch's own")),
    (
        "flex_attn_compile_kwargs*|flash_attn_*|fa_varlen_*|fp32_norm*|flash_optimum|sdpa_varlen|large_head_attention|fused_attn_kernel|gemma4_hybrid_attn_impl|scaling_softmax*",
        KERNELS,
    ),
    ("liger_fused_linear_cross_entropy|cut_cross_entropy|chunked_cross_entropy", Plan("fused_lm_head")),
    (
        "chunked_cross_entropy_num_chunks|plugins|liger_*|use_kernels|use_scattermoe|use_sonicmoe|experts_implementation|use_glm_dsa_kernels|use_dsv4_kernels|dsv4_*|llama4_linearized_experts",
        KERNELS,
    ),
    ("tiled_mlp|tiled_mlp_*", IfOn("the estimate computes the whole sequence in each matrix at once")),
    ("ple_cpu_offload", IfOn("the estimate keeps embeddings on the GPU")),
    ("fsdp_version|fsdp_final_state_dict_type|deepcompile", Ignored("how layers are wrapped, loaded and saved")),
    ("tensor_parallel_size", Plan("tensor_parallel")),
    ("context_parallel_size|context_parallel.*|sequence_parallel_degree", Plan("context_parallel ulysses_parallel")),
    ("expert_parallel_size", Plan("expert_parallel")),
    ("dp_shard_size|dp_replicate_size", Plan("shard_group")),
    (
        "heads_k_stride|ring_attn_func|expert_parallel_*",
        Ignored("how parts of a sequence, and tokens of experts, are exchanged"),
    ),
    ("world_size|ddp|use_ray|ray_*|resources_per_worker*|launcher", LAUNCHER),
];

const OTHERS: &[(&str, Meaning)] = &[
    ("precompute_ref_log_probs", Field("workload.precompute_ref_log_probs")),
    (
        "rl_beta|dpo_*|use_dft|orpo_alpha|simpo_gamma|cpo_alpha|kto_*|rpo_alpha|center_rewards_coefficient|lr_*|cosine_*|eta_min|embedding_lr*|dion_*|\
         jagged_*|use_eaft|eaft_*|noisy_embedding_alpha|warmup_*|adam_eps",
        OBJECTIVE,
    ),
    ("qgalore_*", Unmodelled("the estimate's optimizer steps all trained weights with whole moments")),
    (
        "trl|trl.*|vllm|vllm.*|ebft|ebft.*|diffusion|diffusion.*|diffusion_lm|diffusion_lm.*|trainer_cls",
        Unmodelled("the estimate generates nothing here"),
    ),
    (
        "wandb_*|use_wandb|mlflow_*|use_mlflow|hf_mlflow_log_artifacts|comet_*|use_comet|trackio_*|use_trackio|swanlab_*|use_swanlab|otel_*|use_otel_metrics|\
         use_tensorboard|gradio_*|saves_per_epoch|evals_per_epoch|auto_resume_from_checkpoints|loss_watchdog_*|gc_steps|gc_collect_steps|profiler_*|sync_profiler_*|export|export.*|\
         early_stopping_patience|generate_samples|generation_*|num_generation_samples|dynamic_checkpoint*|axolotl_config_path|do_causal_lm_eval|\
         do_bench_eval|bench_*|debug|local_rank|save_safetensors",
        LOG,
    ),
];
