//! What makes coming back and passing on easy: recent questions, sharing, shortcuts.

mod keys;
mod panel;
mod recent;
mod share;

use crate::text::your_run::TITLE;
use crate::view::prelude::*;

pub(super) use keys::{is_shortcut, listen};
pub(super) use panel::Close;
pub(super) use recent::read as read_recent;
pub(super) use share::{Report, ShareButton};

/// Panels that are closed until they are asked for, and what listens for keys.
#[component]
pub(super) fn Comfort(page: Page) -> impl IntoView {
    view! {
        <recent::Questions page/>
        <share::Share page/>
        <keys::Keys page/>
    }
}

/// Links in the footer to what has no place of its own.
#[component]
pub(super) fn Links(page: Page) -> impl IntoView {
    view! {
        <a href=Document::YourRun.address(page.lang)>{page.lang.said(&TITLE)}</a>
        <button class="lnk" type="button" id="keys-open" popovertarget="keys">{page.text().keys}</button>
    }
}
