//! The generation engine's plan, completed and checked.

use super::{MOST_PARTS, generating_gpus, size, split_heads};
use crate::engines;
use crate::job::Job;
use crate::place::Place;
use crate::plan::{RolloutPlan, USUAL_BATCHED_TOKENS};
use crate::wire::{Engine, EngineVersion, Precision, RolloutPlanSpec};
use shardwise_catalog::error::InputError;
use shardwise_catalog::units::shortest;

/// Most sequences of an engine, and most tokens of its step.
const MOST: u64 = 1 << 32;
/// How many times as fast speculative decoding may be.
const SPEEDUP: (f64, f64) = (0.1, 20.0);

/// Completes the generation engine's plan and checks it.
///
/// # Errors
/// As [`super::complete()`].
pub fn complete_rollout(job: &Job, spec: &RolloutPlanSpec) -> Result<RolloutPlan, InputError> {
    let at = Place::at("plan.rollout");
    let stated = |key: &str, stated: Option<u64>| size(at, key, stated);
    let tensor_parallel = stated("tensor_parallel", spec.tensor_parallel)?;
    split_heads(at, job.model.shape.num_attention_heads, tensor_parallel)?;
    let data_parallel = stated("data_parallel", spec.data_parallel)?;
    divides(job, (tensor_parallel, data_parallel), at)?;
    let expert_parallel = stated("expert_parallel", spec.expert_parallel)?;
    experts(job, (tensor_parallel, data_parallel, expert_parallel), at)?;
    let engine = spec.engine.unwrap_or(engines::usual(job.framework.map(|own| own.id)));
    let gpus = tensor_parallel * data_parallel;
    let usual = usual_utilization(job, engine, (gpus, data_parallel), spec.max_num_batched_tokens);
    let utilization = spec.gpu_memory_utilization.unwrap_or(usual);
    if !is_share(utilization) {
        let message =
            format!("{} is no share of the card. Give a number above 0, up to 1: 0.6, say.", shortest(utilization));
        return Err(at.wrong("gpu_memory_utilization", message));
    }
    let precision = spec.precision.unwrap_or(match job.workload.precision {
        Precision::Fp16 => Precision::Fp16,
        // Training in fp8 keeps bf16 weights; a generation run states its weights' precision.
        precision if job.workload.rl.is_none() => precision,
        _ => job.hardware.half(),
    });
    let count = |field: &str, stated: Option<u64>, usual: u64| at.positive(field, stated.unwrap_or(usual), MOST);
    let chunked_prefill = spec.chunked_prefill.unwrap_or(true);
    let tokens = count("max_num_batched_tokens", spec.max_num_batched_tokens, USUAL_BATCHED_TOKENS)?;
    Ok(RolloutPlan {
        engine,
        engine_version: spec.engine_version.or_else(|| usual_version(job, engine)),
        tensor_parallel,
        data_parallel,
        expert_parallel,
        gpu_memory_utilization: utilization,
        max_num_seqs: count("max_num_seqs", spec.max_num_seqs, 256)?,
        max_num_batched_tokens: held_tokens(job, chunked_prefill, tokens),
        chunked_prefill,
        precision,
        free_cache: spec.free_cache.unwrap_or(true),
        enforce_eager: spec.enforce_eager.unwrap_or(false),
        kv_cache_dtype: spec.kv_cache_dtype.unwrap_or_default(),
        speculative_speedup: at.within(
            "speculative_speedup",
            spec.speculative_speedup.unwrap_or(1.0),
            SPEEDUP.0,
            SPEEDUP.1,
        )?,
    })
}

/// Makes an engine's plan that was changed one that [`complete_rollout`] makes which is told all of it; false where it is refused.
pub(super) fn again(job: &Job, plan: &mut RolloutPlan) -> bool {
    let (tensor, data, own) = (plan.tensor_parallel, plan.data_parallel, plan.expert_parallel);
    let at = Place::UNREAD;
    let parts = [tensor, data, own]
        .iter()
        .all(|size| (1..=MOST_PARTS).contains(&u64::from(*size)));
    let counts = [plan.max_num_seqs, plan.max_num_batched_tokens];
    let legal = parts
        && split_heads(at, job.model.shape.num_attention_heads, tensor).is_ok()
        && divides(job, (tensor, data), at).is_ok()
        && experts(job, (tensor, data, own), at).is_ok()
        && is_share(plan.gpu_memory_utilization)
        && counts.iter().all(|count| (1..=MOST).contains(count))
        && (SPEEDUP.0..=SPEEDUP.1).contains(&plan.speculative_speedup);
    plan.max_num_batched_tokens = held_tokens(job, plan.chunked_prefill, plan.max_num_batched_tokens);
    legal
}

/// Tokens of an engine step: without chunked prefill it holds the longest sequence (veRL 0.9.1, `vllm_async_server.py`).
fn held_tokens(job: &Job, chunked_prefill: bool, tokens: u64) -> u64 {
    if chunked_prefill { tokens } else { tokens.max(job.workload.sequence_length) }
}

fn is_share(utilization: f64) -> bool {
    utilization > 0.0 && utilization <= 1.0
}

/// Engines of so many GPUs take all that generate.
fn divides(job: &Job, (tensor, data): (u32, u32), at: Place<'_>) -> Result<(), InputError> {
    let engine = u64::from(tensor) * u64::from(data);
    let gpus = u64::from(generating_gpus(job));
    if engine > gpus || !gpus.is_multiple_of(engine) {
        return Err(at.wrong(
            "tensor_parallel",
            format_args!(
                "An engine of {engine} GPUs does not divide the {gpus} that generate. Give a divisor of {gpus}."
            ),
        ));
    }
    Ok(())
}

/// An engine splits its experts over all of its GPUs or none.
fn experts(job: &Job, (tensor, data, experts): (u32, u32, u32), at: Place<'_>) -> Result<(), InputError> {
    if experts > 1 && job.model.shape.num_experts == 0 {
        return Err(at.wrong("expert_parallel", "This model has no experts. Give 1."));
    }
    let engine = u64::from(tensor) * u64::from(data);
    if experts > 1 && u64::from(experts) != engine {
        return Err(at.wrong(
            "expert_parallel",
            format_args!("An engine splits its experts over all of its GPUs or none. Give 1 or {engine}."),
        ));
    }
    Ok(())
}

/// Version of the engine that the framework's release runs, where the question names an older one; else today's.
fn usual_version(job: &Job, engine: Engine) -> Option<EngineVersion> {
    engines::version(job.framework?, engine)
}

/// Share of the card the engine takes by default: 0.6 beside training (veRL's guide advises 0.5 to
/// 0.7); alone 0.9 (vLLM's own default), or what `SGLang` leaves.
fn usual_utilization(job: &Job, engine: Engine, (gpus, ranks): (u32, u32), chunk: Option<u64>) -> f64 {
    if job.workload.rl.is_some() {
        0.6
    } else if engine == Engine::Sglang {
        engines::sglang_share(job.hardware.memory_gib, gpus, ranks, chunk)
    } else {
        0.9
    }
}
