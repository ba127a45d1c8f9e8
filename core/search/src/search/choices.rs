//! What a plan may choose in each dimension, where the question does not state it.

mod away;
mod rollout;
mod sizes;

use away::offloads;
pub(super) use rollout::rollouts;
pub(super) use sizes::{Sizes, states_fill_cards};

use super::space::Pass;
use crate::neighbours::is_selective;
use shardwise_question::complete::{self, training_gpus};
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Modules, Recompute, ZeroPlus};
use shardwise_question::task::Task;
use shardwise_question::wire::{Attention, Backend, Offload, PlanSpec, RecomputeModule};

/// What plans of one parallel layout differ in beside the micro-batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variant {
    pub(super) recompute: Recompute,
    pub(super) away: Away,
    pub(super) fused_lm_head: bool,
}

/// What is in host memory, between phases or for good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Away {
    pub(super) offload: Offload,
    pub(super) optimizer_offload_fraction: f64,
}

impl Away {
    /// What a layout says of it.
    pub(super) fn of(layout: &Layout) -> Self {
        Self { offload: layout.offload, optimizer_offload_fraction: layout.optimizer_offload_fraction }
    }

    /// Whether all that `other` moves is moved here too.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let (own, less) = (self.offload, other.offload);
        (own.parameters || !less.parameters)
            && (own.gradients || !less.gradients)
            && (own.optimizer || !less.optimizer)
            && (own.activations || !less.activations)
            && self.optimizer_offload_fraction >= other.optimizer_offload_fraction
    }
}

/// The stated value alone, or every candidate.
fn choices(stated: Option<u32>, candidates: impl Iterator<Item = u32>) -> Vec<u32> {
    match stated {
        Some(value) => vec![value],
        None => candidates.collect(),
    }
}

fn divisors(number: u32, most: u32) -> impl Iterator<Item = u32> {
    (1..=number.min(most)).filter(move |size| number.is_multiple_of(*size))
}

/// Sizes of groups that `gpus` are split into, up to `most`; where they are no power of two, up to the next power of two: three
/// nodes are split by 24 where two are split by 16.
fn parts(gpus: u32, most: u32) -> impl Iterator<Item = u32> {
    let next = most.saturating_add(1).next_power_of_two();
    divisors(gpus, next - 1).filter(move |size| *size <= most || !size.is_power_of_two())
}

/// Back ends that people train such a workload with: plain data parallelism in no RL framework.
pub(super) fn backends(job: &Job, spec: &PlanSpec) -> Vec<Backend> {
    if let Some(backend) = spec.backend {
        return vec![backend];
    }
    match job.workload.kind.task() {
        Task::Train | Task::Prefer(_) => {
            vec![Backend::Fsdp, Backend::Megatron, Backend::Deepspeed, Backend::Ddp]
        }
        // No framework here runs RL on plain data parallelism.
        Task::Rl(_) => {
            vec![Backend::Fsdp, Backend::Megatron, Backend::Deepspeed]
        }
        Task::Generate => vec![Backend::Fsdp],
    }
}

/// Whether a backend is Megatron's, which alone splits layers and experts here, and matrices of all models.
fn splits_model(backend: Backend) -> bool {
    backend == Backend::Megatron
}

/// Interleaved pipelines take micro-batches in rounds of as many as there are stages (Megatron's
/// `forward_backward_pipelining_with_interleaving`).
pub(super) fn interleaves(spec: &PlanSpec, layout: &Layout, pass: &Pass) -> bool {
    let stated = spec.virtual_pipeline.is_some();
    let dynamic = matches!(pass.micro_batch, MicroBatch::Tokens(_));
    layout.virtual_pipeline == 1
        || stated
        || dynamic
        || (pass.batch.micro_batches as u64).is_multiple_of(layout.pipeline_parallel.into())
}

/// What one forward pass takes: divisors of a rank's sequences; token budgets where sequences are joined.
pub(super) fn micro_batches(job: &Job, spec: &PlanSpec, layout: &Layout) -> Vec<MicroBatch> {
    let workload = &job.workload;
    match (spec.micro_batch, spec.max_tokens_per_gpu) {
        (None, None) => {}
        // The stated one, as it was checked.
        _ => return vec![layout.micro_batch],
    }
    let ranks = u64::from(layout.data_parallel(training_gpus(job)));
    let per_rank = workload.global_batch.div_ceil(ranks.max(1)).max(1);
    let longest = workload
        .sequence_length
        .div_ceil(u64::from(layout.sequence_split().max(1)))
        .max(1);
    let budgets = [1, 2, 3, 4, 6, 8, 12, 16].map(|times| MicroBatch::Tokens(longest * times));
    // PRIME's reward model, laid out like the actor, has no budget (`shardwise_rules::verl`).
    let counts_sequences = workload.kind.has_process_reward() || job.counts_responses();
    if workload.rl.is_some() && workload.packing && !counts_sequences {
        let mut found = budgets.to_vec();
        // A pipeline waits for its first and last pass: single sequences are the most of them.
        if layout.pipeline_parallel > 1 {
            found.push(MicroBatch::Sequences(1));
        }
        return found;
    }
    let sequences = divisors(per_rank.min(1 << 20) as u32, 64);
    let mut found: Vec<_> = sequences.map(|size| MicroBatch::Sequences(size.into())).collect();
    if workload.joins() && !counts_sequences {
        found.extend(budgets);
    }
    found
}

/// Recomputation, offload and fused head; the plainest first.
pub(super) fn variants(job: &Job, spec: &PlanSpec, base: &Layout) -> Vec<Variant> {
    let recomputes = match &spec.recompute {
        Some(_) => vec![base.recompute],
        None => recomputes(job, base),
    };
    let mut aways = match spec.offload {
        Some(offload) => vec![Away { offload, ..Away::of(base) }],
        None => offloads(job, spec, base),
    };
    // Drives hold what is offloaded: a plan that states them offloads something.
    if base.nvme_offload && spec.offload.is_none() {
        aways.retain(|Away { offload, .. }| {
            offload.optimizer && (!offload.parameters || base.zero_plus == ZeroPlus::OFF)
        });
    }
    // What the optimizer does not go with is no plan; one that the backend has not at all is refused by its name.
    let goes = |away: &Away| {
        let &Away { offload, optimizer_offload_fraction } = away;
        complete::steps_with(job, &Layout { offload, optimizer_offload_fraction, ..*base })
    };
    if spec.offload.is_none() && aways.iter().any(goes) {
        aways.retain(goes);
    }
    let mut found = Vec::with_capacity(recomputes.len() * aways.len() * 2);
    for fused_lm_head in fused_heads(spec) {
        for away in &aways {
            for recompute in &recomputes {
                found.push(Variant { recompute: *recompute, away: *away, fused_lm_head });
            }
        }
    }
    found
}

/// Where all weights train, FSDP begins with the least that gradients take; steps from what is found may leave them whole.
pub(super) fn syncs(job: &Job, spec: &PlanSpec, backend: Backend) -> Option<bool> {
    let least = backend == Backend::Fsdp && job.workload.lora.is_none();
    spec.sync_each_batch.or(least.then_some(true))
}

/// With the logits in memory and without: which is faster depends on the loss, which fits on the card.
fn fused_heads(spec: &PlanSpec) -> Vec<bool> {
    spec.fused_lm_head.map_or(vec![false, true], |stated| vec![stated])
}

/// Sets of modules that Megatron recomputes and that save something, and all of each layer. Elsewhere all or nothing; in
/// pre-training also every other operator (torchtitan's selective checkpointing).
fn recomputes(job: &Job, layout: &Layout) -> Vec<Recompute> {
    let mut found = vec![Recompute::None];
    if layout.backend == Backend::Megatron {
        found.extend(module_sets(job, layout).into_iter().map(Recompute::Selective));
    } else if job.workload.rl.is_none() && is_selective(job, layout.backend) {
        found.push(Recompute::Selective(Modules::CORE_ATTN));
    }
    found.push(Recompute::Full);
    found
}

/// Sets of modules, each with one more than the last, what costs least for what it saves first. Others are tried as steps
/// from the plan that is found.
fn module_sets(job: &Job, layout: &Layout) -> Vec<Modules> {
    use RecomputeModule as M;
    let shape = &job.model.shape;
    let experts = shape.num_experts > 0;
    let dense = !experts || shape.first_k_dense_replace > 0;
    let shared = experts && shape.shared_expert_intermediate_size > 0;
    let order = [
        // Flash attention keeps no scores.
        (M::CoreAttn, layout.attention == Attention::Unfused),
        (M::Layernorm, true),
        (M::MoeAct, experts),
        (M::MlaUpProj, shape.is_mla()),
        (M::SharedExperts, shared),
        (M::Mlp, dense),
        (M::Moe, experts),
    ];
    let mut chosen = Vec::new();
    let mut found = Vec::new();
    for (module, _) in order.into_iter().filter(|(_, saves)| *saves) {
        if module == M::Moe {
            // All of the experts' layer is more than its parts.
            chosen.retain(|part| !matches!(part, M::MoeAct | M::SharedExperts));
        }
        chosen.push(module);
        found.push(Modules::of(&chosen));
    }
    found
}
