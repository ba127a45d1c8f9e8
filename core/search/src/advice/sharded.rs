//! Rules about what is shared over the GPUs that train, and when.

use super::{Case, Proposal};
use shardwise_question::plan::Plan;
use shardwise_question::wire::Backend;

pub(super) const SYNC: &str = "https://huggingface.co/docs/accelerate/concept_guides/gradient_synchronization";

/// Whose gradients are reduced: those of each micro-batch where memory is short, a step's once where there is room.
pub(super) fn reduced(case: &Case<'_>) -> Option<Proposal> {
    let layout = case.layout();
    let fsdp = layout.backend == Backend::Fsdp && layout.pipeline_parallel == 1;
    if fsdp && layout.sync_each_batch {
        let what = "Gradients kept whole until a step's last micro-batch (sync_each_batch false)";
        return case.propose(true, what, &|l| l.sync_each_batch = false);
    }
    let what = "Reducing the gradients of each micro-batch (sync_each_batch)";
    case.propose(fsdp && case.is_tight(), what, &|l| l.sync_each_batch = true)
}

/// The stage that shards least and fits; where memory is short one that shards more.
pub(super) fn zero_stage(case: &Case<'_>) -> Option<Proposal> {
    let stage = case.layout().zero_stage;
    let with = |stage: u8| -> Plan {
        case.with(&|l| {
            l.zero_stage = stage;
            // Stages below the third keep parameters on the card.
            l.offload.parameters &= stage == 3;
        })
    };
    let stages = match case.backend() {
        Backend::Deepspeed => 0..=3,
        Backend::Fsdp => 2..=3,
        Backend::Megatron => 0..=1,
        Backend::Ddp => return None,
    };
    let next = Some(stage + 1).filter(|_| case.is_tight());
    let lower = stages.clone().filter(|own| *own < stage);
    let plan = match next.filter(|next| stages.contains(next)) {
        Some(next) => with(next),
        None => case.fastest(&mut lower.map(with))?,
    };
    Some(Proposal::new(&format!("ZeRO stage {}", plan.layout.zero_stage), plan))
}

/// Whether every pass gathers weights over the network.
pub(super) fn across(case: &Case<'_>, backend: Backend) -> bool {
    case.backend() == backend && case.layout().zero_stage == 3 && case.job().hardware.nodes() > 1
}
