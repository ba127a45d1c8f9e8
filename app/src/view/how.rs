//! How a figure comes about: a quiet word beside it, and the panel that it opens.

use leptos::prelude::*;
use serde_json::Map;
use wasm_bindgen::JsCast;

use super::dom::{El, el};
use super::sheet;
use crate::browser;
use crate::page::Page;
use crate::protocol::Name;
use crate::text::fill;

/// The key of the figure in the panel's state.
const FIGURE: &str = "figure";

/// A button that says how a figure comes about. `figure` is its name in `shardwise_core::methods`.
pub(super) fn button(page: Page, figure: impl Into<String>, name: &str) -> El {
    let (text, figure): (_, String) = (page.text(), figure.into());
    el("BUTTON.how|type=button|popovertarget=how")
        .set("data-how", figure)
        .set("aria-label", fill(text.how_of, &[name]))
        .child(text.how)
}

/// The panel.
pub(super) fn panel(page: Page) -> El {
    let state = page.sheet(Name::How).state;
    let asked = move || state.with(|state| !state.is_empty());
    sheet::order(page, Name::How, Box::new(asked));
    el("SECTION.pop|id=how|popover=auto|aria-labelledby=how-h").child(sheet::host(page, Name::How))
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
    sheet.state.set(Map::from_iter([(FIGURE.to_owned(), figure.into())]));
}
