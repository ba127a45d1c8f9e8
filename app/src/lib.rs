//! The page of Shardwise: a form, the answer of `shardwise-core`, charts and flags.
//!
//! The page calculates nothing about training. It reads the form into a question, hands it to the
//! core, and draws what comes back.
#![cfg_attr(test, allow(clippy::panic, reason = "a test says what it did not find"))]

#[macro_use]
mod worded;

mod browser;
mod busy;
mod charts;
mod client;
mod clusters;
mod compute;
mod fit;
mod focus;
mod follow;
mod form;
mod format;
mod languages;
mod look;
mod money;
mod page;
mod parts;
mod prices;
mod protocol;
mod recent;
mod runs;
mod sample;
mod sheets;
mod text;
mod texts;
mod view;
mod words;
pub mod worker;

use browser::soon;
use leptos::mount::mount_to_body;
use leptos::prelude::*;

pub use client::desk::Engine;
pub use languages::{Fetch, chinese};
pub use view::{Loader, Rest};

/// The calculator, of which what the first answer does not need comes by `rest`.
#[component]
pub fn App(
    /// Gives it: at once, or when it is loaded.
    rest: Loader,
    /// Answers in the page where no worker can.
    engine: Engine,
) -> impl IntoView {
    view::page(rest, engine)
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

/// Starts the calculator. `rest` gives what the first answer does not need, `engine` answers where no worker can.
pub fn calculator(rest: Loader, engine: Engine) {
    // In a task of its own, so that none takes long.
    soon(move || mount_to_body(move || view! { <App rest engine/> }));
}

/// Starts the accuracy page.
pub fn accuracy() {
    view::accuracy::start();
}
