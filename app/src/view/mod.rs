//! The parts of the page, from the top.

mod advice;
mod ask;
mod banner;
mod controls;
mod embed;
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
mod words;

use leptos::prelude::*;

use crate::page::Page;

/// The whole page.
pub(crate) fn page() -> impl IntoView {
    let page = Page::new();
    view! {
        {icons::definitions()}
        {if page.embedded { embed::view(page) } else { full(page) }}
        {verdict::announcement(page)}
    }
}

fn full(page: Page) -> AnyView {
    view! {
        <a class="skip" href="#answer" on:click=|event| {
            event.prevent_default();
            crate::browser::jump("answer");
        }>{move || page.text().skip}</a>
        {header::view(page)}
        <main class="page" id="top">
            <h1 class="vh">{move || page.text().title}</h1>
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
