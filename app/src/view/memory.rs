//! Memory by part, phase by phase, against what the card has.

use super::dom::{all, el, live, node, part};
use leptos::prelude::*;
use shardwise_core::wire::Memory;

use super::figure::{cell, folded_table, head, legend, plot};
use crate::charts;
use crate::charts::backend::Ink;
use crate::charts::stack::{Row, Stack};
use crate::format;
use crate::page::Page;
use crate::text::{Lang, fill};

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

fn chart(memory: &Memory, lang: Lang) -> Stack {
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
        limit: Some((
            memory.capacity_gib,
            fill(lang.text().card, &[&format::gib(memory.capacity_gib)]),
        )),
    }
}

/// Parts that some phase has, in the order of drawing.
fn parts(memory: &Memory) -> Vec<&'static str> {
    let Some(first) = memory.phases.first() else {
        return Vec::new();
    };
    let names = first.parts.entries().map(|(name, _)| name);
    names
        .into_iter()
        .enumerate()
        .filter(|(index, _)| {
            memory
                .phases
                .iter()
                .any(|phase| phase.parts.entries()[*index].1 > 0.0)
        })
        .map(|(_, name)| name)
        .collect()
}

fn takeaway(memory: &Memory, lang: Lang) -> String {
    let largest = memory
        .parts
        .entries()
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1));
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
fn with<T>(page: Page, of: impl FnOnce(&Memory, Lang) -> T) -> Option<T> {
    let lang = page.lang;
    page.answered()
        .map(|shown| of(&shown.found.answer.memory, lang))
}

pub(super) fn view(page: Page) -> AnyView {
    let legends = move || {
        with(page, |memory, lang| {
            let parts = parts(memory)
                .into_iter()
                .map(|part| legend(ink(part).class(), lang.word(part).to_owned()));
            el("UL.legend").children(parts)
        })
    };
    el("SECTION.block|id=memory|aria-labelledby=mem-h")
        .child(el("DIV.block-h").child(el("H2|id=mem-h").child(page.text().memory)))
        .child(
            el("FIGURE.fgr")
                .child(
                    el("FIGCAPTION")
                        .child(el("P.take|id=c-mem").child(live(move || with(page, takeaway))))
                        .child(el("P.note").child(page.text().memory_note)),
                )
                .child(plot("c-mem", move |width| {
                    with(page, |memory, lang| {
                        let chart = chart(memory, lang);
                        charts::draw((width, chart.height(width)), |area| chart.draw(area))
                    })
                }))
                .child(el("DIV.fgr-f").child(part(legends)).child(part(move || {
                    with(page, |memory, lang| table(page, memory, lang))
                }))),
        )
        .into_any()
}

fn table(page: Page, memory: &Memory, lang: Lang) -> AnyView {
    let phases: Vec<String> = memory
        .phases
        .iter()
        .map(|phase| lang.word(phase.name).to_owned())
        .collect();
    let lines = parts(memory).into_iter().map(|part| {
        let cells = memory.phases.iter().zip(&phases).map(|(phase, name)| {
            let gib = phase
                .parts
                .entries()
                .into_iter()
                .find(|(known, _)| *known == part)
                .map_or(0.0, |(_, gib)| gib);
            cell(
                name.clone(),
                if gib > 0.0 {
                    format::gib(gib)
                } else {
                    String::new()
                },
            )
        });
        el("TR")
            .child(el("TH|scope=row").child(lang.word(part).to_owned()))
            .children(cells)
    });
    let sums = memory
        .phases
        .iter()
        .zip(&phases)
        .map(|(phase, name)| cell(name.clone(), format::gib(phase.reserved_gib)));
    let body = vec![
        node(all(lines)),
        node(
            el("TR.sum")
                .child(el("TH|scope=row").child(lang.text().total))
                .children(sums),
        ),
    ];
    let heads = vec![
        node(head("GiB", false)),
        node(
            phases
                .iter()
                .map(|name| head(name.clone(), true))
                .collect_view(),
        ),
    ];
    let columns = memory.phases.len() + 1;
    folded_table(
        page,
        lang.text().memory.to_owned(),
        if columns > 6 { 9 } else { columns },
        heads.into_any(),
        body.into_any(),
    )
}
