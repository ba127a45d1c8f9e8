//! From a partial plan to a complete one: the backend's defaults, and refusal of what cannot be.

mod engine;
mod kernel;
mod layout;
mod legal;
mod optimizer;
mod schedule;
mod zero_infinity;

use std::fmt::{self, Display, Formatter};

use crate::job::Job;
use crate::place::Place;
use crate::plan::{Layout, Plan};
use crate::wire::{Backend, PlanSpec, Precision, RolloutPlanSpec, WorkloadKind};
use crate::workload::Rl;
pub use engine::complete_rollout;
pub use kernel::{lacks_flash, takes_newest_kernel, usual_kernel};
pub use layout::{decided, splits_sequence};
pub use legal::placed;
pub use optimizer::steps_with;
pub use schedule::{folds, pipeline_schedule, splits_backward, usual_schedule};
use shardwise_catalog::error::InputError;
use shardwise_catalog::units::grouped;

/// The largest group of GPUs, and the most parts.
const MOST_PARTS: u64 = 1 << 16;

/// A size of a group of GPUs, or a number of parts; 1 where nothing is stated.
fn size(at: Place<'_>, key: &str, stated: Option<u64>) -> Result<u32, InputError> {
    at.positive(key, stated.unwrap_or(1), MOST_PARTS).map(|size| size as u32)
}

/// Refuses a number of GPUs that the heads do not split in.
fn split_heads(at: Place<'_>, heads: u64, gpus: u32) -> Result<(), InputError> {
    if heads.is_multiple_of(gpus.into()) {
        return Ok(());
    }
    let near = Divisors(heads, gpus.into());
    Err(at.wrong("tensor_parallel", format_args!("{heads} heads do not split in {gpus}. Give {near}.")))
}

/// Whether the specification decides all that the search would otherwise choose.
///
/// ```
/// use shardwise_core::{complete::is_complete, evaluate, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let found = evaluate(&question).unwrap();
/// assert!(!is_complete(&found.job, &wire::PlanSpec::default()));
/// assert!(is_complete(&found.job, &found.answer.plan));
/// ```
#[must_use]
pub fn is_complete(job: &Job, spec: &PlanSpec) -> bool {
    let engine = || spec.rollout.as_ref().is_some_and(|rollout| rollout.tensor_parallel.is_some());
    match job.workload.kind {
        WorkloadKind::Rollout => engine(),
        _ => spec.decides_training() && (job.workload.rl.is_none() || engine()),
    }
}

/// GPUs that train: all but those that only generate.
#[must_use]
pub fn training_gpus(job: &Job) -> u32 {
    job.workload.rl.as_ref().map_or(job.hardware.gpus, |rl| rl.train_gpus)
}

/// GPUs that generate.
#[must_use]
pub fn generating_gpus(job: &Job) -> u32 {
    match &job.workload.rl {
        Some(rl) if rl.train_gpus < job.hardware.gpus => job.hardware.gpus - rl.train_gpus,
        _ => job.hardware.gpus,
    }
}

/// Completes a plan with defaults and checks it.
///
/// # Errors
/// Names the first field that the model or the machine rules out, with values that would do.
///
/// ```
/// use shardwise_core::{complete::complete, job, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
///     "plan": {"backend": "megatron", "tensor_parallel": 2}}"#).unwrap();
/// let job = job::resolve(&question).unwrap();
/// let plan = complete(&job, &question.plan.unwrap()).unwrap();
/// assert_eq!(plan.layout.data_parallel(8), 4);
/// ```
pub fn complete(job: &Job, spec: &PlanSpec) -> Result<Plan, InputError> {
    let layout = complete_layout(job, spec, "plan")?;
    let generates = job.workload.rl.is_some() || job.workload.generation.is_some();
    let rollout = if generates {
        Some(complete_rollout(job, spec.rollout.as_ref().unwrap_or(&RolloutPlanSpec::default()))?)
    } else {
        None
    };
    if let Some(rl) = &job.workload.rl {
        check_mini_batch(rl, &layout)?;
    }
    Ok(Plan { rollout, ..roles(job, spec, layout)? })
}

/// The plan of an actor laid out as `layout`, with the other roles that the workload has, and without an engine.
///
/// # Errors
/// Names the field of another role's plan that model or machine rule out.
pub fn roles(job: &Job, spec: &PlanSpec, layout: Layout) -> Result<Plan, InputError> {
    let role = |own: &Option<Box<PlanSpec>>, field: &str| match own {
        Some(own) => complete_layout(job, own, field),
        None => Ok(layout),
    };
    let rl = job.workload.rl.as_ref();
    let critic = match rl {
        Some(rl) if rl.critic.is_some() => Some(role(&spec.critic, "plan.critic")?),
        _ => None,
    };
    let reference = if job.workload.has_reference() { Some(role(&spec.reference, "plan.reference")?) } else { None };
    Ok(Plan { layout, rollout: None, critic, reference })
}

/// Every data-parallel rank trains on the same number of a mini-batch's responses (verl 0.9.1, `ppo_mini_batch_size`
/// times `rollout.n` over the ranks).
pub fn check_mini_batch(rl: &Rl, layout: &Layout) -> Result<(), InputError> {
    if shares_mini_batch(rl, layout) {
        return Ok(());
    }
    let ranks = u64::from(layout.data_parallel(rl.train_gpus));
    let (prompts, each) = (rl.mini_batch, rl.responses_per_prompt);
    if prompts * each < ranks {
        // No number of responses near this one would do: it is the GPUs that are too many.
        let [responses, most] = [prompts * each, prompts * each * u64::from(layout.model_parallel())].map(grouped);
        return Err(InputError::new(
            "hardware.gpus",
            format!(
                "A mini-batch of {responses} responses keeps at most {most} GPUs busy. Give {most} or less, or a larger mini-batch."
            ),
        ));
    }
    Err(InputError::new(
        "workload.rl.responses_per_prompt",
        format!(
            "{prompts} prompts of {each} responses in a mini-batch do not divide over {ranks} data-parallel ranks. Give responses or a mini_batch that make a multiple of {ranks}, or another number of GPUs."
        ),
    ))
}

fn shares_mini_batch(rl: &Rl, layout: &Layout) -> bool {
    let ranks = u64::from(layout.data_parallel(rl.train_gpus));
    (rl.mini_batch * rl.responses_per_prompt).is_multiple_of(ranks)
}

/// Bytes per parameter of (master weights, gradients, optimizer moments), all in the units in
/// which the backend keeps them.
///
/// - Megatron: bf16 weights, fp32 gradients, fp32 master weights, two fp32 moments: 2 + 4 + 4 + 8
///   (<https://github.com/NVIDIA/Megatron-LM/blob/6701e0833769ab6ffec4a0a67978a94ce585f60b/docs/source/api-guide/dist_optimizer.md>).
/// - FSDP: fp32 shards are the master weights; gradients are reduced into fp32 shards: 4 + 4 + 8
///   (<https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html>).
/// - `DeepSpeed` with bf16: bf16 weights and gradients, fp32 master weights, two fp32 moments:
///   2 + 2 + 4 + 8 (arXiv:1910.02054, section 3.1).
/// - Plain data parallelism under autocast: fp32 weights, gradients and moments: 4 + 4 + 8.
#[must_use]
pub fn state_bytes(backend: Backend) -> (f64, f64, f64) {
    match backend {
        Backend::Deepspeed => (4.0, 2.0, 8.0),
        Backend::Megatron | Backend::Fsdp | Backend::Ddp => (4.0, 4.0, 8.0),
    }
}

/// Bytes per parameter of (master weights, gradients, optimizer moments) in Megatron before flash attention, which is
/// Megatron-DeepSpeed in every published run:
///
/// - bf16: its optimizer sums gradients in fp32 beside the bf16 ones, unsharded: 4 + (2 + 4) + 8
///   (<https://github.com/deepspeedai/DeepSpeed/blob/edaa7221267243c7be7fb49c5d5f5c4fb97b4641/deepspeed/runtime/bf16_optimizer.py>).
/// - fp16: fp16 gradients, their fp32 copy sharded with the moments: 4 + 2 + (8 + 4)
///   (<https://github.com/deepspeedai/DeepSpeed/blob/edaa7221267243c7be7fb49c5d5f5c4fb97b4641/deepspeed/runtime/zero/stage_1_and_2.py>).
#[must_use]
pub fn early_megatron_state_bytes(precision: Precision) -> (f64, f64, f64) {
    if precision == Precision::Fp16 { (4.0, 2.0, 12.0) } else { (4.0, 6.0, 8.0) }
}

/// A complete plan that was changed, completed anew: as [`complete`] does it that is told all of the plan, but for the groups
/// that share weights where they are left `open`. `None` where model or machine rule it out: a search asks this of ten
/// thousands of plans, and not why.
#[must_use]
pub fn again(job: &Job, plan: &Plan, open: bool) -> Option<Plan> {
    let mut plan = *plan;
    again_in_place(job, &mut plan, open).then_some(plan)
}

/// As [`again`], in the plan itself, which is of no use where the answer is false: a plan is too large to be copied for each of
/// those that are asked.
#[must_use]
pub fn again_in_place(job: &Job, plan: &mut Plan, open: bool) -> bool {
    let rl = job.workload.rl.as_ref();
    let has_critic = rl.is_some_and(|rl| rl.critic.is_some());
    for (role, has) in [(&mut plan.critic, has_critic), (&mut plan.reference, job.workload.has_reference())] {
        match role {
            Some(own) if has && *own != plan.layout => {
                if !layout::again(job, own, open) {
                    return false;
                }
            }
            own => *own = None,
        }
    }
    if !layout::again(job, &mut plan.layout, open) {
        return false;
    }
    // A role without a layout of its own has the trained model's.
    for (role, has) in [(&mut plan.critic, has_critic), (&mut plan.reference, job.workload.has_reference())] {
        if has && role.is_none() {
            *role = Some(plan.layout);
        }
    }
    let generates = rl.is_some() || job.workload.generation.is_some();
    match &mut plan.rollout {
        own if !generates => *own = None,
        Some(own) => {
            if !engine::again(job, own) {
                return false;
            }
        }
        own => *own = complete_rollout(job, &RolloutPlanSpec::default()).ok(),
    }
    (!generates || plan.rollout.is_some()) && rl.is_none_or(|rl| shares_mini_batch(rl, &plan.layout))
}

fn complete_layout(job: &Job, spec: &PlanSpec, at: &str) -> Result<Layout, InputError> {
    placed(job, decided(job, spec, at)?, spec.shard_group, at)
}

/// Divisors of the first number nearest to the second, in words: `2 or 4`.
struct Divisors(u64, u64);

impl Display for Divisors {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(number, wanted) = *self;
        Nearest(number, wanted, |size| number.is_multiple_of(size)).fmt(f)
    }
}

/// Numbers up to the first nearest to the second of which something holds, in words.
struct Nearest<F: Fn(u64) -> bool>(u64, u64, F);

impl<F: Fn(u64) -> bool> Display for Nearest<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(most, wanted, holds) = self;
        let below = (1..=*wanted.min(most)).rev().find(|size| holds(*size));
        let above = (*wanted..=*most).find(|size| holds(*size));
        match (below, above) {
            (Some(a), Some(b)) if a != b => write!(f, "{a} or {b}"),
            (Some(a), _) | (None, Some(a)) => write!(f, "{a}"),
            (None, None) => f.write_str("1"),
        }
    }
}
