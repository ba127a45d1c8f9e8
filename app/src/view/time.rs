//! Step time by phase and part.

use shardwise_core::Answer;
use shardwise_core::ordered;
use shardwise_core::wire::TimePhase;

use super::blocks;
use super::figure::{Block, parts_table, pointed};
use super::how::How;
use crate::charts::backend::Ink;
use crate::charts::stack::{Row, SEPARATOR, Stack};
use crate::protocol::blocks::Mark;
use crate::view::prelude::*;

/// How many phases a line names.
const NAMED: usize = 3;

/// Phases that only run forward; their computation has a colour of its own.
const FORWARD_ONLY: [&str; 6] = ["old_log_prob", "mismatched", "reference", "values", "reward", "reward_reference"];

/// The colour of a part of a phase, and its word.
fn kind(phase: &str, part: &'static str) -> (Ink, &'static str) {
    match part {
        "compute" if FORWARD_ONLY.contains(&phase) => (Ink::Forward, "forward"),
        "compute" => (Ink::Activations, "compute"),
        "recompute" => (Ink::Forward2, "recompute"),
        "prefill" => (Ink::Prefill, "prefill"),
        "decode" => (Ink::KvCache, "decode"),
        "bubble" => (Ink::Hatched, "bubble"),
        "tools" => (Ink::Hatched, "tools"),
        "optimizer" => (Ink::Logits, "optimizer_step"),
        "overhead" => (Ink::Framework, "overhead"),
        communication => (Ink::Communication, communication),
    }
}

/// The parts of a phase that take time.
pub(crate) fn parts(phase: &TimePhase) -> impl Iterator<Item = (Ink, &'static str, f64)> {
    let name = phase.name;
    phase
        .parts
        .entries()
        .into_iter()
        .filter(|(_, s)| *s > 0.0)
        .map(move |(known, s)| {
            let (ink, word) = kind(name, known);
            (ink, word, s)
        })
}

fn chart(answer: &Answer, lang: Lang) -> Stack {
    let longest = answer.time.phases.iter().map(|phase| phase.s).fold(0.0, f64::max);
    let rows = answer.time.phases.iter().map(|phase| Row {
        label: lang.word(phase.name).to_owned(),
        value: format!("{} {}", format::seconds(phase.s), lang.text().seconds_unit),
        note: if answer.step_time_s > 0.0 { format::percent(phase.s / answer.step_time_s, 0) } else { String::new() },
        selected: phase.s >= longest,
        parts: parts(phase)
            .map(|(ink, _, s)| match ink {
                Ink::Hatched => (ink, s, String::new()),
                _ => (ink, s, format::seconds(s)),
            })
            .collect(),
    });
    Stack { rows: rows.collect(), unit: lang.text().seconds_unit.to_owned(), limit: None }
}

/// What each bar says, in the order of drawing.
fn about(answer: &Answer, lang: Lang) -> Vec<Vec<String>> {
    let seconds = |s: f64| format!("{}\u{a0}{}", format::seconds(s), lang.text().seconds_unit);
    let phases = answer.time.phases.iter();
    let bars = phases.flat_map(|phase| {
        parts(phase).map(move |(_, word, s)| {
            let share = format::percent(s / answer.step_time_s, 0);
            vec![
                format!("{}{SEPARATOR}{}", lang.word(word), seconds(s)),
                fill(lang.text().of_step, &[&share]),
                format!("{}{SEPARATOR}{}", lang.word(phase.name), seconds(phase.s)),
            ]
        })
    });
    bars.collect()
}

fn takeaway(answer: &Answer, lang: Lang) -> String {
    let text = lang.text();
    let step = format::seconds(answer.step_time_s);
    let phases = &answer.time.phases;
    let longest_but = |other: Option<&str>| {
        let rest = phases.iter().filter(move |phase| Some(phase.name) != other);
        rest.max_by(|a, b| a.s.total_cmp(&b.s))
    };
    let first = longest_but(None);
    let second = longest_but(first.map(|phase| phase.name));
    match (first, second) {
        (Some(first), Some(second)) => {
            let s = [format::seconds(first.s), format::seconds(second.s)];
            let names = [lang.place(first.name), lang.place(second.name)];
            // Phases that run at once take more than the step together.
            let sentence = if answer.time.hidden_s > 0.0 { text.time_take_beside } else { text.time_take };
            fill(sentence, &[&step, &s[0], names[0], &s[1], names[1]])
        }
        (Some(only), None) => {
            let longest = parts(only)
                .max_by(|a, b| a.2.total_cmp(&b.2))
                .unwrap_or((Ink::Framework, "overhead", 0.0));
            fill(text.time_take_one, &[&step, &format::seconds(longest.2), lang.word(longest.1)])
        }
        (None, _) => String::new(),
    }
}

/// Parts that some phase has, each with its colour, in the order of drawing.
fn kinds(answer: &Answer) -> Vec<(Ink, &'static str)> {
    let mut kinds: Vec<(Ink, &'static str)> = Vec::new();
    for (ink, word, _) in answer.time.phases.iter().flat_map(parts) {
        if !kinds.iter().any(|(_, known)| *known == word) {
            kinds.push((ink, word));
        }
    }
    kinds
}

/// The colours of a chart of times, with their words.
pub(crate) fn legends(kinds: Vec<(Ink, &'static str)>, lang: Lang) -> Vec<(Mark, String)> {
    // The kinds of communication share a colour: one entry for all.
    let mut seen: Vec<Ink> = Vec::new();
    let entries = kinds.into_iter().filter_map(|(ink, word)| {
        if seen.contains(&ink) {
            return None;
        }
        seen.push(ink);
        let word = if ink == Ink::Communication { "communication" } else { word };
        Some((Mark::Area(ink), lang.word(word).to_owned()))
    });
    entries.collect()
}

/// The answer, while there is one.
fn with<T>(page: Page, of: impl FnOnce(&Answer, Lang) -> T) -> Option<T> {
    let lang = page.lang;
    page.answered().map(|shown| of(&shown.found.answer, lang))
}

/// What most of the time goes to, in a line: the longest phases, or the longest parts of the only one.
pub(super) fn line(page: Page) -> Option<String> {
    with(page, longest)
}

fn longest(answer: &Answer, lang: Lang) -> String {
    let mut all: Vec<(&str, f64)> = match answer.time.phases.as_slice() {
        [only] => parts(only).map(|(_, word, s)| (word, s)).collect(),
        phases => phases.iter().map(|phase| (phase.name, phase.s)).collect(),
    };
    ordered::sort(&mut all, &|a, b| b.1.total_cmp(&a.1));
    let unit = lang.text().seconds_unit;
    let named = all.into_iter().take(NAMED);
    let named: Vec<String> = named
        .map(|(name, s)| format!("{} {}\u{a0}{unit}", lang.word(name), format::seconds(s)))
        .collect();
    named.join(" · ")
}

#[component]
pub(super) fn Time(page: Page) -> impl IntoView {
    let text = page.text();
    view! {
        <Block
            id="time"
            title=text.time
            tools=move || view! { <How page figure="step_time" name=text.time/> }
            take=Signal::derive(move || with(page, takeaway))
            note=text.time_note
            draw=move |width: u32| with(page, |answer, lang| {
                pointed(chart(answer, lang).drawn(width), about(answer, lang), "time")
            })
            legend=move || with(page, |answer, lang| blocks::legend(legends(kinds(answer), lang)))
            table=move || with(page, |answer, lang| table(page, answer, lang))
        />
    }
}

fn table(page: Page, answer: &Answer, lang: Lang) -> AnyView {
    let phases = &answer.time.phases;
    let names: Vec<String> = phases.iter().map(|phase| lang.word(phase.name).to_owned()).collect();
    let rows = kinds(answer).into_iter().map(|(_, word)| {
        let figures = phases.iter().map(|phase| {
            let found = parts(phase).find(|(_, known, _)| *known == word);
            found.map_or_else(String::new, |(_, _, s)| format::seconds(s))
        });
        (lang.word(word).to_owned(), figures.collect())
    });
    let sums = phases.iter().map(|phase| format::seconds(phase.s));
    let text = lang.text();
    parts_table(page, text.time, text.seconds_unit, &names, rows.collect(), sums.collect())
}
