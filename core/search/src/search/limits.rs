//! What a run may take, and how one stands to it: by its estimate, and at the slow end of its interval.

use std::cmp::Ordering;

use super::Objective;
use super::measures::Measures;

/// What a run may take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Hours.
    pub hours: Option<f64>,
    /// Dollars.
    pub usd: Option<f64>,
}

/// How a run stands to its limits, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It keeps them at the slow end of its interval, too.
    Keeps,
    /// It keeps them by its estimate, and not at the slow end.
    Close,
    /// It does not keep them, or has no run or no price to tell by.
    Beyond,
}

impl Limits {
    /// The limit that an objective has, if any.
    #[must_use]
    pub fn of(objective: Objective) -> Self {
        match objective {
            Objective::CostWithin { hours } => Self { hours: Some(hours), usd: None },
            Objective::TimeWithin { usd } => Self { hours: None, usd: Some(usd) },
            Objective::Cost | Objective::Time | Objective::Gpus => Self::default(),
        }
    }

    /// How a run stands to them.
    ///
    /// ```
    /// use shardwise_core::search::{limits::{Limits, Standing}, measures::Measures};
    /// let own = Measures { gpus: 8, seconds: 1.0, usd: None, run: Some((20.0, None)), slow: 1.3, sure: true, runs: true };
    /// let within = |hours| Limits { hours: Some(hours), usd: None }.standing(&own);
    /// assert_eq!([27.0, 24.0, 19.0].map(within), [Standing::Keeps, Standing::Close, Standing::Beyond]);
    /// ```
    #[must_use]
    pub fn standing(&self, own: &Measures) -> Standing {
        if self.beyond(own, 1.0) > 0.0 {
            Standing::Beyond
        } else if self.beyond(own, own.slow) > 0.0 {
            Standing::Close
        } else {
            Standing::Keeps
        }
    }

    /// Of two runs the one to take first, as far as limits tell: one that keeps them before one that is close, and that before
    /// one beyond, of those beyond the nearest by its estimate; then one that is as sure to fit as asked. Without limits all are
    /// alike.
    pub(super) fn order(&self, a: &Measures, b: &Measures) -> Ordering {
        if *self == Self::default() {
            return Ordering::Equal;
        }
        let standing = self.standing(a).cmp(&self.standing(b));
        let nearer = || self.beyond(a, 1.0).total_cmp(&self.beyond(b, 1.0));
        standing.then_with(nearer).then(b.sure.cmp(&a.sure))
    }

    /// Whether a run keeps them as surely as anything is asked: nothing comes before it but by cost or time.
    pub(super) fn kept_surely(&self, own: &Measures) -> bool {
        *self == Self::default() || (own.sure && self.standing(own) == Standing::Keeps)
    }

    /// By what share of a limit a run is beyond it that takes so many `times` as much, of two the larger; 0 where it keeps them.
    /// What has no run or no price keeps no limit of it.
    fn beyond(&self, own: &Measures, times: f64) -> f64 {
        let over = |limit: Option<f64>, value: Option<f64>| match (limit, value) {
            (None, _) => 0.0,
            (Some(_), None) => f64::MAX,
            (Some(limit), Some(value)) => (value * times / limit - 1.0).max(0.0),
        };
        let hours = over(self.hours, own.run.map(|(hours, _)| hours));
        hours.max(over(self.usd, own.run.and_then(|(_, usd)| usd)))
    }
}
