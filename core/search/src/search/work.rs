//! What a search may cost.

use std::cell::Cell;

/// Evaluations that one question may cost on one machine: a tenth of a second, or two for plans of many stages.
pub(super) const WORK: u64 = 100_000;

/// What a search may cost: plans whose time or memory is computed. It is counted, not timed, so that an answer is the same
/// on every machine.
#[derive(Debug)]
pub(super) struct Work {
    most: u64,
    left: Cell<u64>,
    /// Whether there was none left when some was asked for.
    ended: Cell<bool>,
    done: Cell<u64>,
}

impl Work {
    /// So many evaluations.
    pub(super) fn of(evaluations: u64) -> Self {
        Self { most: evaluations, left: Cell::new(evaluations), ended: Cell::new(false), done: Cell::new(0) }
    }

    /// Whether it is what a question by itself may cost, not one offer among many.
    pub(super) fn is_whole(&self) -> bool {
        self.most >= WORK
    }

    /// As many again: another search begins.
    pub(super) fn renew(&self) {
        self.left.set(self.most);
        self.ended.set(false);
    }

    /// So many more at least: what was found is looked at from near, however long finding it took.
    pub(super) fn grant(&self, evaluations: u64) {
        self.left.set(self.left.get().max(evaluations));
    }

    /// A third of all at least.
    pub(super) fn grant_part(&self) {
        self.grant(self.most / 3);
    }

    /// Counts an evaluation.
    pub(super) fn count(&self) {
        self.left.set(self.left.get().saturating_sub(1));
        self.done.set(self.done.get() + 1);
    }

    /// Whether there is none left.
    pub(super) fn is_over(&self) -> bool {
        let over = self.left.get() == 0;
        self.ended.set(self.ended.get() || over);
        over
    }

    /// Whether it ever was.
    pub(super) fn ended(&self) -> bool {
        self.ended.get()
    }

    /// Evaluations so far.
    pub(super) fn done(&self) -> u64 {
        self.done.get()
    }
}
