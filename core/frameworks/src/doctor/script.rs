//! The script beside a message: what its estimate holds in the phase, and which changes would have fitted.

use serde::Serialize;

use super::mends::Mend;
use super::message::Figures;
use crate::read::{self, Reading};
use shardwise_engine::context::Context;
use shardwise_engine::{fit, step};
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Calibration, MemoryPhase, Question};
use shardwise_search::estimate::{self, Evaluated};
use shardwise_search::neighbours::{Dimension, neighbours};

/// Changes that are listed.
const MOST_MENDS: usize = 5;
/// The most that a message moves an estimate by: beyond it the two are about different things.
const MOST: f64 = 2.0;

/// What the script's estimate holds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Estimated {
    /// The phase that is compared: the message's, or the fullest.
    pub phase: String,
    /// GiB in that phase, everything included.
    pub reserved_gib: f64,
    /// What of it is the allocation's part; absent where the message names none.
    pub part_gib: Option<f64>,
    /// What the card has.
    pub capacity_gib: f64,
    /// Whether the estimate says that the script fits, so that it holds less than the run did.
    pub fits: bool,
    /// What the estimate was multiplied by to hold what the run held, where it did not: changes are judged by it.
    pub calibration: Option<f64>,
}

/// The script among texts: one that is no log, or the overrides that hydra prints when it fails.
pub(super) fn read(texts: &[&str], log: &str, base: Option<&Question>) -> Option<Reading> {
    let scripts: Vec<&str> = texts.iter().copied().filter(|text| *text != log).collect();
    if !scripts.is_empty() {
        return read::read(&scripts, base).ok();
    }
    let overrides = log
        .lines()
        .find_map(|line| line.split_once("Error executing job with overrides: "))?
        .1;
    let words = overrides.trim().trim_start_matches('[').trim_end_matches(']');
    let words: Vec<&str> = words.split("', '").map(|word| word.trim_matches(['\'', '"', ' '])).collect();
    let command = format!("python3 -m verl.trainer.main_ppo '{}'", words.join("' '"));
    read::read(&[&command], base).ok()
}

/// The estimate beside the message, and the changes that fit by it, the quickest first.
pub(super) fn beside(
    reading: &Reading,
    phase: Option<&str>,
    allocation: Option<&str>,
    figures: &Figures,
) -> (Option<Estimated>, Vec<Mend>) {
    let Ok(found) = estimate::evaluate_alone(&reading.question) else {
        return (None, Vec::new());
    };
    let memory = &found.answer.memory;
    let named = memory.phases.iter().find(|own| Some(own.name) == phase);
    let fullest = memory.phases.iter().find(|own| own.name == memory.phase);
    let Some(own) = named.or(fullest) else {
        return (None, Vec::new());
    };
    let held = held(figures);
    let short = held
        .filter(|held| found.answer.fits && *held > own.reserved_gib)
        .map(|held| held / own.reserved_gib);
    let calibration = short.filter(|factor| *factor <= MOST);
    let estimated = Estimated {
        phase: own.name.to_owned(),
        reserved_gib: own.reserved_gib,
        part_gib: allocation.and_then(|name| part(own, name)),
        capacity_gib: memory.capacity_gib,
        fits: found.answer.fits,
        calibration,
    };
    let judged = match calibration {
        Some(factor) => {
            let mut question = reading.question.clone();
            let before = question.calibration.unwrap_or_default();
            question.calibration = Some(Calibration { memory: Some(before.memory.unwrap_or(1.0) * factor), ..before });
            estimate::evaluate_alone(&question).ok()
        }
        None => Some(found),
    };
    let mends = judged.map(|judged| changes(reading, &judged)).unwrap_or_default();
    (Some(estimated), mends)
}

/// What the run held and asked for together.
fn held(figures: &Figures) -> Option<f64> {
    let used = figures
        .capacity_gib
        .zip(figures.free_gib)
        .map(|(capacity, free)| capacity - free);
    Some(used.or(figures.allocated_gib)? + figures.asked_gib?)
}

/// A part of a phase's memory.
fn part(phase: &MemoryPhase, name: &str) -> Option<f64> {
    serde_json::to_value(phase.parts).ok()?.get(name)?.as_f64()
}

/// Plans one step away that fit as surely as asked.
fn changes(reading: &Reading, found: &Evaluated) -> Vec<Mend> {
    let Evaluated { job, plan, .. } = found;
    let context = Context::new(job);
    let framework = shardwise_rules::framework(reading.framework.id());
    let broken = |plan: &Plan| framework.map_or(0, |own| own.violations(job, plan).len());
    let (before, was) = (judge(&context, job, plan), broken(plan));
    let mut fitting: Vec<(f64, f64, Dimension, Plan)> = Vec::new();
    for (dimension, changed) in neighbours(job, plan) {
        let (missing, reserved, seconds) = judge(&context, job, &changed);
        if missing > 0.0 || broken(&changed) > was {
            continue;
        }
        match fitting.iter_mut().find(|(.., own, _)| *own == dimension) {
            Some(known) if known.0 <= seconds => {}
            Some(known) => *known = (seconds, reserved, dimension, changed),
            None => fitting.push((seconds, reserved, dimension, changed)),
        }
    }
    fitting.sort_by(|a, b| a.0.total_cmp(&b.0));
    let own = fitting
        .into_iter()
        .take(MOST_MENDS)
        .map(|(seconds, reserved, dimension, changed)| Mend {
            text: String::new(),
            field: dimension.field(&changed).to_owned(),
            from: dimension.value(job, plan),
            to: dimension.value(job, &changed),
            settings: read::said_otherwise(reading, job, plan, &changed),
            reserved_gib: Some(reserved),
            slower: Some(seconds / before.2),
        });
    own.collect()
}

/// GiB that a plan lacks to fit as surely as asked, what it holds, and how long a step takes.
fn judge(context: &Context<'_>, job: &Job, plan: &Plan) -> (f64, f64, f64) {
    let step = step::evaluate(context, plan);
    let demands = fit::demands(context, plan, &step);
    let step = step.pressed(job.hardware.memory_gib);
    (fit::shortfall_gib(&demands, job.confidence), step.reserved_gib(), step.seconds)
}
