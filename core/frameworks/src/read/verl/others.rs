//! Engines beside FSDP and Megatron: their keys, read as those of the one that is estimated in their place.

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

/// Fine-tuning's keys.
const FINE_TUNING: &[(&str, &str)] = &[
    ("engine.ulysses_parallel_size", "engine.ulysses_sequence_parallel_size"),
    ("engine.data_parallel_shard_size", "engine.fsdp_size"),
    ("engine.enable_full_shard", "engine.reshard_after_forward"),
    ("engine.activation_checkpointing", "model.enable_gradient_checkpointing"),
    ("engine.tp", "engine.tensor_model_parallel_size"),
    ("engine.pp", "engine.pipeline_model_parallel_size"),
    ("engine.vpp", "engine.virtual_pipeline_model_parallel_size"),
    ("engine.cp", "engine.context_parallel_size"),
    ("engine.ep", "engine.expert_model_parallel_size"),
    ("engine.etp", "engine.expert_tensor_parallel_size"),
];

/// The key that a key of another engine is read as.
pub(super) fn read_as(key: &str) -> Option<String> {
    let fine_tuning = FINE_TUNING.iter().find(|(from, _)| *from == key);
    if let Some((_, to)) = fine_tuning {
        return Some((*to).to_owned());
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
