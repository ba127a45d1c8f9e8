//! Keys of a training engine and of a model: every role has them, under a prefix of its own.

use super::{Field, Ignored, Keys, OBJECTIVE, PATH, Plan, Removed, Renamed, Unmodelled};
use crate::read::meaning::Meaning;

const KERNELS: Meaning = Ignored("the estimate's kernels are fused ones");
const LAYOUT: Meaning = Ignored("the engine's key of that name says it");
const SHAPE: Meaning = Ignored("the model's shape is the catalog's");
const STAGES: Meaning = Unmodelled("the estimate splits layers as evenly as they go");

/// `….megatron.`, and `engine.` where the engine is Megatron.
pub(super) const MEGATRON: Keys = &[
    (
        "virtual_pipeline_model_parallel_size",
        Plan("virtual_pipeline"),
    ),
    (
        "param_offload",
        Plan("offload.parameters offload.gradients"),
    ),
    ("optimizer_offload", Plan("offload.optimizer")),
    (
        "grad_offload",
        Removed(
            "0.9.1",
            "param_offload moves the gradients too. Leave it out.",
        ),
    ),
    ("use_remove_padding", Field("workload.packing")),
    ("dtype", Field("workload.precision")),
    (
        "override_transformer_config.attention_backend",
        Plan("attention"),
    ),
    (
        "override_transformer_config.fp8",
        Field("workload.precision"),
    ),
    (
        "override_transformer_config.fp8_recipe",
        Field("workload.precision"),
    ),
    (
        "override_transformer_config.num_layers_in_first_pipeline_stage",
        STAGES,
    ),
    (
        "override_transformer_config.num_layers_in_last_pipeline_stage",
        STAGES,
    ),
    (
        "override_transformer_config.account_for_loss_in_pipeline_split",
        STAGES,
    ),
    (
        "override_transformer_config.account_for_embedding_in_pipeline_split",
        STAGES,
    ),
    (
        "override_transformer_config.pipeline_model_parallel_layout",
        STAGES,
    ),
    (
        "override_transformer_config.moe_enable_deepep",
        Unmodelled("the estimate's all-to-all is fitted on both kinds"),
    ),
    (
        "override_transformer_config.moe_token_dispatcher_type",
        Unmodelled("the estimate's all-to-all is fitted on both kinds"),
    ),
    (
        "override_transformer_config.moe_shared_expert_overlap",
        Unmodelled("the estimate runs shared experts by themselves"),
    ),
    ("override_transformer_config.moe_grouped_gemm", KERNELS),
    ("override_transformer_config.moe_permute_fusion", KERNELS),
    ("override_transformer_config.moe_router_dtype", KERNELS),
    ("override_transformer_config.moe_aux_loss_coeff", OBJECTIVE),
    ("override_transformer_config.moe_z_loss_coeff", OBJECTIVE),
    ("override_transformer_config.moe_router_*", OBJECTIVE),
    ("override_transformer_config.apply_rope_fusion", KERNELS),
    ("override_transformer_config.masked_softmax_fusion", KERNELS),
    (
        "override_transformer_config.bias_activation_fusion",
        KERNELS,
    ),
    ("override_transformer_config.bias_dropout_fusion", KERNELS),
    (
        "override_transformer_config.gradient_accumulation_fusion",
        KERNELS,
    ),
    ("override_transformer_config.persist_layer_norm", KERNELS),
    ("override_transformer_config.use_flash_attn", KERNELS),
    ("override_transformer_config.use_fused_*", KERNELS),
    ("override_transformer_config.use_naive_l2norm", KERNELS),
    (
        "override_transformer_config.apply_dsa_kernel_fusion",
        KERNELS,
    ),
    (
        "override_transformer_config.tensor_model_parallel_size",
        LAYOUT,
    ),
    ("override_transformer_config.context_parallel_size", LAYOUT),
    ("override_transformer_config.sequence_parallel", LAYOUT),
    (
        "override_transformer_config.use_distributed_optimizer",
        LAYOUT,
    ),
    (
        "override_transformer_config.context_parallel_algo",
        Unmodelled("the estimate's context parallelism sends keys and values around a ring"),
    ),
    ("override_transformer_config.swiglu", SHAPE),
    ("override_transformer_config.normalization", SHAPE),
    ("override_transformer_config.multi_latent_attention", SHAPE),
    ("override_transformer_config.attention_dropout", OBJECTIVE),
    ("override_transformer_config.hidden_dropout", OBJECTIVE),
    (
        "override_transformer_config.use_arbitrary_attention_mask",
        OBJECTIVE,
    ),
    (
        "override_transformer_config.deallocate_pipeline_outputs",
        Ignored("a little memory of a pipeline"),
    ),
    (
        "override_ddp_config.overlap_grad_reduce",
        Plan("overlap.gradients"),
    ),
    (
        "override_ddp_config.overlap_param_gather",
        Plan("overlap.parameters"),
    ),
    (
        "override_ddp_config.grad_reduce_in_fp32",
        Unmodelled("the estimate's gradient_bytes are the backend's own"),
    ),
    (
        "override_ddp_config.*",
        Unmodelled("the estimate's gradients are reduced as the backend's own do"),
    ),
    (
        "override_mcore_model_config*",
        Unmodelled("the model's shape is the catalog's"),
    ),
    (
        "override_ddp_config",
        Unmodelled("write its keys one by one, which are read"),
    ),
    (
        "override_transformer_config",
        Unmodelled("write its keys one by one, which are read"),
    ),
    ("use_mbridge", PATH),
    ("vanilla_mbridge", PATH),
    ("use_dist_checkpointing", PATH),
    ("dist_checkpointing_path", PATH),
    ("dist_checkpointing_prefix", PATH),
    ("dist_ckpt_*", PATH),
    ("distrib_optim_*", PATH),
    (
        "use_megatron_fsdp",
        Unmodelled("the estimate's Megatron shards optimizer states alone"),
    ),
    (
        "dynamic_context_parallel",
        Unmodelled("the estimate splits every sequence alike"),
    ),
    (
        "max_seqlen_per_dp_cp_rank",
        Unmodelled("the estimate splits every sequence alike"),
    ),
    (
        "pad_to_length*",
        Unmodelled("the estimate pads nothing where sequences are packed"),
    ),
    (
        "pad_bshd_to_minibatch_max",
        Unmodelled("the estimate pads to the longest"),
    ),
    ("entropy_*", Ignored("size of a chunk of the loss")),
    ("forward_only", Ignored("the role says it")),
    ("router_replay.*", Ignored("which experts are taken")),
    ("seed", OBJECTIVE),
    (
        "qat.*",
        Unmodelled("the estimate trains without simulated quantisation"),
    ),
];

/// `….fsdp_config.`, `critic.fsdp.`, and `engine.` where the engine is FSDP.
pub(super) const FSDP: Keys = &[
    ("fsdp_size", Plan("shard_group")),
    ("reshard_after_forward", Plan("zero_stage")),
    (
        "param_offload",
        Plan("offload.parameters offload.gradients"),
    ),
    ("optimizer_offload", Plan("offload.optimizer")),
    (
        "offload_policy",
        Plan("offload.parameters offload.gradients offload.optimizer"),
    ),
    (
        "grad_offload",
        Removed(
            "0.4.0",
            "param_offload moves the gradients too. Leave it out.",
        ),
    ),
    ("ulysses_sequence_parallel_size", Plan("ulysses_parallel")),
    ("model_dtype", Plan("master_weights_bytes")),
    ("dtype", Field("workload.precision")),
    (
        "mixed_precision.*",
        Unmodelled("the estimate computes in workload.precision and reduces in fp32"),
    ),
    ("strategy", Plan("backend")),
    (
        "forward_prefetch",
        Ignored("the estimate gathers the next layer beside the last"),
    ),
    ("use_orig_params", Ignored("how parameters are kept")),
    ("wrap_policy.*", Ignored("the estimate wraps each layer")),
    (
        "use_no_sync_for_gradient_accumulation",
        Unmodelled("the estimate reduces gradients once a micro-batch"),
    ),
    (
        "use_torch_compile",
        Ignored("the estimate's kernels are compiled ones"),
    ),
    (
        "full_determinism",
        Unmodelled("the estimate's kernels are the quick ones"),
    ),
    (
        "pad_to_length*",
        Unmodelled("the estimate pads nothing where sequences are packed"),
    ),
    ("entropy_*", Ignored("size of a chunk of the loss")),
    ("forward_only", Ignored("the role says it")),
    (
        "turbo_config.*",
        Unmodelled("the estimate has FSDP2 for it"),
    ),
    ("seed", OBJECTIVE),
    (
        "qat.*",
        Unmodelled("the estimate trains without simulated quantisation"),
    ),
];

/// `….optim.`.
pub(super) const OPTIM: Keys = &[
    ("optimizer", Plan("optimizer_bytes")),
    ("optimizer_impl", Plan("optimizer_bytes")),
    ("use_precision_aware_optimizer", Plan("optimizer_bytes")),
    ("exp_avg_dtype", Plan("optimizer_bytes")),
    ("exp_avg_sq_dtype", Plan("optimizer_bytes")),
    ("main_grads_dtype", Plan("gradient_bytes")),
    (
        "override_optimizer_config.optimizer_cpu_offload",
        Plan("optimizer_offload_fraction"),
    ),
    (
        "override_optimizer_config.optimizer_offload_fraction",
        Plan("optimizer_offload_fraction"),
    ),
    (
        "override_optimizer_config.overlap_cpu_optimizer_d2h_h2d",
        Unmodelled(
            "the estimate moves gradients and weights before and after the optimizer's step",
        ),
    ),
    (
        "override_optimizer_config.use_precision_aware_optimizer",
        Plan("optimizer_offload_fraction"),
    ),
    (
        "override_optimizer_config*",
        Unmodelled("the estimate's optimizer is Adam"),
    ),
    ("lr*", OBJECTIVE),
    ("min_lr*", OBJECTIVE),
    ("warmup_*", OBJECTIVE),
    ("weight_decay*", OBJECTIVE),
    ("betas", OBJECTIVE),
    ("clip_grad", OBJECTIVE),
    ("num_cycles", OBJECTIVE),
    ("zero_indexed_step", OBJECTIVE),
    ("total_training_steps", OBJECTIVE),
    ("use_checkpoint_opt_param_scheduler", OBJECTIVE),
    (
        "use_layer_wise_distributed_optimizer",
        Unmodelled("the estimate's optimizer is Adam"),
    ),
    (
        "master_weights",
        Unmodelled("state plan.master_weights_bytes"),
    ),
    (
        "store_param_remainders",
        Unmodelled("state plan.master_weights_bytes"),
    ),
    ("muon_*", Unmodelled("the estimate's optimizer is Adam")),
];

/// `actor_rollout_ref.model.`, `critic.model.`, `model.`.
pub(super) const MODEL: Keys = &[
    ("path", Field("model")),
    ("partial_pretrain", Renamed("model.path", "0.6.0")),
    ("use_remove_padding", Field("workload.packing")),
    ("enable_gradient_checkpointing", Plan("recompute")),
    ("enable_activation_offload", Plan("offload.activations")),
    ("use_fused_kernels", Plan("fused_lm_head")),
    (
        "fused_kernel_options.*",
        Ignored("the estimate's fused head is either"),
    ),
    (
        "use_liger",
        Unmodelled("the estimate's norms and activations are fused ones already"),
    ),
    (
        "tiled_mlp.*",
        Unmodelled("the estimate's MLP keeps its whole activation"),
    ),
    ("lora_rank", Field("workload.lora.rank")),
    ("lora.rank", Field("workload.lora.rank")),
    ("target_modules", Field("workload.lora.targets")),
    ("lora.target_modules", Field("workload.lora.targets")),
    (
        "exclude_modules",
        Unmodelled("the estimate's adapters sit on attention or on every linear layer"),
    ),
    ("lora_alpha", OBJECTIVE),
    ("lora.*", OBJECTIVE),
    ("lora_adapter_path", PATH),
    (
        "mtp.*",
        Unmodelled("the estimate trains no further prediction heads"),
    ),
    (
        "override_config*",
        Ignored("the model's shape is the catalog's"),
    ),
    ("external_lib", PATH),
    ("hf_config_path", PATH),
    ("tokenizer_path", PATH),
    ("custom_chat_template", PATH),
    ("trust_remote_code", PATH),
    ("torch_dtype", Ignored("fsdp_config.model_dtype says it")),
    (
        "gradient_checkpointing_kwargs*",
        Ignored("how checkpoints are taken"),
    ),
    ("use_shm", PATH),
    ("strategy", Renamed("engine.strategy", "0.6.0")),
    ("fsdp_config.*", Renamed("engine.*", "0.6.0")),
];
