//! How far RL steps are from published ones: the width of their interval.

use serde::Deserialize;
use shardwise_core::coverage::COVERED_SHARE;
use shardwise_core::efficiency::Efficiency;
use shardwise_core::evaluate_with;
use shardwise_core::wire::Question;

use crate::report::{Errors, rounded};

const RUNS: &str = include_str!("../../tests/data/rl.jsonl");

#[derive(Deserialize)]
struct Run {
    tokens_per_s_per_gpu: f64,
    question: Question,
}

/// The half-width, as a logarithm, that holds [`COVERED_SHARE`] of the published steps. None of them is in a fit of
/// its own; a few constants of RL trainers are medians of theirs.
pub(crate) fn width(efficiency: &Efficiency) -> f64 {
    let error = |line: &str| {
        let run: Run = serde_json::from_str(line).unwrap();
        let answer = evaluate_with(&run.question, efficiency).unwrap().answer;
        (answer.tokens_per_s_per_gpu / run.tokens_per_s_per_gpu).ln()
    };
    rounded(Errors(RUNS.lines().map(error).collect()).half_width(COVERED_SHARE))
}
