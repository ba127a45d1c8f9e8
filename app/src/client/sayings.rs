//! Sentences of the core in Chinese, which the worker knows: the page asks for those that it shows.

use std::cell::RefCell;

use leptos::prelude::*;
use serde_json::Value;

use super::desk;
use crate::browser;
use crate::page::Page;
use crate::protocol::{Task, compact};

/// How many sentences are kept: more than a page shows at a time.
const KEPT: usize = 200;

thread_local! {
    /// Sentences that are shown and not yet said.
    static WANTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Asks for a sentence, together with the others that this change of the page shows.
pub(crate) fn want(page: Page, english: &str) {
    let first = WANTED.with_borrow_mut(|wanted| {
        if wanted.iter().any(|known| known == english) {
            return false;
        }
        wanted.push(english.to_owned());
        true
    });
    if first {
        browser::soon(move || order(page));
    }
}

fn order(page: Page) {
    let texts = WANTED.with_borrow(Clone::clone);
    if !texts.is_empty() {
        // An embed has no other reason to start the worker.
        if page.embedded {
            desk::open(page.no_worker);
        }
        desk::order(page, Task::Say { texts }, deliver);
    }
}

/// Takes what the worker says: in the order of what is wanted, of which more may have come since.
fn deliver(page: Page, found: Value) {
    let Some(said) = compact::read::<Vec<String>>(found) else {
        return;
    };
    let english = WANTED.with_borrow_mut(|wanted| {
        let most = said.len().min(wanted.len());
        wanted.drain(..most).collect::<Vec<String>>()
    });
    page.said.update(|known| {
        known.extend(english.into_iter().zip(said));
        let more = known.len().saturating_sub(KEPT);
        known.drain(..more);
    });
    order(page);
}
