//! Generation engines' constants, from published generation runs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use shardwise_core::complete::complete;
use shardwise_core::coverage::COVERED_SHARE;
use shardwise_core::efficiency::Efficiency;
use shardwise_core::job;
use shardwise_core::wire::{Question, question_from_value};

use crate::parameters::ENGINE;
use crate::report::{self, Errors, rounded};
use crate::solve::{self, Measured, Sample};

const ROLLOUTS: &str = include_str!("../../tests/data/rollout.csv");

/// The engine whose constants are fitted.
pub(crate) const FITTED: &str = "vLLM";

/// A published generation run.
pub(crate) struct Rollout {
    pub(crate) id: String,
    /// Number of its source in the table's head.
    pub(crate) source: String,
    pub(crate) engine: String,
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
pub(crate) fn sources() -> Vec<(&'static str, &'static str)> {
    let heads = ROLLOUTS.lines().filter_map(|line| line.strip_prefix("# "));
    let numbered = heads.filter_map(|line| line.strip_prefix(|c: char| c.is_ascii_digit()));
    numbered.filter_map(|line| line.trim().split_once(": ")).collect()
}

/// All runs that no doubt keeps out.
pub(crate) fn all() -> Vec<Rollout> {
    let rows = ROLLOUTS.lines().filter(|line| !line.starts_with('#'));
    rows.skip(1).filter_map(rollout).collect()
}

fn rollout(line: &str) -> Option<Rollout> {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |place: usize| cells[place].parse::<f64>().unwrap();
    if !cells[13].is_empty() {
        return None;
    }
    let precision = cells[11];
    let question = question_from_value(json!({
        "version": 1, "model": cells[3],
        "hardware": {"gpu": cells[4], "gpus": number(5)},
        "workload": {"kind": "rollout", "precision": precision, "rollout": {
            "requests": number(9), "mean_prompt_length": number(7), "mean_response_length": number(8),
            "response_length_cv": 0}},
        "plan": {"rollout": {"tensor_parallel": number(6), "max_num_seqs": number(10), "gpu_memory_utilization": 0.9}},
    }))
    .unwrap_or_else(|error| panic!("{}: {error}", cells[0]));
    let job = job::resolve(&question).ok()?;
    let plan = complete(&job, question.plan.as_ref()?).ok()?;
    Some(Rollout {
        id: cells[0].to_owned(),
        source: cells[1].to_owned(),
        engine: cells[2].to_owned(),
        gpu: cells[4].to_owned(),
        model: cells[3].to_owned(),
        precision: precision.to_owned(),
        sequences: number(10).min(number(9)),
        question,
        measured: number(12),
        sample: Sample { job, plan, measured: Measured::Rate(number(12)), weight: 1.0 },
    })
}

/// The engine's constants, and how far they are off.
pub(crate) struct Engines {
    pub(crate) fitted: Efficiency,
    /// Half-widths of the interval as logarithms: on an architecture that some run covers, and on another.
    pub(crate) widths: [f64; 2],
    /// Architectures that some run covers.
    pub(crate) covered: Vec<String>,
    /// Most GPUs of an engine that splits matrices.
    pub(crate) tensor_parallel: u32,
    /// Every run with how far off it is: with all runs in the fit, and without those of its source and GPU type.
    pub(crate) published: Vec<(Rollout, [f64; 2])>,
    /// For a person.
    pub(crate) summary: String,
}

/// Sources by GPU type: what is left out together, since three sources are too few to leave one out.
fn fold(rollout: &Rollout) -> (String, String) {
    (rollout.source.clone(), rollout.gpu.clone())
}

pub(crate) fn fit(base: &Efficiency) -> Engines {
    let rollouts = all();
    let vllm: Vec<&Rollout> = rollouts.iter().filter(|own| own.engine == FITTED).collect();
    let fitted_on = |kept: &dyn Fn(&Rollout) -> bool| {
        let samples: Vec<&Sample> = vllm.iter().filter(|own| kept(own)).map(|own| &own.sample).collect();
        solve::fitted(ENGINE, base, &samples, solve::SCALE)
    };
    let fitted = fitted_on(&|_| true);
    let folds: BTreeSet<(String, String)> = vllm.iter().map(|own| fold(own)).collect();
    let mut left_out = Errors::default();
    let mut without_own: BTreeMap<&str, f64> = BTreeMap::new();
    for left in &folds {
        let without = fitted_on(&|own| fold(own) != *left);
        for own in vllm.iter().filter(|own| fold(own) == *left) {
            let error = own.sample.error(&without);
            left_out.0.push(error);
            without_own.insert(&own.id, error);
        }
    }
    let mut groups: BTreeMap<String, Errors> = BTreeMap::new();
    for own in &rollouts {
        let error = own.sample.error(&fitted);
        groups.entry(own.engine.clone()).or_default().0.push(error);
        if own.engine == FITTED {
            groups.entry(format!("vLLM {}", own.gpu)).or_default().0.push(error);
        }
    }
    groups.insert("vLLM, source and GPU left out".into(), left_out.clone());
    let summary = report::summary("Generation", &groups);
    // Nothing says how far an architecture without runs is off: what nine in ten of the left-out runs are within.
    let widths = [left_out.half_width(COVERED_SHARE), left_out.half_width(0.9)].map(rounded);
    // Of other engines nothing is fitted, so that every run of theirs is left out.
    let errors = |own: &Rollout| {
        let error = own.sample.error(&fitted);
        [error, without_own.get(own.id.as_str()).copied().unwrap_or(error)]
    };
    let errors: Vec<[f64; 2]> = rollouts.iter().map(errors).collect();
    let covered: BTreeSet<String> = vllm
        .iter()
        .map(|own| base.architecture(&own.sample.job.hardware).name.clone().into_owned())
        .collect();
    Engines {
        fitted,
        widths,
        covered: covered.into_iter().collect(),
        tensor_parallel: vllm
            .iter()
            .filter_map(|own| Some(own.sample.plan.rollout?.tensor_parallel))
            .max()
            .unwrap_or(1),
        published: rollouts.into_iter().zip(errors).collect(),
        summary,
    }
}
