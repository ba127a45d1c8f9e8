//! Keys of the engines beside FSDP and Megatron, which are estimated as these (`trainer/config/engine/*.yaml` of verl
//! 0.9.0; Megatron lite's after its examples), and which key of these does the same.

use super::common::{KERNELS, Keys, OBJECTIVE, PATH, ROUTING};
use crate::binding::Meaning;
use crate::binding::Meaning::{Ignored, Plan, Unmodelled};

const SPLITS: Meaning = Unmodelled("the estimate's FSDP splits no layer");
const RECOMPUTE: Meaning = Unmodelled("state plan.recompute");
const OFFLOAD: Meaning = Plan("offload.parameters offload.gradients");

/// VeOmni's and TorchTitan's.
pub(super) const SHARDED: Keys = &[
    ("param_offload", OFFLOAD),
    ("optimizer_offload", Plan("offload.optimizer")),
    ("fsdp_size|data_parallel_shard_size", Plan("shard_group")),
    ("ulysses_parallel_size", Plan("ulysses_parallel")),
    ("enable_full_shard|reshard_after_forward", Plan("zero_stage")),
    (
        "expert_parallel_size|tensor_parallel_size|pipeline_parallel_size|context_parallel_size|\
         data_parallel_replicate_size|data_parallel_size",
        SPLITS,
    ),
    ("activation_checkpoint", RECOMPUTE),
    ("enable_fsdp_offload", Unmodelled("state plan.offload; its parts are param_offload and optimizer_offload")),
    ("activation_gpu_limit", Unmodelled("state plan.offload")),
    ("pad_to_length*", Unmodelled("the estimate pads nothing where sequences are packed")),
    ("strategy", Plan("backend")),
    (
        "*_implementation|attn_*|moe_implementation|cross_entropy_loss_implementation|rms_norm_*|swiglu_mlp_implementation|\
         rotary_pos_emb_implementation|causal_conv1d_implementation|chunk_gated_delta_rule_implementation|\
         load_balancing_loss_implementation|dsa_*|mhc_implementation|spmd_backend|use_torch_compile|forward_prefetch",
        KERNELS,
    ),
    ("init_device|load_checkpoint_path|ckpt_manager", PATH),
    ("mixed_precision|seed", OBJECTIVE),
    ("router_replay.*", ROUTING),
];

/// AutoModel's, in fine-tuning.
pub(super) const AUTOMODEL: Keys = &[
    ("tp_size|pp_size|cp_size|ep_size|dp_replicate_size", SPLITS),
    ("distributed_strategy", Ignored("engine says the backend")),
    ("activation_checkpointing", Plan("recompute")),
    ("defer_fsdp_grad_sync", Unmodelled("the estimate reduces gradients once a micro-batch")),
    ("enable_fp8", Unmodelled("state workload.precision")),
    ("enable_compile|backend_config.*|moe_config.*", KERNELS),
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

/// What an engine's key begins with, and the key of FSDP or Megatron that does the same.
const READ_AS: &[(&str, &str)] = &[
    ("veomni.param_offload", "fsdp_config.param_offload"),
    ("veomni.optimizer_offload", "fsdp_config.optimizer_offload"),
    ("veomni.fsdp_size", "fsdp_config.fsdp_size"),
    ("veomni.ulysses_parallel_size", "fsdp_config.ulysses_sequence_parallel_size"),
    ("veomni.enable_full_shard", "fsdp_config.reshard_after_forward"),
    ("torchtitan.param_offload", "fsdp_config.param_offload"),
    ("torchtitan.optimizer_offload", "fsdp_config.optimizer_offload"),
    ("torchtitan.data_parallel_shard_size", "fsdp_config.fsdp_size"),
    ("mindspeed.mcore_kwargs.overlap_", "megatron.override_ddp_config.overlap_"),
    ("mindspeed.mcore_kwargs.recompute_", "megatron.override_transformer_config.recompute_"),
    ("mindspeed.", "megatron."),
    ("engine.tp", "megatron.tensor_model_parallel_size"),
    ("engine.pp", "megatron.pipeline_model_parallel_size"),
    ("engine.vpp", "megatron.virtual_pipeline_model_parallel_size"),
    ("engine.cp", "megatron.context_parallel_size"),
    ("engine.ep", "megatron.expert_model_parallel_size"),
    ("engine.etp", "megatron.expert_tensor_parallel_size"),
    ("engine.param_offload", "megatron.param_offload"),
    ("engine.optimizer_offload", "megatron.optimizer_offload"),
];

/// The roles that have an engine, and what FSDP's part is called there.
const ROLES: &[(&str, &str)] =
    &[("actor_rollout_ref.actor.", "fsdp_config."), ("actor_rollout_ref.ref.", "fsdp_config."), ("critic.", "fsdp.")];

/// Keys of fine-tuning beside Megatron lite's: it has one role, whose keys are all `engine.`.
const FINE_TUNING: &[(&str, &str)] = &[
    ("engine.ulysses_parallel_size", "engine.ulysses_sequence_parallel_size"),
    ("engine.data_parallel_shard_size", "engine.fsdp_size"),
    ("engine.enable_full_shard", "engine.reshard_after_forward"),
    ("engine.activation_checkpointing", "model.enable_gradient_checkpointing"),
];

/// The key that a key of another engine is read as.
pub(in crate::verl) fn read_as(key: &str) -> Option<String> {
    let mut fine_tuning = FINE_TUNING.iter().chain(READ_AS);
    if let Some((_, to)) = fine_tuning.find(|(from, _)| *from == key) {
        return Some(to.replace("megatron.", "engine."));
    }
    let (role, sharded, name) = ROLES.iter().find_map(|(role, sharded)| {
        let name = key.strip_prefix(role)?;
        Some((role, sharded, name))
    })?;
    READ_AS.iter().find_map(|(from, to)| {
        let rest = name.strip_prefix(from)?;
        // A whole key, or the beginning of several.
        let several = from.ends_with(['.', '_']);
        (several || rest.is_empty()).then(|| {
            let to = to.replace("fsdp_config.", sharded);
            format!("{role}{to}{rest}")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::read_as;

    #[test]
    fn a_key_of_another_engine_has_its_like() {
        for (key, expected) in [
            ("actor_rollout_ref.actor.veomni.fsdp_size", Some("actor_rollout_ref.actor.fsdp_config.fsdp_size")),
            ("critic.torchtitan.param_offload", Some("critic.fsdp.param_offload")),
            (
                "actor_rollout_ref.ref.mindspeed.tensor_model_parallel_size",
                Some("actor_rollout_ref.ref.megatron.tensor_model_parallel_size"),
            ),
            (
                "actor_rollout_ref.actor.mindspeed.mcore_kwargs.recompute_method",
                Some("actor_rollout_ref.actor.megatron.override_transformer_config.recompute_method"),
            ),
            (
                "actor_rollout_ref.actor.engine.etp",
                Some("actor_rollout_ref.actor.megatron.expert_tensor_parallel_size"),
            ),
            ("engine.pp", Some("engine.pipeline_model_parallel_size")),
            ("actor_rollout_ref.actor.engine.epoch", None),
            ("actor_rollout_ref.actor.fsdp_config.fsdp_size", None),
        ] {
            assert_eq!(read_as(key).as_deref(), expected, "{key}");
        }
    }
}
