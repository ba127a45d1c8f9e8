//! The errors by group, where choosing a row shows its runs alone, and the largest of them.

use super::super::dom::{all, el, live, part, press};
use super::super::figure::{cell, head};
use super::chart::{details, short, signed};
use super::summary::{coverage, segments, share};
use super::{DIMENSIONS, Page, group_label};
use crate::format;
use crate::runs::{By, Column, Figure};
use crate::text::fill;
use leptos::prelude::*;

/// How many misses are named.
const MISSES: usize = 5;

/// A dimension's name.
pub(super) fn dimension(page: Page, by: By) -> &'static str {
    let text = page.text();
    match by {
        By::All | By::Group => text.by_group,
        By::Gpu => text.by_gpu,
        By::Framework => text.by_framework,
        By::Family => text.by_family,
    }
}

pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    let dimensions = DIMENSIONS.map(|(by, _)| (by, dimension(page, by)));
    let note = move || page.runs().map(|runs| fill(text.errors_note, &[&coverage(&runs)]));
    el("SECTION.block|aria-labelledby=errors-h")
        .child(
            el("DIV.block-h")
                .child(el("H2|id=errors-h").child(text.errors))
                .child(el("DIV.tools").child(segments(
                    text.group_by,
                    &dimensions,
                    move || page.by.get(),
                    move |by| page.group_by(by),
                ))),
        )
        .child(part(move || table(page)))
        .child(el("P.note").child(live(note)))
        .into_any()
}

/// The largest misses, where the file says how large they are.
pub(super) fn misses(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs()?;
    let (kind, case) = (page.kind.get(), page.case.get());
    let mut shown = page.chosen(&runs);
    runs.sort(&mut shown, Column::Error, true, kind, case);
    let worst = shown.iter().filter_map(|place| {
        let run = runs.runs.get(*place)?;
        let error = run.quantity(kind)?.error_of(case)?;
        let (measured, predicted) = run.pair(kind, case)?;
        let figures = [page.figure(predicted), page.figure(measured)];
        let words = fill(text.wrong_run, &[&figures[0], &figures[1], page.unit()]);
        let about = el("DIV")
            .child(el("H3").child(short(run)))
            .child(el("P").child(words).child(" ").child(details(run)));
        Some(el("LI").child(el("B").child(signed(error))).child(about))
    });
    let worst = all(worst.take(MISSES));
    if worst.is_empty() {
        return None;
    }
    let head = el("DIV.block-h")
        .child(el("H2|id=wrong-h").child(text.wrong))
        .child(el("P").child(text.wrong_note));
    let section = el("SECTION.block|aria-labelledby=wrong-h")
        .child(head)
        .child(el("OL.miss").child(worst));
    Some(section.into_any())
}

fn table(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs()?;
    let (kind, by, case) = (page.kind.get(), page.by.get(), page.case.get());
    let groups = runs.groups(kind, by, case);
    if groups.is_empty() {
        return Some(el("P.muted").child(text.no_errors).into_any());
    }
    let rows = groups.into_iter().map(|figure| {
        let name = figure.name.clone();
        let chosen = {
            let name = name.clone();
            move || page.group.get().as_deref() == Some(name.as_str())
        };
        let marked = chosen.clone();
        let choose = {
            let chosen = chosen.clone();
            move || {
                let group = (!untrack(&chosen)).then(|| name.clone());
                page.choose(group);
            }
        };
        let button = el("BUTTON.pick|type=button")
            .live("aria-pressed", move || chosen().to_string())
            .on("click", press(choose))
            .child(group_label(by, &figure.name));
        el("TR")
            .live("class", move || marked().then_some("is-sel"))
            .child(el("TH|scope=row").child(button))
            .child(cells(page, figure))
    });
    let sums = [("headline", text.all_full), ("other", text.all_partly)]
        .into_iter()
        .filter_map(|(name, words)| {
            let figure = runs.figure(kind, By::All, name, case)?;
            let row = el("TR.sum").child(el("TH|scope=row").child(words)).child(cells(page, figure));
            Some(row)
        });
    let heads = vec![
        head(dimension(page, by), false),
        head(text.col_runs, true),
        head(text.col_median, true),
        head(text.col_mean, true),
        head(text.col_nine, true),
        head(text.col_inside, true),
    ];
    let table = el("TABLE.tab cols-6 tab-errors")
        .child(el("THEAD").child(el("TR").child(heads)))
        .child(el("TBODY").children(rows).children(sums));
    Some(
        el("DIV.tw|role=group|tabindex=0")
            .set("aria-label", fill(text.as_table, &[text.errors]))
            .child(table)
            .into_any(),
    )
}

fn cells(page: Page, figure: &Figure) -> Vec<AnyView> {
    let text = page.text();
    let inside = figure.covered.map(|covered| format::percent(covered, 0)).unwrap_or_default();
    vec![
        cell(text.col_runs, format::grouped(figure.runs.into())),
        cell(text.col_median, share(figure.median)),
        cell(text.col_mean, share(figure.mean)),
        cell(text.col_nine, share(figure.p90)),
        cell(text.col_inside, inside),
    ]
}
