//! Which plans count: those of a framework, by its rules.

use std::cell::Cell;

use shardwise_catalog::error::InputError;
use shardwise_question::framework::swaps_reference;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, Recompute};
use shardwise_question::wire::Offload;
use shardwise_rules::{self, FRAMEWORKS, Framework};

/// Whether a plan counts, and if it does not, what shares its fate: most rules are about a part of the plan, and all
/// plans with the same part need not be asked.
///
/// A later one says more than those before it: of several rules the last counts, of several frameworks the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// It counts.
    Yes,
    /// Not it.
    No,
    /// Nor it with another share of the card for its engine.
    NoShare,
    /// Nor it with another engine.
    NoEngine,
    /// Nor it with other recomputation, offload or head.
    NoPass,
    /// Nor any of its parallel layout.
    NoGroup,
}

/// Says which plans count.
pub(super) type Accept<'a> = &'a dyn Fn(&Plan) -> Verdict;

/// What micro-batch, recomputation and offload have no part in, nor what one engine of a search has otherwise than the next.
const LAYOUT: [&str; 20] = [
    "plan.backend",
    "plan.attention",
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
    "plan.rollout.engine",
    "plan.rollout.precision",
    "plan.rollout.kv_cache_dtype",
    "plan.rollout.chunked_prefill",
    "plan.rollout.free_cache",
    "plan.rollout.enforce_eager",
];

/// What recomputation, offload and head have no part in.
const PASS: [&str; 7] = [
    "plan.context_parallel",
    "plan.shard_group",
    "plan.virtual_pipeline",
    "plan.micro_batch",
    "plan.max_tokens_per_gpu",
    "workload.global_batch",
    "workload.packing",
];

const BACKEND: &str = "plan.backend";

const SHARE: &str = "plan.rollout.gpu_memory_utilization";

/// What no plan changes, or none of a back end.
const OF_THE_JOB: [&str; 17] = [
    "model",
    "hardware",
    "workload.kind",
    "workload.images",
    "workload.distillation",
    "workload.lora",
    "workload.rl.schedule",
    "workload.rl.critic",
    "workload.rl.reference",
    "workload.rl.reward_model",
    "workload.rl.agent",
    "workload.rl.epochs",
    "workload.rl.max_response_length",
    "workload.rl.oversampling",
    "workload.rl.gen_batch_size",
    "workload.rl.old_log_prob",
    "plan.rollout.engine",
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
    /// Who runs no plan of a back end, by its number.
    never: Cell<[Frameworks; 4]>,
    /// What is known of plans like the last.
    like: Cell<Option<Like>>,
}

/// Some of the frameworks: a bit each, by their places.
type Frameworks = u64;

/// What is known of the plans of a parallel layout, and of those of them with one micro-batch.
#[derive(Clone, Copy)]
struct Like {
    layout: Layout,
    micro_batch: MicroBatch,
    /// Who runs none of the layout's.
    no_group: Frameworks,
    /// Who runs none of those with this micro-batch.
    no_pass: Frameworks,
}

impl Like {
    fn of(layout: &Layout) -> Self {
        let micro_batch = layout.micro_batch;
        let layout = Layout {
            micro_batch: MicroBatch::Sequences(1),
            recompute: Recompute::None,
            offload: Offload::default(),
            optimizer_offload_fraction: 0.0,
            fused_lm_head: false,
            ..*layout
        };
        Self { layout, micro_batch, no_group: 0, no_pass: 0 }
    }

    /// With what is known of them, where `known` is of the same.
    fn knowing(self, known: Option<Self>) -> Self {
        match known.filter(|known| known.layout == self.layout) {
            Some(known) if known.micro_batch == self.micro_batch => known,
            Some(known) => Self { no_group: known.no_group, ..self },
            None => self,
        }
    }
}

impl<'a> Runs<'a> {
    pub(crate) fn new(runner: Runner, job: &'a Job) -> Self {
        let by_name =
            (0..FRAMEWORKS.len()).filter(|place| FRAMEWORKS.get(*place).is_some_and(|own| is_otherwise(own, job)));
        let by_name: Frameworks = by_name.map(|place| 1 << place).sum();
        Self { runner, job, last: Cell::new(0), never: Cell::new([by_name; 4]), like: Cell::default() }
    }

    /// Whether a plan counts.
    pub(crate) fn verdict(&self, plan: &Plan) -> Verdict {
        match self.runner {
            Runner::One(framework) => run_by(framework, self.job, plan),
            Runner::Nobody => Verdict::Yes,
            Runner::Some => self.some(plan),
        }
    }

    /// Who refused what this plan shares with others is not asked again: a search comes by plans in that order.
    fn some(&self, plan: &Plan) -> Verdict {
        let mut like = Like::of(&plan.layout).knowing(self.like.get());
        let mut all_never = self.never.get();
        let never = &mut all_never[plan.layout.backend as usize];
        let first = self.last.get();
        let others = (0..FRAMEWORKS.len()).filter(|place| *place != first);
        let mut best = Verdict::NoGroup;
        for place in [first].into_iter().chain(others) {
            let own: Frameworks = 1 << place;
            if (like.no_group | *never) & own != 0 {
                continue;
            }
            if like.no_pass & own != 0 {
                best = best.min(Verdict::NoPass);
                continue;
            }
            let Some(framework) = FRAMEWORKS.get(place) else {
                continue;
            };
            let (verdict, whole) = asked(framework, self.job, plan);
            best = best.min(verdict);
            *never |= if whole { own } else { 0 };
            match verdict {
                Verdict::Yes => {
                    self.last.set(place);
                    break;
                }
                Verdict::NoGroup => like.no_group |= own,
                Verdict::NoPass => like.no_pass |= own,
                Verdict::No | Verdict::NoShare | Verdict::NoEngine => {}
            }
        }
        self.like.set(Some(like));
        self.never.set(all_never);
        best
    }

    /// Why those who have to run the job run it with no plan of `plan`'s back end; none where they may.
    pub(crate) fn refusal(&self, plan: &Plan) -> Option<InputError> {
        let of = |framework: &Framework| {
            let broken = framework.violations(self.job, plan);
            let alone = framework.backends.contains(&plan.layout.backend);
            let whole = |rule: &InputError| !alone && rule.field == BACKEND || is_of_the_job(&rule.field);
            broken.into_iter().find(whole)
        };
        match self.runner {
            Runner::One(framework) => of(framework),
            Runner::Nobody => None,
            Runner::Some => {
                let mut first = None;
                for framework in FRAMEWORKS.iter().filter(|own| !is_otherwise(own, self.job)) {
                    first = first.or(Some(of(framework)?));
                }
                first
            }
        }
    }
}

impl Verdict {
    /// What a refusal of a field says of other plans: [`LAYOUT`] and [`PASS`] name what its rules depend on.
    pub(super) fn of_field(field: &str) -> Self {
        if LAYOUT.contains(&field) || field.starts_with("model") || field.starts_with("hardware") {
            Self::NoGroup
        } else if PASS.contains(&field) {
            Self::NoPass
        } else if !field.starts_with("plan.rollout") {
            Self::NoEngine
        } else if field.starts_with(SHARE) {
            Self::No
        } else {
            Self::NoShare
        }
    }
}

/// The first framework that runs a plan as it is estimated, or else the first that runs it otherwise.
pub(crate) fn first_to_run(job: &Job, plan: &Plan) -> Option<&'static Framework> {
    let first = |otherwise| {
        let mut alike = FRAMEWORKS.iter().filter(|own| is_otherwise(own, job) == otherwise);
        alike.find(|own| run_by(own, job, plan) == Verdict::Yes)
    };
    first(false).or_else(|| first(true))
}

/// Whether a framework runs each plan of a job that names none otherwise than it is estimated, so that it is asked by name: one
/// that lets a reference without adapters take the policy's place, where sequences are preferred. In RL it is asked as the others
/// are, as a search takes long there, and what it finds is then estimated as it runs ([`super::as_run`]).
pub(super) fn is_otherwise(framework: &Framework, job: &Job) -> bool {
    let workload = &job.workload;
    let refers = workload.rl.is_none() && workload.has_reference() && workload.lora.is_none();
    job.framework.is_none() && refers && swaps_reference(Some(framework.id))
}

/// Whether `framework` runs a plan, and as it is estimated.
fn run_by(framework: &Framework, job: &Job, plan: &Plan) -> Verdict {
    asked(framework, job, plan).0
}

/// Whether `framework` runs a plan, and as it is estimated; and whether it runs no plan of this back end.
fn asked(framework: &Framework, job: &Job, plan: &Plan) -> (Verdict, bool) {
    let layout = &plan.layout;
    if !framework.backends.contains(&layout.backend) {
        return (Verdict::NoGroup, true);
    }
    // It would run, and hold logits or wait for collectives that the estimate leaves out.
    let hides = layout.overlap.tensor_parallel && layout.tensor_parallel > 1;
    if layout.fused_lm_head && !framework.fuses_the_lm_head(layout.backend)
        || hides && !framework.overlaps_tensor_parallel
    {
        return (Verdict::NoEngine, false);
    }
    let broken = framework.refused(job, plan);
    let verdict = broken.iter().map(|field| Verdict::of_field(field)).max();
    let verdict = verdict.unwrap_or(Verdict::Yes);
    (verdict, broken.iter().any(|field| is_of_the_job(field)))
}

/// Whether no plan changes a field.
pub(super) fn is_of_the_job(field: &str) -> bool {
    OF_THE_JOB.iter().any(|own| field.starts_with(own))
}
