//! From a question to its answer.

use crate::advice;
use crate::answer::answer;
use crate::caveats;
use crate::search;
use shardwise_catalog::efficiency::{EFFICIENCY, Efficiency};
use shardwise_catalog::error::InputError;
use shardwise_engine::context::Context;
use shardwise_engine::possible::{self, possible};
use shardwise_question::complete;
use shardwise_question::job::Job;
use shardwise_question::market;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Advice, Answer, PlanSpec, Question};

/// An answer with its workings.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The question, resolved.
    pub job: Job,
    /// The plan that was evaluated.
    pub plan: Plan,
    /// The answer.
    pub answer: Answer,
    /// Legal plans among which it is the best; 1 where the question decides it.
    pub considered: u64,
    /// Whether all plans were considered: false where the work that a question may cost ran out.
    pub complete: bool,
}

/// Answers a question.
///
/// # Errors
/// Names the field that is missing, out of range, or ruled out by model or machine.
///
/// ```
/// let question = shardwise_core::wire::parse_question(r#"{
///     "version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "tensor_parallel": 1, "pipeline_parallel": 1,
///              "context_parallel": 1, "micro_batch": 4, "recompute": "full"}
/// }"#).unwrap();
/// let answer = shardwise_core::estimate(&question).unwrap();
/// assert!(answer.fits);
/// ```
pub fn estimate(question: &Question) -> Result<Answer, InputError> {
    evaluate(question).map(|evaluated| evaluated.answer)
}

/// Answers a question and keeps the workings.
///
/// # Errors
/// As [`estimate()`].
///
/// ```
/// use shardwise_core::{evaluate, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let found = evaluate(&question).unwrap();
/// assert!(found.complete && found.considered > 1000);
/// assert_eq!(found.answer.plan, found.plan.to_spec());
/// ```
pub fn evaluate(question: &Question) -> Result<Evaluated, InputError> {
    found(question, &EFFICIENCY, Some(advised))
}

/// The advice on what [`evaluate_alone`] found: [`evaluate`] gives both.
///
/// ```
/// use shardwise_core::{advise, evaluate, evaluate_alone, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}}"#).unwrap();
/// let advice = advise(&question, &evaluate_alone(&question).unwrap());
/// assert!(!advice.is_empty());
/// assert_eq!(advice.len(), evaluate(&question).unwrap().answer.advice.len());
/// ```
#[must_use]
pub fn advise(question: &Question, found: &Evaluated) -> Vec<Advice> {
    advised(question, &Context::new(&found.job), &found.plan, &found.answer)
}

fn advised(question: &Question, context: &Context<'_>, plan: &Plan, answer: &Answer) -> Vec<Advice> {
    // What is advised is on the machine that is rented.
    let question = &market::settled(question, context.job.hardware.offer.as_ref());
    let searched = !complete::is_complete(context.job, question.plan.as_ref().unwrap_or(&PlanSpec::default()));
    advice::advice(question, context, plan, answer, searched)
}

/// Answers without advice, which takes longer than all the rest, and keeps the workings: for comparing many questions.
///
/// # Errors
/// As [`estimate()`].
///
/// ```
/// use shardwise_core::{evaluate_alone, wire};
/// let mut question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "a100-sxm-80g"},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let before = evaluate_alone(&question).unwrap().answer;
/// question.hardware.gpu = "h100-sxm".into();
/// assert!(evaluate_alone(&question).unwrap().answer.tokens_per_s > before.tokens_per_s);
/// ```
pub fn evaluate_alone(question: &Question) -> Result<Evaluated, InputError> {
    evaluate_with(question, &EFFICIENCY)
}

/// Answers without advice, with other efficiencies than the built-in ones, and keeps the workings: for fitting them.
///
/// # Errors
/// As [`estimate()`].
///
/// ```
/// use shardwise_core::{efficiency::EFFICIENCY, evaluate_alone, evaluate_with, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}}"#).unwrap();
/// let mut slower = EFFICIENCY.clone();
/// slower.nvlink /= 2.0;
/// let step_time_s = evaluate_with(&question, &slower).unwrap().answer.step_time_s;
/// assert!(step_time_s > evaluate_alone(&question).unwrap().answer.step_time_s);
/// ```
pub fn evaluate_with(question: &Question, efficiency: &Efficiency) -> Result<Evaluated, InputError> {
    found(question, efficiency, None)
}

/// What advises on an answer. It is given, not named: what compares many machines does not carry it in the page's engine.
type Advise = fn(&Question, &Context<'_>, &Plan, &Answer) -> Vec<Advice>;

/// [`evaluate_alone`] of a question that leaves its plan open. Of one that decides it, where nothing is looked for, only whether
/// it is refused: then the step is estimated and nothing is written.
///
/// # Errors
/// As [`estimate()`].
///
/// ```
/// use shardwise_core::{evaluate_alone, evaluate_open, wire};
/// let mut question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let found = evaluate_open(&question).unwrap().unwrap();
/// question.plan = Some(found.answer.plan);
/// assert!(evaluate_open(&question).unwrap().is_none());
/// assert!(evaluate_alone(&question).is_ok());
/// ```
pub fn evaluate_open(question: &Question) -> Result<Option<Evaluated>, InputError> {
    let best = search::best(question, &EFFICIENCY, None)?;
    if best.considered != 1 {
        return answered(question, best, &EFFICIENCY, None).map(Some);
    }
    possible::check(&Context::new(&best.job), &best.plan).map(|()| None)
}

fn found(question: &Question, efficiency: &Efficiency, advise: Option<Advise>) -> Result<Evaluated, InputError> {
    answered(question, search::best(question, efficiency, None)?, efficiency, advise)
}

fn answered(
    question: &Question,
    best: search::Best,
    efficiency: &Efficiency,
    advise: Option<Advise>,
) -> Result<Evaluated, InputError> {
    let search::Best { job, plan, considered, complete } = best;
    let context = Context::with(&job, efficiency);
    let mut answer = possible(&context, &plan, answer(&context, &plan))?;
    answer.caveats.extend((!complete).then(caveats::cut_short));
    if let Some(advise) = advise {
        answer.advice = advise(question, &context, &plan, &answer);
    }
    Ok(Evaluated { plan, answer, job, considered, complete })
}
