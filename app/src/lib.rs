//! The page of Shardwise: a form, the answer of `shardwise-core`, charts and flags.
//!
//! The page calculates nothing about training. It reads the form into a question, hands it to the
//! core, and draws what comes back.
#![cfg_attr(test, allow(clippy::panic, reason = "a test says what it did not find"))]

mod browser;
mod busy;
pub mod charts;
mod client;
mod compute;
mod fit;
mod focus;
mod follow;
pub mod form;
pub mod format;
mod look;
mod page;
mod parts;
mod protocol;
pub mod recent;
pub mod runs;
mod sample;
mod sheets;
mod text;
mod texts;
mod tree;
mod view;
mod words;
pub mod worker;

use browser::soon;
use leptos::mount::mount_to_body;
use leptos::prelude::*;

pub use view::{Loader, Rest};

/// The calculator, of which what the first answer does not need comes by `rest`.
#[component]
pub fn App(
    /// Gives it: at once, or when it is loaded.
    rest: Loader,
) -> impl IntoView {
    view::page(rest)
}

/// What the first answer does not need. Whoever names this has it in its own file.
#[must_use]
pub fn rest() -> Rest {
    view::rest()
}

/// The page that says how right the calculator is: a program of its own, so that nobody downloads it before asking.
#[component]
pub fn Accuracy() -> impl IntoView {
    view::accuracy::whole()
}

/// Starts the calculator: in tasks of their own, so that none takes long. `rest` gives what the first answer does not need.
pub fn calculator(rest: Loader) {
    soon(move || {
        page::preset_links();
        soon(move || mount_to_body(move || view! { <App rest/> }));
    });
}

/// Starts the accuracy page.
pub fn accuracy() {
    view::accuracy::start();
}
