//! Plans that take long to find: the worker looks for them, so that the page never stands still.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::search::chosen::takes_long;
use shardwise_core::wire::to_value;
use shardwise_core::{Evaluated, InputError, Question, permalink};

use super::desk;
use crate::follow::follow;
use crate::page::Page;
use crate::protocol::{Outcome, Task};

/// How many outcomes are kept: a question's with the factors of a run, and without.
const KEPT: usize = 2;

thread_local! {
    /// What was asked last: links with outcomes, as the worker sent them.
    static KNOWN: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };

    static AWAITED: Cell<bool> = const { Cell::new(false) };
}

/// Whether what was asked last waits for the worker.
pub(crate) fn are_awaited() -> bool {
    AWAITED.get()
}

/// Whether the worker is asked for the plans of a question.
pub(crate) fn are_far(page: Page, question: &Question) -> bool {
    // Work that was put off may begin after the page is gone.
    page.no_worker.try_get_untracked() == Some(false) && takes_long(question)
}

/// Answers a question, without advice; `None` while the worker looks for its plan, after which the page answers again.
pub(crate) fn evaluate(page: Page, question: &Question) -> Option<Result<Evaluated, InputError>> {
    AWAITED.set(false);
    if !are_far(page, question) {
        return Some(shardwise_core::evaluate_alone(question));
    }
    let link = permalink::to_hash(question);
    let known = KNOWN.with_borrow(|all| {
        let own = all.iter().find(|known| known[0] == *link);
        own.map(|known| known[1].clone())
    });
    if known.is_none() {
        AWAITED.set(true);
        desk::open(page.no_worker);
        let question = to_value(question);
        desk::order(page, Task::Choose { question, link }, deliver);
    }
    known.map(|found| Outcome::from_value(found)?.answer())
}

fn deliver(page: Page, found: Value) {
    KNOWN.with_borrow_mut(|all| {
        all.truncate(KEPT - 1);
        all.insert(0, found);
    });
    page.answer_again();
}

/// Answers here what a worker had in hand that is no longer there.
pub(crate) fn start(page: Page) {
    follow(move || {
        if page.no_worker.get() {
            page.answer_again();
        }
    });
}
