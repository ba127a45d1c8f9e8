//! The dimensions of a plan: their fields, their values in words, and how one is carried from plan to plan.

use serde_json::Value;

use super::Dimension as D;
use shardwise_catalog::words::plural;
use shardwise_question::complete::training_gpus;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, RolloutPlan};
use shardwise_question::wire::{at, plan_to_value};

/// Declares the dimensions, each with the paths of all fields that may say it, and with the fields of a layout or an engine that
/// make it up.
macro_rules! dimensions {
    (
        layout { $($(#[$layout_about:meta])* $layout:ident = $layout_fields:tt: $($($layout_own:ident).+),+;)* }
        engine { $($(#[$engine_about:meta])* $engine:ident = $engine_fields:tt: $($engine_own:ident),+;)* }
        elsewhere { $($(#[$about:meta])* $name:ident = $fields:tt;)* }
    ) => {
        /// One dimension of a plan.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Dimension {
            $($(#[$layout_about])* $layout,)*
            $($(#[$engine_about])* $engine,)*
            $($(#[$about])* $name,)*
        }

        impl Dimension {
            /// Every dimension.
            pub const ALL: &'static [Self] = &[$(D::$layout,)* $(D::$engine,)* $(D::$name,)*];

            /// Paths of all fields of a question that may state the dimension.
            #[must_use]
            pub fn fields(self) -> &'static [&'static str] {
                match self {
                    $(D::$layout => &$layout_fields,)*
                    $(D::$engine => &$engine_fields,)*
                    $(D::$name => &$fields,)*
                }
            }

            fn copy_layout(self, from: &Layout, to: &mut Layout) {
                match self {
                    $(D::$layout => { $(to.$($layout_own).+ = from.$($layout_own).+;)+ })*
                    _ => {}
                }
            }

            fn copy_engine(self, from: &RolloutPlan, to: &mut RolloutPlan) {
                match self {
                    $(D::$engine => { $(to.$engine_own = from.$engine_own;)+ })*
                    _ => {}
                }
            }
        }
    };
}

dimensions! {
    layout {
        /// GPUs that split each matrix.
        TensorParallel = ["plan.tensor_parallel", "plan.sequence_parallel"]: tensor_parallel, sequence_parallel;
        /// Pipeline stages.
        PipelineParallel = ["plan.pipeline_parallel", "plan.virtual_pipeline"]: pipeline_parallel;
        /// Model chunks per stage.
        VirtualPipeline = ["plan.virtual_pipeline"]: virtual_pipeline;
        /// Order in which the stages run their passes.
        PipelineSchedule = ["plan.pipeline_schedule"]: pipeline_schedule;
        /// GPUs that split each sequence by ring attention.
        ContextParallel = ["plan.context_parallel"]: context_parallel;
        /// GPUs that split each sequence by exchanging heads.
        UlyssesParallel = ["plan.ulysses_parallel"]: ulysses_parallel;
        /// GPUs that share the experts.
        ExpertParallel = ["plan.expert_parallel"]: expert_parallel;
        /// ZeRO stage.
        ZeroStage = ["plan.zero_stage"]: zero_stage;
        /// Sequences, or a token budget, of one forward pass.
        MicroBatch = ["plan.micro_batch", "plan.max_tokens_per_gpu"]: micro_batch;
        /// Sequences, or a token budget, of a pass forward alone.
        ForwardPass = ["plan.forward_micro_batch", "plan.forward_max_tokens_per_gpu"]: forward;
        /// Activations computed again.
        Recompute = ["plan.recompute"]: recompute, recompute_layers;
        /// What is kept in host memory.
        Offload = ["plan.offload"]: offload;
        /// Loss without materialised logits.
        FusedLmHead = ["plan.fused_lm_head"]: fused_lm_head;
        /// Whether the gradients of each micro-batch are reduced.
        SyncEachBatch = ["plan.sync_each_batch"]: sync_each_batch;
        /// GPUs that split each expert.
        ExpertTensorParallel = ["plan.expert_tensor_parallel"]: expert_tensor_parallel;
        /// Megatron's sequence parallelism.
        SequenceParallel = ["plan.sequence_parallel"]: sequence_parallel;
        /// GPUs of one shard group.
        ShardGroup = ["plan.shard_group"]: shard_group;
        /// Loss whose gradient replaces the logits.
        FusedLoss = ["plan.fused_loss"]: fused_loss;
        /// Attention kernel.
        Attention = ["plan.attention"]: attention;
        /// Whose flash attention.
        AttentionKernel = ["plan.attention_kernel"]: attention_kernel;
        /// Communication beside computation.
        Overlap = ["plan.overlap"]: overlap;
        /// Share of the optimizer that steps in host memory.
        OptimizerOffloadFraction = ["plan.optimizer_offload_fraction"]: optimizer_offload_fraction;
        /// Whether one kernel turns queries and keys by their positions.
        ApplyRopeFusion = ["plan.apply_rope_fusion"]: switches.apply_rope_fusion;
        /// Whether the experts' exchanges run beside computation.
        OverlapMoeExpertParallelComm = ["plan.overlap_moe_expert_parallel_comm"]: switches.overlap_moe_expert_parallel_comm;
        /// What sends tokens to their experts.
        MoeTokenDispatcher = ["plan.moe_token_dispatcher"]: switches.moe_token_dispatcher;
        /// What CUDA graphs replay.
        CudaGraphs = ["plan.cuda_graphs"]: switches.cuda_graphs;
        /// Offloaded states on NVMe drives.
        NvmeOffload = ["plan.nvme_offload"]: nvme_offload;
        /// GPUs that hold a second copy of the weights.
        ZeroHpzPartitionSize = ["plan.zero_hpz_partition_size"]: zero_plus.partition_size;
        /// Weights gathered in 8 bits.
        ZeroQuantizedWeights = ["plan.zero_quantized_weights"]: zero_plus.quantized_weights;
        /// Gradients reduced in 4 bits.
        ZeroQuantizedGradients = ["plan.zero_quantized_gradients"]: zero_plus.quantized_gradients;
    }
    engine {
        /// GPUs that split each matrix of the engine.
        RolloutTensorParallel = ["plan.rollout.tensor_parallel", "plan.rollout.expert_parallel"]: tensor_parallel, expert_parallel;
        /// Share of the card that the engine may take.
        GpuMemoryUtilization = ["plan.rollout.gpu_memory_utilization"]: gpu_memory_utilization;
        /// Sequences decoded together.
        MaxNumSeqs = ["plan.rollout.max_num_seqs"]: max_num_seqs;
        /// Tokens of one engine step.
        MaxNumBatchedTokens = ["plan.rollout.max_num_batched_tokens"]: max_num_batched_tokens;
        /// Whether a prompt may be read in several engine steps.
        ChunkedPrefill = ["plan.rollout.chunked_prefill"]: chunked_prefill;
        /// Whether the engine launches each kernel by itself.
        EnforceEager = ["plan.rollout.enforce_eager"]: enforce_eager;
        /// Whether the engine gives its cache back while training.
        FreeCache = ["plan.rollout.free_cache"]: free_cache;
        /// Data-parallel attention ranks of one engine.
        RolloutDataParallel = ["plan.rollout.data_parallel"]: data_parallel;
        /// GPUs that share the experts of one engine.
        RolloutExpertParallel = ["plan.rollout.expert_parallel"]: expert_parallel;
        /// Type of the keys and values in the engine's cache.
        KvCacheDtype = ["plan.rollout.kv_cache_dtype"]: kv_cache_dtype;
    }
    elsewhere {
        /// The critic's micro-batch, where it has its own.
        CriticMicroBatch = ["plan.critic.micro_batch", "plan.critic.max_tokens_per_gpu"];
        /// The reference policy's micro-batch, where it has its own.
        ReferenceMicroBatch = ["plan.reference.micro_batch", "plan.reference.max_tokens_per_gpu"];
        /// GPUs of the machine.
        Gpus = ["hardware.gpus"];
        /// GPUs that train, where generation has its own.
        TrainGpus = ["workload.rl.train_gpus"];
    }
}

/// Sizes of groups of GPUs, which double and halve, and of GPUs that are no power of two become three times as large and a third too.
pub(super) const SIZES: [D; 6] = [
    D::TensorParallel,
    D::PipelineParallel,
    D::VirtualPipeline,
    D::ContextParallel,
    D::UlyssesParallel,
    D::ExpertParallel,
];

/// Steps of a size: how many times, and whether it becomes larger by it.
pub(super) type Resize = (u32, bool);

/// By what sizes of groups of so many GPUs change: half and twice, and as any other small prime divides the GPUs, by that.
pub(super) fn resizes(gpus: u32) -> impl Iterator<Item = Resize> {
    let times = [2, 3, 5, 7]
        .into_iter()
        .filter(move |times| *times == 2 || gpus.is_multiple_of(*times));
    times.flat_map(|times| [(times, false), (times, true)])
}

impl Dimension {
    /// Whether a step in the dimension changes what is computed, not how: the number formats of caches and of what is
    /// sent.
    #[must_use]
    pub fn changes_numerics(self) -> bool {
        matches!(self, D::Attention | D::KvCacheDtype | D::ZeroQuantizedWeights | D::ZeroQuantizedGradients)
    }

    /// Path of the field that states the dimension in a question, for a plan in which it has a value.
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
            D::ForwardPass => return Some(plan.layout.forward_pass()),
            _ => None,
        };
        role.map(|layout| layout.micro_batch)
    }

    /// Value of the dimension in a plan, as a person reads it.
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

    /// Gives `to` the value that the dimension has in `from`, in every role.
    pub fn carry(self, from: &Plan, to: &mut Plan) {
        if let (Some(from), Some(to)) = (&from.rollout, &mut to.rollout) {
            self.copy_engine(from, to);
        }
        self.carry_layout(&from.layout, &mut to.layout);
        for (from, to) in [(&from.critic, &mut to.critic), (&from.reference, &mut to.reference)] {
            if let (Some(from), Some(to)) = (from, to) {
                self.carry_layout(from, to);
            }
        }
    }

    pub(super) fn carry_layout(self, from: &Layout, to: &mut Layout) {
        let stages = to.pipeline_parallel;
        self.copy_layout(from, to);
        if to.pipeline_parallel != stages {
            to.virtual_pipeline = to.virtual_pipeline.min(to.pipeline_parallel);
        }
    }

    /// The layout with this dimension's size so many times as large, or so small a part of it; `None` where it has no such step.
    pub(super) fn resized(self, layout: &Layout, (times, larger): Resize) -> Option<Layout> {
        let mut layout = *layout;
        let size = match self {
            D::TensorParallel => &mut layout.tensor_parallel,
            D::PipelineParallel => &mut layout.pipeline_parallel,
            // Chunks are layers': how many GPUs there are says nothing of them.
            D::VirtualPipeline if times == 2 => &mut layout.virtual_pipeline,
            D::ContextParallel => &mut layout.context_parallel,
            D::UlyssesParallel => &mut layout.ulysses_parallel,
            D::ExpertParallel => &mut layout.expert_parallel,
            D::ExpertTensorParallel => &mut layout.expert_tensor_parallel,
            D::ShardGroup => &mut layout.shard_group,
            _ => return None,
        };
        let was = *size;
        *size = if larger { was.checked_mul(times)? } else { was.is_multiple_of(times).then_some(was / times)? };
        match self {
            D::TensorParallel => {
                layout.sequence_parallel =
                    layout.tensor_parallel > 1 && (layout.sequence_parallel || layout.tensor_parallel == 2 || was == 1);
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
