//! A search's outcome as it travels between programs: who receives it answers without searching.

use super::by_name;
use super::desk::Desk;
use crate::answer::answer as answer_to;
use shardwise_engine::context::Context;
use shardwise_question::complete::{complete, is_complete};
use shardwise_question::job::{self, Job};
use shardwise_question::market;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Answer, Question};
use shardwise_rules::Framework;

/// GPUs beyond which plans of training a model with experts are searched for longer than a page may stand still.
const AT_ONCE: u32 = 16;

/// Whether the best plan of a question takes long to find: up to a tenth of a second, where all others take a thirtieth
/// (`make bench`). Experts are spread in more ways than anything else is split, and an RL step has engines beside.
///
/// ```
/// use shardwise_core::{search::chosen::takes_long, wire};
/// let of = |model: &str| wire::parse_question(&format!(r#"{{"version": 1, "model": "{model}",
///     "hardware": {{"gpu": "h100-sxm", "gpus": 64}},
///     "workload": {{"kind": "sft", "sequence_length": 4096, "global_batch": 64}}}}"#)).unwrap();
/// assert!(takes_long(&of("qwen3-30b-a3b")));
/// assert!(!takes_long(&of("qwen3-8b")));
/// ```
#[must_use]
pub fn takes_long(question: &Question) -> bool {
    let trains_experts = |job: &Job| {
        let many = job.workload.rl.is_some() || job.hardware.gpus > AT_ONCE;
        let experts = job.model.shape.num_experts > 0;
        job.workload.generation.is_none() && experts && many
    };
    let spec = question.plan.clone().unwrap_or_default();
    job::resolve(question).is_ok_and(|job| trains_experts(&job) && !is_complete(&job, &spec))
}

/// A question with the plan that answers it stated, the offer that is rented, how its GPUs are shared, and the framework where
/// the answer's figures go by it: it has the same ones, without a search.
///
/// ```
/// use shardwise_core::{complete::is_complete, evaluate, search::chosen::decided, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let found = evaluate(&question).unwrap();
/// let decided = decided(&question, &found.answer);
/// assert!(is_complete(&found.job, decided.plan.as_ref().unwrap()));
/// ```
#[must_use]
pub fn decided(question: &Question, answer: &Answer) -> Question {
    let offer = answer.offer.as_ref().and_then(|own| market::of_id(&question.hardware, &own.id));
    let mut question = market::settled(question, offer.as_ref());
    if question.framework.is_none() {
        question.framework = chosen(&question, answer);
    }
    question.plan = Some(answer.plan.clone());
    if let (Some(rl), Some(split)) = (&mut question.workload.rl, answer.split) {
        rl.train_gpus = Some(split.train_gpus.into());
    }
    question
}

/// The framework of an answer, where the question leaves it open and figures go by it.
fn chosen(question: &Question, answer: &Answer) -> Option<String> {
    let own = answer.framework.as_ref().filter(|own| !own.stated)?;
    let spec = question.plan.clone().unwrap_or_default();
    let job = job::resolve(question).ok()?;
    let desk = Desk::new(None, 0);
    let is_own = |named: &&'static Framework| own.id == named.id;
    let named = || desk.by_name(&job, &spec).iter().any(is_own);
    // It was found by its name where its plan comes to something else by none.
    let in_need = || {
        let figures = |own: &Answer| (own.step_time_s, own.memory.reserved_gib, own.fit.probability);
        let nameless = |plan: Plan| figures(&answer_to(&Context::new(&job), &plan));
        let asked = desk.in_need(&job, &spec).iter().any(is_own);
        asked && complete(&job, &answer.plan).is_ok_and(|plan| nameless(plan) != figures(answer))
    };
    let run = || {
        by_name(&job, &complete(&job, &answer.plan).ok()?).filter(|(own, _)| job.searched && own.framework.is_some())
    };
    (named() || in_need() || run().is_some()).then(|| own.id.to_string())
}
