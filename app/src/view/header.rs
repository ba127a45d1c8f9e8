//! The bar on top: name, language, theme, link.

use super::erased::{live, part, press, typed};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::icons::icon;
use crate::browser;
use crate::page::{Page, Theme};

pub(super) fn view(page: Page) -> AnyView {
    view! {
        <header class="top">
            <span class="brand">
                <svg class="brand-mark" viewBox="0 0 16 16" aria-hidden="true">
                    <rect class="b1" x="1" y="2" width="9" height="3" rx="1"/>
                    <rect class="b2" x="4" y="6.5" width="9" height="3" rx="1"/>
                    <rect class="b3" x="2" y="11" width="13" height="3" rx="1"/>
                </svg>
                "Shardwise"
            </span>
            <div class="top-tools">
                <button class="btn btn-s btn-q" type="button" id="language"
                    lang=page.lang.other().tag()
                    on:click=press(move || {
                        page.choose_lang(page.lang.other());
                        // The new page has a button of its own.
                        Timeout::new(0, || browser::focus("language")).forget();
                    })>
                    {page.lang.other().text().language}
                </button>
                {themes(page)}
                {copy_link(page)}
            </div>
        </header>
    }
    .into_any()
}

fn themes(page: Page) -> AnyView {
    let choices = Theme::ALL.into_iter().map(|(theme, word)| {
        let (symbol, name) = match theme {
            Theme::Auto => ("i-auto", 0),
            Theme::Light => ("i-sun", 1),
            Theme::Dark => ("i-moon", 2),
        };
        let label = move || {
            let text = page.text();
            [text.theme_auto, text.theme_light, text.theme_dark][name]
        };
        view! {
            <label>
                <input type="radio" name="theme" value=word
                    prop:checked=live(move || page.theme.get() == theme)
                    on:change=typed(move |_| page.choose_theme(theme))/>
                <span>{icon(symbol)}<span class="vh">{label}</span></span>
            </label>
        }
    });
    view! {
        <fieldset class="theme">
            <legend class="vh">{page.text().theme}</legend>
            {choices.collect_view()}
        </fieldset>
    }
    .into_any()
}

fn copy_link(page: Page) -> AnyView {
    let copied = RwSignal::new(false);
    let copy = move || {
        browser::copy(&untrack(move || page.link()), move |ok| {
            copied.set(ok);
            Timeout::new(2000, move || copied.set(false)).forget();
        });
    };
    view! {
        <button class="btn btn-s copy-link" type="button" id="copy-link" on:click=press(copy)>
            {part(move || icon(if copied.get() { "i-check" } else { "i-link" }))}
            <span aria-live="polite">
                {live(move || if copied.get() { page.text().link_copied } else { page.text().copy_link })}
            </span>
        </button>
    }
    .into_any()
}
