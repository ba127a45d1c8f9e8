//! What a kind of workload tells the search of its plans.

use super::super::accept::{Accept, Verdict};
use super::super::candidate::Candidate;
use super::super::choices::{Away, Variant};
use super::super::space::{Family, Group, Held, Pass};
use shardwise_question::plan::{Layout, Plan, Recompute};

/// How plans of one kind of workload are timed and held.
pub(crate) trait Task {
    /// Seconds that a step takes at least whose optimizer steps take `update` and more, with attention over `length`
    /// tokens; passes forward alone take `waits` times as long as their work, for the pipeline.
    fn least(&self, layout: &Layout, update: f64, length: f64, waits: f64) -> f64;

    /// Passes over an optimizer step's batch in a step, at most.
    fn passes(&self) -> f64;

    /// The plainest plan of a pass.
    fn plain(&self, asked: &Asked<'_>) -> Plain;

    /// Seconds that a plan takes at least which differs from the plainest in recomputation and offload; `None` for
    /// `away` stands for any.
    fn bound(&self, plain: &Plain, layout: &Layout, away: Option<Away>) -> f64;

    /// GiB that every plan lacks at least, whatever training holds; zero where some may fit.
    fn least_short(&self) -> f64 {
        0.0
    }

    /// GiB that every plan of a group takes at least.
    fn floor(&self, group: &Group, layout: &Layout) -> f64;

    /// What a plan holds.
    fn held(&self, asked: &Asked<'_>) -> Held;

    /// GiB that every completion of a plan takes at least.
    fn least_gib(&self, held: &Held) -> f64;

    /// The fastest completion that fits and is accepted; `None` where there is none, or none before `enough` seconds.
    fn best(&self, asked: &Asked<'_>, held: &Held, seconds: Option<f64>) -> Option<Candidate>;

    /// Whether it is known, before anything of it is computed, that no plan of a pass is accepted.
    fn is_refused(&self, _asked: &Asked<'_>) -> bool {
        false
    }

    /// Some completion that is accepted, or why none is.
    fn any(&self, asked: &Asked<'_>) -> Result<Plan, Verdict>;

    /// The completion with the smallest shortfall.
    fn closest(&self, asked: &Asked<'_>, held: &Held) -> Option<Candidate>;
}

/// A plan to complete.
pub(crate) struct Asked<'a> {
    pub(crate) family: &'a Family,
    pub(crate) group: &'a Group,
    pub(crate) pass: &'a Pass,
    pub(crate) layout: Layout,
    pub(crate) accept: Accept<'a>,
    /// Seconds from which on it is of no interest.
    pub(crate) enough: f64,
}

/// A pass of a group, `place` among its passes.
pub(super) struct InPass<'a> {
    pub(super) family: &'a Family,
    pub(super) group: &'a Group,
    pub(super) pass: &'a Pass,
    pub(super) place: usize,
}

impl<'a> InPass<'a> {
    pub(super) fn asked<'b>(&self, variant: &Variant, accept: Accept<'b>, enough: f64) -> Asked<'b>
    where
        'a: 'b,
    {
        Asked {
            family: self.family,
            group: self.group,
            pass: self.pass,
            layout: self.group.layout(self.pass, variant),
            accept,
            enough,
        }
    }
}

/// Times of a pass's plainest plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    pub(crate) recompute: Recompute,
    pub(crate) away: Away,
    /// Of training.
    pub(crate) seconds: f64,
    /// Of them, those that offload changes.
    pub(crate) update: f64,
}
