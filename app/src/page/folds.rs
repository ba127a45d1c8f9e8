//! Which of the parts that fold are open: kept in this browser, from one visit to the next.

use leptos::prelude::*;

use crate::browser;

/// The words of the open ones, in the storage.
const KEPT: &str = "shardwise-open";

worded! {
    /// A part of the page that folds. Its word names it in addresses: `#memory` opens it.
    enum Fold {
        /// Who rents out the question's GPUs.
        Offers = "offers",
        /// How long the run is, when it is done, what it writes.
        Run = "run",
        /// Every GPU type by its time and its cost.
        Front = "front",
        /// The same work on more GPUs.
        Scaling = "scaling",
        /// Where memory goes.
        Memory = "memory",
        /// Where time goes.
        Time = "time",
        /// Other plans.
        Plans = "plans",
        /// What each single change is worth.
        Sensitivity = "sensitivity",
        /// What is taken for granted.
        Caveats = "caveats",
        /// A run of one's own beside the estimate.
        Calibrate = "calibrate",
    }
}

/// Those that a printed page has open whatever the screen has, without what the worker would have to write: that comes too late.
const ON_PAPER: [Fold; 4] = [Fold::Offers, Fold::Memory, Fold::Time, Fold::Caveats];

/// Which are open. A handle: copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Folds {
    open: [RwSignal<bool>; Fold::COUNT],
    /// Whether what opens does so for the printer.
    pub(crate) on_paper: RwSignal<bool>,
    // What a frame opens is no wish for the next visit.
    keep: bool,
}

impl Folds {
    /// As they were left at the last visit.
    pub(crate) fn kept(embedded: bool) -> Self {
        let kept = browser::stored(KEPT).filter(|_| !embedded).unwrap_or_default();
        let is_open = |fold: Fold| kept.split(' ').any(|word| word == fold.word());
        let open = Fold::ALL.map(|fold| RwSignal::new(is_open(fold)));
        Self { open, on_paper: RwSignal::new(false), keep: !embedded }
    }

    /// Whether one is open.
    pub(crate) fn is_open(self, fold: Fold) -> RwSignal<bool> {
        self.open[fold as usize]
    }

    /// Opens or closes one, and keeps that.
    pub(crate) fn set(self, fold: Fold, open: bool) {
        let signal = self.is_open(fold);
        if signal.get_untracked() == open {
            return;
        }
        signal.set(open);
        if self.keep {
            let open = Fold::ALL.into_iter().filter(|fold| self.is_open(*fold).get_untracked());
            let words: Vec<&str> = open.map(Fold::word).collect();
            browser::store(KEPT, &words.join(" "));
        }
    }

    /// Opens what a printed page has open, and says what was closed.
    pub(crate) fn open_for_print(self) -> Vec<Fold> {
        let closed = |fold: &Fold| !self.is_open(*fold).get_untracked();
        let closed: Vec<Fold> = ON_PAPER.into_iter().filter(closed).collect();
        self.print(&closed, true);
        closed
    }

    /// Opens some for the printer, or closes them after it: nothing of that is kept.
    pub(crate) fn print(self, folds: &[Fold], open: bool) {
        self.on_paper.set(open);
        for fold in folds {
            self.is_open(*fold).set(open);
        }
    }
}
