//! Plans that take long to find: the worker looks for them, so that the page never stands still.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;
use serde_json::{Value, json};
use shardwise_core::search::chosen::takes_long;
use shardwise_core::wire::{question_from_value, to_value};
use shardwise_core::{Evaluated, InputError, Question, permalink};

use super::{Task, desk};
use crate::follow::follow;
use crate::page::Page;

/// How many outcomes are kept: a question's with the factors of a run, and without.
const KEPT: usize = 2;

/// What the worker found for a question.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The question with its best plan stated.
    pub(crate) decided: Question,
    /// Whether all plans were considered.
    pub(crate) complete: bool,
    /// Legal plans among which it is the best.
    pub(crate) considered: u64,
    /// Those whose time or memory had to be computed.
    pub(crate) evaluated: u64,
}

impl Outcome {
    /// As it travels.
    pub(crate) fn to_value(outcome: Result<Self, InputError>) -> Value {
        match outcome {
            Ok(own) => json!({
                "decided": to_value(&own.decided), "complete": own.complete,
                "considered": own.considered, "evaluated": own.evaluated,
            }),
            Err(error) => json!({"field": error.field, "message": error.message}),
        }
    }

    /// The way back.
    pub(crate) fn from_value(mut value: Value) -> Result<Self, InputError> {
        let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let count = |key: &str| value[key].as_u64().unwrap_or_default();
        if value["decided"].is_null() {
            return Err(InputError::new(word("field"), word("message")));
        }
        Ok(Self {
            complete: value["complete"] == true,
            considered: count("considered"),
            evaluated: count("evaluated"),
            decided: question_from_value(value["decided"].take())?,
        })
    }

    /// The answer, without advice.
    pub(crate) fn answer(&self) -> Result<Evaluated, InputError> {
        let found = shardwise_core::evaluate_alone(&self.decided)?;
        Ok(found.considering(self.complete))
    }
}

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
    !page.no_worker.get_untracked() && takes_long(question)
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
