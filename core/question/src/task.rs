//! What a task asks of the machine, and the algorithms of reinforcement learning: one row each.

use crate::wire::WorkloadKind;

/// What a task is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// Optimizer steps on given text.
    Train,
    /// Steps of generation and training.
    Rl(&'static Algorithm),
    /// Generation alone.
    Generate,
}

/// An algorithm of reinforcement learning, as far as memory and time depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Algorithm {
    /// Name for a person.
    pub name: &'static str,
    /// Whether a critic estimates what each token is worth; without one the responses of a prompt are compared.
    pub critic: bool,
    /// Whether it stays near a reference policy, where a question does not say.
    pub reference: bool,
    /// Responses per prompt, where a question does not say.
    pub responses_per_prompt: u64,
    /// Prompts generated for each that trains, where a question does not say and the algorithm drops some.
    pub oversampling: Option<f64>,
}

/// Proximal policy optimization (arXiv:1707.06347), with a critic.
pub const PPO: Algorithm = Algorithm {
    name: "PPO",
    critic: true,
    reference: true,
    responses_per_prompt: 1,
    oversampling: None,
};

/// Group relative policy optimization (arXiv:2402.03300).
pub const GRPO: Algorithm = Algorithm {
    name: "GRPO",
    critic: false,
    reference: true,
    responses_per_prompt: 8,
    oversampling: None,
};

/// Prompts that DAPO's dynamic sampling (arXiv:2503.14476, section 3.2) generates for each that trains: rollout over one batch's generation in seven
/// veRL runs with `filter_groups`, 2.1 to 3.8, at the median
/// (<https://github.com/ISEEKYAN/verl_megatron_practice>, dapo14b.csv rows 7 to 11, dapo32b.csv rows 6 and 7).
const DYNAMIC_SAMPLING: f64 = 2.3;

/// Decoupled clip and dynamic sampling policy optimization (arXiv:2503.14476), which drops prompts whose responses all score
/// alike.
pub const DAPO: Algorithm = Algorithm {
    name: "DAPO",
    critic: false,
    reference: false,
    responses_per_prompt: 16,
    oversampling: Some(DYNAMIC_SAMPLING),
};

impl WorkloadKind {
    /// What it is made of.
    ///
    /// ```
    /// use shardwise_core::task::{GRPO, Task};
    /// use shardwise_core::wire::WorkloadKind;
    /// assert_eq!(WorkloadKind::Grpo.task(), Task::Rl(&GRPO));
    /// assert_eq!(WorkloadKind::Lora.task(), Task::Train);
    /// ```
    #[must_use]
    pub fn task(self) -> Task {
        match self {
            Self::Pretrain | Self::Sft | Self::Lora | Self::Qlora => Task::Train,
            Self::Ppo => Task::Rl(&PPO),
            Self::Grpo => Task::Rl(&GRPO),
            Self::Dapo => Task::Rl(&DAPO),
            Self::Rollout => Task::Generate,
        }
    }

    /// Its algorithm, where it is reinforcement learning.
    #[must_use]
    pub fn algorithm(self) -> Option<&'static Algorithm> {
        match self.task() {
            Task::Rl(algorithm) => Some(algorithm),
            Task::Train | Task::Generate => None,
        }
    }

    /// Whether a critic estimates what each token is worth.
    #[must_use]
    pub fn has_critic(self) -> bool {
        self.algorithm().is_some_and(|own| own.critic)
    }
}
