//! A run's figures, stated or of its log, beside its estimate.

use serde::Serialize;

use shardwise_catalog::error::InputError;
use shardwise_frameworks::log::{Gap, Log, gaps};
use shardwise_question::wire::{Question, VERSION};
use shardwise_search::calibration::{Calibrated, Measured, by_phase, calibrate};
use shardwise_search::estimate::Evaluated;
use shardwise_search::evaluate_alone;

/// A run beside its estimate.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct CalibratedRun {
    /// Interface version: 1.
    pub version: u32,
    /// What its log says; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Log>,
    /// Its phases beside those of the estimate without calibration; absent without a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<Vec<LoggedPhase>>,
    /// What of them probably differs for a reason, and which, the largest first; absent without a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gaps: Option<Vec<Gap>>,
    /// Its figures beside the estimate's.
    pub calibrated: Calibrated,
    /// The question with the lengths of the log and the factors, which all later estimates follow.
    pub question: Question,
}

/// A phase of a run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct LoggedPhase {
    /// Its name, as in an answer.
    pub name: &'static str,
    /// Seconds in the log.
    pub measured_s: f64,
    /// Seconds of the estimate.
    pub estimated_s: f64,
}

/// A run: its figures beside the estimate's, and the question with lengths and factors of it.
///
/// # Errors
/// As [`calibrate()`]: a question that cannot be answered, or no figure to compare.
///
/// ```
/// use shardwise_core::{calibration::Measured, interface::calibrated, wire::parse_question};
/// let question = parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let stated = Measured { step_time_s: Some(4.0), ..Measured::default() };
/// let run = calibrated(&question, stated, None).unwrap();
/// assert!(run.question.calibration.unwrap().time.is_some());
/// ```
pub fn calibrated(question: &Question, stated: Measured, log: Option<&Log>) -> Result<CalibratedRun, InputError> {
    let Some(log) = log else {
        let calibrated = calibrate(question, &stated)?;
        let question = calibrated.applied(question);
        return Ok(CalibratedRun { version: VERSION, log: None, phases: None, gaps: None, calibrated, question });
    };
    let question = log.applied(question);
    let found = evaluate_alone(&Question { calibration: None, ..question.clone() })?;
    let logged = log.measured();
    let passes = stated.forward_s.is_some() || stated.backward_s.is_some();
    // Where an engine sleeps beside it, an allocator counts what is mapped, more than there is on the card.
    let held = logged.peak_gib.filter(|gib| *gib <= found.job.hardware.memory_gib);
    let measured = Measured {
        step_time_s: stated.step_time_s.or(logged.step_time_s.filter(|_| !passes)),
        peak_gib: stated.peak_gib.or(held),
        ..stated
    };
    let calibrated = by_phase(&found, &measured, &log.phases)?;
    let phases = phases(&found, log);
    let gaps = gaps(&log.phases, &phases.iter().map(|phase| (phase.name, phase.estimated_s)).collect());
    let question = calibrated.applied(&question);
    let (phases, gaps) = (Some(phases), Some(gaps));
    Ok(CalibratedRun { version: VERSION, log: Some(log.clone()), phases, gaps, calibrated, question })
}

/// The phases of the log beside those of the estimate without calibration.
fn phases(found: &Evaluated, log: &Log) -> Vec<LoggedPhase> {
    let own = found.answer.time.phases.iter().filter_map(|phase| {
        let measured_s = *log.phases.get(phase.name)?;
        Some(LoggedPhase { name: phase.name, measured_s, estimated_s: phase.s })
    });
    own.collect()
}
