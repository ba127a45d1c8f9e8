//! The window and the document: what they say of themselves and hear.

use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, Worker};

/// The window; `None` outside a browser.
pub(super) fn window() -> Option<web_sys::Window> {
    web_sys::window()
}

pub(crate) fn document() -> Option<web_sys::Document> {
    window().and_then(|window| window.document())
}

pub(super) fn root() -> Option<HtmlElement> {
    document()?.document_element()?.dyn_into().ok()
}

/// Sets an attribute of the root element, or takes it away.
pub(crate) fn set_root(name: &str, value: Option<&str>) {
    if let Some(root) = root() {
        let _ = match value {
            Some(value) => root.set_attribute(name, value),
            None => root.remove_attribute(name),
        };
    }
}

/// Whether the root element has an attribute.
pub(crate) fn root_has(name: &str) -> bool {
    root().is_some_and(|root| root.has_attribute(name))
}

/// What the root element says under a name.
pub(crate) fn root_says(name: &str) -> Option<String> {
    root()?.get_attribute(name)
}

/// The commit that the site was built of, as its pages say; empty where they do not.
pub(crate) fn commit() -> String {
    root().and_then(|root| root.get_attribute("data-commit")).unwrap_or_default()
}

/// The site's version with its commit, where it is known, as <https://semver.org> has it.
pub(crate) fn exact_version() -> String {
    let (version, commit) = (env!("CARGO_PKG_VERSION"), commit());
    if commit.is_empty() { version.to_owned() } else { format!("{version}+{commit}") }
}

/// Sets the title of the document.
pub(crate) fn set_title(title: &str) {
    if let Some(document) = document() {
        document.set_title(title);
    }
}

/// Shows the page in the place of what stood there until it could be.
pub(crate) fn take_over() {
    if let Some(boot) = document().and_then(|document| document.get_element_by_id("boot")) {
        boot.remove();
    }
}

/// Says that the page is whole, to what loads it and to those who wait for it.
pub(crate) fn ready() {
    set_root("data-ready", Some("1"));
}

/// The engine's worker that `boot.js` has started; nothing where there is none any more.
pub(crate) fn take_engine() -> Option<Worker> {
    let window = window()?;
    let name = "shardwiseEngine".into();
    let worker = js_sys::Reflect::get(&window, &name).ok()?.dyn_into().ok()?;
    let _ = js_sys::Reflect::delete_property(&window, &name);
    Some(worker)
}

/// Asks for the page anew.
pub(crate) fn reload() {
    if let Some(window) = window() {
        let _ = window.location().reload();
    }
}

/// Sends an event to whoever listens on the window.
pub(crate) fn send(name: &str) {
    if let (Some(window), Ok(event)) = (window(), Event::new(name)) {
        let _ = window.dispatch_event(&event);
    }
}

/// How many cores there are, as far as the browser says.
pub(crate) fn cores() -> usize {
    window().map_or(1, |window| window.navigator().hardware_concurrency() as usize)
}

/// Languages the person prefers, best first.
pub(crate) fn preferred_language() -> Option<String> {
    window()?.navigator().language()
}

/// Hears an event of the window for as long as what asked for it stands.
pub(crate) fn listen(event: &'static str, act: impl FnMut(&Event) + 'static) {
    listen_boxed(event, Box::new(act));
}

#[inline(never)]
fn listen_boxed(event: &'static str, act: Box<dyn FnMut(&Event)>) {
    if let Some(window) = window() {
        let options = EventListenerOptions::enable_prevent_default();
        // Dropped with the owner of the moment, and with it what it would have done to signals that are gone.
        StoredValue::new_local(EventListener::new_with_options(&window, event, options, act));
    }
}
