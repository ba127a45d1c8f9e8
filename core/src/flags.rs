//! Flags for a question: with the plan it states, or with the best plan the framework can run.

use crate::complete;
use crate::context::Context;
use crate::efficiency::EFFICIENCY;
use crate::emit::{Emission, Framework, Snippet, Unsupported};
use crate::error::InputError;
use crate::estimate::{self, Evaluated};
use crate::plan::Plan;
use crate::search;
use crate::wire::{PlanSpec, Question};

/// The texts of `framework` in one of its versions ([`Framework::version`]) for a question.
///
/// A plan that the question decides is printed as it is, or refused. Where the question leaves
/// room, the plan is the best one that the framework can run, which may be another than
/// [`crate::estimate()`]'s.
///
/// # Errors
/// As [`crate::estimate()`]; [`Unsupported`] where the framework cannot run the question at all.
pub fn flags(
    question: &Question,
    framework: &Framework,
    version: &'static str,
    permalink: &str,
) -> Result<Result<Vec<Snippet>, Unsupported>, InputError> {
    let found = evaluate_for(question, framework)?;
    Ok((framework.emit)(&Emission {
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
/// As [`crate::estimate()`].
pub fn evaluate_for(question: &Question, framework: &Framework) -> Result<Evaluated, InputError> {
    let job = search::split::resolve(question, &EFFICIENCY)?;
    let context = Context::new(&job);
    let spec = question.plan.clone().unwrap_or_default();
    let plan = if complete::is_complete(&job, &spec) {
        complete::complete(&job, &spec)?
    } else {
        runnable(&context, framework, &spec)?
    };
    let answer = estimate::answer(&context, &plan);
    Ok(Evaluated { plan, answer, job })
}

/// The best plan that `framework` runs; where it runs none, the best plan of all, whose refusal says why.
fn runnable(
    context: &Context<'_>,
    framework: &Framework,
    spec: &PlanSpec,
) -> Result<Plan, InputError> {
    search::best_for(context, spec, framework).or_else(|_| search::best(context, spec))
}
