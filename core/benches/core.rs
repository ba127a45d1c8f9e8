//! How long the core takes, as one program: `make bench`, or `cargo bench -p shardwise-core --bench core -- estimate/` for a
//! part of it (`-- --test` runs each once).
#![allow(clippy::too_many_lines, reason = "texts of many shapes are a list")]
#![allow(missing_docs, reason = "criterion's macros")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod estimate;
mod questions;
mod read;
mod search;

use criterion::criterion_main;

/// Of cases that differ in size alone: all where times are taken, and the first to see that it still works.
fn asked<T>(cases: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let timed = std::env::args().any(|argument| argument == "--bench");
    cases.take(if timed { usize::MAX } else { 1 })
}

criterion_main!(estimate::benches, search::benches, read::benches);
