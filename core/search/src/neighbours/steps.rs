//! One step up and one down in every dimension of a plan, and of the machine: what a plan's sensitivity is made of.
//!
//! [`super::neighbours`] are the steps that may help; these are all of them, and the way back.

use super::dimension::{Dimension as D, resizes};
use super::{Found, helpful, moved_to};
use shardwise_catalog::catalog;
use shardwise_catalog::hardware::Rentable;
use shardwise_question::complete::training_gpus;
use shardwise_question::framework::splits_matrices_beside_fsdp;
use shardwise_question::job::{Job, price};
use shardwise_question::market;
use shardwise_question::plan::{Layout, Modules, Plan, Recompute, RolloutPlan, ZeroPlus};
use shardwise_question::wire::{Attention, Backend, KvCacheDtype, RecomputeModule};

/// A dimension, and what a step in it does to a layout or an engine.
type Turn<T> = (D, fn(&mut T));

/// Changes of a layout that have no size: each turns something over.
const TURNS: [Turn<Layout>; 15] = [
    (D::SequenceParallel, |l| l.sequence_parallel = !l.sequence_parallel),
    (D::FusedLmHead, |l| l.fused_lm_head = !l.fused_lm_head),
    (D::SyncEachBatch, |l| l.sync_each_batch = !l.sync_each_batch),
    (D::Attention, |l| {
        l.attention = match l.attention {
            Attention::Flash => Attention::Unfused,
            Attention::Unfused => Attention::Flash,
        };
    }),
    (D::Overlap, |l| l.overlap.gradients = !l.overlap.gradients),
    (D::Overlap, |l| l.overlap.parameters = !l.overlap.parameters),
    (D::Overlap, |l| {
        l.overlap.tensor_parallel = !l.overlap.tensor_parallel;
    }),
    (D::Offload, |l| l.offload.parameters = !l.offload.parameters),
    (D::Offload, |l| l.offload.gradients = !l.offload.gradients),
    (D::Offload, |l| {
        l.offload.optimizer = !l.offload.optimizer;
        // DeepSpeed's gradients go with it.
        if l.backend == Backend::Deepspeed {
            l.offload.gradients = l.offload.optimizer;
        }
    }),
    (D::Offload, |l| l.offload.activations = !l.offload.activations),
    (D::OptimizerOffloadFraction, |l| {
        let away = l.optimizer_offload_fraction > 0.0;
        l.optimizer_offload_fraction = if away { 0.0 } else { 1.0 };
    }),
    (D::NvmeOffload, |l| l.nvme_offload = !l.nvme_offload),
    (D::ZeroQuantizedWeights, |l| {
        l.zero_plus.quantized_weights = !l.zero_plus.quantized_weights;
    }),
    (D::ZeroQuantizedGradients, |l| {
        l.zero_plus.quantized_gradients = !l.zero_plus.quantized_gradients;
    }),
];

/// Changes of an engine; what has no such step there comes back as it was.
const ENGINES: [Turn<RolloutPlan>; 9] = [
    (D::MaxNumSeqs, |e| e.max_num_seqs = (e.max_num_seqs / 2).max(1)),
    (D::MaxNumBatchedTokens, |e| {
        e.max_num_batched_tokens = (e.max_num_batched_tokens / 2).max(1);
    }),
    (D::MaxNumBatchedTokens, |e| {
        e.max_num_batched_tokens = e.max_num_batched_tokens.saturating_mul(2);
    }),
    (D::EnforceEager, |e| e.enforce_eager = !e.enforce_eager),
    (D::FreeCache, |e| e.free_cache = !e.free_cache),
    (D::KvCacheDtype, |e| {
        e.kv_cache_dtype = match e.kv_cache_dtype {
            KvCacheDtype::Auto => KvCacheDtype::Fp8,
            KvCacheDtype::Fp8 => KvCacheDtype::Auto,
        };
    }),
    (D::RolloutDataParallel, |e| resize_ranks(e, e.data_parallel.saturating_mul(2))),
    (D::RolloutDataParallel, |e| resize_ranks(e, e.data_parallel / 2)),
    (D::RolloutExpertParallel, |e| {
        e.expert_parallel = if e.expert_parallel > 1 { 1 } else { e.gpus() };
    }),
];

/// The largest engine that steps lead to and that searches try: sixteen nodes of eight. Published deployments share experts
/// among more (DeepSeek-V3, arXiv:2412.19437, section 3.4: 320 GPUs decode as one); what goes beyond measured runs is ranked
/// with caution ([`shardwise_engine::coverage::engine_caution`]).
pub(crate) const MOST_ENGINE: u32 = 128;

fn resize_ranks(engine: &mut RolloutPlan, ranks: u32) {
    if ranks < engine.data_parallel || engine.tensor_parallel.saturating_mul(ranks) <= MOST_ENGINE {
        engine.resize(|engine| engine.data_parallel = ranks.max(1));
    }
}

/// Every plan that model and machine allow, one step up or down in one dimension, each once. What is trained stays:
/// batch, precision, schedule. The code that trains, its loss, the engine, its precision and speculative decoding are no
/// steps.
#[must_use]
pub fn steps(job: &Job, plan: &Plan) -> Vec<(D, Plan)> {
    let trains = job.workload.generation.is_none();
    let wanted = |dimension, to: &Layout| {
        if trains { runs(job, dimension, &plan.layout, to) } else { *to == plan.layout }
    };
    let mut found = Found::new(job, plan, &wanted);
    helpful(&mut found);
    // The engine's share goes in twentieths.
    found
        .all
        .retain(|(dimension, to)| match (dimension, &plan.rollout, &to.rollout) {
            (D::GpuMemoryUtilization, Some(was), Some(now)) => {
                (now.gpu_memory_utilization - was.gpu_memory_utilization).abs() < 0.07
            }
            // With no floor: half and twice are among the turns.
            (D::MaxNumBatchedTokens, ..) => false,
            _ => true,
        });
    if trains {
        for (dimension, layout) in layouts(job, &plan.layout) {
            found.layout(dimension, &layout);
        }
        roles(&mut found);
    }
    if let Some(engine) = &plan.rollout {
        for (dimension, turn) in ENGINES {
            let mut engine = *engine;
            turn(&mut engine);
            found.engine(dimension, engine);
        }
    }
    found.all
}

/// Whether the code that trains has such a step: what it does not split a model by, it does not begin to. A plan that
/// has it all the same may change it.
fn runs(job: &Job, dimension: D, was: &Layout, to: &Layout) -> bool {
    let backend = was.backend;
    let learns = job.workload.rl.is_some();
    let megatron = backend == Backend::Megatron;
    let begun = |size: u32| size > 1;
    match dimension {
        // Some of FSDP's frameworks have it, where all weights train ([`splits_matrices_beside_fsdp`]), most of them outside RL.
        D::TensorParallel => {
            let trained = job.workload.lora.is_none();
            let named = job.framework.map(|own| own.id);
            let beside = if learns || named.is_some() { splits_matrices_beside_fsdp(named) } else { trained };
            megatron || backend == Backend::Fsdp && trained && beside || begun(was.tensor_parallel)
        }
        D::PipelineParallel | D::VirtualPipeline => megatron || begun(was.pipeline_parallel),
        // In RL OpenRLHF has rings beside DeepSpeed.
        D::ContextParallel => megatron || backend == Backend::Deepspeed && learns || begun(was.context_parallel),
        D::ExpertParallel => megatron || begun(was.expert_parallel),
        D::ExpertTensorParallel => megatron || begun(was.expert_tensor_parallel),
        // Beside DeepSpeed no RL framework here has it.
        D::UlyssesParallel => {
            let beside = matches!(backend, Backend::Deepspeed | Backend::Ddp);
            backend == Backend::Fsdp || beside && !learns || begun(was.ulysses_parallel)
        }
        // Megatron shards the optimizer, FSDP gradients too; plain data parallelism nothing.
        D::ZeroStage => match backend {
            Backend::Megatron => to.zero_stage <= 1,
            Backend::Fsdp => to.zero_stage >= 2,
            Backend::Deepspeed => true,
            Backend::Ddp => to.zero_stage == 0,
        },
        D::Attention => megatron,
        // Stages leave them whole in any case. Adapters' are few, and RL's recipes reduce them.
        D::SyncEachBatch => {
            let trained = job.workload.lora.is_none() && !learns;
            backend == Backend::Fsdp && trained && !begun(was.pipeline_parallel)
        }
        D::SequenceParallel => begun(was.tensor_parallel),
        D::Overlap => {
            to.overlap.tensor_parallel == was.overlap.tensor_parallel || megatron && begun(was.tensor_parallel)
        }
        D::OptimizerOffloadFraction => megatron,
        // Gradients move with the optimizer in DeepSpeed, with the weights elsewhere.
        D::Offload => {
            let with = if backend == Backend::Deepspeed { to.offload.optimizer } else { to.offload.parameters };
            to.offload.gradients == was.offload.gradients || to.offload.gradients == with
        }
        _ => true,
    }
}

fn layouts(job: &Job, layout: &Layout) -> Vec<(D, Layout)> {
    let mut found = Vec::with_capacity(32);
    for dimension in [D::ExpertTensorParallel, D::ShardGroup] {
        for resize in resizes(training_gpus(job)) {
            if let Some(resized) = dimension.resized(layout, resize) {
                found.push((dimension, resized));
            }
        }
    }
    let megatron = layout.backend == Backend::Megatron;
    let experts = job.model.shape.num_experts > 0;
    for (dimension, turn) in TURNS {
        let mut to = *layout;
        turn(&mut to);
        found.push((dimension, to));
    }
    // Outside RL `offload.optimizer` says the same.
    let phases = job.workload.rl.is_some();
    found.retain(|(dimension, _)| match dimension {
        D::ExpertTensorParallel => experts,
        D::OptimizerOffloadFraction => phases,
        _ => true,
    });
    let partition_size = if layout.zero_plus.partition_size > 1 { 1 } else { job.hardware.gpus_per_node };
    let zero_plus = ZeroPlus { partition_size, ..layout.zero_plus };
    found.push((D::ZeroHpzPartitionSize, Layout { zero_plus, ..*layout }));
    // Megatron recomputes modules of its choice: one more or one less.
    if let (true, Recompute::Selective(modules)) = (megatron, layout.recompute) {
        for module in RecomputeModule::ALL {
            let turned: Vec<_> = RecomputeModule::ALL
                .into_iter()
                .filter(|own| modules.contains(*own) != (*own == module))
                .collect();
            let recompute =
                if turned.is_empty() { Recompute::None } else { Recompute::Selective(Modules::of(&turned)) };
            found.push((D::Recompute, Layout { recompute, ..*layout }));
        }
    }
    found
}

/// Half and twice what critic and reference take at once, where that is not the trained model's.
fn roles(found: &mut Found<'_>) {
    let plan = found.plan;
    for (dimension, role) in [(D::CriticMicroBatch, plan.critic), (D::ReferenceMicroBatch, plan.reference)] {
        let Some(role) = role.filter(|role| *role != plan.layout) else {
            continue;
        };
        for micro_batch in [role.micro_batch.halved(), role.micro_batch.doubled()] {
            let role = Some(Layout { micro_batch, ..role });
            found.offer(dimension, |to| match dimension {
                D::CriticMicroBatch => to.critic = role,
                _ => to.reference = role,
            });
        }
    }
}

/// The plan on a node more and on a node less, on half or twice the GPUs where there is one node or a part of it; and
/// with more and with fewer GPUs that train, where generation has its own.
#[must_use]
pub fn machines(job: &Job, plan: &Plan) -> Vec<(D, Job, Plan)> {
    let (gpus, node) = (job.hardware.gpus, job.hardware.gpus_per_node);
    let usual = catalog::gpu(&job.hardware.gpu).map_or(8, |gpu| gpu.gpus_per_node.max(1));
    let (sizes, room) = if gpus > node {
        ([gpus.checked_sub(node), gpus.checked_add(node)], node)
    } else {
        let half = gpus.is_multiple_of(2).then_some(gpus / 2);
        let room = if job.hardware.offer.as_ref().is_some_and(Rentable::is_machine) { node } else { node.max(usual) };
        ([half, gpus.checked_mul(2)], room)
    };
    // What is rented is rented whole.
    let rented = |gpus: &u32| {
        job.hardware
            .offer
            .as_ref()
            .is_none_or(|offer| market::holds(offer, (*gpus).into()).is_ok())
    };
    let trained = job.workload.rl.as_ref().map(|rl| rl.train_gpus);
    let trained = trained.filter(|trained| *trained < gpus);
    let with = |gpus: u32, trained: u32| {
        let mut to = job.clone();
        to.hardware.gpus = gpus;
        to.hardware.gpus_per_node = room.min(gpus);
        price(&mut to.hardware);
        if let Some(rl) = &mut to.workload.rl {
            rl.train_gpus = trained;
        }
        let plan = moved_to(job, &to, plan, plan).filter(|_| trained <= gpus)?;
        Some((to, plan))
    };
    let mut found = Vec::with_capacity(4);
    for gpus in sizes.into_iter().flatten().filter(rented) {
        // What is added generates: that side waits for its longest response.
        let moved = match trained {
            Some(trained) if trained >= gpus => None,
            Some(trained) => with(gpus, trained),
            None => with(gpus, gpus),
        };
        found.extend(moved.map(|(job, plan)| (D::Gpus, job, plan)));
    }
    if let Some(trained) = trained {
        let unit = if gpus > node { node } else { 1 };
        let legal = |to: Option<u32>| {
            let to = to.filter(|to| (1..gpus).contains(to))?;
            with(gpus, to)
        };
        // The nearest number over which the plan divides.
        let less = [1, 2, 4].into_iter().find_map(|n| legal(trained.checked_sub(n * unit)));
        let more = [1, 2, 4].into_iter().find_map(|n| legal(trained.checked_add(n * unit)));
        let moved = [less, more].into_iter().flatten();
        found.extend(moved.map(|(job, plan)| (D::TrainGpus, job, plan)));
    }
    found
}
