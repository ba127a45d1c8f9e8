//! Memory by part, phase by phase, against what the card has.

use shardwise_core::{Answer, ordered, wire};

use super::blocks;
use super::figure::{Block, parts_table, pointed};
use super::how::How;
use super::limits::Limits;
use crate::charts::backend::Ink;
use crate::charts::stack::{Row, SEPARATOR, Stack};
use crate::protocol::blocks::Mark;
use crate::view::prelude::*;

/// How many parts a line names.
const NAMED: usize = 3;

/// The colour of a part; the one place that says so.
fn ink(part: &str) -> Ink {
    match part {
        "parameters" => Ink::Parameters,
        "gradients" => Ink::Gradients,
        "optimizer" => Ink::Optimizer,
        "activations" => Ink::Activations,
        "logits" => Ink::Logits,
        "kv_cache" => Ink::KvCache,
        "rollout_weights" => Ink::RolloutWeights,
        "frozen_weights" => Ink::FrozenWeights,
        "communication" => Ink::Communication,
        _ => Ink::Framework,
    }
}

fn chart(memory: &wire::Memory, lang: Lang) -> Stack {
    let rows = memory.phases.iter().map(|phase| Row {
        label: lang.word(phase.name).to_owned(),
        value: format::gib(phase.reserved_gib),
        note: String::new(),
        selected: phase.name == memory.phase,
        parts: phase
            .parts
            .entries()
            .into_iter()
            .filter(|(_, gib)| *gib > 0.0)
            .map(|(name, gib)| (ink(name), gib, format::gib(gib)))
            .collect(),
    });
    Stack {
        rows: rows.collect(),
        unit: "GiB".to_owned(),
        limit: Some((memory.capacity_gib, fill(lang.text().card, &[&format::gib(memory.capacity_gib)]))),
    }
}

/// What each bar says, in the order of drawing.
fn about(memory: &wire::Memory, lang: Lang) -> Vec<Vec<String>> {
    let phases = memory.phases.iter();
    let bars = phases.flat_map(|phase| {
        let parts = phase.parts.entries().into_iter();
        parts.filter(|(_, gib)| *gib > 0.0).map(|(name, gib)| {
            let share = format::percent(gib / memory.capacity_gib, 0);
            vec![
                format!("{}{SEPARATOR}{} GiB", lang.word(name), format::gib(gib)),
                fill(lang.text().of_card, &[&share]),
                format!("{}{SEPARATOR}{} GiB", lang.word(phase.name), format::gib(phase.reserved_gib)),
            ]
        })
    });
    bars.collect()
}

/// Parts that some phase has, in the order of drawing.
fn parts(memory: &wire::Memory) -> Vec<&'static str> {
    let Some(first) = memory.phases.first() else {
        return Vec::new();
    };
    let names = first.parts.entries().map(|(name, _)| name);
    names
        .into_iter()
        .enumerate()
        .filter(|(index, _)| memory.phases.iter().any(|phase| phase.parts.entries()[*index].1 > 0.0))
        .map(|(_, name)| name)
        .collect()
}

fn takeaway(memory: &wire::Memory, lang: Lang) -> String {
    let largest = memory.parts.entries().into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (name, gib) = largest.unwrap_or(("framework", 0.0));
    fill(
        lang.text().memory_take,
        &[
            lang.word(memory.phase),
            &format::gib(memory.reserved_gib),
            &format::gib(memory.capacity_gib),
            lang.word(name),
            &format::gib(gib),
        ],
    )
}

/// The answer's memory, while there is an answer.
fn with<T>(page: Page, of: impl FnOnce(&wire::Memory, Lang) -> T) -> Option<T> {
    let lang = page.lang;
    page.answered().map(|shown| of(&shown.found.answer.memory, lang))
}

/// What most of the memory is for that decides whether it fits, in a line.
pub(super) fn line(page: Page) -> Option<String> {
    let shown = page.answered()?;
    Some(largest(&shown.found.answer, page.lang))
}

fn largest(answer: &Answer, lang: Lang) -> String {
    let deciding = answer.memory.phases.iter().find(|phase| phase.name == answer.fit.phase);
    // An engine's share of the card, or a node's memory, is of no phase.
    let Some(phase) = deciding else {
        return takeaway(&answer.memory, lang);
    };
    let mut parts: Vec<(&str, f64)> = phase.parts.entries().into_iter().filter(|(_, gib)| *gib > 0.0).collect();
    ordered::sort(&mut parts, &|a, b| b.1.total_cmp(&a.1));
    let parts = parts.into_iter().take(NAMED);
    let parts: Vec<String> = parts
        .map(|(name, gib)| format!("{} {}", lang.word(name), format::gib(gib)))
        .collect();
    fill(lang.text().why_memory_take, &[lang.word(phase.name), &parts.join(" · ")])
}

#[component]
pub(super) fn Memory(page: Page) -> impl IntoView {
    let text = page.text();
    let legends = |memory: &wire::Memory, lang: Lang| {
        let entries = parts(memory).into_iter();
        blocks::legend(
            entries
                .map(|part| (Mark::Area(ink(part)), lang.word(part).to_owned()))
                .collect(),
        )
    };
    view! {
        <Block
            id="memory"
            title=text.memory
            tools=move || with(page, |memory, lang| {
                let name = [text.memory, lang.word(memory.phase)].join(lang.comma());
                view! { <How page figure=format!("memory.{}", memory.phase) name/> }
            })
            take=Signal::derive(move || with(page, takeaway))
            note=text.memory_note
            draw=move |width: u32| with(page, |memory, lang| {
                pointed(chart(memory, lang).drawn(width), about(memory, lang), "memory")
            })
            legend=move || with(page, legends)
            table=move || with(page, |memory, lang| table(page, memory, lang))
        >
            <Limits page/>
        </Block>
    }
}

fn table(page: Page, memory: &wire::Memory, lang: Lang) -> AnyView {
    let phases = &memory.phases;
    let names: Vec<String> = phases.iter().map(|phase| lang.word(phase.name).to_owned()).collect();
    let rows = parts(memory).into_iter().map(|part| {
        let figures = phases.iter().map(|phase| {
            let mut entries = phase.parts.entries().into_iter();
            let found = entries.find(|(known, gib)| *known == part && *gib > 0.0);
            found.map_or_else(String::new, |(_, gib)| format::gib(gib))
        });
        (lang.word(part).to_owned(), figures.collect())
    });
    let sums = phases.iter().map(|phase| format::gib(phase.reserved_gib));
    parts_table(page, lang.text().memory, "GiB", &names, rows.collect(), sums.collect())
}
