//! Logs that say when a step ended and no more.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Log, median, number, warmed};

/// `elapsed time per iteration (ms): 1234.5 |`.
pub(super) fn megatron(text: &str) -> Option<Log> {
    let after = "elapsed time per iteration (ms):";
    let times = text.lines().filter_map(|line| {
        let (_, rest) = line.split_once(after)?;
        number(rest.trim_start().split([' ', '|']).next()?)
    });
    let times: Vec<f64> = times.map(|ms| ms / 1000.0).collect();
    let times = warmed(&times);
    let peak = |line: &str| number(line.split_once("max allocated:")?.1.trim_start().split([' ', '|']).next()?);
    let peak = text.lines().filter_map(peak).fold(f64::NAN, f64::max);
    plain("Megatron-LM", times.len(), median(times.to_vec())?, (peak / 1024.0).is_finite().then_some(peak / 1024.0))
}

/// `trainer_log.jsonl`: `{"current_steps": 10, "elapsed_time": "0:07:03", …}`.
pub(super) fn llamafactory(text: &str) -> Option<Log> {
    let marks = text.lines().filter_map(|line| {
        let entry: Value = serde_json::from_str(line).ok()?;
        Some((elapsed(entry.get("elapsed_time")?.as_str()?)?, entry.get("current_steps")?.as_f64()?))
    });
    paced("LLaMA-Factory", &marks.collect::<Vec<_>>())
}

/// `0:07:03`, `4 days, 5:06:09`.
fn elapsed(text: &str) -> Option<f64> {
    let (days, clock) = match text.split_once(", ") {
        Some((days, clock)) => (number(days.split(' ').next()?)?, clock),
        None => (0.0, text),
    };
    let parts: Option<Vec<f64>> = clock.split(':').map(number).collect();
    let seconds = parts?.into_iter().fold(0.0, |all, part| 60.0 * all + part);
    Some(86_400.0 * days + seconds)
}

/// Seconds of a step, by when which step was done: the median over what lies between two marks. A run that went on after a stop begins
/// anew, and what lies in between is no pace.
pub(super) fn paced(framework: &'static str, marks: &[(f64, f64)]) -> Option<Log> {
    let pace = |pair: &[(f64, f64)]| {
        let [(from, done), (to, more)] = pair else { return None };
        (more > done && to > from).then(|| (to - from) / (more - done))
    };
    let times: Vec<f64> = marks.windows(2).filter_map(pace).collect();
    plain(framework, times.len(), median(times)?, None)
}

/// The Trainer's last line, or else its progress bar.
pub(super) fn trainer(text: &str) -> Option<Log> {
    let figure = |line: &str, name: &str| {
        let (_, rest) = line.split_once(name)?;
        number(
            rest.trim_start_matches(['\'', '"', ':', '=', ' '])
                .split([',', '}', ' '])
                .next()?,
        )
    };
    let rate = |line: &str| Some((figure(line, "train_steps_per_second")?, figure(line, "train_runtime")));
    if let Some((rate, runtime)) = text.lines().rev().find_map(rate).filter(|(rate, _)| *rate > 0.0) {
        // Its mean is over the whole run.
        let steps = (rate * runtime.unwrap_or_default()).round().clamp(1.0, 1e9);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped, and not negative")]
        return plain("Hugging Face Trainer", steps as usize, 1.0 / rate, None);
    }
    // ` 3/100 [00:21<11:30,  7.12s/it]`.
    let bar = |part: &str| {
        let inside = part.rsplit_once('[')?.1.split_once(']')?.0;
        let pace = inside.rsplit(',').next()?.trim();
        let seconds = pace.strip_suffix("s/it").and_then(number);
        seconds.or_else(|| {
            pace.strip_suffix("it/s")
                .and_then(number)
                .filter(|rate| *rate > 0.0)
                .map(|rate| 1.0 / rate)
        })
    };
    let times: Vec<f64> = text.split(['\n', '\r']).filter_map(bar).collect();
    let times = warmed(&times);
    plain("Hugging Face Trainer", times.len(), median(times.to_vec())?, None)
}

fn plain(framework: &'static str, steps: usize, step_time_s: f64, peak_gib: Option<f64>) -> Option<Log> {
    let phases = BTreeMap::new();
    Some(Log { framework, steps, step_time_s, phases, peak_gib, mean_prompt_length: None, mean_response_length: None })
}
