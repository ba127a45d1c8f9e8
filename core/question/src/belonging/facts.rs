//! What rules ask of a question, of its fields or of a document.

use serde_json::Value;

use crate::wire::{Placement, Question, RecomputeSpec, Schedule, TeacherLogits, WorkloadKind, at};

/// What the rules ask of a question.
#[derive(Debug, PartialEq)]
pub(super) struct Facts<'a> {
    /// Its kind; none where the document names one that there is not.
    pub(super) kind: Option<WorkloadKind>,
    pub(super) model: &'a Value,
    pub(super) framework: Option<&'a str>,
    pub(super) schedule: Option<&'a str>,
    pub(super) placement: Option<&'a str>,
    pub(super) logits: Option<&'a str>,
    pub(super) precompute_ref_log_probs: Option<bool>,
    pub(super) reference: Option<bool>,
    /// Whether RL states a critic.
    pub(super) critic: bool,
    /// Of `plan.recompute`, where it is an object.
    pub(super) granularity: Option<&'a str>,
}

impl<'a> Facts<'a> {
    /// Of a question that is a document, which may be none that is answered.
    pub(super) fn of_document(question: &'a Value) -> Self {
        let word = |path: &str| at(question, path).as_str();
        Self {
            kind: word("workload.kind").and_then(WorkloadKind::of),
            model: at(question, "model"),
            framework: word("framework"),
            schedule: word("workload.rl.schedule"),
            placement: word("workload.distillation.placement"),
            logits: word("workload.distillation.logits"),
            precompute_ref_log_probs: at(question, "workload.precompute_ref_log_probs").as_bool(),
            reference: at(question, "workload.rl.reference").as_bool(),
            critic: !at(question, "workload.rl.critic").is_null(),
            granularity: word("plan.recompute.granularity"),
        }
    }

    pub(super) fn of(question: &'a Question) -> Self {
        let Question { workload, plan, .. } = question;
        let (rl, distillation) = (workload.rl.as_ref(), workload.distillation.as_ref());
        let critic = rl.and_then(|own| own.critic.as_ref());
        Self {
            kind: Some(workload.kind),
            model: &question.model,
            framework: question.framework.as_deref(),
            schedule: rl.and_then(|own| own.schedule.as_ref()).map(Schedule::as_str),
            placement: distillation.and_then(|own| own.placement.as_ref()).map(Placement::as_str),
            logits: distillation.and_then(|own| own.logits.as_ref()).map(TeacherLogits::as_str),
            precompute_ref_log_probs: workload.precompute_ref_log_probs,
            reference: rl.and_then(|own| own.reference),
            critic: critic.is_some_and(|own| !own.is_null()),
            granularity: match plan.as_ref().and_then(|own| own.recompute.as_ref()) {
                Some(RecomputeSpec::Modules { granularity, .. }) => Some(granularity.as_str()),
                Some(RecomputeSpec::Word(_)) | None => None,
            },
        }
    }
}
