//! What a search keeps of what it finds.

use super::candidate::{AS_FAST, Candidate};
use super::starts::{STARTS, starts};

/// The best of what was offered, the fastest first.
#[derive(Debug)]
pub(super) struct Top {
    keep: usize,
    near: Near,
    /// Seconds from which on a plan has no place but among the first `keep`.
    beyond: f64,
    pub(super) best: Vec<Candidate>,
}

/// What is kept beside the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Near {
    /// Nothing.
    Nothing,
    /// What is as fast as the fastest.
    AsFast,
    /// That, and from what steps begin that takes at most so many times as long as the fastest.
    Starts(f64),
}

impl Top {
    /// For the best `keep`, and what is `near` the first.
    pub(super) fn new(keep: usize, near: Near) -> Self {
        Self { keep: keep.max(1), near, beyond: f64::INFINITY, best: Vec::new() }
    }

    /// Seconds from which on a plan that fits is of no interest; none while there are places left.
    pub(super) fn enough(&self) -> Option<f64> {
        let last = self.last().filter(|last| last.fits())?;
        Some(last.seconds.max(self.beyond))
    }

    /// GiB of shortfall from which on a plan is of no interest; none while there are places left.
    pub(super) fn nearest(&self) -> Option<f64> {
        self.last().map(|last| last.shortfall_gib)
    }

    /// The last that has a place; none while there are places left.
    pub(super) fn last(&self) -> Option<&Candidate> {
        self.best.get(self.keep - 1)
    }

    pub(super) fn offer(&mut self, candidate: Candidate) {
        let at = self.best.partition_point(|known| known.order(&candidate).is_le());
        if at >= self.keep && !self.is_beside(&candidate) {
            return;
        }
        self.best.insert(at, candidate);
        self.beyond = self.seconds_beside();
        while self.best.len() > self.keep && !self.best.last().is_some_and(|last| self.is_beside(last)) {
            self.best.pop();
        }
    }

    /// Whether a plan is kept beside the best.
    fn is_beside(&self, own: &Candidate) -> bool {
        let least = self.best.first().map_or(f64::INFINITY, |first| first.shortfall_gib);
        self.near != Near::Nothing && own.shortfall_gib <= least && own.seconds <= self.beyond
    }

    /// See [`Self::beyond`].
    fn seconds_beside(&self) -> f64 {
        let Some(first) = self.best.first() else {
            return f64::INFINITY;
        };
        match self.near {
            Near::Nothing => first.seconds,
            Near::AsFast => first.seconds * AS_FAST,
            Near::Starts(times) => {
                let all = first.seconds * times;
                let last = starts(&self.best).nth(STARTS - 1).map_or(all, |last| last.seconds);
                last.min(all).max(first.seconds * AS_FAST)
            }
        }
    }
}
