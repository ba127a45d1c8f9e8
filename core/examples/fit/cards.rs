//! Which cards published runs are on, and how far those of a maker are off whose own rates are not known.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use shardwise_core::coverage::COVERED_SHARE;
use shardwise_core::efficiency::{Architecture, Efficiency};
use shardwise_core::hardware::Hardware;

use crate::files::Found;
use crate::report::{Errors, rounded};
use crate::rollouts::{self, Rollout};
use crate::runs;
use crate::solve::Sample;
use crate::validate;

/// Sources that a maker's cards need for their errors to be known.
const SOURCES: usize = 2;
/// The maker whose cards stand for those of others, and their generation: the only ones beside NVIDIA's with runs.
const OTHER: (&str, &str) = ("amd", "CDNA");

/// What the published runs say of cards.
pub(crate) struct Cards {
    /// Runs by GPU type: training, generation, RL steps.
    pub(crate) runs: BTreeMap<String, [usize; 3]>,
    /// Makers of whose cards enough sources have runs.
    pub(crate) vendors: Vec<&'static str>,
    /// Half-widths of training and of generation without a maker's own rates.
    pub(crate) foreign: [f64; 2],
}

impl Cards {
    pub(crate) fn of(found: &Found<'_>) -> Self {
        let rollouts = rollouts::all();
        let trained = found.runs.iter().zip(found.samples);
        let trained = trained.filter_map(|(run, own)| Some((run.group.as_str(), &own.as_ref()?.job.hardware)));
        let generated = rollouts
            .iter()
            .map(|own| (own.run.source.0.as_str(), &own.sample().job.hardware));
        let stepped = found.steps.plans.iter().map(|(job, _)| ("RL", &job.hardware));
        let all: [Vec<(&str, &Hardware)>; 3] = [trained.collect(), generated.collect(), stepped.collect()];
        let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
        let mut sources: BTreeMap<&'static str, BTreeSet<&str>> = BTreeMap::new();
        for (place, own) in all.iter().enumerate() {
            for (source, hardware) in own {
                counts.entry(hardware.benchmarked().to_owned()).or_default()[place] += 1;
                if let Some(vendor) = hardware.vendor() {
                    sources.entry(vendor).or_default().insert(source);
                }
            }
        }
        let known = sources.into_iter().filter(|(_, own)| own.len() >= SOURCES);
        let vendors: Vec<&str> = known.map(|(vendor, _)| vendor).collect();
        let held = runs::held();
        let held = validate::samples(&held);
        let mut errors = Vec::new();
        for own in held.iter().flatten() {
            let hardware = &own.job.hardware;
            counts.entry(hardware.benchmarked().to_owned()).or_default()[0] += 1;
            if !hardware.vendor().is_some_and(|own| vendors.contains(&own)) {
                errors.push(own.error(found.fitted));
            }
        }
        let without = without_its_rates(found.fitted);
        let width = |samples: &mut dyn Iterator<Item = &Sample>| {
            let others = samples.filter(|own| own.job.hardware.vendor() == Some(OTHER.0));
            rounded(Errors(others.map(|own| own.error(&without)).collect()).half_width(COVERED_SHARE))
        };
        let trained = width(&mut found.samples.iter().flatten()).max(rounded(expected(&errors)));
        let foreign = [trained, width(&mut rollouts.iter().map(Rollout::sample))];
        Self { runs: counts, vendors, foreign }
    }
}

/// Half-width that is to hold [`COVERED_SHARE`] of further runs after so few: errors about none, of a spread that they alone
/// say, so by Student's t with as many degrees of freedom as there are errors (its 90 % quantile).
fn expected(errors: &[f64]) -> f64 {
    const QUANTILES: [f64; 6] = [3.078, 1.886, 1.638, 1.533, 1.476, 1.440];
    let count = errors.len();
    if count == 0 {
        return 0.0;
    }
    let square = errors.iter().map(|error| error * error).sum::<f64>() / count as f64;
    QUANTILES[count.min(QUANTILES.len()) - 1] * square.sqrt()
}

/// The constants with what is typical of all cards in the place of the rates of that maker's.
fn without_its_rates(fitted: &Efficiency) -> Efficiency {
    let mut without = fitted.clone();
    for entry in without
        .architectures
        .to_mut()
        .iter_mut()
        .filter(|entry| entry.name.starts_with(OTHER.1))
    {
        *entry = Architecture { name: Cow::Owned(entry.name.to_string()), ..fitted.typical.clone() };
    }
    without
}
