//! The order of simplicity: which of two plans that are as fast a person would rather run.
//!
//! Points, fewer are simpler; in the order in which they weigh:
//!
//! 1. What the framework of most recipes has no switch for: another framework is no detail.
//! 2. States or activations in host memory: nothing is moved without need.
//! 3. Layouts at which an expert would ask why: tensor parallelism beyond the node, pipeline chunks of a single layer,
//!    dozens of experts on every rank, an engine that fills the card.
//! 4. Mechanisms: each way of splitting that is used, recomputation by module, shard groups.
//! 5. Values beside those of recipes: token budgets of twice the longest sequence (veRL's guide), full recomputation or
//!    none, 256 or 1,024 sequences and a share of 0.5 to 0.7 for the engine, everything else at its default.
//!
//! Sources: veRL's tuning guide (<https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/perf/perf_tuning.rst>), ChatLearn's
//! (<https://github.com/alibaba/ChatLearn/blob/19a314f8b66f850c4d2f63b8d45db07ee46e36fb/docs/en/tutorial/tuning_guide.md>), and the values of veRL's examples.

use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, Recompute, RolloutPlan};
use shardwise_question::wire::{Backend, KvCacheDtype, Overlap};

/// What takes a framework that few recipes are written for.
const RARE: u32 = 1000;
/// What is moved to host memory, each kind of it.
const MOVED: u32 = 200;
/// What an expert would ask about.
const ODD: u32 = 60;
/// A mechanism.
const USED: u32 = 20;
/// A value beside the usual one.
const UNUSUAL: u32 = 2;

/// Experts of one rank beyond which they are many.
const MANY_EXPERTS: u64 = 32;

/// Points of a plan.
pub(super) fn points(job: &Job, plan: &Plan) -> u32 {
    let engine = plan.rollout.as_ref().map_or(0, |own| of_engine(job, own));
    of_layout(job, &plan.layout) + engine
}

/// Points of a layout.
pub(super) fn of_layout(job: &Job, layout: &Layout) -> u32 {
    of_split(job, layout) + of_variant(job, layout)
}

/// Points of how a layout splits model and batch: the least of any plan that does so.
pub(super) fn of_split(job: &Job, layout: &Layout) -> u32 {
    let shape = &job.model.shape;
    let megatron = layout.backend == Backend::Megatron;
    let split = [
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.virtual_pipeline,
        layout.context_parallel,
        layout.ulysses_parallel,
        layout.expert_parallel,
        layout.expert_tensor_parallel,
    ];
    let used = split.iter().filter(|size| **size > 1).count() as u32;
    let chunks = u64::from(layout.pipeline_parallel) * u64::from(layout.virtual_pipeline);
    let odd = [
        layout.tensor_parallel > job.hardware.gpus_per_node.max(8),
        layout.virtual_pipeline > 1 && chunks * 2 > shape.num_hidden_layers,
        layout.virtual_pipeline > 4,
        megatron && shape.num_experts / u64::from(layout.expert_parallel) > MANY_EXPERTS,
        layout.context_parallel > 1 && job.workload.sequence_length < 8192,
    ];
    let uneven = split.iter().filter(|size| !size.is_power_of_two()).count() as u32;
    // Less of a mechanism is simpler than more.
    let sizes: u32 = split.iter().map(|size| size.ilog2()).sum();
    let all = job.hardware.gpus / layout.model_parallel().max(1) * layout.sequence_split();
    let hybrid = layout.zero_stage >= 2 && layout.shard_group < all;
    // Alone there is nobody to shard with: what shards is a program more, for nothing.
    let alone = job.hardware.gpus == 1 && matches!(layout.backend, Backend::Fsdp | Backend::Deepspeed);
    let mechanisms = used + u32::from(hybrid) + u32::from(alone);
    USED * mechanisms + ODD * count(&odd) + UNUSUAL * (uneven + sizes) + usual_stage(layout)
}

/// `DeepSpeed`'s recipes take stage 2 where it fits, then 3; the others have one of their own.
fn usual_stage(layout: &Layout) -> u32 {
    match (layout.backend, layout.zero_stage) {
        (Backend::Deepspeed, 2) | (Backend::Fsdp, 3) | (Backend::Megatron, 1) | (Backend::Ddp, 0) => 0,
        (Backend::Deepspeed, 3) => UNUSUAL,
        _ => 2 * UNUSUAL,
    }
}

fn count(which: &[bool]) -> u32 {
    which.iter().filter(|own| **own).count() as u32
}

/// Points of what plans of one split differ in.
fn of_variant(job: &Job, layout: &Layout) -> u32 {
    let offload = layout.offload;
    let moved = [
        offload.parameters || offload.gradients,
        // Gradients go where the weights go, but in `DeepSpeed`.
        offload.parameters != offload.gradients && layout.backend != Backend::Deepspeed,
        offload.optimizer,
        layout.optimizer_offload_fraction > 0.0,
        offload.activations,
    ];
    let pretrains = job.workload.rl.is_none() && !job.workload.fine_tunes();
    // veRL has no such switch under FSDP.
    let rare = job.workload.rl.is_some() && layout.backend == Backend::Fsdp;
    let recompute = match layout.recompute {
        Recompute::Selective(_) if rare => RARE,
        Recompute::Selective(modules) => USED / 2 + UNUSUAL * modules.iter().count() as u32,
        // Fine-tuning's recipes have it, those of pre-training do without.
        Recompute::None => UNUSUAL * u32::from(!pretrains),
        Recompute::Full => UNUSUAL * u32::from(pretrains),
    };
    let batch = match layout.micro_batch {
        // RL's recipes balance tokens.
        MicroBatch::Sequences(_) if job.workload.rl.is_some() && job.workload.packing && !job.counts_responses() => {
            USED
        }
        MicroBatch::Sequences(n) => UNUSUAL * n.ilog2() / 2 + u32::from(!n.is_power_of_two()),
        MicroBatch::Tokens(n) => budget(n, layout.sequence_split(), job.workload.sequence_length),
    };
    // veRL's guides advise the fused head without exception; elsewhere it is a switch more.
    let head = layout.fused_lm_head != job.workload.rl.is_some();
    let overlap = u32::from(layout.overlap != Overlap::default());
    let told = layout.backend == Backend::Fsdp && layout.sync_each_batch == job.defers_gradients();
    let other_parallel = layout.tensor_parallel > 1 && !layout.sequence_parallel;
    MOVED * count(&moved)
        + recompute
        + batch
        + UNUSUAL * (overlap + u32::from(other_parallel) + u32::from(head) + u32::from(told))
}

/// Points of a token budget: none at twice the longest sequence, more the further it is above.
fn budget(tokens: u64, split: u32, longest: u64) -> u32 {
    let held = tokens.saturating_mul(split.into());
    match held / longest.max(1) {
        0 | 1 => UNUSUAL / 2,
        2 => 0,
        3..=4 => UNUSUAL,
        5..=8 => USED / 2,
        _ => USED,
    }
}

fn of_engine(job: &Job, engine: &RolloutPlan) -> u32 {
    let beside = job.workload.rl.is_some();
    let share = engine.gpu_memory_utilization;
    let share = match (beside, share) {
        (false, share) => u32::from((share - 0.9).abs() > 1e-9),
        (true, 0.49..0.71) => 0,
        (true, 0.71..0.81) => UNUSUAL,
        (true, 0.39..0.49) => 2 * UNUSUAL,
        (true, _) => 4 * UNUSUAL,
    };
    let slots = match engine.max_num_seqs {
        256 | 1024 => 0,
        512 => 1,
        _ => UNUSUAL,
    };
    let usual = [engine.max_num_batched_tokens == 8192, engine.free_cache, engine.kv_cache_dtype == KvCacheDtype::Auto];
    let unusual = usual.iter().filter(|own| !**own).count() as u32;
    // Eager mode turns off compilation and CUDA graphs, to find faults (https://docs.vllm.ai/en/stable/design/debug_vllm_compile/).
    USED * (u32::from(engine.data_parallel > 1) + u32::from(engine.enforce_eager))
        + ODD * u32::from(engine.tensor_parallel > job.hardware.gpus_per_node.max(8))
        + UNUSUAL * (engine.tensor_parallel.ilog2() + engine.data_parallel.ilog2() + unusual)
        + share
        + slots
}
