//! From a partial plan to a complete one: the backend's defaults, and refusal of what cannot be.

mod zero_infinity;

use crate::job::{Job, positive, within};
use crate::plan::{Layout, MicroBatch, Modules, Plan, Recompute, RolloutPlan, ZeroPlus};
use crate::wire::{
    Attention, Backend, PlanSpec, Precision, RecomputeGranularity, RecomputeSpec, RolloutPlanSpec, WorkloadKind,
};
use crate::workload::Rl;
use shardwise_catalog::error::InputError;
use shardwise_catalog::units::shortest;

const MAX_PARALLEL: u64 = 1 << 16;

/// Whether the specification decides all that the search would otherwise choose.
#[must_use]
pub fn is_complete(job: &Job, spec: &PlanSpec) -> bool {
    if job.workload.kind == WorkloadKind::Rollout {
        return spec.rollout.as_ref().is_some_and(|rollout| rollout.tensor_parallel.is_some());
    }
    let layout = spec.backend.is_some()
        && spec.tensor_parallel.is_some()
        && spec.pipeline_parallel.is_some()
        && spec.context_parallel.is_some()
        && (spec.micro_batch.is_some() || spec.max_tokens_per_gpu.is_some())
        && spec.recompute.is_some();
    layout
        && (job.workload.rl.is_none() || spec.rollout.as_ref().is_some_and(|rollout| rollout.tensor_parallel.is_some()))
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
    let reference = match rl {
        Some(rl) if rl.reference => Some(role(&spec.reference, "plan.reference")?),
        _ => None,
    };
    Ok(Plan { layout, rollout: None, critic, reference })
}

/// Every data-parallel rank trains on the same number of a mini-batch's responses (verl 0.9.1, `ppo_mini_batch_size`
/// times `rollout.n` over the ranks).
pub fn check_mini_batch(rl: &Rl, layout: &Layout) -> Result<(), InputError> {
    let ranks = u64::from(layout.data_parallel(rl.train_gpus));
    let (prompts, each) = (rl.mini_batch, rl.responses_per_prompt);
    if (prompts * each).is_multiple_of(ranks) {
        return Ok(());
    }
    Err(InputError::new(
        "workload.rl.responses_per_prompt",
        format!(
            "{prompts} prompts of {each} responses in a mini-batch do not divide over {ranks} data-parallel ranks. Give responses or a mini_batch that make a multiple of {ranks}, or another number of GPUs."
        ),
    ))
}

/// Bytes per parameter of (master weights, gradients, optimizer moments), all in the units in
/// which the backend keeps them.
///
/// - Megatron: bf16 weights, fp32 gradients, fp32 master weights, two fp32 moments: 2 + 4 + 4 + 8
///   (<https://github.com/NVIDIA/Megatron-LM/blob/main/docs/source/api-guide/dist_optimizer.md>).
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
///   (<https://github.com/deepspeedai/DeepSpeed/blob/master/deepspeed/runtime/bf16_optimizer.py>).
/// - fp16: fp16 gradients, their fp32 copy sharded with the moments: 4 + 2 + (8 + 4)
///   (<https://github.com/deepspeedai/DeepSpeed/blob/master/deepspeed/runtime/zero/stage_1_and_2.py>).
#[must_use]
pub fn early_megatron_state_bytes(precision: Precision) -> (f64, f64, f64) {
    if precision == Precision::Fp16 { (4.0, 2.0, 12.0) } else { (4.0, 6.0, 8.0) }
}

fn complete_layout(job: &Job, spec: &PlanSpec, at: &str) -> Result<Layout, InputError> {
    placed(job, decided(job, spec, at)?, spec.shard_group, at)
}

/// Whether Megatron splits what lies between the products too, where nothing is said: whenever it splits products. Its
/// releases before flash attention could not.
#[must_use]
pub fn splits_sequence(layout: &Layout) -> bool {
    let early = layout.backend == Backend::Megatron && layout.attention == Attention::Unfused;
    layout.tensor_parallel > 1 && layout.backend != Backend::Ddp && !early
}

/// A layout with every default applied; whether model and machine allow it [`placed`] says.
///
/// # Errors
/// Names the stated field that is out of range.
pub fn decided(job: &Job, spec: &PlanSpec, at: &str) -> Result<Layout, InputError> {
    let field = |name: &str| format!("{at}.{name}");
    let parallel = |name: &str, value: Option<u64>| {
        positive(format_args!("{at}.{name}"), value.unwrap_or(1), MAX_PARALLEL).map(|value| value as u32)
    };
    let backend = spec.backend.unwrap_or(Backend::Fsdp);
    let zero_default = match backend {
        Backend::Megatron => 1,
        Backend::Fsdp | Backend::Deepspeed => 3,
        Backend::Ddp => 0,
    };
    let zero_stage = spec.zero_stage.unwrap_or(zero_default);
    if zero_stage > 3 {
        return Err(InputError::new(
            field("zero_stage"),
            format!("There is no ZeRO stage {zero_stage}. Give 0, 1, 2 or 3."),
        ));
    }
    let micro_batch = match (spec.micro_batch, spec.max_tokens_per_gpu) {
        (Some(_), Some(_)) => {
            return Err(InputError::new(
                field("max_tokens_per_gpu"),
                "Both micro_batch and max_tokens_per_gpu are given. Give one: sequences, or a token budget.",
            ));
        }
        (_, Some(tokens)) => MicroBatch::Tokens(positive(format_args!("{at}.max_tokens_per_gpu"), tokens, 1 << 30)?),
        (sequences, None) => {
            MicroBatch::Sequences(positive(format_args!("{at}.micro_batch"), sequences.unwrap_or(1), 1 << 20)?)
        }
    };
    let attention = spec.attention.unwrap_or_default();
    let early = backend == Backend::Megatron && attention == Attention::Unfused;
    let (master, gradients, moments) = match (backend, job.workload.precision) {
        (Backend::Megatron, precision) if early => early_megatron_state_bytes(precision),
        // Every published recipe in fp8 or below sums gradients in bf16 (Megatron-Bridge's `grad_reduce_in_fp32`).
        (Backend::Megatron, Precision::Fp8 | Precision::Mxfp8 | Precision::Nvfp4) => (4.0, 2.0, 8.0),
        // A frozen base is loaded in 16 bits; the figures of what trains are the adapters'.
        (Backend::Fsdp | Backend::Ddp, _) if job.workload.lora.is_some() => {
            let (_, gradients, moments) = state_bytes(backend);
            (2.0, gradients, moments)
        }
        _ => state_bytes(backend),
    };
    let bytes = |name: &str, value: Option<f64>, default: f64| {
        within(format_args!("{at}.{name}"), value.unwrap_or(default), 0.0, 64.0)
    };
    let mut layout = Layout {
        backend,
        tensor_parallel: parallel("tensor_parallel", spec.tensor_parallel)?,
        pipeline_parallel: parallel("pipeline_parallel", spec.pipeline_parallel)?,
        virtual_pipeline: parallel("virtual_pipeline", spec.virtual_pipeline)?,
        context_parallel: parallel("context_parallel", spec.context_parallel)?,
        ulysses_parallel: parallel("ulysses_parallel", spec.ulysses_parallel)?,
        expert_parallel: parallel("expert_parallel", spec.expert_parallel)?,
        expert_tensor_parallel: parallel("expert_tensor_parallel", spec.expert_tensor_parallel)?,
        sequence_parallel: false,
        zero_stage: zero_stage as u8,
        shard_group: 1,
        micro_batch,
        recompute: recompute(spec.recompute.as_ref()),
        offload: spec.offload.unwrap_or_default(),
        optimizer_offload_fraction: within(
            format_args!("{at}.optimizer_offload_fraction"),
            spec.optimizer_offload_fraction.unwrap_or(0.0),
            0.0,
            1.0,
        )?,
        attention,
        fused_lm_head: spec.fused_lm_head.unwrap_or(false),
        fused_loss: spec.fused_loss.unwrap_or(fuses_loss(job, backend)),
        overlap: spec.overlap.unwrap_or_default(),
        nvme_offload: spec.nvme_offload.unwrap_or(false),
        zero_plus: ZeroPlus {
            partition_size: parallel("zero_hpz_partition_size", spec.zero_hpz_partition_size)?,
            quantized_weights: spec.zero_quantized_weights.unwrap_or(false),
            quantized_gradients: spec.zero_quantized_gradients.unwrap_or(false),
        },
        weights_bytes: weights_bytes(job, backend),
        master_weights_bytes: bytes("master_weights_bytes", spec.master_weights_bytes, master)?,
        gradient_bytes: bytes("gradient_bytes", spec.gradient_bytes, gradients)?,
        optimizer_bytes: bytes("optimizer_bytes", spec.optimizer_bytes, moments)?,
    };
    layout.sequence_parallel = spec.sequence_parallel.unwrap_or_else(|| splits_sequence(&layout));
    Ok(layout)
}

/// A layout on the job's GPUs, sharded over `shard_group` of them or over all that can.
///
/// # Errors
/// Names the field that model or machine rule out, with values that would do.
pub fn placed(job: &Job, mut layout: Layout, shard_group: Option<u64>, at: &str) -> Result<Layout, InputError> {
    let field = |name: &str| format!("{at}.{name}");
    let gpus = training_gpus(job);
    check_model(job, &layout, &field)?;
    check_gpus(&layout, gpus, &field)?;
    zero_infinity::check(job, &layout, gpus, &field)?;
    check_host_step(job, &layout, &field)?;
    let replicas = gpus / layout.model_parallel().max(1);
    // FSDP shards over every rank that does not split matrices or layers.
    let shards = replicas * layout.sequence_split();
    let shard_group =
        shard_group.map_or(Ok(u64::from(shards)), |group| positive(field("shard_group"), group, MAX_PARALLEL))?;
    if shard_group > u64::from(shards) || u64::from(shards) % shard_group != 0 {
        return Err(InputError::new(
            field("shard_group"),
            format!("{shard_group} GPUs do not divide the {shards} that shard. Give a divisor of {shards}."),
        ));
    }
    layout.shard_group = shard_group as u32;
    Ok(layout)
}

/// Bytes per parameter of the weights that products read: bf16, or fp8 where the optimizer gathers them so
/// (Megatron's `fp8_param_gather`, on in every published recipe) and no transposed copy is needed. Hopper's fp8
/// products and mxfp8 need one; from compute capability 10.0 on fp8 products take any layout
/// (Transformer Engine, "Handling transposes":
/// <https://nvidia.github.io/TransformerEngine/features/low_precision_training/performance_considerations/performance_considerations.html>).
fn weights_bytes(job: &Job, backend: Backend) -> f64 {
    let gathered = backend == Backend::Megatron && job.workload.precision == Precision::Fp8;
    if gathered && job.hardware.has_compute_capability(10.0) { 1.0 } else { 2.0 }
}

/// Whether code of this kind usually fuses its loss: Megatron does, and so do pre-training (llm-foundry,
/// torchtitan since 2025) and veRL with flash-attn's cross-entropy; Hugging Face's models are eager.
fn fuses_loss(job: &Job, backend: Backend) -> bool {
    backend == Backend::Megatron || !job.workload.fine_tunes()
}

fn recompute(spec: Option<&RecomputeSpec>) -> Recompute {
    let of = |granularity, modules: Option<&Vec<_>>| match granularity {
        RecomputeGranularity::None => Recompute::None,
        RecomputeGranularity::Full => Recompute::Full,
        RecomputeGranularity::Selective => Recompute::Selective(match modules {
            Some(modules) if !modules.is_empty() => Modules::of(modules),
            _ => Modules::CORE_ATTN,
        }),
    };
    match spec {
        None => Recompute::None,
        Some(RecomputeSpec::Word(granularity)) => of(*granularity, None),
        Some(RecomputeSpec::Modules { granularity, modules }) => of(*granularity, Some(modules)),
    }
}

/// Divisors of `number` nearest to `wanted`, in words: `2 or 4`.
fn nearest_divisors(number: u64, wanted: u64) -> String {
    let below = (1..=wanted.min(number)).rev().find(|d| number.is_multiple_of(*d));
    let above = (wanted..=number).find(|d| number.is_multiple_of(*d));
    match (below, above) {
        (Some(a), Some(b)) if a != b => format!("{a} or {b}"),
        (Some(a), _) | (None, Some(a)) => a.to_string(),
        (None, None) => "1".into(),
    }
}

fn check_model(job: &Job, layout: &Layout, field: &dyn Fn(&str) -> String) -> Result<(), InputError> {
    let shape = &job.model.shape;
    let heads = shape.num_attention_heads;
    let kv_heads = shape.num_key_value_heads.max(1);
    let tp = u64::from(layout.tensor_parallel);
    if !heads.is_multiple_of(tp) {
        return Err(InputError::new(
            field("tensor_parallel"),
            format!("{heads} heads do not split in {tp}. Give {}.", nearest_divisors(heads, tp)),
        ));
    }
    let ulysses = u64::from(layout.ulysses_parallel);
    let kv_splits = kv_heads.is_multiple_of(ulysses) || ulysses.is_multiple_of(kv_heads);
    if !heads.is_multiple_of(tp * ulysses) || !kv_splits {
        return Err(InputError::new(
            field("ulysses_parallel"),
            format!(
                "{heads} heads ({kv_heads} for keys and values) do not split in {}. Give {}.",
                tp * ulysses,
                nearest_divisors(heads / tp, ulysses)
            ),
        ));
    }
    let layers = shape.num_hidden_layers;
    let pp = u64::from(layout.pipeline_parallel);
    if pp > layers {
        return Err(InputError::new(
            field("pipeline_parallel"),
            format!("{layers} layers do not fill {pp} stages. Give {layers} or less."),
        ));
    }
    let vpp = u64::from(layout.virtual_pipeline);
    if vpp > 1 && pp == 1 {
        return Err(InputError::new(
            field("virtual_pipeline"),
            "Model chunks need more than one pipeline stage. Give 1, or raise pipeline_parallel.",
        ));
    }
    // Megatron may count embedding and loss as layers of their own
    // (`account_for_embedding_in_pipeline_split`, `account_for_loss_in_pipeline_split`).
    if pp * vpp > layers + 2 {
        return Err(InputError::new(
            field("virtual_pipeline"),
            format!("{layers} layers do not fill {} chunks. Give {} or less.", pp * vpp, (layers / pp).max(1)),
        ));
    }
    let experts = shape.num_experts;
    let ep = u64::from(layout.expert_parallel);
    if experts == 0 && ep > 1 {
        return Err(InputError::new(field("expert_parallel"), "This model has no experts. Give 1."));
    }
    if experts == 0 && layout.expert_tensor_parallel > 1 {
        return Err(InputError::new(field("expert_tensor_parallel"), "This model has no experts. Give 1."));
    }
    if experts > 0 && !experts.is_multiple_of(ep) {
        return Err(InputError::new(
            field("expert_parallel"),
            format!("{experts} experts do not split in {ep}. Give {}.", nearest_divisors(experts, ep)),
        ));
    }
    Ok(())
}

fn check_gpus(layout: &Layout, gpus: u32, field: &dyn Fn(&str) -> String) -> Result<(), InputError> {
    let needed = u64::from(layout.tensor_parallel)
        * u64::from(layout.pipeline_parallel)
        * u64::from(layout.context_parallel)
        * u64::from(layout.ulysses_parallel);
    if needed > u64::from(gpus) || !u64::from(gpus).is_multiple_of(needed) {
        let widest = [
            ("tensor_parallel", layout.tensor_parallel),
            ("pipeline_parallel", layout.pipeline_parallel),
            ("context_parallel", layout.context_parallel),
            ("ulysses_parallel", layout.ulysses_parallel),
        ]
        .into_iter()
        .max_by_key(|(_, size)| *size)
        .map_or("tensor_parallel", |(name, _)| name);
        return Err(InputError::new(
            field(widest),
            format!(
                "The layout needs a multiple of {needed} GPUs and there are {gpus}. Lower it, or change hardware.gpus."
            ),
        ));
    }
    let experts = u64::from(layout.expert_parallel)
        * u64::from(layout.expert_tensor_parallel)
        * u64::from(layout.pipeline_parallel);
    if layout.expert_parallel > 1 && (experts > u64::from(gpus) || !u64::from(gpus).is_multiple_of(experts)) {
        return Err(InputError::new(
            field("expert_parallel"),
            format!(
                "The experts need a multiple of {experts} GPUs and there are {gpus}. Lower it, or change hardware.gpus."
            ),
        ));
    }
    Ok(())
}

/// Megatron's optimizer alone is part on the host's CPUs, part on the GPUs, and only the distributed one (`arguments.py`:
/// `optimizer_cpu_offload` takes `use_precision_aware_optimizer`, and that `use_distributed_optimizer`).
fn check_host_step(job: &Job, layout: &Layout, field: &dyn Fn(&str) -> String) -> Result<(), InputError> {
    let fraction = layout.optimizer_offload_fraction;
    if fraction == 0.0 {
        return Ok(());
    }
    let whole = layout.offload.optimizer && job.workload.rl.is_none();
    let remedy = if layout.backend != Backend::Megatron {
        "Megatron alone has it. Set backend to megatron, or leave it out."
    } else if layout.zero_stage != 1 {
        "It goes with the distributed optimizer. Set zero_stage to 1, or leave it out."
    } else if whole && fraction < 1.0 {
        "offload.optimizer moves all of it. Set that to false, or this to 1."
    } else {
        return Ok(());
    };
    Err(InputError::new(field("optimizer_offload_fraction"), remedy.to_owned()))
}

/// Completes the generation engine's plan and checks it.
///
/// # Errors
/// As [`complete`].
pub fn complete_rollout(job: &Job, spec: &RolloutPlanSpec) -> Result<RolloutPlan, InputError> {
    let field = |name: &str| format!("plan.rollout.{name}");
    let gpus = generating_gpus(job);
    let parallel = |name: &str, value: u64| {
        positive(format_args!("plan.rollout.{name}"), value, MAX_PARALLEL).map(|value| value as u32)
    };
    let tensor_parallel = parallel("tensor_parallel", spec.tensor_parallel.unwrap_or(1))?;
    let heads = job.model.shape.num_attention_heads;
    if !heads.is_multiple_of(u64::from(tensor_parallel)) {
        return Err(InputError::new(
            field("tensor_parallel"),
            format!(
                "{heads} heads do not split in {tensor_parallel}. Give {}.",
                nearest_divisors(heads, tensor_parallel.into())
            ),
        ));
    }
    let data_parallel = parallel("data_parallel", spec.data_parallel.unwrap_or(1))?;
    let engine = u64::from(tensor_parallel) * u64::from(data_parallel);
    if engine > u64::from(gpus) || !u64::from(gpus).is_multiple_of(engine) {
        return Err(InputError::new(
            field("tensor_parallel"),
            format!("An engine of {engine} GPUs does not divide the {gpus} that generate. Give a divisor of {gpus}."),
        ));
    }
    let expert_parallel = parallel("expert_parallel", spec.expert_parallel.unwrap_or(1))?;
    if expert_parallel > 1 && (u64::from(expert_parallel) != engine || job.model.shape.num_experts == 0) {
        return Err(InputError::new(
            field("expert_parallel"),
            if job.model.shape.num_experts == 0 {
                "This model has no experts. Give 1.".to_owned()
            } else {
                format!("An engine splits its experts over all of its GPUs or none. Give 1 or {engine}.")
            },
        ));
    }
    let utilization = spec.gpu_memory_utilization.unwrap_or(default_utilization(job));
    if !(utilization > 0.0 && utilization <= 1.0) {
        return Err(InputError::new(
            field("gpu_memory_utilization"),
            format!("{} is no share of the card. Give a number above 0, up to 1: 0.6, say.", shortest(utilization)),
        ));
    }
    let precision = spec.precision.unwrap_or(match job.workload.precision {
        Precision::Fp16 => Precision::Fp16,
        // Training in fp8 keeps bf16 weights; a generation run states its weights' precision.
        precision if job.workload.rl.is_none() => precision,
        _ => Precision::Bf16,
    });
    Ok(RolloutPlan {
        engine: spec.engine.unwrap_or_default(),
        tensor_parallel,
        data_parallel,
        expert_parallel,
        gpu_memory_utilization: utilization,
        max_num_seqs: positive("plan.rollout.max_num_seqs", spec.max_num_seqs.unwrap_or(256), 1 << 32)?,
        max_num_batched_tokens: positive(
            "plan.rollout.max_num_batched_tokens",
            spec.max_num_batched_tokens.unwrap_or(8192),
            1 << 32,
        )?,
        precision,
        free_cache: spec.free_cache.unwrap_or(true),
        enforce_eager: spec.enforce_eager.unwrap_or(false),
        kv_cache_dtype: spec.kv_cache_dtype.unwrap_or_default(),
        speculative_speedup: within(
            "plan.rollout.speculative_speedup",
            spec.speculative_speedup.unwrap_or(1.0),
            0.1,
            20.0,
        )?,
    })
}

/// Share of the card the engine takes by default: 0.6 beside training (veRL's guide advises 0.5 to
/// 0.7), 0.9 alone (vLLM's own default).
fn default_utilization(job: &Job) -> f64 {
    if job.workload.rl.is_some() { 0.6 } else { 0.9 }
}
