//! Plans one step away from a plan: every dimension that a person may change without changing what is trained.

mod dimension;
mod settings;
mod steps;

pub use dimension::Dimension;
use dimension::{Dimension as D, SIZES, resizes};
pub use settings::apply;
pub(crate) use settings::settings;
use shardwise_engine::rl;
use shardwise_question::complete;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Modules, Plan, Recompute, RolloutPlan};
use shardwise_question::wire::{Backend, Offload};
use shardwise_question::workload::Rl;
pub(crate) use steps::MOST_ENGINE;
pub use steps::{machines, steps};

/// Steps from a plan of training, mostly: room for more is made as they come.
const ROOM: usize = 64;

/// Plans that a plan becomes by one step, each made where it is kept.
struct Found<'a> {
    job: &'a Job,
    plan: &'a Plan,
    /// Whether its weights are shared over all GPUs that can.
    whole: bool,
    /// Whether a step is of interest, by the layout that it makes of the trained model's.
    wanted: &'a dyn Fn(Dimension, &Layout) -> bool,
    all: Vec<(Dimension, Plan)>,
}

impl<'a> Found<'a> {
    fn new(job: &'a Job, plan: &'a Plan, wanted: &'a dyn Fn(Dimension, &Layout) -> bool) -> Self {
        Self { job, plan, whole: shards_over_all(job, &plan.layout), wanted, all: Vec::with_capacity(ROOM) }
    }

    /// Adds the plan that a change makes, where model and machine allow it and it is another.
    fn offer(&mut self, dimension: Dimension, change: impl FnOnce(&mut Plan)) {
        let place = self.all.len();
        self.all.push((dimension, *self.plan));
        let Some((_, to)) = self.all.last_mut() else { return };
        change(to);
        let plan = self.plan;
        let is_other = |to: &Plan| to != plan;
        let kept = to.layout.shard_group == plan.layout.shard_group;
        let is_new = (self.wanted)(dimension, &to.layout)
            && is_other(to)
            && complete::again_in_place(self.job, to, self.whole && kept)
            && is_other(to);
        if !is_new || self.is_known(place) {
            self.all.truncate(place);
        }
    }

    /// Whether a plan was added before, by a step in its dimension: of two dimensions no step is the same.
    fn is_known(&self, place: usize) -> bool {
        let (before, own) = self.all.split_at(place);
        own.first()
            .is_some_and(|own| before.iter().any(|known| known.0 == own.0 && known.1 == own.1))
    }

    /// Adds the plan with the dimension as in `layout`.
    fn layout(&mut self, dimension: Dimension, layout: &Layout) {
        let was = &self.plan.layout;
        self.offer(dimension, |to| {
            dimension.carry_layout(layout, &mut to.layout);
            // A role whose value is the trained model's takes the step with it.
            for role in [&mut to.critic, &mut to.reference].into_iter().flatten() {
                let mut alike = *role;
                dimension.carry_layout(was, &mut alike);
                if alike == *role {
                    dimension.carry_layout(layout, role);
                }
            }
        });
    }

    /// Adds the plan with another engine, each of whose ranks has an expert where they are shared.
    fn engine(&mut self, dimension: Dimension, engine: RolloutPlan) {
        if engine.expert_parallel == 1 || u64::from(engine.expert_parallel) <= self.job.model.shape.num_experts {
            self.offer(dimension, |to| to.rollout = Some(engine));
        }
    }
}

/// Every plan that model and machine allow, one step away in one dimension. What is trained stays: batch, precision,
/// schedule.
#[must_use]
pub fn neighbours(job: &Job, plan: &Plan) -> Vec<(Dimension, Plan)> {
    let mut found = Found::new(job, plan, &|_, _| true);
    helpful(&mut found);
    found.all
}

/// The steps that may help: half and twice of each size ([`resizes`]), and what recipes turn on.
fn helpful(found: &mut Found<'_>) {
    let (job, plan) = (found.job, found.plan);
    let layout = &plan.layout;
    // Tensor parallelism stays inside the node.
    let node = job.hardware.gpus_per_node.max(layout.tensor_parallel);
    for dimension in SIZES {
        for resize in resizes(complete::training_gpus(job)) {
            let resized = dimension.resized(layout, resize);
            if let Some(resized) = resized.filter(|resized| resized.tensor_parallel <= node) {
                found.layout(dimension, &resized);
            }
        }
    }
    for stage in [layout.zero_stage.checked_sub(1), Some(layout.zero_stage + 1)] {
        if let Some(zero_stage) = stage.filter(|stage| *stage <= 3) {
            found.layout(D::ZeroStage, &Layout { zero_stage, ..*layout });
        }
    }
    for micro_batch in batches(job, layout) {
        found.layout(D::MicroBatch, &Layout { micro_batch, ..*layout });
    }
    let selective = Recompute::Selective(Modules::CORE_ATTN);
    for recompute in [Recompute::None, selective, Recompute::Full] {
        if recompute == selective && !is_selective(job, layout.backend) {
            continue;
        }
        found.layout(D::Recompute, &Layout { recompute, ..*layout });
    }
    for offload in moved(layout) {
        found.layout(D::Offload, &Layout { offload, ..*layout });
    }
    // Elsewhere `offload.optimizer` says it; what has no such optimizer is refused.
    if job.workload.rl.is_some() {
        found.layout(D::OptimizerOffloadFraction, &Layout { optimizer_offload_fraction: 1.0, ..*layout });
    }
    found.layout(D::FusedLmHead, &Layout { fused_lm_head: true, ..*layout });
    if let Some(engine) = &plan.rollout {
        for (dimension, engine) in engines(job, engine) {
            found.engine(dimension, engine);
        }
    }
}

/// A changed plan, completed anew; `None` where model or machine rule it out.
#[must_use]
pub fn checked(job: &Job, was: &Plan, plan: &Plan) -> Option<Plan> {
    moved_to(job, job, was, plan)
}

/// A changed plan, completed anew on another machine than that of `was`; `None` where model or machine rule it out.
#[must_use]
pub fn moved_to(from: &Job, job: &Job, was: &Plan, plan: &Plan) -> Option<Plan> {
    let kept = plan.layout.shard_group == was.layout.shard_group;
    complete::again(job, plan, shards_over_all(from, &was.layout) && kept)
}

/// Whether a layout's weights are shared over all ranks that can: who does so goes on, unless that is what changes.
fn shards_over_all(job: &Job, layout: &Layout) -> bool {
    layout.shard_group == layout.data_parallel(complete::training_gpus(job)) * layout.sequence_split()
}

/// Tokens of one pass that veRL's guide asks for at least: twice the longest sample, over the GPUs that split it
/// (<https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/perf/perf_tuning.rst>, "Tuning for Dynamic Batch Size").
pub(crate) fn budget_floor(rl: &Rl, layout: &Layout) -> u64 {
    (2 * rl.max_length() / u64::from(layout.sequence_split())).max(1)
}

/// Twice and half of what one pass takes; the guide's budget where an RL step counts sequences.
fn batches(job: &Job, layout: &Layout) -> Vec<MicroBatch> {
    let now = layout.micro_batch;
    let mut found = vec![now.halved(), now.doubled()];
    let budgets = job.workload.packing && !job.counts_responses();
    if let (MicroBatch::Sequences(_), Some(rl), true) = (now, &job.workload.rl, budgets) {
        found.push(MicroBatch::Tokens(budget_floor(rl, layout)));
    }
    found
}

/// Whether some framework recomputes part of a layer: Megatron's modules, or FSDP's operators, which torchtitan takes in
/// pre-training and `ChatLearn` in RL. Elsewhere it is whole layers or nothing.
pub(crate) fn is_selective(job: &Job, backend: Backend) -> bool {
    match backend {
        Backend::Megatron => true,
        Backend::Fsdp => job.workload.rl.is_some() || !job.workload.fine_tunes(),
        Backend::Deepspeed | Backend::Ddp => false,
    }
}

/// Nothing in host memory, the optimizer, all model states. Gradients go with the optimizer in `DeepSpeed`
/// (`stage_1_and_2.py`, `cpu_offload`), with the parameters elsewhere (veRL's `offload_fsdp_model_to_cpu`).
fn moved(layout: &Layout) -> [Offload; 3] {
    let gradients = layout.backend == Backend::Deepspeed;
    let states = |parameters, gradients, optimizer| Offload { parameters, gradients, optimizer, ..layout.offload };
    [states(false, false, false), states(false, gradients, true), states(true, true, true)]
}

fn engines(job: &Job, engine: &RolloutPlan) -> Vec<(Dimension, RolloutPlan)> {
    let mut found = Vec::with_capacity(12);
    // Alone an engine takes what vLLM takes by itself, or the next twentieth.
    let most = job.workload.rl.as_ref().map_or(0.95, rl::most);
    let half = engine.tensor_parallel / 2;
    for tensor_parallel in [half, engine.tensor_parallel.saturating_mul(2)] {
        let mut to = *engine;
        to.resize(|to| to.tensor_parallel = tensor_parallel.max(1));
        found.push((D::RolloutTensorParallel, to));
    }
    for step in [-0.1, -0.05, 0.05, 0.1] {
        let share = ((engine.gpu_memory_utilization + step) * 100.0).round() / 100.0;
        if (0.2..=most).contains(&share) || share < engine.gpu_memory_utilization {
            let to = RolloutPlan { gpu_memory_utilization: share, ..*engine };
            found.push((D::GpuMemoryUtilization, to));
        }
    }
    let more = engine.max_num_seqs.saturating_mul(2);
    found.push((D::MaxNumSeqs, RolloutPlan { max_num_seqs: more, ..*engine }));
    // veRL's guide asks for more than 2,048.
    let tokens = engine.max_num_batched_tokens.saturating_mul(2).max(8192);
    let to = RolloutPlan { max_num_batched_tokens: tokens, ..*engine };
    found.push((D::MaxNumBatchedTokens, to));
    found.push((D::EnforceEager, RolloutPlan { enforce_eager: false, ..*engine }));
    found.push((D::FreeCache, RolloutPlan { free_cache: true, ..*engine }));
    found
}
