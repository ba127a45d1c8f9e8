//! How long a run of reinforcement learning is, as frameworks count it: each of its steps is a batch of prompts.

use super::super::words::{count, plural};
use shardwise_question::job::ASSUMED_STEPS;
use shardwise_question::workload::{Rl, Workload};

/// Said of a length that the question does not state.
const ASSUMED: &str = "assumed, as in the estimate: your question states none; yours to choose";

/// Steps of the run, each a batch of prompts.
pub(crate) fn rl_steps(workload: &Workload, rl: &Rl) -> u64 {
    let per_step = rl.sequences() as f64 * (rl.mean_prompt_length + rl.mean_response_length);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and a float converts to the nearest that there is"
    )]
    let steps = workload.run_steps(per_step).map_or(ASSUMED_STEPS, |steps| steps as u64);
    steps
}

/// Steps of the run, and whose choice they are.
pub(crate) fn steps(workload: &Workload, rl: &Rl) -> (u64, String) {
    (rl_steps(workload, rl), format!("steps, {}", whose(workload)))
}

/// Whose choice the length of the run is.
pub(crate) fn whose(workload: &Workload) -> &'static str {
    if workload.has_run() { "from your question" } else { ASSUMED }
}

/// Passes over a data set and what it is cut at, for a framework that counts no steps: so many examples make the run,
/// `per_step` of them a step.
pub(crate) fn drawn(workload: &Workload, steps: f64, per_step: f64) -> [(u64, String); 2] {
    let whose = whose(workload);
    match workload.passes() {
        // A part of a pass is a pass over a part.
        Some((epochs, examples)) if epochs >= 1.0 && epochs.fract() == 0.0 => [
            (whole(epochs), format!("passes over the data, {whose}")),
            (examples, format!("examples at most, {whose}")),
        ],
        Some((epochs, examples)) => [
            (1, "passes over what the next line leaves".to_owned()),
            (whole(examples as f64 * epochs), format!("examples at most: {epochs} of {}, {whose}", count(examples))),
        ],
        None => [
            (1, "passes over your data: more where it has fewer than the next line's".to_owned()),
            (
                whole(steps * per_step),
                format!("examples at most: those of {}, {whose}", plural(whole(steps), "step", "steps")),
            ),
        ],
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and a float converts to the nearest that there is"
)]
fn whole(value: f64) -> u64 {
    value.ceil().max(1.0) as u64
}
