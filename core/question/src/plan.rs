//! A complete plan: every dimension decided.

mod switches;

use crate::wire::{
    Attention, AttentionKernel, Backend, CudaGraphs, Engine, EngineVersion, KvCacheDtype, Offload, Optimizer, Overlap,
    PipelineSchedule, PlanSpec, Precision, RecomputeGranularity, RecomputeModule, RecomputeSpec, RolloutPlanSpec,
};
pub use switches::{Switches, ZeroPlus};

/// Most GPUs that a question may state.
pub(crate) const MAX_GPUS: u64 = 1 << 20;

/// How training is laid out over the GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// The code that trains.
    pub backend: Backend,
    /// GPUs that split each matrix.
    pub tensor_parallel: u32,
    /// Pipeline stages.
    pub pipeline_parallel: u32,
    /// Model chunks per stage; 1 = off.
    pub virtual_pipeline: u32,
    /// Order in which the stages run their passes; `None` is as usual ([`crate::complete::pipeline_schedule`]).
    pub pipeline_schedule: Option<PipelineSchedule>,
    /// GPUs that split each sequence by ring attention.
    pub context_parallel: u32,
    /// GPUs that split each sequence by exchanging heads.
    pub ulysses_parallel: u32,
    /// GPUs that share the experts.
    pub expert_parallel: u32,
    /// GPUs that split each expert.
    pub expert_tensor_parallel: u32,
    /// Megatron's sequence parallelism.
    pub sequence_parallel: bool,
    /// ZeRO stage.
    pub zero_stage: u8,
    /// GPUs of one shard group (ZeRO-3, HSDP).
    pub shard_group: u32,
    /// What one forward pass takes on one GPU.
    pub micro_batch: MicroBatch,
    /// What a pass forward alone takes, in RL; `None` is twice `micro_batch` ([`Layout::forward_pass`]).
    pub forward: Option<MicroBatch>,
    /// Activations computed again.
    pub recompute: Recompute,
    /// Of whole layers that are computed again, how many of each stage or model chunk; `None`: all.
    pub recompute_layers: Option<u32>,
    /// What is kept in host memory.
    pub offload: Offload,
    /// Share of the optimizer's states that stay in host memory, where the CPUs step them (Megatron's hybrid optimizer).
    pub optimizer_offload_fraction: f64,
    /// What steps the weights, and how.
    pub optimizer: Stepper,
    /// FSDP: gradients of each micro-batch are reduced, rather than kept whole until the last one's.
    pub sync_each_batch: bool,
    /// Attention kernel.
    pub attention: Attention,
    /// Whose flash attention; `None` is as usual ([`crate::complete::usual_kernel`]).
    pub attention_kernel: Option<AttentionKernel>,
    /// Loss without materialised logits.
    pub fused_lm_head: bool,
    /// Loss whose gradient replaces the logits.
    pub fused_loss: bool,
    /// Communication beside computation.
    pub overlap: Overlap,
    /// Kernels and exchanges that Megatron has switches for.
    pub switches: Switches,
    /// Whether what is offloaded lies on NVMe drives rather than in host memory.
    pub nvme_offload: bool,
    /// ZeRO++.
    pub zero_plus: ZeroPlus,
    /// Bytes per parameter of the weights that products read; with FSDP these are shards of the master weights.
    pub weights_bytes: f64,
    /// Bytes of master weights per parameter.
    pub master_weights_bytes: f64,
    /// Bytes of gradients per parameter.
    pub gradient_bytes: f64,
    /// Bytes of optimizer moments per parameter.
    pub optimizer_bytes: f64,
    /// Most bytes that a logit takes while a loss that is not fused is computed, where the question states it.
    pub logit_bytes: Option<f64>,
    /// In how many parts weights are gathered for the engine, where the question states it.
    pub weight_sync_parts: Option<u32>,
}

/// What steps the weights, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stepper {
    /// Which optimizer.
    pub kind: Optimizer,
    /// What it writes into 16 bits is rounded by chance.
    pub bf16_stochastic_round: bool,
    /// Each weight is stepped in the backward pass.
    pub in_backward: bool,
}

/// What one forward pass takes on one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MicroBatch {
    /// A number of sequences.
    Sequences(u64),
    /// As many sequences as fit a token budget (dynamic batching).
    Tokens(u64),
}

impl MicroBatch {
    /// Another number of what this one counts.
    #[must_use]
    pub fn map(self, number: impl FnOnce(u64) -> u64) -> Self {
        match self {
            Self::Sequences(n) => Self::Sequences(number(n)),
            Self::Tokens(n) => Self::Tokens(number(n)),
        }
    }

    /// A micro-batch twice as large.
    #[must_use]
    pub fn doubled(self) -> Self {
        self.map(|n| n.saturating_mul(2))
    }

    /// A micro-batch half as large, at least one.
    #[must_use]
    pub fn halved(self) -> Self {
        self.map(|n| (n / 2).max(1))
    }
}

/// Activations computed again in the backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recompute {
    /// None.
    None,
    /// Some modules.
    Selective(Modules),
    /// Each layer from its input.
    Full,
}

/// A set of recomputed modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modules(u8);

impl Modules {
    /// Megatron's default for selective recomputation: core attention.
    pub const CORE_ATTN: Self = Self(1);

    /// The set of the modules given.
    #[must_use]
    pub fn of(modules: &[RecomputeModule]) -> Self {
        Self(modules.iter().fold(0, |set, module| set | 1 << *module as u8))
    }

    /// Whether `module` is recomputed.
    #[must_use]
    pub fn contains(self, module: RecomputeModule) -> bool {
        self.0 & (1 << module as u8) != 0
    }

    /// The set as bits.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The modules, in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = RecomputeModule> {
        RecomputeModule::ALL.into_iter().filter(move |module| self.contains(*module))
    }
}

/// Tokens of an engine step where nothing is stated: veRL's default (`rollout.max_num_batched_tokens`), and vLLM's own on large
/// cards. The share of the matrix rate that prompts reach is fitted with it.
pub const USUAL_BATCHED_TOKENS: u64 = 8192;

/// The generation engine's layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutPlan {
    /// Engine.
    pub engine: Engine,
    /// Its version; `None`: today's. An older release of a framework runs the one of its time ([`crate::engines`]).
    pub engine_version: Option<EngineVersion>,
    /// GPUs that split each matrix.
    pub tensor_parallel: u32,
    /// Data-parallel attention ranks of one engine.
    pub data_parallel: u32,
    /// GPUs that share the experts of one engine.
    pub expert_parallel: u32,
    /// Share of the card the engine may take.
    pub gpu_memory_utilization: f64,
    /// Sequences decoded together per engine.
    pub max_num_seqs: u64,
    /// Tokens in one engine step.
    pub max_num_batched_tokens: u64,
    /// Whether a prompt may be read in several engine steps.
    pub chunked_prefill: bool,
    /// Precision of the engine's weights.
    pub precision: Precision,
    /// Whether the KV cache is given back while training.
    pub free_cache: bool,
    /// Whether the engine launches each kernel by itself instead of replaying CUDA graphs.
    pub enforce_eager: bool,
    /// Type of the keys and values in the cache.
    pub kv_cache_dtype: KvCacheDtype,
    /// How many times as fast speculative decoding generates.
    pub speculative_speedup: f64,
}

/// A complete plan: every role's layout, with everything decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Layout of the trained model; for generation alone it is not used.
    pub layout: Layout,
    /// The generation engine; absent where nothing is generated.
    pub rollout: Option<RolloutPlan>,
    /// The critic's layout, where there is a critic.
    pub critic: Option<Layout>,
    /// The reference policy's layout, where there is one.
    pub reference: Option<Layout>,
}

impl Layout {
    /// Share of the optimizer's states that are on the card while it steps, whatever is moved between phases.
    pub fn optimizer_on_card(&self) -> f64 {
        1.0 - self.optimizer_offload_fraction
    }

    /// Whether the host's CPUs step as `DeepSpeed` has them do in RL: gradients lie with the optimizer's states (0.19.8,
    /// `offload_optimizer` of `runtime/zero/stage_1_and_2.py` and `stage3.py`).
    #[must_use]
    pub fn steps_with_gradients(&self) -> bool {
        self.backend == Backend::Deepspeed && self.optimizer_offload_fraction > 0.0
    }

    /// What a pass forward alone takes on one GPU: nothing is kept for a backward pass, so twice the update's where the plan
    /// says nothing (veRL's tuning guide, "Batch Size Tuning", rule 3).
    #[must_use]
    pub fn forward_pass(&self) -> MicroBatch {
        self.forward.unwrap_or(self.micro_batch.doubled())
    }

    /// This layout with nothing recomputed.
    #[must_use]
    pub fn without_recompute(&self) -> Self {
        Self { recompute: Recompute::None, recompute_layers: None, ..*self }
    }

    /// Share of the layers that are computed again as a whole, where `layers` are all of the model's: of each stage or chunk the
    /// first ones (Megatron-Core's `TransformerBlock._checkpointed_forward`, method `block`).
    #[must_use]
    pub fn recomputed_layers(&self, layers: u64) -> f64 {
        let chunks = f64::from(self.pipeline_parallel) * f64::from(self.virtual_pipeline);
        let own = |each: u32| (f64::from(each) * chunks / (layers as f64).max(1.0)).min(1.0);
        self.recompute_layers.map_or(1.0, own)
    }

    /// GPUs that hold one copy of the model's computation: everything but data parallelism.
    #[must_use]
    pub fn model_parallel(&self) -> u32 {
        self.tensor_parallel * self.pipeline_parallel * self.context_parallel * self.ulysses_parallel
    }

    /// Data-parallel replicas among `gpus`.
    #[must_use]
    pub fn data_parallel(&self, gpus: u32) -> u32 {
        (gpus / self.model_parallel()).max(1)
    }

    /// GPUs that split each sequence, by either method.
    #[must_use]
    pub fn sequence_split(&self) -> u32 {
        self.context_parallel * self.ulysses_parallel
    }

    /// This layout as the interface writes it.
    #[must_use]
    pub fn to_spec(&self) -> PlanSpec {
        let counted = |passes: Option<MicroBatch>| match passes {
            Some(MicroBatch::Sequences(n)) => (Some(n), None),
            Some(MicroBatch::Tokens(n)) => (None, Some(n)),
            None => (None, None),
        };
        let (micro_batch, max_tokens_per_gpu) = counted(Some(self.micro_batch));
        let (forward_micro_batch, forward_max_tokens_per_gpu) = counted(self.forward);
        PlanSpec {
            backend: Some(self.backend),
            tensor_parallel: Some(self.tensor_parallel.into()),
            pipeline_parallel: Some(self.pipeline_parallel.into()),
            virtual_pipeline: Some(self.virtual_pipeline.into()),
            pipeline_schedule: self.pipeline_schedule,
            context_parallel: Some(self.context_parallel.into()),
            ulysses_parallel: Some(self.ulysses_parallel.into()),
            expert_parallel: Some(self.expert_parallel.into()),
            expert_tensor_parallel: Some(self.expert_tensor_parallel.into()),
            sequence_parallel: Some(self.sequence_parallel),
            zero_stage: Some(self.zero_stage.into()),
            shard_group: Some(self.shard_group.into()),
            micro_batch,
            max_tokens_per_gpu,
            forward_micro_batch,
            forward_max_tokens_per_gpu,
            recompute: Some(self.recompute.to_spec(self.recompute_layers)),
            offload: Some(self.offload),
            optimizer_offload_fraction: (self.optimizer_offload_fraction > 0.0)
                .then_some(self.optimizer_offload_fraction),
            // Few plans have these: absent where they are as usual.
            optimizer: (self.optimizer.kind != Optimizer::Adamw).then_some(self.optimizer.kind),
            bf16_stochastic_round: self.optimizer.bf16_stochastic_round.then_some(true),
            optimizer_in_backward: self.optimizer.in_backward.then_some(true),
            sync_each_batch: (self.backend == Backend::Fsdp).then_some(self.sync_each_batch),
            attention: Some(self.attention),
            attention_kernel: self.attention_kernel,
            fused_lm_head: Some(self.fused_lm_head),
            fused_loss: Some(self.fused_loss),
            overlap: Some(self.overlap),
            // Few plans have these: absent where they are off.
            apply_rope_fusion: (!self.switches.apply_rope_fusion).then_some(false),
            overlap_moe_expert_parallel_comm: self.switches.overlap_moe_expert_parallel_comm.then_some(true),
            moe_token_dispatcher: self.switches.moe_token_dispatcher,
            moe_enable_deepep: None,
            cuda_graphs: (self.switches.cuda_graphs != CudaGraphs::None).then_some(self.switches.cuda_graphs),
            nvme_offload: self.nvme_offload.then_some(true),
            zero_hpz_partition_size: (self.zero_plus.partition_size > 1)
                .then_some(self.zero_plus.partition_size.into()),
            zero_quantized_weights: self.zero_plus.quantized_weights.then_some(true),
            zero_quantized_gradients: self.zero_plus.quantized_gradients.then_some(true),
            master_weights_bytes: Some(self.master_weights_bytes),
            gradient_bytes: Some(self.gradient_bytes),
            optimizer_bytes: Some(self.optimizer_bytes),
            logit_bytes: self.logit_bytes,
            weight_sync_parts: self.weight_sync_parts.map(u64::from),
            rollout: None,
            critic: None,
            reference: None,
        }
    }
}

impl Recompute {
    fn to_spec(self, layers: Option<u32>) -> RecomputeSpec {
        match self {
            Self::Full if layers.is_some() => RecomputeSpec::Modules {
                granularity: RecomputeGranularity::Full,
                modules: Vec::new(),
                num_layers: layers.map(u64::from),
            },
            Self::None => RecomputeSpec::Word(RecomputeGranularity::None),
            Self::Full => RecomputeSpec::Word(RecomputeGranularity::Full),
            Self::Selective(modules) if modules == Modules::CORE_ATTN => {
                RecomputeSpec::Word(RecomputeGranularity::Selective)
            }
            Self::Selective(modules) => RecomputeSpec::Modules {
                granularity: RecomputeGranularity::Selective,
                modules: modules.iter().collect(),
                num_layers: None,
            },
        }
    }
}

impl RolloutPlan {
    /// GPUs of one engine.
    #[must_use]
    pub fn gpus(&self) -> u32 {
        self.tensor_parallel * self.data_parallel
    }

    /// Changes its sizes: an engine splits its experts over all of its GPUs or none.
    pub fn resize(&mut self, change: impl FnOnce(&mut Self)) {
        let whole = self.expert_parallel == self.gpus();
        change(self);
        if whole {
            self.expert_parallel = self.gpus();
        }
    }

    /// This engine as the interface writes it.
    #[must_use]
    pub fn to_spec(&self) -> RolloutPlanSpec {
        RolloutPlanSpec {
            engine: Some(self.engine),
            engine_version: self.engine_version,
            tensor_parallel: Some(self.tensor_parallel.into()),
            data_parallel: Some(self.data_parallel.into()),
            expert_parallel: Some(self.expert_parallel.into()),
            gpu_memory_utilization: Some(self.gpu_memory_utilization),
            max_num_seqs: Some(self.max_num_seqs),
            max_num_batched_tokens: Some(self.max_num_batched_tokens),
            // Few plans are without: absent where it is on.
            chunked_prefill: (!self.chunked_prefill).then_some(false),
            precision: Some(self.precision),
            free_cache: Some(self.free_cache),
            enforce_eager: Some(self.enforce_eager),
            kv_cache_dtype: Some(self.kv_cache_dtype),
            speculative_speedup: Some(self.speculative_speedup),
        }
    }
}

impl Plan {
    /// This plan as the interface writes it: complete, so that it evaluates to itself.
    #[must_use]
    pub fn to_spec(&self) -> PlanSpec {
        let differing = |layout: &Option<Layout>| {
            layout
                .filter(|layout| *layout != self.layout)
                .map(|layout| Box::new(layout.to_spec()))
        };
        PlanSpec {
            rollout: self.rollout.as_ref().map(RolloutPlan::to_spec),
            critic: differing(&self.critic),
            reference: differing(&self.reference),
            ..self.layout.to_spec()
        }
    }
}
