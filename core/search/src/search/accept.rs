//! Which plans count: those of a framework, by its rules.

use std::cell::Cell;

use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_rules::{self, FRAMEWORKS, Framework};

/// Whether a plan counts, and if it does not, what shares its fate: most rules are about a part of the plan, and all
/// plans with the same part need not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It counts.
    Yes,
    /// Not it.
    No,
    /// Nor it with another share of the card for its engine.
    NoShare,
    /// Nor it with another engine.
    NoEngine,
    /// Nor any of its parallel layout.
    NoGroup,
}

/// Says which plans count.
pub(super) type Accept<'a> = &'a dyn Fn(&Plan) -> Verdict;

/// What micro-batch, recomputation and offload have no part in.
const LAYOUT: [&str; 13] = [
    "plan.backend",
    "plan.tensor_parallel",
    "plan.pipeline_parallel",
    "plan.ulysses_parallel",
    "plan.expert_parallel",
    "plan.expert_tensor_parallel",
    "workload.kind",
    "workload.sequence_length",
    "workload.precision",
    "workload.images",
    "workload.distillation",
    "workload.lora",
    "workload.rl.schedule",
];

const BACKEND: &str = "plan.backend";

const SHARE: &str = "plan.rollout.gpu_memory_utilization";

/// What no plan changes, or none of a back end.
const OF_THE_JOB: [&str; 14] = [
    "model",
    "hardware",
    "workload.kind",
    "workload.images",
    "workload.distillation",
    "workload.lora",
    "workload.rl.schedule",
    "workload.rl.critic",
    "workload.rl.reward_model",
    "workload.rl.epochs",
    "workload.rl.max_response_length",
    "workload.rl.oversampling",
    "workload.rl.gen_batch_size",
    "workload.rl.old_log_prob",
];

/// Who has to run a plan.
#[derive(Clone, Copy)]
pub(crate) enum Runner {
    /// A framework.
    One(&'static Framework),
    /// Any of them.
    Some,
    /// Nobody here does.
    Nobody,
}

impl Runner {
    /// Who runs the plans of a job: the framework that its question names.
    pub(crate) fn of(job: &Job) -> Self {
        let named = job.framework.and_then(|own| shardwise_rules::framework(own.id));
        named.map_or(Self::Some, Self::One)
    }
}

/// Asks those who have to run a job's plans whether they do.
pub(crate) struct Runs<'a> {
    pub(super) runner: Runner,
    job: &'a Job,
    /// The one that ran the last plan: it is asked first.
    last: Cell<usize>,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(runner: Runner, job: &'a Job) -> Self {
        Self { runner, job, last: Cell::new(0) }
    }

    /// Whether a plan counts.
    pub(crate) fn verdict(&self, plan: &Plan) -> Verdict {
        match self.runner {
            Runner::One(framework) => run_by(framework, self.job, plan),
            Runner::Nobody => Verdict::Yes,
            Runner::Some => self.some(plan),
        }
    }

    fn some(&self, plan: &Plan) -> Verdict {
        let mut best = Verdict::NoGroup;
        let first = self.last.get();
        let others = (0..FRAMEWORKS.len()).filter(|place| *place != first);
        for place in [first].into_iter().chain(others) {
            let Some(framework) = FRAMEWORKS.get(place) else {
                continue;
            };
            let verdict = run_by(framework, self.job, plan);
            if verdict == Verdict::Yes {
                self.last.set(place);
                return verdict;
            }
            best = best.or(verdict);
        }
        best
    }

    /// Why those who have to run the job run it with no plan of `plan`'s back end; none where they may.
    pub(crate) fn refusal(&self, plan: &Plan) -> Option<InputError> {
        let of = |framework: &Framework| {
            let broken = framework.violations(self.job, plan);
            let alone = framework.backends.contains(&plan.layout.backend);
            let whole = |rule: &InputError| {
                let field = rule.field.as_str();
                !alone && field == BACKEND || OF_THE_JOB.iter().any(|own| field.starts_with(own))
            };
            broken.into_iter().find(whole)
        };
        match self.runner {
            Runner::One(framework) => of(framework),
            Runner::Nobody => None,
            Runner::Some => {
                let mut first = None;
                for framework in FRAMEWORKS {
                    first = first.or(Some(of(framework)?));
                }
                first
            }
        }
    }
}

impl Verdict {
    /// The verdict of two who may each run a plan.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::NoShare, _) | (_, Self::NoShare) => Self::NoShare,
            (Self::NoEngine, _) | (_, Self::NoEngine) => Self::NoEngine,
            (Self::NoGroup, Self::NoGroup) => Self::NoGroup,
        }
    }
}

/// The first framework that runs a plan as it is estimated.
pub(crate) fn first_to_run(job: &Job, plan: &Plan) -> Option<&'static Framework> {
    FRAMEWORKS.iter().find(|own| run_by(own, job, plan) == Verdict::Yes)
}

/// Whether `framework` runs a plan, and as it is estimated.
fn run_by(framework: &Framework, job: &Job, plan: &Plan) -> Verdict {
    let layout = &plan.layout;
    if !framework.backends.contains(&layout.backend) {
        return Verdict::NoGroup;
    }
    // It would run, and hold logits or wait for collectives that the estimate leaves out.
    let hides = layout.overlap.tensor_parallel && layout.tensor_parallel > 1;
    if layout.fused_lm_head && !framework.fused_lm_head || hides && !framework.overlaps_tensor_parallel {
        return Verdict::NoEngine;
    }
    let broken = framework.refused(job, plan);
    if broken.is_empty() {
        return Verdict::Yes;
    }
    let of = |whole: &str| broken.iter().any(|field| field.starts_with(whole));
    let layout = broken.iter().any(|field| LAYOUT.contains(&field.as_str()));
    if layout || of("model") || of("hardware") {
        Verdict::NoGroup
    } else if broken.iter().any(|field| !field.starts_with("plan.rollout")) {
        Verdict::NoEngine
    } else if of(SHARE) {
        Verdict::No
    } else {
        Verdict::NoShare
    }
}
