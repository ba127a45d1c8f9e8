//! In which order a pipeline's stages run their passes: what is usual, and what each order asks of a plan.

use crate::place::Place;
use crate::plan::Layout;
use crate::wire::{PipelineSchedule as Schedule, PlanSpec};
use shardwise_catalog::error::InputError;

/// The order of a layout's stages: the stated one, or the usual one.
#[must_use]
pub fn pipeline_schedule(layout: &Layout) -> Schedule {
    layout
        .pipeline_schedule
        .unwrap_or_else(|| usual_schedule(layout.virtual_pipeline.into()))
}

/// The usual order of stages with so many model chunks.
#[must_use]
pub fn usual_schedule(chunks: u64) -> Schedule {
    if chunks > 1 { Schedule::Interleaved } else { Schedule::OneForwardOneBackward }
}

/// Whether a backward pass is in two parts, of the inputs' gradients and of the weights'.
#[must_use]
pub fn splits_backward(schedule: Schedule) -> bool {
    matches!(schedule, Schedule::InterleavedZeroBubble | Schedule::ZbvZeroBubble | Schedule::DualPipeV)
}

/// Whether a layout's chunks go down the stages and up again, so that the first stage has embedding and LM head
/// (PyTorch, `generate_stage_to_rank_mapping` with style `v`).
#[must_use]
pub fn folds(layout: &Layout) -> bool {
    matches!(layout.pipeline_schedule, Some(Schedule::ZbvZeroBubble | Schedule::DualPipeV))
}

/// Model chunks of a stage where an order is stated and they are not: as few as it runs with.
pub(super) fn usual_chunks(spec: &PlanSpec) -> Option<u64> {
    let schedule = spec.pipeline_schedule?;
    (schedule != Schedule::OneForwardOneBackward).then_some(2)
}

/// Refuses an order with stages or chunks that it has no place for.
///
/// PyTorch's `torch/distributed/pipelining/schedules.py` asks for two stages on each rank of `ZBVZeroBubble` and `DualPipeV`;
/// torchtitan's `pipeline_parallel.py` for two or more with every schedule of several.
///
/// # Errors
/// Names the field, and the values that do.
pub(super) fn check(layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let Some(schedule) = layout.pipeline_schedule else {
        return Ok(());
    };
    if layout.pipeline_parallel == 1 {
        return Err(at.wrong(
            "pipeline_schedule",
            "One stage has nothing to order. Set pipeline_parallel to 2 or more, or leave it out.",
        ));
    }
    let chunks = layout.virtual_pipeline;
    let says = match schedule {
        Schedule::OneForwardOneBackward if chunks > 1 => {
            "1f1b has one model chunk on each stage. Set virtual_pipeline to 1, or this to interleaved_1f1b."
        }
        Schedule::Interleaved | Schedule::InterleavedZeroBubble if chunks == 1 => {
            "It takes turns over model chunks. Set virtual_pipeline to 2 or more, or leave it out."
        }
        Schedule::ZbvZeroBubble | Schedule::DualPipeV if chunks != 2 => {
            "It has two model chunks on each stage. Set virtual_pipeline to 2, or leave it out."
        }
        _ => return Ok(()),
    };
    Err(at.wrong("pipeline_schedule", says))
}
