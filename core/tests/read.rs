//! The way back: what is emitted is read as the same question, real spellings are understood, and no text
//! breaks the reader.

mod chinese;
mod hostile;
mod improve;
mod linked;
mod migrate;
mod rented;
mod round_trip;
mod rules;
mod shapes;
mod shell;
mod texts;

use std::collections::BTreeSet;

use serde_json::Value;
use shardwise_core::read::{Reading, read};
use shardwise_core::{Question, belonging};

use crate::said::said;

/// Reads texts that must be readable.
#[track_caller]
fn reading_of(texts: &[String], base: Option<&Question>) -> Reading {
    let whole = texts.join("\n");
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let reading = read(&texts, base).unwrap_or_else(|trouble| panic!("{trouble}\n{whole}"));
    for sentence in sentences(&reading) {
        said(sentence);
    }
    belonging::check(&reading.question).unwrap_or_else(|error| panic!("{error}\n{whole}"));
    reading
}

/// Reads one text that must be readable.
#[track_caller]
fn reading(text: &str) -> Reading {
    reading_of(&[text.to_owned()], None)
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
    all.chain(refused).chain(notes).map(String::as_str).collect()
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
