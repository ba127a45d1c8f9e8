//! Where the keyboard is, kept as the page redraws what it was in.
//!
//! A browser puts the keyboard at the top of the page when the control it was on is taken away. Neither Leptos nor what
//! shows the worker's sheets need know of that: the last control is remembered here, and looked for once it is gone.

use std::cell::RefCell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Document, Element, FocusEvent, FocusOptions, HtmlElement, MutationObserver, MutationObserverInit};

use crate::browser::{self, document};

/// What a control can stand in and that has a heading.
const PLACES: &str = "section, [popover], form, .answer, main, body";

/// What says which of the controls without a name in the page one is, beside its words.
const TELLING: [&str; 5] = ["name", "value", "aria-label", "data-key", "data-how"];

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// The control that has the keyboard, or had it last.
#[derive(Clone)]
struct Last {
    element: Element,
    id: String,
    words: String,
    /// What it stands in, from the inside, with its name: it may be drawn anew as well.
    places: Vec<(Element, String)>,
    /// Whether its focus was to be seen: then what takes its place is brought into sight.
    seen: bool,
}

/// Keeps the keyboard in its place for as long as the page lives.
pub(crate) fn keep() {
    let Some(document) = document() else { return };
    browser::listen("focusin", |event| {
        let element = event.target().and_then(|target| target.dyn_into().ok());
        if let Some(element) = element.filter(|element: &Element| element.tag_name() != "BODY") {
            LAST.set(Some(Last::of(element)));
        }
    });
    browser::listen("focusout", |event| {
        let next = event.dyn_ref::<FocusEvent>().and_then(FocusEvent::related_target);
        if next.is_none() {
            browser::soon(left);
        }
    });
    let changed = Closure::<dyn FnMut()>::new(restore);
    if let (Ok(observer), Some(body)) = (MutationObserver::new(changed.as_ref().unchecked_ref()), document.body()) {
        let what = MutationObserverInit::new();
        what.set_child_list(true);
        what.set_subtree(true);
        let _ = observer.observe_with_options(&body, &what);
        StoredValue::new_local((observer, changed));
    }
}

/// Nothing has the keyboard: a person may have put it away, or its control may be hidden now.
fn left() {
    let there = LAST.with_borrow(|last| last.as_ref().is_some_and(Last::is_there));
    if there && browser::lost_focus() {
        LAST.take();
    }
    restore();
}

/// Puts the keyboard on what took the place of the last control, or on the heading above it.
fn restore() {
    // Asked first, after every change of the page: whether the control is there takes a layout.
    if !browser::lost_focus() {
        return;
    }
    let Some(last) = LAST.with_borrow(Clone::clone).filter(|last| !last.is_there()) else {
        return;
    };
    let Some(document) = document() else { return };
    // A panel that was put away gives the keyboard back itself, to what opened it where there was such.
    let closed =
        |(place, _): &(Element, String)| place.has_attribute("popover") && place.is_connected() && !is_shown(place);
    if last.places.iter().any(closed) {
        return drop(LAST.take());
    }
    let places: Vec<Element> = last.places.iter().filter_map(|place| standing(&document, place)).collect();
    let same = last.again(&document, places.first());
    let next = same.or_else(|| {
        let heading = places.iter().find_map(heading)?;
        let _ = heading.set_attribute("tabindex", "-1");
        Some(heading)
    });
    let Some(next) = next else { return };
    let how = FocusOptions::new();
    // The heading of the whole page is no place to be led to.
    let near = next
        .closest("section, form, [popover], .answer")
        .is_ok_and(|place| place.is_some());
    how.set_prevent_scroll(!last.seen || !near);
    // Elements of SVG take the focus as those of HTML do.
    let _ = next.unchecked_into::<HtmlElement>().focus_with_options(&how);
}

/// A place as it stands now.
fn standing(document: &Document, (element, id): &(Element, String)) -> Option<Element> {
    if element.is_connected() {
        return Some(element.clone());
    }
    document.get_element_by_id(id)
}

/// The heading of a place that can be seen.
fn heading(place: &Element) -> Option<Element> {
    first(place, "h1, h2, h3", is_shown)
}

/// The first element inside that a selector names and that is right.
fn first(place: &Element, selector: &str, is_right: impl Fn(&Element) -> bool) -> Option<Element> {
    let found = place.query_selector_all(selector).ok()?;
    (0..found.length())
        .filter_map(|index| found.get(index)?.dyn_into().ok())
        .find(is_right)
}

fn is_shown(element: &Element) -> bool {
    let place = element.get_bounding_client_rect();
    place.width() > 0.0 && place.height() > 0.0
}

fn is_pressable(element: &Element) -> bool {
    is_shown(element) && !element.has_attribute("disabled")
}

impl Last {
    fn of(element: Element) -> Self {
        let mut places = Vec::new();
        let mut place = element.parent_element();
        while let Some(found) = place.and_then(|place| place.closest(PLACES).ok().flatten()) {
            place = found.parent_element();
            places.push((found.clone(), found.id()));
        }
        Self {
            id: element.id(),
            words: words(&element),
            places,
            seen: element.matches(":focus-visible").unwrap_or(true),
            element,
        }
    }

    /// Whether it can still have the keyboard.
    fn is_there(&self) -> bool {
        self.element.is_connected() && is_shown(&self.element)
    }

    /// The same control, drawn anew: by its name, else by its words in its place.
    fn again(&self, document: &Document, place: Option<&Element>) -> Option<Element> {
        if !self.id.is_empty() {
            return document.get_element_by_id(&self.id).filter(is_pressable);
        }
        first(place?, &self.element.tag_name(), |other| is_pressable(other) && words(other) == self.words)
    }
}

/// What tells a control from others.
fn words(element: &Element) -> String {
    let mut words = element.text_content().unwrap_or_default();
    for name in TELLING {
        words.push('\n');
        words.push_str(&element.get_attribute(name).unwrap_or_default());
    }
    words
}
