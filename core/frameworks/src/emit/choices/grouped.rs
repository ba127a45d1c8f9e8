//! What TRL's GRPO trainer is told of an algorithm, whoever writes its keys: its scripts' options, or keywords of a program.

use std::fmt::Display;

use super::super::Emission;
use super::super::text::flag;
use super::super::words::{count, plural};
use super::{accumulation, updates};
use shardwise_question::task::{Algorithm, Baseline, Loss, Mean, Ratio};
use shardwise_question::workload::Rl;

/// Said of [`max_response_length`](Rl::max_response_length).
pub(crate) const RESPONSE: &str = "tokens of a response, from your question";

/// A key of `GRPOConfig`: a word, or a number or truth value.
pub(crate) struct Told {
    pub(crate) key: &'static str,
    pub(crate) value: String,
    pub(crate) is_word: bool,
    pub(crate) reason: String,
}

impl Told {
    fn word(key: &'static str, value: &str, reason: &str) -> Self {
        Self { key, value: value.to_owned(), is_word: true, reason: reason.to_owned() }
    }

    fn number(key: &'static str, value: impl Display, reason: &str) -> Self {
        Self { key, value: value.to_string(), is_word: false, reason: reason.to_owned() }
    }
}

/// What one generation feeds: passes of so many updates, and responses.
pub(crate) fn fed(emission: &Emission, rl: &Rl) -> Vec<Told> {
    let (updates, over) = updates(rl);
    let fed = format!(
        "passes that one generation feeds: {} × {}, {} a step",
        plural(rl.prompts_per_step, "prompt", "prompts"),
        plural(rl.responses_per_prompt, "response", "responses"),
        plural(updates, "update", "updates")
    );
    let passes = accumulation(emission).saturating_mul(updates);
    vec![
        Told::number("steps_per_generation", passes, &fed),
        Told::number("num_generations", rl.responses_per_prompt, "responses per prompt, from your question"),
        Told::number("num_iterations", rl.epochs, &over),
        Told::number("max_completion_length", rl.max_response_length, RESPONSE),
    ]
}

/// Whether the engine's log-probabilities are held against the trainer's own.
pub(crate) fn correction(rl: &Rl) -> Told {
    let reason = if rl.old_log_prob {
        "corrects for the engine's rounding, with one more pass for log-probabilities"
    } else {
        "no pass for old log-probabilities, from your question"
    };
    Told::number("vllm_importance_sampling_correction", flag(rl.old_log_prob), reason)
}

/// The policy's loss.
pub(crate) fn loss(algorithm: &Algorithm) -> Vec<Told> {
    let Loss { ratio, mean, clip } = algorithm.loss;
    let mut told = vec![match (ratio, mean) {
        (Ratio::Weight, _) => {
            Told::word("loss_type", "cispo", "clipped ratios as weights, through which no gradient flows")
        }
        (_, Mean::Token) => Told::word("loss_type", "dapo", "every token counts alike"),
        (_, Mean::Response) => Told::word("loss_type", "grpo", "every response counts alike"),
        (_, Mean::Longest) => Told::word("loss_type", "dr_grpo", "divides by max_completion_length"),
    }];
    if algorithm.baseline == Baseline::GroupMean {
        told.push(Told::word("scale_rewards", "none", "Dr. GRPO: scores keep their spread"));
    }
    if ratio == Ratio::Response {
        told.push(Told::word("importance_sampling_level", "sequence", "one ratio for each response"));
    }
    match (ratio, clip) {
        (Ratio::Weight, _) => {
            let reason = "the largest weight, as in ScaleRL (arXiv:2510.13786)";
            told.push(Told::number("epsilon_high", "5.0", reason));
        }
        (_, Some(clip)) => {
            told.push(Told::number("epsilon", format!("{:?}", clip.low), algorithm.name));
            told.push(Told::number("epsilon_high", format!("{:?}", clip.high), clip.why));
        }
        (_, None) => {}
    }
    told
}

/// How strongly the policy is held to a reference.
pub(crate) fn penalty(reference: bool) -> Told {
    let (beta, reason) = if reference {
        ("0.001", "keeps the policy near the reference; yours to tune")
    } else {
        ("0.0", "no reference policy to compute")
    };
    Told::number("beta", beta, reason)
}

/// Prompts are not cut.
pub(crate) fn uncut(rl: &Rl) -> String {
    format!("TRL cuts no prompts: drop those of more than {} tokens from your data.", count(rl.max_prompt_length))
}
