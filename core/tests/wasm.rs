//! The recorded answers again, from WebAssembly in a real browser: the page shows what the command line prints.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::too_many_lines, reason = "a test is a list of what is tried")]
#![allow(clippy::panic)]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

#[path = "golden/cases.rs"]
mod cases;

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn answers_are_as_recorded() {
    let differences: Vec<String> = cases::CASES.iter().flat_map(cases::Case::differences).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
