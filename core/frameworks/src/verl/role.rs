//! The roles of a run that train, and where the keys of each are.

/// Where a role's keys are, each prefix with its dot.
pub(super) struct Role {
    /// The fields of its plan, without a dot.
    pub(super) field: &'static str,
    pub(super) model: &'static str,
    pub(super) optim: &'static str,
    pub(super) fsdp: &'static str,
    pub(super) megatron: &'static str,
    /// The older key of Ulysses, beside the engine's.
    pub(super) ulysses: &'static str,
}

pub(super) const ACTOR: Role = Role {
    field: "plan",
    model: "actor_rollout_ref.model.",
    optim: "actor_rollout_ref.actor.optim.",
    fsdp: "actor_rollout_ref.actor.fsdp_config.",
    megatron: "actor_rollout_ref.actor.megatron.",
    ulysses: "actor_rollout_ref.actor.ulysses_sequence_parallel_size",
};

pub(super) const CRITIC: Role = Role {
    field: "plan.critic",
    model: "critic.model.",
    optim: "critic.optim.",
    fsdp: "critic.fsdp.",
    megatron: "critic.megatron.",
    ulysses: "critic.ulysses_sequence_parallel_size",
};

/// The one role of `verl.trainer.sft_trainer`.
pub(super) const FINE_TUNING: Role = Role {
    field: "plan",
    model: "model.",
    optim: "optim.",
    fsdp: "engine.",
    megatron: "engine.",
    ulysses: "engine.ulysses_sequence_parallel_size",
};

impl Role {
    /// Path of a field of its plan.
    pub(super) fn at(&self, field: &str) -> String {
        format!("{}.{field}", self.field)
    }
}
