//! What a training log says of its steps: seconds, phases, lengths and the peak, as veRL, Hugging Face's Trainer and Megatron-LM
//! print them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::read::Trouble;
use shardwise_question::wire::Question;
use shardwise_search::calibration::Measured;

/// Longest text, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// Steps at the start that warm up: kernels are compiled and graphs captured in them.
const WARM_UP: usize = 1;

/// What a log says. Seconds are medians over the steps behind the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "TrainingLog"))]
pub struct Log {
    /// Whose log it is.
    pub framework: &'static str,
    /// Steps that were counted.
    pub steps: usize,
    /// Seconds of a step, without validation and checkpoints.
    pub step_time_s: f64,
    /// Seconds of its phases, by an answer's names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<&'static str, f64>,
    /// What training's allocator handed out at most, in GiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_gib: Option<f64>,
    /// Tokens of a prompt, mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_prompt_length: Option<f64>,
    /// Tokens of a response, mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_response_length: Option<f64>,
}

impl Log {
    /// What was measured, for [`shardwise_search::calibration::calibrate`].
    #[must_use]
    pub fn measured(&self) -> Measured {
        Measured { step_time_s: Some(self.step_time_s), peak_gib: self.peak_gib, ..Measured::default() }
    }

    /// The question with the lengths of the log.
    #[must_use]
    pub fn applied(&self, question: &Question) -> Question {
        let mut question = question.clone();
        if let Some(rl) = question.workload.rl.as_mut() {
            rl.mean_prompt_length = self.mean_prompt_length.or(rl.mean_prompt_length);
            rl.mean_response_length = self.mean_response_length.or(rl.mean_response_length);
        }
        question
    }
}

/// Phases of veRL's timers (`trainer/ppo/ray_trainer.py` of 0.9.1) by an answer's names.
const PHASES: &[(&str, &str)] = &[
    ("gen", "rollout"),
    ("old_log_prob", "old_log_prob"),
    ("ref", "reference"),
    ("values", "values"),
    ("reward", "reward"),
    ("update_critic", "update_critic"),
    ("update_actor", "update_actor"),
    ("update_weights", "weight_sync"),
];

/// Reads a log.
///
/// # Errors
/// Where no line of it is a step's.
///
/// ```
/// use shardwise_core::log::read_log;
/// let log = "step:1 - timing_s/gen:50.0 - timing_s/step:99.0\nstep:2 - timing_s/gen:30.0 - timing_s/step:60.0 - response_length/mean:812.5";
/// let found = read_log(log).unwrap();
/// assert_eq!((found.framework, found.steps, found.step_time_s), ("veRL", 1, 60.0));
/// assert_eq!(found.mean_response_length, Some(812.5));
/// assert!(read_log("nothing of the kind").is_err());
/// ```
pub fn read_log(text: &str) -> Result<Log, Trouble> {
    if text.len() > MOST_BYTES {
        return Err(Trouble::new(0, "The log is longer than 16 MiB. Give its last part, or the lines of its steps."));
    }
    verl(text).or_else(|| megatron(text)).or_else(|| trainer(text)).ok_or_else(|| {
        Trouble::new(
            0,
            "No line of this log is a step's. Give one of veRL's console (step:1 - timing_s/step:…), of Hugging Face's Trainer (train_steps_per_second) or of Megatron-LM (elapsed time per iteration).",
        )
    })
}

/// veRL's console, a line a step, or the summary that wandb keeps of the last one.
fn verl(text: &str) -> Option<Log> {
    let lines = text.lines().filter(|line| line.contains("step:") && line.contains("/"));
    let mut steps: Vec<BTreeMap<String, f64>> = lines.map(pairs).filter(|step| time(step).is_some()).collect();
    if steps.is_empty() {
        let summary = serde_json::from_str::<Value>(text).ok()?;
        let pairs = summary.as_object()?.iter();
        let step: BTreeMap<String, f64> =
            pairs.filter_map(|(key, value)| Some((key.clone(), value.as_f64()?))).collect();
        time(&step)?;
        steps.push(step);
    }
    let steps = warmed(&steps);
    let of = |key: &str| median(steps.iter().filter_map(|step| step.get(key).copied()).collect());
    let phases = PHASES
        .iter()
        .filter_map(|(timer, phase)| Some((*phase, of(&format!("timing_s/{timer}"))?)));
    Some(Log {
        framework: "veRL",
        steps: steps.len(),
        step_time_s: median(steps.iter().filter_map(time).collect())?,
        phases: phases.collect(),
        peak_gib: of("perf/max_memory_allocated_gb"),
        mean_prompt_length: of("prompt_length/mean"),
        mean_response_length: of("response_length/mean"),
    })
}

/// Seconds of a step without what does not happen in each.
fn time(step: &BTreeMap<String, f64>) -> Option<f64> {
    let all = step.get("timing_s/step").or_else(|| step.get("perf/time_per_step"))?;
    let beside = ["timing_s/testing", "timing_s/save_checkpoint"];
    let beside: f64 = beside.iter().filter_map(|key| step.get(*key)).sum();
    Some(all - beside).filter(|seconds| *seconds > 0.0)
}

/// `key:value - key:value`; NumPy writes `np.float64(1.5)`.
fn pairs(line: &str) -> BTreeMap<String, f64> {
    let pairs = line.split(" - ").filter_map(|pair| {
        let (key, value) = pair.rsplit_once(':')?;
        let value = value.trim().trim_end_matches(')');
        let value = value.rsplit('(').next().unwrap_or(value);
        Some((key.rsplit(' ').next()?.to_owned(), number(value)?))
    });
    pairs.collect()
}

/// `elapsed time per iteration (ms): 1234.5 |`.
fn megatron(text: &str) -> Option<Log> {
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

/// The Trainer's last line, or else its progress bar.
fn trainer(text: &str) -> Option<Log> {
    let rate = |line: &str| {
        let (_, rest) = line.split_once("train_steps_per_second")?;
        number(
            rest.trim_start_matches(['\'', '"', ':', '=', ' '])
                .split([',', '}', ' '])
                .next()?,
        )
    };
    if let Some(rate) = text.lines().rev().find_map(rate).filter(|rate| *rate > 0.0) {
        return plain("Hugging Face Trainer", 1, 1.0 / rate, None);
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

/// What stands behind the first steps, where there are more.
fn warmed<T>(steps: &[T]) -> &[T] {
    if steps.len() > WARM_UP { &steps[WARM_UP..] } else { steps }
}

fn number(text: &str) -> Option<f64> {
    text.trim()
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    Some(if values.len().is_multiple_of(2) { f64::midpoint(values[values.len() / 2 - 1], upper) } else { upper })
}

#[cfg(test)]
mod tests {
    use super::read_log;

    #[test]
    fn verls_console() {
        let line = |step: u32, seconds: f64| {
            format!(
                "(TaskRunner pid=7) step:{step} - actor/loss:np.float64(-0.01) - perf/max_memory_allocated_gb:41.5 - timing_s/gen:{} - timing_s/update_weights:2.5 - timing_s/testing:{} - timing_s/step:{} - prompt_length/mean:180.25 - response_length/mean:np.float32(900.5)\n",
                seconds / 2.0,
                if step == 3 { 40.0 } else { 0.0 },
                seconds + if step == 3 { 40.0 } else { 0.0 }
            )
        };
        let text: String = [(1, 300.0), (2, 100.0), (3, 104.0), (4, 102.0)]
            .map(|(step, s)| line(step, s))
            .concat();
        let told = read_log(&text).map(|log| (log.steps, log.step_time_s, log.phases, log.peak_gib));
        let phases = [("rollout", 51.0), ("weight_sync", 2.5)];
        assert_eq!(told, Ok((3, 102.0, phases.into(), Some(41.5))));
        let lengths = read_log(&text).map(|log| (log.mean_prompt_length, log.mean_response_length));
        assert_eq!(lengths, Ok((Some(180.25), Some(900.5))));
        let summary =
            r#"{"timing_s/step": 61.5, "timing_s/gen": 30, "response_length/mean": 700, "_wandb": {"runtime": 9}}"#;
        let told = read_log(summary).map(|log| (log.steps, log.step_time_s, log.mean_response_length));
        assert_eq!(told, Ok((1, 61.5, Some(700.0))));
    }

    #[test]
    fn megatrons_and_the_trainers() {
        let text = " iteration        1/     500 | consumed samples: 64 | elapsed time per iteration (ms): 9000.0 | lm loss: 1\n iteration        2/     500 | elapsed time per iteration (ms): 1500.0 | \n[Rank 0] memory (MB) | allocated: 100.0 | max allocated: 20480.0 | reserved: 1\n";
        let told = |text: &str| read_log(text).map(|log| (log.framework, log.step_time_s, log.peak_gib));
        assert_eq!(told(text), Ok(("Megatron-LM", 1.5, Some(20.0))));
        let text =
            "{'loss': 1.2, 'epoch': 1.0}\n{'train_runtime': 100.0, 'train_steps_per_second': 0.25, 'train_loss': 1.0}";
        assert_eq!(told(text), Ok(("Hugging Face Trainer", 4.0, None)));
        let text = "  0%| | 1/10 [00:20<03:00, 20.00s/it]\r 20%| | 2/10 [00:27<01:50,  7.00s/it]\r 30%| | 3/10 [00:35<00:50,  7.50s/it]";
        assert_eq!(told(text), Ok(("Hugging Face Trainer", 7.25, None)));
    }

    #[test]
    fn what_is_no_log() {
        for text in ["", "step:1 - loss:2", "{\"a\": 1}", "step:1 - timing_s/step:NaN", "[1, 2]", "\u{202e}step:/"] {
            assert!(read_log(text).is_err(), "{text}");
        }
    }
}
