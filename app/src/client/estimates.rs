//! The answers to what the form asks: the engine finds them, and the last ones are kept.

use std::cell::RefCell;

use serde_json::Value;

use super::desk;
use crate::page::Page;
use crate::page::asking::Asked;
use crate::protocol::estimate::{Asking, Estimate};
use crate::protocol::{Task, compact};

/// How many answers are kept: a question's with the factors of a run, and without.
const KEPT: usize = 2;

thread_local! {
    /// The last answers.
    static KNOWN: RefCell<Vec<(Asking, Estimate)>> = const { RefCell::new(Vec::new()) };

    /// What waits for its answer.
    static AWAITED: RefCell<Option<Asked>> = const { RefCell::new(None) };
}

/// Whether what was asked last waits for its answer.
pub(crate) fn are_awaited() -> bool {
    awaited(|_| ()).is_some()
}

/// What waits for its answer, or a part of it.
pub(crate) fn awaited<T>(part: fn(&Asked) -> T) -> Option<T> {
    AWAITED.with_borrow(|asked| asked.as_ref().map(part))
}

/// Nothing that was asked is wanted any more.
pub(crate) fn forget() {
    AWAITED.take();
}

/// Asks the engine, unless the answer is known: the page takes it at once or once it is there.
pub(crate) fn ask(page: Page, asked: Asked) {
    AWAITED.take();
    let known = KNOWN.with_borrow(|all| {
        let own = all.iter().find(|(asking, _)| asking.is(&asked.asking));
        own.map(|(_, estimate)| estimate.clone())
    });
    if let Some(estimate) = known {
        return page.take(asked, estimate);
    }
    let task = Task::Estimate(Box::new(asked.asking.clone()));
    AWAITED.set(Some(asked));
    desk::order(page, task, deliver);
}

fn deliver(page: Page, found: Value) {
    let Some(asked) = AWAITED.take() else { return };
    let answered = found.pointer("/answered/Ok").cloned();
    let Some(estimate) = compact::read::<Estimate>(found) else { return };
    // With the factors of a run it is another question.
    if let Some(answered) = answered.filter(|_| !asked.asking.calibrates) {
        desk::order(page, Task::Known { question: asked.asking.question.clone(), answered }, |_, _| ());
    }
    KNOWN.with_borrow_mut(|all| {
        all.truncate(KEPT - 1);
        all.insert(0, (asked.asking.clone(), estimate.clone()));
    });
    page.take(asked, estimate);
}
