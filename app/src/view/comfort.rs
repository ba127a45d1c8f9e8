//! What makes coming back and passing on easy: recent questions, sharing, shortcuts.

mod keys;
mod panel;
mod recent;
mod share;

use leptos::prelude::*;

use super::dom::{el, node};
use crate::page::Page;

pub(super) use keys::listen;
pub(super) use recent::read as read_recent;
pub(super) use share::{button as share_button, report};

/// Panels that are closed until they are asked for, and what listens for keys.
pub(super) fn view(page: Page) -> AnyView {
    vec![node(recent::view(page)), node(share::view(page)), node(keys::view(page))].into_any()
}

/// Links in the footer to what has no place of its own.
pub(super) fn links(page: Page) -> AnyView {
    let text = page.text();
    node(vec![el("BUTTON.lnk|type=button|id=keys-open|popovertarget=keys").child(text.keys)])
}
