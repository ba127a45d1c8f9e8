//! The phases of a step.

/// A phase of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The whole step of training alone.
    Train,
    /// Generation.
    Rollout,
    /// Log-probabilities of the sampled tokens before the first update.
    OldLogProb,
    /// Log-probabilities of mismatched responses, of which nothing is learnt but how far the policy is from the reference.
    Mismatched,
    /// Log-probabilities under the reference.
    Reference,
    /// The critic's values.
    Values,
    /// Updates of an implicit process reward model.
    UpdateReward,
    /// Rewards, by a model or as long as the question states.
    Reward,
    /// Log-probabilities under what an implicit process reward model began as: beside its updates, and beside its rewards.
    RewardReference,
    /// A teacher's probabilities; with a pool of its own, what they take beyond generation.
    Teacher,
    /// Updates of the critic.
    UpdateCritic,
    /// Updates of the actor.
    UpdateActor,
    /// New weights on their way to the engine.
    WeightSync,
    /// What the trainer's driver does between the others.
    Driver,
}

impl Phase {
    /// Every phase, in the order of a step.
    pub const ALL: [Self; 14] = [
        Self::Train,
        Self::Rollout,
        Self::OldLogProb,
        Self::Mismatched,
        Self::Reference,
        Self::Values,
        Self::UpdateReward,
        Self::Reward,
        Self::RewardReference,
        Self::Teacher,
        Self::UpdateCritic,
        Self::UpdateActor,
        Self::WeightSync,
        Self::Driver,
    ];

    /// As answers name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Rollout => "rollout",
            Self::OldLogProb => "old_log_prob",
            Self::Mismatched => "mismatched",
            Self::Reference => "reference",
            Self::Values => "values",
            Self::UpdateReward => "update_reward",
            Self::Reward => "reward",
            Self::RewardReference => "reward_reference",
            Self::Teacher => "teacher",
            Self::UpdateCritic => "update_critic",
            Self::UpdateActor => "update_actor",
            Self::WeightSync => "weight_sync",
            Self::Driver => "driver",
        }
    }

    /// The phase of a name; `None` of what is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }
}
