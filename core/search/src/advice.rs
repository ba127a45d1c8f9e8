//! Advice: what is wrong with a plan, what following the tuning guides would change, and where the search disagrees with
//! a rule of thumb or a published recipe.
//!
//! A rule proposes a plan, and the estimate of that plan says what the rule is worth in the case at hand. A rule that
//! gains nothing there is not said; a rule of thumb or a recipe that the search departs from is, with what following it
//! would cost.

mod case;
mod departure;
pub mod guides;
mod instead;
mod recipe;
mod rollout;
mod schedule;
mod sharded;
pub mod textbook;
mod thumb;
mod training;

use crate::figures;
use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::neighbours::{apply, moved_to, settings};
use crate::search::{self, Runs, Verdict};
use crate::warnings::warnings;
pub use case::Rule;
use case::{Case, NOTICEABLE, Proposal, Room, one, rule, seconds};
use guides::{CHATLEARN_GUIDE, LLMFORGE_COOKBOOK, PRACTICE, VERL_GUIDE};
use shardwise_catalog::ordered::insert;
use shardwise_catalog::units::fixed;
use shardwise_engine::context::Context;
use shardwise_engine::fit::HOPELESS;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Advice, Answer, Figures, FitState, Question, Schedule, Severity, to_value};

/// GPUs that train, where others generate.
const TRAINING: &str = "workload.rl.train_gpus";

/// Every rule whose gain is computed, those of each part of a plan together.
pub const RULES: [&[Rule]; 3] = [&training::RULES, &rollout::RULES, &schedule::RULES];

/// Whether following a piece of advice helps: rules of thumb and recipes that the search departs from say what they
/// would cost.
///
/// ```
/// use shardwise_core::{advice::helps, estimate, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}}"#).unwrap();
/// let mut advice = estimate(&question).unwrap().advice.remove(0);
/// assert!(helps(&advice));
/// advice.id = "published-recipe".into();
/// assert!(!helps(&advice));
/// ```
#[must_use]
pub fn helps(advice: &Advice) -> bool {
    !thumb::is_one(&advice.id) && advice.id != recipe::ID
}

/// All advice on the plan that answers a question: errors, warnings, then what gains most. `searched` says whether the
/// search chose the plan, so that it may be held against rules of thumb and a published recipe.
#[must_use]
pub fn advice(question: &Question, context: &Context<'_>, plan: &Plan, answer: &Answer, searched: bool) -> Vec<Advice> {
    let case = Case::of(context, plan);
    let mut found: Vec<(f64, Advice)> = warnings(context.job, plan, answer)
        .into_iter()
        .map(|advice| (0.0, advice))
        .collect();
    for rule in RULES.into_iter().flatten() {
        let Some((gain, advice)) = judged(&case, rule, question, searched) else {
            continue;
        };
        match found.iter_mut().find(|(_, known)| known.id == rule.id) {
            // What is wrong stays as bad as it is; what mending it gains is added.
            Some((order, known)) => {
                *order = gain;
                known.text = format!("{} {}", known.text, advice.text);
                known.gain = advice.gain;
                known.set = advice.set;
            }
            None => found.push((gain, advice)),
        }
    }
    if searched {
        let document = to_value(question);
        found.extend(thumb::departures(&case, question, &document));
        found.extend(recipe::departed(&case, question, &document));
        found.extend(instead::advised(&case, question));
        let guides = found.iter_mut().filter(|(_, own)| !helps(own));
        guides.for_each(|(_, own)| keep_split(&case, question, &mut own.set));
    }
    let mut sorted: Vec<(f64, Advice)> = Vec::with_capacity(found.len());
    for advice in found {
        insert(&mut sorted, advice, &order);
    }
    sorted.into_iter().map(|(_, advice)| advice).collect()
}

/// Has whoever follows advice keep the GPUs that train, unless that is what changes: what it is worth was found with as many.
fn keep_split(case: &Case<'_>, question: &Question, set: &mut Map<String, Value>) {
    let asked = question.workload.rl.as_ref().is_some_and(|own| own.train_gpus.is_none());
    let rl = case.job().workload.rl.as_ref();
    let moved = ["hardware.gpus", "workload.rl.schedule", TRAINING]
        .iter()
        .any(|path| set.contains_key(*path));
    if let Some(rl) = rl.filter(|rl| asked && !moved && rl.schedule != Schedule::Colocated) {
        set.insert(TRAINING.to_owned(), rl.train_gpus.into());
    }
}

/// Errors, warnings, then what gains most speed, or else memory.
fn order((one, a): &(f64, Advice), (other, b): &(f64, Advice)) -> Ordering {
    (a.severity as u8)
        .cmp(&(b.severity as u8))
        .then(other.total_cmp(one))
        .then(gib(a).total_cmp(&gib(b)))
}

fn gib(advice: &Advice) -> f64 {
    advice.gain.map_or(0.0, |gain| gain.gib)
}

/// What a rule says, where following it makes the step noticeably faster, or memory go round: first what makes a plan
/// fit, then by the share that each GPU gains in tokens.
///
/// Where the search chose the plan, whoever follows a rule has it choose anew: what comes of that is said ([`Rule::anew`]), and asked only
/// of what helps the plan at hand.
fn judged(case: &Case<'_>, rule: &Rule, question: &Question, searched: bool) -> Option<(f64, Advice)> {
    let proposal = (rule.propose)(case)?;
    let job = proposal.job.as_ref().map_or(case.job(), |(job, _)| job);
    let plan = moved_to(case.job(), job, case.plan, &proposal.plan)?;
    if case.runs && Runs::new(case.runner, job).verdict(&plan) != Verdict::Yes {
        return None;
    }
    let then = match &proposal.job {
        Some((job, _)) => figures::of(&Context::with(job, case.context.efficiency), &plan),
        None => figures::of(case.context, &plan),
    };
    let mut text = helped(case, rule, &proposal.what, &then)?;
    let mut set = settings(question, rule.about, (case.job(), &case.spec), (job, &plan));
    if let Some((_, own)) = proposal.job {
        for (path, value) in own {
            set.insert(path, value);
        }
    }
    let mut then = then;
    if searched {
        keep_split(case, question, &mut set);
    }
    // With the GPUs shared as they are it is a small part of the search.
    if searched && (rule.anew || set.contains_key(TRAINING)) {
        then = chosen_anew(case, question, &set)?;
        text = helped(case, rule, &proposal.what, &then)?;
    }
    let now = &case.now;
    let share = gained(&then, now);
    let mends = then.fits && !now.fits;
    let advice = Advice {
        id: rule.id.into(),
        severity: Severity::Hint,
        text: [text.as_str(), proposal.note].join(" ").trim_end().to_owned(),
        source: rule.source.into(),
        gain: Some(figures::less(&then, now)),
        set,
    };
    Some((share + if mends { 1e3 } else { 0.0 }, advice))
}

/// The share of its tokens that each GPU gains.
fn gained(then: &Figures, now: &Figures) -> f64 {
    then.tokens_per_s_per_gpu / now.tokens_per_s_per_gpu - 1.0
}

/// In which way other figures help, as a sentence; nothing where they do not.
fn helped(case: &Case<'_>, rule: &Rule, what: &str, then: &Figures) -> Option<String> {
    let now = &case.now;
    let share = gained(then, now);
    let saved = now.reserved_gib - then.reserved_gib;
    let (least, room) = rule.saves;
    let counts = room == Room::Any || case.is_tight();
    // A plan that fits pays nothing for more room.
    let saves = counts && saved > least && (share > -NOTICEABLE || !now.fits);
    // Room on the card is no help where host memory lacks more for it. What hardly ever fits has little to lose.
    let saves = saves && (then.fits || then.probability >= now.probability || now.probability < HOPELESS);
    // What is no surer than it is asked to be is helped by what is as sure.
    let rather_fits = FitState::of(now.probability, case.job().confidence).fits();
    let as_sure = then.fits || rather_fits && then.probability >= now.probability;
    if as_sure && share >= rule.noticeable {
        Some(faster(what, now, then))
    } else {
        saves.then(|| smaller(what, saved, then.step_time_s - now.step_time_s))
    }
}

/// The figures of the plan that the search chooses where a question has what following a rule sets.
fn chosen_anew(case: &Case<'_>, question: &Question, set: &Map<String, Value>) -> Option<Figures> {
    let (best, then) = answered_anew(case, question, set)?;
    if case.runs && Runs::new(case.runner, &best.job).verdict(&best.plan) != Verdict::Yes {
        return None;
    }
    Some(then)
}

/// What the search answers where a question has what following a rule sets, whoever runs it, with its figures.
fn answered_anew(case: &Case<'_>, question: &Question, set: &Map<String, Value>) -> Option<(search::Best, Figures)> {
    let best = search::best(&apply(question, set)?, case.context.efficiency, None).ok()?;
    let then = figures::of(&Context::with(&best.job, case.context.efficiency), &best.plan);
    Some((best, then))
}

fn faster(what: &str, now: &Figures, then: &Figures) -> String {
    let taken = now.step_time_s - then.step_time_s;
    // Fewer GPUs take longer for a step that is cheaper.
    if taken <= 0.0 {
        let less = 1.0 - now.tokens_per_s_per_gpu / then.tokens_per_s_per_gpu;
        return format!(
            "{what} makes a token {} % cheaper; a step takes {} longer.",
            fixed(100.0 * less, 0),
            seconds(-taken)
        );
    }
    format!("{what} takes {} off the step, {} %.", seconds(taken), fixed(100.0 * taken / now.step_time_s, 0))
}

fn smaller(what: &str, gib: f64, slower: f64) -> String {
    let saved = fixed(gib, 1);
    if slower > 0.005 {
        format!("{what} saves {saved} GiB at the peak and takes {} longer.", seconds(slower))
    } else {
        format!("{what} saves {saved} GiB at the peak.")
    }
}
