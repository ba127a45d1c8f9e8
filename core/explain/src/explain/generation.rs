//! The parts of a generation phase, and of the weights' way to the engine.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::time::{calibration, cautious, method};
use super::{Source, in_phase};
use shardwise_catalog::units::grouped;
use shardwise_engine::coverage;
use shardwise_engine::rl::workings as rl;
use shardwise_engine::rollout::workings::{Workings, generation};
use shardwise_question::job::Timed;
use shardwise_search::estimate::Evaluated;

/// What may be opened of prompts and responses.
const OPENED: [&str; 3] = ["time.rollout.prefill.once", "time.rollout.decode.step", "time.rollout.decode.tail"];

/// The figures of this part beside those of the time's parts.
pub(super) fn figures(found: &Evaluated) -> Vec<String> {
    let has = |name: &str| {
        let phases = &found.answer.time.phases;
        let own = phases.iter().find(|phase| phase.name == "rollout");
        own.is_some_and(|own| {
            let parts = own.parts.entries();
            parts.iter().any(|(part, s)| *part == name && *s > 0.0)
        })
    };
    let opened = |id: &&str| id.split('.').nth(2).is_some_and(has);
    OPENED.into_iter().filter(opened).map(str::to_owned).collect()
}

fn seconds(sheet: &mut Sheet, symbol: impl Into<String>, s: f64, meaning: &'static str) -> Expression {
    sheet.term(symbol.into(), s, Unit::Seconds, meaning)
}

/// Prompts or responses of a generation phase, or what is opened of them.
pub(super) fn of_time(source: &Source<'_>, figure: &str, part: &str, rest: &[&str]) -> Option<Explanation> {
    let engine = source.found.plan.rollout.as_ref()?;
    let phases = &source.answer().time.phases;
    phases.iter().find(|phase| phase.name == "rollout")?;
    let (requests, times) = source.requests()?;
    let own = generation(source.context, engine, source.generating_gpus(), &requests);
    let mut sheet = Sheet::new();
    let (expression, part, symbol) = match (part, rest) {
        ("prefill", []) => {
            let once = prompts(&mut sheet, &own);
            (phase(source, &mut sheet, once, times), "prefill", "prefill")
        }
        ("prefill", ["once"]) => (prompt_parts(&mut sheet, &own), "prefill", "t_prompts"),
        ("decode", []) => {
            let once = responses(&mut sheet, &own, engine.speculative_speedup);
            (phase(source, &mut sheet, once, times), "decode", "decode")
        }
        ("tools", []) => {
            let once = waits(&mut sheet, &own);
            (phase(source, &mut sheet, once, times), "tools", "tools")
        }
        ("decode", ["step"]) => (step_parts(&mut sheet, &own), "decode", "t_step"),
        ("decode", ["tail"]) => (tail(&mut sheet, &own), "decode", "tail"),
        _ => return None,
    };
    let method = match rest {
        ["tail"] => "length-tail",
        ["step"] => "engine-step",
        _ => method(part),
    };
    let what = match rest {
        ["tail"] => "The last batch",
        ["step"] => "One engine step",
        ["once"] => "Prompts of one batch",
        _ => words::time(part),
    };
    let title = in_phase(what, words::phase("rollout"));
    Some(sheet.finish(figure, method, &title, symbol, expression, Unit::Seconds))
}

/// `once`, as often as a step generates.
fn phase(source: &Source<'_>, sheet: &mut Sheet, once: Expression, times: f64) -> Expression {
    let meaning = "batches of a step over those that share a tail";
    let all = sheet.scaled(once, "batches", times, meaning);
    let all = sampled(source, sheet, all);
    let engine = source.found.plan.rollout.as_ref();
    let caution = engine.map_or(1.0, coverage::engine_caution);
    let all = cautious(sheet, caution, all);
    calibration(source, sheet, Timed::Rollout, all)
}

/// Of the batches those that a student samples, where a teacher also judges given text.
fn sampled(source: &Source<'_>, sheet: &mut Sheet, own: Expression) -> Expression {
    let share = source.found.job.workload.sampled_share();
    sheet.scaled(own, "on_policy", share, "share of the batches that the student samples")
}

/// Over what engines on this architecture reach.
fn at_speed(sheet: &mut Sheet, all: Expression, own: &Workings) -> Expression {
    if own.speed == 1.0 {
        return all;
    }
    let meaning = "speed of engines on this architecture, relative to the fit's others";
    all / sheet.term("speed", own.speed, Unit::One, meaning)
}

fn prompts(sheet: &mut Sheet, own: &Workings) -> Expression {
    let meaning = "prompts of the busiest engine, one batch";
    let seconds = own.prompts.1.total().get();
    let figure = "time.rollout.prefill.once";
    let once = sheet.part("t_prompts", seconds, Unit::Seconds, meaning, figure);
    at_speed(sheet, once, own)
}

fn prompt_parts(sheet: &mut Sheet, own: &Workings) -> Expression {
    let (tokens, parts) = &own.prompts;
    let tokens = grouped(tokens.round() as u64);
    sheet.note(format!("The busiest engine has {tokens} prompt tokens in a batch; a prompt's responses share it."));
    if own.between > 0.0 {
        let between = grouped(own.between.round() as u64);
        sheet.note(format!(
            "{between} of them are read between turns: what tools write, and what the cache no longer holds."
        ));
    }
    let all = [
        ("products", parts.products, "matrix products"),
        ("attention", parts.attention, "attention"),
        ("TP", parts.collectives, "tensor-parallel all-reduces"),
        ("EP", parts.exchange, "tokens to their experts and back"),
        ("steps", parts.floors, "what an engine step takes beside"),
        ("images", parts.images, "the vision tower, once for each image of a prompt"),
    ];
    sum(sheet, &all.map(|(symbol, s, meaning)| (symbol, s.get(), meaning)))
}

type Named = (&'static str, f64, &'static str);

fn sum(sheet: &mut Sheet, all: &[Named]) -> Expression {
    let own = all.iter().filter(|(_, s, ..)| *s > 0.0);
    let terms: Vec<Expression> = own.map(|(symbol, s, meaning)| seconds(sheet, *symbol, *s, meaning)).collect();
    Expression::sum(terms)
}

fn responses(sheet: &mut Sheet, own: &Workings, speedup: f64) -> Expression {
    let (steps, step) = &own.full;
    let mut all = Vec::new();
    if *steps > 0.0 {
        let meaning = "steps while requests wait";
        let steps = sheet.term("steps", *steps, Unit::One, meaning);
        let meaning = "one full step";
        let one = step.total().get();
        let figure = "time.rollout.decode.step";
        all.push(steps * sheet.part("t_step", one, Unit::Seconds, meaning, figure));
    }
    let last: f64 = own.tail.iter().map(|(steps, one)| steps * one).sum();
    let meaning = "the last batch, which shrinks until its longest response ends";
    let figure = "time.rollout.decode.tail";
    all.push(sheet.part("tail", last, Unit::Seconds, meaning, figure));
    let mut all = Expression::sum(all);
    if speedup != 1.0 {
        let meaning = "speed-up of speculative decoding";
        all = all / sheet.term("speculation", speedup, Unit::One, meaning);
    }
    let (tokens, again) = own.again;
    if again > 0.0 {
        let tokens = grouped(tokens.round() as u64);
        sheet.note(format!("The cache has no room for all sequences: {tokens} tokens are computed again."));
        let meaning = "sequences that gave up their cache, again";
        all = all + seconds(sheet, "again", again, meaning);
    }
    let at_once = grouped(own.concurrency.round() as u64);
    let requests = grouped(own.per_engine.round() as u64);
    sheet.note(format!("The busiest engine decodes {at_once} of its {requests} requests at once."));
    at_speed(sheet, all, own)
}

fn step_parts(sheet: &mut Sheet, own: &Workings) -> Expression {
    let step = &own.full.1;
    let all = [
        ("products", step.products, "arithmetic of the products"),
        ("weights", step.weights, "reading the weights"),
        ("attention", step.attention, "reading keys and values, or multiplying with them"),
        ("states", step.states, "reading and writing the states of recurrent layers"),
        ("TP", step.collectives, "tensor-parallel all-reduces"),
        ("EP", step.exchange, "tokens to their experts and back"),
        ("fixed", step.floors, "kernels' floors, scheduling, sampling"),
    ];
    let busy = sum(sheet, &all.map(|(symbol, s, meaning)| (symbol, s.get(), meaning)));
    if step.launching.get() <= 0.0 {
        return busy;
    }
    let meaning = "the host's launches without CUDA graphs";
    let launching = step.launching.get();
    busy.max(seconds(sheet, "launches", launching, meaning))
}

/// What waiting for tools adds.
fn waits(sheet: &mut Sheet, own: &Workings) -> Expression {
    let [all, decoded] = [own.in_progress.0, own.in_progress.1].map(|count| grouped(count.round() as u64));
    sheet.note(format!("An engine has {all} responses in progress and decodes {decoded} of them at a time."));
    sum(
        sheet,
        &[
            ("full", own.tools.full, "while responses wait to begin: fewer decode at a time"),
            ("tail", own.tools.tail, "in the last batch, the same"),
            ("calls", own.tools.calls, "slow calls that all wait for"),
        ],
    )
}

/// Each stretch of the last batch: its steps times one of them.
fn tail(sheet: &mut Sheet, own: &Workings) -> Expression {
    let stretches: Vec<Expression> = own
        .tail
        .iter()
        .enumerate()
        .map(|(place, (steps, one))| {
            let number = place + 1;
            let meaning = "steps until more responses end";
            let steps = sheet.term(format!("steps_{number}"), *steps, Unit::One, meaning);
            let meaning = "one step of what is left";
            steps * seconds(sheet, format!("t_{number}"), *one, meaning)
        })
        .collect();
    Expression::sum(stretches)
}

/// The weights' way to the engine.
pub(super) fn of_sync(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let workload = &source.found.job.workload;
    let (own, engine) = (workload.rl.as_ref()?, source.found.plan.rollout.as_ref()?);
    let mut sheet = Sheet::new();
    let layout = &source.found.plan.layout;
    let sync = rl::sync(source.context, layout, own, engine);
    let gather = "gathering the weights over the links";
    let gather = seconds(&mut sheet, "gather", sync.gather, gather);
    let copy = "copying them into place";
    let copy = seconds(&mut sheet, "copy", sync.copy, copy);
    let handed = "handing the weights over tensor by tensor";
    let handed = seconds(&mut sheet, "handed", sync.handed, handed);
    let slower = (gather + copy).max(handed);
    let expression = if sync.waking > 0.0 {
        let waking = "waking the engine";
        slower + seconds(&mut sheet, "wake", sync.waking, waking)
    } else {
        slower
    };
    let expression = sampled(source, &mut sheet, expression);
    let part = ("weight_sync", "weight_sync");
    Some(in_step(source, sheet, (figure, "weight-sync"), part, expression))
}

/// What the driver does between the phases.
pub(super) fn of_driver(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let rl = source.found.job.workload.rl.as_ref()?;
    let mut sheet = Sheet::new();
    let meaning = "advantages, metrics and the driver's own work";
    let mut driver = seconds(&mut sheet, "driver_s", rl::driven(source.context, rl), meaning);
    let fetched = rl::fetched(source.context, rl);
    if fetched > 0.0 {
        let meaning = "taking the padded samples out of the queue";
        driver = driver + seconds(&mut sheet, "fetched", fetched, meaning);
    }
    let part = ("driver", "overhead");
    Some(in_step(source, sheet, (figure, "driver"), part, driver))
}

/// A part of a phase that is no pass of a model.
fn in_step(
    source: &Source<'_>,
    mut sheet: Sheet,
    (figure, method): (&str, &'static str),
    (phase, part): (&str, &'static str),
    expression: Expression,
) -> Explanation {
    let of = if phase == "weight_sync" { Timed::WeightSync } else { Timed::Else };
    let expression = calibration(source, &mut sheet, of, expression);
    let title = in_phase(words::time(part), words::phase(phase));
    let symbol = words::symbol(part);
    sheet.finish(figure, method, &title, symbol, expression, Unit::Seconds)
}
