//! Whether runs that ran are said to fit, and those that ran out of memory not to.
//!
//! `data/fit.toml` holds what questions do not say of a run and its recipe does; `data/out-of-memory.jsonl` runs whose
//! source says that they ran out of memory; `public/accuracy.json` how often probabilities came true, as `make fit` finds.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};
use shardwise_core::evaluate_alone;
use shardwise_core::wire::{Fit, FitState, Question, question_from_value};

use super::reports;
use crate::generations::{self, Generation};
use crate::runs;

const KNOWN: &str = include_str!("../data/fit.toml");
const STEPS: &str = include_str!("../data/rl.jsonl");
const OUT_OF_MEMORY: &str = include_str!("../data/out-of-memory.jsonl");
const PAGE: &str = include_str!("../../../public/accuracy.json");

/// Share of the runs that ran that are to be `fits` or `tight`.
const SAID_TO_FIT: f64 = 0.98;

/// By how much a decile may be off: of 170 runs as many as two standard deviations of a share of one half.
const OFF: f64 = 0.08;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    recipe: Vec<Recipe>,
    unsaid: Vec<Unsaid>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    runs: Vec<String>,
    says: String,
    source: String,
    /// What it says otherwise than the question: a JSON merge patch (RFC 7396).
    question: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unsaid {
    runs: Vec<String>,
    says: String,
    source: String,
}

fn known() -> Known {
    toml::from_str(KNOWN).unwrap()
}

/// A run and the question that describes it.
#[derive(Deserialize)]
struct Ran {
    id: String,
    question: Value,
}

fn steps() -> Vec<Ran> {
    let rows = STEPS.lines();
    rows.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn training() -> Vec<Ran> {
    let ran = |run: runs::Run| Ran { id: run.id, question: serde_json::to_value(&run.question).unwrap() };
    runs::all().into_iter().map(ran).collect()
}

fn rollouts() -> Vec<Ran> {
    let ran = |run: Generation| {
        let mut question = run.question();
        // TensorRT-LLM takes its share of what weights leave (`kv_cache_free_gpu_mem_fraction`, 0.9 to 0.95 in its own tables),
        // the others of the card.
        if run.engine == "tensorrt_llm" {
            question["plan"]["rollout"]["gpu_memory_utilization"] = json!(0.95);
        }
        Ran { id: run.id.to_owned(), question }
    };
    generations::batches().map(ran).collect()
}

fn merge(target: &mut Value, change: &Value) {
    match change {
        Value::Object(change) => {
            if !target.is_object() {
                *target = json!({});
            }
            for (key, value) in change {
                merge(&mut target[key], value);
            }
        }
        other => *target = other.clone(),
    }
}

/// Whether a run fits; none where its question is refused.
fn fit(question: &Value) -> Option<Fit> {
    let question: Question = question_from_value(question.clone()).ok()?;
    Some(evaluate_alone(&question).ok()?.answer.fit)
}

fn is_said_to_fit(fit: &Fit) -> bool {
    matches!(fit.state, FitState::Fits | FitState::Tight)
}

/// What a run's recipe says over its question.
fn with_recipe(mut run: Ran, known: &Known) -> Ran {
    for recipe in known.recipe.iter().filter(|own| own.runs.contains(&run.id)) {
        merge(&mut run.question, &recipe.question);
    }
    run
}

#[test]
fn runs_that_ran_are_said_to_fit() {
    let known = known();
    for (kind, runs) in [("training", training()), ("rl", steps()), ("rollout", rollouts())] {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut ran, mut apart) = (0, 0);
        for run in runs {
            if known.unsaid.iter().any(|own| own.runs.contains(&run.id)) {
                apart += 1;
                continue;
            }
            let run = with_recipe(run, &known);
            let Some(fit) = fit(&run.question) else {
                continue;
            };
            ran += 1;
            let state = match fit.state {
                FitState::Fits => "fits",
                FitState::Tight => "tight",
                FitState::Unlikely => "unlikely",
                FitState::No => "no",
            };
            *counts.entry(state).or_default() += 1;
            if !is_said_to_fit(&fit) {
                println!(
                    "  {} {state} {:.2}: {} needs {:.1} of {:.1} GiB",
                    run.id, fit.probability, fit.phase, fit.needed_gib, fit.capacity_gib
                );
            }
        }
        let said = ["fits", "tight"].map(|state| counts.get(state).copied().unwrap_or(0));
        let share = said.iter().sum::<usize>() as f64 / f64::from(ran);
        println!(
            "{kind}: {counts:?}, {:.2} % said to fit, {apart} whose questions do not say what decides",
            100.0 * share
        );
        assert!(share >= SAID_TO_FIT, "{kind}: {share:.3} of {ran}");
        assert!(apart <= 30, "{kind}: {apart} runs are counted apart");
    }
}

#[test]
fn runs_out_of_memory_are_not_said_to_fit() {
    let runs: Vec<Ran> = OUT_OF_MEMORY
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    assert!(runs.len() >= 4, "{}", runs.len());
    for run in runs {
        let fit = fit(&run.question).unwrap_or_else(|| panic!("{} is refused", run.id));
        println!("{} {:.3} in {}", run.id, fit.probability, fit.phase);
        assert!(!is_said_to_fit(&fit), "{}: {}", run.id, fit.probability);
    }
}

/// Each line is of a run, cites its source, and is needed: without it the run is not said to fit.
#[test]
fn what_recipes_say_is_cited_and_needed() {
    let known = known();
    let runs: BTreeMap<String, Value> = [training(), steps(), rollouts()]
        .into_iter()
        .flatten()
        .map(|run| (run.id, run.question))
        .collect();
    let recipes = known.recipe.iter().map(|own| (&own.runs, &own.says, &own.source));
    let unsaid = known.unsaid.iter().map(|own| (&own.runs, &own.says, &own.source));
    let mut seen = BTreeSet::new();
    for (ids, says, source) in recipes.chain(unsaid) {
        assert!(says.len() >= 30 && source.starts_with("https://"), "{says}");
        for id in ids {
            assert!(seen.insert(id.clone()), "{id} is there twice");
            let question = runs.get(id).unwrap_or_else(|| panic!("{id} is no run"));
            let fit = fit(question).unwrap_or_else(|| panic!("{id} is refused"));
            assert!(!is_said_to_fit(&fit), "{id} is said to fit without its line");
        }
    }
}

/// `public/accuracy.json` as far as it says how often probabilities came true.
#[derive(Deserialize)]
struct Page {
    reliability: Vec<Decile>,
    sure: Vec<Sure>,
    said: Said,
}

#[derive(Deserialize)]
struct Sure {
    asked: f64,
    held: f64,
    rows: usize,
}

#[derive(Deserialize)]
struct Said {
    ran: usize,
    failed: usize,
    failed_fit: usize,
}

#[derive(Deserialize)]
struct Decile {
    from: f64,
    to: f64,
    predicted: f64,
    observed: f64,
    rows: usize,
}

/// The share of runs whose peak lies below the quantile that their left-out source gives is the quantile's.
#[test]
fn probabilities_come_true() {
    let Page { reliability, .. } = serde_json::from_str(PAGE).unwrap();
    assert_eq!(reliability.len(), 10);
    let rows: usize = reliability.iter().map(|own| own.rows).sum();
    assert!(rows >= 150, "{rows} runs are too few to say");
    let mut below = 0;
    for (place, own) in reliability.iter().enumerate() {
        let [from, to] = [place, place + 1].map(|at| at as f64 / 10.0);
        assert_eq!((own.from, own.to, own.predicted), (from, to, to));
        below += own.rows;
        let share = below as f64 / rows as f64;
        assert!((own.observed - share).abs() < 1e-3, "up to {to}: {share}");
        let off = own.observed - own.predicted;
        println!("up to {to}: {:+.1} points", 100.0 * off);
        assert!(off.abs() <= OFF, "up to {to}: {}", own.observed);
    }
}

/// What the accuracy page leads with: of runs that were called so sure, as many fit.
#[test]
fn levels_of_certainty_come_true() {
    let Page { sure, said, .. } = serde_json::from_str(PAGE).unwrap();
    let asked: Vec<f64> = sure.iter().map(|own| own.asked).collect();
    assert_eq!(asked, [0.8, 0.9, 0.95, 0.99]);
    for own in sure {
        assert!(own.rows >= 150, "{} runs are too few to say", own.rows);
        assert!((own.held - own.asked).abs() <= 0.5 * OFF, "asked {}: {}", own.asked, own.held);
    }
    let reported = reports::outcomes();
    let ran = training().len() + steps().len() - refused() + reported.0;
    assert_eq!((said.ran, said.failed), (ran, OUT_OF_MEMORY.lines().count() + reported.1));
    assert!(said.failed_fit <= reports::SURE_AND_WRONG, "{}", said.failed_fit);
}

/// Questions of runs that are refused.
fn refused() -> usize {
    let questions = training().into_iter().chain(steps());
    questions.filter(|run| fit(&run.question).is_none()).count()
}
