//! What is in host memory, between phases or for good.

use super::Away;
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::task::Task;
use shardwise_question::wire::{Backend, Offload, PlanSpec};

/// What each backend keeps in host memory, beside nothing.
pub(super) fn offloads(job: &Job, spec: &PlanSpec, base: &Layout) -> Vec<Away> {
    let moved = moved(job, base.backend);
    let away = |offload| Away { offload, ..Away::of(base) };
    let mut found: Vec<_> = moved.into_iter().map(away).collect();
    // In RL the optimizer may also stay there, and step there: Megatron's, where all weights train, and DeepSpeed's.
    let phases = job.workload.rl.is_some() && spec.optimizer_offload_fraction.is_none();
    let whole = job.workload.lora.is_none() && base.zero_stage == 1;
    if phases && whole && base.backend == Backend::Megatron {
        found.extend([false, true].map(|weights| Away {
            offload: Offload { parameters: weights, gradients: weights, ..Offload::default() },
            optimizer_offload_fraction: 1.0,
        }));
    }
    // Of no run of RL whose CPUs step with DeepSpeed the speed is known: it is no reason to choose a framework where something else
    // fits (`Desk::in_need`), but one's own may have it.
    if phases && base.backend == Backend::Deepspeed && base.zero_stage > 0 && job.framework.is_some() {
        found.push(Away { optimizer_offload_fraction: 1.0, ..Away::of(base) });
    }
    // What DeepSpeed's CPUs step is there already.
    let twice = |own: &Away| own.offload.optimizer && own.optimizer_offload_fraction > 0.0;
    found.retain(|own| base.backend != Backend::Deepspeed || !twice(own));
    found
}

/// What each backend moves there, the plainest first.
fn moved(job: &Job, backend: Backend) -> Vec<Offload> {
    let none = Offload::default();
    let states = Offload { parameters: true, optimizer: true, gradients: true, activations: false };
    let optimizer = Offload { optimizer: true, ..none };
    let with_gradients = Offload { gradients: true, ..optimizer };
    let activations = Offload { activations: true, ..none };
    let everything = Offload { activations: true, ..states };
    match (job.workload.kind.task(), backend) {
        (Task::Generate, _) => vec![none],
        // DeepSpeed moves optimizer and gradients out between updates, and the weights it trains stay (OpenRLHF 0.11.2,
        // `utils/deepspeed/deepspeed_utils.py`).
        (Task::Rl(_), Backend::Deepspeed) => {
            vec![none, activations, with_gradients]
        }
        (Task::Rl(_), Backend::Fsdp) => {
            vec![none, activations, states, everything]
        }
        (Task::Rl(_), _) => vec![none, states],
        (Task::Train | Task::Prefer(_), Backend::Deepspeed) => {
            vec![none, activations, with_gradients, states, everything]
        }
        (Task::Train | Task::Prefer(_), Backend::Fsdp) => vec![none, activations, states, everything],
        (Task::Train | Task::Prefer(_), Backend::Megatron) => vec![none, optimizer],
        (Task::Train | Task::Prefer(_), Backend::Ddp) => vec![none, activations],
    }
}
