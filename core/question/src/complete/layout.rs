//! A layout of training with every default applied.

use super::legal::place;
use super::schedule::usual_chunks;
use super::{MOST_PARTS, early_megatron_state_bytes, size, state_bytes};
use crate::framework::{attends_eagerly, keeps_norms_whole};
use crate::job::Job;
use crate::optimizer::moment_bytes;
use crate::place::Place;
use crate::plan::{Layout, MicroBatch, Modules, Recompute, Stepper, Switches, ZeroPlus};
use crate::wire::{Attention, Backend, PlanSpec, Precision, RecomputeGranularity, RecomputeSpec, TokenDispatcher};
use shardwise_catalog::error::InputError;

/// Most tokens of a pass, most sequences of one, and most bytes per parameter of anything.
const MOST_TOKENS: u64 = 1 << 30;
const MOST_SEQUENCES: u64 = 1 << 20;
const MOST_BYTES: f64 = 64.0;

/// Whether what lies between the products is split too, where nothing is said: whenever products are. Megatron's releases before
/// flash attention could not, and who splits models of Hugging Face beside FSDP does not.
#[must_use]
pub fn splits_sequence(job: &Job, layout: &Layout) -> bool {
    let whole = layout.backend == Backend::Fsdp && keeps_norms_whole(job.framework.map(|own| own.id));
    let split = layout.tensor_parallel > 1 && layout.backend != Backend::Ddp;
    split && !whole && !is_early(layout.backend, layout.attention)
}

/// Whether it is Megatron from before flash attention.
fn is_early(backend: Backend, attention: Attention) -> bool {
    backend == Backend::Megatron && attention == Attention::Unfused
}

/// A layout with every default applied; whether model and machine allow it [`super::placed`] says.
///
/// # Errors
/// Names the stated field that is out of range.
pub fn decided(job: &Job, spec: &PlanSpec, at: &str) -> Result<Layout, InputError> {
    let at = Place::at(at);
    let backend = spec.backend.unwrap_or(Backend::Fsdp);
    let attention = spec.attention.unwrap_or_else(|| usual_attention(job, backend));
    let zero_stage = zero_stage(at, backend, spec.zero_stage)?;
    let micro_batch = micro_batch(at, spec)?;
    let (master, gradients, usual_moments) = usual_state_bytes(job, backend, attention);
    let optimizer = stepper(spec);
    let moments = moment_bytes(job, backend, optimizer.kind).unwrap_or(usual_moments);
    let bytes =
        |field: &str, stated: Option<f64>, usual: f64| at.within(field, stated.unwrap_or(usual), 0.0, MOST_BYTES);
    let mut layout = Layout {
        backend,
        tensor_parallel: size(at, "tensor_parallel", spec.tensor_parallel)?,
        pipeline_parallel: size(at, "pipeline_parallel", spec.pipeline_parallel)?,
        virtual_pipeline: size(at, "virtual_pipeline", spec.virtual_pipeline.or_else(|| usual_chunks(spec)))?,
        pipeline_schedule: spec.pipeline_schedule,
        context_parallel: size(at, "context_parallel", spec.context_parallel)?,
        ulysses_parallel: size(at, "ulysses_parallel", spec.ulysses_parallel)?,
        expert_parallel: size(at, "expert_parallel", spec.expert_parallel)?,
        expert_tensor_parallel: size(at, "expert_tensor_parallel", spec.expert_tensor_parallel)?,
        sequence_parallel: false,
        zero_stage,
        shard_group: 1,
        micro_batch,
        forward: forward(at, spec)?,
        recompute: recompute(spec.recompute.as_ref()),
        recompute_layers: recompute_layers(at, spec.recompute.as_ref())?,
        offload: spec.offload.unwrap_or_default(),
        optimizer_offload_fraction: at.within(
            "optimizer_offload_fraction",
            spec.optimizer_offload_fraction.unwrap_or(0.0),
            0.0,
            1.0,
        )?,
        optimizer,
        sync_each_batch: syncs(job, spec),
        attention,
        attention_kernel: spec.attention_kernel,
        fused_lm_head: spec.fused_lm_head.unwrap_or(false),
        fused_loss: spec.fused_loss.unwrap_or(fuses_loss(job, backend)),
        overlap: spec.overlap.unwrap_or_default(),
        switches: switches(spec),
        nvme_offload: spec.nvme_offload.unwrap_or(false),
        zero_plus: zero_plus(at, spec)?,
        weights_bytes: weights_bytes(job, backend),
        master_weights_bytes: bytes("master_weights_bytes", spec.master_weights_bytes, master)?,
        gradient_bytes: bytes("gradient_bytes", spec.gradient_bytes, gradients)?,
        optimizer_bytes: bytes("optimizer_bytes", spec.optimizer_bytes, moments)?,
        logit_bytes: spec.logit_bytes.map(|own| bytes("logit_bytes", Some(own), own)).transpose()?,
        weight_sync_parts: spec
            .weight_sync_parts
            .map(|own| size(at, "weight_sync_parts", Some(own)))
            .transpose()?,
    };
    layout.sequence_parallel = spec.sequence_parallel.unwrap_or_else(|| splits_sequence(job, &layout));
    Ok(layout)
}

/// Whether the gradients of each micro-batch are reduced, as the framework has it where nothing is stated.
fn syncs(job: &Job, spec: &PlanSpec) -> bool {
    let waits = spec.backend.is_none_or(|own| own == Backend::Fsdp) && job.defers_gradients();
    spec.sync_each_batch.unwrap_or(!waits)
}

/// ZeRO++, off where nothing is stated.
fn zero_plus(at: Place<'_>, spec: &PlanSpec) -> Result<ZeroPlus, InputError> {
    Ok(ZeroPlus {
        partition_size: size(at, "zero_hpz_partition_size", spec.zero_hpz_partition_size)?,
        quantized_weights: spec.zero_quantized_weights.unwrap_or(false),
        quantized_gradients: spec.zero_quantized_gradients.unwrap_or(false),
    })
}

/// How a role attends where nothing is stated: with scores in memory where the named framework has no other kernel that trains a model
/// with sinks.
fn usual_attention(job: &Job, backend: Backend) -> Attention {
    let eager = attends_eagerly(job.framework.map(|own| own.id), &job.model.shape);
    if eager && backend != Backend::Megatron { Attention::Unfused } else { Attention::Flash }
}

/// What Megatron has switches for, with what is usual where nothing is stated.
fn switches(spec: &PlanSpec) -> Switches {
    let former = spec.moe_enable_deepep.map(TokenDispatcher::of_deepep);
    Switches {
        apply_rope_fusion: spec.apply_rope_fusion.unwrap_or(true),
        overlap_moe_expert_parallel_comm: spec.overlap_moe_expert_parallel_comm.unwrap_or(false),
        moe_token_dispatcher: spec.moe_token_dispatcher.or(former),
        cuda_graphs: spec.cuda_graphs.unwrap_or_default(),
    }
}

/// What steps the weights, with what is usual where nothing is stated.
fn stepper(spec: &PlanSpec) -> Stepper {
    Stepper {
        kind: spec.optimizer.unwrap_or_default(),
        bf16_stochastic_round: spec.bf16_stochastic_round.unwrap_or(false),
        in_backward: spec.optimizer_in_backward.unwrap_or(false),
    }
}

/// A complete layout that was changed, as [`decided`] and [`super::placed`] make it that are told all of it, but for the group
/// that shares weights where that is left `open`.
pub(super) fn again(job: &Job, layout: &mut Layout, open: bool) -> bool {
    if !is_in_range(layout) {
        return false;
    }
    if layout.recompute == Recompute::Selective(Modules::default()) {
        layout.recompute = Recompute::Selective(Modules::CORE_ATTN);
    }
    if layout.recompute != Recompute::Full {
        layout.recompute_layers = None;
    }
    layout.optimizer_offload_fraction = layout.optimizer_offload_fraction.max(0.0);
    layout.zero_plus.partition_size = layout.zero_plus.partition_size.max(1);
    layout.weights_bytes = weights_bytes(job, layout.backend);
    let shard_group = (!open).then_some(layout.shard_group.into());
    place(job, layout, shard_group, Place::UNREAD).is_ok()
}

/// Whether every value of a layout is one that may be stated.
fn is_in_range(layout: &Layout) -> bool {
    let sizes = [
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.virtual_pipeline,
        layout.context_parallel,
        layout.ulysses_parallel,
        layout.expert_parallel,
        layout.expert_tensor_parallel,
        layout.zero_plus.partition_size.max(1),
        layout.weight_sync_parts.unwrap_or(1),
    ];
    let counted = |passes: MicroBatch| match passes {
        MicroBatch::Sequences(n) => (1..=MOST_SEQUENCES).contains(&n),
        MicroBatch::Tokens(n) => (1..=MOST_TOKENS).contains(&n),
    };
    let logit_bytes = layout.logit_bytes.unwrap_or_default();
    let bytes = [layout.master_weights_bytes, layout.gradient_bytes, layout.optimizer_bytes, logit_bytes];
    sizes.iter().all(|size| (1..=MOST_PARTS).contains(&u64::from(*size)))
        && layout.zero_stage <= 3
        && counted(layout.micro_batch)
        && layout.forward.is_none_or(counted)
        && layout.optimizer_offload_fraction <= 1.0
        && bytes.iter().all(|own| (0.0..=MOST_BYTES).contains(own))
}

fn zero_stage(at: Place<'_>, backend: Backend, stated: Option<u64>) -> Result<u8, InputError> {
    let usual = match backend {
        Backend::Megatron => 1,
        Backend::Fsdp | Backend::Deepspeed => 3,
        Backend::Ddp => 0,
    };
    match stated.unwrap_or(usual) {
        stage @ 0..=3 => Ok(stage as u8),
        stage => Err(at.wrong("zero_stage", format_args!("There is no ZeRO stage {stage}. Give 0, 1, 2 or 3."))),
    }
}

fn micro_batch(at: Place<'_>, spec: &PlanSpec) -> Result<MicroBatch, InputError> {
    match (spec.micro_batch, spec.max_tokens_per_gpu) {
        (Some(_), Some(_)) => Err(at.wrong(
            "max_tokens_per_gpu",
            "Both micro_batch and max_tokens_per_gpu are given. Give one: sequences, or a token budget.",
        )),
        (_, Some(tokens)) => at.positive("max_tokens_per_gpu", tokens, MOST_TOKENS).map(MicroBatch::Tokens),
        (sequences, None) => at
            .positive("micro_batch", sequences.unwrap_or(1), MOST_SEQUENCES)
            .map(MicroBatch::Sequences),
    }
}

/// What a pass forward alone takes, where it is stated.
fn forward(at: Place<'_>, spec: &PlanSpec) -> Result<Option<MicroBatch>, InputError> {
    let (sequences, tokens) = ("forward_micro_batch", "forward_max_tokens_per_gpu");
    Ok(match (spec.forward_micro_batch, spec.forward_max_tokens_per_gpu) {
        (Some(_), Some(_)) => {
            return Err(at.wrong(
                tokens,
                "Both forward_micro_batch and forward_max_tokens_per_gpu are given. Give one: sequences, or a token budget.",
            ));
        }
        (Some(n), None) => Some(MicroBatch::Sequences(at.positive(sequences, n, MOST_SEQUENCES)?)),
        (None, Some(n)) => Some(MicroBatch::Tokens(at.positive(tokens, n, MOST_TOKENS)?)),
        (None, None) => None,
    })
}

/// Bytes per parameter of (master weights, gradients, optimizer moments) where the question states none.
fn usual_state_bytes(job: &Job, backend: Backend, attention: Attention) -> (f64, f64, f64) {
    match (backend, job.workload.precision) {
        (_, precision) if is_early(backend, attention) => early_megatron_state_bytes(precision),
        (Backend::Megatron, precision) => {
            let (master, _, moments) = state_bytes(backend);
            (master, job.summed_gradient_bytes(is_narrow(precision)), moments)
        }
        // A frozen base is loaded in 16 bits; the figures of what trains are the adapters'.
        (Backend::Fsdp | Backend::Ddp, _) if job.workload.lora.is_some() && !job.keeps_base_in_fp32() => {
            let (_, gradients, moments) = state_bytes(backend);
            (2.0, gradients, moments)
        }
        _ => state_bytes(backend),
    }
}

/// Whether products have 8 bits or fewer.
fn is_narrow(precision: Precision) -> bool {
    matches!(precision, Precision::Fp8 | Precision::Mxfp8 | Precision::Nvfp4)
}

/// Bytes per parameter of the weights that products read: bf16, or fp8 where the optimizer gathers them so
/// (Megatron's `fp8_param_gather`, on in every published recipe) and no transposed copy is needed. Hopper's fp8
/// products and mxfp8 need one; from compute capability 10.0 on fp8 products take any layout
/// (Transformer Engine, "Handling transposes":
/// <https://nvidia.github.io/TransformerEngine/features/low_precision_training/performance_considerations/performance_considerations.html>).
///
/// A frozen base of a Megatron run needs no other copy: it is loaded as products read it. Of 4 bits each sixteen weights
/// have a scale of eight. `MLPerf`'s runs of Llama-2-70B with adapters have their base so
/// (<https://github.com/mlcommons/training_results_v5.1>, `llama2_70b_lora`: 70B in bf16, with their activations, is more
/// than an MI325X or a GB200 holds).
fn weights_bytes(job: &Job, backend: Backend) -> f64 {
    if backend == Backend::Megatron && job.workload.lora.is_some() {
        return match job.workload.precision {
            Precision::Fp8 | Precision::Mxfp8 => 1.0,
            Precision::Nvfp4 => 0.5 + 1.0 / 16.0,
            _ => 2.0,
        };
    }
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
        Some(RecomputeSpec::Modules { granularity, modules, .. }) => of(*granularity, Some(modules)),
    }
}

/// Layers of each stage that are recomputed, where not all of them are.
fn recompute_layers(at: Place<'_>, spec: Option<&RecomputeSpec>) -> Result<Option<u32>, InputError> {
    let Some(RecomputeSpec::Modules { num_layers: Some(layers), .. }) = spec else {
        return Ok(None);
    };
    size(at, "recompute.num_layers", Some(*layers)).map(Some)
}
