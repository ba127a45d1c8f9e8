//! The parts of the page, from the top.

mod accuracy;
mod advice;
mod ask;
mod banner;
mod calibrate;
mod closing;
mod comfort;
mod controls;
mod copying;
mod dom;
mod embed;
mod figure;
mod flags;
mod footer;
mod gpus;
mod header;
mod how;
pub(crate) mod icons;
mod limits;
mod listing;
mod memory;
mod objective;
mod paste;
pub(crate) mod sheet;
pub(crate) mod time;
mod verdict;
pub(crate) mod words;

use dom::{el, node, part, press_link};
use header::Place;
use leptos::either::Either;
use leptos::prelude::*;

use crate::page::Page;
use crate::text::Lang;
use crate::texts::Name;

pub(crate) use accuracy::view as accuracy;

/// The whole page.
pub(crate) fn page() -> impl IntoView {
    let page = Page::new();
    if !page.embedded {
        comfort::listen(page);
    }
    crate::browser::follow_arrows();
    how::listen(page);
    let body = part(move || {
        let lang = page.look.lang.get();
        let page = page.in_lang(lang);
        let view = if page.embedded {
            embed::view(page)
        } else {
            full(page)
        };
        // Different sides, so that one language replaces the other as a whole.
        match lang {
            Lang::En => Either::Left(view),
            Lang::Zh => Either::Right(view),
        }
    });
    vec![
        node(icons::definitions()),
        node(body),
        node(verdict::announcement(page)),
    ]
}

fn full(page: Page) -> AnyView {
    let text = page.text();
    vec![
        node(
            el("A.skip|href=#answer")
                .on("click", press_link(|| crate::browser::jump("answer")))
                .child(page.text().skip),
        ),
        node(header::view(
            page.look,
            page.lang,
            Place::Calculator,
            Box::new(move || page.link()),
            Some(comfort::share_button(page)),
        )),
        node(
            el("MAIN.page|id=top")
                .child(el("H1.vh").child(page.text().title))
                .child(ask::view(page))
                .child(
                    el("DIV.answer|id=answer")
                        .child(banner::view(page))
                        .child(verdict::view(page))
                        .child(sheet::view(page, Name::Compare))
                        .child(verdict::dock(page))
                        .child(gpus::view(page, false))
                        .child(
                            el("DIV.pair")
                                .child(sheet::view(page, Name::Front))
                                .child(sheet::view(page, Name::Scaling)),
                        )
                        .child(
                            el("DIV.pair")
                                .child(memory::view(page))
                                .child(time::view(page)),
                        )
                        .child(sheet::view(page, Name::Timeline))
                        .child(calibrate::view(page))
                        .child(sheet::section(page, Name::Plans, text.plans, ""))
                        .child(sheet::section(
                            page,
                            Name::Sensitivity,
                            text.sensitivity,
                            text.sensitivity_note,
                        )),
                )
                .child(
                    el("DIV.act")
                        .child(flags::view(page))
                        .child(advice::view(page)),
                ),
        ),
        node(paste::view(page)),
        node(how::panel(page)),
        node(footer::view(
            page.look,
            page.lang,
            Some([comfort::links(page), comfort::report(page)]),
        )),
        node(comfort::view(page)),
    ]
    .into_any()
}
