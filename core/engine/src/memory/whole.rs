//! What FSDP holds whole for longer than a block's pass: weights that stay gathered, and gradients that wait for the last micro-batch.

use super::Use;
use crate::batch::Batch;
use crate::context::{Context, Role};
use crate::weights::{NF4_BYTES, RankWeights, gathers_once, rank_adapters, shard_counts};
use shardwise_catalog::units::Bytes;
use shardwise_question::complete::pipeline_schedule;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Backend, PipelineSchedule};

/// Bytes of a gradient that waits for the last micro-batch of a pipeline's: FSDP2 sums in the type that it reduces in
/// (`torch/distributed/fsdp/_fully_shard/_fsdp_param.py`, `to_accumulated_grad_if_needed`), fp32 of torchtitan
/// (`mixed_precision_reduce`) and of NeMo Automodel (`FSDP2Config.mp_policy`).
const SUMMED: f64 = 4.0;

/// Weights of one GPU that FSDP's stages gather once for all passes of a step, beside its shards, and bytes of one. What nobody else has a
/// share of is gathered where that casts it.
#[must_use]
pub fn stays_gathered(rank: &RankWeights, layout: &Layout, gpus: u32, quantized: bool) -> (f64, f64) {
    if !gathers_once(layout) {
        return (0.0, 0.0);
    }
    let (experts, dense) = shard_counts(layout, gpus);
    let cast = layout.master_weights_bytes > 2.0 && !quantized;
    let of = |weights: f64, shards: f64| if shards > 1.0 || cast { weights } else { 0.0 };
    (of(rank.dense, dense) + of(rank.experts, experts), if quantized { NF4_BYTES } else { 2.0 })
}

/// Bytes of a gradient that FSDP keeps whole from micro-batch to micro-batch; `None` where it reduces those of each.
///
/// `PyTorch`'s pipeline stages leave all gradients unreduced until the last micro-batch of a step
/// (`torch/distributed/pipelining/stage.py`, `backward_maybe_with_nosync`: `set_requires_gradient_sync(False)`), in torchtitan and in
/// NeMo Automodel unless `defer_fsdp_grad_sync` is off. Llama-3.3-70B in 8 stages over 32 H100 so has "~70GB of model states" where 18 are
/// sharded (<https://github.com/NVIDIA-NeMo/Automodel/pull/2673>), Qwen3.5-27B in two 66 GB, and 32 to 41 where each is reduced
/// (<https://github.com/NVIDIA-NeMo/Automodel/pull/1859>, which summed in bf16). Without stages the plan says it.
fn summed(context: &Context<'_>, layout: &Layout, batch: &Batch) -> Option<f64> {
    if layout.backend != Backend::Fsdp || layout.zero_stage < 2 || layout.optimizer.in_backward {
        return None;
    }
    if layout.pipeline_parallel > 1 {
        return Some(SUMMED);
    }
    (!layout.sync_each_batch && batch.micro_batches > 1.0).then(|| context.job.deferred_gradient_bytes())
}

/// Share of a stage's gradients that wait whole at once. An interleaved order hands each chunk of a stage a round of micro-batches in
/// turn, and where a step is one round a chunk's last one is reduced before the next chunk has its first (`schedules.py` there,
/// `ScheduleInterleaved1F1B`: `max(1, n_microbatches // pp_group_size)` rounds).
fn at_once(layout: &Layout, micro_batches: f64) -> f64 {
    let round = 2.0 * f64::from(layout.pipeline_parallel);
    let by_chunk = layout.pipeline_parallel > 1 && pipeline_schedule(layout) == PipelineSchedule::Interleaved;
    if by_chunk && micro_batches < round { 1.0 / f64::from(layout.virtual_pipeline) } else { 1.0 }
}

/// What gradients that wait whole for the last micro-batch take beside the share of `kept` bytes that is left once they are reduced.
pub(super) fn unreduced(
    context: &Context<'_>,
    (role, rank): (&Role<'_>, &RankWeights),
    layout: &Layout,
    (batch, usage): (&Batch, Use),
    kept: Bytes,
) -> Bytes {
    let Some(bytes) = summed(context, layout, batch).filter(|_| usage == Use::Train) else {
        return Bytes::ZERO;
    };
    let own = if role.adapters > 0 { rank_adapters(role, layout) } else { rank.trained() };
    let (experts, dense) = shard_counts(layout, context.training_gpus());
    // What nobody else has a share of is not reduced.
    let whole = |weights: f64, shards: f64| weights * if shards > 1.0 { bytes } else { layout.gradient_bytes };
    let all = whole(own.dense, dense) + whole(own.experts, experts);
    Bytes::new((all - kept.get()).max(0.0) * at_once(layout, batch.micro_batches))
}
