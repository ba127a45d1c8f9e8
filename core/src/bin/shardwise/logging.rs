//! `shardwise calibrate`: a run's figures, stated or of its log, beside its estimate.

use std::io::{self, Read};
use std::path::Path;

use serde_json::{Value, json};
use shardwise_core::calibration::{Measured, calibrate};
use shardwise_core::interface::line;
use shardwise_core::log::{Log, read_log};
use shardwise_core::read::Trouble;
use shardwise_core::wire::Language;
use shardwise_core::{InputError, Question, evaluate_alone};

use super::open;

/// Longest log that is read, in bytes, and one more, so that a longer one is refused.
const MOST_BYTES: u64 = (16 << 20) + 1;

/// Reads a log.
pub(crate) fn read(path: &Path, lang: Language) -> io::Result<Result<Log, Trouble>> {
    let mut bytes = Vec::new();
    open(path, lang)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(read_log(&String::from_utf8_lossy(&bytes)))
}

/// The document of a run: its figures beside the estimate's, and the question with lengths and factors of it.
pub(crate) fn calibrated(
    question: &Question,
    stated: Measured,
    log: Option<&Log>,
    lang: Language,
) -> Result<String, InputError> {
    let Some(log) = log else {
        let own = calibrate(question, &stated)?;
        return line(&json!({"version": 1, "calibrated": own, "question": own.applied(question)}), lang);
    };
    let question = log.applied(question);
    let logged = log.measured();
    let passes = stated.forward_s.is_some() || stated.backward_s.is_some();
    let measured = Measured {
        step_time_s: stated.step_time_s.or(logged.step_time_s.filter(|_| !passes)),
        peak_gib: stated.peak_gib.or(logged.peak_gib),
        ..stated
    };
    let own = calibrate(&question, &measured)?;
    let phases = phases(&question, log)?;
    line(
        &json!({"version": 1, "log": log, "phases": phases, "calibrated": own, "question": own.applied(&question)}),
        lang,
    )
}

/// The phases of the log beside those of the estimate without calibration.
fn phases(question: &Question, log: &Log) -> Result<Vec<Value>, InputError> {
    let plain = Question { calibration: None, ..question.clone() };
    let answer = evaluate_alone(&plain)?.answer;
    let own = answer.time.phases.iter().filter_map(|phase| {
        let measured = log.phases.get(phase.name)?;
        Some(json!({"name": phase.name, "measured_s": measured, "estimated_s": phase.s}))
    });
    Ok(own.collect())
}
