//! Sums: the time of a step and of its phases, the memory of a phase, what is to spare.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::memory;
use super::summary::{calibrated, step_seconds};
use super::{Source, in_phase};
use shardwise_catalog::catalog;
use shardwise_engine::phase::Phase;
use shardwise_engine::rl::workings::{Ahead, ahead};
use shardwise_question::wire::{MemoryParts, MemoryPhase, Schedule, TimePhase};

fn phase_part(sheet: &mut Sheet, name: &'static str, seconds: f64) -> Expression {
    let meaning = words::phase(name);
    let figure = format!("time.{name}");
    sheet.part(name, seconds, Unit::Seconds, meaning, figure)
}

/// Seconds of a step: of its phases in turn, or of the slower side; of generation that runs ahead as far as it may.
pub(super) fn step_time(source: &Source<'_>, figure: &str) -> Explanation {
    let mut sheet = Sheet::new();
    let workload = &source.found.job.workload;
    let beside = workload
        .rl
        .as_ref()
        .is_some_and(|rl| matches!(rl.schedule, Schedule::OneStepOff | Schedule::FullyAsync));
    let (mut rollout, mut sync, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    let phases = &source.answer().time.phases;
    if let [only] = phases.as_slice() {
        rest.push(time_parts(&mut sheet, only));
    }
    for phase in phases.iter().filter(|_| phases.len() > 1) {
        let own = phase_part(&mut sheet, phase.name, phase.s);
        match phase.name {
            "rollout" if beside => rollout.push(own),
            "weight_sync" if beside => sync.push(own),
            _ => rest.push(own),
        }
    }
    let rest = Expression::sum(rest);
    let expression = if beside {
        let slower = slower(source, &mut sheet, Expression::sum(rollout), rest);
        Expression::sum([slower].into_iter().chain(sync))
    } else {
        rest
    };
    calibrated(source, &mut sheet);
    let preferences = workload.kind.preference().is_some();
    let (method, title) = if workload.rl.is_some() {
        ("rl-schedule", "Time of a step")
    } else if workload.generation.is_some() {
        ("generation", "Time of the run")
    } else if preferences && phases.len() > 1 {
        ("preferences", "Time of a step")
    } else {
        ("step-time", "Time of a step")
    };
    sheet.finish(figure, method, title, "t", expression, Unit::Seconds)
}

/// Seconds of a step whose sides run beside each other, but for new weights.
fn slower(source: &Source<'_>, sheet: &mut Sheet, rollout: Expression, training: Expression) -> Expression {
    let found = source.found;
    let (rl, engine) = (found.job.workload.rl.as_ref(), found.plan.rollout.as_ref());
    let ahead = rl.zip(engine).and_then(|(rl, engine)| ahead(source.context, engine, rl));
    let Some(Ahead { flow, steps, within }) = ahead else {
        return rollout.max(training);
    };
    let meaning = "a step's responses while as many are in progress as the staleness bound allows";
    let flow = sheet.term("flow", flow, Unit::Seconds, meaning);
    let meaning = "steps in which a batch is generated and trained on at most: the staleness bound and one";
    let steps = sheet.term("steps", steps, Unit::One, meaning);
    let ahead = flow.max(training.clone()).max((rollout.clone() + training.clone()) / steps);
    let Some(within) = within else {
        return ahead;
    };
    let meaning = "steps in which a batch is generated and half of it trained on at most: the staleness bound and one";
    let within = sheet.term("within", within, Unit::One, meaning);
    ahead.max((rollout + training / Expression::Number(2.0)) / within)
}

/// Seconds of phases that run beside others.
pub(super) fn hidden(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let time = &source.answer().time;
    if time.hidden_s <= 0.0 {
        return None;
    }
    let mut sheet = Sheet::new();
    let phases: Vec<Expression> = time
        .phases
        .iter()
        .map(|phase| phase_part(&mut sheet, phase.name, phase.s))
        .collect();
    let expression = Expression::sum(phases) - step_seconds(source, &mut sheet);
    let title = "Hidden beside other phases";
    let (method, unit) = ("rl-schedule", Unit::Seconds);
    Some(sheet.finish(figure, method, title, "hidden", expression, unit))
}

/// Seconds of a phase: the sum of its parts.
pub(super) fn phase_time(source: &Source<'_>, figure: &str, name: &str) -> Option<Explanation> {
    let phases = &source.answer().time.phases;
    let phase = phases.iter().find(|phase| phase.name == name)?;
    let mut sheet = Sheet::new();
    let expression = time_parts(&mut sheet, phase);
    let title = words::phase(name);
    let method = match name {
        "rollout" => "generation",
        "weight_sync" => "weight-sync",
        "driver" => "driver",
        "train" => "step-time",
        "update_reward" | "reward_reference" => "process-reward",
        "mismatched" | "reference" if source.found.job.workload.rl.is_none() => "preferences",
        _ => "rl-phases",
    };
    Some(sheet.finish(figure, method, title, "t", expression, Unit::Seconds))
}

/// The parts of a phase's time, added up.
fn time_parts(sheet: &mut Sheet, phase: &TimePhase) -> Expression {
    let name = phase.name;
    let parts = phase.parts.entries();
    let own = parts.iter().filter(|(_, s)| *s > 0.0);
    let terms: Vec<Expression> = own
        .map(|(part, s)| {
            let meaning = words::time(part);
            let own = format!("time.{name}.{part}");
            sheet.part(words::symbol(part), *s, Unit::Seconds, meaning, own)
        })
        .collect();
    Expression::sum(terms)
}

/// The parts of a phase as terms, without those of `but`.
fn memory_parts(sheet: &mut Sheet, phase: &str, parts: &MemoryParts, but: &[&str]) -> Expression {
    let entries = parts.entries();
    let own = entries.iter().filter(|(part, gib)| *gib > 0.0 && !but.contains(part));
    let terms: Vec<Expression> = own
        .map(|(part, own)| {
            let meaning = words::memory(part);
            let figure = format!("memory.{phase}.{part}");
            gib(sheet, words::symbol(part), *own, &figure, meaning)
        })
        .collect();
    Expression::sum(terms)
}

/// GiB as a term that is a figure by itself.
fn gib(sheet: &mut Sheet, symbol: &'static str, gib: f64, figure: &str, meaning: &'static str) -> Expression {
    let bytes = gib * Unit::Gib.of_answer();
    sheet.part(symbol, bytes, Unit::Gib, meaning, figure)
}

/// All that the fullest GPU holds in a phase.
pub(super) fn reserved(source: &Source<'_>, figure: &str, name: &str) -> Option<Explanation> {
    let phases = &source.answer().memory.phases;
    let phase = phases.iter().find(|phase| phase.name == name)?;
    let mut sheet = Sheet::new();
    let expression = memory_parts(&mut sheet, name, &phase.parts, &[]);
    let fit = &source.answer().fit;
    if fit.phase == name && fit.needed_gib < phase.reserved_gib {
        sheet.note(format!(
            "Whether it fits counts {:.1} GiB of it: an allocator gives back what it holds unused before memory runs out.",
            fit.needed_gib
        ));
    }
    let what = "Memory of the fullest GPU";
    let title = in_phase(what, words::phase(name));
    Some(sheet.finish(figure, "memory", &title, "memory", expression, Unit::Gib))
}

/// What the framework's allocator has handed out at most.
pub(super) fn peak(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let outside = ["communication", "framework"];
    let unified = |phase: &MemoryPhase| {
        let turn = Phase::named(phase.name).and_then(|own| source.turn(own));
        turn.map_or(0.0, |turn| memory::unified(source, &turn, &turn.held(source.context)))
    };
    let allocated =
        |phase: &MemoryPhase| phase.parts.total() - phase.parts.communication - phase.parts.framework - unified(phase);
    let phases = &source.answer().memory.phases;
    let phase = phases.iter().max_by(|a, b| allocated(a).total_cmp(&allocated(b)))?;
    let mut sheet = Sheet::new();
    let mut expression = memory_parts(&mut sheet, phase.name, &phase.parts, &outside);
    let paged = unified(phase);
    if paged > 0.0 {
        let meaning = "moments in unified memory, which is none of the allocator's";
        expression = expression - sheet.term("paged", paged * Unit::Gib.of_answer(), Unit::Gib, meaning);
    }
    let what = "What the allocator hands out (max_memory_allocated)";
    let title = in_phase(what, words::phase(phase.name));
    Some(sheet.finish(figure, "memory", &title, "peak", expression, Unit::Gib))
}

/// What a card has.
pub(super) fn capacity(source: &Source<'_>, figure: &str) -> Explanation {
    let mut sheet = Sheet::new();
    let card = "what a process can use of the card";
    let own = source.answer().memory.capacity_gib;
    let expression = gib(&mut sheet, "card", own, figure, card);
    let id = source.found.job.hardware.gpu.as_ref();
    for (gpu, from, _) in catalog::gpu_sources().filter(|(gpu, ..)| gpu.id == id) {
        sheet.source(&format!("{}, {}", gpu.name, from.date), from.url);
    }
    let title = "Capacity of the card";
    sheet.finish(figure, "capacity", title, "capacity", expression, Unit::Gib)
}

/// What the fullest GPU leaves free.
pub(super) fn spare(source: &Source<'_>, figure: &str) -> Explanation {
    let mut sheet = Sheet::new();
    let memory = &source.answer().memory;
    let has = "what the card has";
    let needs = "what the fullest GPU needs";
    let has_gib = memory.capacity_gib;
    // A plan that presses the allocator stays a hair within the card (`memory::PhaseMemory::pressed`): that is no room.
    let full = (has_gib - memory.reserved_gib).abs() < 1e-8 * has_gib;
    let needs_gib = if full { has_gib } else { memory.reserved_gib };
    let capacity = gib(&mut sheet, "capacity", has_gib, "memory.capacity", has);
    let reserved = gib(&mut sheet, "memory", needs_gib, "memory", needs);
    let title = "Memory to spare; below zero it does not fit";
    sheet.finish(figure, "memory", title, "spare", capacity - reserved, Unit::Gib)
}
