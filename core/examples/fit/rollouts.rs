//! Generation engines' constants, from published generation runs.

use std::collections::{BTreeMap, BTreeSet};

use shardwise_core::complete::complete;
use shardwise_core::coverage::{self, COVERED_SHARE};
use shardwise_core::efficiency::Efficiency;
use shardwise_core::job;
use shardwise_core::wire::Question;

use crate::first_met::FirstMet;
use crate::generations::{self, Generation};
use crate::parameters::{self, Parameter};
use crate::report::{self, Errors, rounded};
use crate::solve::{self, Measured, Sample};

/// The engines, by their entries in `efficiency.toml`, in the order in which they are fitted.
pub(crate) const ENGINES: [&str; 4] = ["early_vllm", "vllm", "sglang", "tensorrt_llm"];

/// The constants of an engine that its runs decide.
pub(crate) fn parameters_of(engine: &'static str) -> Vec<Parameter> {
    let own = parameters::of_engine(engine).into_iter();
    match engine {
        "early_vllm" => own.chain(parameters::CDNA).collect(),
        _ => own.collect(),
    }
}

/// A published generation run, and what it measures.
pub(crate) struct Rollout {
    pub(crate) run: Generation,
    pub(crate) question: Question,
    sample: Sample,
}

impl Rollout {
    /// The question as it is resolved, and what was measured.
    pub(crate) fn sample(&self) -> &Sample {
        &self.sample
    }

    /// Sequences at once.
    pub(crate) fn sequences(&self) -> f64 {
        self.run.max_num_seqs.min(self.run.requests)
    }
}

/// All runs whose layout there is.
pub(crate) fn all() -> Vec<Rollout> {
    let asked = |run: Generation| {
        let question = run.asked();
        let job = job::resolve(&question).ok()?;
        let plan = complete(&job, question.plan.as_ref()?).ok()?;
        let sample = Sample { job, plan, measured: Measured::Rate(run.rate), weight: 1.0 };
        Some(Rollout { run, question, sample })
    };
    generations::batches().chain(generations::servers()).filter_map(asked).collect()
}

/// The engines' constants, and how far they are off.
pub(crate) struct Engines {
    pub(crate) fitted: Efficiency,
    /// What is known of each engine's errors.
    pub(crate) coverage: Vec<Coverage>,
    /// Most GPUs of an engine that splits matrices.
    pub(crate) tensor_parallel: u32,
    /// Every run with how far off it is: with all runs in the fit, and without those of its kind.
    pub(crate) published: Vec<(Rollout, [f64; 2])>,
    /// For a person.
    pub(crate) summary: String,
}

impl Engines {
    /// Half-width of the interval around a run where its kind is left out.
    pub(crate) fn width(&self, rollout: &Rollout) -> f64 {
        let own = self.coverage.iter().find(|own| own.engine == rollout.run.engine);
        own.map_or(0.0, |own| own.widths[1])
    }
}

/// How far the runs of an engine are off that the fit did not see.
pub(crate) struct Coverage {
    pub(crate) engine: &'static str,
    /// Half-widths of the interval as logarithms: of a kind and a model that some run covers, of others, and on an architecture
    /// that none does.
    pub(crate) widths: [f64; 3],
    /// Architectures that some run covers.
    pub(crate) on: Vec<String>,
    /// Kinds that some run covers.
    pub(crate) kinds: Vec<(&'static str, u8, bool)>,
    /// Models that some run is of.
    pub(crate) models: Vec<&'static str>,
    pub(crate) runs: usize,
}

fn architecture(rollout: &Rollout, base: &Efficiency) -> String {
    base.architecture(&rollout.sample.job.hardware).name.clone().into_owned()
}

/// Every run of an engine with how far off it is where the runs of its kind are left out: of its source, on its generation
/// of GPUs, in its precision.
fn left_out(parameters: &[Parameter], base: &Efficiency, own: &[&Rollout]) -> Vec<(&'static str, f64)> {
    let kind = |own: &Rollout| (own.run.source.0.clone(), architecture(own, base), own.run.precision);
    let kinds: BTreeSet<_> = own.iter().map(|own| kind(own)).collect();
    let mut out = Vec::new();
    for left in &kinds {
        let kept: Vec<&Sample> = own.iter().filter(|own| kind(own) != *left).map(|own| &own.sample).collect();
        let without = solve::fitted(parameters, base, &kept, solve::SCALE);
        let left = own.iter().filter(|own| kind(own) == *left);
        out.extend(left.map(|own| (own.run.id, own.sample.error(&without))));
    }
    out
}

/// How far runs are off that are left out by `part`, where others are of their kind, and for `alike` of the same.
fn without<P: Ord, A: PartialEq>(
    (parameters, base, own): (&[Parameter], &Efficiency, &[&Rollout]),
    part: impl Fn(&Rollout) -> P,
    alike: impl Fn(&Rollout) -> A,
) -> Errors {
    let parts: BTreeSet<P> = own.iter().map(|own| part(own)).collect();
    let mut errors = Vec::new();
    for of in parts {
        let (left, kept): (Vec<&Rollout>, Vec<&Rollout>) = own.iter().partition(|own| part(own) == of);
        let samples: Vec<&Sample> = kept.iter().map(|own| &own.sample).collect();
        let fitted = solve::fitted(parameters, base, &samples, solve::SCALE);
        let kind = |own: &Rollout| coverage::generated(&own.sample.job);
        let kinds: BTreeSet<_> = kept.iter().map(|own| kind(own)).collect();
        let known = |own: &Rollout| kinds.contains(&kind(own)) && kept.iter().any(|other| alike(other) == alike(own));
        errors.extend(left.iter().filter(|own| known(own)).map(|own| own.sample.error(&fitted)));
    }
    Errors(errors)
}

/// Parts in which models on a card in a precision are left out, some at a time.
const PARTS: usize = 8;

/// How far runs are off where their model is left out, and where it is on their card in their precision alone.
fn without_models(all: (&[Parameter], &Efficiency, &[&Rollout])) -> [Errors; 2] {
    let cell = |own: &Rollout| (own.run.model, own.run.gpu, own.run.precision);
    let cells: Vec<_> = all.2.iter().map(|own| cell(own)).collect::<BTreeSet<_>>().into_iter().collect();
    let place = |own: &Rollout| cells.binary_search(&cell(own)).unwrap_or(0) % PARTS;
    [without(all, |own| own.run.model, |_| ()), without(all, place, |own| own.run.model)]
}

pub(crate) fn fit(base: &Efficiency) -> Engines {
    let rollouts = all();
    let mut fitted = base.clone();
    let mut groups: BTreeMap<String, Errors> = BTreeMap::new();
    let mut without: BTreeMap<&str, f64> = BTreeMap::new();
    let met = FirstMet::read();
    let mut coverage = Vec::new();
    for engine in ENGINES {
        let own: Vec<&Rollout> = rollouts.iter().filter(|own| own.run.engine == engine).collect();
        let parameters = parameters_of(engine);
        let samples: Vec<&Sample> = own.iter().map(|own| &own.sample).collect();
        let before = fitted;
        fitted = solve::fitted(&parameters, &before, &samples, solve::SCALE);
        let mut add = |name: String, error: f64| groups.entry(name).or_default().0.push(error);
        for own in &own {
            let error = own.sample.error(&fitted);
            add(engine.to_owned(), error);
            add(format!("{engine} {}", own.run.gpu), error);
            add(format!("{engine} {} {}", own.run.model, own.run.precision), error);
        }
        let errors = left_out(&parameters, &before, &own);
        for (id, error) in &errors {
            add(format!("{engine}, kind left out"), *error);
            without.insert(*id, *error);
        }
        let errors = Errors(errors.into_iter().map(|(_, error)| error).collect());
        let [of_models, of_cells] = without_models((&parameters, &before, &own));
        for (name, errors) in [("model", &of_models), ("model on a card", &of_cells)] {
            for error in &errors.0 {
                add(format!("{engine}, {name} left out"), *error);
            }
        }
        let kinds: BTreeSet<_> = own.iter().map(|own| coverage::generated(&own.sample.job)).collect();
        let models: BTreeSet<&str> = own.iter().map(|own| own.run.model).collect();
        let [known, model, kind] = [&of_cells, &of_models, &errors].map(|own| own.half_width(COVERED_SHARE));
        let other = model.max(kind).max(known).max(met.of_generation());
        let on: BTreeSet<String> = own.iter().map(|own| architecture(own, base)).collect();
        coverage.push(Coverage {
            engine,
            // Nothing says how far an architecture without runs is off: what nine in ten of the left-out runs are within.
            widths: [known, other, errors.half_width(0.9).max(other)].map(rounded),
            on: on.into_iter().collect(),
            kinds: kinds.into_iter().collect(),
            models: models.into_iter().collect(),
            runs: own.len(),
        });
    }
    let errors = |own: &Rollout| {
        let error = own.sample.error(&fitted);
        [error, without.get(own.run.id).copied().unwrap_or(error)]
    };
    let errors: Vec<[f64; 2]> = rollouts.iter().map(errors).collect();
    Engines {
        coverage,
        tensor_parallel: rollouts
            .iter()
            .filter_map(|own| Some(own.sample.plan.rollout?.tensor_parallel))
            .max()
            .unwrap_or(1),
        summary: report::summary("Generation", &groups),
        published: rollouts.into_iter().zip(errors).collect(),
        fitted,
    }
}
