//! The generation engine's plan, completed and checked.

use super::{generating_gpus, size, split_heads};
use crate::job::Job;
use crate::place::Place;
use crate::plan::RolloutPlan;
use crate::wire::{Precision, RolloutPlanSpec};
use shardwise_catalog::error::InputError;
use shardwise_catalog::units::shortest;

/// Completes the generation engine's plan and checks it.
///
/// # Errors
/// As [`super::complete()`].
pub fn complete_rollout(job: &Job, spec: &RolloutPlanSpec) -> Result<RolloutPlan, InputError> {
    let at = Place::at("plan.rollout");
    let (tensor_parallel, data_parallel, expert_parallel) = sizes(job, spec, at)?;
    let utilization = spec.gpu_memory_utilization.unwrap_or(usual_utilization(job));
    if !(utilization > 0.0 && utilization <= 1.0) {
        let message =
            format!("{} is no share of the card. Give a number above 0, up to 1: 0.6, say.", shortest(utilization));
        return Err(at.wrong("gpu_memory_utilization", message));
    }
    let precision = spec.precision.unwrap_or(match job.workload.precision {
        Precision::Fp16 => Precision::Fp16,
        // Training in fp8 keeps bf16 weights; a generation run states its weights' precision.
        precision if job.workload.rl.is_none() => precision,
        _ => Precision::Bf16,
    });
    let count = |field: &str, stated: Option<u64>, usual: u64| at.positive(field, stated.unwrap_or(usual), 1 << 32);
    Ok(RolloutPlan {
        engine: spec.engine.unwrap_or_default(),
        tensor_parallel,
        data_parallel,
        expert_parallel,
        gpu_memory_utilization: utilization,
        max_num_seqs: count("max_num_seqs", spec.max_num_seqs, 256)?,
        max_num_batched_tokens: count("max_num_batched_tokens", spec.max_num_batched_tokens, 8192)?,
        precision,
        free_cache: spec.free_cache.unwrap_or(true),
        enforce_eager: spec.enforce_eager.unwrap_or(false),
        kv_cache_dtype: spec.kv_cache_dtype.unwrap_or_default(),
        speculative_speedup: at.within("speculative_speedup", spec.speculative_speedup.unwrap_or(1.0), 0.1, 20.0)?,
    })
}

/// Tensor, data and expert parallelism of one engine.
fn sizes(job: &Job, spec: &RolloutPlanSpec, at: Place<'_>) -> Result<(u32, u32, u32), InputError> {
    let shape = &job.model.shape;
    let tensor = size(at, "tensor_parallel", spec.tensor_parallel)?;
    split_heads(at, shape.num_attention_heads, tensor)?;
    let data = size(at, "data_parallel", spec.data_parallel)?;
    let engine = u64::from(tensor) * u64::from(data);
    let gpus = u64::from(generating_gpus(job));
    if engine > gpus || !gpus.is_multiple_of(engine) {
        return Err(at.wrong(
            "tensor_parallel",
            format!("An engine of {engine} GPUs does not divide the {gpus} that generate. Give a divisor of {gpus}."),
        ));
    }
    let experts = size(at, "expert_parallel", spec.expert_parallel)?;
    if experts > 1 && shape.num_experts == 0 {
        return Err(at.wrong("expert_parallel", "This model has no experts. Give 1."));
    }
    if experts > 1 && u64::from(experts) != engine {
        let message = format!("An engine splits its experts over all of its GPUs or none. Give 1 or {engine}.");
        return Err(at.wrong("expert_parallel", message));
    }
    Ok((tensor, data, experts))
}

/// Share of the card the engine takes by default: 0.6 beside training (veRL's guide advises 0.5 to
/// 0.7), 0.9 alone (vLLM's own default).
fn usual_utilization(job: &Job) -> f64 {
    if job.workload.rl.is_some() { 0.6 } else { 0.9 }
}
