//! How plans rank.

use std::cmp::Ordering;

use super::simple;
use shardwise_catalog::ordered::insert;
use shardwise_engine::context::Context;
use shardwise_engine::fit;
use shardwise_engine::step;
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::FitState;

/// Among plans that take at most so many times as long as the fastest, the simplest is chosen: an estimate is not that
/// good, and a person has to run it.
pub(crate) const AS_FAST: f64 = 1.015;

/// A plan and how it ranks.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    /// Seconds of a step.
    pub seconds: f64,
    /// GiB that are missing for it to fit as surely as asked, however long its sequences get; 0 where none are. Host memory's
    /// are weighed as the card's ([`fit::missing_gib`]). Of a
    /// plan that is proposed or listed those are added that are missing with lengths as the question has them.
    pub shortfall_gib: f64,
    /// By how much less likely than asked it is to fit, with lengths as the question has them: of a plan that is proposed or
    /// listed and does not fit, else 0.
    pub(super) unlikely: f64,
    /// Seconds for each chance that it fits, of such a plan that rather fits than not; else 0.
    pub(super) per_chance: f64,
    pub(super) points: u32,
    place: u32,
}

/// GiB that are missing: less than a rounding is none.
pub(super) fn rounded(shortfall_gib: f64) -> f64 {
    if shortfall_gib < 1e-6 { 0.0 } else { shortfall_gib }
}

impl Candidate {
    /// A plan that takes `seconds`, and `shortfall_gib` more than there is.
    pub(super) fn new(job: &Job, plan: &Plan, seconds: f64, shortfall_gib: f64, place: u32) -> Self {
        let shortfall_gib = rounded(shortfall_gib);
        let points = simple::points(job, plan);
        Self { plan: *plan, seconds, shortfall_gib, unlikely: 0.0, per_chance: 0.0, points, place }
    }

    /// A plan as it stands, as far as it lacks.
    pub(super) fn of(context: &Context<'_>, plan: &Plan) -> Self {
        let step = step::evaluate(context, plan);
        let missing = fit::missing_gib(context, plan, &step);
        Self::new(context.job, plan, step.seconds, missing, 0).closer(context)
    }

    /// It, where it does not fit, as far as it lacks: what fits but for the longest sequences comes before what never does. See
    /// [`Self::order`] for what does not fit so either.
    pub(super) fn closer(self, context: &Context<'_>) -> Self {
        if self.fits() {
            return self;
        }
        let expected = fit::expected_shortfall(context, &self.plan);
        self.lacking(context.job.confidence, expected)
    }

    /// It, which does not fit, with the GiB that it lacks with lengths as the question has them, and by how much less likely than
    /// asked it then fits.
    pub(super) fn lacking(self, confidence: f64, (short, unlikely): (f64, f64)) -> Self {
        let probability = confidence - unlikely;
        let tight = unlikely > 0.0 && FitState::of(probability, confidence) == FitState::Tight;
        let per_chance = if tight { self.seconds / probability } else { 0.0 };
        Self { shortfall_gib: self.shortfall_gib + short, unlikely, per_chance, ..self }
    }

    /// Whether it is less sure to fit than asked, but rather fits than not.
    pub(super) fn is_tight(&self) -> bool {
        self.per_chance > 0.0
    }

    /// Whether the plan fits as surely as asked, however long its sequences get.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.shortfall_gib <= 0.0
    }

    /// Whether this plan ranks before another: what fits, then what is faster.
    #[must_use]
    pub fn beats(&self, other: &Self) -> bool {
        self.order(other).is_lt()
    }

    /// What fits; then what does but for the longest sequences, what rather fits than not, and what rather does not. Of those that
    /// rather fit the one that takes the fewest seconds for each chance that it fits: who tries a plan that does not loses minutes,
    /// who takes one for some points of probability that is six times as slow pays for it in every step. At most twice as slow is so
    /// what is as sure as can be. Of those that rather do not the likelier one. Then the smallest shortfall, seconds, simplicity, and the
    /// order in which plans are listed.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let unlikely = match (self.fits(), other.fits()) {
            (false, false) => (self.class().cmp(&other.class()))
                .then(self.per_chance.total_cmp(&other.per_chance))
                .then_with(|| if self.is_tight() { Ordering::Equal } else { self.unlikely.total_cmp(&other.unlikely) }),
            _ => Ordering::Equal,
        };
        unlikely
            .then(self.shortfall_gib.total_cmp(&other.shortfall_gib))
            .then(self.seconds.total_cmp(&other.seconds))
            .then(self.points.cmp(&other.points))
            .then(self.place.cmp(&other.place))
    }

    /// Of a plan that does not fit: 0 where lengths are as the question has them, 1 where it rather fits than not, else 2.
    fn class(&self) -> u8 {
        match (self.unlikely > 0.0, self.is_tight()) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        }
    }

    /// Whether it is as fast as `fastest`, or nearly so, and no less sure to fit.
    pub(super) fn rivals(&self, fastest: &Self) -> bool {
        self.shortfall_gib <= fastest.shortfall_gib && self.seconds <= fastest.seconds * AS_FAST
    }
}

/// Candidates in an order: there are few.
pub(super) fn sorted(
    candidates: impl Iterator<Item = Candidate>,
    order: &dyn Fn(&Candidate, &Candidate) -> Ordering,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for own in candidates {
        insert(&mut found, own, order);
    }
    found
}
