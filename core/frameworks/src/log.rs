//! What a training log says of its steps: seconds, phases, lengths and the peak, as veRL, wandb, Hugging Face's Trainer,
//! LLaMA-Factory and Megatron-LM write them.

mod gaps;
mod plain;
mod steps;

pub use gaps::{Gap, gaps};

use std::collections::BTreeMap;

use serde::Serialize;

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
    let readers: [fn(&str) -> Option<Log>; 4] = [steps::read, plain::megatron, plain::llamafactory, plain::trainer];
    readers.iter().find_map(|read| read(text)).ok_or_else(|| {
        Trouble::new(
            0,
            "No line of this log is a step's. Give one of veRL's console (step:1 - timing_s/step:…), wandb's summary or history as JSON or CSV, Hugging Face's Trainer (train_steps_per_second), LLaMA-Factory's trainer_log.jsonl, or Megatron-LM (elapsed time per iteration).",
        )
    })
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
        assert_eq!(read_log(text).map(|log| log.steps), Ok(25));
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
