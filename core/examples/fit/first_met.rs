//! How far off runs were when they were first met, before anything was done on their account.
//!
//! A left-out source or kind says how far off the next one is only if it is as different from the rest as the next one will be.
//! Those in the fit are not: what stood out in them has been looked at. What is collected later, and held against the estimate as it
//! was then, is the only record of that (`tests/data/first-met.jsonl`), and stays on it when the estimate has learnt from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shardwise_core::coverage::{COVERAGE, COVERED_SHARE, Kind, Nearest, generated};
use shardwise_core::wire::question_from_value;
use shardwise_core::{Evaluated, evaluate_alone};

use crate::report::rounded;

const RECORD: &str = include_str!("../../tests/data/first-met.jsonl");

/// One run as it was first met.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    url: String,
    /// Whose runs: those of one program on one kind are off alike.
    program: String,
    /// `pretrain`, `tune`, `adapters`, `generation` or `rl`.
    task: String,
    /// Architecture, bits and trainer, or engine.
    kind: String,
    experts: bool,
    /// What was nearest to it of the runs then known.
    known: String,
    /// Speed measured over estimated then.
    factor: f64,
    /// The day.
    met: String,
}

/// A line of `tests/data/newcomers.jsonl`, as far as it is asked.
#[derive(Deserialize)]
struct Newcomer {
    id: String,
    url: String,
    framework: String,
    measured: Measured,
    question: Value,
}

#[derive(Deserialize)]
struct Measured {
    step_s: Option<f64>,
    tokens_per_s_per_gpu: Option<f64>,
}

/// The lines of the record for runs that are met now, as `tests/data/newcomers.jsonl` has them: `--meet FILE DAY`.
pub(crate) fn meet(text: &str, day: &str) {
    for line in text.lines() {
        let own: Newcomer = serde_json::from_str(line).unwrap();
        let found = evaluate_alone(&question_from_value(own.question).unwrap()).unwrap();
        let answer = &found.answer;
        let factor = match own.measured.tokens_per_s_per_gpu {
            Some(speed) => speed / answer.tokens_per_s_per_gpu,
            None => answer.step_time_s / own.measured.step_s.unwrap(),
        };
        let [task, kind, known] = met(&found);
        let experts = found.job.model.shape.num_experts > 0;
        let (program, factor, met) = (own.framework, rounded(factor), day.to_owned());
        let row = Row { id: own.id, url: own.url, program, task, kind, experts, known, factor, met };
        println!("{}", serde_json::to_string(&row).unwrap());
    }
}

/// Task, kind, and what is known that is nearest.
fn met(found: &Evaluated) -> [String; 3] {
    let Evaluated { job, plan, .. } = found;
    if job.workload.generation.is_some() {
        let engine = COVERAGE.generation(plan.rollout.as_ref());
        let own = generated(job);
        let known = match () {
            () if !engine.on.contains(&own.0) => "none",
            () if engine.kinds.contains(&own) && engine.models.contains(&job.model.id.as_ref()) => "model",
            () => "kind",
        };
        return ["generation".to_owned(), format!("{} {} {}", own.0, own.1, engine.engine), known.to_owned()];
    }
    let kind = Kind::of(job, &plan.layout);
    let own = |task: &str, known: &str| {
        [task.to_owned(), format!("{} {} {}", kind.architecture, kind.bits, kind.framework), known.to_owned()]
    };
    // Steps are told apart by kind alone.
    if job.workload.rl.is_some() {
        return own("rl", if COVERAGE.reinforcement_kinds.contains(&kind) { "kind" } else { "none" });
    }
    let known = match COVERAGE.nearest(kind, &job.model.shape) {
        Nearest::Model => "model",
        Nearest::Kind => "kind",
        Nearest::Architecture => "architecture",
        Nearest::None => "none",
    };
    own(kind.task, known)
}

impl Row {
    /// What is off alike.
    fn alike(&self) -> [&str; 3] {
        [&self.program, &self.task, &self.kind]
    }
}

/// The runs on record.
pub(crate) struct FirstMet(Vec<Row>);

impl FirstMet {
    pub(crate) fn read() -> Self {
        Self(RECORD.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    /// Half-width that would have held [`COVERED_SHARE`] of the runs of training that were of no known kind, or had experts as no known
    /// run of their kind had. How far they were beside that says nothing: on known and unknown cards they were off alike.
    pub(crate) fn half_width(&self, experts: bool) -> f64 {
        let trains = |own: &Row| !["generation", "rl"].contains(&own.task.as_str());
        self.of(|own| trains(own) && own.experts == experts && own.known != "model")
    }

    /// That of generation by engines that had not run the kind and the model.
    pub(crate) fn of_generation(&self) -> f64 {
        self.of(|own| own.task == "generation" && own.known != "model")
    }

    /// That of RL steps of a kind that no step was of.
    pub(crate) fn of_steps(&self) -> f64 {
        self.of(|own| own.task == "rl" && own.known == "none")
    }

    /// Many runs of a program on a kind are less than so many of others: each counts by the root of how many they are.
    fn of(&self, which: impl Fn(&Row) -> bool) -> f64 {
        let chosen: Vec<&Row> = self.0.iter().filter(|own| which(own)).collect();
        let mut alike: BTreeMap<[&str; 3], f64> = BTreeMap::new();
        for own in &chosen {
            *alike.entry(own.alike()).or_default() += 1.0;
        }
        let weighed = |own: &&Row| (own.factor.ln().abs(), 1.0 / alike[&own.alike()].sqrt());
        let mut errors: Vec<(f64, f64)> = chosen.iter().map(weighed).collect();
        errors.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: f64 = errors.iter().map(|own| own.1).sum();
        let mut held = 0.0;
        let within = errors.iter().find(|own| {
            held += own.1;
            held >= COVERED_SHARE * all
        });
        rounded(within.map_or(0.0, |own| own.0))
    }
}
