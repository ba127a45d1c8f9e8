//! A teacher on GPUs of its own: what a step waits for it, and what it holds.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::engine::{cache, engine_weights};
use super::memory::{cuda, part_of};
use super::{Source, in_phase};
use shardwise_catalog::units::grouped;
use shardwise_engine::phase::Phase;
use shardwise_engine::served::{self, Scoring};

const TEACHER: &str = "teacher";

/// Seconds that a step waits for it.
pub(super) fn of_time(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let own = served::of(source.context)?;
    let phases = &source.answer().time.phases;
    phases.iter().find(|phase| phase.name == TEACHER)?;
    let mut sheet = Sheet::new();
    let tokens = grouped(own.all.tokens.round() as u64);
    sheet.note(format!("Each of its engines reads {tokens} tokens in a step, as a prompt is read."));
    let all = scoring(&mut sheet, &own.all, "");
    let last = scoring(&mut sheet, &own.last, "_last");
    let factor = |sheet: &mut Sheet, one: Expression| {
        let meaning = "your own run's time over its estimate, and caution for sizes beyond those that were tried";
        sheet.scaled(one, "factor", own.factor, meaning)
    };
    let [all, last] = [all, last].map(|one| factor(&mut sheet, one));
    let rollout = phases
        .iter()
        .find(|phase| phase.name == Phase::Rollout.name())
        .map_or(0.0, |phase| phase.s);
    let meaning = "seconds of generation, beside which it works";
    let rollout = sheet.part("rollout", rollout, Unit::Seconds, meaning, "time.rollout");
    let title = in_phase(words::time("prefill"), words::phase(TEACHER));
    Some(sheet.finish(figure, "served-teacher", &title, "wait", (all - rollout).max(last), Unit::Seconds))
}

/// What reading sequences takes: the GPUs, or the front end beside them.
fn scoring(sheet: &mut Sheet, own: &Scoring, suffix: &str) -> Expression {
    let last = !suffix.is_empty();
    let mut term = |symbol: &str, s: f64, of_all: &'static str, of_last: &'static str| {
        sheet.term(format!("{symbol}{suffix}"), s, Unit::Seconds, if last { of_last } else { of_all })
    };
    let read =
        term("read", own.read, "its engines read all sequences", "an engine reads the last, as long as any may be");
    let softmax = term(
        "softmax",
        own.softmax,
        "logits of every position become probabilities",
        "its logits become probabilities",
    );
    let returned = term(
        "returned",
        own.returned,
        "those that the student is held to are handed over",
        "those of the last are handed over",
    );
    (read + softmax).max(returned)
}

/// What a GPU of its pool holds.
pub(super) fn of_memory(source: &Source<'_>, figure: &str, part: &str) -> Option<Explanation> {
    let own = served::of(source.context)?;
    let distillation = source.found.job.workload.distillation.as_ref()?;
    let engine = &distillation.pool.as_ref()?.engine;
    let (part, _) = part_of(source, TEACHER, part)?;
    let mut sheet = Sheet::new();
    let (method, expression) = match part {
        "rollout_weights" => {
            let bytes = shardwise_engine::served::bytes_per_weight(distillation)?;
            ("engine-weights", engine_weights(&mut sheet, &distillation.teacher, bytes, engine))
        }
        "kv_cache" => {
            let card = source.found.job.hardware.memory_gib;
            ("kv-cache", cache(&mut sheet, (card, engine), &own.room, "memory.teacher.rollout_weights"))
        }
        "framework" => {
            let working = sheet.term("working", own.room.workspace.get(), Unit::Gib, "its working memory");
            ("engine-workspace", cuda(source, &mut sheet) + working)
        }
        "logits" => {
            let meaning =
                "logits of the longest prompt that an engine reads at once, in 16 bits, and their log-softmax in 32";
            ("prompt-logits", sheet.term("prompt", own.logits.get(), Unit::Gib, meaning))
        }
        _ => return None,
    };
    let title = in_phase(words::memory(part), words::phase(TEACHER));
    Some(sheet.finish(figure, method, &title, words::symbol(part), expression, Unit::Gib))
}
