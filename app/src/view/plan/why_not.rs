//! Why not …?: textbook layouts beside the plan, over the page. Asked of the worker once it is opened.

use serde_json::Map;
use web_sys::Event;

use crate::protocol::state;
use crate::view::comfort::Close;
use crate::view::prelude::*;
use crate::view::sheet::Awaited;

/// The panel, and what holds the keyboard in it.
const PANEL: &str = "whynot";
const INSIDE: &str = "whynot-in";

/// The key of its state that says that it is open.
const OPEN: &str = "open";

/// The panel opens with the keyboard in it; closed, it asks nothing.
fn toggled(page: Page, event: &Event) {
    let sheet = page.sheet(Name::WhyNot);
    sheet.blocks.set(None);
    if browser::opens(event) {
        sheet.state.set(state([(OPEN.to_owned(), true.into())]));
        browser::focus(INSIDE);
    } else {
        sheet.state.set(Map::new());
    }
}

/// The button that opens the panel.
#[component]
pub(super) fn WhyNotButton(page: Page) -> impl IntoView {
    view! {
        <button class="btn btn-s" type="button" id="whynot-open" popovertarget=PANEL aria-haspopup="dialog">
            {page.text().why_not}
        </button>
    }
}

/// The panel.
#[component]
pub(in crate::view) fn WhyNot(page: Page) -> impl IntoView {
    view! {
        <section
            class="pop pop-wide"
            role="dialog"
            popover="auto"
            id=PANEL
            aria-labelledby="whynot-h"
            on:toggle=move |event| toggled(page, &event)
        >
            <header>
                <h2 id="whynot-h">{page.text().why_not_title}</h2>
                <Close page of=PANEL/>
            </header>
            <Awaited page name=Name::WhyNot id=INSIDE words=page.text().why_not_wait/>
        </section>
    }
}
