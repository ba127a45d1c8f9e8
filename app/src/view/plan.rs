//! The plan, part by part: each is a control that opens what else it could be.

mod alternatives;

use leptos::prelude::*;

use super::dom::{El, all, el, live, node, press, press_link};
use super::fold;
use super::icons::icon;
use crate::form::Field;
use crate::format;
use crate::page::{Page, Shown};
use crate::parts::{self, Part};
use crate::text::fill;
use crate::words;

pub(super) use alternatives::panel;

/// A part: a button where a person may choose it, else words.
fn chip(page: Page, part: Part) -> El {
    let (field, words, pinned) = match part {
        Part::Follows(words) => return el("LI.chip-d").child(words),
        Part::Choice { field, words, pinned } => (field, words, pinned),
    };
    let text = page.text();
    let state = if pinned { text.chip_pinned } else { text.chip_found };
    let open = move || alternatives::is_of(page, field).to_string();
    el("LI").child(
        el("BUTTON|type=button|popovertarget=alternatives|aria-haspopup=dialog")
            .set("class", if pinned { "chip is-pinned" } else { "chip" })
            .set("id", alternatives::chip_id(field))
            .live("aria-expanded", open)
            .on("click", press(move || alternatives::ask(page, field)))
            .child(pinned.then(|| icon("i-pin")))
            .child(el("SPAN").child(words))
            .child(el("SPAN.vh").child(format!(", {} ({state})", page.lang.label(field)))),
    )
}

fn row(page: Page, name: &'static str, parts: Vec<Option<Part>>) -> Option<AnyView> {
    let any = parts.iter().any(Option::is_some);
    any.then(|| {
        el("DIV.chips-g")
            .child(el("P.chips-l").child(name))
            .child(
                el("UL.chips")
                    .set("aria-label", name)
                    .children(parts.into_iter().map(|part| part.map(|part| chip(page, part)))),
            )
            .into_any()
    })
}

/// The plan without controls, in words.
pub(super) fn told(page: Page, shown: &Shown) -> Vec<AnyView> {
    let parts = parts::of(&shown.question, &shown.found.job, &shown.found.answer, page.lang);
    // What splits nothing is no news to a reader who cannot change it.
    let splits = |part: &Part| match part {
        Part::Choice { field: Field::RolloutTensorParallel, .. } | Part::Follows(_) => true,
        Part::Choice { words, .. } => !words.ends_with("\u{a0}1"),
    };
    let words = |part: Part| match part {
        Part::Choice { field: Field::RolloutTensorParallel, words, .. } => {
            format!("{} {words}", page.text().row_rollout)
        }
        Part::Choice { words, .. } | Part::Follows(words) => words,
    };
    all(parts.all().filter(splits).map(|part| el("LI.chip-d").child(words(part))))
}

/// What the plan is the best of, and who runs it.
fn heading(page: Page, shown: &Shown) -> AnyView {
    let text = page.text();
    let runs = shown.found.answer.framework.map(words::framework_name);
    let considered = move || {
        // The first offer is the question's own GPU type.
        let market = page.market();
        let own = market.offers.first().and_then(|own| own.result.as_ref().ok());
        match own {
            Some(found) if found.considered > 1 => fill(text.best_of, &[&format::grouped(found.considered)]),
            _ => text.the_plan.to_owned(),
        }
    };
    el("DIV.vp-h")
        .child(runs.map(|runs| el("P.vp-f|id=plan-framework").child(runs)))
        .child(el("P").child(live(considered)))
        .into_any()
}

pub(super) fn view(page: Page, shown: &Shown) -> AnyView {
    let text = page.text();
    let note = shown.found.answer.interval.map(|interval| {
        el("P.vp-n")
            .child(fill(text.interval_note, &[&format::percent(interval.coverage, 0)]))
            .child(" ")
            .child(
                el("A|href=#calibrate")
                    .on("click", press_link(move || fold::go(page, "calibrate")))
                    .child(text.cal_link),
            )
    });
    let parts = parts::of(&shown.question, &shown.found.job, &shown.found.answer, page.lang);
    el("DIV.verdict-plan")
        .child(heading(page, shown))
        .child(node(row(page, text.row_train, parts.train)))
        .child(node(row(page, text.row_rollout, parts.rollout)))
        .child(
            el("DIV.vp-a")
                .child(
                    el("BUTTON.btn btn-s|type=button|id=pin-a")
                        .on("click", press(move || page.put_aside()))
                        .child(icon("i-pin"))
                        .child(text.pin_a),
                )
                .child(note),
        )
        .into_any()
}
