//! The dimensions of a plan: their fields, their values in words, and how one is carried from plan to plan.

use serde_json::Value;

use super::Dimension as D;
use shardwise_catalog::words::plural;
use shardwise_question::complete::training_gpus;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan};
use shardwise_question::wire::{at, plan_to_value};

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
    /// GPUs that split each expert.
    ExpertTensorParallel,
    /// Megatron's sequence parallelism.
    SequenceParallel,
    /// GPUs of one shard group.
    ShardGroup,
    /// Loss whose gradient replaces the logits.
    FusedLoss,
    /// Attention kernel.
    Attention,
    /// Communication beside computation.
    Overlap,
    /// Share of the optimizer that steps in host memory.
    OptimizerOffloadFraction,
    /// Offloaded states on NVMe drives.
    NvmeOffload,
    /// GPUs that hold a second copy of the weights.
    ZeroHpzPartitionSize,
    /// Weights gathered in 8 bits.
    ZeroQuantizedWeights,
    /// Gradients reduced in 4 bits.
    ZeroQuantizedGradients,
    /// The critic's micro-batch, where it has its own.
    CriticMicroBatch,
    /// The reference policy's micro-batch, where it has its own.
    ReferenceMicroBatch,
    /// Data-parallel attention ranks of one engine.
    RolloutDataParallel,
    /// GPUs that share the experts of one engine.
    RolloutExpertParallel,
    /// Type of the keys and values in the engine's cache.
    KvCacheDtype,
    /// GPUs of the machine.
    Gpus,
    /// GPUs that train, where generation has its own.
    TrainGpus,
}

/// Sizes of groups of GPUs, which double and halve.
pub(super) const SIZES: [D; 6] = [
    D::TensorParallel,
    D::PipelineParallel,
    D::VirtualPipeline,
    D::ContextParallel,
    D::UlyssesParallel,
    D::ExpertParallel,
];

impl Dimension {
    /// Every dimension.
    pub const ALL: [Self; 35] = [
        D::TensorParallel,
        D::PipelineParallel,
        D::VirtualPipeline,
        D::ContextParallel,
        D::UlyssesParallel,
        D::ExpertParallel,
        D::ZeroStage,
        D::MicroBatch,
        D::Recompute,
        D::Offload,
        D::FusedLmHead,
        D::RolloutTensorParallel,
        D::GpuMemoryUtilization,
        D::MaxNumSeqs,
        D::MaxNumBatchedTokens,
        D::EnforceEager,
        D::FreeCache,
        D::ExpertTensorParallel,
        D::SequenceParallel,
        D::ShardGroup,
        D::FusedLoss,
        D::Attention,
        D::Overlap,
        D::OptimizerOffloadFraction,
        D::NvmeOffload,
        D::ZeroHpzPartitionSize,
        D::ZeroQuantizedWeights,
        D::ZeroQuantizedGradients,
        D::CriticMicroBatch,
        D::ReferenceMicroBatch,
        D::RolloutDataParallel,
        D::RolloutExpertParallel,
        D::KvCacheDtype,
        D::Gpus,
        D::TrainGpus,
    ];

    /// Whether a step in it changes what is computed, not how: the number formats of caches and of what is sent.
    #[must_use]
    pub fn changes_numerics(self) -> bool {
        matches!(self, D::Attention | D::KvCacheDtype | D::ZeroQuantizedWeights | D::ZeroQuantizedGradients)
    }

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
            D::RolloutTensorParallel => &["plan.rollout.tensor_parallel", "plan.rollout.expert_parallel"],
            D::GpuMemoryUtilization => &["plan.rollout.gpu_memory_utilization"],
            D::MaxNumSeqs => &["plan.rollout.max_num_seqs"],
            D::MaxNumBatchedTokens => &["plan.rollout.max_num_batched_tokens"],
            D::EnforceEager => &["plan.rollout.enforce_eager"],
            D::FreeCache => &["plan.rollout.free_cache"],
            D::ExpertTensorParallel => &["plan.expert_tensor_parallel"],
            D::SequenceParallel => &["plan.sequence_parallel"],
            D::ShardGroup => &["plan.shard_group"],
            D::FusedLoss => &["plan.fused_loss"],
            D::Attention => &["plan.attention"],
            D::Overlap => &["plan.overlap"],
            D::OptimizerOffloadFraction => &["plan.optimizer_offload_fraction"],
            D::NvmeOffload => &["plan.nvme_offload"],
            D::ZeroHpzPartitionSize => &["plan.zero_hpz_partition_size"],
            D::ZeroQuantizedWeights => &["plan.zero_quantized_weights"],
            D::ZeroQuantizedGradients => &["plan.zero_quantized_gradients"],
            D::CriticMicroBatch => &["plan.critic.micro_batch", "plan.critic.max_tokens_per_gpu"],
            D::ReferenceMicroBatch => &["plan.reference.micro_batch", "plan.reference.max_tokens_per_gpu"],
            D::RolloutDataParallel => &["plan.rollout.data_parallel"],
            D::RolloutExpertParallel => &["plan.rollout.expert_parallel"],
            D::KvCacheDtype => &["plan.rollout.kv_cache_dtype"],
            D::Gpus => &["hardware.gpus"],
            D::TrainGpus => &["workload.rl.train_gpus"],
        }
    }

    /// Path of its field in a question, for a plan in which it has a value.
    #[must_use]
    pub fn field(self, plan: &Plan) -> &'static str {
        let tokens = matches!(self.micro_batch(plan), Some(MicroBatch::Tokens(_)));
        self.fields().get(usize::from(tokens)).copied().unwrap_or_default()
    }

    /// What a role takes at once, where that is the dimension.
    fn micro_batch(self, plan: &Plan) -> Option<MicroBatch> {
        let role = match self {
            D::MicroBatch => Some(&plan.layout),
            D::CriticMicroBatch => plan.critic.as_ref(),
            D::ReferenceMicroBatch => plan.reference.as_ref(),
            _ => None,
        };
        role.map(|layout| layout.micro_batch)
    }

    /// Its value in a plan, as a person reads it.
    #[must_use]
    pub fn value(self, job: &Job, plan: &Plan) -> String {
        match (self, self.micro_batch(plan)) {
            (_, Some(MicroBatch::Sequences(n))) => plural(n, "sequence", "sequences"),
            (_, Some(MicroBatch::Tokens(n))) => plural(n, "token", "tokens"),
            (D::Gpus, _) => job.hardware.gpus.to_string(),
            (D::TrainGpus, _) => training_gpus(job).to_string(),
            _ => {
                let spec = plan_to_value(&plan.to_spec());
                let path = self.field(plan).trim_start_matches("plan.");
                shown(at(&spec, path))
            }
        }
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
        for (from, to) in [(&from.critic, &mut to.critic), (&from.reference, &mut to.reference)] {
            if let (Some(from), Some(to)) = (from, to) {
                self.carry_layout(from, to);
            }
        }
    }

    pub(super) fn carry_layout(self, from: &Layout, to: &mut Layout) {
        match self {
            D::TensorParallel => {
                to.tensor_parallel = from.tensor_parallel;
                to.sequence_parallel = from.sequence_parallel;
            }
            D::PipelineParallel if to.pipeline_parallel != from.pipeline_parallel => {
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
            D::ExpertTensorParallel => to.expert_tensor_parallel = from.expert_tensor_parallel,
            D::SequenceParallel => to.sequence_parallel = from.sequence_parallel,
            D::ShardGroup => to.shard_group = from.shard_group,
            D::FusedLoss => to.fused_loss = from.fused_loss,
            D::Attention => to.attention = from.attention,
            D::Overlap => to.overlap = from.overlap,
            D::OptimizerOffloadFraction => {
                to.optimizer_offload_fraction = from.optimizer_offload_fraction;
            }
            D::NvmeOffload => to.nvme_offload = from.nvme_offload,
            D::ZeroHpzPartitionSize => {
                to.zero_plus.partition_size = from.zero_plus.partition_size;
            }
            D::ZeroQuantizedWeights => {
                to.zero_plus.quantized_weights = from.zero_plus.quantized_weights;
            }
            D::ZeroQuantizedGradients => {
                to.zero_plus.quantized_gradients = from.zero_plus.quantized_gradients;
            }
            _ => {}
        }
    }

    /// The layout with this dimension's size doubled or halved; `None` where it has no such step.
    pub(super) fn resized(self, layout: &Layout, double: bool) -> Option<Layout> {
        let mut layout = *layout;
        let size = match self {
            D::TensorParallel => &mut layout.tensor_parallel,
            D::PipelineParallel => &mut layout.pipeline_parallel,
            D::VirtualPipeline => &mut layout.virtual_pipeline,
            D::ContextParallel => &mut layout.context_parallel,
            D::UlyssesParallel => &mut layout.ulysses_parallel,
            D::ExpertParallel => &mut layout.expert_parallel,
            D::ExpertTensorParallel => &mut layout.expert_tensor_parallel,
            D::ShardGroup => &mut layout.shard_group,
            _ => return None,
        };
        *size = if double { size.checked_mul(2)? } else { size.is_multiple_of(2).then_some(*size / 2)? };
        match self {
            D::TensorParallel => {
                layout.sequence_parallel =
                    layout.tensor_parallel > 1 && (layout.sequence_parallel || layout.tensor_parallel == 2);
            }
            D::PipelineParallel if layout.pipeline_parallel == 1 => layout.virtual_pipeline = 1,
            _ => {}
        }
        Some(layout)
    }
}

/// A value of the plan document in words: of an object what is on.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "off".to_owned(),
        Value::String(word) => word.clone(),
        Value::Object(parts) => match parts.get("granularity").and_then(Value::as_str) {
            Some(granularity) => {
                let modules = parts.get("modules").and_then(Value::as_array);
                let modules: Vec<&str> = modules.into_iter().flatten().filter_map(Value::as_str).collect();
                format!("{granularity} ({})", modules.join(", "))
            }
            None => {
                let on: Vec<&str> = parts
                    .iter()
                    .filter(|(_, on)| **on == Value::Bool(true))
                    .map(|(name, _)| name.as_str())
                    .collect();
                if on.is_empty() { "none".to_owned() } else { on.join(", ") }
            }
        },
        other => other.to_string(),
    }
}
