//! Keys of the engines beside FSDP and Megatron, which are estimated as these (`trainer/config/engine/*.yaml` of verl
//! 0.9.0; Megatron lite's after its examples). `READ_AS` in `read/verl/others.rs` says which key does the same.

use super::{Ignored, Keys, OBJECTIVE, PATH, Plan, Unmodelled};
use crate::read::meaning::Meaning;

const KERNELS: Meaning = Ignored("the estimate's kernels are fused ones");
const SPLITS: Meaning = Unmodelled("the estimate's FSDP splits no layer");
const RECOMPUTE: Meaning = Unmodelled("state plan.recompute");
const PADS: Meaning = Unmodelled("the estimate pads nothing where sequences are packed");
const OFFLOAD: Meaning = Plan("offload.parameters offload.gradients");

/// VeOmni's and TorchTitan's.
pub(super) const SHARDED: Keys = &[
    ("param_offload", OFFLOAD),
    ("optimizer_offload", Plan("offload.optimizer")),
    ("fsdp_size", Plan("shard_group")),
    ("data_parallel_shard_size", Plan("shard_group")),
    ("ulysses_parallel_size", Plan("ulysses_parallel")),
    ("enable_full_shard", Plan("zero_stage")),
    ("reshard_after_forward", Plan("zero_stage")),
    ("expert_parallel_size", SPLITS),
    ("tensor_parallel_size", SPLITS),
    ("pipeline_parallel_size", SPLITS),
    ("context_parallel_size", SPLITS),
    ("data_parallel_replicate_size", SPLITS),
    ("data_parallel_size", SPLITS),
    ("activation_checkpoint", RECOMPUTE),
    ("enable_fsdp_offload", Unmodelled("state plan.offload; its parts are param_offload and optimizer_offload")),
    ("activation_gpu_limit", Unmodelled("state plan.offload")),
    ("pad_to_length*", PADS),
    ("strategy", Plan("backend")),
    ("*_implementation", KERNELS),
    ("attn_*", KERNELS),
    ("moe_implementation", KERNELS),
    ("cross_entropy_loss_implementation", KERNELS),
    ("rms_norm_*", KERNELS),
    ("swiglu_mlp_implementation", KERNELS),
    ("rotary_pos_emb_implementation", KERNELS),
    ("causal_conv1d_implementation", KERNELS),
    ("chunk_gated_delta_rule_implementation", KERNELS),
    ("load_balancing_loss_implementation", KERNELS),
    ("dsa_*", KERNELS),
    ("mhc_implementation", KERNELS),
    ("spmd_backend", KERNELS),
    ("use_torch_compile", KERNELS),
    ("init_device", PATH),
    ("load_checkpoint_path", PATH),
    ("ckpt_manager", PATH),
    ("forward_prefetch", KERNELS),
    ("mixed_precision", OBJECTIVE),
    ("router_replay.*", Ignored("which experts are taken")),
    ("seed", OBJECTIVE),
];

/// AutoModel's, in fine-tuning.
pub(super) const AUTOMODEL: Keys = &[
    ("tp_size", SPLITS),
    ("pp_size", SPLITS),
    ("cp_size", SPLITS),
    ("ep_size", SPLITS),
    ("dp_replicate_size", SPLITS),
    ("distributed_strategy", Ignored("engine says the backend")),
    ("activation_checkpointing", Plan("recompute")),
    ("defer_fsdp_grad_sync", Unmodelled("the estimate reduces gradients once a micro-batch")),
    ("enable_fp8", Unmodelled("state workload.precision")),
    ("enable_compile", KERNELS),
    ("backend_config.*", KERNELS),
    ("moe_config.*", KERNELS),
    ("mp_*", OBJECTIVE),
];

/// MindSpeed's beside Megatron's.
pub(super) const MINDSPEED: Keys = &[
    ("strategy", Plan("backend")),
    ("mcore_kwargs.overlap_grad_reduce", Plan("overlap.gradients")),
    ("mcore_kwargs.overlap_param_gather", Plan("overlap.parameters")),
    ("mcore_kwargs.moe_*", Unmodelled("the estimate's experts are Megatron's")),
    ("mcore_kwargs.*", Unmodelled("the estimate's model and kernels are Megatron's")),
    ("fsdp_kwargs.*", Unmodelled("the estimate's MindSpeed is Megatron's")),
];

/// Megatron lite's.
pub(super) const LITE: Keys = &[
    ("tp", Plan("tensor_parallel")),
    ("pp", Plan("pipeline_parallel")),
    ("vpp", Plan("virtual_pipeline")),
    ("cp", Plan("context_parallel")),
    ("ep", Plan("expert_parallel")),
    ("etp", Plan("expert_tensor_parallel")),
    ("param_offload", OFFLOAD),
    ("optimizer_offload", Plan("offload.optimizer")),
    ("grad_offload", Ignored("param_offload moves the gradients too")),
    ("impl_cfg.recompute", RECOMPUTE),
    ("impl_cfg.*", Unmodelled("the estimate's model and optimizer are Megatron's")),
    ("attention_backend_override", KERNELS),
];
