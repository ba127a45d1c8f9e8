//! The way back: what is emitted is read as the same question, real spellings are understood, and no text
//! breaks the reader.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

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

use serde_json::Value;
use shardwise_core::read::{Reading, read};

use fuzz::fuzz;

/// Reads one text that must be readable.
#[track_caller]
fn reading(text: &str) -> Reading {
    read(&[text], None).unwrap_or_else(|trouble| panic!("{trouble}\n{text}"))
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
