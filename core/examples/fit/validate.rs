//! Cross-validation by source: each source is predicted from constants fitted on all the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use shardwise_core::complete::{complete, is_complete};
use shardwise_core::coverage::{COVERED_SHARE, Kind};
use shardwise_core::efficiency::Efficiency;
use shardwise_core::job;

use crate::parameters::{PARAMETERS, with};
use crate::report::Errors;
use crate::runs::Run;
use crate::solve::{self, Measured, Sample};

/// What a run whose source leaves something open counts, beside 1 of the headline's.
const OTHER: f64 = 0.6;

/// The runs with a measured throughput, resolved once.
pub(crate) fn samples(runs: &[Run]) -> Vec<Option<Sample>> {
    let key = |run: &Run| serde_json::to_string(&run.question).unwrap();
    let mut alike: BTreeMap<String, f64> = BTreeMap::new();
    for run in runs {
        *alike.entry(key(run)).or_default() += 1.0;
    }
    runs.iter()
        .map(|run| {
            let job = job::resolve(&run.question).ok()?;
            let spec = run.question.plan.clone().unwrap_or_default();
            let plan = is_complete(&job, &spec).then(|| complete(&job, &spec).ok())??;
            let weight = if run.headline { 1.0 } else { OTHER };
            Some(Sample {
                job,
                plan,
                measured: Measured::Rate(run.tokens_per_s_per_gpu?),
                // One question answered by several releases is less than so many questions.
                weight: weight / alike[&key(run)].sqrt(),
            })
        })
        .collect()
}

/// Errors of every run, as logarithms of predicted over measured.
pub(crate) struct Validated {
    /// With all runs in the fit.
    pub(crate) fitted: Vec<Option<f64>>,
    /// With the run's source left out.
    pub(crate) left_out: Vec<Option<f64>>,
    /// How many other sources cover the run's kind.
    pub(crate) others: Vec<usize>,
    /// Half-widths of the intervals of dense models in 16 bits: covered by another source, and not.
    pub(crate) plain: [f64; 2],
    /// Half-widths of the intervals of all else.
    pub(crate) involved: [f64; 2],
    /// Whether each run is of the plain kind.
    pub(crate) is_plain: Vec<bool>,
}

fn kind(sample: &Sample) -> Kind {
    Kind::of(&sample.job, &sample.plan.layout)
}

/// Sources that cover each kind of run.
pub(crate) fn sources<'a>(runs: &'a [Run], samples: &[Option<Sample>]) -> BTreeMap<Kind, BTreeMap<&'a str, usize>> {
    let mut found: BTreeMap<Kind, BTreeMap<&str, usize>> = BTreeMap::new();
    for (run, sample) in runs.iter().zip(samples) {
        if let Some(sample) = sample {
            *found.entry(kind(sample)).or_default().entry(&run.group).or_default() += 1;
        }
    }
    found
}

pub(crate) fn cross_validate(
    base: &Efficiency,
    fitted: &Efficiency,
    runs: &[Run],
    samples: &[Option<Sample>],
) -> Validated {
    let error =
        |efficiency: &Efficiency, sample: &Option<Sample>| sample.as_ref().map(|sample| sample.error(efficiency));
    let groups: BTreeSet<&str> = runs.iter().map(|run| run.group.as_str()).collect();
    let groups: Vec<&str> = groups.into_iter().collect();
    let mut left_out = vec![None; runs.len()];
    let fold = |group: &str| {
        let kept = samples.iter().zip(runs).filter(|(_, run)| run.group != group);
        let kept: Vec<&Sample> = kept.filter_map(|(sample, _)| sample.as_ref()).collect();
        with(PARAMETERS, base, &solve::fit(PARAMETERS, base, &kept, solve::SCALE))
    };
    // Folds are independent: two at a time, for the two cores that checks run on.
    for pair in groups.chunks(2) {
        let found: Vec<Efficiency> = std::thread::scope(|scope| {
            let handles: Vec<_> = pair.iter().map(|group| scope.spawn(|| fold(group))).collect();
            handles.into_iter().map(|handle| handle.join().unwrap()).collect()
        });
        for (group, without) in pair.iter().zip(&found) {
            for (place, run) in runs.iter().enumerate() {
                if run.group == *group {
                    left_out[place] = error(without, &samples[place]);
                }
            }
        }
    }
    let covered = sources(runs, samples);
    let others: Vec<usize> = runs
        .iter()
        .zip(samples)
        .map(|(run, sample)| {
            let of_kind = sample.as_ref().and_then(|sample| covered.get(&kind(sample)));
            of_kind.map_or(0, |sources| sources.keys().filter(|source| **source != run.group).count())
        })
        .collect();
    let is_plain: Vec<bool> = samples
        .iter()
        .map(|sample| sample.as_ref().is_some_and(|sample| kind(sample).is_plain()))
        .collect();
    let plain = widths(&left_out, &others, |place| is_plain[place]);
    let involved = widths(&left_out, &others, |place| !is_plain[place]);
    Validated {
        fitted: samples.iter().map(|sample| error(fitted, sample)).collect(),
        left_out,
        others,
        plain,
        involved,
        is_plain,
    }
}

/// Half-widths that hold [`COVERED_SHARE`] of the left-out runs of some kinds: those that another source covers, and
/// those that none does, which are no narrower.
fn widths(left_out: &[Option<f64>], others: &[usize], which: impl Fn(usize) -> bool) -> [f64; 2] {
    let mut errors: [Errors; 2] = Default::default();
    for (place, error) in left_out.iter().enumerate() {
        if which(place) {
            errors[usize::from(others[place] == 0)].0.extend(error);
        }
    }
    let [covered, uncovered] = errors
        .each_ref()
        .map(|errors| crate::report::rounded(errors.half_width(COVERED_SHARE)));
    [covered, uncovered.max(covered)]
}

impl Validated {
    /// Share of left-out runs that their intervals hold.
    pub(crate) fn held(&self, which: impl Fn(usize) -> bool) -> f64 {
        let held: Vec<bool> = (0..self.left_out.len())
            .filter(|place| which(*place))
            .filter_map(|place| Some(self.left_out[place]?.abs() <= self.width(place)))
            .collect();
        held.iter().filter(|held| **held).count() as f64 / held.len().max(1) as f64
    }

    /// Half-width of a left-out run's interval.
    pub(crate) fn width(&self, place: usize) -> f64 {
        let widths = if self.is_plain[place] { &self.plain } else { &self.involved };
        widths[usize::from(self.others[place] == 0)]
    }

    /// Errors by source and in all, fitted and left out.
    pub(crate) fn tables(&self, runs: &[Run]) -> BTreeMap<String, [Errors; 2]> {
        let mut tables: BTreeMap<String, [Errors; 2]> = BTreeMap::new();
        for (place, run) in runs.iter().enumerate() {
            let (Some(fitted), Some(left_out)) = (self.fitted[place], self.left_out[place]) else {
                continue;
            };
            let all = if run.headline { "all headline" } else { "all other" };
            for name in [all, run.group.as_str()] {
                let errors = tables.entry(name.to_owned()).or_default();
                errors[0].0.push(fitted);
                errors[1].0.push(left_out);
            }
        }
        tables
    }

    /// For a person.
    pub(crate) fn summary(&self, runs: &[Run]) -> String {
        let mut out = String::from("\nThroughput: runs, median, mean, p90, bias in %; fitted | source left out\n");
        for (name, [fitted, left_out]) in self.tables(runs) {
            let _ = write!(out, "  {name:<26}{:>4}", fitted.0.len());
            for errors in [fitted, left_out] {
                let figures = [errors.at(0.5), errors.mean(), errors.at(0.9), errors.bias()];
                for figure in figures {
                    let _ = write!(out, "{:>7.1}", 100.0 * figure);
                }
                out.push_str("  |");
            }
            out.push('\n');
        }
        let headline = self.held(|place| runs[place].headline);
        let _ = writeln!(
            out,
            "Intervals: half-widths {:?} and {:?}; they hold {:.1} % of left-out headline runs, {:.1} % of all",
            self.plain,
            self.involved,
            100.0 * headline,
            100.0 * self.held(|_| true),
        );
        out
    }
}
