//! Failures: how often, and what they cost.

use super::saving::Times;

/// Mean hours between two failures of a job: failures come at random and each ends the job, so that those of its `gpus`,
/// one every `gpu_hours`, and of its `instances`, `interruptions` an hour, add up (Kokolis et al. 2024, arXiv:2410.21680:
/// MTTF by the number of nodes). Nothing where neither is counted.
///
/// Large jobs keep to it: 6.50 failures of a node of eight in a thousand days come to 1.8 hours on 16,384 GPUs and 0.23 on
/// 131,072, as projected there. Jobs of 1,024 failed after 7.9 hours and not 28.8, more for what their users did.
///
/// ```
/// use shardwise_core::run::failures::mtbf;
/// let rsc = Some(8.0 * 24.0 * 1000.0 / 6.50);
/// let hours = |gpus: f64| mtbf(rsc, gpus, 0.0, gpus / 8.0).unwrap();
/// assert!((hours(16_384.0) - 1.8).abs() < 0.01 && (hours(131_072.0) - 0.23).abs() < 0.01);
/// assert_eq!(mtbf(None, 16.0, 0.05, 2.0), Some(10.0));
/// ```
#[must_use]
pub fn mtbf(gpu_hours: Option<f64>, gpus: f64, interruptions: f64, instances: f64) -> Option<f64> {
    let failing = gpu_hours.map_or(0.0, |hours| gpus / hours);
    let rate = failing + instances * interruptions;
    (rate > 0.0).then(|| 1.0 / rate)
}

/// Work between two checkpoints that costs the least time where each takes `pause` and failures come every `mtbf`, all in the
/// same unit (Daly 2006, A higher order estimate of the optimum checkpoint interval for restart dumps, doi:10.1016/j.future.2004.11.016):
/// `√(2δM) (1 + √(δ ÷ 2M) ÷ 3 + (δ ÷ 2M) ÷ 9) − δ`, and `M` where `δ ≥ 2M`. Its first term is Young's (1974).
///
/// ```
/// use shardwise_core::run::failures::best_interval;
/// // Figures 3 to 5 there: checkpoints of five minutes; failures every 24 hours, 6 hours, 15 minutes.
/// assert_eq!(best_interval(5.0, 24.0 * 60.0).round(), 117.0);
/// assert_eq!(best_interval(5.0, 6.0 * 60.0).round(), 57.0);
/// assert_eq!((best_interval(5.0, 15.0) * 10.0).round(), 91.0);
/// ```
#[must_use]
pub fn best_interval(pause: f64, mtbf: f64) -> f64 {
    let half = pause / (2.0 * mtbf);
    if half >= 1.0 {
        return mtbf;
    }
    (2.0 * pause * mtbf).sqrt() * (1.0 + half.sqrt() / 3.0 + half / 9.0) - pause
}

/// The equal parts of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempts {
    /// How many: as many as there are checkpoints.
    pub parts: f64,
    /// Seconds of work of one.
    pub work: f64,
    /// Seconds in which training waits for its checkpoint.
    pub pause: f64,
}

impl Attempts {
    /// Seconds of one without a failure.
    fn whole(&self) -> f64 {
        self.work + self.pause
    }
}

/// How a job fails, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failing {
    /// Mean time between two failures.
    pub mtbf: f64,
    /// From a failure to where the last checkpoint is loaded.
    pub restart: f64,
    /// Work that is done again beside what was done since the last checkpoint.
    pub redone: f64,
}

impl Failing {
    /// Expected seconds of a run in equal parts (Daly 2006, A higher order estimate of the optimum checkpoint interval for
    /// restart dumps, doi:10.1016/j.future.2004.11.016): `M e^(R ÷ M) (e^((τ + δ) ÷ M) − 1) N`. Failures come at random, `M` apart on
    /// average; a part of work `τ` and checkpoint `δ` is begun anew after each, and a restart, too.
    ///
    /// ```
    /// use shardwise_core::run::failures::{Attempts, Failing};
    /// let own = Failing { mtbf: 6.0, restart: 1.0 / 6.0, redone: 0.0 };
    /// let run = |parts: f64| own.expected(&Attempts { parts, work: 500.0 / parts, pause: 1.0 / 12.0 });
    /// // 500 hours in parts of 57 minutes; longer and shorter ones take longer (figure 4 there).
    /// assert!(run(526.0) > 500.0 && run(526.0) < run(400.0) && run(526.0) < run(700.0));
    /// ```
    #[must_use]
    pub fn expected(&self, own: &Attempts) -> f64 {
        own.parts * own.whole() + self.lost(own) + self.restarts(own)
    }

    /// Expected seconds of work that failures lose: `N (M (e^(s ÷ M) − 1) − s)` where a part lasts `s = τ + δ`, and what is
    /// redone after each. Close to half a part for each failure (Young 1974, A first order approximation to the optimum
    /// checkpoint interval, CACM 17).
    #[must_use]
    pub fn lost(&self, own: &Attempts) -> f64 {
        let x = own.whole() / self.mtbf;
        // The difference of two numbers that are nearly the same.
        let beyond = if x < 1e-4 { x * x * (0.5 + x / 6.0) } else { libm::expm1(x) - x };
        own.parts * self.mtbf * beyond + self.after(own) * self.share(self.redone)
    }

    /// Expected seconds of restarts: `N M (e^(s ÷ M) − 1) (e^(R ÷ M) − 1)`, by which one that fails is begun anew.
    #[must_use]
    pub fn restarts(&self, own: &Attempts) -> f64 {
        self.after(own) * self.share(self.restart)
    }

    /// Seconds from failures to where the work stood at them.
    fn after(&self, own: &Attempts) -> f64 {
        if self.restart + self.redone == 0.0 {
            return 0.0;
        }
        let trying = own.parts * self.mtbf * libm::expm1(own.whole() / self.mtbf);
        trying * libm::expm1((self.restart + self.redone) / self.mtbf)
    }

    /// What `seconds` are of all that a failure costs beside the part that it ends.
    fn share(&self, seconds: f64) -> f64 {
        let all = self.restart + self.redone;
        if all > 0.0 { seconds / all } else { 0.0 }
    }

    /// The number of parts, from one to `most`, that costs the least time: what Daly's interval is the estimate of. The time
    /// is convex in it, so that the first number that the next is no better than is the best.
    #[must_use]
    pub fn best_parts(&self, work: f64, most: f64, times: &Times) -> f64 {
        let seconds = |parts: f64| self.expected(&times.cut(work, parts));
        let (mut low, mut high) = (1.0, most.max(1.0));
        while low < high {
            let middle = libm::floor((low + high) / 2.0);
            let (this, next) = (seconds(middle), seconds(middle + 1.0));
            // Where both are beyond all numbers, more parts are better.
            if this.is_finite() && next >= this {
                high = middle;
            } else {
                low = middle + 1.0;
            }
        }
        low
    }
}
