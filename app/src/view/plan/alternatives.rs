//! What a part of the plan could be instead, over the page: opened by its chip, asked of the worker, chosen by pointer or
//! keys.

use std::cell::Cell;

use serde_json::Map;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, KeyboardEvent, MouseEvent};

use crate::parts;
use crate::protocol::state;
use crate::sheets::alternatives::PART;
use crate::view::comfort::{self, Close};
use crate::view::controls::bad_number;
use crate::view::prelude::*;
use crate::view::sheet::Awaited;

/// The panel, and what holds the keyboard in it until there is something to choose.
const PANEL: &str = "alternatives";
const INSIDE: &str = "alternatives-in";

thread_local! {
    /// The chip that the keyboard goes back to once the answer is drawn.
    static BACK: Cell<Option<Field>> = const { Cell::new(None) };
}

/// The name of a part's chip.
pub(super) fn chip_id(field: Field) -> String {
    format!("chip-{}", field.id())
}

/// The part that the panel is about.
fn asked(page: Page) -> Option<Field> {
    let state = page.sheet(Name::Alternatives).state;
    state.with(|state| Field::of_path(state.get(PART)?.as_str()?))
}

/// Whether the panel is about a part.
pub(super) fn is_of(page: Page, field: Field) -> bool {
    asked(page) == Some(field)
}

/// Asks what a part could be; the press on its chip opens the panel.
pub(super) fn ask(page: Page, field: Field) {
    let sheet = page.sheet(Name::Alternatives);
    sheet.blocks.set(None);
    sheet.state.set(state([(PART.to_owned(), field.path().into())]));
}

/// Writes a value into the form and puts the panel away.
fn take(page: Page, field: Field, text: &str) {
    browser::close_popover(PANEL);
    page.change(|form| parts::pin(form, field, text));
    BACK.set(Some(field));
    browser::focus(&chip_id(field));
}

fn input(id: &str) -> Option<HtmlInputElement> {
    browser::element(id)?.dyn_into().ok()
}

/// What is checked, or why it cannot be taken.
fn checked(page: Page, field: Field) -> Option<Result<String, &'static str>> {
    let panel = browser::element(INSIDE)?;
    let own = panel.query_selector("input[name=alternative]:checked").ok()??;
    let own: HtmlInputElement = own.dyn_into().ok()?;
    if own.id() != "alt-other" {
        return Some(Ok(own.value()));
    }
    let typed = input("alt-own")?.value();
    Some(match field.read(&typed) {
        Ok(()) => Ok(typed),
        Err(error) => Err(bad_number(error, page.text())),
    })
}

/// Pins a value, and leaves the panel open: what each value gains or loses beside it is told anew.
fn pin(page: Page, field: Field, text: &str) {
    page.change(|form| parts::pin(form, field, text));
}

/// Does `with` what is checked; what cannot be taken says why.
fn submit(page: Page, with: fn(Page, Field, &str)) {
    let Some(field) = asked(page) else { return };
    match checked(page, field) {
        Some(Ok(text)) => with(page, field, &text),
        Some(Err(words)) => {
            if let (Some(message), Some(input)) = (browser::element("alt-m"), input("alt-own")) {
                message.set_text_content(Some(words));
                let _ = input.set_attribute("aria-invalid", "true");
            }
            browser::focus("alt-own");
        }
        None => {}
    }
}

/// A press with a pointer chooses at once. What arrows check is no press: it waits for Enter.
fn pressed(page: Page, event: &Event) {
    let by_pointer = event.dyn_ref::<MouseEvent>().is_some_and(|own| own.detail() > 0);
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let label = target.and_then(|target| target.closest("label.alt:not(.alt-o)").ok()?);
    let value = label.filter(|_| by_pointer).and_then(|label| {
        let own = label.query_selector("input").ok()??;
        Some(own.dyn_into::<HtmlInputElement>().ok()?.value())
    });
    if let Some((field, value)) = asked(page).zip(value) {
        event.prevent_default();
        take(page, field, &value);
    }
}

/// P pins what is checked. In the box of a value of one's own it is a letter.
fn key(page: Page, event: &KeyboardEvent) {
    if event.key().eq_ignore_ascii_case("p") && !event.repeat() && comfort::is_shortcut(event) {
        event.prevent_default();
        submit(page, pin);
    }
}

/// What is typed is what is checked.
fn typed(event: &Event) {
    let own = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if own.is_some_and(|own| own.id() == "alt-own")
        && let Some(other) = input("alt-other")
    {
        other.set_checked(true);
    }
}

/// The panel opens with the keyboard in it, and leaves it at its chip.
fn toggled(page: Page, event: &Event) {
    if browser::opens(event) {
        browser::focus(INSIDE);
        return;
    }
    let sheet = page.sheet(Name::Alternatives);
    if let Some(field) = asked(page) {
        BACK.set(Some(field));
        // The chip that opened it is another one since P has pinned a value.
        browser::soon(move || {
            if browser::lost_focus() {
                browser::focus(&chip_id(field));
            }
        });
    }
    sheet.state.set(Map::new());
    sheet.blocks.set(None);
}

/// Once there is something to choose, the keyboard is where the choice is.
fn choose_when_there(page: Page) {
    let blocks = page.sheet(Name::Alternatives).blocks;
    follow(move || {
        if blocks.with(Option::is_some) {
            browser::soon(|| {
                // Drawn anew, it has another value checked than the one that the keyboard was on.
                let waits = browser::has_focus(INSIDE) || browser::focus_is_in("#alternatives-in [name=alternative]");
                let own = browser::element(INSIDE)
                    .filter(|_| waits)
                    .and_then(|inside| inside.query_selector("input:checked").ok()?);
                if let Some(own) = own {
                    browser::focus(&own.id());
                }
            });
        }
    });
    // A chip may be drawn anew with the answer that its press asked for.
    follow(move || {
        if page.answered().is_some() {
            browser::soon(|| {
                if let Some(field) = BACK.take().filter(|_| browser::lost_focus()) {
                    // A plan may have no such part any more; all have someone who trains or generates.
                    let ids = [field, Field::Backend, Field::RolloutTensorParallel].map(chip_id);
                    if let Some(id) = ids.iter().find(|id| browser::element(id).is_some()) {
                        browser::focus(id);
                    }
                }
            });
        }
    });
}

/// The panel.
#[component]
pub(in crate::view) fn Alternatives(page: Page) -> impl IntoView {
    choose_when_there(page);
    view! {
        <section
            class="pop alts"
            role="dialog"
            popover="auto"
            id=PANEL
            aria-labelledby="alternatives-h"
            on:toggle=move |event| toggled(page, &event)
            on:submit=move |event| {
                event.prevent_default();
                submit(page, take);
            }
            on:keydown=move |event| key(page, &event)
            on:click=move |event| pressed(page, &event)
            on:input=|event| typed(&event)
        >
            <header>
                <h2 id="alternatives-h">
                    {move || asked(page).map(|field| fill(page.text().alternatives_of, &[page.lang.label(field)]))}
                </h2>
                <Close page of=PANEL/>
            </header>
            <Awaited page name=Name::Alternatives id=INSIDE words=page.text().alternatives_wait/>
        </section>
    }
}
