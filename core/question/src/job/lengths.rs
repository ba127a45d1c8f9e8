//! How long the sequences of fine-tuning, pre-training and preference data are.

use crate::place::Place;
use crate::wire::{LengthsSpec, WorkloadSpec};
use shardwise_catalog::error::{Caveat, InputError};
use shardwise_catalog::units::grouped;

const AT: Place<'static> = Place::at("workload");

/// Largest coefficient of variation, as of responses.
const MAX_CV: f64 = 10.0;
/// Most bars of a histogram.
const MAX_BARS: usize = 4096;
const MAX_TOKENS: u64 = 1_000_000_000;
const MAX_SEQUENCES: f64 = 1e15;

/// Mean length in tokens, and the lengths' standard deviation over it, where none is longer than `longest`.
pub(super) fn resolve(spec: &WorkloadSpec, longest: u64, caveats: &mut Vec<Caveat>) -> Result<(f64, f64), InputError> {
    let Some(bars) = &spec.lengths else {
        let mean = match spec.mean_sequence_length {
            Some(mean) => AT.within("mean_sequence_length", mean, 1.0, longest as f64)?,
            None => longest as f64,
        };
        let cv = AT.within("sequence_length_cv", spec.sequence_length_cv.unwrap_or(0.0), 0.0, MAX_CV)?;
        return Ok((mean, cv));
    };
    for (key, stated) in [
        ("mean_sequence_length", spec.mean_sequence_length.is_some()),
        ("sequence_length_cv", spec.sequence_length_cv.is_some()),
    ] {
        if stated {
            return Err(AT.wrong(key, "The histogram says it. Give lengths or this, not both."));
        }
    }
    counted(bars, longest, caveats)
}

fn counted(bars: &[LengthsSpec], longest: u64, caveats: &mut Vec<Caveat>) -> Result<(f64, f64), InputError> {
    if bars.len() > MAX_BARS {
        return Err(AT.wrong("lengths", format!("These are more than {MAX_BARS} lengths. Join some of them.")));
    }
    for (place, bar) in bars.iter().enumerate() {
        let at = |key: &str| format!("lengths.{place}.{key}");
        AT.positive(&at("tokens"), bar.tokens, MAX_TOKENS)?;
        AT.within(&at("sequences"), bar.sequences, 0.0, MAX_SEQUENCES)?;
    }
    let sum = |of: &dyn Fn(f64) -> f64| {
        let each = |bar: &LengthsSpec| bar.sequences * of(bar.tokens.min(longest) as f64);
        bars.iter().map(each).sum::<f64>()
    };
    let all = sum(&|_| 1.0);
    if all <= 0.0 {
        return Err(AT.wrong("lengths", "There are no sequences here. Give lengths with how many sequences have them."));
    }
    let mean = sum(&|tokens| tokens) / all;
    let square = sum(&|tokens| (tokens - mean) * (tokens - mean)) / all;
    let cut: f64 = bars.iter().filter(|bar| bar.tokens > longest).map(|bar| bar.sequences).sum();
    if cut > 0.0 {
        let share = 100.0 * cut / all;
        let share = if share < 0.1 { "< 0.1".to_owned() } else { format!("{share:.1}") };
        caveats.push(Caveat::new(
            "sequences-cut",
            format!("{share} % of the sequences are longer than {} tokens and are cut there.", grouped(longest)),
        ));
    }
    Ok((mean, square.sqrt() / mean))
}
