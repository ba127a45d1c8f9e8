//! Every legal layout of a job on its GPUs, ranked.

use std::cmp::Ordering;

use crate::complete::{complete, complete_rollout, generating_gpus, training_gpus};
use crate::context::Context;
use crate::error::InputError;
use crate::estimate;
use crate::job::{self, Job};
use crate::plan::{Layout, MicroBatch, Plan, Recompute};
use crate::step;
use crate::wire::{
    Answer, Backend, Offload, PlanSpec, Question, RecomputeGranularity, RecomputeSpec,
    RolloutPlanSpec, WorkloadKind,
};
use crate::workload::Rl;

/// What "best" means. For one GPU type and count the cheapest plan is the fastest one; the two
/// differ once counts or types are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Dollars per token.
    #[default]
    Cost,
    /// Seconds per step.
    Time,
}

/// Ranked plans.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Legal layouts that were evaluated.
    pub considered: usize,
    /// Those that fit.
    pub fitting: usize,
    /// The best ones, best first; where none fits, those with the smallest shortfall.
    pub plans: Vec<Answer>,
}

/// Searches all legal layouts of a question.
///
/// # Errors
/// As [`crate::estimate`].
pub fn search(
    question: &Question,
    objective: Objective,
    limit: usize,
) -> Result<SearchResult, InputError> {
    let job = job::resolve(question)?;
    let context = Context::new(&job);
    let spec = question.plan.clone().unwrap_or_default();
    // Cost and time agree for one GPU type and count.
    let (Objective::Cost | Objective::Time) = objective;
    let ranked = rank(&context, &spec, &|_| true)?;
    Ok(SearchResult {
        considered: ranked.considered,
        fitting: ranked.fitting,
        plans: ranked
            .plans
            .iter()
            .take(limit.max(1))
            .map(|scored| estimate::answer(&context, &scored.plan))
            .collect(),
    })
}

/// The best plan that keeps what `spec` states.
///
/// # Errors
/// Names the stated field that no legal layout can keep.
pub fn best(context: &Context<'_>, spec: &PlanSpec) -> Result<Plan, InputError> {
    best_where(context, spec, &|_| true).map(|found| found.plan)
}

/// The best plan that keeps what `spec` states and that `accept` accepts.
///
/// # Errors
/// As [`best`]; an error about `plan` where nothing is accepted.
pub fn best_where(
    context: &Context<'_>,
    spec: &PlanSpec,
    accept: &dyn Fn(&Plan) -> bool,
) -> Result<Candidate, InputError> {
    let ranked = rank(context, spec, accept)?;
    ranked
        .plans
        .into_iter()
        .next()
        .ok_or_else(|| InputError::new("plan", "No legal layout is accepted."))
}

/// A plan and how it ranks.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    fits: bool,
    shortfall: f64,
    seconds: f64,
    simplicity: u32,
}

impl Candidate {
    /// Whether this plan ranks before another: what fits, then what is faster, then what is simpler.
    #[must_use]
    pub fn beats(&self, other: &Self) -> bool {
        self.order(other).is_lt()
    }

    fn order(&self, other: &Self) -> Ordering {
        other
            .fits
            .cmp(&self.fits)
            .then(self.shortfall.total_cmp(&other.shortfall))
            .then(bucket(self.seconds).total_cmp(&bucket(other.seconds)))
            .then(self.simplicity.cmp(&other.simplicity))
            .then(self.seconds.total_cmp(&other.seconds))
    }
}

struct Ranked {
    considered: usize,
    fitting: usize,
    plans: Vec<Candidate>,
}

/// Plans kept after ranking: more than any table shows.
const KEPT: usize = 64;

fn rank(
    context: &Context<'_>,
    spec: &PlanSpec,
    accept: &dyn Fn(&Plan) -> bool,
) -> Result<Ranked, InputError> {
    let job = context.job;
    let mut found = Found::default();
    match &job.workload.rl {
        Some(rl) => rank_rl(context, spec, rl, accept, &mut found),
        None => rank_single(context, spec, accept, &mut found),
    }
    let Found {
        considered,
        fitting,
        mut plans,
        refusal,
    } = found;
    if considered == 0 {
        return Err(refusal.unwrap_or_else(|| {
            InputError::new("plan", "No layout is legal for this model and machine.")
        }));
    }
    plans.sort_by(Candidate::order);
    plans.truncate(KEPT);
    Ok(Ranked {
        considered,
        fitting,
        plans,
    })
}

/// Seconds to three significant digits: plans closer than that are ranked by simplicity.
fn bucket(seconds: f64) -> f64 {
    let mut scale = 1.0;
    while seconds * scale < 100.0 && scale < 1e12 {
        scale *= 10.0;
    }
    (seconds * scale).round() / scale
}

/// What a search has found so far.
#[derive(Default)]
struct Found {
    considered: usize,
    fitting: usize,
    plans: Vec<Candidate>,
    refusal: Option<InputError>,
}

impl Found {
    fn consider(&mut self, candidate: Candidate) {
        self.considered += 1;
        self.fitting += usize::from(candidate.fits);
        self.plans.push(candidate);
    }
}

/// Training alone, or generation alone: every layout with every engine.
fn rank_single(
    context: &Context<'_>,
    spec: &PlanSpec,
    accept: &dyn Fn(&Plan) -> bool,
    found: &mut Found,
) {
    let job = context.job;
    let rollouts = rollouts(job, spec);
    for layout in layouts(job, spec) {
        for rollout in &rollouts {
            match complete(
                job,
                &PlanSpec {
                    rollout: rollout.clone(),
                    ..layout.clone()
                },
            ) {
                Ok(plan) if accept(&plan) => {
                    let step = step::evaluate(context, &plan);
                    found.consider(candidate(context, &plan, step.seconds, step.reserved_gib()));
                }
                Ok(_) => found.considered += 1,
                Err(error) => found.refusal = Some(error),
            }
        }
    }
}

/// Engines kept for each layout of an RL step.
const ENGINES_KEPT: usize = 3;

/// An RL step: both sides are evaluated once each, then paired; they meet only in memory and in the
/// schedule.
fn rank_rl(
    context: &Context<'_>,
    spec: &PlanSpec,
    rl: &Rl,
    accept: &dyn Fn(&Plan) -> bool,
    found: &mut Found,
) {
    let job = context.job;
    let mut engines = Vec::new();
    for rollout in rollouts(job, spec).into_iter().flatten() {
        match complete_rollout(job, &rollout) {
            Ok(engine) => {
                engines.push((rollout, engine, step::generating_side(context, &engine, rl)))
            }
            Err(error) => found.refusal = Some(error),
        }
    }
    let Some((first, _, _)) = engines.first() else {
        return;
    };
    let first = Some(first.clone());
    let mut paired: Vec<Candidate> = Vec::new();
    for layout in layouts(job, spec) {
        let whole = PlanSpec {
            rollout: first.clone(),
            ..layout
        };
        let plan = match complete(job, &whole) {
            Ok(plan) => plan,
            Err(error) => {
                found.refusal = Some(error);
                continue;
            }
        };
        let training = step::training_side(context, &plan, rl);
        paired.clear();
        for (_, engine, generating) in &engines {
            found.considered += 1;
            let plan = Plan {
                rollout: Some(*engine),
                ..plan
            };
            if accept(&plan) {
                let (seconds, reserved) = step::joined(context, &plan, rl, &training, generating);
                let candidate = candidate(context, &plan, seconds, reserved);
                found.fitting += usize::from(candidate.fits);
                paired.push(candidate);
            }
        }
        paired.sort_by(Candidate::order);
        found.plans.extend(paired.iter().take(ENGINES_KEPT));
        if found.plans.len() > 64 * KEPT {
            found.plans.sort_by(Candidate::order);
            found.plans.truncate(KEPT);
        }
    }
}

fn candidate(context: &Context<'_>, plan: &Plan, seconds: f64, reserved: f64) -> Candidate {
    let capacity = context.job.hardware.memory_gib;
    let fits = reserved <= capacity;
    Candidate {
        plan: *plan,
        fits,
        shortfall: if fits { 0.0 } else { reserved - capacity },
        seconds,
        simplicity: simplicity(&plan.layout),
    }
}

/// Number of mechanisms a layout uses: fewer is simpler.
fn simplicity(layout: &Layout) -> u32 {
    let dimensions = [
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.virtual_pipeline,
        layout.context_parallel,
        layout.ulysses_parallel,
        layout.expert_parallel,
    ];
    let offload = layout.offload;
    let used = dimensions.iter().filter(|size| **size > 1).count() as u32;
    let moved = [
        offload.parameters,
        offload.gradients,
        offload.optimizer,
        offload.activations,
    ];
    used + moved.iter().filter(|moved| **moved).count() as u32
        + u32::from(layout.recompute != Recompute::None)
}

fn powers_of_two(most: u64) -> impl Iterator<Item = u64> {
    (0..20)
        .map(|exponent| 1 << exponent)
        .take_while(move |value| *value <= most)
}

/// The stated value alone, or every candidate.
fn choices(stated: Option<u64>, candidates: impl Iterator<Item = u64>) -> Vec<u64> {
    match stated {
        Some(value) => vec![value],
        None => candidates.collect(),
    }
}

/// Back ends that people train such a workload with.
fn backends(job: &Job, spec: &PlanSpec) -> Vec<Backend> {
    if let Some(backend) = spec.backend {
        return vec![backend];
    }
    match job.workload.kind {
        WorkloadKind::Pretrain | WorkloadKind::Sft => {
            vec![Backend::Fsdp, Backend::Megatron, Backend::Deepspeed]
        }
        WorkloadKind::Lora | WorkloadKind::Qlora => vec![Backend::Fsdp, Backend::Deepspeed],
        WorkloadKind::Ppo | WorkloadKind::Grpo | WorkloadKind::Dapo => {
            vec![Backend::Fsdp, Backend::Megatron]
        }
        WorkloadKind::Rollout => vec![Backend::Fsdp],
    }
}

/// Every layout that divisibility allows.
fn layouts(job: &Job, spec: &PlanSpec) -> Vec<PlanSpec> {
    if job.workload.kind == WorkloadKind::Rollout {
        return vec![spec.clone()];
    }
    let mut found = Vec::new();
    for backend in backends(job, spec) {
        parallel_layouts(job, spec, backend, &mut found);
    }
    found
}

fn parallel_layouts(job: &Job, spec: &PlanSpec, backend: Backend, found: &mut Vec<PlanSpec>) {
    let shape = &job.model.shape;
    let gpus = u64::from(training_gpus(job));
    let megatron = backend == Backend::Megatron;
    let domain = u64::from(
        job.hardware
            .nvlink_domain
            .max(1)
            .min(job.hardware.gpus_per_node),
    )
    .max(1);
    let length = job.workload.sequence_length;
    let only = |allowed: bool, most: u64| if allowed { most } else { 1 };
    let splits = |most: u64| if length >= 8192 { most } else { 1 };
    for tp in choices(
        spec.tensor_parallel,
        powers_of_two(only(megatron, domain.max(1))),
    ) {
        for pp in choices(spec.pipeline_parallel, powers_of_two(only(megatron, 64))) {
            if spec.pipeline_parallel.is_none()
                && (pp > 1 && (!shape.num_hidden_layers.is_multiple_of(pp) || tp * pp > gpus))
            {
                continue;
            }
            for cp in choices(
                spec.context_parallel,
                powers_of_two(only(megatron, splits(8))),
            ) {
                for ulysses in choices(
                    spec.ulysses_parallel,
                    powers_of_two(only(backend == Backend::Fsdp, splits(8))),
                ) {
                    let model_parallel = tp * pp * cp * ulysses;
                    if model_parallel == 0 || !gpus.is_multiple_of(model_parallel) {
                        continue;
                    }
                    let most_ep = only(megatron && shape.num_experts > 0, gpus / pp.max(1));
                    for ep in choices(spec.expert_parallel, powers_of_two(most_ep.min(64))) {
                        for vpp in virtual_stages(spec, shape.num_hidden_layers, pp) {
                            let layout = PlanSpec {
                                backend: Some(backend),
                                tensor_parallel: Some(tp),
                                pipeline_parallel: Some(pp),
                                context_parallel: Some(cp),
                                ulysses_parallel: Some(ulysses),
                                expert_parallel: Some(ep),
                                virtual_pipeline: Some(vpp),
                                ..spec.clone()
                            };
                            batches(job, spec, &layout, gpus / model_parallel, found);
                        }
                    }
                }
            }
        }
    }
}

fn virtual_stages(spec: &PlanSpec, layers: u64, pp: u64) -> Vec<u64> {
    if let Some(vpp) = spec.virtual_pipeline {
        return vec![vpp];
    }
    [1, 2, 4]
        .into_iter()
        .filter(|vpp| *vpp == 1 || (pp > 1 && layers.is_multiple_of(pp * vpp)))
        .collect()
}

/// Micro-batches, recomputation and offload of a parallel layout.
fn batches(
    job: &Job,
    spec: &PlanSpec,
    layout: &PlanSpec,
    replicas: u64,
    found: &mut Vec<PlanSpec>,
) {
    let workload = &job.workload;
    // A rank with nothing to do is no plan, and neither is a batch that ranks cannot share evenly.
    let even = workload.global_batch.is_multiple_of(replicas);
    if spec.tensor_parallel.is_none()
        && spec.pipeline_parallel.is_none()
        && !even
        && replicas > 1
        && workload.global_batch > replicas
    {
        return;
    }
    if workload.global_batch < replicas {
        return;
    }
    let per_rank = (workload.global_batch / replicas).max(1);
    let micro = match (spec.micro_batch, spec.max_tokens_per_gpu) {
        (Some(n), _) => vec![MicroBatch::Sequences(n)],
        (None, Some(n)) => vec![MicroBatch::Tokens(n)],
        (None, None) if workload.rl.is_some() && workload.packing => {
            let split = layout.context_parallel.unwrap_or(1) * layout.ulysses_parallel.unwrap_or(1);
            let longest = workload.sequence_length.div_ceil(split);
            [1, 2, 3, 4, 6, 8]
                .iter()
                .map(|times| MicroBatch::Tokens(longest * times))
                .collect()
        }
        (None, None) => powers_of_two(per_rank.min(64))
            .filter(|n| per_rank.is_multiple_of(*n))
            .map(MicroBatch::Sequences)
            .collect(),
    };
    let recompute: Vec<RecomputeSpec> = match &spec.recompute {
        Some(stated) => vec![stated.clone()],
        None => [RecomputeGranularity::None, RecomputeGranularity::Full]
            .map(RecomputeSpec::Word)
            .to_vec(),
    };
    let offload = match spec.offload {
        Some(stated) => vec![stated],
        None => offloads(job, layout),
    };
    let fused = match spec.fused_lm_head {
        Some(stated) => Some(stated),
        // veRL and Megatron have the kernel; the guides advise it without exception (verl_megatron_practice, section 2).
        None => Some(workload.rl.is_some()),
    };
    for micro_batch in &micro {
        let (sequences, tokens) = match micro_batch {
            MicroBatch::Sequences(n) => (Some(*n), None),
            MicroBatch::Tokens(n) => (None, Some(*n)),
        };
        for recompute in &recompute {
            for offload in &offload {
                found.push(PlanSpec {
                    micro_batch: sequences,
                    max_tokens_per_gpu: tokens,
                    recompute: Some(recompute.clone()),
                    offload: Some(*offload),
                    fused_lm_head: fused,
                    ..layout.clone()
                });
            }
        }
    }
}

fn offloads(job: &Job, layout: &PlanSpec) -> Vec<Offload> {
    let none = Offload::default();
    let states = Offload {
        parameters: true,
        optimizer: true,
        gradients: true,
        activations: false,
    };
    match job.workload.kind {
        WorkloadKind::Ppo | WorkloadKind::Grpo | WorkloadKind::Dapo => vec![none, states],
        WorkloadKind::Lora | WorkloadKind::Qlora | WorkloadKind::Rollout => vec![none],
        WorkloadKind::Pretrain | WorkloadKind::Sft
            if layout.backend == Some(Backend::Deepspeed) =>
        {
            vec![
                none,
                Offload {
                    optimizer: true,
                    gradients: true,
                    ..none
                },
                states,
            ]
        }
        WorkloadKind::Pretrain | WorkloadKind::Sft => vec![none],
    }
}

fn rollouts(job: &Job, spec: &PlanSpec) -> Vec<Option<RolloutPlanSpec>> {
    let generates = job.workload.rl.is_some() || job.workload.generation.is_some();
    if !generates {
        return vec![None];
    }
    let stated = spec.rollout.clone().unwrap_or_default();
    let gpus = u64::from(generating_gpus(job));
    let heads = job.model.shape.num_attention_heads;
    let most = gpus.min(u64::from(job.hardware.gpus_per_node)).min(16);
    let sizes = choices(
        stated.tensor_parallel,
        powers_of_two(most).filter(|tp| gpus.is_multiple_of(*tp) && heads.is_multiple_of(*tp)),
    );
    let shares = match stated.gpu_memory_utilization {
        Some(share) => vec![share],
        None if job.workload.rl.is_some() => vec![0.85, 0.7, 0.6, 0.5, 0.4],
        None => vec![0.9],
    };
    let mut found = Vec::new();
    for tp in sizes {
        for share in &shares {
            found.push(Some(RolloutPlanSpec {
                tensor_parallel: Some(tp),
                gpu_memory_utilization: Some(*share),
                max_num_seqs: stated.max_num_seqs.or(Some(if job.workload.rl.is_some() {
                    512
                } else {
                    256
                })),
                ..stated.clone()
            }));
        }
    }
    found
}
