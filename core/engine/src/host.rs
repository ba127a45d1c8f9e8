//! Host memory of a node: what offloading moves there, and what the processes take anyway.

use crate::context::{Context, Role};
use crate::fit::{Demand, HOST, HOST_MEMORY, STATES, WORKSPACE};
use crate::memory::{self, Use};
use crate::rl::{Resident, Who, residents};
use shardwise_catalog::units::Bytes;
use shardwise_question::framework::pauses_whole;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::{Backend, HostParts, Offload};

/// GiB of each process beside what is moved: Python, CUDA's libraries, pinned buffers, its share of the data's workers.
/// Assumed. A node of eight that moves nothing shows 70 GiB in veRL's logs
/// (<https://github.com/llm-d-incubation/py-inference-scheduler>, `perf/cpu_memory_used_gb` 144.8 over two nodes).
const PROCESS_GIB: f64 = 8.0;

/// What copies and page-locked memory, of which PyTorch takes a power of two for each tensor (`CachingHostAllocator.h`), add to what is
/// moved. Three reports: LLaMA-33B under `DeepSpeed`'s ZeRO-3 takes 750 to 800 GB of a node, 1.16 to 1.25 times what its tensors and
/// processes come to (<https://github.com/deepspeedai/DeepSpeed/issues/3448>); Qwen2.5-32B did not go in 744 GB, at least 1.25 times
/// (<https://github.com/hiyouga/LlamaFactory/issues/6755>); DeepSeek-V3 in veRL takes 1.6 TB of a node, 1.11 times
/// (<https://github.com/volcengine/verl/blob/4352971971ac841c50e5dcfc5012147e29d471f9/docs/perf/dpsk.md>). `DeepSpeed`'s own estimator
/// takes 1.5 (`estimate_zero3_model_states_mem_needs`, `additional_buffer_factor`).
const BUFFERS: f64 = 0.2;

/// How far off estimates of a card are that are surest, as a logarithm: Megatron's, and of others the part that is no guess, as a frozen
/// base (`memory_spreads` of the fit).
const CARD_DEVIATION: f64 = 0.06;

/// GiB per parameter, in bytes, that the host keeps of gradients where its CPUs update: fp32, beside the card's
/// (`DeepSpeed` 0.19.8, `runtime/zero/stage_1_and_2.py`, `single_partition_of_fp32_groups`; ZeRO-Offload,
/// arXiv:2101.06840, section 4.1).
const CPU_GRADIENT: f64 = 4.0;

/// What a node's host memory holds, in GiB.
#[must_use]
pub fn parts(context: &Context<'_>, plan: &Plan) -> HostParts {
    let parts = tensors(context, plan);
    HostParts { buffers: BUFFERS * (parts.total() - parts.processes), ..parts }
}

/// What lies in a node's host memory, in GiB, and its processes.
fn tensors(context: &Context<'_>, plan: &Plan) -> HostParts {
    let job = context.job;
    let per_node = f64::from(job.hardware.gpus_per_node.min(context.training_gpus()));
    let mut parts =
        HostParts { processes: PROCESS_GIB * f64::from(job.hardware.gpus_per_node), ..HostParts::default() };
    if job.workload.rl.is_none() {
        // Most plans move nothing.
        let moves = moves(job, plan) || plan.layout.optimizer.kind.row().paged;
        if moves && job.workload.generation.is_none() {
            let own = of_update(context, &context.actor(), &plan.layout);
            parts = parts.plus(&own.times(per_node * job.memory_factor()));
            parts = parts.plus(&of_reference(context, plan).times(per_node * job.memory_factor()));
        }
        return parts;
    }
    if !moves(job, plan) {
        return parts;
    }
    for resident in residents(context, plan) {
        parts = parts.plus(&of_resident(context, &resident).times(per_node * job.memory_factor()));
    }
    if job.swaps_reference() {
        parts = parts.plus(&of_reference(context, plan).times(per_node * job.memory_factor()));
    }
    parts
}

/// What a reference with weights of its own has in host memory, for one GPU, where it is none of a step's residents: all of them,
/// where they are offloaded; where it takes the policy's place on the card also the policy's, unless these wait there anyway.
fn of_reference(context: &Context<'_>, plan: &Plan) -> HostParts {
    let swapped = context.job.swaps_reference();
    let Some(own) = plan
        .reference
        .filter(|own| swapped || (own.offload.parameters && !own.nvme_offload && context.adapters == 0))
    else {
        return HostParts::default();
    };
    let weights = memory::largest_states(context, &context.actor(), &own, Use::Evaluate)
        .parameters
        .gib();
    // What is backed up anyway counts with the policy.
    let both = swapped && !plan.layout.offload.parameters && !backs_up(context);
    let copies = if both { 2.0 } else { 1.0 };
    HostParts { parameters: weights * copies, ..HostParts::default() }
}

/// Whether any role leaves something in host memory.
#[must_use]
pub fn moves(job: &Job, plan: &Plan) -> bool {
    let some = |own: &Layout| own.offload != Offload::default() || own.optimizer_offload_fraction > 0.0;
    let roles = [Some(&plan.layout), plan.critic.as_ref(), plan.reference.as_ref()];
    job.swaps_reference() || roles.into_iter().flatten().any(some)
}

/// What a trainer that updates in host memory, or computes from there, moves off one GPU.
fn of_update(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> HostParts {
    let offload = layout.offload;
    let mut parts = HostParts::default();
    if offload.activations {
        parts.activations = memory::offloaded_activations(context, role, layout).gib();
    }
    // Drives hold what host memory else would.
    if layout.nvme_offload {
        return parts;
    }
    if offload.parameters && layout.zero_stage >= 3 {
        let states = memory::largest_states(context, role, layout, Use::Train);
        parts.parameters = states.parameters.gib();
    }
    parts.optimizer = memory::paged_out(context, role, layout).gib();
    let share = if offload.optimizer { 1.0 } else { layout.optimizer_offload_fraction };
    parts.plus(&stepped(context, role, layout, share))
}

/// What the host's CPUs update of one GPU's weights, `share` of them: states and gradients.
fn stepped(context: &Context<'_>, role: &Role<'_>, layout: &Layout, share: f64) -> HostParts {
    if share == 0.0 {
        return HostParts::default();
    }
    let whole = Layout { optimizer_offload_fraction: 0.0, ..*layout };
    let states = memory::largest_states(context, role, &whole, Use::Train).optimizer * share;
    let per_parameter = match layout.backend {
        Backend::Fsdp | Backend::Ddp => layout.optimizer_bytes,
        Backend::Megatron | Backend::Deepspeed => layout.master_weights_bytes + layout.optimizer_bytes,
    };
    let updated = if per_parameter > 0.0 { states.get() / per_parameter } else { 0.0 };
    HostParts { optimizer: states.gib(), gradients: Bytes::new(updated * CPU_GRADIENT).gib(), ..HostParts::default() }
}

/// What a role of an RL step leaves in host memory between its phases, and its activations while it trains, for one GPU.
fn of_resident(context: &Context<'_>, resident: &Resident<'_>) -> HostParts {
    let Resident { who, role, layout, .. } = resident;
    let frozen = who.is_frozen();
    let usage = if frozen { Use::Evaluate } else { Use::Train };
    let offload = layout.offload;
    let mut parts = HostParts::default();
    if offload.activations && !frozen {
        parts.activations = memory::offloaded_activations(context, role, layout).gib();
    }
    if !frozen {
        let share = layout.optimizer_offload_fraction;
        parts = parts.plus(&stepped(context, role, layout, share));
    }
    let kept = backs_up(context) && *who == Who::Actor;
    if !(offload.parameters || offload.optimizer || kept) {
        return parts;
    }
    let states = memory::largest_states(context, role, layout, usage);
    let moved = |bytes: Bytes, away: bool| if away { bytes.gib() } else { 0.0 };
    let own = HostParts {
        parameters: moved(states.parameters, offload.parameters) + moved(states.parameters, kept),
        gradients: moved(states.gradients, offload.parameters && !frozen && backs_up(context)),
        optimizer: moved(states.optimizer, offload.optimizer),
        ..HostParts::default()
    };
    parts.plus(&own)
}

/// Whether training is paused with all that is on the card, and one more copy of the policy is kept.
fn backs_up(context: &Context<'_>) -> bool {
    pauses_whole(context.job.framework.map(|own| own.id))
}

/// What must hold of a node's host memory; nothing where the catalog does not say how much there is.
#[must_use]
pub fn demand(context: &Context<'_>, plan: &Plan) -> Option<Demand> {
    let capacity_gib = context.job.hardware.host_ram_gib()?;
    let parts = parts(context, plan);
    let moved = parts.total() - parts.processes;
    Some(Demand {
        phase: HOST,
        fixed_gib: parts.processes,
        estimated_gib: moved,
        longest_gib: moved,
        capacity_gib,
        spread: HOST_MEMORY,
    })
}

/// GiB of a node's host memory that suffice as surely as asked, whatever it has.
pub fn needed_gib(context: &Context<'_>, plan: &Plan) -> f64 {
    let parts = parts(context, plan);
    let moved = parts.total() - parts.processes;
    parts.processes + moved * context.sure.host
}

/// What a node's host memory lacks where `needed_gib` suffice, weighed as a card's; below zero what is to spare, without end where
/// the catalog does not say how much there is.
pub fn missing_gib(context: &Context<'_>, needed_gib: f64) -> f64 {
    let capacity = context.job.hardware.host_ram_gib();
    capacity.map_or(f64::NEG_INFINITY, |capacity| weighed(context, needed_gib - capacity, capacity))
}

/// GiB that a host memory of `capacity` GiB lacks, as those that a card lacks: as large a share of the one as of the other, in
/// deviations of what is known of each. A node has some twenty times a card's memory, and what it holds is known less well: GiB for GiB a
/// plan that its host memory may hold came after one that no card ever does.
pub(crate) fn weighed(context: &Context<'_>, missing_gib: f64, capacity: f64) -> f64 {
    let card = context.job.hardware.memory_gib;
    in_card_gib(context, missing_gib, HOST_MEMORY.above * capacity.max(card))
}

/// GiB that are missing of what is known to `deviation_gib`, as those that a card lacks.
fn in_card_gib(context: &Context<'_>, missing_gib: f64, deviation_gib: f64) -> f64 {
    missing_gib * CARD_DEVIATION * context.job.hardware.memory_gib / deviation_gib.max(f64::MIN_POSITIVE)
}

/// What an engine's share of a card lacks, weighed in the same way: all of it is certain but `workspace_gib`, so that a share which
/// lacks a GiB may never start where training that lacks as much of the card may well fit.
pub(crate) fn share_weighed(context: &Context<'_>, missing_gib: f64, workspace_gib: f64) -> f64 {
    in_card_gib(context, missing_gib, WORKSPACE.above * workspace_gib)
}

/// What a card lacks while an engine generates beside `states_gib` of training's states, weighed in the same way: all but these is
/// certain, and they are arithmetic, so that a GiB too many is one for good where training that lacks as much may well fit.
pub(crate) fn states_weighed(context: &Context<'_>, missing_gib: f64, states_gib: f64) -> f64 {
    // Never less than it is: what training lacks bounds it from below.
    in_card_gib(context, missing_gib, STATES.above * states_gib.clamp(1.0, context.job.hardware.memory_gib.max(1.0)))
}
