//! The way back: what is emitted is read as the same question, real spellings are understood, and no text
//! breaks the reader.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

#[path = "read/chinese.rs"]
mod chinese;
#[path = "read/deepspeed.rs"]
mod deepspeed;
#[path = "read/hostile.rs"]
mod hostile;
#[path = "read/improve.rs"]
mod improve;
#[path = "read/linked.rs"]
mod linked;
#[path = "read/refusals.rs"]
mod refusals;
#[path = "read/round_trip.rs"]
mod round_trip;
#[path = "read/shapes.rs"]
mod shapes;
#[path = "read/shell.rs"]
mod shell;
#[path = "read/texts.rs"]
mod texts;

mod fuzz;
mod said;

use std::collections::BTreeSet;

use serde_json::Value;
use shardwise_core::read::{Reading, read};

use fuzz::fuzz;
use said::said;

/// Reads one text that must be readable.
#[track_caller]
fn reading(text: &str) -> Reading {
    let reading = read(&[text], None).unwrap_or_else(|trouble| panic!("{trouble}\n{text}"));
    for sentence in sentences(&reading) {
        said(sentence);
    }
    reading
}

/// What a report says, each sentence once.
fn sentences(reading: &Reading) -> BTreeSet<&str> {
    let assumed = reading.assumed.iter().map(|one| &one.why);
    let ignored = reading.ignored.iter().map(|one| &one.why);
    let not_modelled = reading.not_modelled.iter().map(|one| &one.why);
    let unknown = reading.unknown.iter().map(|one| &one.hint);
    let refused = reading.refused.iter().map(|one| &one.why);
    let notes = reading.notes.iter().map(|one| &one.text);
    let all = assumed.chain(ignored).chain(not_modelled).chain(unknown);
    all.chain(refused)
        .chain(notes)
        .map(String::as_str)
        .collect()
}

/// The question as JSON.
fn question(reading: &Reading) -> Value {
    serde_json::to_value(&reading.question).unwrap()
}

/// A field of the question, by its path.
#[track_caller]
fn field(reading: &Reading, path: &str) -> Value {
    question(reading)
        .pointer(&format!("/{}", path.replace('.', "/")))
        .cloned()
        .unwrap_or(Value::Null)
}
