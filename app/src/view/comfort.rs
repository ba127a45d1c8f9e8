//! What makes coming back and passing on easy: recent questions, sharing, shortcuts, an introduction.

mod intro;
mod keys;
mod recent;
mod share;

use leptos::prelude::*;

use super::dom::{Act, El, el, node, part, press};
use super::icons::icon;
use crate::browser;
use crate::page::Page;

pub(super) use keys::listen;
pub(super) use recent::button as recent_button;
pub(super) use share::{button as share_button, report};

/// Panels that are closed until they are asked for, and what listens for keys.
pub(super) fn view(page: Page) -> AnyView {
    vec![node(recent::view(page)), node(share::view(page)), node(keys::view(page)), node(intro::view(page))].into_any()
}

/// Links in the footer to what has no place of its own.
pub(super) fn links(page: Page) -> AnyView {
    let text = page.text();
    node(vec![
        el("BUTTON.lnk|type=button|id=keys-open|popovertarget=keys").child(text.keys),
        el("BUTTON.lnk|type=button|id=intro-open")
            .on("click", press(move || intro::start(page)))
            .child(text.intro),
    ])
}

/// A panel over the page with a heading; its inside is made when it opens.
fn panel(page: Page, id: &'static str, title: &'static str, inside: fn(Page) -> El) -> AnyView {
    let open = RwSignal::new(false);
    let toggled: Act = Box::new(move |event| open.set(browser::opens(&event)));
    let heading = format!("{id}-h");
    el("SECTION.pop|popover=auto")
        .set("id", id)
        .set("aria-labelledby", heading.clone())
        .on("toggle", toggled)
        .child(
            el("HEADER").child(el("H2").set("id", heading).child(title)).child(
                el("BUTTON.btn btn-s btn-q|type=button|popovertargetaction=hide")
                    .set("popovertarget", id)
                    .child(icon("i-x"))
                    .child(el("SPAN.vh").child(page.text().close)),
            ),
        )
        .child(part(move || open.get().then(|| inside(page))))
        .into_any()
}
