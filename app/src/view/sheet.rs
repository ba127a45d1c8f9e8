//! A part of the page that the worker writes: drawn from the blocks that it sends (`blocks.rs`), and asked for anew as the
//! question or the way it is shown changes.

use leptos::mount::{UnmountHandle, mount_to};
use serde_json::Value;
use shardwise_core::wire::to_value;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};

use super::blocks::host::Host;
use super::rest;
use crate::follow::{follow, follow_at_rest};
use crate::page::sheet::State;
use crate::protocol::{Name, SheetTask, Task, Written, compact};
use crate::view::prelude::*;

/// How long a question must rest before a sheet is asked for, in milliseconds: charts and flags come first.
const REST_MS: u32 = 60;

/// A section of the page that is a sheet.
pub(super) fn section(page: Page, name: Name, title: &'static str, note: &'static str) -> AnyView {
    let id = name.word();
    let heading = format!("{id}-h");
    view! {
        <section class="block" id=id aria-labelledby=heading>
            <div class="block-h">
                <h2 id=heading.clone()>{title}</h2>
                {(!note.is_empty()).then(|| view! { <p>{note}</p> })}
            </div>
            {self::view(page, name)}
        </section>
    }
}

/// A sheet that follows the question.
pub(super) fn view(page: Page, name: Name) -> AnyView {
    order(page, name, Box::new(|| true));
    host(page, name)
}

/// A sheet of a panel: asked for while its state says what about, and words until it is there. `id` holds the keyboard meanwhile.
#[component]
pub(super) fn Awaited(page: Page, name: Name, id: &'static str, words: &'static str) -> impl IntoView {
    let sheet = page.sheet(name);
    let wanted = move || sheet.state.with(|state| !state.is_empty());
    order(page, name, Box::new(wanted));
    let waits = move || wanted() && sheet.blocks.with(Option::is_none);
    view! {
        <div tabindex="-1" id=id>
            {move || waits().then(|| view! { <p class="muted" role="status">{words}</p> })}
            {host(page, name)}
        </div>
    }
}

/// Asks for a sheet, as often as the question, its state or its width changes while it is `wanted`; it is empty else.
pub(super) fn order(page: Page, name: Name, wanted: Box<dyn Fn() -> bool>) {
    let sheet = page.sheet(name);
    let width = name.is_drawn().then(|| browser::follow_width(id(name)));
    follow_at_rest(REST_MS, move || {
        if !wanted() {
            if sheet.blocks.with_untracked(Option::is_some) {
                sheet.blocks.set(None);
            }
            return None;
        }
        let shown = page.answered()?;
        // What costs another search waits for the charts: the last question's stands until then.
        if name == Name::Sure && page.comparison.busy.get() {
            return None;
        }
        let state = sheet.state.get();
        let width = width.map_or(0, |width| width.get());
        if name.is_drawn() && width == 0 {
            return None;
        }
        Some(Box::new(move || {
            let task = SheetTask { name, question: to_value(&shown.question), width, state };
            desk::order(page, Task::Sheet(task), deliver);
        }))
    });
}

/// Takes a sheet from the worker.
pub(super) fn deliver(page: Page, found: Value) {
    if let Some(Written { name, blocks, more }) = compact::read(found) {
        let sheet = page.sheet(name);
        sheet.more.set(more);
        sheet.blocks.set(Some(Arc::new(blocks)));
    }
}

fn id(name: Name) -> String {
    format!("sheet-{}", name.word())
}

/// Where a sheet stands.
pub(super) fn host(page: Page, name: Name) -> AnyView {
    let sheet = page.sheet(name);
    let blocks = Box::new(move || sheet.blocks.get().filter(|_| !page.no_worker.get()));
    put(id(name), Host { page, name: Some(name), state: sheet.state }, blocks)
}

/// What gives the blocks of the moment.
type Shows = Box<dyn Fn() -> Option<Arc<Value>>>;

/// An element that shows blocks, and does what is pressed in it.
pub(super) fn show(page: Page, id: String, blocks: Shows, state: State) -> AnyView {
    put(id, Host { page, name: None, state }, blocks)
}

fn put(id: String, at: Host, blocks: Shows) -> AnyView {
    let own = id.clone();
    let mut drawn = None;
    follow(move || {
        let blocks = blocks();
        // What draws them comes with the rest of the page.
        at.page.broken.track();
        if let Some(host) = browser::element(&own) {
            fill(&host, &mut drawn, blocks.as_deref(), at);
        }
    });
    let more = move || at.name.is_some_and(|name| at.page.sheet(name).more.get()).then_some("true");
    view! { <div class="sheet" id=id aria-busy=more></div> }
}

/// What stands in a sheet for as long as it is kept.
type Drawn = UnmountHandle<<AnyView as Render>::State>;

/// Puts blocks in the place of those that were there. What is focused, typed and unfolded stays so.
fn fill(host: &Element, drawn: &mut Option<Drawn>, blocks: Option<&Value>, at: Host) {
    let Some(document) = host.owner_document() else {
        return;
    };
    let before = document
        .active_element()
        .filter(|active| host.contains(Some(active)) && !active.id().is_empty());
    let open = unfolded(host);
    drop(drawn.take());
    let Some(blocks) = blocks else { return };
    let view = rest::sheet(at, blocks);
    *drawn = Some(mount_to(host.clone().unchecked_into(), move || view));
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
