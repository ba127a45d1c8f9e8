//! Flags for a question: with the plan it states, or with the best plan the framework can run.

use crate::emit::{self, Emission, Framework, Snippet, Unsupported};
use shardwise_catalog::error::InputError;
use shardwise_engine::context::Context;
use shardwise_engine::possible::possible;
use shardwise_question::wire::Question;
use shardwise_search::answer::answer;
use shardwise_search::estimate::Evaluated;
use shardwise_search::search;

/// The texts of `framework` in one of its versions ([`Framework::version`]) for a question.
///
/// A plan that the question decides is printed as it is, or refused. Where the question leaves
/// room, the plan is the best one that the framework can run, which may be another than
/// [`shardwise_search::estimate()`]'s.
///
/// # Errors
/// As [`shardwise_search::estimate()`]; [`Unsupported`] where the framework cannot run the question at all.
///
/// ```
/// use shardwise_core::{emit::framework, flags, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}}"#).unwrap();
/// let deepspeed = framework("deepspeed").unwrap();
/// let texts = flags(&question, deepspeed, deepspeed.versions[0], "").unwrap().unwrap();
/// assert!(texts[0].text.contains("\"stage\": 3"));
/// ```
pub fn flags(
    question: &Question,
    framework: &'static Framework,
    version: &'static str,
    permalink: &str,
) -> Result<Result<Vec<Snippet>, Unsupported>, InputError> {
    let found = evaluate_for(question, framework)?;
    Ok(emit::emit(&Emission {
        framework,
        job: &found.job,
        plan: &found.plan,
        answer: &found.answer,
        permalink,
        version,
    }))
}

/// Whether a framework prints any plan of a question, as [`flags`] does the best: no plan is chosen for it.
///
/// ```
/// use shardwise_core::{emit::framework, serves, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let prints = |id| serves(&question, framework(id).unwrap(), framework(id).unwrap().versions[0]);
/// assert!(prints("axolotl"));
/// assert!(!prints("chatlearn"));
/// ```
#[must_use]
pub fn serves(question: &Question, framework: &'static Framework, version: &'static str) -> bool {
    let Ok(Some(search::Best { job, plan, .. })) = search::any_for(question, framework) else {
        return false;
    };
    let answer = answer(&Context::new(&job), &plan);
    let emission = Emission { framework, job: &job, plan: &plan, answer: &answer, permalink: "", version };
    emit::emit(&emission).is_ok_and(|texts| !texts.is_empty())
}

/// Answers a question with the plan that [`flags`] prints: the one it decides, else the best that `framework` runs.
///
/// # Errors
/// As [`shardwise_search::estimate()`].
///
/// ```
/// use shardwise_core::{emit::framework, evaluate_for, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let found = evaluate_for(&question, framework("megatron-lm").unwrap()).unwrap();
/// assert_eq!(found.answer.plan.backend, Some(wire::Backend::Megatron));
/// ```
pub fn evaluate_for(question: &Question, framework: &'static Framework) -> Result<Evaluated, InputError> {
    let search::Best { job, plan, considered, complete } = search::best_for(question, framework)?;
    let context = Context::new(&job);
    let answer = possible(&context, &plan, answer(&context, &plan))?;
    Ok(Evaluated { plan, answer, job, considered, complete })
}
