//! How long a run is: by its tokens, its steps, or its data set.

use crate::place::Place;
use crate::task::Task;
use crate::wire::{RunSpec, WorkloadSpec};
use crate::workload::Length;
use shardwise_catalog::error::{Caveat, InputError};

const AT: Place<'static> = Place::at("workload.run");

const MAX_TOKENS: f64 = 1e15;
const MAX_STEPS: u64 = 1_000_000_000;
const MAX_EXAMPLES: u64 = 1_000_000_000_000;
const MAX_CHECKPOINTS: u64 = 100_000;
/// Passes over a data set, least and most.
const EPOCHS: (f64, f64) = (0.001, 100_000.0);

/// Steps of RL where nobody says how many: a round number, which the answer says to be assumed.
pub const ASSUMED_STEPS: u64 = 100;

pub(super) fn resolve(spec: &WorkloadSpec, caveats: &mut Vec<Caveat>) -> Result<Option<Length>, InputError> {
    let task = spec.kind.task();
    let own = spec.run.unwrap_or_default();
    if let Some(tokens) = spec.tokens {
        return by_tokens(tokens, own).map(Some);
    }
    match (own.steps, own.examples) {
        (Some(_), Some(_)) => Err(AT.wrong(
            "steps",
            "The data set says how many steps there are. Give steps, or examples and epochs, not both.",
        )),
        (Some(steps), None) if own.epochs.is_none() => AT
            .positive("steps", steps, MAX_STEPS)
            .map(|steps| Some(Length::Steps(steps as f64))),
        (None, Some(examples)) => {
            let examples = AT.positive("examples", examples, MAX_EXAMPLES)?;
            let epochs = AT.within("epochs", own.epochs.unwrap_or(1.0), EPOCHS.0, EPOCHS.1)?;
            Ok(Some(Length::Data { examples, epochs }))
        }
        _ if own.epochs.is_some() => {
            Err(AT
                .wrong("epochs", "Epochs are passes over a data set of known size. Give examples too, or steps alone."))
        }
        _ if matches!(task, Task::Rl(_)) => {
            caveats.push(Caveat::new(
                "run-assumed",
                format!(
                    "A run of {ASSUMED_STEPS} steps is assumed. State workload.run.steps, or workload.run.examples."
                ),
            ));
            Ok(Some(Length::Assumed(ASSUMED_STEPS as f64)))
        }
        _ => Ok(None),
    }
}

fn by_tokens(tokens: f64, own: RunSpec) -> Result<Length, InputError> {
    let at = Place::at("workload");
    if own.steps.is_some() || own.examples.is_some() || own.epochs.is_some() {
        return Err(at.wrong(
            "tokens",
            "The length of the run is stated twice. Give workload.tokens, or steps or examples of workload.run.",
        ));
    }
    if !(tokens.is_finite() && (1.0..=MAX_TOKENS).contains(&tokens)) {
        let message = format!("{tokens:e} tokens is out of range. Give 1 to 1e15 tokens for the whole run.");
        return Err(at.wrong("tokens", message));
    }
    Ok(Length::Tokens(tokens))
}

/// Checkpoints that are kept at a time.
pub(super) fn checkpoints(spec: &WorkloadSpec) -> Result<u64, InputError> {
    let own = spec.run.and_then(|own| own.checkpoints).unwrap_or(1);
    AT.positive("checkpoints", own, MAX_CHECKPOINTS)
}
