//! What a response is worth, and the loss.

use super::super::Emission;
use super::super::text::{Section, flag};
use super::super::words::{baseline, figure};
use shardwise_question::task::{Algorithm, Baseline, Mean, Ratio};
use shardwise_question::wire::KvCacheDtype;
use shardwise_question::wire::Precision::Fp8;
use shardwise_question::workload::Rl;
use shardwise_rules::skyrl::{holds_engines, penalizes_reward};

const KEY: &str = "trainer.algorithm.";

pub(super) fn section(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Algorithm");
    let workload = &emission.job.workload;
    let Some(algorithm) = workload.kind.algorithm() else {
        return section;
    };
    section.set(format!("{KEY}advantage_estimator"), estimator(algorithm), baseline(algorithm.baseline));
    if matches!(algorithm.baseline, Baseline::Group | Baseline::GroupMean) {
        let group = algorithm.baseline == Baseline::Group;
        let reason = if group { "in standard deviations of the prompt's scores" } else { "scores keep their spread" };
        section.set(format!("{KEY}grpo_norm_by_std"), flag(group), reason);
    }
    penalty(&mut section, rl, penalizes_reward(workload));
    loss(&mut section, algorithm, holds_engines(workload));
    let rollout = emission.plan.rollout.as_ref();
    let narrow = rollout.is_some_and(|own| own.precision == Fp8 || own.kv_cache_dtype == KvCacheDtype::Fp8);
    if narrow && !holds_engines(workload) {
        let reason = "weighs each token by how far the engine's probabilities, of 8 bits, are from the trainer's";
        section.set(format!("{KEY}off_policy_correction.tis_ratio_type"), "token", reason);
    }
    mean(&mut section, rl, algorithm);
    if rl.oversampling > 1.0 {
        let times = figure(rl.oversampling);
        let reason = format!(
            "drops prompts whose responses all score alike; the estimate generates {times} for each that stays"
        );
        section.set(format!("{KEY}dynamic_sampling.type"), "filter", reason);
    }
    section
}

/// `backends/skyrl_train/utils/ppo_utils.py`, `AdvantageEstimator`.
fn estimator(algorithm: &Algorithm) -> &'static str {
    match algorithm.baseline {
        Baseline::Critic => "gae",
        Baseline::Others => "rloo",
        Baseline::Batch => "reinforce++",
        _ => "grpo",
    }
}

/// `use_kl_loss` is on by itself.
fn penalty(section: &mut Section, rl: &Rl, in_reward: bool) {
    let in_loss = rl.reference && !in_reward;
    let reason = match (in_loss, in_reward) {
        (true, _) => "keeps the policy near the reference, from your question",
        (_, true) => "the penalty is in the reward",
        _ => "no reference policy to compute",
    };
    section.set(format!("{KEY}use_kl_loss"), flag(in_loss), reason);
    if in_reward {
        section.set(format!("{KEY}use_kl_in_reward"), flag(true), "the penalty for leaving the reference");
    }
    if rl.reference {
        section.set(format!("{KEY}kl_loss_coef"), "0.001", "keeps the policy near the reference; yours to tune");
    }
}

/// `policy_loss_type`, and how far a ratio may leave 1.
fn loss(section: &mut Section, algorithm: &Algorithm, engines: bool) {
    let name = algorithm.name;
    let clip = algorithm.loss.clip;
    let (word, reason) = match algorithm.loss.ratio {
        Ratio::Response => ("gspo", "one ratio for each response"),
        Ratio::Weight => ("cispo", "clipped ratios as weights, through which no gradient flows"),
        _ if engines => ("rollout_is", "ratios to the engine's own probabilities: no old ones are computed"),
        _ if clip.is_some_and(|own| own.dual.is_some()) => ("dual_clip", "bounds the loss where a response did badly"),
        _ => ("regular", "a clipped ratio for each token"),
    };
    section.set(format!("{KEY}policy_loss_type"), word, reason);
    let Some(clip) = clip else {
        return;
    };
    let below = if algorithm.loss.ratio == Ratio::Weight { "cispo.cispo_" } else { "" };
    section.set(format!("{KEY}{below}eps_clip_low"), format!("{:?}", clip.low), clip.why);
    section.set(format!("{KEY}{below}eps_clip_high"), format!("{:?}", clip.high), clip.why);
    if let Some(dual) = clip.dual {
        section.set(format!("{KEY}clip_ratio_c"), format!("{dual:?}"), format!("{name}'s bound of the dual clip"));
    }
}

/// `apply_loss_reduction_to_advantages_minibatch`.
fn mean(section: &mut Section, rl: &Rl, algorithm: &Algorithm) {
    let (word, reason) = match algorithm.loss.mean {
        Mean::Token => ("token_mean", "every token counts alike"),
        Mean::Response => ("sequence_mean", "every response counts alike"),
        Mean::Longest => ("seq_mean_token_sum_norm", "as if all responses were the longest"),
    };
    section.set(format!("{KEY}loss_reduction"), word, reason);
    if algorithm.loss.mean == Mean::Longest {
        section.set(format!("{KEY}max_seq_len"), rl.max_response_length, "tokens of the longest response");
    }
}
