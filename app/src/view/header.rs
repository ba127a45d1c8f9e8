//! The bar on top: name, language, theme, link.

use super::dom::{el, live, part, press, typed};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::icons::icon;
use crate::browser;
use crate::page::{Page, Theme};

pub(super) fn view(page: Page) -> AnyView {
    el("HEADER.top")
        .child(
            el("SPAN.brand")
                .child(
                    el("svg.brand-mark|viewBox=0 0 16 16|aria-hidden=true")
                        .child(el("rect.b1|x=1|y=2|width=9|height=3|rx=1"))
                        .child(el("rect.b2|x=4|y=6.5|width=9|height=3|rx=1"))
                        .child(el("rect.b3|x=2|y=11|width=13|height=3|rx=1")),
                )
                .child("Shardwise"),
        )
        .child(
            el("DIV.top-tools")
                .child(
                    el("BUTTON.btn btn-s btn-q|type=button|id=language")
                        .set("lang", page.lang.other().tag())
                        .on(
                            "click",
                            press(move || {
                                page.choose_lang(page.lang.other());
                                // The new page has a button of its own.
                                Timeout::new(0, || browser::focus("language")).forget();
                            }),
                        )
                        .child(page.lang.other().text().language),
                )
                .child(themes(page))
                .child(copy_link(page)),
        )
        .into_any()
}

fn themes(page: Page) -> AnyView {
    let text = page.text();
    let choices = Theme::ALL.into_iter().map(|(theme, word)| {
        let (symbol, name) = match theme {
            Theme::Auto => ("i-auto", 0),
            Theme::Light => ("i-sun", 1),
            Theme::Dark => ("i-moon", 2),
        };
        let label = [text.theme_auto, text.theme_light, text.theme_dark][name];
        el("LABEL")
            .child(
                el("INPUT|type=radio|name=theme")
                    .set("value", word)
                    .flag("checked", move || page.theme.get() == theme)
                    .on("change", typed(move |_| page.choose_theme(theme))),
            )
            .child(
                el("SPAN")
                    .child(icon(symbol))
                    .child(el("SPAN.vh").child(label)),
            )
    });
    el("FIELDSET.theme")
        .child(el("LEGEND.vh").child(page.text().theme))
        .children(choices)
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
    el("BUTTON.btn btn-s copy-link|type=button|id=copy-link")
        .on("click", press(copy))
        .child(part(move || {
            icon(if copied.get() { "i-check" } else { "i-link" })
        }))
        .child(el("SPAN|aria-live=polite").child(live(move || {
            if copied.get() {
                page.text().link_copied
            } else {
                page.text().copy_link
            }
        })))
        .into_any()
}
