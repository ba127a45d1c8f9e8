//! Closures without a type of their own.
//!
//! Leptos compiles its machinery anew for the type of every closure in a view. Behind these
//! functions all closures of a kind share one type: without them the download grows by a third.

use std::sync::{Arc, Mutex};

use leptos::ev;
use leptos::prelude::*;

/// A closure of a view or an attribute that runs again as what it reads changes.
pub(super) type Live<T> = Arc<Mutex<dyn FnMut() -> T + Send>>;

/// A value that follows what it reads.
pub(super) fn live<T>(value: impl FnMut() -> T + Send + 'static) -> Live<T> {
    Arc::new(Mutex::new(value))
}

/// A part of the page that follows what it reads.
pub(super) fn part<V: IntoAny>(mut view: impl FnMut() -> V + Send + 'static) -> AnyView {
    live(move || view().into_any()).into_any()
}

/// What a press does.
pub(super) fn press(act: impl Fn() + 'static) -> Box<dyn FnMut(ev::MouseEvent)> {
    Box::new(move |_| act())
}

/// The same of a link that leads nowhere by itself.
pub(super) fn press_link(act: impl Fn() + 'static) -> Box<dyn FnMut(ev::MouseEvent)> {
    Box::new(move |event| {
        event.prevent_default();
        act();
    })
}

/// What a new value of an input does.
pub(super) fn typed(act: impl Fn(String) + 'static) -> Box<dyn FnMut(ev::Event)> {
    Box::new(move |event| act(event_target_value(&event)))
}

/// What a box that is ticked or cleared does.
pub(super) fn ticked(act: impl Fn(bool) + 'static) -> Box<dyn FnMut(ev::Event)> {
    Box::new(move |event| act(event_target_checked(&event)))
}
