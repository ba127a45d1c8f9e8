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

/// Answers a question with the plan that [`flags`] prints: the one it decides, else the best that `framework` runs.
///
/// # Errors
/// As [`shardwise_search::estimate()`].
pub fn evaluate_for(question: &Question, framework: &'static Framework) -> Result<Evaluated, InputError> {
    let search::Best { job, plan, complete } = search::best_for(question, framework)?;
    let context = Context::new(&job);
    let answer = possible(&context, &plan, answer(&context, &plan))?;
    Ok(Evaluated { plan, answer, job, complete })
}
