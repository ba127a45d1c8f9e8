//! Panels over the page.

use leptos::prelude::*;

use crate::browser;
use crate::page::Page;
use crate::view::dom::{Act, El, el, part};
use crate::view::icons::icon;

/// A panel over the page with a heading; its inside is made when it opens.
pub(super) fn panel(page: Page, id: &'static str, title: &'static str, inside: fn(Page) -> El) -> AnyView {
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
