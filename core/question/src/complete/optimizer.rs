//! What a backend steps the weights by, and what goes with it.

use crate::job::Job;
use crate::optimizer::{Keeps, Row};
use crate::place::Place;
use crate::plan::{Layout, MicroBatch};
use crate::wire::{Backend, Optimizer};
use shardwise_catalog::error::InputError;

/// Refuses an optimizer that a backend has none of, or that goes with nothing else of the plan.
///
/// # Errors
/// Names the field, and what would do.
pub(super) fn check(job: &Job, layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let own = layout.optimizer;
    if own.kind != Optimizer::Adamw {
        kind(job, layout, own.kind.row(), at)?;
    }
    if own.bf16_stochastic_round {
        rounding(layout, at)?;
    }
    if own.in_backward { in_backward(job, layout, at) } else { Ok(()) }
}

/// Whether a layout's optimizer goes with what is moved to host memory: where that is open, what does not is none of its plans.
///
/// ```
/// use shardwise_core::{complete::{complete, steps_with}, job, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
///     "plan": {"backend": "fsdp", "micro_batch": 1, "recompute": "full", "optimizer": "adamw_8bit"}}"#).unwrap();
/// let job = job::resolve(&question).unwrap();
/// let mut layout = complete(&job, question.plan.as_ref().unwrap()).unwrap().layout;
/// assert!(steps_with(&job, &layout));
/// layout.offload.optimizer = true;
/// assert!(!steps_with(&job, &layout));
/// ```
#[must_use]
pub fn steps_with(job: &Job, layout: &Layout) -> bool {
    let own = layout.optimizer.kind;
    own == Optimizer::Adamw || kind(job, layout, own.row(), Place::at("plan")).is_ok()
}

fn kind(job: &Job, layout: &Layout, row: &Row, at: Place<'_>) -> Result<(), InputError> {
    let wrong = |says: &str| Err(at.wrong("optimizer", says));
    // `get_megatron_optimizer` of megatron-core 0.19.2, but for its Lion and SOAP.
    if layout.backend == Backend::Megatron && !matches!(row.optimizer, Optimizer::Sgd | Optimizer::Muon) {
        return wrong("Megatron steps by adamw, muon or sgd. Choose one of these, or another backend.");
    }
    let by_cpus = layout.offload.optimizer && job.workload.rl.is_none();
    let on_cpus = matches!(row.optimizer, Optimizer::Lion | Optimizer::Sgd);
    if row.paged && (layout.offload.optimizer || layout.optimizer_offload_fraction > 0.0) {
        return wrong("What a paged optimizer keeps moves by itself. Set offload.optimizer to false, or choose adamw.");
    }
    if by_cpus && !on_cpus {
        return wrong(
            "Where offload.optimizer is true the CPUs step, and they have adamw, lion and sgd. Choose one of these, or offload nothing.",
        );
    }
    if layout.optimizer_offload_fraction > 0.0 && row.optimizer != Optimizer::Sgd {
        return wrong(
            "Of optimizer_offload_fraction the CPUs step by adamw or sgd. Choose one of these, or leave that out.",
        );
    }
    if row.keeps == Keeps::Momentum && layout.optimizer.in_backward {
        return wrong("Muon steps all matrices at once. Choose adamw, or set optimizer_in_backward to false.");
    }
    Ok(())
}

/// Rounding by chance is torchao's, of weights that are 16 bits alone.
fn rounding(layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let remedy = if layout.backend != Backend::Fsdp {
        "It is torchao's, for FSDP. Set backend to fsdp, or leave it out."
    } else if layout.master_weights_bytes > 2.0 {
        "Nothing is rounded where master weights are fp32. Set master_weights_bytes to 2, or leave it out."
    } else if !matches!(layout.optimizer.kind, Optimizer::Adamw | Optimizer::Adamw8bit) {
        "torchao rounds so in adamw and adamw_8bit. Choose one of these, or leave it out."
    } else {
        return Ok(());
    };
    Err(at.wrong("bf16_stochastic_round", remedy))
}

/// A weight that steps as soon as its gradient is there: no pass may follow, and PyTorch's hooks are what calls it.
fn in_backward(job: &Job, layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let ranks = u64::from(layout.data_parallel(job.hardware.gpus)).max(1);
    let each = match layout.micro_batch {
        MicroBatch::Sequences(n) => n,
        MicroBatch::Tokens(n) => (n / job.workload.sequence_length.max(1)).max(1),
    };
    let remedy = if !matches!(layout.backend, Backend::Fsdp | Backend::Ddp) {
        "PyTorch's hooks step so, with FSDP or plain data parallelism. Set backend to fsdp or ddp, or leave it out."
    } else if job.workload.rl.is_some() {
        "No trainer of reinforcement learning steps so. Leave it out."
    } else if layout.pipeline_parallel > 1 || layout.expert_parallel > 1 {
        "It goes with no pipeline and no expert parallelism. Set both to 1, or leave it out."
    } else if layout.offload.gradients || layout.offload.optimizer {
        "Nothing waits for the host's CPUs in the backward pass. Offload neither gradients nor optimizer, or leave it out."
    } else if job.workload.global_batch > each.saturating_mul(ranks) {
        "No gradient waits for a second pass. Raise micro_batch until one pass holds a rank's share of global_batch, or leave it out."
    } else {
        return Ok(());
    };
    Err(at.wrong("optimizer_in_backward", remedy))
}
