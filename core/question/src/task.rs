//! What a task asks of the machine, and the algorithms of reinforcement learning: one row each.

use crate::wire::WorkloadKind;

/// What a task is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// Optimizer steps on given text.
    Train,
    /// Optimizer steps on preferences.
    Prefer(&'static Preference),
    /// Steps of generation and training.
    Rl(&'static Algorithm),
    /// Generation alone.
    Generate,
}

/// What learns from preferences: what memory and time depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preference {
    /// Name for a person.
    pub name: &'static str,
    /// Sequences of an example: a chosen and a rejected response, each behind its prompt, or one response.
    pub sequences: u64,
    /// What is learnt of them.
    pub learns: Learns,
}

/// What is learnt from preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// A policy, held to a reference: each batch is evaluated by it, or was before.
    Held,
    /// A policy, held to a reference, whose distance from it is estimated on mismatched responses: policy and reference
    /// evaluate those, too.
    HeldByMismatched,
    /// A policy, held to nothing.
    Free,
    /// Scores: a number for each response.
    Scores,
}

/// Direct preference optimization (arXiv:2305.18290, equation 7).
pub const DPO: Preference = Preference { name: "DPO", sequences: 2, learns: Learns::Held };

/// Identity preference optimization (arXiv:2310.12036, equation 17): DPO's passes, with a squared loss.
pub const IPO: Preference = Preference { name: "IPO", ..DPO };

/// Kahneman-Tversky optimization (arXiv:2402.01306, section 4.1): single responses, good or bad; `z_0` is of responses to other
/// prompts.
pub const KTO: Preference = Preference { name: "KTO", sequences: 1, learns: Learns::HeldByMismatched };

/// Odds ratio preference optimization (arXiv:2403.07691, equation 6): no reference.
pub const ORPO: Preference = Preference { name: "ORPO", sequences: 2, learns: Learns::Free };

/// Simple preference optimization (arXiv:2405.14734, equation 6): no reference.
pub const SIMPO: Preference = Preference { name: "SimPO", ..ORPO };

/// A reward model of pairs (arXiv:2203.02155, equation 1).
pub const REWARD_MODEL: Preference = Preference { name: "Reward model", sequences: 2, learns: Learns::Scores };

impl Preference {
    /// Whether a policy is held to a reference.
    #[must_use]
    pub const fn has_reference(&self) -> bool {
        matches!(self.learns, Learns::Held | Learns::HeldByMismatched)
    }

    /// Whether mismatched responses are evaluated beside those that train.
    #[must_use]
    pub const fn has_mismatched(&self) -> bool {
        matches!(self.learns, Learns::HeldByMismatched)
    }

    /// Whether an example is a pair.
    #[must_use]
    pub const fn has_pairs(&self) -> bool {
        self.sequences == 2
    }
}

/// An algorithm of reinforcement learning: what memory and time depend on, and what a framework is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Algorithm {
    /// Name for a person.
    pub name: &'static str,
    /// What a response's score is held against.
    pub baseline: Baseline,
    /// Whether it stays near a reference policy, where a question does not say.
    pub reference: bool,
    /// Where the penalty for leaving the reference is, where there is one.
    pub penalty: Penalty,
    /// Responses per prompt, where a question does not say.
    pub responses_per_prompt: u64,
    /// Prompts generated for each that trains, where a question does not say and the algorithm drops some.
    pub oversampling: Option<f64>,
    /// Whether an implicit process reward model trains beside the policy and says what each token is worth.
    pub process_reward: bool,
    /// The policy's loss.
    pub loss: Loss,
}

/// What a response's score is held against: what is left is its advantage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// What a critic expects, token by token: a model that trains, too.
    Critic,
    /// The mean of the prompt's responses, in standard deviations of them.
    Group,
    /// That mean alone.
    GroupMean,
    /// The mean of the prompt's other responses.
    Others,
    /// The mean of the whole batch, in its standard deviations.
    Batch,
    /// The score of the likeliest response, which is generated beside the others and trains nothing.
    Greedy,
    /// A teacher's log-probabilities, token by token: nothing is scored.
    Teacher,
}

/// Where the penalty for leaving the reference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Penalty {
    /// In the reward.
    Reward,
    /// In the loss.
    Loss,
}

/// A policy's loss: the ratio of new to old probabilities, clipped, times the advantage, averaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// What the ratio is of.
    pub ratio: Ratio,
    /// What counts alike in the average over a batch.
    pub mean: Mean,
    /// How far a ratio may leave 1, where the algorithm has a clip of its own.
    pub clip: Option<Clip>,
}

/// What a ratio is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ratio {
    /// Each token.
    Token,
    /// Each response: the geometric mean of its tokens' (arXiv:2507.18071, equation 7).
    Response,
    /// Each response: the geometric mean of its tokens' clipped ones (arXiv:2507.20673, equation 4).
    ClippedTokens,
    /// Each token; clipped, it is a weight through which no gradient flows (arXiv:2506.13585, equation 4).
    Weight,
}

/// What counts alike in the average over a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mean {
    /// Each token.
    Token,
    /// Each response.
    Response,
    /// Each token, as if all responses were the longest (arXiv:2503.20783, section 3.2).
    Longest,
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
    baseline: Baseline::Critic,
    reference: true,
    penalty: Penalty::Reward,
    responses_per_prompt: 1,
    oversampling: None,
    process_reward: false,
    loss: Loss { ratio: Ratio::Token, mean: Mean::Token, clip: None },
};

/// Group relative policy optimization (arXiv:2402.03300).
pub const GRPO: Algorithm = Algorithm {
    name: "GRPO",
    baseline: Baseline::Group,
    reference: true,
    penalty: Penalty::Loss,
    responses_per_prompt: 8,
    oversampling: None,
    process_reward: false,
    loss: Loss { ratio: Ratio::Token, mean: Mean::Response, clip: None },
};

/// Prompts that DAPO's dynamic sampling (arXiv:2503.14476, section 3.2) generates for each that trains: rollout over one batch's generation in seven
/// veRL runs with `filter_groups`, 2.1 to 3.8, at the median
/// (<https://github.com/ISEEKYAN/verl_megatron_practice>, dapo14b.csv rows 7 to 11, dapo32b.csv rows 6 and 7).
const DYNAMIC_SAMPLING: f64 = 2.3;

/// Decoupled clip and dynamic sampling policy optimization (arXiv:2503.14476), which drops prompts whose responses all score
/// alike.
pub const DAPO: Algorithm = Algorithm {
    name: "DAPO",
    reference: false,
    responses_per_prompt: 16,
    oversampling: Some(DYNAMIC_SAMPLING),
    loss: Loss {
        ratio: Ratio::Token,
        mean: Mean::Token,
        clip: Some(Clip { low: 0.2, high: 0.28, why: "DAPO clips higher above, to keep exploring", dual: Some(10.0) }),
    },
    ..GRPO
};

/// Group sequence policy optimization (arXiv:2507.18071): GRPO with one ratio for each response, and no penalty for leaving the
/// reference. Its clip is that of section 5.1.
pub const GSPO: Algorithm = Algorithm {
    name: "GSPO",
    reference: false,
    loss: Loss {
        ratio: Ratio::Response,
        mean: Mean::Response,
        clip: Some(Clip {
            low: 3e-4,
            high: 4e-4,
            why: "GSPO clips closer to 1: a response's ratio varies less than a token's",
            dual: None,
        }),
    },
    ..GRPO
};

/// GRPO done right (arXiv:2503.20783, section 3): no division by a response's length or by the deviation of a prompt's scores,
/// and no reference (section 3.1).
pub const DR_GRPO: Algorithm = Algorithm {
    name: "Dr. GRPO",
    baseline: Baseline::GroupMean,
    reference: false,
    loss: Loss { ratio: Ratio::Token, mean: Mean::Longest, clip: None },
    ..GRPO
};

/// Clipped importance-sampling weights (MiniMax-M1, arXiv:2506.13585, section 3.1), without a reference. The clip is that of
/// veRL's example (<https://github.com/verl-project/verl/blob/1dda039b9c6311889a9c9a26040677e1254814f9/examples/cispo_trainer/run_qwen3_8b_fsdp.sh>):
/// nothing is clipped below.
pub const CISPO: Algorithm = Algorithm {
    name: "CISPO",
    reference: false,
    loss: Loss {
        ratio: Ratio::Weight,
        mean: Mean::Token,
        clip: Some(Clip { low: 10.0, high: 0.2, why: "CISPO clips weights above alone", dual: None }),
    },
    ..GRPO
};

/// Geometric-mean policy optimization (arXiv:2507.20673). The clip is that of veRL's example
/// (<https://github.com/verl-project/verl/blob/1dda039b9c6311889a9c9a26040677e1254814f9/examples/gmpo_trainer/run_qwen3_8b_fsdp.sh>).
pub const GMPO: Algorithm = Algorithm {
    name: "GMPO",
    loss: Loss {
        ratio: Ratio::ClippedTokens,
        mean: Mean::Response,
        clip: Some(Clip {
            low: 0.4,
            high: 0.4,
            why: "GMPO clips wider: a geometric mean is moved less by one token",
            dual: None,
        }),
    },
    ..GRPO
};

/// REINFORCE leave-one-out (arXiv:2402.14740, section 3.2; four responses in section 5).
pub const RLOO: Algorithm =
    Algorithm { name: "RLOO", baseline: Baseline::Others, penalty: Penalty::Reward, responses_per_prompt: 4, ..GRPO };

/// REINFORCE++ (arXiv:2501.03262): advantages over the whole batch, one response a prompt.
pub const REINFORCE_PLUS_PLUS: Algorithm = Algorithm {
    name: "REINFORCE++",
    baseline: Baseline::Batch,
    penalty: Penalty::Reward,
    responses_per_prompt: 1,
    ..GRPO
};

/// `ReMax` (arXiv:2310.10505): REINFORCE with the score of the greedy response as baseline, one response a prompt.
pub const REMAX: Algorithm =
    Algorithm { name: "ReMax", baseline: Baseline::Greedy, penalty: Penalty::Reward, responses_per_prompt: 1, ..GRPO };

/// Prompts that veRL's recipe of PRIME generates for each that trains: those whose share of right answers lies between its
/// bounds come first
/// (<https://github.com/verl-project/verl-recipe/blob/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/prime/config/prime_trainer.yaml#L15>).
const ACCURACY_FILTER: f64 = 4.0;

/// Process reinforcement through implicit rewards (arXiv:2502.01456): a leave-one-out advantage of rewards for each
/// token, which a language model gives by how much likelier a token is to it than to its frozen start, and which trains on
/// whether answers are right. Four responses, no reference policy, as in veRL's recipe
/// (<https://github.com/verl-project/verl-recipe/blob/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/prime/config/prime_trainer.yaml#L26>).
/// That adds no penalty to the rewards (`prime_ray_trainer.py`, lines 509 to 520), so one is in the loss.
pub const PRIME: Algorithm = Algorithm {
    name: "PRIME",
    baseline: Baseline::Others,
    reference: false,
    responses_per_prompt: 4,
    oversampling: Some(ACCURACY_FILTER),
    process_reward: true,
    loss: Loss { ratio: Ratio::Token, mean: Mean::Token, clip: None },
    ..GRPO
};

/// On-policy distillation (arXiv:2306.13649, algorithm 1, with all batches sampled by the student): one response a prompt, no
/// reference; the policy's loss is the divergence from a teacher.
pub const DISTILL: Algorithm = Algorithm {
    name: "Distillation",
    baseline: Baseline::Teacher,
    reference: false,
    responses_per_prompt: 1,
    loss: Loss { ratio: Ratio::Token, mean: Mean::Token, clip: None },
    ..GRPO
};

impl Algorithm {
    /// Whether a critic trains beside the policy.
    #[must_use]
    pub const fn critic(&self) -> bool {
        matches!(self.baseline, Baseline::Critic)
    }

    /// Whether a teacher says what a token is worth.
    #[must_use]
    pub const fn teacher(&self) -> bool {
        matches!(self.baseline, Baseline::Teacher)
    }

    /// Whether the responses of a prompt are compared, so that there have to be several.
    #[must_use]
    pub const fn compares(&self) -> bool {
        matches!(self.baseline, Baseline::Group | Baseline::GroupMean | Baseline::Others)
    }
}

impl WorkloadKind {
    /// Name for a person.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pretrain => "Pretrain",
            Self::Sft => "SFT",
            Self::Lora => "LoRA",
            Self::Qlora => "QLoRA",
            Self::Rollout => "Rollout",
            Self::Dpo | Self::Ipo | Self::Kto | Self::Orpo | Self::Simpo | Self::RewardModel => {
                self.preference().map_or("", |own| own.name)
            }
            Self::Ppo
            | Self::Grpo
            | Self::Dapo
            | Self::Gspo
            | Self::DrGrpo
            | Self::Cispo
            | Self::Gmpo
            | Self::Rloo
            | Self::ReinforcePlusPlus
            | Self::Remax
            | Self::Prime
            | Self::Distill => self.algorithm().map_or("", |own| own.name),
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
            Self::Dpo => Task::Prefer(&DPO),
            Self::Ipo => Task::Prefer(&IPO),
            Self::Kto => Task::Prefer(&KTO),
            Self::Orpo => Task::Prefer(&ORPO),
            Self::Simpo => Task::Prefer(&SIMPO),
            Self::RewardModel => Task::Prefer(&REWARD_MODEL),
            Self::Ppo => Task::Rl(&PPO),
            Self::Grpo => Task::Rl(&GRPO),
            Self::Dapo => Task::Rl(&DAPO),
            Self::Gspo => Task::Rl(&GSPO),
            Self::DrGrpo => Task::Rl(&DR_GRPO),
            Self::Cispo => Task::Rl(&CISPO),
            Self::Gmpo => Task::Rl(&GMPO),
            Self::Rloo => Task::Rl(&RLOO),
            Self::ReinforcePlusPlus => Task::Rl(&REINFORCE_PLUS_PLUS),
            Self::Remax => Task::Rl(&REMAX),
            Self::Prime => Task::Rl(&PRIME),
            Self::Distill => Task::Rl(&DISTILL),
            Self::Rollout => Task::Generate,
        }
    }

    /// The algorithm of this kind, where it is reinforcement learning.
    #[must_use]
    pub fn algorithm(self) -> Option<&'static Algorithm> {
        match self.task() {
            Task::Rl(algorithm) => Some(algorithm),
            Task::Train | Task::Prefer(_) | Task::Generate => None,
        }
    }

    /// What is learnt from preferences, where this kind does that.
    ///
    /// ```
    /// use shardwise_core::task::DPO;
    /// use shardwise_core::wire::WorkloadKind;
    /// assert_eq!(WorkloadKind::Dpo.preference(), Some(&DPO));
    /// assert_eq!(WorkloadKind::Sft.preference(), None);
    /// ```
    #[must_use]
    pub fn preference(self) -> Option<&'static Preference> {
        match self.task() {
            Task::Prefer(own) => Some(own),
            Task::Train | Task::Rl(_) | Task::Generate => None,
        }
    }

    /// Whether a critic estimates what each token is worth.
    #[must_use]
    pub fn has_critic(self) -> bool {
        self.algorithm().is_some_and(Algorithm::critic)
    }

    /// Whether an implicit process reward model trains beside the policy.
    #[must_use]
    pub fn has_process_reward(self) -> bool {
        self.algorithm().is_some_and(|own| own.process_reward)
    }
}
