//! What the core says in Chinese: of every sentence that a test comes across.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use shardwise_core::wire::Language;
use shardwise_core::words::{self, Words};

/// What was said before: tests come across the same sentences again and again.
static BEFORE: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// The words of Chinese.
pub(crate) fn chinese() -> &'static Words {
    words::of(Language::Zh).unwrap()
}

/// Says a finished text of the core in Chinese. Nothing English may be left, and no heading of one word.
#[track_caller]
pub(crate) fn said(english: &str) -> String {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = before.get(english) {
        return known.clone();
    }
    let text = chinese().say(english);
    let shown = text.as_deref().unwrap_or(english);
    assert_eq!(chinese().left(english), 0, "{english}\n{shown}");
    let heading = english.starts_with(|c: char| c.is_ascii_uppercase())
        && english.len() > 2
        && english.bytes().skip(1).all(|b| b.is_ascii_lowercase());
    assert!(!heading || text.is_some(), "{english}");
    before.insert(english.to_owned(), shown.to_owned());
    shown.to_owned()
}
