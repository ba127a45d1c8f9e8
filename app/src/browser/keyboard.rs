//! Where the keyboard is, and where it goes.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement};

use super::document::{document, listen};
use super::element::{element, html, lay_out};
use super::time::after;

/// The element that has the keyboard.
fn active() -> Option<Element> {
    document()?.active_element()
}

/// Whether the keyboard is at an element.
pub(crate) fn has_focus(id: &str) -> bool {
    active().is_some_and(|active| active.id() == id)
}

/// Whether the keyboard is nowhere: what it was at is gone.
pub(crate) fn lost_focus() -> bool {
    active().is_none_or(|active| active.tag_name().eq_ignore_ascii_case("body"))
}

/// Whether the keyboard is in what a selector names.
pub(crate) fn focus_is_in(selector: &str) -> bool {
    active().is_some_and(|active| matches!(active.closest(selector), Ok(Some(_))))
}

/// Moves the keyboard to an element.
pub(crate) fn focus(id: &str) {
    if let Some(element) = html(id) {
        let _ = element.focus();
    }
}

/// Moves the keyboard to an element that is yet to be drawn.
pub(crate) fn focus_next(id: &str) {
    let id = id.to_owned();
    after(0, Box::new(move || focus(&id))).forget();
}

/// Gives the keyboard to the first button in an element.
pub(crate) fn focus_first(id: &str) {
    let button = element(id).and_then(|element| element.query_selector("button").ok()?);
    if let Some(Ok(button)) = button.map(|button| button.dyn_into::<HtmlElement>()) {
        let _ = button.focus();
    }
}

/// Whether a key goes into a field, a list or a button's own keys, and so is no shortcut.
pub(crate) fn types(event: &Event) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| {
        let own = "input:not([type=radio],[type=checkbox]), textarea, select, [contenteditable], [role=tab]";
        target.matches(own).unwrap_or(true)
    })
}

/// Lets the arrows move the keyboard among the marks of a chart, each of which its tip follows. Escape leaves, and so
/// puts the tip away. Tab leads past what is far.
pub(crate) fn follow_keys() {
    listen("keydown", step_focus);
}

fn step_focus(event: &Event) {
    let pressed = event.dyn_ref::<web_sys::KeyboardEvent>();
    let target = event.target().and_then(|on| on.dyn_into::<Element>().ok());
    let (Some(pressed), Some(target)) = (pressed, target) else {
        return;
    };
    if pressed.key() == "Tab" {
        // From below the form, or backwards from the address bar to the last stop.
        let from = if pressed.shift_key() { "body, main :not(.ask *)" } else { "main :not(.ask *)" };
        if target.matches(from).unwrap_or(false) {
            lay_out();
        }
    }
    if !target.class_list().contains("hit") {
        return;
    }
    let step = match pressed.key().as_str() {
        "ArrowRight" | "ArrowDown" => Element::next_element_sibling,
        "ArrowLeft" | "ArrowUp" => Element::previous_element_sibling,
        "Escape" => {
            // Elements of SVG take the focus as those of HTML do.
            let _ = target.unchecked_into::<HtmlElement>().blur();
            return;
        }
        _ => return,
    };
    event.prevent_default();
    if let Some(next) = step(&target).and_then(|tip| step(&tip)) {
        let _ = next.unchecked_into::<HtmlElement>().focus();
    }
}
