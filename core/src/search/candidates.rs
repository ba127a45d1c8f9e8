//! The candidates of a search: every layout and every engine that divisibility allows, as partial
//! plans that keep what the question states.

use crate::complete::{generating_gpus, training_gpus};
use crate::job::Job;
use crate::plan::MicroBatch;
use crate::wire::{
    Backend, Offload, PlanSpec, RecomputeGranularity, RecomputeSpec, RolloutPlanSpec, WorkloadKind,
};

fn powers_of_two(most: u64) -> impl Iterator<Item = u64> {
    (0..20)
        .map(|exponent| 1 << exponent)
        .take_while(move |value| *value <= most)
}

/// The stated value alone, or every candidate.
fn choices(stated: Option<u64>, candidates: impl Iterator<Item = u64>) -> Vec<u64> {
    match stated {
        Some(value) => vec![value],
        None => candidates.collect(),
    }
}

/// Back ends that people train such a workload with.
fn backends(job: &Job, spec: &PlanSpec) -> Vec<Backend> {
    if let Some(backend) = spec.backend {
        return vec![backend];
    }
    match job.workload.kind {
        WorkloadKind::Pretrain | WorkloadKind::Sft => {
            vec![Backend::Fsdp, Backend::Megatron, Backend::Deepspeed]
        }
        WorkloadKind::Lora | WorkloadKind::Qlora => vec![Backend::Fsdp, Backend::Deepspeed],
        WorkloadKind::Ppo | WorkloadKind::Grpo | WorkloadKind::Dapo => {
            vec![Backend::Fsdp, Backend::Megatron]
        }
        WorkloadKind::Rollout => vec![Backend::Fsdp],
    }
}

/// Every layout that divisibility allows.
pub(super) fn layouts(job: &Job, spec: &PlanSpec, sharing: Sharing) -> Vec<PlanSpec> {
    if job.workload.kind == WorkloadKind::Rollout {
        return vec![spec.clone()];
    }
    let mut found = Vec::new();
    for backend in backends(job, spec) {
        parallel_layouts(job, spec, backend, sharing, &mut found);
    }
    found
}

/// How data-parallel ranks share a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Each rank has the same number of sequences, at least one.
    Even,
    /// Some ranks may have less, or nothing.
    Any,
}

fn parallel_layouts(
    job: &Job,
    spec: &PlanSpec,
    backend: Backend,
    sharing: Sharing,
    found: &mut Vec<PlanSpec>,
) {
    let shape = &job.model.shape;
    let gpus = u64::from(training_gpus(job));
    let megatron = backend == Backend::Megatron;
    // Tensor parallelism stays inside the node; a rack of one NVLink domain counts as nodes of eight.
    let node = job.hardware.gpus_per_node;
    let domain = u64::from(node.max(job.hardware.nvlink_domain.min(8)));
    let length = job.workload.sequence_length;
    let only = |allowed: bool, most: u64| if allowed { most } else { 1 };
    let splits = |most: u64| if length >= 8192 { most } else { 1 };
    for tp in choices(spec.tensor_parallel, powers_of_two(only(megatron, domain))) {
        for pp in choices(spec.pipeline_parallel, powers_of_two(only(megatron, 64))) {
            if spec.pipeline_parallel.is_none()
                && (pp > 1 && (!shape.num_hidden_layers.is_multiple_of(pp) || tp * pp > gpus))
            {
                continue;
            }
            for cp in choices(
                spec.context_parallel,
                powers_of_two(only(megatron, splits(8))),
            ) {
                for ulysses in choices(
                    spec.ulysses_parallel,
                    powers_of_two(only(backend == Backend::Fsdp, splits(8))),
                ) {
                    let model_parallel = tp * pp * cp * ulysses;
                    if model_parallel == 0 || !gpus.is_multiple_of(model_parallel) {
                        continue;
                    }
                    let most_ep = only(megatron && shape.num_experts > 0, gpus / pp.max(1));
                    for ep in choices(spec.expert_parallel, powers_of_two(most_ep.min(64))) {
                        for vpp in virtual_stages(spec, shape.num_hidden_layers, pp) {
                            let layout = PlanSpec {
                                backend: Some(backend),
                                tensor_parallel: Some(tp),
                                pipeline_parallel: Some(pp),
                                context_parallel: Some(cp),
                                ulysses_parallel: Some(ulysses),
                                expert_parallel: Some(ep),
                                virtual_pipeline: Some(vpp),
                                ..spec.clone()
                            };
                            let replicas = gpus / model_parallel;
                            if sharing == Sharing::Any || shares_evenly(job, replicas) {
                                batches(job, spec, &layout, replicas, found);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn virtual_stages(spec: &PlanSpec, layers: u64, pp: u64) -> Vec<u64> {
    if let Some(vpp) = spec.virtual_pipeline {
        return vec![vpp];
    }
    [1, 2, 4]
        .into_iter()
        .filter(|vpp| *vpp == 1 || (pp > 1 && layers.is_multiple_of(pp * vpp)))
        .collect()
}

/// Whether the global batch gives every rank the same number of sequences, at least one.
fn shares_evenly(job: &Job, replicas: u64) -> bool {
    job.workload.global_batch >= replicas && job.workload.global_batch.is_multiple_of(replicas)
}

/// Micro-batches, recomputation and offload of a parallel layout.
fn batches(
    job: &Job,
    spec: &PlanSpec,
    layout: &PlanSpec,
    replicas: u64,
    found: &mut Vec<PlanSpec>,
) {
    let workload = &job.workload;
    let per_rank = (workload.global_batch / replicas).max(1);
    let micro = match (spec.micro_batch, spec.max_tokens_per_gpu) {
        (Some(n), _) => vec![MicroBatch::Sequences(n)],
        (None, Some(n)) => vec![MicroBatch::Tokens(n)],
        (None, None) if workload.rl.is_some() && workload.packing => {
            let split = layout.context_parallel.unwrap_or(1) * layout.ulysses_parallel.unwrap_or(1);
            let longest = workload.sequence_length.div_ceil(split);
            [1, 2, 3, 4, 6, 8]
                .iter()
                .map(|times| MicroBatch::Tokens(longest * times))
                .collect()
        }
        (None, None) => powers_of_two(per_rank.min(64))
            .filter(|n| per_rank.is_multiple_of(*n))
            .map(MicroBatch::Sequences)
            .collect(),
    };
    let recompute: Vec<RecomputeSpec> = match &spec.recompute {
        Some(stated) => vec![stated.clone()],
        None => [RecomputeGranularity::None, RecomputeGranularity::Full]
            .map(RecomputeSpec::Word)
            .to_vec(),
    };
    let offload = match spec.offload {
        Some(stated) => vec![stated],
        None => offloads(job, layout),
    };
    let fused = match spec.fused_lm_head {
        Some(stated) => Some(stated),
        // veRL and Megatron have the kernel; the guides advise it without exception (verl_megatron_practice, section 2).
        None => Some(workload.rl.is_some()),
    };
    for micro_batch in &micro {
        let (sequences, tokens) = match micro_batch {
            MicroBatch::Sequences(n) => (Some(*n), None),
            MicroBatch::Tokens(n) => (None, Some(*n)),
        };
        for recompute in &recompute {
            for offload in &offload {
                found.push(PlanSpec {
                    micro_batch: sequences,
                    max_tokens_per_gpu: tokens,
                    recompute: Some(recompute.clone()),
                    offload: Some(*offload),
                    fused_lm_head: fused,
                    ..layout.clone()
                });
            }
        }
    }
}

fn offloads(job: &Job, layout: &PlanSpec) -> Vec<Offload> {
    let none = Offload::default();
    let states = Offload {
        parameters: true,
        optimizer: true,
        gradients: true,
        activations: false,
    };
    match job.workload.kind {
        // DeepSpeed moves optimizer and gradients out between updates, and the weights it trains stay (OpenRLHF 0.11.2,
        // `utils/deepspeed/deepspeed_utils.py`).
        WorkloadKind::Ppo | WorkloadKind::Grpo | WorkloadKind::Dapo
            if layout.backend == Some(Backend::Deepspeed) =>
        {
            vec![
                none,
                Offload {
                    parameters: false,
                    ..states
                },
            ]
        }
        WorkloadKind::Ppo | WorkloadKind::Grpo | WorkloadKind::Dapo => vec![none, states],
        WorkloadKind::Lora | WorkloadKind::Qlora | WorkloadKind::Rollout => vec![none],
        WorkloadKind::Pretrain | WorkloadKind::Sft
            if layout.backend == Some(Backend::Deepspeed) =>
        {
            vec![
                none,
                Offload {
                    optimizer: true,
                    gradients: true,
                    ..none
                },
                states,
            ]
        }
        WorkloadKind::Pretrain | WorkloadKind::Sft => vec![none],
    }
}

pub(super) fn rollouts(job: &Job, spec: &PlanSpec) -> Vec<Option<RolloutPlanSpec>> {
    let generates = job.workload.rl.is_some() || job.workload.generation.is_some();
    if !generates {
        return vec![None];
    }
    let stated = spec.rollout.clone().unwrap_or_default();
    let gpus = u64::from(generating_gpus(job));
    let heads = job.model.shape.num_attention_heads;
    let most = gpus.min(u64::from(job.hardware.gpus_per_node)).min(16);
    let sizes = choices(
        stated.tensor_parallel,
        powers_of_two(most).filter(|tp| gpus.is_multiple_of(*tp) && heads.is_multiple_of(*tp)),
    );
    let shares = match stated.gpu_memory_utilization {
        Some(share) => vec![share],
        None if job.workload.rl.is_some() => vec![0.85, 0.7, 0.6, 0.5, 0.4],
        None => vec![0.9],
    };
    let mut found = Vec::new();
    for tp in sizes {
        for share in &shares {
            found.push(Some(RolloutPlanSpec {
                tensor_parallel: Some(tp),
                gpu_memory_utilization: Some(*share),
                max_num_seqs: stated.max_num_seqs.or(Some(if job.workload.rl.is_some() {
                    512
                } else {
                    256
                })),
                ..stated.clone()
            }));
        }
    }
    found
}
