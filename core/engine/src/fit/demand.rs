//! What must hold for a plan to run.

use crate::memory::{Lengths, PhaseMemory};
use shardwise_catalog::spread::{Quantile, Spread};

/// One of the things that must hold for a plan to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// A phase of the step, [`ENGINE`] or [`HOST`].
    pub phase: &'static str,
    /// GiB needed for certain.
    pub fixed_gib: f64,
    /// GiB that are estimated, with lengths as the question has them.
    pub estimated_gib: f64,
    /// GiB that are estimated, with every sequence as long as any may be.
    pub longest_gib: f64,
    /// GiB that there are.
    pub capacity_gib: f64,
    /// How far off such estimates are.
    pub spread: Spread,
}

/// The demand of an engine on its own share of the card.
pub const ENGINE: &str = "engine";
/// The demand on a node's host memory.
pub const HOST: &str = "host";

impl Demand {
    pub(crate) fn of_phase(phase: &'static str, memory: &PhaseMemory, capacity_gib: f64, spread: Spread) -> Self {
        let (fixed_gib, estimated_gib) = memory.terms(Lengths::Expected);
        Self { phase, fixed_gib, estimated_gib, longest_gib: memory.terms(Lengths::Longest).1, capacity_gib, spread }
    }

    pub(super) fn estimated(&self, lengths: Lengths) -> f64 {
        match lengths {
            Lengths::Expected => self.estimated_gib,
            Lengths::Longest => self.longest_gib,
        }
    }

    /// GiB needed as estimated.
    #[must_use]
    pub fn needed_gib(&self, lengths: Lengths) -> f64 {
        self.fixed_gib + self.estimated(lengths)
    }

    /// GiB that suffice with the probability of `confidence`.
    #[must_use]
    pub fn sure_gib(&self, lengths: Lengths, confidence: Quantile) -> f64 {
        self.fixed_gib + self.estimated(lengths) * self.spread.at(confidence)
    }

    /// GiB that are missing for that; below zero what is to spare.
    pub(super) fn missing_gib(&self, lengths: Lengths, confidence: Quantile) -> f64 {
        self.sure_gib(lengths, confidence) - self.capacity_gib
    }

    /// Probability that what there is suffices.
    #[must_use]
    pub fn probability(&self, lengths: Lengths) -> f64 {
        let estimated = self.estimated(lengths);
        let left = self.capacity_gib - self.fixed_gib;
        if estimated > 0.0 { self.spread.probability(left / estimated) } else { f64::from(u8::from(left >= 0.0)) }
    }
}
