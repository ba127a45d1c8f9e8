//! Cross-validation: each source is predicted from constants fitted on all the others, and each kind of run (framework,
//! task, GPU generation, precision) from all other kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use shardwise_core::catalog::Generation;
use shardwise_core::complete::{complete, is_complete};
use shardwise_core::coverage::{COVERED_SHARE, Family, Kind};
use shardwise_core::efficiency::Efficiency;
use shardwise_core::job;

use crate::first_met::FirstMet;
use crate::parameters::{PARAMETERS, logs, with};
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

/// Families of kinds that are off alike.
pub(crate) const FAMILIES: [Family; 4] = [Family::Plain, Family::Tuned, Family::Low, Family::Experts];

/// Errors of every run, as logarithms of predicted over measured.
pub(crate) struct Validated {
    /// With all runs in the fit.
    pub(crate) fitted: Vec<Option<f64>>,
    /// With the run's source left out.
    pub(crate) left_out: Vec<Option<f64>>,
    /// With every run of its kind left out.
    pub(crate) kind_out: Vec<Option<f64>>,
    /// How many other sources cover the run's kind.
    pub(crate) others: Vec<usize>,
    /// Half-widths of the intervals of each family, in the order of [`FAMILIES`], where some run is near and where none is.
    pub(crate) widths: [[f64; 2]; 4],
    /// Least half-width on a card without runs.
    pub(crate) card: f64,
    /// What each run is off alike with.
    families: Vec<Option<Family>>,
}

fn kind(sample: &Sample) -> Kind {
    Kind::of(&sample.job, &sample.plan.layout)
}

/// The generation of a run's cards.
fn generation(sample: &Sample) -> &'static str {
    Generation::of(&sample.job.hardware.architecture).map_or("", |own| own.name)
}

/// What is left out together with a run: all of its framework, task, GPU generation and precision.
fn fold_of(sample: &Sample) -> String {
    let Kind { framework, task, bits, .. } = kind(sample);
    format!("{framework} {task} {} {bits}", generation(sample))
}

/// Errors of all samples, each predicted from constants fitted on those of other groups.
fn left_out(base: &Efficiency, fitted: &Efficiency, samples: &[Option<Sample>], groups: &[String]) -> Vec<Option<f64>> {
    let mut errors = vec![None; samples.len()];
    let names: Vec<&str> = groups.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    let fold = |name: &str| {
        let kept = samples.iter().zip(groups).filter(|(_, group)| *group != name);
        let kept: Vec<&Sample> = kept.filter_map(|(sample, _)| sample.as_ref()).collect();
        with(PARAMETERS, base, &solve::fit_from(PARAMETERS, base, &kept, solve::SCALE, logs(PARAMETERS, fitted)))
    };
    // Folds are independent: two at a time, for the two cores that checks run on.
    for pair in names.chunks(2) {
        let found: Vec<Efficiency> = std::thread::scope(|scope| {
            let handles: Vec<_> = pair.iter().map(|name| scope.spawn(|| fold(name))).collect();
            handles.into_iter().map(|handle| handle.join().unwrap()).collect()
        });
        for (name, without) in pair.iter().zip(&found) {
            for place in 0..samples.len() {
                if groups[place] == *name {
                    errors[place] = samples[place].as_ref().map(|sample| sample.error(without));
                }
            }
        }
    }
    errors
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
    let by_source: Vec<String> = runs.iter().map(|run| run.group.clone()).collect();
    let by_kind: Vec<String> = samples
        .iter()
        .map(|sample| sample.as_ref().map_or_else(String::new, fold_of))
        .collect();
    let left_out = left_out(base, fitted, samples, &by_source);
    let kind_out = self::left_out(base, fitted, samples, &by_kind);
    let covered = sources(runs, samples);
    let others: Vec<usize> = runs
        .iter()
        .zip(samples)
        .map(|(run, sample)| {
            let of_kind = sample.as_ref().and_then(|sample| covered.get(&kind(sample)));
            of_kind.map_or(0, |sources| sources.keys().filter(|source| **source != run.group).count())
        })
        .collect();
    let families: Vec<Option<Family>> = samples
        .iter()
        .map(|sample| sample.as_ref().map(|sample| kind(sample).family()))
        .collect();
    let by_generation: Vec<String> = samples
        .iter()
        .map(|sample| sample.as_ref().map_or_else(String::new, |own| generation(own).to_owned()))
        .collect();
    let generation_out = self::left_out(base, fitted, samples, &by_generation);
    let errors = [&left_out, &kind_out, &generation_out];
    let of = |family| widths(errors, &others, |place| families[place] == Some(family));
    let left = FAMILIES.map(of);
    // Few generations can be left out: of one that nobody measured, no dense model is better known than another.
    let card = left.iter().map(|own| own[2]).fold(0.0, f64::max);
    let met = FirstMet::read();
    let widths = [0, 1, 2, 3].map(|place| {
        let [known, of_kind, _] = left[place];
        [known, of_kind.max(met.half_width(FAMILIES[place] == Family::Experts))]
    });
    Validated {
        fitted: samples.iter().map(|sample| error(fitted, sample)).collect(),
        left_out,
        kind_out,
        others,
        widths,
        card,
        families,
    }
}

/// Half-widths that hold [`COVERED_SHARE`] of the left-out runs of some kinds: of those that another source covers, their
/// source left out; of all, their kind left out, or their source where it alone has the kind and that says more; and of all,
/// their GPU generation left out.
fn widths(
    [left_out, kind_out, generation_out]: [&Vec<Option<f64>>; 3],
    others: &[usize],
    which: impl Fn(usize) -> bool,
) -> [f64; 3] {
    let width = |error: &dyn Fn(usize) -> Option<f64>| {
        let chosen = (0..others.len()).filter(|place| which(*place)).filter_map(error);
        crate::report::rounded(Errors(chosen.collect()).half_width(COVERED_SHARE))
    };
    let covered = width(&|place| left_out[place].filter(|_| others[place] > 0));
    let uncovered = width(&|place| {
        let alone = left_out[place].filter(|_| others[place] == 0).unwrap_or(0.0);
        kind_out[place].map(|error| if alone.abs() > error.abs() { alone } else { error })
    });
    let uncovered = uncovered.max(covered);
    [covered, uncovered, width(&|place| generation_out[place]).max(uncovered)]
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
        self.widths(place)[usize::from(self.others[place] == 0)]
    }

    /// Half-widths of a run's family.
    fn widths(&self, place: usize) -> &[f64; 2] {
        let own = FAMILIES.iter().position(|family| Some(*family) == self.families[place]);
        &self.widths[own.unwrap_or(FAMILIES.len() - 1)]
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
        for (name, which) in [("headline", true), ("other", false)] {
            let chosen = self.kind_out.iter().zip(runs).filter(|(_, run)| run.headline == which);
            let errors = Errors(chosen.filter_map(|(error, _)| *error).collect());
            let [median, p90, bias] = [errors.at(0.5), errors.at(0.9), errors.bias()].map(|figure| 100.0 * figure);
            let held = (0..runs.len())
                .filter(|place| runs[*place].headline == which)
                .filter_map(|place| Some(self.kind_out[place]?.abs() <= self.widths(place)[1]));
            let held: Vec<bool> = held.collect();
            let share = held.iter().filter(|held| **held).count() as f64 / held.len().max(1) as f64;
            let _ = writeln!(
                out,
                "Kind left out, {name}: {} runs, median {median:.1}, p90 {p90:.1}, bias {bias:.1} %; intervals hold {:.1} %",
                errors.0.len(),
                100.0 * share,
            );
        }
        let _ = writeln!(
            out,
            "Intervals: half-widths {:?}; they hold {:.1} % of left-out headline runs, {:.1} % of all",
            self.widths,
            100.0 * headline,
            100.0 * self.held(|_| true),
        );
        out
    }
}
