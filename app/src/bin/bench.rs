//! The search in the browser, for `e2e/bench/search.mjs` to time: `make bench-wasm`. No part of the site.
#![allow(clippy::panic, reason = "the questions are ours")]

#[path = "../../../core/benches/questions.rs"]
mod questions;

use questions::{TIMED, every_gpu};
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// What a question is called; nothing after the last.
#[wasm_bindgen]
pub fn name(index: usize) -> Option<String> {
    TIMED.get(index).map(|timed| timed.name.to_owned())
}

/// What its search may take, in milliseconds.
#[wasm_bindgen]
pub fn target_ms(index: usize) -> f64 {
    TIMED[index].targets_ms[1]
}

/// Searches every GPU type; the plans considered.
#[wasm_bindgen]
pub fn run(index: usize) -> f64 {
    every_gpu(&TIMED[index].question()).0 as f64
}
