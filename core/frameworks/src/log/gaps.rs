//! What a phase that takes longer, or less, than its estimate probably meets: rules with their sources, no measurements.

use shardwise_catalog::ordered;
use std::collections::BTreeMap;

use serde::Serialize;

use shardwise_search::advice::guides::{PRACTICE, VERL_GUIDE};

const VLLM_TUNING: &str = "https://docs.vllm.ai/en/latest/configuration/optimization.html";

/// A phase off by less than this is as its estimate says: that much lies between two runs of one script.
const OFF: f64 = 0.2;

/// The least share of a step that is worth a word.
const WORTH: f64 = 0.05;

/// A phase that differs from its estimate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Gap {
    /// By an answer's name.
    pub phase: &'static str,
    /// Seconds of the log.
    pub measured_s: f64,
    /// Seconds of the estimate, without calibration.
    pub estimated_s: f64,
    /// What it probably is, and what to look at.
    pub text: &'static str,
    /// Where that is from.
    pub source: &'static str,
}

/// A rule.
struct Rule {
    phases: &'static [&'static str],
    /// Whether it is of those that take longer than estimated.
    slower: bool,
    text: &'static str,
    source: &'static str,
}

const RULES: [Rule; 7] = [
    Rule {
        phases: &["rollout"],
        slower: true,
        text: "The engine probably preempts sequences, or waits for a few long ones. disable_log_stats=False shows its KV cache: raise gpu_memory_utilization while it is full, and compare response_length/max with the mean.",
        source: VLLM_TUNING,
    },
    Rule {
        phases: &["rollout"],
        slower: false,
        text: "Responses were probably shorter than the question says, or prompts shared their prefix. Take the log's lengths.",
        source: VLLM_TUNING,
    },
    Rule {
        phases: &["old_log_prob", "reference", "values"],
        slower: true,
        text: "A pass forward alone probably runs in small pieces or pads them: set use_dynamic_bsz, or a forward micro-batch of two to four times the training one; parameters in host memory come back for it, too.",
        source: VERL_GUIDE,
    },
    Rule {
        phases: &["update_actor", "update_critic", "train"],
        slower: true,
        text: "Training probably pads: set use_remove_padding and use_dynamic_bsz. What waits in host memory is moved for every mini-batch.",
        source: VERL_GUIDE,
    },
    Rule {
        phases: &["update_actor", "update_critic", "old_log_prob", "reference", "values", "train"],
        slower: false,
        text: "Sequences were probably shorter than the question says. Take the log's lengths, or state mean_sequence_length.",
        source: VERL_GUIDE,
    },
    Rule {
        phases: &["weight_sync"],
        slower: true,
        text: "Weights probably cross a slower network than the question states, or are gathered on one GPU first.",
        source: PRACTICE,
    },
    Rule {
        phases: &["reward"],
        slower: true,
        text: "Rewards take time that the question does not state: give their seconds a step.",
        source: VERL_GUIDE,
    },
];

/// The phases that differ, the largest difference first.
///
/// `measured` and `estimated` are seconds by an answer's names; what is not in both says nothing, but for rewards, which no estimate
/// knows.
///
/// ```
/// use shardwise_core::log::gaps;
/// let measured = [("rollout", 90.0), ("update_actor", 31.0)].into();
/// let estimated = [("rollout", 60.0), ("update_actor", 30.0)].into();
/// let found = gaps(&measured, &estimated);
/// assert_eq!((found.len(), found[0].phase), (1, "rollout"));
/// ```
#[must_use]
pub fn gaps(measured: &BTreeMap<&'static str, f64>, estimated: &BTreeMap<&'static str, f64>) -> Vec<Gap> {
    let all: f64 = measured.values().sum();
    let gap = |(phase, own): (&&'static str, &f64)| {
        let expected = estimated.get(phase).copied().or((*phase == "reward").then_some(0.0))?;
        let off = own - expected;
        if off.abs() < OFF * expected || off.abs() < WORTH * all {
            return None;
        }
        let rule = RULES
            .iter()
            .find(|rule| rule.phases.contains(phase) && rule.slower == (off > 0.0))?;
        Some(Gap { phase, measured_s: *own, estimated_s: expected, text: rule.text, source: rule.source })
    };
    let mut found: Vec<Gap> = measured.iter().filter_map(gap).collect();
    let off = |own: &Gap| (own.measured_s - own.estimated_s).abs();
    ordered::sort(&mut found, &|a, b| off(b).total_cmp(&off(a)));
    found
}
