//! How far estimates of training's memory are off, by kind of run: each source is predicted from the others.
//!
//! What is fitted on: every run of `training.jsonl` with a memory figure that no `memory_doubt` keeps out. What is
//! fitted: a [`Spread`] for each [`MemoryKind`], of what was needed over what was estimated, where at least [`LEAST_GIB`] were. Its
//! scale is the runs' mean deviation, which a few runs far off move least (Huber 1981, Robust Statistics, section 1.1) and which is
//! that of Student's distribution with four degrees of freedom at a scale of 1. A source counts as [`ROWS`] runs at most: its runs are off alike. Variances are
//! `1 + 1/sources` times those of the runs, as a mean of so few sources is itself off
//! (Student's predictive distribution; compare Geisser 1993, Predictive Inference, section 2.3).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;
use shardwise_core::context::Context;
use shardwise_core::coverage::{COVERED_SHARE, MemoryKind};
use shardwise_core::efficiency::Efficiency;
use shardwise_core::spread::Spread;
use shardwise_core::{Evaluated, evaluate_with, fit, step};

use crate::report::Errors;
use crate::runs::Run;

/// Estimates below this are as much the allocator's and the driver's as the formulas'.
const LEAST_GIB: f64 = 1.0;

/// As many runs as a source counts at most.
const ROWS: f64 = 15.0;

/// What no spread is narrower than: some figures are published to two digits.
const ROUNDING: f64 = 0.04;

/// Less than this share of the estimate is not what was needed: the figure is less than the weights alone.
const LEAST_SHARE: f64 = 0.05;

/// Kinds in the order of the file, and what they are called there.
const KINDS: [(MemoryKind, &str); 5] = [
    (MemoryKind::Megatron, "megatron"),
    (MemoryKind::Fsdp, "fsdp"),
    (MemoryKind::Other, "other"),
    (MemoryKind::Adapters, "adapters"),
    (MemoryKind::Hybrid, "hybrid"),
];

/// A run's measured memory beside its estimate.
#[derive(Clone, Debug)]
pub(crate) struct Peak {
    kind: MemoryKind,
    group: String,
    architecture: String,
    /// GiB of the figure that are as large as the plan says.
    certain: f64,
    /// GiB that are estimated.
    estimated: f64,
    /// Logarithm of what was needed of the latter over the estimate.
    log: f64,
}

/// The spread of a kind, and what it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    pub(crate) kind: &'static str,
    pub(crate) spread: Spread,
    pub(crate) sources: usize,
    pub(crate) runs: usize,
}

/// How often a probability came true.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Decile {
    from: f64,
    to: f64,
    /// Probability with which a run's peak is to lie below its quantile at `to`, its source left out.
    predicted: f64,
    /// Share of the runs whose measured peak does.
    observed: f64,
    /// Runs between the quantiles at `from` and `to`.
    rows: usize,
}

/// How often a peak fits the smallest card on which it was as sure to as is asked.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Sure {
    asked: f64,
    /// Share of the runs, each without its source.
    held: f64,
    rows: usize,
}

/// Measured memory of all runs.
pub(crate) struct Memory {
    /// By run, in order; none where there is no figure that counts.
    peaks: Vec<Option<Peak>>,
}

/// Logarithms by source.
type Sources<'a> = BTreeMap<&'a str, Vec<f64>>;

fn peak(run: &Run, efficiency: &Efficiency) -> Option<Peak> {
    let measured = run.memory_gib.filter(|_| run.memory_doubt.is_none())?;
    let Evaluated { job, plan, answer, .. } = evaluate_with(&run.question, efficiency).ok()?;
    let context = Context::with(&job, efficiency);
    let step = step::evaluate(&context, &plan);
    let (certain, estimated, _) = fit::peak(&context, &plan, &step);
    // What allocator and driver add to the figure that was read, and of it what is as much an estimate as the peak.
    let added = run.predicted_gib(&answer) - answer.memory.peak_gib;
    let idle = step
        .memories
        .iter()
        .map(|(_, memory)| memory.idle_gib)
        .fold(0.0, f64::max)
        .min(added);
    let (certain, estimated) = (certain + added - idle, estimated + idle);
    let needed = (measured - certain).max(LEAST_SHARE * estimated);
    Some(Peak {
        kind: MemoryKind::of(&job, &plan.layout),
        group: run.group.clone(),
        architecture: efficiency.architecture(&job.hardware).name.to_string(),
        certain,
        estimated,
        log: (needed / estimated).ln(),
    })
}

/// What holds half of the weight, of values in order.
fn median(rows: &[(f64, f64)]) -> f64 {
    let total: f64 = rows.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    for (value, weight) in rows {
        below += weight;
        if below >= 0.5 * total {
            return *value;
        }
    }
    0.0
}

/// The spread of what further sources of this kind will need.
fn spread(sources: &Sources<'_>) -> Spread {
    let mut rows: Vec<(f64, f64)> = sources
        .values()
        .flat_map(|logs| {
            let weight = ROWS.min(logs.len() as f64) / logs.len() as f64;
            logs.iter().map(move |log| (*log, weight))
        })
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median = median(&rows);
    let side = |sign: f64| {
        let own = rows.iter().filter(|(log, _)| sign * (log - median) >= 0.0);
        let weight: f64 = own.clone().map(|(_, weight)| weight).sum();
        let mean = own.map(|(log, weight)| weight * (log - median).abs()).sum::<f64>() / weight;
        let more = 1.0 + 1.0 / sources.len() as f64;
        (more * mean * mean + ROUNDING * ROUNDING).sqrt()
    };
    let digits = |value: f64| (value * 1e3).round() / 1e3;
    Spread { median: digits(median), above: digits(side(1.0)), below: digits(side(-1.0)) }
}

/// Kinds that stand in where fewer than two sources measured one.
fn alike(kind: MemoryKind) -> &'static [MemoryKind] {
    match kind {
        MemoryKind::Megatron => &[MemoryKind::Megatron],
        // Compiled blocks are off otherwise than the eager code of the others.
        MemoryKind::Fsdp => &[MemoryKind::Fsdp],
        MemoryKind::Other => &[MemoryKind::Fsdp, MemoryKind::Other],
        MemoryKind::Adapters | MemoryKind::Hybrid => &MemoryKind::ALL,
    }
}

impl Memory {
    pub(crate) fn of(runs: &[Run], efficiency: &Efficiency) -> Self {
        let peaks = runs.iter().map(|run| peak(run, efficiency)).collect();
        Self { peaks }
    }

    /// Runs that spreads are fitted on.
    fn counted(&self) -> impl Iterator<Item = &Peak> {
        self.peaks.iter().flatten().filter(|peak| peak.estimated >= LEAST_GIB)
    }

    fn sources(&self, kinds: &[MemoryKind], without: Option<&str>) -> Sources<'_> {
        let mut found = Sources::new();
        for peak in self.counted() {
            if kinds.contains(&peak.kind) && without != Some(&peak.group) {
                found.entry(&peak.group).or_default().push(peak.log);
            }
        }
        found
    }

    /// What the spread of a kind rests on, without a source.
    fn basis(&self, kind: MemoryKind, without: Option<&str>) -> Sources<'_> {
        let own = self.sources(&[kind], without);
        if own.len() >= 2 { own } else { self.sources(alike(kind), without) }
    }

    /// The spread of each kind.
    pub(crate) fn fitted(&self) -> Vec<Fitted> {
        let of = |(kind, name): (MemoryKind, &'static str)| {
            let own = self.sources(&[kind], None);
            Fitted {
                kind: name,
                spread: spread(&self.basis(kind, None)),
                sources: own.len(),
                runs: own.values().map(Vec::len).sum(),
            }
        };
        KINDS.into_iter().map(of).collect()
    }

    /// Architectures on which memory was measured.
    pub(crate) fn architectures(&self) -> BTreeSet<&str> {
        self.counted().map(|peak| peak.architecture.as_str()).collect()
    }

    /// The range that is to hold [`COVERED_SHARE`] of such figures, in GiB, from the other sources.
    pub(crate) fn interval(&self, place: usize) -> Option<[f64; 2]> {
        let peak = self.peaks[place].as_ref()?;
        let spread = spread(&self.basis(peak.kind, Some(&peak.group)));
        let at = |share: f64| peak.certain + peak.estimated * spread.factor(share);
        Some([0.5 * (1.0 - COVERED_SHARE), 0.5 * (1.0 + COVERED_SHARE)].map(at))
    }

    /// Of each run the probability that such a run needs no more than it did, from the other sources.
    fn probabilities(&self) -> Vec<f64> {
        let of = |peak: &Peak| spread(&self.basis(peak.kind, Some(&peak.group))).probability(peak.log.exp());
        self.counted().map(of).collect()
    }

    /// How often a run fits a card that is just large enough to be as sure as a person may ask.
    pub(crate) fn sure(&self) -> Vec<Sure> {
        let found = self.probabilities();
        let of = |asked: f64| {
            let held = found.iter().filter(|own| **own <= asked).count() as f64 / found.len().max(1) as f64;
            Sure { asked, held: (held * 1e4).round() / 1e4, rows: found.len() }
        };
        [0.8, 0.9, 0.95, 0.99].into_iter().map(of).collect()
    }

    /// What a run's memory is off alike with.
    pub(crate) fn kind(&self, place: usize) -> Option<MemoryKind> {
        self.peaks[place].as_ref().map(|peak| peak.kind)
    }

    /// How often probabilities come true: of each run the probability that such a run needs no more than it did, from
    /// the other sources. Those are evenly spread where probabilities are right (Dawid 1984, doi:10.2307/2981683).
    pub(crate) fn reliability(&self) -> Vec<Decile> {
        let found = self.probabilities();
        let below = |share: f64| found.iter().filter(|own| **own <= share).count();
        let decile = |at: u32| {
            let [from, to] = [at, at + 1].map(|at| f64::from(at) / 10.0);
            // The first decile holds what is at 0 exactly.
            let less = if at == 0 { 0 } else { below(from) };
            let observed = below(to) as f64 / found.len().max(1) as f64;
            Decile { from, to, predicted: to, observed: (observed * 1e4).round() / 1e4, rows: below(to) - less }
        };
        (0..10).map(decile).collect()
    }

    /// For a person.
    pub(crate) fn summary(&self, runs: &[Run]) -> String {
        let mut errors = Errors::default();
        for (run, peak) in runs.iter().zip(&self.peaks) {
            let error = |own: &Peak| {
                let measured = own.certain + own.estimated * own.log.exp();
                ((own.certain + own.estimated) / measured).ln()
            };
            errors.0.extend(peak.as_ref().filter(|_| run.memory_headline()).map(error));
        }
        let mut out = format!(
            "Memory: {} headline runs, median {:.1} %, p90 {:.1} %; needed over estimated, in logarithms\n",
            errors.0.len(),
            100.0 * errors.at(0.5),
            100.0 * errors.at(0.9)
        );
        for own in self.fitted() {
            let Spread { median, above, below } = own.spread;
            let _ = writeln!(
                out,
                "  {:<10}{:>3} sources {:>4} runs: median {median:+.3}, above {above:.3}, below {below:.3}",
                own.kind, own.sources, own.runs
            );
        }
        out.push_str(
            "  share of runs below the quantile that their left-out source gives, less the quantile, in points:",
        );
        for own in self.reliability() {
            let _ = write!(out, " {:.1}:{:+.1}", own.to, 100.0 * (own.observed - own.predicted));
        }
        out.push('\n');
        out
    }
}
