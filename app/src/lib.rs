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

/// The calculator.
#[component]
pub fn App() -> impl IntoView {
    view::page()
}

/// The page that says how right the calculator is: a program of its own, so that nobody downloads it before asking.
#[component]
pub fn Accuracy() -> impl IntoView {
    view::accuracy()
}

/// Starts the calculator: in tasks of their own, so that none takes long.
pub fn calculator() {
    soon(|| {
        page::preset_links();
        soon(|| mount_to_body(App));
    });
}

/// Starts the accuracy page.
pub fn accuracy() {
    soon(|| {
        mount_to_body(Accuracy);
        browser::take_over();
        browser::ready();
    });
}
