//! What runs again as the signals that it reads change.
//!
//! Leptos compiles its machinery anew for the type of every closure. Here all have one type.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use crate::browser;

/// What is left to do once nothing changes.
pub(crate) type Rest = Box<dyn FnOnce()>;

/// Runs `act` once the page stands, and again after each change of what it read.
pub(crate) fn follow(act: impl FnMut() + 'static) {
    follow_boxed(Box::new(act));
}

#[inline(never)]
fn follow_boxed(act: Box<dyn FnMut()>) {
    Effect::new(act);
}

/// Runs `next` as [`follow`] does; what it gives is done when nothing has changed for `pause_ms` milliseconds.
pub(crate) fn follow_at_rest(pause_ms: u32, next: impl FnMut() -> Option<Rest> + 'static) {
    follow_at_rest_boxed(pause_ms, Box::new(next));
}

#[inline(never)]
fn follow_at_rest_boxed(pause_ms: u32, mut next: Box<dyn FnMut() -> Option<Rest>>) {
    // Dropping it takes back what it would have done.
    let mut pending: Option<Timeout> = None;
    follow(move || {
        drop(pending.take());
        pending = next().map(|rest| browser::after(pause_ms, rest));
    });
}
