//! Questions of earlier visits: kept in this browser alone, erasable one by one and all.

use leptos::prelude::*;

use super::panel::panel;
use crate::browser;
use crate::page::{Page, RECENT};
use crate::recent::{self, Recent};
use crate::text::fill;
use crate::view::dom::{El, el, part, press};
use crate::view::icons::icon;
use crate::words::asked;

/// Reads what the storage holds.
pub(in crate::view) fn read(page: Page) {
    let stored = browser::stored(RECENT).unwrap_or_default();
    if page.recent.with_untracked(|known| *known != stored) {
        page.recent.set(stored);
    }
}

pub(super) fn view(page: Page) -> AnyView {
    panel(page, "recent", page.text().recent, inside)
}

/// Puts a list into the storage and on the screen.
fn keep(page: Page, stored: String) {
    browser::store(RECENT, &stored);
    page.recent.set(stored);
}

fn inside(page: Page) -> El {
    // Another tab may have added some.
    read(page);
    let list = move || {
        let text = page.text();
        let found = recent::read(&page.recent.get());
        let rows: Vec<El> = found.into_iter().filter_map(|one| row(page, one)).collect();
        if rows.is_empty() {
            return vec![el("P").child(text.recent_none)];
        }
        let erase = el("BUTTON.btn btn-s|type=button|id=recent-erase")
            .on(
                "click",
                press(move || {
                    keep(page, String::new());
                    browser::focus("recent-h");
                }),
            )
            .child(text.recent_erase);
        vec![el("UL.recent").children(rows), el("P").child(erase)]
    };
    el("DIV").child(el("P.muted").child(page.text().recent_note)).child(part(list))
}

/// A question in words; `None` where this version of the calculator refuses it.
fn row(page: Page, one: Recent) -> Option<El> {
    let job = shardwise_core::job::resolve(&one.question).ok()?;
    let words = asked(&job, page.lang);
    let Recent { date, hash, question } = one;
    let erase = fill(page.text().recent_erase_one, &[&words]);
    let ask = move || {
        browser::close_popover("recent");
        page.replace(|form| form.load(&question));
    };
    let forget = move || {
        let stored = page.recent.get_untracked();
        keep(page, recent::without(&stored, &hash, recent::MOST));
        browser::focus("recent-h");
    };
    Some(
        el("LI")
            .child(el("BUTTON.lnk|type=button").on("click", press(ask)).child(words))
            .child(el("SPAN.muted").child(date))
            .child(
                el("BUTTON.btn btn-s btn-q|type=button")
                    .on("click", press(forget))
                    .child(icon("i-x"))
                    .child(el("SPAN.vh").child(erase)),
            ),
    )
}
