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

use std::cell::Cell;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use shardwise_core::read::{Reading, read};

/// Runs `check` on random cases and prints how many. `SHARDWISE_FUZZ_CASES` says how many there are over all tests
/// (`make test-fuzz`), of which this one takes `share` in a thousand; without it there are `usual`.
fn fuzz<S: Strategy>(
    name: &str,
    usual: u32,
    share: u64,
    cases: &S,
    check: impl Fn(S::Value),
) -> u64 {
    let wanted = match std::env::var("SHARDWISE_FUZZ_CASES") {
        Ok(total) => {
            let total: u64 = total.parse().expect("SHARDWISE_FUZZ_CASES is a number");
            u32::try_from((total * share).div_ceil(1000)).expect("at most 2^32 cases")
        }
        Err(_) => usual,
    };
    let mut runner = TestRunner::new(Config {
        cases: wanted,
        failure_persistence: None,
        ..Config::default()
    });
    let done = Cell::new(0);
    let result = runner.run(cases, |case| {
        done.set(done.get() + 1);
        check(case);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{name}: {error}");
    }
    println!("{name}: {} cases", done.get());
    done.get()
}

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
