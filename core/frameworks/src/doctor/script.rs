//! The script beside a message: what its estimate holds in the phase, and which changes would have fitted.

use serde::Serialize;
use shardwise_catalog::ordered;

use super::mends::Mend;
use super::message::{self, Figures};
use super::tables::Tables;
use crate::read::{self, Reading};
use shardwise_engine::context::Context;
use shardwise_engine::{fit, step};
use shardwise_question::plan::Plan;
use shardwise_question::wire::{MemoryPhase, Question};
use shardwise_search::estimate::{self, Evaluated};
use shardwise_search::neighbours::{Dimension, neighbours};

/// Changes that are listed.
const MOST_MENDS: usize = 5;
/// The least share of a phase's memory that a change has to bring.
const NOTICEABLE: f64 = 0.03;

/// What the script's estimate holds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "MemoryEstimated"))]
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
    /// How many times as much the run held, where that is more: changes have to bring as much as was missing on its scale.
    pub factor: Option<f64>,
}

/// The texts that a script is in, and what they say: those beside the message's, what stands before its stack, or both.
pub(super) fn stated<'a>(texts: &[&'a str], base: Option<&Question>) -> Option<(Vec<&'a str>, Reading)> {
    let is_script = |text: &&str| !text.trim().is_empty() && Tables::of(text).is_empty();
    let before: Vec<&str> = texts.iter().map(|text| before(text)).filter(is_script).collect();
    let apart: Vec<&str> = texts
        .iter()
        .copied()
        .filter(|text| is_script(text) && self::before(text).len() == text.len())
        .collect();
    // What stands before a stack may be no script where another text is one, and a few settings there are what a log prints.
    let alone = apart.is_empty();
    [before, apart].into_iter().filter(|own| !own.is_empty()).find_map(|own| {
        let reading = read::read(&own, base).ok()?;
        (!alone || !reading.settings_alone).then_some((own, reading))
    })
}

/// A text up to the stack or the message in it; the whole where it has neither.
fn before(text: &str) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let stack = line.contains("Traceback (most recent call last)")
            || line.contains("File \"")
            || line.trim_start().starts_with("ray::");
        if stack || message::sign(line).is_some() {
            return text.get(..end).unwrap_or_default();
        }
        end += line.len();
    }
    text
}

/// The script among texts, or the overrides that hydra prints when it fails.
pub(super) fn read(texts: &[&str], log: &str, base: Option<&Question>) -> Option<Reading> {
    if let Some((_, reading)) = stated(texts, base) {
        return Some(reading);
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

/// The estimate beside the message, and the changes that would have fitted, the quickest first.
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
    // What the run held beside what the estimate does: changes are judged on its scale.
    let held = held(figures);
    let factor = held.map_or(1.0, |held| held / own.reserved_gib).max(1.0);
    let estimated = Estimated {
        phase: own.name.to_owned(),
        reserved_gib: own.reserved_gib,
        part_gib: allocation.and_then(|name| part(own, name)),
        capacity_gib: memory.capacity_gib,
        fits: found.answer.fits,
        factor: (factor > 1.0).then_some(factor),
    };
    // So much less has the phase to hold.
    let missing = figures.asked_gib.map(|asked| asked - figures.free_gib.unwrap_or(0.0));
    let wanted = Wanted { phase: own.name, less_gib: missing.unwrap_or(0.0).max(0.0) / factor };
    let mends = changes(reading, &found, &wanted);
    (Some(estimated), mends)
}

/// What a change has to bring.
struct Wanted {
    phase: &'static str,
    /// GiB of that phase, as the estimate counts them.
    less_gib: f64,
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

/// Plans one step away that fit as surely as asked, and hold so much less in the phase.
fn changes(reading: &Reading, found: &Evaluated, wanted: &Wanted) -> Vec<Mend> {
    let Evaluated { job, plan, .. } = found;
    let context = Context::new(job);
    let framework = shardwise_rules::framework(reading.framework.id());
    let broken = |plan: &Plan| framework.map_or(0, |own| own.violations(job, plan).len());
    let (before, was) = (Judged::of(&context, plan, wanted.phase), broken(plan));
    // Of two that hold as little one that brings next to nothing is none.
    let least = (before.phase_gib - wanted.less_gib).min(before.phase_gib * (1.0 - NOTICEABLE));
    let mut fitting: Vec<(Judged, Dimension, Plan)> = Vec::new();
    for (dimension, changed) in neighbours(job, plan) {
        let own = Judged::of(&context, &changed, wanted.phase);
        if own.missing_gib > 0.0 || own.phase_gib > least || broken(&changed) > was {
            continue;
        }
        match fitting.iter_mut().find(|(_, known, _)| *known == dimension) {
            Some(known) if known.0.seconds <= own.seconds => {}
            Some(known) => *known = (own, dimension, changed),
            None => fitting.push((own, dimension, changed)),
        }
    }
    ordered::sort(&mut fitting, &|a, b| a.0.seconds.total_cmp(&b.0.seconds));
    let mends = fitting.into_iter().map(|(own, dimension, changed)| Mend {
        source: "",
        text: String::new(),
        field: dimension.field(&changed).to_owned(),
        from: dimension.value(job, plan),
        to: dimension.value(job, &changed),
        settings: read::said_otherwise(reading, job, plan, &changed),
        phase_gib: Some(own.phase_gib),
        slower: Some(own.seconds / before.seconds),
    });
    // What no setting says nobody can change.
    mends.filter(|mend| !mend.settings.is_empty()).take(MOST_MENDS).collect()
}

/// A plan by what counts here.
struct Judged {
    /// GiB that it lacks to fit as surely as asked.
    missing_gib: f64,
    /// What it holds in the phase.
    phase_gib: f64,
    seconds: f64,
}

impl Judged {
    fn of(context: &Context<'_>, plan: &Plan, phase: &str) -> Self {
        let step = step::evaluate(context, plan);
        let demands = fit::demands(context, plan, &step);
        let own = demands.iter().find(|demand| demand.phase == phase);
        let step = step.pressed(context.job.hardware.memory_gib);
        Self {
            missing_gib: fit::shortfall_gib(&demands, context.sure.confidence),
            phase_gib: own.map_or(0.0, |own| own.fixed_gib + own.estimated_gib),
            seconds: step.seconds,
        }
    }
}
