//! Which plans count: those of a framework, by its rules.

use crate::emit::Framework;
use crate::job::Job;
use crate::plan::Plan;

/// Whether a plan counts, and if it does not, what shares its fate: most rules are about a part of the plan, and all
/// plans with the same part need not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It counts.
    Yes,
    /// Not it.
    No,
    /// Nor it with another engine.
    NoEngine,
    /// Nor any of its parallel layout.
    NoGroup,
}

/// Says which plans count.
pub(super) type Accept<'a> = &'a dyn Fn(&Plan) -> Verdict;

/// What micro-batch, recomputation and offload have no part in.
const LAYOUT: [&str; 7] = [
    "plan.backend",
    "plan.tensor_parallel",
    "plan.pipeline_parallel",
    "plan.ulysses_parallel",
    "plan.expert_parallel",
    "plan.expert_tensor_parallel",
    "workload.kind",
];

/// Whether `framework` runs a plan.
pub(super) fn run_by(framework: Option<&Framework>, job: &Job, plan: &Plan) -> Verdict {
    let Some(framework) = framework else {
        return Verdict::Yes;
    };
    let broken = (framework.violations)(job, plan);
    if broken.is_empty() {
        return Verdict::Yes;
    }
    let of = |whole: &str| broken.iter().any(|rule| rule.field.starts_with(whole));
    let layout = broken
        .iter()
        .any(|rule| LAYOUT.contains(&rule.field.as_str()));
    if layout || of("model") || of("hardware") {
        Verdict::NoGroup
    } else if broken
        .iter()
        .any(|rule| !rule.field.starts_with("plan.rollout"))
    {
        Verdict::NoEngine
    } else {
        Verdict::No
    }
}
