//! One line on top of the answer: a link that cannot be read, or of which something was left out, a new version.

use super::dom::{el, node, part, press};
use leptos::prelude::*;

use super::icons::icon;
use crate::browser;
use crate::page::Page;
use crate::text::fill;

pub(super) fn view(page: Page) -> AnyView {
    vec![node(bad_link(page)), node(left_out(page)), node(update(page))].into_any()
}

fn bad_link(page: Page) -> AnyView {
    part(move || {
        let text = page.text();
        page.bad_link.get().map(|error| {
            let words = fill(text.banner_hash, &[&error.field, &page.say(&error.message)]);
            el("P.callout callout-bad banner|role=alert|id=bad-link")
                .child(icon("i-warn"))
                .child(el("SPAN").child(words))
                .child(
                    el("BUTTON.btn btn-s btn-q x|type=button")
                        .on("click", press(move || page.bad_link.set(None)))
                        .child(icon("i-x"))
                        .child(el("SPAN.vh").child(text.dismiss)),
                )
        })
    })
}

fn left_out(page: Page) -> AnyView {
    part(move || {
        let text = page.text();
        let fields = page.left_out.get();
        (!fields.is_empty()).then(|| {
            el("P.callout callout-info banner|role=status|id=left-out")
                .child(icon("i-info"))
                .child(el("SPAN").child(fill(text.banner_left_out, &[&fields.join(", ")])))
                .child(
                    el("BUTTON.btn btn-s btn-q x|type=button")
                        .on("click", press(move || page.left_out.set(Vec::new())))
                        .child(icon("i-x"))
                        .child(el("SPAN.vh").child(text.dismiss)),
                )
        })
    })
}

/// boot.js says when a new version waits, and changes to it when it is told to.
fn update(page: Page) -> AnyView {
    let ready = RwSignal::new(browser::root_has("data-update"));
    browser::listen("shardwise:update", move |_| ready.set(true));
    part(move || {
        let text = page.text();
        ready.get().then(|| {
            el("P.callout callout-info banner|id=update")
                .child(icon("i-info"))
                .child(el("SPAN").child(text.update_ready))
                .child(
                    el("BUTTON.btn btn-s|type=button")
                        .on("click", press(|| browser::send("shardwise:update-accept")))
                        .child(text.update_now),
                )
                .child(
                    el("BUTTON.btn btn-s btn-q x|type=button")
                        .on("click", press(move || ready.set(false)))
                        .child(icon("i-x"))
                        .child(el("SPAN.vh").child(text.dismiss)),
                )
        })
    })
}
