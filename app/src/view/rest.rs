//! What the first answer does not need, which is a file of its own: it is on its way while form and verdict are built.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use leptos::task::spawn_local;
use serde_json::Value;

use super::blocks::host::Host;
use crate::busy::Work;
use crate::view::prelude::*;

/// A part of the page.
type View = fn(Page) -> AnyView;

/// The parts that are named nowhere else, so that they can be cut out of the program.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    pub(super) embed: View,
    /// What to do with the answer.
    pub(super) acting: View,
    /// What is closed until it is asked for.
    pub(super) folds: View,
    /// A price sheet of one's own.
    pub(super) prices: View,
    /// What ends the page.
    pub(super) closing: View,
    /// What the worker wrote.
    pub(super) sheet: fn(Host, &Value) -> AnyView,
}

/// What gives the rest, wherever it is; nothing where it cannot be had.
pub type Loader = fn() -> Pin<Box<dyn Future<Output = Option<Rest>>>>;

thread_local! {
    static REST: Cell<Option<Rest>> = const { Cell::new(None) };
}

/// A part of the rest; nothing before that is there.
pub(super) fn of(which: fn(&Rest) -> View) -> View {
    match REST.get() {
        Some(rest) => which(&rest),
        None => |_| ().into_any(),
    }
}

/// What the worker wrote, as it is shown; nothing before the rest is there.
pub(super) fn sheet(host: Host, found: &Value) -> AnyView {
    match REST.get() {
        Some(rest) => (rest.sheet)(host, found),
        None => ().into_any(),
    }
}

/// Asks for the rest, for whoever needs it later.
pub(super) fn ask(loader: Loader) {
    spawn_local(async move {
        let _ = loader().await;
    });
}

/// Goes on once the rest is there, or marks the page as broken.
pub(super) fn load(page: Page, loader: Loader, then: impl FnOnce() + 'static) {
    if REST.get().is_some() {
        return then();
    }
    let work = Work::begin();
    spawn_local(async move {
        let rest = loader().await;
        REST.set(rest);
        page.broken.set(rest.is_none());
        if rest.is_some() {
            then();
        } else {
            browser::take_over();
        }
        drop(work);
    });
}

/// Says that the rest did not load, where it did not.
#[component]
pub(super) fn Broken(page: Page) -> impl IntoView {
    move || {
        page.broken.get().then(|| {
            view! {
                <p class="callout callout-bad banner" role="alert" id="broken">
                    <span>{page.text().broken}</span>
                    <button class="btn btn-s" type="button" on:click=|_| browser::reload()>{page.text().retry}</button>
                </p>
            }
        })
    }
}
