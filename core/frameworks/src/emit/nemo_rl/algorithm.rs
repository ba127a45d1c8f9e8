//! What a response is worth, and the loss.

use super::super::Emission;
use super::super::text::{Section, flag};
use super::super::words::{baseline, figure, plural};
use shardwise_question::task::{Algorithm, Baseline, Mean, Penalty, Ratio};
use shardwise_question::wire::{Precision, Schedule};
use shardwise_question::workload::Rl;

pub(super) fn section(emission: &Emission) -> Section {
    let mut section = Section::new("Algorithm");
    let workload = &emission.job.workload;
    let (Some(rl), Some(algorithm)) = (&workload.rl, workload.kind.algorithm()) else {
        return section;
    };
    estimator(&mut section, algorithm);
    penalty(&mut section, rl, algorithm);
    loss(&mut section, algorithm);
    if !rl.old_log_prob {
        let reason =
            "each step trains on its own samples once: a ratio is 1, and no old log-probabilities are computed";
        section.set("loss_fn.force_on_policy_ratio", "True", reason);
    }
    let narrow = emission.plan.rollout.is_some_and(|own| own.precision == Precision::Fp8);
    if rl.schedule == Schedule::FullyAsync || narrow {
        let reason = "NeMo-RL asks for it where the engine's probabilities are others than the trainer's";
        section.set("loss_fn.use_importance_sampling_correction", "True", reason);
    }
    sampling(&mut section, rl);
    section
}

/// `algorithms/advantage_estimator.py`.
fn estimator(section: &mut Section, algorithm: &Algorithm) {
    let against = baseline(algorithm.baseline);
    if algorithm.baseline == Baseline::Batch {
        section.set("grpo.adv_estimator.name", "reinforce_plus_plus", against);
        section.set("grpo.adv_estimator.minus_baseline", "False", "nothing of the prompt's other responses");
        return;
    }
    section.set("grpo.adv_estimator.name", "grpo", against);
    let group = algorithm.baseline == Baseline::Group;
    let reason = if group { "in standard deviations of the prompt's scores" } else { "scores keep their spread" };
    section.set("grpo.normalize_rewards", flag(group), reason);
    let others = algorithm.baseline == Baseline::Others;
    let reason = if others {
        "the mean is of the prompt's other responses"
    } else {
        "the mean is of all responses of the prompt"
    };
    section.set("grpo.use_leave_one_out_baseline", flag(others), reason);
    if others {
        section.set("loss_fn.disable_ppo_ratio", "True", "REINFORCE's loss: no ratio, no clip");
    }
}

fn penalty(section: &mut Section, rl: &Rl, algorithm: &Algorithm) {
    if !rl.reference {
        section.set("loss_fn.reference_policy_kl_penalty", 0, "no reference policy to compute");
        return;
    }
    let reason = "keeps the policy near the reference; yours to tune";
    section.set("loss_fn.reference_policy_kl_penalty", "0.001", reason);
    // The other estimator reads no penalty.
    if algorithm.penalty == Penalty::Reward && algorithm.baseline == Baseline::Batch {
        section.set("loss_fn.use_kl_in_reward", "True", "the penalty is in the reward");
    }
}

/// `algorithms/loss/loss_functions.py`, `ClippedPGLossFn`.
fn loss(section: &mut Section, algorithm: &Algorithm) {
    let name = algorithm.name;
    let token = algorithm.loss.mean == Mean::Token;
    let reason = if token {
        format!("{name}: every token counts alike")
    } else {
        format!("{name}: every response counts alike")
    };
    section.set("loss_fn.token_level_loss", flag(token), reason);
    match algorithm.loss.ratio {
        Ratio::Response => {
            section.set("loss_fn.sequence_level_importance_ratios", "True", "one ratio for each response");
        }
        Ratio::Weight => {
            let reason = "clipped ratios as weights, through which no gradient flows";
            section.set("loss_fn.use_cispo", "True", reason);
        }
        Ratio::Token | Ratio::ClippedTokens => {}
    }
    if let Some(clip) = algorithm.loss.clip {
        section.set("loss_fn.ratio_clip_min", format!("{:?}", clip.low), clip.why);
        section.set("loss_fn.ratio_clip_max", format!("{:?}", clip.high), clip.why);
        if let Some(dual) = clip.dual {
            section.set("loss_fn.ratio_clip_c", format!("{dual:?}"), format!("{name}'s bound of the dual clip"));
        }
    }
}

fn sampling(section: &mut Section, rl: &Rl) {
    if rl.oversampling <= 1.0 {
        return;
    }
    let times = figure(rl.oversampling);
    let reason =
        format!("drops prompts whose responses all score alike; the estimate generates {times} for each that stays");
    section.set("grpo.use_dynamic_sampling", "True", reason);
    if rl.gen_batch_size != rl.prompts_per_step {
        let more = rl.gen_batch_size as f64 / rl.prompts_per_step as f64;
        let reason =
            format!("{} sampled at a time, from your question", plural(rl.gen_batch_size, "prompt", "prompts"));
        section.set("grpo.batch_multiplier", more, reason);
    }
}
