//! Which machine of those that were tried is best: cost against time, among GPU types and numbers of GPUs.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::Objective;
use super::limits::{Limits, Standing};
use super::sweep::{Found, Sweep, Tried};
use crate::caveats::{NETWORK_ASSUMED, somebody_runs};
use shardwise_catalog::catalog;
use shardwise_catalog::error::InputError;
use shardwise_catalog::ordered::sort;
use shardwise_engine::coverage::UNTRIED;
use shardwise_question::job::Job;
use shardwise_question::wire::{Answer, FitState, Question, WorkloadKind};

/// What an offer is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// GPUs.
    pub gpus: u32,
    /// Seconds per million tokens.
    pub seconds: f64,
    /// Dollars per million tokens; none without a price.
    pub usd: Option<f64>,
    /// Hours and dollars of the run, with what it meets beside its steps where that is asked; none where the question says
    /// nothing of how long it is, or it would hardly ever finish.
    pub run: Option<(f64, Option<f64>)>,
    /// How many times as much of all that it takes at the slow end of its interval; 1 where the measures are of that end.
    pub slow: f64,
    /// Whether it is as sure to fit as asked.
    pub sure: bool,
    /// Whether some framework runs its plan, where frameworks run such work at all.
    pub runs: bool,
}

impl Measures {
    /// The measures of an answer: of a GPU type that too few runs are on by the slow end of its interval.
    #[must_use]
    pub fn of(answer: &Answer, job: &Job) -> Self {
        let untried = slower(answer);
        let slower = untried.unwrap_or(1.0);
        let slow = answer.against_speed(1.0).filter(|_| untried.is_none());
        let run = answer.run.and_then(|run| Some((run.all_hours()?, run.all_usd())));
        Self {
            gpus: job.gpus(),
            seconds: 1e6 / answer.tokens_per_s * slower,
            usd: answer.usd_per_mtok.map(|usd| usd * slower),
            run: run.map(|(hours, usd)| (hours * slower, usd.map(|usd| usd * slower))),
            slow: slow.map_or(1.0, |[_, slow]| slow.max(1.0)),
            sure: answer.fit.state == FitState::Fits,
            runs: somebody_runs(job, answer.framework.as_ref()),
        }
    }

    /// By dollars: of the run with all that it meets beside its steps, where there is one, then of its steps.
    pub(super) fn by_cost(&self, other: &Self) -> Ordering {
        let run = |own: &Self| own.run.and_then(|(_, usd)| usd).map_or(f64::MAX, three_digits);
        let usd = |own: &Self| own.usd.map_or(f64::MAX, three_digits);
        run(self)
            .total_cmp(&run(other))
            .then(usd(self).total_cmp(&usd(other)))
            .then(self.gpus.cmp(&other.gpus))
            .then(self.seconds.total_cmp(&other.seconds))
    }

    /// By time, likewise.
    pub(super) fn by_time(&self, other: &Self) -> Ordering {
        let run = |own: &Self| own.run.map_or(f64::MAX, |(hours, _)| three_digits(hours));
        let usd = |own: &Self| own.usd.unwrap_or(f64::MAX);
        run(self)
            .total_cmp(&run(other))
            .then(three_digits(self.seconds).total_cmp(&three_digits(other.seconds)))
            .then(usd(self).total_cmp(&usd(other)))
            .then(self.gpus.cmp(&other.gpus))
    }

    /// How it stands to the objective's deadline or budget; it keeps what has none.
    #[must_use]
    pub fn standing(&self, objective: Objective) -> Standing {
        Limits::of(objective).standing(self)
    }

    /// What nobody runs is no bargain: it comes after all that somebody does.
    pub(super) fn by_runs(&self, other: &Self) -> Ordering {
        other.runs.cmp(&self.runs)
    }

    pub(super) fn order(&self, other: &Self, objective: Objective) -> Ordering {
        let limits = || Limits::of(objective).order(self, other);
        self.by_runs(other).then_with(limits).then_with(|| match objective {
            Objective::Cost | Objective::CostWithin { .. } => self.by_cost(other),
            Objective::Time | Objective::TimeWithin { .. } => self.by_time(other),
            Objective::Gpus => self.gpus.cmp(&other.gpus).then(self.by_cost(other)),
        })
    }
}

/// How many times as long as estimated a step takes at the slow end of its interval, where no published run is on the GPU
/// type, or too few are on any card of its maker; `None` of others.
///
/// ```
/// use shardwise_core::{estimate, search::measures::slower, wire};
/// let on = |gpu: &str| {
///     let text = format!(r#"{{"version": 1, "model": "qwen3-8b", "hardware": {{"gpu": "{gpu}", "gpus": 8}},
///         "workload": {{"kind": "sft", "sequence_length": 4096, "global_batch": 64}}}}"#);
///     slower(&estimate(&wire::parse_question(&text).unwrap()).unwrap())
/// };
/// assert!(on("h100-sxm").is_none() && on("metax-c500") > on("h100-pcie") && on("h100-pcie") > Some(1.2));
/// ```
#[must_use]
pub fn slower(answer: &Answer) -> Option<f64> {
    let unknown = answer.caveats.iter().any(|own| UNTRIED.contains(&&*own.id));
    let [slow, _] = answer.interval.filter(|_| unknown)?.tokens_per_s_per_gpu;
    (slow > 0.0).then(|| (answer.tokens_per_s_per_gpu / slow).max(1.0))
}

/// Whether it is on machines that nobody is known to rent out joined by a network.
#[must_use]
pub fn unjoined(answer: &Answer) -> bool {
    answer.caveats.iter().any(|own| own.id == NETWORK_ASSUMED)
}

/// What differs by less is equal: the estimate is not that good.
fn three_digits(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value;
    }
    // By steps: the logarithm's tables are more to download.
    let mut scale = 1.0;
    while value * scale < 100.0 && scale < 1e12 {
        scale *= 10.0;
    }
    while value * scale >= 1000.0 {
        scale /= 10.0;
    }
    (value * scale).round() / scale
}

/// Places of the offers that fit, best first, those of which no framework runs the plan last. Under a deadline or a budget those come
/// first that keep it at the slow end of their intervals, then those that keep it by the estimate alone, of each the surest to fit
/// before the others; those beyond follow, the nearest first.
///
/// # Errors
/// A deadline and a budget are for a whole run: `workload.run` or `workload.tokens` is needed.
///
/// ```
/// use shardwise_core::{Objective, search::{measures::ranked, sweep::Sweep}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let offers = Sweep::new(&question, &["a100-sxm-80g", "h100-sxm"], &[]).all();
/// let fastest = ranked(&offers, Objective::Time).unwrap()[0];
/// assert_eq!(offers[fastest].hardware.gpu, "h100-sxm");
/// ```
pub fn ranked(offers: &[Tried], objective: Objective) -> Result<Vec<usize>, InputError> {
    rank(fitting(offers).collect(), objective)
}

/// Places of measured offers, best first, as [`ranked`] has them.
///
/// # Errors
/// As [`ranked`].
///
/// ```
/// use shardwise_core::{Objective, search::measures::{Measures, rank}};
/// let measures = |seconds, usd| Measures { gpus: 8, seconds, usd: Some(usd), run: None, slow: 1.0, sure: true, runs: true };
/// let found = vec![(0, measures(2.0, 0.1)), (5, measures(1.0, 0.3))];
/// assert_eq!(rank(found, Objective::Time).unwrap(), [5, 0]);
/// ```
pub fn rank(mut found: Vec<(usize, Measures)>, objective: Objective) -> Result<Vec<usize>, InputError> {
    let whole = matches!(objective, Objective::CostWithin { .. } | Objective::TimeWithin { .. });
    if whole && found.iter().any(|(_, own)| own.run.is_none()) {
        return Err(InputError::new(
            "workload.run",
            "A deadline or a budget is for a whole run. Give its steps, or the examples of its data set.",
        ));
    }
    sort(&mut found, &|(_, a), (_, b)| a.order(b, objective));
    Ok(found.into_iter().map(|(place, _)| place).collect())
}

/// How an offer that fits stands to the objective's deadline or budget; it keeps what has none.
///
/// ```
/// use shardwise_core::{Objective, search::{limits::Standing, measures::standing, sweep::Sweep}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "tokens": 1e9}}"#).unwrap();
/// let offer = Sweep::new(&question, &[], &[]).at(0).unwrap();
/// let within = |hours| standing(&offer, Objective::CostWithin { hours });
/// assert_eq!([24.0, 0.1].map(within), [Standing::Keeps, Standing::Beyond]);
/// ```
#[must_use]
pub fn standing(offer: &Tried, objective: Objective) -> Standing {
    let found = offer.result.as_ref().ok().filter(|found| found.answer.fits);
    found.map_or(Standing::Beyond, |found| measures(found).standing(objective))
}

/// Places of the offers that no other beats in both cost and time, fastest first: of those whose plans some framework runs, where
/// there are any.
///
/// ```
/// use shardwise_core::{search::{measures::front, sweep::Sweep}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-1.7b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let offers = Sweep::new(&question, &[], &[4, 8]).all();
/// let gpus: Vec<_> = front(&offers).iter().map(|place| offers[*place].hardware.gpus.unwrap()).collect();
/// assert_eq!(gpus, [8, 4]);
/// ```
#[must_use]
pub fn front(offers: &[Tried]) -> Vec<usize> {
    let mut found: Vec<(usize, Measures)> = fitting(offers).filter(|(_, own)| own.usd.is_some()).collect();
    let some = found.iter().any(|(_, own)| own.runs);
    found.retain(|(_, own)| own.runs || !some);
    sort(&mut found, &|(_, a), (_, b)| {
        let seconds = a.seconds.total_cmp(&b.seconds);
        seconds.then(a.by_cost(b))
    });
    let mut cheapest = f64::MAX;
    found.retain(|(_, own)| {
        let usd = own.usd.unwrap_or(f64::MAX);
        let cheaper = usd < cheapest;
        cheapest = cheapest.min(usd);
        cheaper
    });
    found.into_iter().map(|(place, _)| place).collect()
}

fn fitting(offers: &[Tried]) -> impl Iterator<Item = (usize, Measures)> {
    offers.iter().enumerate().filter_map(|(place, offer)| {
        let found = offer.result.as_ref().ok()?;
        found.answer.fits.then(|| (place, measures(found)))
    })
}

pub(super) fn measures(found: &Found) -> Measures {
    Measures::of(&found.answer, &found.job)
}

/// What would make a question fit of which no plan does.
#[derive(Clone, Debug)]
pub struct Closing {
    /// The question's own GPU type, with the fewest GPUs with which some plan fits, tried by doubling.
    pub more: Option<Tried>,
    /// Another GPU type, the cheapest on which some plan fits with as many GPUs.
    pub other: Option<Tried>,
}

/// Doublings of the number of GPUs that are tried.
const DOUBLINGS: u32 = 7;

/// Whether an offer's best plan fits.
///
/// ```
/// use shardwise_core::{search::{measures::fits, sweep::Sweep}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-3.1-405b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 2},
///     "workload": {"kind": "sft", "sequence_length": 131072, "global_batch": 64}}"#).unwrap();
/// let offers = Sweep::new(&question, &[], &[2, 128]).all();
/// assert_eq!(offers.iter().map(fits).collect::<Vec<_>>(), [false, true]);
/// ```
#[must_use]
pub fn fits(offer: &Tried) -> bool {
    offer.result.as_ref().is_ok_and(|found| found.answer.fits)
}

/// The question's own GPU type with more GPUs, doubled again and again. `None` where no number of them would make room:
/// more GPUs share states, but more engines do not make room for one.
///
/// ```
/// use shardwise_core::{search::measures::{fits, more}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-3.1-405b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 2},
///     "workload": {"kind": "sft", "sequence_length": 131072, "global_batch": 64}}"#).unwrap();
/// let offer = more(&question).unwrap().find(fits).unwrap();
/// assert!(offer.hardware.gpus > Some(2));
/// ```
#[must_use]
pub fn more(question: &Question) -> Option<Sweep> {
    let now = question.hardware.gpus.unwrap_or(8).max(1);
    let counts: Vec<u64> = (1..=DOUBLINGS).map(|power| now.saturating_mul(1 << power)).collect();
    let shares = question.workload.kind != WorkloadKind::Rollout;
    shares.then(|| Sweep::new(question, &[], &counts))
}

/// What would make `question` fit.
///
/// ```
/// use shardwise_core::{search::measures::{closing, fits}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-3.1-405b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 2},
///     "workload": {"kind": "sft", "sequence_length": 131072, "global_batch": 64}}"#).unwrap();
/// let closing = closing(&question);
/// assert!(closing.more.as_ref().is_some_and(fits));
/// assert!(closing.other.as_ref().is_some_and(fits));
/// ```
#[must_use]
pub fn closing(question: &Question) -> Closing {
    let more = more(question).and_then(|mut sweep| sweep.find(fits));
    let own = question.hardware.gpu.as_str();
    let ids: Vec<&str> = catalog::gpus().iter().map(|gpu| gpu.id).filter(|id| own != Some(*id)).collect();
    let mut others = Sweep::new(question, &ids, &[]).listed(Objective::Cost, 1);
    let best = ranked(&others, Objective::Cost).unwrap_or_default();
    let other = best.first().map(|place| others.swap_remove(*place));
    Closing { more, other }
}
