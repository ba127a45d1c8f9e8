//! A run's figures, stated or of its log, beside its estimate.

use serde_json::{Value, json};

use super::line;
use shardwise_catalog::error::InputError;
use shardwise_frameworks::log::Log;
use shardwise_question::wire::{Language, Question};
use shardwise_search::calibration::{Measured, calibrate};
use shardwise_search::evaluate_alone;

/// The document of a run: its figures beside the estimate's, and the question with lengths and factors of it.
///
/// # Errors
/// As [`calibrate()`]: a question that cannot be answered, or no figure to compare.
///
/// ```
/// use shardwise_core::{calibration::Measured, interface::calibrated, wire::{Language, parse_question}};
/// let question = parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let stated = Measured { step_time_s: Some(4.0), ..Measured::default() };
/// let line = calibrated(&question, stated, None, Language::En).unwrap();
/// assert!(line.contains(r#""question":{"calibration":{"time":"#), "{line}");
/// ```
pub fn calibrated(
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
