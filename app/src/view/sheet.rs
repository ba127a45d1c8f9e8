//! A part of the page that the worker writes: built from what it sends, and asked for anew as the question or the way
//! it is shown changes.
//!
//! Elements and texts are made one by one; no markup is read. What a press does stands in attributes: `data-ask` a
//! question, `data-put` a value of a control, `data-pair` a word for the pair that is compared, `data-set` keys of the
//! sheet's state, `data-save` a file that the worker writes, or one of the text of the element named by `data-of`,
//! `data-copy` an element to copy. An input with `data-key` sets that key.

use std::sync::Arc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::{Map, Value};
use shardwise_core::permalink;
use shardwise_core::wire::to_value;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, HtmlElement, HtmlInputElement, Node};

use super::dom::el;
use crate::browser;
use crate::client::desk;
use crate::follow::{follow, follow_at_rest};
use crate::form::Field;
use crate::page::Page;
use crate::page::sheet::State;
use crate::protocol::{Name, SheetTask, Task};

/// How long a question must rest before a sheet is asked for, in milliseconds: charts and flags come first.
const REST_MS: u32 = 60;

/// How long a button says that it copied, in milliseconds.
const SAID_MS: u32 = 2000;

/// The key of the pair that is compared.
const PAIR: &str = "pins";

/// A section of the page that is a sheet.
pub(super) fn section(page: Page, name: Name, title: &'static str, note: &'static str) -> AnyView {
    let id = name.word();
    let heading = format!("{id}-h");
    el("SECTION.block")
        .set("id", id)
        .set("aria-labelledby", heading.clone())
        .child(
            el("DIV.block-h")
                .child(el("H2").set("id", heading).child(title))
                .child((!note.is_empty()).then(|| el("P").child(note))),
        )
        .child(view(page, name))
        .into_any()
}

/// A sheet that follows the question.
pub(super) fn view(page: Page, name: Name) -> AnyView {
    order(page, name, Box::new(|| true));
    host(page, name)
}

/// Asks for a sheet, as often as the question, its state or its width changes while it is `wanted`.
pub(super) fn order(page: Page, name: Name, wanted: Box<dyn Fn() -> bool>) {
    let sheet = page.sheet(name);
    let width = name.is_drawn().then(|| browser::follow_width(id(name)));
    follow_at_rest(REST_MS, move || {
        if !wanted() {
            return None;
        }
        let shown = page.answered()?;
        let state = sheet.state.get();
        let width = width.map_or(0, |width| width.get());
        if name.is_drawn() && width == 0 {
            return None;
        }
        Some(Box::new(move || {
            let task =
                SheetTask { name, question: to_value(&shown.question), lang: page.lang.tag().to_owned(), width, state };
            desk::order(page, Task::Sheet(task), deliver);
        }))
    });
}

/// Takes a sheet from the worker.
pub(super) fn deliver(page: Page, found: Value) {
    let Ok((name, tree)) = serde_json::from_value::<(Name, Value)>(found) else {
        return;
    };
    page.sheet(name).tree.set(Some(Arc::new(tree)));
}

/// Asks for a file of a sheet as it is shown, which is saved once it is there.
fn order_file(page: Page, name: Name, state: State, file: String) {
    let Some(shown) = page.standing() else { return };
    let sheet = SheetTask {
        name,
        question: to_value(&shown.question),
        lang: page.lang.tag().to_owned(),
        width: 0,
        state: state.get_untracked(),
    };
    desk::order(page, Task::File { sheet, file }, |_, found| {
        if let Ok(Some((file, text))) = serde_json::from_value::<Option<(String, String)>>(found) {
            browser::download(&file, &text);
        }
    });
}

fn id(name: Name) -> String {
    format!("sheet-{}", name.word())
}

/// Where a sheet stands.
pub(super) fn host(page: Page, name: Name) -> AnyView {
    let tree = page.sheet(name).tree;
    let tree = Box::new(move || tree.get().filter(|_| !page.no_worker.get()));
    put(page, id(name), Some(name), tree, page.sheet(name).state)
}

/// What gives the tree of the moment.
type Shows = Box<dyn Fn() -> Option<Arc<Value>>>;

/// An element that shows a tree, and does what is pressed in it.
pub(super) fn show(page: Page, id: String, tree: Shows, state: State) -> AnyView {
    put(page, id, None, tree, state)
}

fn put(page: Page, id: String, name: Option<Name>, tree: Shows, state: State) -> AnyView {
    let own = id.clone();
    let mut listening = None;
    follow(move || {
        let tree = tree();
        let Some(host) = browser::element(&own) else {
            return;
        };
        fill(&host, tree.as_deref());
        listening.get_or_insert_with(|| listen(page, &host, name, state));
    });
    el("DIV.sheet").set("id", id).into_any()
}

fn listen(page: Page, host: &Element, name: Option<Name>, state: State) -> [EventListener; 2] {
    [
        EventListener::new(host, "click", move |event| press(page, event, name, state)),
        EventListener::new(host, "input", move |event| typed(event, state)),
    ]
}

/// The element of an event, or the nearest around it, that a selector names.
fn near(event: &Event, selector: &str) -> Option<Element> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest(selector).ok().flatten()
}

fn press(page: Page, event: &Event, name: Option<Name>, state: State) {
    let Some(pressed) = near(event, "[data-ask],[data-put],[data-set],[data-pair],[data-save],[data-copy]") else {
        return;
    };
    let says = |name: &str| pressed.get_attribute(name);
    let set = says("data-set").and_then(|text| serde_json::from_str(&text).ok());
    if let Some(set) = set {
        let set: Map<String, Value> = set;
        state.update(|state| state.extend(set));
    }
    if let Some(word) = says("data-pair") {
        state.update(|state| pair(state, word.into()));
    }
    if let Some(question) = says("data-ask").and_then(|hash| permalink::from_hash(&hash).ok()) {
        page.change(|form| form.load(&question));
        browser::close_popover_of(&pressed);
    }
    if let Some(put) = says("data-put") {
        let (path, value) = put.split_once('=').unwrap_or_default();
        match Field::of_path(path) {
            Some(Field::Gpu) => page.change(|form| form.choose_gpu(value)),
            Some(field) => page.change(|form| form.set(field, value)),
            None => {}
        }
        browser::close_popover_of(&pressed);
    }
    let text_of = |id: &str| {
        browser::element(id)
            .and_then(|element| element.text_content())
            .unwrap_or_default()
    };
    if let Some(file) = says("data-save") {
        match (says("data-of"), name) {
            (Some(id), _) => browser::download(&file, &text_of(&id)),
            (None, Some(name)) => order_file(page, name, state, file),
            (None, None) => {}
        }
    }
    if let Some(id) = says("data-copy") {
        browser::copy(&text_of(&id), move |ok| {
            if !ok {
                browser::select(&id);
            }
            let _ = pressed.set_attribute("data-said", if ok { "yes" } else { "no" });
            let pressed = pressed.clone();
            Timeout::new(SAID_MS, move || drop(pressed.remove_attribute("data-said"))).forget();
        });
    }
}

/// Takes a word into the pair of those that are compared, or out of it. A third takes the place of the first.
fn pair(state: &mut Map<String, Value>, word: Value) {
    let mut pair = match state.remove(PAIR) {
        Some(Value::Array(pair)) => pair,
        _ => Vec::new(),
    };
    match pair.iter().position(|own| *own == word) {
        Some(place) => drop(pair.remove(place)),
        None => pair.push(word),
    }
    let more = pair.len().saturating_sub(2);
    pair.drain(..more);
    state.insert(PAIR.to_owned(), pair.into());
}

fn typed(event: &Event, state: State) {
    let Some(input) = near(event, "[data-key]") else {
        return;
    };
    let key = input.get_attribute("data-key").unwrap_or_default();
    let ticks = input.dyn_ref::<HtmlInputElement>().filter(|input| input.type_() == "checkbox");
    let value = match ticks {
        Some(input) => Value::Bool(input.checked()),
        None => Value::String(event_target_value(event)),
    };
    state.update(|state| drop(state.insert(key, value)));
}

/// Puts a tree in the place of what was there. What is focused, typed and unfolded stays so.
fn fill(host: &Element, tree: Option<&Value>) {
    let Some(document) = host.owner_document() else {
        return;
    };
    let before = document
        .active_element()
        .filter(|active| host.contains(Some(active)) && !active.id().is_empty());
    let open = unfolded(host);
    host.set_text_content(None);
    let Some(tree) = tree else { return };
    append(&document, host, tree);
    for id in open {
        if let Some(element) = document.get_element_by_id(&id) {
            let _ = element.set_attribute("open", "");
        }
    }
    let Some(before) = before else { return };
    let Some(after) = document.get_element_by_id(&before.id()) else {
        return;
    };
    let inputs = [&before, &after].map(|element| element.dyn_ref::<HtmlInputElement>().cloned());
    if let [Some(before), Some(after)] = inputs {
        after.set_value(&before.value());
        let place = before.selection_start().ok().flatten();
        focus(&after);
        if let Some(place) = place {
            let _ = after.set_selection_range(place, place);
        }
    } else if let Some(after) = after.dyn_ref::<HtmlElement>() {
        focus(after);
    }
}

fn focus(element: &HtmlElement) {
    let _ = element.focus();
}

/// The parts that a person unfolded, by name.
fn unfolded(host: &Element) -> Vec<String> {
    let found = host.query_selector_all("details[open][id]").ok();
    let count = found.as_ref().map_or(0, web_sys::NodeList::length);
    let element = |index| found.as_ref()?.get(index)?.dyn_into::<Element>().ok();
    (0..count).filter_map(element).map(|element| element.id()).collect()
}

fn append(document: &Document, to: &Node, tree: &Value) {
    let node = match tree {
        Value::String(text) => Some(document.create_text_node(text).into()),
        Value::Array(parts) => element(document, parts),
        _ => None,
    };
    if let Some(node) = node {
        let _ = to.append_child(&node);
    }
}

fn element(document: &Document, parts: &[Value]) -> Option<Node> {
    let (spec, rest) = parts.split_first()?;
    let mut spec = spec.as_str()?.split('|');
    let (tag, class) = spec.next().map(|head| head.split_once('.').unwrap_or((head, "")))?;
    // Tags of HTML are written in capitals.
    let space = if tag.starts_with(|first: char| first.is_ascii_lowercase()) {
        "http://www.w3.org/2000/svg"
    } else {
        "http://www.w3.org/1999/xhtml"
    };
    let tag = if space.ends_with("svg") { tag.to_owned() } else { tag.to_ascii_lowercase() };
    let element = document.create_element_ns(Some(space), &tag).ok()?;
    let set = |name: &str, value: &str| {
        let _ = element.set_attribute(name, value);
    };
    if !class.is_empty() {
        set("class", class);
    }
    for attribute in spec {
        let (name, value) = attribute.split_once('=').unwrap_or((attribute, ""));
        set(name, value);
    }
    for part in rest {
        match part {
            Value::Object(attributes) => {
                for (name, value) in attributes {
                    set(name, value.as_str().unwrap_or_default());
                }
            }
            child => append(document, &element, child),
        }
    }
    Some(element.into())
}
