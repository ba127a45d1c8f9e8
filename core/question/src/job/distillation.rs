//! A question's teacher, with its defaults.

use crate::place::Place;
use crate::plan::{MAX_GPUS, RolloutPlan, USUAL_BATCHED_TOKENS};
use crate::wire::{DistillationSpec, Engine, KvCacheDtype, Placement, Precision, TeacherLogits, WorkloadSpec};
use crate::workload::{Distillation, Logits, Pool};
use shardwise_catalog::error::{Caveat, InputError};
use shardwise_catalog::hardware::Hardware;
use shardwise_catalog::model::{Model, resolve_model};
use shardwise_catalog::units::shortest;

const AT: Place<'static> = Place::at("workload.distillation");

/// Share of the card that a teacher's engine takes where nothing is stated (verl 0.9.1,
/// `trainer/config/distillation/distillation.yaml`).
const SHARE: f64 = 0.5;

/// Largest probabilities of each position where nothing is stated (veRL, `examples/on_policy_distillation_trainer`,
/// `distillation_topk`).
const TOP_K: u64 = 64;

/// Most GPUs that split a matrix.
const MOST_PARTS: u64 = 1 << 10;

/// The teacher that a question states; nothing where it states none.
///
/// # Errors
/// The first field that is missing, out of range or at odds with another.
pub(super) fn resolve(
    workload: &WorkloadSpec,
    (student, hardware): (&Model, &Hardware),
    caveats: &mut Vec<Caveat>,
) -> Result<Option<Distillation>, InputError> {
    let samples = workload.kind.algorithm().is_some_and(|own| own.teacher());
    let Some(spec) = &workload.distillation else {
        return if samples {
            Err(AT.wrong("teacher", "The kind distill needs a teacher. Name one, or choose another kind."))
        } else {
            Ok(None)
        };
    };
    let teacher = AT.required("teacher", spec.teacher.as_ref())?;
    let teacher = resolve_model(teacher, "workload.distillation.teacher")?;
    let pool = match spec.placement.unwrap_or_default() {
        Placement::Beside => None,
        Placement::Pool => Some(pool(spec, &teacher, hardware)?),
    };
    let logits = logits(spec, (student, &teacher), pool.as_ref())?;
    let on_policy = spec.on_policy.unwrap_or(1.0);
    if samples && on_policy == 0.0 {
        return Err(AT.wrong(
            "on_policy",
            "Nothing is sampled at 0. Choose the kind sft or lora with this teacher, or give a share above 0.",
        ));
    }
    let on_policy = AT.within("on_policy", on_policy, 0.001, 1.0)?;
    caveats.push(Caveat::new(
        "distillation",
        "The teacher is timed by the same kernels as the student, and no published run of a distillation is among those that the estimate is fitted on: the interval is wider.",
    ));
    Ok(Some(Distillation { teacher, pool, logits, on_policy }))
}

/// What the student is held to. An engine returns a few probabilities of each position, and no vocabulary.
fn logits(
    spec: &DistillationSpec,
    (student, teacher): (&Model, &Model),
    pool: Option<&Pool>,
) -> Result<Logits, InputError> {
    let usual = if pool.is_some() { TeacherLogits::Sampled } else { TeacherLogits::Full };
    match (spec.logits.unwrap_or(usual), pool) {
        (TeacherLogits::Sampled, _) => Ok(Logits::Sampled),
        (TeacherLogits::TopK, _) => {
            let most = student.shape.vocab_size.min(teacher.shape.vocab_size);
            Ok(Logits::TopK(AT.positive("top_k", spec.top_k.unwrap_or(TOP_K), most)?))
        }
        (TeacherLogits::Full, None) => Ok(Logits::Full),
        (TeacherLogits::Full, Some(_)) => Err(AT.wrong(
            "logits",
            "An engine returns the probabilities of sampled tokens, or of a few more. Set it to sampled or top_k, or placement to beside.",
        )),
    }
}

/// A teacher's own GPUs.
fn pool(spec: &DistillationSpec, teacher: &Model, hardware: &Hardware) -> Result<Pool, InputError> {
    let share = spec.gpu_memory_utilization.unwrap_or(SHARE);
    if !(share > 0.0 && share <= 1.0) {
        let share = shortest(share);
        return Err(AT.wrong(
            "gpu_memory_utilization",
            format!("{share} is no share of the card. Give a number above 0, up to 1: 0.6, say."),
        ));
    }
    let precision = spec.precision.unwrap_or(hardware.half());
    let split = match spec.tensor_parallel {
        Some(stated) => AT.positive("tensor_parallel", stated, MOST_PARTS)?,
        None => fewest(teacher, hardware, share, precision),
    };
    let heads = teacher.shape.num_attention_heads;
    if !heads.is_multiple_of(split) {
        return Err(AT.wrong(
            "tensor_parallel",
            format!("The teacher's {heads} attention heads do not divide by {split}. Give a divisor of {heads}."),
        ));
    }
    let gpus = AT.positive("gpus", spec.gpus.unwrap_or(split), MAX_GPUS)?;
    if !gpus.is_multiple_of(split) {
        return Err(AT.wrong(
            "gpus",
            format!("{gpus} GPUs are no whole number of engines of {split}. Give a multiple of {split}, or another tensor_parallel."),
        ));
    }
    let tokens = spec.max_num_batched_tokens.unwrap_or(USUAL_BATCHED_TOKENS);
    let engine = RolloutPlan {
        engine: Engine::Vllm,
        engine_version: None,
        tensor_parallel: split as u32,
        data_parallel: 1,
        expert_parallel: 1,
        gpu_memory_utilization: share,
        max_num_seqs: 1024,
        max_num_batched_tokens: AT.positive("max_num_batched_tokens", tokens, 1 << 32)?,
        chunked_prefill: true,
        precision,
        free_cache: true,
        enforce_eager: true,
        kv_cache_dtype: KvCacheDtype::Auto,
        speculative_speedup: 1.0,
    };
    Ok(Pool { gpus: gpus as u32, engine })
}

/// The fewest GPUs, as a power of two, whose engine's shares hold the teacher's weights with a tenth to spare.
fn fewest(teacher: &Model, hardware: &Hardware, share: f64, precision: Precision) -> u64 {
    let bytes = match precision {
        Precision::Bf16 | Precision::Fp16 => 2.0,
        Precision::Fp8 | Precision::Mxfp8 | Precision::Nvfp4 => 1.0,
    };
    let gib = bytes * teacher.parameters.total as f64 / f64::from(1u32 << 30);
    let room = hardware.memory_gib * share * 0.9;
    let heads = teacher.shape.num_attention_heads;
    let divides = |split: &u64| heads.is_multiple_of(*split);
    let sizes = (0..10).map(|power| 1u64 << power).take_while(divides);
    let fits = sizes.clone().find(|split| gib / *split as f64 <= room);
    fits.or(sizes.last()).unwrap_or(1)
}
