//! LLaMA-Factory's keys (0.9.5, `llamafactory/hparams`, and `llamafactory/v1/config` of its new trainer).

use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning};
use crate::read::trainer::keys::{BESIDE, DATA, LAUNCHER, LOG, OBJECTIVE};

/// Its own keys, then the Trainer's, Accelerate's and `DeepSpeed`'s.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    KeySection {
        prefix: "",
        plan: "plan.",
        tables: &[Read(MODEL), Read(LOSSES), Read(DATA_SETS), Read(MEGATRON), Read(V1)],
    },
    BESIDE[0],
    BESIDE[1],
    BESIDE[2],
    BESIDE[3],
    BESIDE[4],
    BESIDE[5],
    BESIDE[6],
];

/// Sizes of its Megatron adapter, and their fields.
pub(super) const MEGATRON_SIZES: &[(&str, &str)] = &[
    ("tensor_model_parallel_size", "plan.tensor_parallel"),
    ("pipeline_model_parallel_size", "plan.pipeline_parallel"),
    ("context_parallel_size", "plan.context_parallel"),
    ("expert_model_parallel_size", "plan.expert_parallel"),
];

const IMAGES: Meaning = Ignored("how images and sounds are read; workload.images of the question counts them");

const MODEL: &[(&str, Meaning)] = &[
    ("model_name_or_path", Field("model")),
    ("stage|pref_loss", Field("workload.kind")),
    ("finetuning_type|quantization_bit", Field("workload.kind")),
    ("lora_rank", Field("workload.lora.rank")),
    ("lora_target|oft_target", Field("workload.lora.targets")),
    ("quantization_method|quantization_type|quantization_device_map", Ignored("the type of the 4-bit base")),
    ("flash_attn", Plan("attention_kernel attention")),
    ("disable_gradient_checkpointing", Plan("recompute")),
    ("use_reentrant_gc", Ignored("how checkpoints are taken")),
    ("enable_liger_kernel", Plan("fused_lm_head")),
    ("use_muon", Plan("optimizer")),
    ("pure_bf16", Plan("master_weights_bytes gradient_bytes optimizer_bytes")),
    ("fp8|fp8_backend|fp8_enable_fsdp_float8_all_gather", Field("workload.precision")),
    ("use_unsloth", Plan("fused_lm_head recompute offload.activations")),
    ("use_unsloth_gc", Plan("offload.activations")),
    ("use_v1_kernels", IfOn("the estimate's kernels are the backend's own")),
    ("use_kt|kt_*", IfOn("there is no estimate of experts on the CPUs")),
    (
        "use_galore|galore_*|use_apollo|apollo_*|use_badam|badam_*|use_adam_mini",
        IfOn("the estimate's optimizer steps all trained weights with whole moments"),
    ),
    (
        "use_llama_pro|freeze_trainable_layers|freeze_trainable_modules|freeze_extra_modules",
        IfOn("the estimate trains all layers"),
    ),
    ("additional_target|module_dropout|oft_rank|oft_block_size", IfOn("the estimate trains adapters alone")),
    ("shift_attn|mixture_of_depths", IfOn("the estimate has every token attend in every layer")),
    ("use_mca|use_hyper_parallel|hyper_parallel_args", IfOn("the estimate has the backend that the other keys name")),
    ("upcast_layernorm|upcast_lmhead_output", IfOn("the estimate has these in 16 bits")),
    ("train_from_scratch|adapter_name_or_path|create_new_adapter|pissa_*|loraplus_*|use_rslora|use_dora", OBJECTIVE),
    ("moe_aux_loss_coef|rope_scaling*", OBJECTIVE),
    (
        "adapter_folder|use_fast_tokenizer|resize_vocab|split_special_tokens|add_tokens|add_special_tokens|new_special_tokens_config|\
         init_special_tokens|low_cpu_mem_usage|use_kv_cache|offload_folder|hf_hub_token|ms_hub_token|om_hub_token|compute_dtype|device_map|\
         model_max_length|block_diag_attn|print_param_status",
        Ignored("how files are loaded"),
    ),
    ("infer_*|vllm_*|sglang_*|export_*", Ignored("inference")),
    (
        "image_*|video_*|audio_*|use_audio_in_video|crop_to_patches|freeze_vision_tower|freeze_multi_modal_projector",
        IMAGES,
    ),
    ("freeze_language_model", IfOn("the estimate trains the language model")),
];

const LOSSES: &[(&str, Meaning)] = &[
    (
        "pref_beta|pref_ftx|pref_bco_weight|dpo_label_smoothing|kto_chosen_weight|kto_rejected_weight|simpo_gamma|ld_alpha|use_dft_loss|\
         use_eaft_loss|eaft_alpha|asft_alpha",
        OBJECTIVE,
    ),
    ("use_asft_loss", IfOn("the estimate evaluates no reference beside fine-tuning")),
    ("ppo_*|reward_model*", Unmodelled("the estimate generates nothing here")),
    ("ref_model*", Ignored("which weights the reference has")),
];

const DATA_SETS: &[(&str, Meaning)] = &[
    ("cutoff_len", Field("workload.sequence_length")),
    ("packing|neat_packing", Field("workload.packing")),
    (
        "template|dataset|eval_dataset|dataset_dir|media_dir|train_on_prompt|mask_history|streaming|buffer_size|mix_strategy|interleave_probs|\
         overwrite_cache|preprocessing_*|max_samples|ignore_pad_token_for_loss|val_size|tool_format|default_system|enable_thinking|\
         preserve_thinking|tokenized_path|data_shared_file_system|disable_shuffling",
        DATA,
    ),
    (
        "plot_loss|compute_accuracy|early_stopping_steps|include_effective_tokens_per_second|use_swanlab|swanlab_*|profiler_*|enable_torch_profiler|profile_modules",
        LOG,
    ),
    ("ray_*|master_addr|master_port", LAUNCHER),
];

/// Arguments of its Megatron adapter, mcore_adapter.
const MEGATRON: &[(&str, Meaning)] = &[
    ("tensor_model_parallel_size", Plan("tensor_parallel")),
    ("pipeline_model_parallel_size", Plan("pipeline_parallel")),
    ("context_parallel_size", Plan("context_parallel")),
    ("expert_model_parallel_size", Plan("expert_parallel")),
    ("sequence_parallel", Plan("sequence_parallel")),
    ("use_distributed_optimizer", Plan("zero_stage")),
    ("overlap_grad_reduce|overlap_param_gather", Ignored("the estimate overlaps both")),
    ("recompute_granularity|recompute_method|recompute_num_layers|recompute_modules", Plan("recompute")),
    (
        "bias_activation_fusion|apply_rope_fusion|moe_grouped_gemm|moe_token_dispatcher_type|use_packed_sequences",
        Ignored("kernels, which the estimate has as the backend does"),
    ),
];

/// Sections of the new trainer.
const V1: &[(&str, Meaning)] = &[
    ("model", Field("model")),
    ("micro_batch_size", Plan("micro_batch")),
    ("global_batch_size", Field("workload.global_batch")),
    ("batching_strategy", Field("workload.packing")),
    ("enable_activation_checkpointing", Plan("recompute")),
    ("dist_config.name|dist_config.config_file", Field("plan.backend plan.zero_stage")),
    ("dist_config.ep_size", Plan("expert_parallel")),
    ("dist_config.*", Ignored("how shards are loaded and sent")),
    ("cp_size|cp_mode", Plan("ulysses_parallel context_parallel")),
    ("peft_config.name|quant_config.quantization_bit", Field("workload.kind")),
    ("peft_config.r", Field("workload.lora.rank")),
    ("peft_config.target_modules", Field("workload.lora.targets")),
    ("peft_config.freeze_*", Unmodelled("the estimate trains all layers")),
    ("peft_config.*", OBJECTIVE),
    ("quant_config|quant_config.*", Ignored("the type of the 4-bit base")),
    ("kernel_config.name", Plan("fused_lm_head")),
    ("kernel_config.*", Ignored("small kernels, which the estimate has as the backend does")),
    ("optim_config.name", Plan("optimizer")),
    ("optim_config.*|lr_scheduler_config.*|init_config.*", OBJECTIVE),
    ("model_class|train_dataset|batching_workers", DATA),
    ("sample_backend|max_new_tokens|save_epochs|save_ckpt_as_hf", LOG),
];
