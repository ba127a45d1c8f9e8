//! Generation engines' constants, from published generation runs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shardwise_core::complete::complete;
use shardwise_core::coverage::COVERED_SHARE;
use shardwise_core::efficiency::Efficiency;
use shardwise_core::job;
use shardwise_core::wire::{Question, question_from_value};

use crate::parameters::{self, Parameter};
use crate::report::{self, Errors, rounded};
use crate::solve::{self, Measured, Sample};

const BATCHES: &str = include_str!("../../tests/data/rollout.csv");
const SERVERS: &str = include_str!("../../tests/data/serving.csv");

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

/// A published generation run.
pub(crate) struct Rollout {
    pub(crate) id: String,
    /// Its source: name and address.
    pub(crate) source: (String, String),
    /// Date of the measurement, or empty.
    pub(crate) date: String,
    /// Entry of `efficiency.toml`.
    pub(crate) engine: &'static str,
    pub(crate) gpu: String,
    pub(crate) model: String,
    pub(crate) precision: String,
    /// Sequences at once.
    pub(crate) sequences: f64,
    pub(crate) question: Question,
    /// Tokens per second and GPU.
    pub(crate) measured: f64,
    sample: Sample,
}

/// The table's sources in order: each by its name, and where it is.
fn sources() -> Vec<(&'static str, &'static str)> {
    let heads = BATCHES.lines().filter_map(|line| line.strip_prefix("# "));
    let numbered = heads.filter_map(|line| line.strip_prefix(|c: char| c.is_ascii_digit()));
    numbered.filter_map(|line| line.trim().split_once(": ")).collect()
}

/// All runs that no doubt keeps out.
pub(crate) fn all() -> Vec<Rollout> {
    let rows = |text: &'static str| text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let batches = rows(BATCHES).filter_map(batch);
    batches.chain(rows(SERVERS).filter_map(server)).collect()
}

/// Where a source of the batches is: a repository, or an issue of one; empty where only its name is known.
fn address(place: &str) -> String {
    let place = place.trim_end_matches("(fork)").replace('#', "/issues/");
    if place.contains('/') { format!("https://github.com/{place}") } else { String::new() }
}

/// A batch of requests, from the first to the last.
fn batch(line: &'static str) -> Option<Rollout> {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |place: usize| cells[place].parse::<f64>().unwrap();
    if !cells[13].is_empty() {
        return None;
    }
    let question = json!({
        "version": 1, "model": cells[3],
        "hardware": {"gpu": cells[4], "gpus": number(5)},
        "workload": {"kind": "rollout", "precision": cells[11], "rollout": {
            "requests": number(9), "mean_prompt_length": number(7), "mean_response_length": number(8),
            "response_length_cv": 0}},
        "plan": {"rollout": {"tensor_parallel": number(6), "max_num_seqs": number(10), "gpu_memory_utilization": 0.9}},
    });
    // Argonne's runs are of 2024, GPUStack's of 2025.
    let (engine, stated) = match cells[2] {
        "vLLM" => ("early_vllm", json!({"engine": "vllm", "engine_version": "0.6.0"})),
        _ => ("tensorrt_llm", json!({"engine": "tensorrt_llm"})),
    };
    let (name, place) = sources()[cells[1].parse::<usize>().unwrap() - 1];
    rollout(Rough {
        id: cells[0],
        source: (format!("{name}: {place}"), address(place)),
        date: "",
        engine,
        stated,
        question,
        measured: number(12),
    })
}

/// A server under a steady load: as many requests at once, each followed by the next, are as much work as one batch of them.
fn server(line: &'static str) -> Option<Rollout> {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |place: usize| cells[place].parse::<f64>().unwrap();
    if !cells[16].is_empty() {
        return None;
    }
    let (response, at_once) = (number(11), number(12));
    let question = json!({
        "version": 1, "model": cells[5],
        "hardware": {"gpu": cells[6], "gpus": number(7)},
        "workload": {"kind": "rollout", "precision": cells[13], "rollout": {
            "requests": at_once, "mean_prompt_length": number(10), "mean_response_length": response,
            "response_length_cv": 0}},
        "plan": {"rollout": {"tensor_parallel": number(8), "expert_parallel": number(9), "max_num_seqs": at_once,
            "gpu_memory_utilization": 0.9}},
    });
    let engine = ENGINES.into_iter().find(|own| *own == cells[3])?;
    let seconds = (number(14) + response * number(15)) / 1000.0;
    rollout(Rough {
        id: cells[0],
        source: ("InferenceX".to_owned(), "https://github.com/ai-dynamo/aiconfigurator".to_owned()),
        date: cells[2],
        engine,
        stated: json!({"engine": engine}),
        question,
        measured: at_once * response / seconds / number(7),
    })
}

/// A run as its table states it.
struct Rough {
    id: &'static str,
    source: (String, String),
    date: &'static str,
    engine: &'static str,
    /// What its question says of the engine.
    stated: Value,
    question: Value,
    measured: f64,
}

fn rollout(rough: Rough) -> Option<Rollout> {
    let Rough { id, source, date, engine, stated, mut question, measured } = rough;
    for (key, value) in stated.as_object()? {
        question["plan"]["rollout"][key] = value.clone();
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (model, gpu) = (text(&question["model"]), text(&question["hardware"]["gpu"]));
    let precision = text(&question["workload"]["precision"]);
    let of_plan = question["plan"]["rollout"]["max_num_seqs"].as_f64()?;
    let requests = question["workload"]["rollout"]["requests"].as_f64()?;
    let question = question_from_value(question).unwrap_or_else(|error| panic!("{id}: {error}"));
    let job = job::resolve(&question).ok()?;
    let plan = complete(&job, question.plan.as_ref()?).ok()?;
    Some(Rollout {
        id: id.to_owned(),
        source,
        date: date.to_owned(),
        engine,
        gpu,
        model,
        precision,
        sequences: of_plan.min(requests),
        question,
        measured,
        sample: Sample { job, plan, measured: Measured::Rate(measured), weight: 1.0 },
    })
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
    /// Half-width of the interval around a run that some run like it covers.
    pub(crate) fn width(&self, run: &Rollout) -> f64 {
        let own = self.coverage.iter().find(|own| own.engine == run.engine);
        own.map_or(0.0, |own| own.widths[0])
    }
}

/// How far the runs of an engine are off that the fit did not see.
pub(crate) struct Coverage {
    pub(crate) engine: &'static str,
    /// Half-widths of the interval as logarithms: on an architecture that some run covers, and on another.
    pub(crate) widths: [f64; 2],
    /// Architectures that some run covers.
    pub(crate) on: Vec<String>,
    pub(crate) runs: usize,
}

fn architecture(rollout: &Rollout, base: &Efficiency) -> String {
    base.architecture(&rollout.sample.job.hardware).name.clone().into_owned()
}

/// Every run of an engine with how far off it is where the runs of its kind are left out: of its source, on its generation
/// of GPUs, in its precision.
fn left_out<'a>(parameters: &[Parameter], base: &Efficiency, own: &[&'a Rollout]) -> Vec<(&'a str, f64)> {
    let kind = |own: &Rollout| (own.source.0.clone(), architecture(own, base), own.precision.clone());
    let kinds: BTreeSet<_> = own.iter().map(|own| kind(own)).collect();
    let mut out = Vec::new();
    for left in &kinds {
        let kept: Vec<&Sample> = own.iter().filter(|own| kind(own) != *left).map(|own| &own.sample).collect();
        let without = solve::fitted(parameters, base, &kept, solve::SCALE);
        let left = own.iter().filter(|own| kind(own) == *left);
        out.extend(left.map(|own| (own.id.as_str(), own.sample.error(&without))));
    }
    out
}

pub(crate) fn fit(base: &Efficiency) -> Engines {
    let rollouts = all();
    let mut fitted = base.clone();
    let mut groups: BTreeMap<String, Errors> = BTreeMap::new();
    let mut without: BTreeMap<&str, f64> = BTreeMap::new();
    let mut coverage = Vec::new();
    for engine in ENGINES {
        let own: Vec<&Rollout> = rollouts.iter().filter(|own| own.engine == engine).collect();
        let parameters = parameters_of(engine);
        let samples: Vec<&Sample> = own.iter().map(|own| &own.sample).collect();
        let before = fitted;
        fitted = solve::fitted(&parameters, &before, &samples, solve::SCALE);
        let mut add = |name: String, error: f64| groups.entry(name).or_default().0.push(error);
        for own in &own {
            let error = own.sample.error(&fitted);
            add(engine.to_owned(), error);
            add(format!("{engine} {}", own.gpu), error);
            add(format!("{engine} {} {}", own.model, own.precision), error);
        }
        let errors = left_out(&parameters, &before, &own);
        for (id, error) in &errors {
            add(format!("{engine}, kind left out"), *error);
            without.insert(id, *error);
        }
        let errors = Errors(errors.into_iter().map(|(_, error)| error).collect());
        let on: BTreeSet<String> = own.iter().map(|own| architecture(own, base)).collect();
        coverage.push(Coverage {
            engine,
            // Nothing says how far an architecture without runs is off: what nine in ten of the left-out runs are within.
            widths: [errors.half_width(COVERED_SHARE), errors.half_width(0.9)].map(rounded),
            on: on.into_iter().collect(),
            runs: own.len(),
        });
    }
    let errors = |own: &Rollout| {
        let error = own.sample.error(&fitted);
        [error, without.get(own.id.as_str()).copied().unwrap_or(error)]
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
