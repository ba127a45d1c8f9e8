//! The parts of the page, from the top.

pub(crate) mod accuracy;
mod advice;
mod ask;
mod banner;
mod calibrate;
mod closing;
mod comfort;
mod controls;
mod copying;
mod dock;
mod dom;
mod embed;
mod figure;
mod flags;
mod fold;
mod footer;
mod gpus;
mod header;
mod how;
pub(crate) mod icons;
mod limits;
pub(crate) mod listing;
mod memory;
mod objective;
mod paste;
mod plan;
mod rest;
mod run;
mod sheet;
mod steps;
mod sure;
pub(crate) mod time;
mod verdict;

use dom::{el, node, part, press_link};
use header::Place;
use leptos::either::Either;
use leptos::prelude::*;
use steps::{SHOWN, at};

use crate::follow::follow;
use crate::page::Page;
use crate::protocol::Name;
use crate::text::Lang;

pub use rest::{Loader, Rest};

/// The step from which on the page needs its rest; an embed is one part, and needs it at once.
const REST: usize = 4;

/// What is not in [`page`].
pub(crate) fn rest() -> Rest {
    Rest { embed: embed::view, acting, folds: fold::view, closing: closing_parts }
}

/// The whole page, of which the rest comes by `loader`.
pub(crate) fn page(loader: Loader) -> impl IntoView {
    rest::ask(loader);
    let page = Page::new();
    if !page.embedded {
        comfort::listen(page);
    }
    crate::browser::follow_keys();
    crate::focus::keep();
    how::listen(page);
    // The address holds the question soon.
    let place = crate::browser::hash();
    if !page.embedded {
        fold::listen(page);
    }
    page.follow_address();
    crate::client::choices::start(page);
    let body = part(move || {
        if !page.built[0].get() {
            return rest::broken(page).map(|said| Either::Left(said.into_any()));
        }
        let lang = page.look.lang.get();
        let page = page.in_lang(lang);
        let view = if page.embedded { rest::of(|rest| rest.embed)(page) } else { full(page) };
        // Different sides, so that one language replaces the other as a whole.
        Some(match lang {
            Lang::En => Either::Left(view),
            Lang::Zh => Either::Right(view),
        })
    });
    crate::browser::soon(move || {
        page.begin();
        build_on(page, 0, place, loader);
    });
    vec![node(icons::definitions()), node(body), node(verdict::announcement(page))]
}

/// Builds the page step by step, and says when it is whole. `place` is the part of it that the address asks for.
fn build_on(page: Page, step: usize, place: String, loader: Loader) {
    if step == if page.embedded { 0 } else { REST } {
        return rest::load(page, loader, move || build_step(page, step, place, loader));
    }
    build_step(page, step, place, loader);
}

fn build_step(page: Page, step: usize, place: String, loader: Loader) {
    crate::browser::soon(move || {
        let Some(built) = page.built.get(step) else {
            fold::arrive(page, &place);
            return crate::browser::ready();
        };
        built.set(true);
        if step == SHOWN {
            // An answer that the worker looks for is waited for.
            follow(move || {
                // What an embed cannot answer it says, and answers nothing else.
                let refused = page.embedded && (!page.wrong().is_empty() || page.bad_link.with(Option::is_some));
                if page.answered().is_some() || refused {
                    crate::browser::take_over();
                }
            });
        }
        build_on(page, step + 1, place, loader);
    });
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
                .child(el("H1.claim").child(el("B").child(text.lead_name)).child(" ").child(text.lead))
                .child(ask::view(page))
                .child(at(page, 3, dock::view))
                .child(el("DIV.answer|id=answer").child(at(page, 3, answer)))
                .child(part(move || rest::broken(page)))
                .child(at(page, 4, |page| rest::of(|rest| rest.acting)(page)))
                .child(at(page, 6, |page| rest::of(|rest| rest.folds)(page))),
        ),
        node(at(page, 7, |page| rest::of(|rest| rest.closing)(page))),
    ]
    .into_any()
}

fn answer(page: Page) -> AnyView {
    node(vec![node(flags::skip(page)), banner::view(page), verdict::view(page), sheet::view(page, Name::Compare)])
}

/// What to do with the answer: the text to paste, the GPU to take, the change that helps.
fn acting(page: Page) -> AnyView {
    node(
        el("DIV.act")
            .child(flags::view(page))
            .child(at(page, 5, |page| gpus::view(page, false)))
            .child(advice::view(page)),
    )
}

/// What is closed until it is asked for, and what ends the page.
fn closing_parts(page: Page) -> AnyView {
    node(vec![
        paste::view(page),
        node(how::panel(page)),
        footer::view(page.look, page.lang, Some([comfort::links(page), comfort::report(page)])),
        comfort::view(page),
    ])
}
