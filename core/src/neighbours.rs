//! Plans one step away from a plan: every dimension that a person may change without changing what is trained.

use crate::complete;
use crate::job::Job;
use crate::plan::{Layout, MicroBatch, Modules, Plan, Recompute, RolloutPlan};
use crate::wire::{Backend, Offload, PlanSpec};

/// One dimension of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// GPUs that split each matrix.
    TensorParallel,
    /// Pipeline stages.
    PipelineParallel,
    /// Model chunks per stage.
    VirtualPipeline,
    /// GPUs that split each sequence by ring attention.
    ContextParallel,
    /// GPUs that split each sequence by exchanging heads.
    UlyssesParallel,
    /// GPUs that share the experts.
    ExpertParallel,
    /// ZeRO stage.
    ZeroStage,
    /// Sequences, or a token budget, of one forward pass.
    MicroBatch,
    /// Activations computed again.
    Recompute,
    /// What is kept in host memory.
    Offload,
    /// Loss without materialised logits.
    FusedLmHead,
    /// GPUs that split each matrix of the engine.
    RolloutTensorParallel,
    /// Share of the card that the engine may take.
    GpuMemoryUtilization,
    /// Sequences decoded together.
    MaxNumSeqs,
    /// Tokens of one engine step.
    MaxNumBatchedTokens,
    /// Whether the engine launches each kernel by itself.
    EnforceEager,
    /// Whether the engine gives its cache back while training.
    FreeCache,
}

use Dimension as D;

/// Sizes of groups of GPUs, which double and halve.
const SIZES: [D; 6] = [
    D::TensorParallel,
    D::PipelineParallel,
    D::VirtualPipeline,
    D::ContextParallel,
    D::UlyssesParallel,
    D::ExpertParallel,
];

impl Dimension {
    /// Paths of all fields that may say it.
    #[must_use]
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            D::TensorParallel => &["plan.tensor_parallel", "plan.sequence_parallel"],
            D::PipelineParallel => &["plan.pipeline_parallel", "plan.virtual_pipeline"],
            D::VirtualPipeline => &["plan.virtual_pipeline"],
            D::ContextParallel => &["plan.context_parallel"],
            D::UlyssesParallel => &["plan.ulysses_parallel"],
            D::ExpertParallel => &["plan.expert_parallel"],
            D::ZeroStage => &["plan.zero_stage"],
            D::MicroBatch => &["plan.micro_batch", "plan.max_tokens_per_gpu"],
            D::Recompute => &["plan.recompute"],
            D::Offload => &["plan.offload"],
            D::FusedLmHead => &["plan.fused_lm_head"],
            D::RolloutTensorParallel => &[
                "plan.rollout.tensor_parallel",
                "plan.rollout.expert_parallel",
            ],
            D::GpuMemoryUtilization => &["plan.rollout.gpu_memory_utilization"],
            D::MaxNumSeqs => &["plan.rollout.max_num_seqs"],
            D::MaxNumBatchedTokens => &["plan.rollout.max_num_batched_tokens"],
            D::EnforceEager => &["plan.rollout.enforce_eager"],
            D::FreeCache => &["plan.rollout.free_cache"],
        }
    }

    /// Path of its field in a question, for a plan in which it has a value.
    #[must_use]
    pub fn field(self, plan: &Plan) -> &'static str {
        let fields = self.fields();
        let tokens = matches!(plan.layout.micro_batch, MicroBatch::Tokens(_));
        let at = usize::from(self == D::MicroBatch && tokens);
        fields.get(at).copied().unwrap_or_default()
    }

    /// Gives `to` the value that it has in `from`, in every role.
    pub fn carry(self, from: &Plan, to: &mut Plan) {
        if let (Some(from), Some(to)) = (&from.rollout, &mut to.rollout) {
            match self {
                D::RolloutTensorParallel => {
                    to.tensor_parallel = from.tensor_parallel;
                    to.expert_parallel = from.expert_parallel;
                }
                D::GpuMemoryUtilization => to.gpu_memory_utilization = from.gpu_memory_utilization,
                D::MaxNumSeqs => to.max_num_seqs = from.max_num_seqs,
                D::MaxNumBatchedTokens => to.max_num_batched_tokens = from.max_num_batched_tokens,
                D::EnforceEager => to.enforce_eager = from.enforce_eager,
                D::FreeCache => to.free_cache = from.free_cache,
                _ => {}
            }
        }
        self.carry_layout(&from.layout, &mut to.layout);
        for (from, to) in [
            (&from.critic, &mut to.critic),
            (&from.reference, &mut to.reference),
        ] {
            if let (Some(from), Some(to)) = (from, to) {
                self.carry_layout(from, to);
            }
        }
    }

    fn carry_layout(self, from: &Layout, to: &mut Layout) {
        match self {
            D::TensorParallel => {
                to.tensor_parallel = from.tensor_parallel;
                to.sequence_parallel = from.sequence_parallel;
            }
            D::PipelineParallel => {
                to.pipeline_parallel = from.pipeline_parallel;
                to.virtual_pipeline = to.virtual_pipeline.min(from.pipeline_parallel);
            }
            D::VirtualPipeline => to.virtual_pipeline = from.virtual_pipeline,
            D::ContextParallel => to.context_parallel = from.context_parallel,
            D::UlyssesParallel => to.ulysses_parallel = from.ulysses_parallel,
            D::ExpertParallel => to.expert_parallel = from.expert_parallel,
            D::ZeroStage => to.zero_stage = from.zero_stage,
            D::MicroBatch => to.micro_batch = from.micro_batch,
            D::Recompute => to.recompute = from.recompute,
            D::Offload => to.offload = from.offload,
            D::FusedLmHead => to.fused_lm_head = from.fused_lm_head,
            _ => {}
        }
    }

    /// The same size doubled or halved; `None` where it has no such step.
    fn resized(self, layout: &Layout, double: bool) -> Option<Layout> {
        let mut layout = *layout;
        let size = match self {
            D::TensorParallel => &mut layout.tensor_parallel,
            D::PipelineParallel => &mut layout.pipeline_parallel,
            D::VirtualPipeline => &mut layout.virtual_pipeline,
            D::ContextParallel => &mut layout.context_parallel,
            D::UlyssesParallel => &mut layout.ulysses_parallel,
            D::ExpertParallel => &mut layout.expert_parallel,
            _ => return None,
        };
        *size = if double {
            size.checked_mul(2)?
        } else {
            size.is_multiple_of(2).then_some(*size / 2)?
        };
        match self {
            D::TensorParallel => {
                layout.sequence_parallel = layout.tensor_parallel > 1
                    && (layout.sequence_parallel || layout.tensor_parallel == 2);
            }
            D::PipelineParallel if layout.pipeline_parallel == 1 => layout.virtual_pipeline = 1,
            _ => {}
        }
        Some(layout)
    }
}

/// Every plan that model and machine allow, one step away in one dimension. What is trained stays: batch, precision,
/// schedule.
#[must_use]
pub fn neighbours(job: &Job, plan: &Plan) -> Vec<(Dimension, Plan)> {
    let mut found = Vec::with_capacity(48);
    let mut propose = |dimension: Dimension, layout: Layout| {
        let mut to = *plan;
        dimension.carry_layout(&layout, &mut to.layout);
        // A role whose value is the trained model's takes the step with it.
        for role in [&mut to.critic, &mut to.reference].into_iter().flatten() {
            let mut alike = *role;
            dimension.carry_layout(&plan.layout, &mut alike);
            if alike == *role {
                dimension.carry_layout(&layout, role);
            }
        }
        found.push((dimension, to));
    };
    let layout = &plan.layout;
    // Tensor parallelism stays inside the node.
    let node = job.hardware.gpus_per_node.max(layout.tensor_parallel);
    for dimension in SIZES {
        for double in [false, true] {
            let resized = dimension.resized(layout, double);
            if let Some(resized) = resized.filter(|resized| resized.tensor_parallel <= node) {
                propose(dimension, resized);
            }
        }
    }
    for stage in [
        layout.zero_stage.checked_sub(1),
        Some(layout.zero_stage + 1),
    ] {
        if let Some(zero_stage) = stage.filter(|stage| *stage <= 3) {
            propose(
                D::ZeroStage,
                Layout {
                    zero_stage,
                    ..*layout
                },
            );
        }
    }
    for micro_batch in batches(job, layout) {
        propose(
            D::MicroBatch,
            Layout {
                micro_batch,
                ..*layout
            },
        );
    }
    for recompute in [
        Recompute::None,
        Recompute::Selective(Modules::CORE_ATTN),
        Recompute::Full,
    ] {
        propose(
            D::Recompute,
            Layout {
                recompute,
                ..*layout
            },
        );
    }
    for offload in moved(layout) {
        propose(D::Offload, Layout { offload, ..*layout });
    }
    propose(
        D::FusedLmHead,
        Layout {
            fused_lm_head: true,
            ..*layout
        },
    );
    if let Some(engine) = &plan.rollout {
        for (dimension, engine) in engines(engine) {
            found.push((
                dimension,
                Plan {
                    rollout: Some(engine),
                    ..*plan
                },
            ));
        }
    }
    found
        .into_iter()
        .filter_map(|(dimension, to)| {
            let to = checked(job, plan, &to)?;
            (to != *plan).then_some((dimension, to))
        })
        .collect()
}

/// A changed plan, completed anew; `None` where model or machine rule it out.
#[must_use]
pub fn checked(job: &Job, was: &Plan, plan: &Plan) -> Option<Plan> {
    let mut spec = plan.to_spec();
    let all = |layout: &Layout| {
        layout.data_parallel(complete::training_gpus(job)) * layout.sequence_split()
    };
    // Who shards over all ranks goes on doing so.
    let whole = was.layout.shard_group == all(&was.layout);
    let open = |spec: &mut PlanSpec| {
        if whole {
            spec.shard_group = None;
        }
    };
    open(&mut spec);
    for role in [&mut spec.critic, &mut spec.reference]
        .into_iter()
        .flatten()
    {
        open(role);
    }
    complete::complete(job, &spec).ok()
}

/// Twice and half of what one pass takes; a budget of twice the longest sample where an RL step counts sequences, as veRL's
/// guide asks (<https://github.com/volcengine/verl/blob/main/docs/perf/perf_tuning.rst>, "Tuning for Dynamic Batch Size").
fn batches(job: &Job, layout: &Layout) -> Vec<MicroBatch> {
    match layout.micro_batch {
        MicroBatch::Sequences(n) => {
            let budget = job.workload.rl.as_ref().map(|rl| {
                MicroBatch::Tokens(
                    (2 * rl.max_length() / u64::from(layout.sequence_split())).max(1),
                )
            });
            let half = (n > 1).then_some(MicroBatch::Sequences(n / 2));
            let twice = Some(MicroBatch::Sequences(n.saturating_mul(2)));
            [half, twice, budget.filter(|_| job.workload.packing)]
                .into_iter()
                .flatten()
                .collect()
        }
        MicroBatch::Tokens(n) => vec![
            MicroBatch::Tokens((n / 2).max(1)),
            MicroBatch::Tokens(n.saturating_mul(2)),
        ],
    }
}

/// Nothing in host memory, the optimizer, all model states. Gradients go with the optimizer in `DeepSpeed`
/// (`stage_1_and_2.py`, `cpu_offload`), with the parameters elsewhere (veRL's `offload_fsdp_model_to_cpu`).
fn moved(layout: &Layout) -> [Offload; 3] {
    let gradients = layout.backend == Backend::Deepspeed;
    let states = |parameters, gradients, optimizer| Offload {
        parameters,
        gradients,
        optimizer,
        ..layout.offload
    };
    [
        states(false, false, false),
        states(false, gradients, true),
        states(true, true, true),
    ]
}

fn engines(engine: &RolloutPlan) -> Vec<(Dimension, RolloutPlan)> {
    let mut found = Vec::with_capacity(12);
    let half = engine.tensor_parallel / 2;
    for tensor_parallel in [half, engine.tensor_parallel.saturating_mul(2)] {
        let mut to = *engine;
        to.tensor_parallel = tensor_parallel.max(1);
        if engine.expert_parallel == engine.gpus() {
            to.expert_parallel = to.gpus();
        }
        found.push((D::RolloutTensorParallel, to));
    }
    for step in [-0.1, -0.05, 0.05, 0.1] {
        let share = ((engine.gpu_memory_utilization + step) * 100.0).round() / 100.0;
        if (0.2..=0.95).contains(&share) {
            let to = RolloutPlan {
                gpu_memory_utilization: share,
                ..*engine
            };
            found.push((D::GpuMemoryUtilization, to));
        }
    }
    let more = engine.max_num_seqs.saturating_mul(2);
    found.push((
        D::MaxNumSeqs,
        RolloutPlan {
            max_num_seqs: more,
            ..*engine
        },
    ));
    // veRL's guide asks for more than 2,048.
    let tokens = engine.max_num_batched_tokens.saturating_mul(2).max(8192);
    let to = RolloutPlan {
        max_num_batched_tokens: tokens,
        ..*engine
    };
    found.push((D::MaxNumBatchedTokens, to));
    found.push((
        D::EnforceEager,
        RolloutPlan {
            enforce_eager: false,
            ..*engine
        },
    ));
    found.push((
        D::FreeCache,
        RolloutPlan {
            free_cache: true,
            ..*engine
        },
    ));
    found
}
