//! Whether work is under way: the root element says `data-busy` as long as there is any.
//!
//! Whoever waits for the page, such as its tests, waits for that to go, and need not guess how long the machine takes.
//! Work is what will change the page by itself: tasks that were put off, what waits for a pause in typing, what the
//! worker has in hand. What waits for a person, and a mark that goes away after a while, is none.

use std::cell::{Cell, RefCell};

use crate::browser::document::set_root;

/// The attribute of the root element.
const SAID: &str = "data-busy";

thread_local! {
    /// How many pieces of work are under way.
    static OPEN: Cell<usize> = const { Cell::new(0) };

    /// What is done once there is none.
    static LATER: RefCell<Vec<Box<dyn FnOnce()>>> = const { RefCell::new(Vec::new()) };
}

/// Does `act` once no work is under way.
pub(crate) fn at_rest(act: impl FnOnce() + 'static) {
    let act: Box<dyn FnOnce()> = Box::new(act);
    if OPEN.get() == 0 { act() } else { LATER.with_borrow_mut(|later| later.push(act)) }
}

/// A piece of work, under way until it is dropped.
#[must_use = "the work ends where it is dropped"]
pub(crate) struct Work(());

impl Work {
    /// Begins a piece of work.
    pub(crate) fn begin() -> Self {
        if OPEN.replace(OPEN.get() + 1) == 0 {
            set_root(SAID, Some(""));
        }
        Self(())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        OPEN.set(OPEN.get() - 1);
        if OPEN.get() == 0 {
            set_root(SAID, None);
            for act in LATER.take() {
                act();
            }
        }
    }
}
