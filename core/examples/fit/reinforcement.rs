//! What RL trainers add to training and generation, from published RL steps and their phases.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use shardwise_core::complete::complete;
use shardwise_core::coverage::{COVERED_SHARE, Kind};
use shardwise_core::efficiency::Efficiency;
use shardwise_core::job::{self, Job};
use shardwise_core::plan::Plan;
use shardwise_core::wire::Question;

use crate::first_met::FirstMet;
use crate::parameters::{REINFORCEMENT, WEIGHT_SYNC};
use crate::report::{self, Errors, rounded};
use crate::solve::{self, Measured, Sample};

const RUNS: &str = include_str!("../../tests/data/rl.jsonl");

/// Steps are further from any model than training runs are: lengths, rewards and hosts are not in the tables.
const SCALE: f64 = 0.2;

/// What a phase counts beside a whole step.
const PHASE: f64 = 0.5;

#[derive(Deserialize)]
struct Row {
    id: String,
    source: String,
    source_url: String,
    date: String,
    headline: bool,
    mended: Option<String>,
    tokens_per_s_per_gpu: f64,
    rollout_s: Option<f64>,
    update_actor_s: Option<f64>,
    old_log_prob_s: Option<f64>,
    log_probs_s: Option<f64>,
    weight_sync_s: Option<f64>,
    question: Question,
}

/// A published step and its phases.
struct Run {
    row: Row,
    /// The table it is from: what is left out together.
    table: String,
    step: Sample,
    /// The step as who does not know its engine asks it.
    unsaid: Sample,
    phases: Vec<(&'static str, Sample)>,
    /// New weights on their way.
    sync: Option<Sample>,
}

impl Run {
    /// The phases that were measured.
    fn parts(&self) -> impl Iterator<Item = (&'static str, &Sample)> {
        let phases = self.phases.iter().map(|(name, own)| (*name, own));
        phases.chain(self.sync.iter().map(|own| ("weight_sync", own)))
    }
}

impl Run {
    fn kind(&self) -> Kind {
        Kind::of(&self.step.job, &self.step.plan.layout)
    }
}

/// A step as the accuracy page shows it.
pub(crate) struct Published {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) url: String,
    pub(crate) date: String,
    pub(crate) note: Option<String>,
    pub(crate) headline: bool,
    pub(crate) question: Question,
    /// Tokens per second and GPU.
    pub(crate) measured: f64,
    /// How far off the step is, with all tables in the fit and without its own.
    pub(crate) errors: [f64; 2],
    /// The same of each phase that was measured.
    pub(crate) phases: Vec<(&'static str, [f64; 2])>,
}

/// Constants of RL trainers, and how far steps are off.
pub(crate) struct Steps {
    pub(crate) fitted: Efficiency,
    /// Half-widths of the interval as logarithms: of a kind that some step covers, of another, and where the engine is not said.
    pub(crate) widths: [f64; 3],
    /// Kinds that some step covers, with the steps of each table.
    pub(crate) kinds: BTreeMap<Kind, BTreeMap<String, usize>>,
    /// How far off steps are, each table from constants fitted on the others.
    pub(crate) left_out: Errors,
    /// The steps, resolved.
    pub(crate) plans: Vec<(Job, Plan)>,
    /// The steps, one by one.
    pub(crate) published: Vec<Published>,
    /// For a person.
    pub(crate) summary: String,
}

/// The table of a source: its file, or the model where a file holds several.
fn table(row: &Row) -> String {
    let model = row.question.model.as_str().unwrap_or("other");
    let file = row.source.split(' ').find(|word| word.ends_with(".csv"));
    file.map_or_else(
        || {
            let by = row.source.split(':').next().unwrap_or_default();
            format!("{by}: {model}")
        },
        str::to_owned,
    )
}

/// A question without what trainers pin of the engine.
fn unsaid(question: &Question) -> Question {
    let mut open = question.clone();
    if let Some(engine) = open.plan.as_mut().and_then(|plan| plan.rollout.as_mut()) {
        engine.engine_version = None;
        engine.enforce_eager = None;
        engine.max_num_seqs = None;
    }
    open
}

fn runs() -> Vec<Run> {
    let rows = RUNS
        .lines()
        .map(|line| serde_json::from_str::<Row>(line).unwrap_or_else(|error| panic!("{error}: {line}")));
    rows.map(|row| {
        let resolved = |question: &Question| {
            let job = job::resolve(question).unwrap();
            let plan = complete(&job, question.plan.as_ref().unwrap()).unwrap();
            (job, plan)
        };
        let (job, plan) = resolved(&row.question);
        let unsaid = resolved(&unsaid(&row.question));
        let sample = |measured, weight| Sample { job: job.clone(), plan, measured, weight };
        let phases: [(&[&str], _); 4] = [
            (&["rollout"], row.rollout_s),
            (&["update_actor"], row.update_actor_s),
            (&["old_log_prob"], row.old_log_prob_s),
            // One timer for the policy's and the reference's.
            (&["old_log_prob", "reference"], row.log_probs_s),
        ];
        Run {
            table: table(&row),
            step: sample(Measured::Rate(row.tokens_per_s_per_gpu), 1.0),
            unsaid: Sample {
                job: unsaid.0,
                plan: unsaid.1,
                measured: Measured::Rate(row.tokens_per_s_per_gpu),
                weight: 1.0,
            },
            sync: row
                .weight_sync_s
                .map(|seconds| sample(Measured::Phases(&["weight_sync"], seconds), 1.0)),
            phases: phases
                .into_iter()
                .filter_map(|(names, seconds)| Some((names[0], sample(Measured::Phases(names, seconds?), PHASE))))
                .collect(),
            row,
        }
    })
    .collect()
}

fn fitted_on<'a>(base: &Efficiency, runs: impl Iterator<Item = &'a Run>) -> Efficiency {
    let (mut samples, mut syncs) = (Vec::new(), Vec::new());
    for run in runs {
        samples.push(&run.step);
        samples.extend(run.phases.iter().map(|(_, own)| own));
        syncs.extend(&run.sync);
    }
    let base = solve::fitted(WEIGHT_SYNC, base, &syncs, SCALE);
    solve::fitted(REINFORCEMENT, &base, &samples, SCALE)
}

/// How far steps are off where all of their kind are left out.
fn without_kinds(base: &Efficiency, runs: &[Run]) -> Errors {
    let kinds: BTreeSet<Kind> = runs.iter().map(Run::kind).collect();
    let of = |kind: Kind| {
        let without = fitted_on(base, runs.iter().filter(|run| run.kind() != kind));
        let left = runs.iter().filter(move |run| run.kind() == kind);
        left.map(|run| run.step.error(&without)).collect::<Vec<_>>()
    };
    Errors(kinds.into_iter().flat_map(of).collect())
}

/// The kinds that steps are of, with how many each table has.
fn kinds(runs: &[Run]) -> BTreeMap<Kind, BTreeMap<String, usize>> {
    let mut kinds: BTreeMap<Kind, BTreeMap<String, usize>> = BTreeMap::new();
    for run in runs {
        *kinds.entry(run.kind()).or_default().entry(run.table.clone()).or_default() += 1;
    }
    kinds
}

pub(crate) fn fit(base: &Efficiency) -> Steps {
    let runs = runs();
    let fitted = fitted_on(base, runs.iter());
    let mut groups: BTreeMap<String, Errors> = BTreeMap::new();
    let mut add = |name: String, error: f64| groups.entry(name).or_default().0.push(error);
    for run in &runs {
        let error = run.step.error(&fitted);
        let tier = if run.row.headline { "headline" } else { "other" };
        add(tier.into(), error);
        add(format!("  {}", run.table), error);
        for (name, phase) in run.parts() {
            add(format!("phase {name}"), phase.error(&fitted));
        }
    }
    let tables: BTreeSet<&str> = runs.iter().map(|run| run.table.as_str()).collect();
    let mut left_out = Errors::default();
    let mut unsaid = Errors::default();
    let mut published = Vec::new();
    for table in tables {
        let without = fitted_on(base, runs.iter().filter(|run| run.table != table));
        for run in runs.iter().filter(|run| run.table == table) {
            let errors = |own: &Sample| [own.error(&fitted), own.error(&without)];
            left_out.0.push(errors(&run.step)[1]);
            add("left out".into(), errors(&run.step)[1]);
            unsaid.0.push(run.unsaid.error(&without));
            add("left out, its engine unsaid".into(), run.unsaid.error(&without));
            published.push(Published {
                id: run.row.id.clone(),
                source: run.row.source.clone(),
                url: run.row.source_url.clone(),
                date: run.row.date.clone(),
                note: run.row.mended.clone(),
                headline: run.row.headline,
                question: run.row.question.clone(),
                measured: run.row.tokens_per_s_per_gpu,
                errors: errors(&run.step),
                phases: run.parts().map(|(name, own)| (name, errors(own))).collect(),
            });
        }
    }
    let of_kinds = without_kinds(base, &runs);
    for error in &of_kinds.0 {
        groups.entry("kind left out".into()).or_default().0.push(*error);
    }
    let known = left_out.half_width(COVERED_SHARE);
    let of_others = [of_kinds.half_width(COVERED_SHARE), FirstMet::read().of_steps()]
        .into_iter()
        .fold(known, f64::max);
    Steps {
        widths: [known, of_others, unsaid.half_width(COVERED_SHARE)].map(rounded),
        kinds: kinds(&runs),
        left_out,
        summary: report::summary("RL steps", &groups),
        plans: runs.into_iter().map(|run| (run.step.job, run.step.plan)).collect(),
        published,
        fitted,
    }
}
