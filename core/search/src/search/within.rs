//! A deadline and a budget: every GPU type with several numbers of GPUs, and which of them keep both.

use super::limits::{Limits, Standing};
use super::measures::{Measures, measures};
use super::sweep::{Sweep, Tried};
use shardwise_catalog::catalog;
use shardwise_catalog::ordered::sort;
use shardwise_question::market::around;
use shardwise_question::wire::{HardwareSpec, Question};

/// A place of the offers that fit, and how it stands to the limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Place in the offers.
    pub place: usize,
    /// Whether it keeps the limits, and as surely as its interval says.
    pub standing: Standing,
    /// Whether it is as sure to fit as asked.
    pub sure: bool,
}

/// The offers that fit: those that keep the limits at the slow end of their intervals, then those that keep them by the
/// estimate alone, of each the surest to fit before the others, by dollars, or by time where `fastest`; then those beyond, the
/// nearest first. [`super::measures::ranked`] ranks under a deadline or a budget alike.
///
/// ```
/// use shardwise_core::search::{limits::{Limits, Standing}, sweep::Sweep, within::held};
/// let question = shardwise_core::wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "tokens": 1e9}}"#).unwrap();
/// let offers = Sweep::new(&question, &[], &[8, 16]).all();
/// let hours = offers[0].result.as_ref().unwrap().answer.run.unwrap().hours;
/// let limits = Limits { hours: Some(hours * 0.9), usd: None };
/// let held = held(&offers, limits, false);
/// let told: Vec<_> = held.iter().map(|own| (own.place, own.standing)).collect();
/// assert_eq!(told, [(1, Standing::Keeps), (0, Standing::Beyond)]);
/// ```
#[must_use]
pub fn held(offers: &[Tried], limits: Limits, fastest: bool) -> Vec<Held> {
    let mut found: Vec<(Held, Measures)> = Vec::new();
    for (place, offer) in offers.iter().enumerate() {
        let Ok(own) = &offer.result else { continue };
        if own.answer.fits {
            let measures = measures(own);
            let held = Held { place, standing: limits.standing(&measures), sure: measures.sure };
            found.push((held, measures));
        }
    }
    sort(&mut found, &|(_, a), (_, b)| {
        let order = a.by_runs(b).then_with(|| limits.order(a, b));
        order.then_with(|| if fastest { a.by_time(b) } else { a.by_cost(b) })
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
    sort(&mut counts, &Ord::cmp);
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
    sort(&mut counts, &|a, b| steps(*a).cmp(&steps(*b)));
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
