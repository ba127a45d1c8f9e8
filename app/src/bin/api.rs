//! The core for JavaScript, texts in and texts out: `scripts/pack-npm` packs it, `app/npm` says it in objects.

use shardwise_core::interface::{self, Function};
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Answers a question.
#[wasm_bindgen]
pub fn estimate(question: &str, options: &str) -> String {
    interface::ask(Function::Estimate, question, options)
}

/// Searches the best plans or offers of a question.
#[wasm_bindgen]
pub fn search(question: &str, options: &str) -> String {
    interface::ask(Function::Search, question, options)
}

/// Writes the texts to paste of a question.
#[wasm_bindgen]
pub fn flags(question: &str, options: &str) -> String {
    interface::ask(Function::Flags, question, options)
}

/// Reads the texts of one run back into a question.
#[wasm_bindgen]
pub fn read(texts: Vec<String>, options: &str) -> String {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    interface::read_texts(&texts, options)
}

/// A table of the catalog, a row a line.
#[wasm_bindgen]
pub fn catalog(table: &str) -> String {
    interface::look_up(table)
}
