//! Which of the parts that fold are open: kept in this browser, from one visit to the next.

use leptos::prelude::*;

use crate::browser;

/// The words of the open ones, in the storage.
const KEPT: &str = "shardwise-open";

/// A part of the page that folds. Its word names it in addresses: `#memory` opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// Who rents out the question's GPUs.
    Offers,
    /// How long the run is, when it is done, what it writes.
    Run,
    /// Every GPU type by its time and its cost.
    Front,
    /// The same work on more GPUs.
    Scaling,
    /// Where memory goes.
    Memory,
    /// Where time goes.
    Time,
    /// Other plans.
    Plans,
    /// What each single change is worth.
    Sensitivity,
    /// What is taken for granted.
    Caveats,
    /// A run of one's own beside the estimate.
    Calibrate,
}

impl Fold {
    /// Every one, in the order of the page.
    pub(crate) const ALL: [Self; 10] = [
        Self::Offers,
        Self::Run,
        Self::Front,
        Self::Scaling,
        Self::Memory,
        Self::Time,
        Self::Plans,
        Self::Sensitivity,
        Self::Caveats,
        Self::Calibrate,
    ];

    /// Those that a printed page has open whatever the screen has: what the worker would have to write comes too late.
    pub(crate) const ON_PAPER: [Self; 3] = [Self::Memory, Self::Time, Self::Caveats];

    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Offers => "offers",
            Self::Front => "front",
            Self::Scaling => "scaling",
            Self::Run => "run",
            Self::Memory => "memory",
            Self::Time => "time",
            Self::Plans => "plans",
            Self::Sensitivity => "sensitivity",
            Self::Caveats => "caveats",
            Self::Calibrate => "calibrate",
        }
    }

    /// The part that a word names.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fold| fold.word() == word)
    }
}

/// Which are open. A handle: copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Folds {
    open: [RwSignal<bool>; Fold::ALL.len()],
    // What a frame opens is no wish for the next visit.
    keep: bool,
}

impl Folds {
    /// As they were left at the last visit.
    pub(crate) fn kept(embedded: bool) -> Self {
        let kept = browser::stored(KEPT).filter(|_| !embedded).unwrap_or_default();
        let is_open = |fold: Fold| kept.split(' ').any(|word| word == fold.word());
        Self { open: Fold::ALL.map(|fold| RwSignal::new(is_open(fold))), keep: !embedded }
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
        let closed: Vec<Fold> = Fold::ON_PAPER.into_iter().filter(closed).collect();
        self.turn(&closed, true);
        closed
    }

    /// Opens or closes some for a while: nothing of that is kept.
    pub(crate) fn turn(self, folds: &[Fold], open: bool) {
        for fold in folds {
            self.is_open(*fold).set(open);
        }
    }
}
