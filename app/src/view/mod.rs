//! The parts of the page, from the top.

mod advice;
mod ask;
mod banner;
mod controls;
mod embed;
mod erased;
mod figure;
mod flags;
mod footer;
mod gpus;
mod header;
mod icons;
mod listing;
mod memory;
mod plans;
mod time;
mod verdict;
pub(crate) mod words;

use erased::{part, press_link};
use leptos::either::Either;
use leptos::prelude::*;

use crate::page::Page;
use crate::text::Lang;

/// The whole page.
pub(crate) fn page() -> impl IntoView {
    let page = Page::new();
    let body = part(move || {
        let lang = page.chosen_lang.get();
        let page = Page { lang, ..page };
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
    view! {
        {icons::definitions()}
        {body}
        {verdict::announcement(page)}
    }
}

fn full(page: Page) -> AnyView {
    view! {
        <a class="skip" href="#answer" on:click=press_link(|| crate::browser::jump("answer"))>{page.text().skip}</a>
        {header::view(page)}
        <main class="page" id="top">
            <h1 class="vh">{page.text().title}</h1>
            {ask::view(page)}
            <div class="answer" id="answer">
                {banner::view(page)}
                {verdict::view(page)}
                {verdict::dock(page)}
                {gpus::view(page, false)}
                <div class="pair">
                    {memory::view(page)}
                    {time::view(page)}
                </div>
                {plans::view(page)}
            </div>
            <div class="act">
                {flags::view(page)}
                {advice::view(page)}
            </div>
        </main>
        {footer::view(page)}
    }
    .into_any()
}
