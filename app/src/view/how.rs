//! How a figure comes about: a quiet word beside it, and the panel that it opens.

use wasm_bindgen::JsCast;

use super::sheet;
use crate::protocol::state;
use crate::view::prelude::*;

/// The key of the figure in the panel's state.
const FIGURE: &str = "figure";

/// A button that says how a figure comes about. `figure` is its name in `shardwise_core::methods`.
#[component]
pub(super) fn How(page: Page, #[prop(into)] figure: String, #[prop(into)] name: String) -> impl IntoView {
    let text = page.text();
    view! {
        <button class="how" type="button" popovertarget="how" data-how=figure aria-label=fill(text.how_of, &[&name])>
            {text.how}
        </button>
    }
}

#[component]
pub(super) fn HowPanel(page: Page) -> impl IntoView {
    let state = page.sheet(Name::How).state;
    sheet::order(page, Name::How, Box::new(move || state.with(|state| !state.is_empty())));
    view! {
        <section class="pop" id="how" popover="auto" aria-labelledby="how-h">{sheet::host(page, Name::How)}</section>
    }
}

/// Lets every such button, wherever it stands, say which figure the panel is about.
pub(super) fn listen(page: Page) {
    browser::listen("click", move |event| {
        let target = event.target().and_then(|on| on.dyn_into().ok());
        let pressed = target.and_then(|on: web_sys::Element| on.closest("[data-how]").ok()?);
        let Some(figure) = pressed.and_then(|on| on.get_attribute("data-how")) else {
            return;
        };
        show(page, figure);
    });
}

/// Says how a figure comes about.
pub(super) fn show(page: Page, figure: String) {
    let sheet = page.sheet(Name::How);
    sheet.blocks.set(None);
    sheet.state.set(state([(FIGURE.to_owned(), figure.into())]));
}
