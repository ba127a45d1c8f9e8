//! Parts that fold: a question each, its answer in the line that stays, the evidence behind it. Nothing in a closed one is
//! computed.

use super::advice::Caveats;
use super::calibrate::Calibrate;
use super::memory::Memory;
use super::run::Run;
use super::sheet;
use super::time::Time;
use crate::view::prelude::*;
use crate::{browser, busy};

mod line;

/// Where money goes.
const COST: [Fold; 4] = [Fold::Offers, Fold::Run, Fold::Front, Fold::Scaling];

/// Why the answer is what it is.
const WHY: [Fold; 6] = [Fold::Memory, Fold::Time, Fold::Plans, Fold::Sensitivity, Fold::Caveats, Fold::Calibrate];

/// The box for scripts and logs, which addresses open as well.
const PASTE: &str = "paste";

/// All of them, under their two headings.
#[component]
pub(super) fn Folds(page: Page) -> impl IntoView {
    let text = page.text();
    view! {
        <div class="folds">
            <Group page id="cost" title=text.cost folds=&COST/>
            <Group page id="why" title=text.why_part folds=&WHY/>
        </div>
    }
}

/// Opens them by their addresses, and for the printer.
pub(super) fn listen(page: Page) {
    browser::listen("hashchange", move |_| {
        let word = browser::hash();
        if let Some(fold) = Fold::of_word(&word) {
            go(page, fold.word());
        } else if word == PASTE {
            browser::show_popover(PASTE);
        }
    });
    let closed = StoredValue::new(Vec::new());
    browser::follow_printer(
        move || closed.set_value(page.folds.open_for_print()),
        move || page.folds.print(&closed.get_value(), false),
    );
}

/// Brings a part of the page into view, opened where it folds, and moves the keyboard there.
pub(super) fn go(page: Page, word: &str) {
    let Some(fold) = Fold::of_word(word) else {
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

/// Opens the part, or the box for scripts, that the page's address asks for; what stands above it is still coming.
pub(super) fn arrive(page: Page, word: &str) {
    if let Some(fold) = Fold::of_word(word) {
        go(page, fold.word());
        busy::at_rest(move || browser::jump(&id(fold)));
    } else if word == PASTE {
        browser::show_popover(PASTE);
    }
}

fn id(fold: Fold) -> String {
    format!("fold-{}", fold.word())
}

#[component]
fn Group(page: Page, id: &'static str, title: &'static str, folds: &'static [Fold]) -> impl IntoView {
    let text = page.text();
    let all_open = move || folds.iter().all(|fold| page.folds.is_open(*fold).get());
    let turn = move |_| {
        let open = !untrack(all_open);
        for fold in folds {
            page.folds.set(*fold, open);
        }
    };
    let heading = format!("{id}-h");
    view! {
        <section id=id aria-labelledby=heading>
            <div class="folds-t">
                <h2 id=heading.clone()>{title}</h2>
                <button class="btn btn-s btn-q" type="button" id=format!("{id}-all") on:click=turn>
                    {move || if all_open() { text.close_all } else { text.open_all }}
                </button>
            </div>
            {folds.iter().map(|fold| view! { <Folded page fold=*fold/> }).collect_view()}
        </section>
    }
}

#[component]
fn Folded(page: Page, fold: Fold) -> impl IntoView {
    let open = page.folds.is_open(fold);
    view! {
        <details
            class="fold"
            id=id(fold)
            open=move || open.get()
            on:toggle=move |event| page.folds.set(fold, browser::is_open(&event))
        >
            <summary>
                <h3>{move || line::title(page, fold)}</h3>
                <p>{move || line::take(page, fold)}</p>
            </summary>
            {move || open.get().then(|| view! { <div class="fold-b">{inside(page, fold)}</div> })}
        </details>
    }
}

fn inside(page: Page, fold: Fold) -> AnyView {
    let text = page.text();
    match fold {
        Fold::Run => view! { <Run page/> },
        Fold::Offers if untrack(|| page.folds.on_paper.get()) => {
            let offers = line::cheapest(page).into_iter().map(|own| view! { <li>{own}</li> });
            view! { <ul id="offers-paper">{offers.collect_view()}</ul> }
        }
        Fold::Offers => sheet::view(page, Name::Offers),
        Fold::Front => sheet::view(page, Name::Front),
        Fold::Scaling => sheet::view(page, Name::Scaling),
        Fold::Memory => view! { <Memory page/> },
        Fold::Time => view! { <Time page/> {sheet::view(page, Name::Timeline)} },
        Fold::Plans => sheet::section(page, Name::Plans, text.plans, ""),
        Fold::Sensitivity => sheet::section(page, Name::Sensitivity, text.sensitivity, text.sensitivity_note),
        Fold::Caveats => view! { <Caveats page/> },
        Fold::Calibrate => view! { <Calibrate page/> },
    }
}
