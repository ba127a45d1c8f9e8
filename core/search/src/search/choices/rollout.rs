//! How generation engines may be split, and what they may take of the card.

use super::divisors;
use crate::neighbours::MOST_ENGINE;
use shardwise_engine::rl;
use shardwise_question::complete::generating_gpus;
use shardwise_question::engines;
use shardwise_question::job::Job;
use shardwise_question::wire::{Engine, PlanSpec, RolloutPlanSpec};

/// Shares of the card, to a twentieth.
const SHARES: [f64; 12] = [0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35];
/// Sequences decoded together: vLLM's default on large cards, and its neighbours.
const SLOTS: [u64; 4] = [256, 512, 1024, 128];

/// Shares of the card that engines may take, largest first; and every way to split one, as partial plans with the first of
/// these, that keep what the question states.
pub(crate) fn rollouts(job: &Job, spec: &PlanSpec) -> (Vec<f64>, Vec<RolloutPlanSpec>) {
    let stated = spec.rollout.clone().unwrap_or_default();
    let shares = match (stated.gpu_memory_utilization, &job.workload.rl) {
        (Some(share), _) => vec![share],
        (None, Some(rl)) => {
            let most = rl::most(rl);
            SHARES.into_iter().filter(|share| *share <= most).collect()
        }
        // Alone it takes what vLLM takes by itself; or SGLang, of the engines that are asked for the one that leaves most aside.
        (None, None) => vec![alone(job, &stated)],
    };
    let slots = match stated.max_num_seqs {
        Some(slots) => vec![slots],
        None => SLOTS.to_vec(),
    };
    let mut found = Vec::new();
    for (tensor, ranks) in engine_sizes(job, &stated) {
        // Data-parallel attention is there for the experts that its ranks share.
        let experts = match stated.expert_parallel {
            None if ranks > 1 => Some(tensor * ranks),
            own => own,
        };
        for slots in &slots {
            found.push(RolloutPlanSpec {
                tensor_parallel: Some(tensor),
                data_parallel: Some(ranks),
                expert_parallel: experts,
                gpu_memory_utilization: shares.first().copied(),
                max_num_seqs: Some(*slots),
                ..stated.clone()
            });
        }
    }
    (shares, found)
}

/// Share of the card that an engine takes beside no trainer.
fn alone(job: &Job, stated: &RolloutPlanSpec) -> f64 {
    let engine = stated.engine.unwrap_or(engines::usual(job.framework.map(|own| own.id)));
    if engine != Engine::Sglang {
        return 0.9;
    }
    let share = |(tensor, ranks): (u64, u64)| {
        let gpus = u32::try_from(tensor * ranks).unwrap_or(u32::MAX);
        let ranks = u32::try_from(ranks).unwrap_or(u32::MAX);
        engines::sglang_share(job.hardware.memory_gib, gpus, ranks, stated.max_num_batched_tokens)
    };
    engine_sizes(job, stated).into_iter().map(share).fold(0.9, f64::min)
}

/// Tensor-parallel GPUs and data-parallel ranks of engines.
fn engine_sizes(job: &Job, stated: &RolloutPlanSpec) -> Vec<(u64, u64)> {
    let gpus = generating_gpus(job);
    let shape = &job.model.shape;
    let heads = shape.num_attention_heads;
    let most = job.hardware.gpus_per_node.max(MOST_ENGINE);
    let tensor: Vec<u64> = match stated.tensor_parallel {
        Some(size) => vec![size],
        None => divisors(gpus, most)
            .map(u64::from)
            .filter(|size| heads.is_multiple_of(*size))
            .collect(),
    };
    let ranks: Vec<u64> = match stated.data_parallel {
        Some(ranks) => vec![ranks],
        None if shape.num_experts > 0 && stated.expert_parallel != Some(1) => {
            divisors(gpus, most).map(u64::from).collect()
        }
        None => vec![1],
    };
    let stated_both = stated.tensor_parallel.is_some() && stated.data_parallel.is_some();
    let mut found = Vec::with_capacity(tensor.len() * ranks.len());
    for size in tensor {
        for ranks in &ranks {
            let engine = size.saturating_mul(*ranks);
            let whole = engine <= u64::from(most) && u64::from(gpus).is_multiple_of(engine.max(1));
            // Copies of an attention that nobody asked for share the experts, and each has some.
            let enough = stated.data_parallel.is_some() || engine <= shape.num_experts;
            // What is stated is refused by name, not left out.
            if whole && enough || *ranks == 1 || stated_both {
                found.push((size, *ranks));
            }
        }
    }
    found
}
