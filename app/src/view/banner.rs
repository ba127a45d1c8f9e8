//! One line on top of the answer: a link that cannot be read, a new version.

use super::erased::{part, press};
use gloo::events::EventListener;
use leptos::prelude::*;

use super::icons::icon;
use crate::browser;
use crate::page::Page;
use crate::text::fill;

pub(super) fn view(page: Page) -> AnyView {
    view! {
        {bad_link(page)}
        {update(page)}
    }
    .into_any()
}

fn bad_link(page: Page) -> AnyView {
    part(move || {
        let text = page.text();
        page.bad_link.get().map(|error| {
            let words = fill(text.banner_hash, &[&error.field, &error.message]);
            view! {
                <p class="callout callout-bad banner" role="alert" id="bad-link">
                    {icon("i-warn")}<span>{words}</span>
                    <button class="btn btn-s btn-q x" type="button" on:click=press(move || page.bad_link.set(None))>
                        {icon("i-x")}<span class="vh">{text.dismiss}</span>
                    </button>
                </p>
            }
        })
    })
}

/// boot.js says when a new version waits, and changes to it when it is told to.
fn update(page: Page) -> AnyView {
    let ready = RwSignal::new(browser::root_has("data-update"));
    if let Some(window) = browser::window() {
        EventListener::new(&window, "shardwise:update", move |_| ready.set(true)).forget();
    }
    part(move || {
        let text = page.text();
        ready.get().then(|| view! {
            <p class="callout callout-info banner" id="update">
                {icon("i-info")}<span>{text.update_ready}</span>
                <button class="btn btn-s" type="button" on:click=press(|| browser::send("shardwise:update-accept"))>{text.update_now}</button>
                <button class="btn btn-s btn-q x" type="button" on:click=press(move || ready.set(false))>
                    {icon("i-x")}<span class="vh">{text.dismiss}</span>
                </button>
            </p>
        })
    })
}
