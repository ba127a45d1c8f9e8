//! Parts that fold: a question each, its answer in the line that stays, the evidence behind it. Nothing in a closed one is
//! computed.

use leptos::prelude::*;

use super::dom::{El, el, live, node, part, press};
use super::{advice, calibrate, memory, run, sheet, time};
use crate::page::Page;
use crate::page::folds::Fold;
use crate::protocol::Name;
use crate::{browser, busy};

mod line;

/// Where money goes.
const COST: [Fold; 3] = [Fold::Run, Fold::Front, Fold::Scaling];

/// Why the answer is what it is.
const WHY: [Fold; 6] = [Fold::Memory, Fold::Time, Fold::Plans, Fold::Sensitivity, Fold::Caveats, Fold::Calibrate];

/// All of them, under their two headings.
pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    node(el("DIV.folds").child(group(page, "cost", text.cost_part, &COST)).child(group(
        page,
        "why",
        text.why_part,
        &WHY,
    )))
}

/// Opens them by their addresses, and for the printer.
pub(super) fn listen(page: Page) {
    browser::listen("hashchange", move |_| {
        if let Some(fold) = Fold::of(&browser::hash()) {
            go(page, fold.word());
        }
    });
    let closed = StoredValue::new(Vec::new());
    browser::follow_printer(
        move || closed.set_value(page.folds.open_for_print()),
        move || page.folds.turn(&closed.get_value(), false),
    );
}

/// Brings a part of the page into view, opened where it folds, and moves the keyboard there.
pub(super) fn go(page: Page, word: &str) {
    let Some(fold) = Fold::of(word) else {
        return browser::jump(word);
    };
    page.folds.set(fold, true);
    // What opens is drawn first.
    browser::soon(move || browser::jump(&id(fold)));
}

/// Moves the keyboard to an element of a part that folds.
pub(super) fn go_into(page: Page, fold: Fold, id: &str) {
    page.folds.set(fold, true);
    let id = id.to_owned();
    browser::soon(move || browser::jump(&id));
}

/// Opens the part that the page's address asks for; what stands above it is still coming.
pub(super) fn arrive(page: Page, word: &str) {
    if let Some(fold) = Fold::of(word) {
        go(page, fold.word());
        busy::at_rest(move || browser::jump(&id(fold)));
    }
}

fn id(fold: Fold) -> String {
    format!("fold-{}", fold.word())
}

fn group(page: Page, id: &'static str, title: &'static str, folds: &'static [Fold]) -> El {
    let text = page.text();
    let all_open = move || folds.iter().all(|fold| page.folds.is_open(*fold).get());
    let turn = move || {
        let open = !untrack(all_open);
        for fold in folds {
            page.folds.set(*fold, open);
        }
    };
    let heading = format!("{id}-h");
    el("SECTION")
        .set("id", id)
        .set("aria-labelledby", heading.clone())
        .child(
            el("DIV.folds-t").child(el("H2").set("id", heading).child(title)).child(
                el("BUTTON.btn btn-s btn-q|type=button")
                    .set("id", format!("{id}-all"))
                    .on("click", press(turn))
                    .child(live(move || if all_open() { text.close_all } else { text.open_all })),
            ),
        )
        .children(folds.iter().map(|fold| one(page, *fold)))
}

fn one(page: Page, fold: Fold) -> El {
    let open = page.folds.is_open(fold);
    el("DETAILS.fold")
        .set("id", id(fold))
        .live("open", move || open.get().then_some(""))
        .on("toggle", Box::new(move |event| page.folds.set(fold, browser::is_open(&event))))
        .child(
            el("SUMMARY")
                .child(el("H3").child(live(move || line::title(page, fold))))
                .child(el("P").child(live(move || line::take(page, fold)))),
        )
        .child(part(move || open.get().then(|| el("DIV.fold-b").child(inside(page, fold)))))
}

fn inside(page: Page, fold: Fold) -> AnyView {
    match fold {
        Fold::Run => run::view(page),
        Fold::Front => sheet::view(page, Name::Front),
        Fold::Scaling => sheet::view(page, Name::Scaling),
        Fold::Memory => memory::view(page),
        Fold::Time => node(vec![time::view(page), sheet::view(page, Name::Timeline)]),
        Fold::Plans => sheet::section(page, Name::Plans, page.text().plans, ""),
        Fold::Sensitivity => {
            sheet::section(page, Name::Sensitivity, page.text().sensitivity, page.text().sensitivity_note)
        }
        Fold::Caveats => advice::caveats(page),
        Fold::Calibrate => calibrate::view(page),
    }
}
