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

/// An algorithm of reinforcement learning: what memory and time depend on, and what a framework is told.
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
    /// The policy's loss.
    pub loss: Loss,
}

/// A policy's loss: the ratio of new to old probabilities, clipped, times the advantage, averaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// What the ratio is of. A response's is the geometric mean of its tokens' (arXiv:2507.18071, equation 7).
    pub ratio: Unit,
    /// What counts alike in the average over a batch.
    pub mean: Unit,
    /// How far a ratio may leave 1, where the algorithm has a clip of its own.
    pub clip: Option<Clip>,
}

/// What a loss looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Each token.
    Token,
    /// Each response.
    Response,
}

/// How far a ratio may leave 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip {
    /// Below 1.
    pub low: f64,
    /// Above 1.
    pub high: f64,
    /// How the two differ from the usual ones, for a person.
    pub why: &'static str,
    /// Bound of the loss where the advantage is negative (arXiv:1912.09729), where the algorithm has one.
    pub dual: Option<f64>,
}

/// Proximal policy optimization (arXiv:1707.06347), with a critic.
pub const PPO: Algorithm = Algorithm {
    name: "PPO",
    critic: true,
    reference: true,
    responses_per_prompt: 1,
    oversampling: None,
    loss: Loss { ratio: Unit::Token, mean: Unit::Token, clip: None },
};

/// Group relative policy optimization (arXiv:2402.03300).
pub const GRPO: Algorithm = Algorithm {
    name: "GRPO",
    critic: false,
    reference: true,
    responses_per_prompt: 8,
    oversampling: None,
    loss: Loss { ratio: Unit::Token, mean: Unit::Response, clip: None },
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
    loss: Loss {
        ratio: Unit::Token,
        mean: Unit::Token,
        clip: Some(Clip { low: 0.2, high: 0.28, why: "DAPO clips higher above, to keep exploring", dual: Some(10.0) }),
    },
};

/// Group sequence policy optimization (arXiv:2507.18071): GRPO with one ratio for each response, and no penalty for leaving the
/// reference. Its clip is that of section 5.1.
pub const GSPO: Algorithm = Algorithm {
    name: "GSPO",
    critic: false,
    reference: false,
    responses_per_prompt: 8,
    oversampling: None,
    loss: Loss {
        ratio: Unit::Response,
        mean: Unit::Response,
        clip: Some(Clip {
            low: 3e-4,
            high: 4e-4,
            why: "GSPO clips closer to 1: a response's ratio varies less than a token's",
            dual: None,
        }),
    },
};

impl WorkloadKind {
    /// Name for a person.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pretrain => "Pretrain",
            Self::Sft => "SFT",
            Self::Lora => "LoRA",
            Self::Qlora => "QLoRA",
            Self::Ppo | Self::Grpo | Self::Dapo | Self::Gspo => self.algorithm().map_or("", |own| own.name),
            Self::Rollout => "Rollout",
        }
    }

    /// The task of this kind.
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
            Self::Gspo => Task::Rl(&GSPO),
            Self::Rollout => Task::Generate,
        }
    }

    /// The algorithm of this kind, where it is reinforcement learning.
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
