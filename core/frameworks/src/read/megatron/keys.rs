//! Megatron-LM's arguments and what each means (`megatron/training/arguments.py`), underscores for dashes.

use crate::binding::Meaning::{Field, Ignored, Plan, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Meaning, Table};
use crate::emit::megatron::{self, MATRICES, RECOMPUTE, SHARES, STATES};

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
const KERNELS: Meaning = Ignored("the estimate's kernels are fused ones");
const STAGES: Meaning = Unmodelled("the estimate splits layers as evenly as they go");
const MODEL: Meaning = Field("model");

const VISION: Meaning = Unmodelled("the estimate's layers are the language model's alone");
const HYBRID: Meaning = Unmodelled("name the model instead: its layers are of several kinds");
const SEQUENCE: Meaning = Unmodelled("the estimate goes by --seq-length");
const RL: Meaning = Unmodelled("the estimate is of the training step: ask for GRPO by veRL's keys");
const INFERENCE: Meaning = Unmodelled("the estimate is of the training step alone");

/// How layers are split: all that use Megatron spell these alike, under prefixes of their own.
pub(crate) const LAYOUT: &[Table] = &[Both(MATRICES), Both(SHARES), Both(megatron::SEQUENCE), Both(STATES)];

/// Every argument that is known.
pub(in crate::read) static SECTIONS: &[KeySection] =
    &[arguments(LAYOUT), arguments(&[Both(RECOMPUTE)]), arguments(&[Read(KEYS)])];

const fn arguments(tables: &'static [Table]) -> KeySection {
    KeySection { prefix: "--", plan: "plan.", tables }
}

pub(in crate::read) const KEYS: &[(&str, Meaning)] = &[
    (
        "num_layers|hidden_size|ffn_hidden_size|num_attention_heads|group_query_attention|num_query_groups|\
         kv_channels|vocab_size|padded_vocab_size|swiglu|untie_embeddings_and_output_weights|num_experts|\
         moe_router_topk|moe_ffn_hidden_size|moe_shared_expert_intermediate_size|moe_layer_freq|\
         multi_latent_attention|q_lora_rank|kv_lora_rank|qk_head_dim|qk_pos_emb_head_dim|v_head_dim|\
         moe_shared_expert_gate|use_checkpoint_args",
        MODEL,
    ),
    ("seq_length", Field("workload.sequence_length")),
    ("global_batch_size", Field("workload.global_batch")),
    ("micro_batch_size", Plan("micro_batch")),
    ("num_layers_per_virtual_pipeline_stage|num_virtual_stages_per_pipeline_rank", Plan("virtual_pipeline")),
    ("recompute_activations", Plan("recompute")),
    ("attention_backend|use_flash_attn", Plan("attention_kernel attention")),
    ("overlap_grad_reduce", Plan("overlap.gradients")),
    ("overlap_param_gather", Plan("overlap.parameters")),
    ("tp_comm_overlap", Plan("overlap.tensor_parallel")),
    ("optimizer_cpu_offload|optimizer_offload_fraction", Plan("optimizer_offload_fraction")),
    ("grad_reduce_in_bf16|accumulate_allreduce_grads_in_fp32", Plan("gradient_bytes")),
    ("bf16|fp16|fp8_format|fp8_recipe|fp4_format", Field("workload.precision")),
    ("fp4_*", Ignored("details of fp4")),
    ("fp8_*|reuse_grad_buf_for_mxfp8_param_ag", Ignored("details of fp8")),
    ("train_iters", Field("workload.run.steps")),
    ("train_samples", Field("workload.run.examples")),
    ("step_batch_size_schedule|rampup_batch_size", Unmodelled("the estimate is of the full batch")),
    (
        "use_megatron_fsdp|use_torch_fsdp2|data_parallel_sharding_strategy|fsdp_*|tensor_parallel_num_weight_shards|\
         expert_tensor_parallel_num_weight_shards",
        Unmodelled("the estimate's Megatron shards optimizer states alone"),
    ),
    (
        "cpu_offloading*|delay_offload_*|delta_offload_*|activation_offload_*|fine_grained_*|offload_modules",
        Unmodelled("the estimate keeps activations on the GPU"),
    ),
    ("decoder_first_pipeline_num_layers|account_for_*|pipeline_model_parallel_layout", STAGES),
    ("decoder_last_pipeline_num_layers", Ignored("the estimate splits layers as evenly as they go")),
    ("moe_token_dispatcher_type", Ignored("the estimate counts an all-to-all")),
    (
        "moe_shared_expert_overlap|overlap_dispatch_backward_with_experts_wgrad|high_priority_a2a_comm_stream",
        Unmodelled("the estimate's shared experts wait for their turn"),
    ),
    ("moe_enable_deepep|moe_flex_dispatcher_backend", Plan("moe_token_dispatcher")),
    ("overlap_moe_expert_parallel_comm", Plan("overlap_moe_expert_parallel_comm")),
    ("cuda_graph_impl|cuda_graph_scope|cuda_graph_modules", Plan("cuda_graphs")),
    ("moe_expert_capacity_factor", Unmodelled("the estimate drops no token")),
    (
        "moe_grouped_gemm|moe_permute_fusion|cross_entropy_loss_fusion|cross_entropy_fusion_impl|use_mcore_models|\
         transformer_impl|use_legacy_models|no_masked_softmax_fusion|no_bias_*|no_rope_fusion|no_gradient_accumulation_fusion|use_te|\
         fused_residual_rmsnorm|use_transformer_engine_op_fuser|use_grouped_gemm_*|mla_down_proj_fusion|flash_attention_version",
        KERNELS,
    ),
    ("moe_*", Ignored("which experts are taken")),
    ("enable_cuda_graph|cuda_graph_*|optimizer_cuda_graph", Unmodelled("the estimate launches each kernel")),
    (
        "manual_gc*|log_*|timing_log_*|save*|load*|no_load_*|no_save_*|ckpt_*|dist_ckpt_*|async_save|use_dist_ckpt|\
         auto_detect_ckpt_format|exit_*|tensorboard_*|wandb_*|profile*|use_pytorch_profiler|distributed_backend|\
         distributed_timeout_minutes|local_rank|no_check_for_nan_in_loss_and_grad|init_model_with_meta_device|\
         model_provider|export_*|logging_level|pytorch_profiler_*|record_shapes|nvtx_ranges|gpu_sniff_test_interval|async_*|\
         verify_integrity|no_stream_ckpt_dequant|disable_stream_ckpt_dequant|\
         no_ckpt_*|disable_ckpt_*|override_ckpt_iteration|flight_recorder_*|no_flight_recorder_*|disable_flight_recorder_*|fault_injector_*|enable_msc",
        LOG,
    ),
    ("empty_unused_memory_level", Ignored("when the allocator gives memory back")),
    ("optimizer", Plan("optimizer")),
    ("use_precision_aware_optimizer", Ignored("the types of its states say what it takes")),
    ("exp_avg_dtype|exp_avg_sq_dtype", Plan("optimizer_bytes")),
    ("main_grads_dtype", Unmodelled("state plan.gradient_bytes")),
    ("main_params_dtype", Plan("master_weights_bytes")),
    ("overlap_cpu_optimizer_d2h_h2d", Ignored("the estimate overlaps these copies")),
    ("max_position_embeddings", Ignored("the sequence length says it")),
    (
        "position_embedding_type|rotary_*|use_rotary_position_embeddings|no_position_embedding|use_rope_scaling|\
         rope_*|qk_layernorm|normalization|norm_epsilon|apply_layernorm_1p|squared_relu|disable_bias_linear|\
         add_qkv_bias|attention_dropout|hidden_dropout|attention_softmax_in_fp32|init_method_std|\
         calculate_per_token_loss|clip_grad|weight_decay*|adam_*|muon_*|lion_*|yarn_*|no_yarn_*|mup_*|use_mup|sgd_momentum|lr*|min_lr|decoupled_*|\
         override_opt_param_scheduler|use_checkpoint_opt_param_scheduler|seed|loss_scale*|initial_loss_scale|\
         disable_bf16_reduced_precision_matmul",
        OBJECTIVE,
    ),
    (
        "data_*|mock_data|split|tokenizer_*|tiktoken_*|vocab_file|merge_file|num_workers|\
         make_vocab_size_divisible_by|no_create_attention_mask_in_dataloader|no_mmap_bin_files|reset_*|eod_mask_loss|\
         dataloader_type|sft_*|dataset_provider|no_pad_vocab_size|disable_pad_vocab_size|null_tokenizer_*|\
         chat_template|no_tokenizer_*|disable_tokenizer_*",
        DATA_SET,
    ),
    ("eval_*|start_eval_at_iter|validation_set_names", Ignored("validation")),
    ("finetune|sft", Field("workload.kind")),
    ("use_nccl_ub", Ignored("how collectives find their buffers")),
    ("spec", Unmodelled("the model's shape is that of the arguments")),
    ("ddp_*", Ignored("the size of one transfer")),
    ("disable_align_grad_reduce|no_use_layer_wise_param_layout", Ignored("how gradients are sent")),
    ("logits_*", Unmodelled("the estimate has no teacher here")),
    ("mlp_chunks_for_training", Unmodelled("the estimate computes an MLP in one piece")),
    ("dataloader_inter_document_masking", Unmodelled("the estimate's attention spans the whole sequence")),
    // Vision, Mamba, RL and inference: what else the examples run.
    (
        "img_*|patch_dim|pixel_shuffle|vision_model_type|language_model_*|disable_vision_class_token|image_tag_type|\
         use_tiling|use_thumbnail|use_tile_tags|use_area_weighted_aspect_ratio|max_num_tiles|num_frames|audio_*",
        VISION,
    ),
    ("freeze_*", Unmodelled("the estimate trains every part")),
    ("recompute_vision", Unmodelled("the estimate's recomputation is of every layer")),
    (
        "allow_missing_vision_projection_checkpoint|pretrained_*|dataloader_save|task|enable_experimental|\
         disable_gloo_process_groups|use_cpu_initialization|rerun_mode|straggler_*|disable_straggler_on_startup|\
         check_weight_hash_*|modelopt_enabled",
        LOG,
    ),
    ("decoder_seq_length|encoder_seq_length|dataloader_seq_length|packing_seq_length", SEQUENCE),
    ("encoder_num_layers|decoder_num_layers", Unmodelled("the estimate has no encoder")),
    ("mamba_*|hybrid_*|is_hybrid_model", HYBRID),
    ("mtp_*", Unmodelled("the estimate trains no further prediction heads")),
    ("mscale*|no_rope_freq|softmax_type|quick_geglu|glu_linear_offset|activation_func_clamp_value", OBJECTIVE),
    ("window_*", Unmodelled("name the model instead: its window is in the catalog")),
    ("enable_gpt_oss|dsa_*|no_dsa_*|disable_dsa_*", Unmodelled("name the model instead")),
    ("use_fused_*|te_rng_tracker", KERNELS),
    ("deterministic_mode", Unmodelled("the estimate's kernels are the quick ones")),
    ("first_last_layers_bf16|num_layers_at_*", Unmodelled("the estimate has one precision for all layers")),
    ("megatron_fsdp_*", Unmodelled("the estimate's Megatron shards optimizer states alone")),
    ("cp_comm_type", Unmodelled("the estimate's context parallelism sends keys and values around a ring")),
    ("checkpoint_activations", Unmodelled("an older word: write --recompute-granularity full")),
    ("ddp_impl", Ignored("an older word; gradients are summed alike")),
    ("grpo_*|rl_*|no_rl_*|langrl_*", RL),
    (
        "inference_*|no_inference_*|num_speculative_tokens|use_same_sampling_seed_*|decode_only_cuda_graphs|max_tokens_to_oom|out_seq_length|num_tokens_to_*|incoming_requests_*",
        INFERENCE,
    ),
    (
        "trust_remote_code|special_tokens|vocab_extra_ids|force_system_message|finetune_*|hf_*|no_use_tokenizer_*|\
         prompt_path",
        DATA_SET,
    ),
];
