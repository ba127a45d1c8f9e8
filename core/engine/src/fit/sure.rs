//! What estimates are multiplied by.

use crate::coverage::{self, MemoryKind};
use shardwise_catalog::spread::{Quantile, Spread};
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;

/// How far off model states are, which are arithmetic: published runs of which they are the most are within 3 %
/// (SimuMax's and BLOOM's, core/tests/data/training.jsonl). A mean deviation, as of a normal's standard deviation of 0.03.
pub(crate) const STATES: Spread = Spread::even(0.024);

/// How far off an engine's working memory is: graphs and buffers are assumed (`rollout::workspace`).
pub(crate) const WORKSPACE: Spread = Spread::even(0.2);

/// How far off the estimate of host memory may be: assumed, as no published run states it by part.
pub(crate) const HOST_MEMORY: Spread = Spread::even(0.12);

/// What estimates are multiplied by so that they suffice as surely as a question asks: of each [`Spread`] its quantile,
/// taken once for many plans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sure {
    /// Of how sure the question asks to be.
    pub confidence: Quantile,
    /// How far off what training holds may be, by [`MemoryKind`].
    spreads: [Spread; MemoryKind::ALL.len()],
    training: [f64; MemoryKind::ALL.len()],
    /// Of states that share the card with an engine.
    pub(crate) states: f64,
    /// Of an engine's working memory.
    pub(crate) workspace: f64,
    /// Of host memory.
    pub(crate) host: f64,
}

impl Sure {
    /// Of a job.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        let confidence = Quantile::of(job.confidence);
        let at = |spread: Spread| spread.at(confidence);
        let spreads = coverage::memory_spreads(job);
        Self {
            confidence,
            spreads,
            training: spreads.map(at),
            states: at(STATES),
            workspace: at(WORKSPACE),
            host: at(HOST_MEMORY),
        }
    }

    /// How far off what a layout's training holds may be.
    #[must_use]
    pub fn spread(&self, job: &Job, layout: &Layout) -> Spread {
        self.spreads[MemoryKind::of(job, layout) as usize]
    }

    /// Of what a layout's training holds.
    #[must_use]
    pub fn training(&self, job: &Job, layout: &Layout) -> f64 {
        self.training[MemoryKind::of(job, layout) as usize]
    }
}
