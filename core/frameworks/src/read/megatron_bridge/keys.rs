//! Megatron-Bridge's keys (0.6.2 and 0.3.1, `megatron/bridge/training/config.py`, and what of megatron-core its recipes hold), and the
//! options of its scripts.

use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Unmodelled};
use crate::binding::Table::{Both, Read};
use crate::binding::{KeySection, Meaning, section};
use crate::emit::megatron::{MATRICES, RECOMPUTE, SEQUENCE, SHARES, STATES};

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
const KERNELS: Meaning = Ignored("the estimate's kernels are fused ones");
const STAGES: Meaning = IfOn("the estimate splits layers as evenly as they go");
const RECIPES: Meaning = Unmodelled("the estimate's model is the recipe's");
const ACTIVATIONS: Meaning = IfOn("the estimate keeps activations on the GPU");
const LAUNCHER: Meaning = Ignored("where and how the job starts");

/// Every key that is known; those that begin with dashes are options.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    section("model.", "plan.", &[Both(MATRICES), Both(SHARES), Both(SEQUENCE), Both(RECOMPUTE), Read(MODEL)]),
    section("ddp.", "plan.", &[Both(STATES), Read(REDUCED)]),
    section("optimizer.", "plan.", &[Both(STATES), Read(OPTIMIZER)]),
    section("dataset.", "plan.", &[Read(DATA)]),
    section("--", "plan.", &[Read(OPTIONS)]),
    section("", "plan.", &[Read(REST)]),
];

const MODEL: &[(&str, Meaning)] = &[
    ("seq_length", Field("workload.sequence_length")),
    ("virtual_pipeline_model_parallel_size", Plan("virtual_pipeline")),
    ("pipeline_model_parallel_layout|num_layers_in_*|account_for_*", STAGES),
    ("overlap_p2p_comm|batch_p2p_comm|deallocate_pipeline_outputs", Ignored("how stages send")),
    ("tp_comm_overlap", Plan("overlap.tensor_parallel")),
    ("cross_entropy_loss_fusion", Plan("fused_loss")),
    ("attention_backend", Plan("attention_kernel attention")),
    ("apply_rope_fusion", Plan("apply_rope_fusion")),
    ("moe_enable_deepep|moe_flex_dispatcher_backend", Plan("moe_token_dispatcher")),
    ("overlap_moe_expert_parallel_comm", Plan("overlap_moe_expert_parallel_comm")),
    ("moe_token_dispatcher_type", Ignored("the estimate counts an all-to-all")),
    ("moe_shared_expert_overlap|delay_wgrad_compute", IfOn("the estimate's shared experts wait for their turn")),
    ("moe_expert_capacity_factor|moe_pad_expert_input_to_capacity", IfOn("the estimate drops no token")),
    ("moe_grouped_gemm|moe_permute_fusion|moe_router_fusion|cross_entropy_fusion_impl", KERNELS),
    (
        "bias_*|masked_softmax_fusion|gradient_accumulation_fusion|persist_layer_norm|use_te_*|transformer_impl|transformer_layer_spec|\
         use_transformer_engine_*|memory_efficient_layer_norm|inference_*",
        KERNELS,
    ),
    ("cuda_graph_impl|cuda_graph_scope", Plan("cuda_graphs")),
    ("enable_cuda_graph|cuda_graph_*|external_cuda_graph", IfOn("the estimate launches each kernel")),
    ("cpu_offloading*|fine_grained_activation_offloading|offload_modules", ACTIVATIONS),
    ("mtp_*", IfOn("the estimate predicts one token at a time")),
    ("fp8|fp8_recipe|fp4|fp4_recipe", Field("workload.precision")),
    ("fp8_*|fp4_*|bf16|fp16|params_dtype|pipeline_dtype|autocast_dtype", Ignored("mixed_precision says the types")),
    (
        "num_layers|hidden_size|ffn_hidden_size|num_attention_heads|num_query_groups|kv_channels|vocab_size|num_moe_experts|moe_layer_freq|\
         moe_ffn_hidden_size|moe_shared_expert_intermediate_size|moe_router_topk|moe_router_num_groups|moe_router_group_topk|q_lora_rank|\
         kv_lora_rank|qk_head_dim|v_head_dim|hf_model_id",
        RECIPES,
    ),
    ("freeze_language_model", IfOn("the estimate trains the language model")),
    (
        "freeze_*|vit_gradient_checkpointing|multimodal_attn_impl|video_*|image_*",
        Ignored("images, which the estimate leaves out"),
    ),
    ("window_*", Unmodelled("the estimate's window is the catalog's")),
    (
        "cp_comm_type|hierarchical_context_parallel_sizes",
        IfOn("the estimate's context parallelism sends keys and values around a ring"),
    ),
    ("teacher.*|kd_config.*", Unmodelled("the estimate has no teacher here")),
    (
        "vocab_size_divisible_by|make_vocab_size_divisible_by|should_pad_vocab|position_embedding_type|variable_seq_lengths",
        DATA_SET,
    ),
    (
        "calculate_per_token_loss|*_dropout|init_method_std|rotary_*|rope_*|yarn_*|layernorm_epsilon|moe_*|softmax_*|*_token_id|seed|\
         scatter_embedding_sequence_parallel|share_embeddings_and_output_weights|qk_layernorm|perform_initialization|use_cpu_initialization|\
         deterministic_mode|attention_dropout|hidden_dropout|bos_token_id|eos_token_id|image_token_id|restore_modelopt_state",
        OBJECTIVE,
    ),
];

const REDUCED: &[(&str, Meaning)] = &[
    ("overlap_grad_reduce", Plan("overlap.gradients")),
    ("overlap_param_gather", Plan("overlap.parameters")),
    ("grad_reduce_in_fp32", Plan("gradient_bytes")),
    (
        "use_megatron_fsdp|data_parallel_sharding_strategy|use_custom_fsdp",
        IfOn("the estimate's Megatron shards optimizer states alone"),
    ),
    ("num_distributed_optimizer_instances", Unmodelled("the estimate shards optimizer states over all ranks")),
    (
        "average_in_collective|check_for_nan_in_grad|bucket_size|align_param_gather|fp8_param_gather|pad_buckets_for_high_nccl_busbw|\
         nccl_ub|fsdp_*|reuse_grad_buf_for_mxfp8_param_ag|keep_fp8_transpose_cache|overlap_param_gather_with_optimizer_step|suggested_communication_unit_size",
        Ignored("how gradients are sent"),
    ),
];

const OPTIMIZER: &[(&str, Meaning)] = &[
    ("optimizer", Plan("optimizer")),
    ("optimizer_cpu_offload|optimizer_offload_fraction", Plan("optimizer_offload_fraction")),
    ("exp_avg_dtype|exp_avg_sq_dtype", Plan("optimizer_bytes")),
    ("main_params_dtype", Plan("master_weights_bytes")),
    ("main_grads_dtype|main_grads_dtype_str", Ignored("mixed_precision says the types")),
    ("use_precision_aware_optimizer", Ignored("the types of its states say what it takes")),
    (
        "overlap_cpu_optimizer_d2h_h2d|use_torch_optimizer_for_cpu_offload",
        Ignored("the estimate overlaps these copies"),
    ),
    (
        "lr|min_lr|weight_decay|adam_*|sgd_momentum|muon_*|clip_grad|decoupled_*|bf16|fp16|params_dtype|loss_scale|initial_loss_scale|\
         log_num_zeros_in_grad|barrier_with_L1_time|overlap_param_gather|reuse_grad_buf_for_mxfp8_param_ag|store_param_remainders|pin_cpu_*",
        OBJECTIVE,
    ),
];

const DATA: &[(&str, Meaning)] = &[
    ("seq_length|sequence_length", Field("workload.sequence_length")),
    (
        "packed_sequence_specs|packed_sequence_specs.packed_sequence_size|offline_packing_specs|\
         offline_packing_specs.packed_sequence_size|enable_offline_packing|\
         enable_in_batch_packing|pack_sequences_in_batch",
        Field("workload.packing"),
    ),
    ("*", DATA_SET),
];

const OPTIONS: &[(&str, Meaning)] = &[
    ("recipe|model_recipe_name|model", Field("model")),
    ("mode|task|peft_scheme|domain", Field("workload.kind")),
    ("packed_sequence", Field("workload.packing")),
    ("num_gpus|gpus_per_node", Field("hardware.gpus hardware.gpus_per_node")),
    ("gpu", Field("hardware.gpu")),
    ("compute_dtype", Field("workload.precision")),
    ("config_file|config|list_config_variants", Ignored("the other file")),
    ("config_variant|model_family_name|use_recipes", Ignored("which of its recipes runs")),
    ("step_func|data|dataset|pretrained_checkpoint", DATA_SET),
    ("optimizer_type|lr|min_lr|warmup_iters", OBJECTIVE),
    ("activation_offload_layers", ACTIVATIONS),
    ("use_tokendrop", IfOn("the estimate drops no token")),
    ("first_k_dense_replace", RECIPES),
    ("tokenizer_*|hf_token", DATA_SET),
    (
        "account|partition|time_limit|container_image|custom_*|gres|additional_slurm_params|dgxc_*|detach|max_retries|dryrun|nemo_home|\
         enable_vboost|nccl_ub|nodes|experiment_name|devices|hf_path|deterministic",
        LAUNCHER,
    ),
    (
        "save_dir|load_dir|save_interval|dump_env|dump-env|enable_nsys|nsys_*|pytorch_profiler|profiling_*|record_memory_history|wandb_*|log_dir|golden_values_path|*_threshold|\
         is_long_convergence_run|skip_first_percent_*|debug|offline|timing_threshold|memory_threshold|convergence_*|save_config_filepath",
        LOG,
    ),
];

const REST: &[(&str, Meaning)] = &[
    ("train.micro_batch_size", Plan("micro_batch")),
    ("train.global_batch_size", Field("workload.global_batch")),
    ("train.train_iters", Field("workload.run.steps")),
    ("train.train_samples", Field("workload.run.examples")),
    ("train.rampup_batch_size", IfOn("the estimate is of the full batch")),
    ("train.*", LOG),
    ("mixed_precision", Field("workload.precision")),
    ("mixed_precision.grad_reduce_in_fp32", Plan("gradient_bytes")),
    ("mixed_precision.*", Ignored("mixed_precision says the types")),
    ("comm_overlap", Ignored("other keys say what overlaps")),
    ("comm_overlap.tp_comm_overlap", Plan("overlap.tensor_parallel")),
    ("comm_overlap.*", Ignored("how communication overlaps")),
    ("peft", Field("workload.kind")),
    ("peft.dim", Field("workload.lora.rank")),
    ("peft.target_modules", Field("workload.lora.targets")),
    ("peft.*", OBJECTIVE),
    (
        "scheduler.*|checkpoint.*|logger.*|rng.*|dist.*|tokenizer.*|profiling.*|validation.*|rerun_state_machine.*|straggler.*|\
         nvrx_straggler.*|ft.*|inprocess_restart.*|tensor_inspect.*|data_parallel_random_init|debug.*",
        LOG,
    ),
];
