//! A deadline and a budget: every GPU type with several numbers of GPUs, and which of them keep both.

use super::measures::{Measures, measures, sort};
use super::sweep::{Sweep, Tried};
use shardwise_catalog::catalog;
use shardwise_question::market::around;
use shardwise_question::wire::{FitState, HardwareSpec, Question};

/// What a run may take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Hours.
    pub hours: Option<f64>,
    /// Dollars.
    pub usd: Option<f64>,
}

impl Limits {
    /// By what share of a limit a run is beyond it, of two the larger; 0 where it keeps them. What has no run or no price
    /// keeps no limit of it.
    fn beyond(&self, own: &Measures) -> f64 {
        let over = |limit: Option<f64>, value: Option<f64>| match (limit, value) {
            (None, _) => 0.0,
            (Some(_), None) => f64::MAX,
            (Some(limit), Some(value)) => (value / limit - 1.0).max(0.0),
        };
        let hours = over(self.hours, own.run.map(|(hours, _)| hours));
        hours.max(over(self.usd, own.run.and_then(|(_, usd)| usd)))
    }
}

/// A place of the offers that fit, and how it stands to the limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Place in the offers.
    pub place: usize,
    /// Whether it keeps the limits.
    pub keeps: bool,
    /// Whether it is as sure to fit as asked.
    pub sure: bool,
}

/// The offers that fit: those that keep the limits first, the surest of them before the others, each by dollars, or by time
/// where `fastest`; then those beyond, the nearest first.
///
/// ```
/// use shardwise_core::{search::{sweep::Sweep, within::{Limits, held}}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "tokens": 1e9}}"#).unwrap();
/// let offers = Sweep::new(&question, &[], &[8, 16]).all();
/// let hours = offers[0].result.as_ref().unwrap().answer.run.unwrap().hours;
/// let limits = Limits { hours: Some(hours * 0.9), usd: None };
/// let held = held(&offers, limits, false);
/// assert_eq!(held.iter().map(|own| (own.place, own.keeps)).collect::<Vec<_>>(), [(1, true), (0, false)]);
/// ```
#[must_use]
pub fn held(offers: &[Tried], limits: Limits, fastest: bool) -> Vec<Held> {
    let mut found: Vec<(Held, Measures)> = Vec::new();
    for (place, offer) in offers.iter().enumerate() {
        let Ok(own) = &offer.result else { continue };
        if own.answer.fits {
            let measures = measures(own);
            let keeps = limits.beyond(&measures) <= 0.0;
            found.push((Held { place, keeps, sure: own.answer.fit.state == FitState::Fits }, measures));
        }
    }
    sort(&mut found, &|a, b| {
        let beyond = limits.beyond(&a.1).total_cmp(&limits.beyond(&b.1));
        let order = beyond.then(b.0.sure.cmp(&a.0.sure));
        order.then_with(|| if fastest { a.1.by_time(&b.1) } else { a.1.by_cost(&b.1) })
    });
    found.into_iter().map(|(held, _)| held).collect()
}

/// How many times the question's number of GPUs is tried at most, and what part of it at least.
const MORE: u64 = 4;
const LESS: u64 = 16;
/// So many GPUs are tried at least.
const USUAL: u64 = 32;
/// GPUs where a question names no number, and in most machines.
const NODE: u64 = 8;

/// Numbers of GPUs that are tried for a deadline or a budget: the question's own, half and twice it and so on, powers of
/// two, and whole nodes halfway between those.
///
/// ```
/// use shardwise_core::{search::within::counts, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 12},
///     "workload": {"kind": "sft"}}"#).unwrap();
/// assert_eq!(counts(&question), [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]);
/// ```
#[must_use]
pub fn counts(question: &Question) -> Vec<u64> {
    let own = asked(question);
    let most = own.saturating_mul(MORE).max(USUAL);
    let least = (own / LESS).max(1);
    let powers = (0..63).map(|power| 1 << power);
    let nodes = (0..60).map(|power| (3 * NODE) << power);
    let doubled = (0..=2).map(|power| own.saturating_mul(1 << power));
    let halved = (1..=4).filter(|power| own.is_multiple_of(1 << power)).map(|power| own >> power);
    let all = powers.chain(nodes).chain(doubled).chain(halved);
    let mut counts: Vec<u64> = all.filter(|count| (least..=most).contains(count)).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

fn asked(question: &Question) -> u64 {
    question.hardware.gpus.unwrap_or(NODE).max(1)
}

/// The question on every GPU type with each of [`counts`], of a market every machine that it has: its own type first, the
/// numbers of GPUs by how near they are to its own; then those that multiply most, and most for a dollar, in turns, so that the
/// best are mostly found early.
///
/// ```
/// use shardwise_core::{search::within::{counts, every}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 8},
///     "workload": {"kind": "sft"}}"#).unwrap();
/// let sweep = every(&question);
/// let own = |place: usize| sweep.hardware(place).unwrap().gpu == "h200-sxm";
/// assert!(own(0) && own(counts(&question).len() - 1) && !own(counts(&question).len()));
/// assert_eq!(sweep.hardware(0), Some(&question.hardware));
/// ```
#[must_use]
pub fn every(question: &Question) -> Sweep {
    let own = asked(question);
    let mut counts = counts(question);
    let steps = |count: u64| (count.max(own) / count.min(own), count < own);
    counts.sort_by_key(|count| steps(*count));
    let with = |hardware: &HardwareSpec, count: u64| HardwareSpec {
        gpus: if count == own { question.hardware.gpus } else { Some(count) },
        ..hardware.clone()
    };
    let mut all: Vec<HardwareSpec> = counts.iter().map(|count| with(&question.hardware, *count)).collect();
    let market = around(&question.hardware);
    let others: Vec<HardwareSpec> = catalog::gpus()
        .iter()
        .filter(|gpu| question.hardware.gpu != gpu.id)
        .map(|gpu| HardwareSpec { gpu: gpu.id.into(), market: market.clone(), ..HardwareSpec::default() })
        .collect();
    all.extend(counts.iter().flat_map(|count| others.iter().map(|other| with(other, *count))));
    Sweep::of(question, all).by_offer().by_promise()
}
