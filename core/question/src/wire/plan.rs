//! A plan in the question document: how training and generation are laid out.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::document::{Document, Entry, document, each, entries_of_words, put, required, unknown};
use super::json::Json;
use super::launches::{CudaGraphs, TokenDispatcher};
use super::optimizer::Optimizer;
use super::version::EngineVersion;
use crate::place::Place;
use shardwise_catalog::error::InputError;
use shardwise_catalog::hardware::Precision;
use shardwise_catalog::words;

entries_of_words!(
    Attention,
    AttentionKernel,
    Backend,
    Engine,
    KvCacheDtype,
    PipelineSchedule,
    RecomputeGranularity,
    RecomputeModule
);

words! {
    /// The code that trains.
    pub enum Backend {
        /// Megatron-Core: tensor, pipeline, context and expert parallelism.
        Megatron = "megatron",
        /// PyTorch FSDP.
        Fsdp = "fsdp",
        /// DeepSpeed ZeRO.
        Deepspeed = "deepspeed",
        /// Plain data parallelism.
        Ddp = "ddp",
    }
}

impl Backend {
    /// Name for a person.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Megatron => "Megatron",
            Self::Fsdp => "FSDP",
            Self::Deepspeed => "DeepSpeed",
            Self::Ddp => "DDP",
        }
    }
}

words! {
    /// Which activations are computed again in the backward pass.
    pub enum RecomputeGranularity {
        /// Nothing.
        None = "none",
        /// Some modules.
        Selective = "selective",
        /// Every layer from its input.
        Full = "full",
    }
}

words! {
    /// A module Megatron can recompute on its own.
    pub enum RecomputeModule {
        /// Scores, softmax and weighted sum.
        CoreAttn = "core_attn",
        /// The dense MLP.
        Mlp = "mlp",
        /// The whole expert layer.
        Moe = "moe",
        /// The experts' activation function.
        MoeAct = "moe_act",
        /// The norms.
        Layernorm = "layernorm",
        /// MLA's up-projections.
        MlaUpProj = "mla_up_proj",
        /// The shared experts.
        SharedExperts = "shared_experts",
    }
}

/// `plan.recompute`: a word, or granularity and modules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum RecomputeSpec {
    /// `"none"`, `"selective"`, `"full"`.
    Word(RecomputeGranularity),
    /// With the modules of selective recomputation.
    Modules {
        /// Granularity.
        granularity: RecomputeGranularity,
        /// Modules that are recomputed.
        #[serde(default)]
        modules: Vec<RecomputeModule>,
        /// Megatron, of granularity full: layers of each stage, or model chunk, that are recomputed, the first ones
        /// (`recompute_method=block` with `recompute_num_layers`). Default: all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        num_layers: Option<u64>,
    },
}

impl Entry for RecomputeSpec {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        let Some(members) = value.as_object() else {
            return RecomputeGranularity::read(value, place)
                .map(Self::Word)
                .map_err(|_| place.refuse("Give none, selective or full, or an object with granularity and modules."));
        };
        let mut granularity = RecomputeGranularity::None;
        let mut modules = Vec::new();
        let mut num_layers = None;
        each(members, &mut |key, value| {
            let below = place.below(key);
            match key {
                "granularity" => granularity = Entry::read(value, &below)?,
                "modules" => modules = Entry::read(value, &below)?,
                "num_layers" => num_layers = Some(Entry::read(value, &below)?),
                _ => return Err(unknown(&below, &["granularity", "modules", "num_layers"])),
            }
            Ok(())
        })?;
        required(members, place, &["granularity"])?;
        Ok(Self::Modules { granularity, modules, num_layers })
    }

    fn write(&self) -> Option<Value> {
        match self {
            Self::Word(word) => word.write(),
            Self::Modules { granularity, modules, num_layers } => {
                let mut map = Map::new();
                put(&mut map, "granularity", granularity);
                put(&mut map, "modules", modules);
                if let Some(layers) = num_layers {
                    put(&mut map, "num_layers", layers);
                }
                Some(Value::Object(map))
            }
        }
    }
}

document! {
    /// What is kept in host memory.
    #[derive(Copy, Default, Eq, Hash)]
    #[serde(default)]
    pub struct Offload {
        /// Parameters.
        pub parameters: bool,
        /// Gradients.
        pub gradients: bool,
        /// Optimizer states (and, in DeepSpeed, the optimizer step).
        pub optimizer: bool,
        /// Activations.
        pub activations: bool,
    }
}

words! {
    /// Kernel of the attention scores.
    #[derive(Default)]
    pub enum Attention {
        /// FlashAttention: scores never reach memory.
        #[default]
        Flash = "flash",
        /// Scores and softmax written to memory.
        Unfused = "unfused",
    }
}

words! {
    /// Code that computes attention where its scores never reach memory.
    pub enum AttentionKernel {
        /// FlashAttention before its second version, of 2023.
        Flash1 = "flash1",
        /// FlashAttention-2.
        Flash2 = "flash2",
        /// FlashAttention-3, for Hopper.
        Flash3 = "flash3",
        /// FlashAttention-4, for Hopper and Blackwell.
        Flash4 = "flash4",
        /// cuDNN's, as TransformerEngine calls it.
        Cudnn = "cudnn",
        /// What PyTorch's `scaled_dot_product_attention` chooses.
        Sdpa = "sdpa",
        /// Composable Kernel's, AMD's.
        Ck = "ck",
    }
}

words! {
    /// Order in which the stages of a pipeline run the passes of their micro-batches.
    pub enum PipelineSchedule {
        /// One forward, one backward.
        OneForwardOneBackward = "1f1b",
        /// The same in turns over the model chunks of each stage.
        Interleaved = "interleaved_1f1b",
        /// Interleaved, the weights' gradients put off to fill the bubble: ZB-H1 of Qi et al. 2023.
        InterleavedZeroBubble = "interleaved_zero_bubble",
        /// ZB-V of the same: two chunks, the first stage holding the first and the last.
        ZbvZeroBubble = "zbv_zero_bubble",
        /// DeepSeek's DualPipe cut in half: two chunks placed as in ZB-V, a forward pass with each backward pass.
        DualPipeV = "dual_pipe_v",
    }
}

document! {
    /// Which communication runs beside computation.
    #[derive(Copy, Eq, Hash)]
    #[serde(default)]
    pub struct Overlap {
        /// Gradient reduction, with the backward pass.
        pub gradients: bool,
        /// Parameter gathering, with the forward pass.
        pub parameters: bool,
        /// Tensor-parallel collectives, with their matrix products.
        pub tensor_parallel: bool,
    }
}

impl PlanSpec {
    /// Whether it decides how training is laid out, in all that a search would otherwise choose.
    pub(crate) fn decides_training(&self) -> bool {
        let parallel = [self.tensor_parallel, self.pipeline_parallel, self.context_parallel];
        let at_once = self.micro_batch.or(self.max_tokens_per_gpu);
        self.backend.is_some() && parallel.iter().all(Option::is_some) && at_once.is_some() && self.recompute.is_some()
    }
}

impl Default for Overlap {
    fn default() -> Self {
        Self { gradients: true, parameters: true, tensor_parallel: false }
    }
}

words! {
    /// The engine that generates.
    #[derive(Default)]
    pub enum Engine {
        /// vLLM.
        #[default]
        Vllm = "vllm",
        /// SGLang.
        Sglang = "sglang",
        /// TensorRT-LLM.
        TensorrtLlm = "tensorrt_llm",
    }
}

words! {
    /// Type of the keys and values in an engine's cache.
    #[derive(Default)]
    pub enum KvCacheDtype {
        /// 16 bits.
        #[default]
        Auto = "auto",
        /// 8 bits.
        Fp8 = "fp8",
    }
}

document! {
    /// The generation engine's layout.
    #[derive(Default)]
    pub struct RolloutPlanSpec {
        /// Engine. Default vllm.
        pub engine: Option<Engine>,
        /// Version of the engine, as "0.8.4". Default: today's; with an older `framework_version`, the one that release
        /// installs. What is known of older ones: vLLM before 0.12.
        pub engine_version: Option<EngineVersion>,
        /// GPUs that split each matrix.
        pub tensor_parallel: Option<u64>,
        /// Data-parallel attention ranks inside one engine.
        pub data_parallel: Option<u64>,
        /// GPUs that share the experts inside one engine.
        pub expert_parallel: Option<u64>,
        /// Share of the card the engine may take, weights included.
        pub gpu_memory_utilization: Option<f64>,
        /// Sequences decoded together, per engine.
        pub max_num_seqs: Option<u64>,
        /// Tokens in one engine step: of each sequence that is decoded one, the rest of prompts. Default 8,192; veRL's tuning
        /// guide advises more than 2,048.
        pub max_num_batched_tokens: Option<u64>,
        /// Whether a prompt may be read in several engine steps (`enable_chunked_prefill`). Without, a step holds the longest
        /// sequence, whatever `max_num_batched_tokens` says: vLLM refuses less, and veRL raises it. Default true.
        pub chunked_prefill: Option<bool>,
        /// Precision of the engine's weights. Default: the workload's.
        pub precision: Option<Precision>,
        /// Whether the KV cache is given back while training.
        pub free_cache: Option<bool>,
        /// Whether the engine launches each kernel by itself instead of replaying CUDA graphs.
        pub enforce_eager: Option<bool>,
        /// Type of the keys and values in the cache. Default auto: as the weights' 16 bits.
        pub kv_cache_dtype: Option<KvCacheDtype>,
        /// How many times as fast speculative decoding (MTP, EAGLE, n-gram) generates. Default 1: none.
        pub speculative_speedup: Option<f64>,
    }
}

document! {
    /// How the work is laid out. Every key may be absent.
    #[derive(Default)]
    pub struct PlanSpec {
        /// The code that trains.
        pub backend: Option<Backend>,
        /// GPUs that split each matrix.
        pub tensor_parallel: Option<u64>,
        /// Pipeline stages.
        pub pipeline_parallel: Option<u64>,
        /// Model chunks per pipeline stage; 1 = off.
        pub virtual_pipeline: Option<u64>,
        /// Order in which the stages run their passes. The three that put the weights' gradients off are PyTorch's, which
        /// torchtitan runs. The search never chooses one. Default: 1f1b, with model chunks interleaved_1f1b.
        pub pipeline_schedule: Option<PipelineSchedule>,
        /// GPUs that split each sequence, by ring attention (Megatron).
        pub context_parallel: Option<u64>,
        /// GPUs that split each sequence, by exchanging heads (veRL's Ulysses).
        pub ulysses_parallel: Option<u64>,
        /// GPUs that share the experts.
        pub expert_parallel: Option<u64>,
        /// GPUs that split each expert's matrices.
        pub expert_tensor_parallel: Option<u64>,
        /// Megatron's sequence parallelism: norms and dropout split over the tensor-parallel group.
        pub sequence_parallel: Option<bool>,
        /// ZeRO stage 0 to 3. `megatron`: 1 is the distributed optimizer; `fsdp`: 3.
        pub zero_stage: Option<u64>,
        /// GPUs of one ZeRO-3 or HSDP shard group. Default: all.
        pub shard_group: Option<u64>,
        /// Sequences per GPU and forward pass; of preference data examples, so that a pair counts once.
        pub micro_batch: Option<u64>,
        /// Token budget per GPU and forward pass (dynamic batching).
        pub max_tokens_per_gpu: Option<u64>,
        /// RL: sequences per GPU of a pass forward alone: the actor's old log-probabilities (and a reward model's scores), the
        /// reference's log-probabilities, the critic's values. Default: twice `micro_batch`, as veRL's tuning guide has it.
        pub forward_micro_batch: Option<u64>,
        /// RL: token budget per GPU of a pass forward alone. Default: twice `max_tokens_per_gpu`.
        pub forward_max_tokens_per_gpu: Option<u64>,
        /// Which activations are computed again.
        pub recompute: Option<RecomputeSpec>,
        /// What is kept in host memory.
        pub offload: Option<Offload>,
        /// Megatron: share of the optimizer's states, 0 to 1, that lie in host memory for good and that the host's CPUs step
        /// (`optimizer_cpu_offload` with `optimizer_offload_fraction`). In RL `offload.optimizer` brings all states back for
        /// each update, and these not; elsewhere it says 1. `DeepSpeed` in RL: 1 where `offload_optimizer` has optimizer and gradients in
        /// host memory (OpenRLHF's `--ds.adam_offload`). Default 0.
        pub optimizer_offload_fraction: Option<f64>,
        /// What steps the weights. The search never chooses another than is stated. Default adamw.
        pub optimizer: Option<Optimizer>,
        /// FSDP with `master_weights_bytes` 2: whether a step rounds what it writes into 16 bits up or down by chance
        /// (torchao's `bf16_stochastic_round`), so that small updates are not lost. Default false.
        pub bf16_stochastic_round: Option<bool>,
        /// Whether each weight is stepped as soon as its gradient is there, in the backward pass, so that no others wait
        /// (`early_step_in_backward` of torchtitan up to 0.2): no gradient outlasts its layer, none is clipped, and a step is one pass.
        /// The search never chooses it. Default false.
        pub optimizer_in_backward: Option<bool>,
        /// FSDP without pipeline stages, where a step has several micro-batches: whether the gradients of each are reduced, or stay whole
        /// until the last one's (accelerate's `sync_each_batch`; the opposite of veRL's `use_no_sync_for_gradient_accumulation`).
        /// Default: true, but false where all weights train in a framework on Hugging Face's Trainer, which waits. A search
        /// begins with true, and outside RL takes what is faster.
        pub sync_each_batch: Option<bool>,
        /// Attention kernel. Default flash.
        pub attention: Option<Attention>,
        /// Whose flash attention. Default: cuDNN's with `megatron` from Hopper on; with `fsdp` PyTorch's for pre-training, and
        /// FlashAttention-3 for fine-tuning on Hopper where no framework is named; AMD's own on AMD; else FlashAttention-2. Only with
        /// `attention` flash.
        pub attention_kernel: Option<AttentionKernel>,
        /// Loss computed without materialising the logits.
        pub fused_lm_head: Option<bool>,
        /// Loss whose gradient replaces the logits (Megatron's, flash-attn's, Liger's, `torch.compile`'s), rather than
        /// eager PyTorch's. Default: as the backend and the kind of workload usually have it.
        pub fused_loss: Option<bool>,
        /// Which communication runs beside computation.
        pub overlap: Option<Overlap>,
        /// Megatron: whether one kernel turns queries and keys by their positions (`apply_rope_fusion`). Without, packed
        /// sequences are turned one after another. Default true: veRL's and ChatLearn's own default is false, so that their
        /// texts say it.
        pub apply_rope_fusion: Option<bool>,
        /// Megatron, experts over several GPUs: whether their exchanges run beside another micro-batch's computation
        /// (`overlap_moe_expert_parallel_comm`, 1F1B overlap). The search never chooses it. Default false.
        pub overlap_moe_expert_parallel_comm: Option<bool>,
        /// Megatron and FSDP, experts over several GPUs: what sends the tokens (Megatron's `moe_token_dispatcher_type`, and of flex
        /// `moe_flex_dispatcher_backend`; NeMo AutoModel's `dispatcher`, torchtitan's `expert_parallel_comm_backend`). Default: what
        /// sends each token once to each other node, in the time that NCCL's collectives take. The search never chooses it.
        pub moe_token_dispatcher: Option<TokenDispatcher>,
        /// Megatron: `moe_token_dispatcher` of before HybridEP: true is deepep, false alltoall. That counts where both are there.
        pub moe_enable_deepep: Option<bool>,
        /// Megatron: what of a step CUDA graphs replay (`cuda_graph_impl` with `cuda_graph_scope`). In 8 bits the host launches
        /// each expert's kernels by itself, which small micro-batches wait for. The search never chooses it. Default none.
        pub cuda_graphs: Option<CudaGraphs>,
        /// DeepSpeed, ZeRO-3: whether the optimizer states and parameters that `offload` moves lie on the nodes' NVMe drives
        /// rather than in host memory (ZeRO-Infinity). Default: off where the plan is stated; a search of anything
        /// but RL takes drives where host memory lacks room, and a caveat says so.
        pub nvme_offload: Option<bool>,
        /// DeepSpeed, ZeRO-3: GPUs that hold a second copy of the weights between them, from which the backward pass gathers
        /// (ZeRO++'s hpZ; a node's, usually). The search tries a node's on what it has found. Default 1: off.
        pub zero_hpz_partition_size: Option<u64>,
        /// DeepSpeed, ZeRO-3: whether weights are gathered in 8 bits (ZeRO++'s qwZ). The search never chooses it. Default
        /// false.
        pub zero_quantized_weights: Option<bool>,
        /// DeepSpeed, ZeRO-3: whether gradients are reduced in 4 bits (ZeRO++'s qgZ). The search never chooses it. Default
        /// false.
        pub zero_quantized_gradients: Option<bool>,
        /// Bytes of master weights per parameter. Default: the backend's.
        pub master_weights_bytes: Option<f64>,
        /// Bytes of gradients per parameter. Default: the backend's.
        pub gradient_bytes: Option<f64>,
        /// Bytes of optimizer moments per parameter that trains. Default: the optimizer's, 8 of adamw.
        pub optimizer_bytes: Option<f64>,
        /// Most bytes that a logit takes while a loss that is not fused is computed, or in an update of RL. Default: what the code of
        /// today takes; `transformers` before 4.49 took 18.
        pub logit_bytes: Option<f64>,
        /// RL: in how many parts weights that are sharded are gathered on each GPU for the engine; 1 is the whole model at once. The
        /// search never chooses it. Default: what the framework does, tensor by tensor mostly; the whole model in ms-swift under
        /// ZeRO-3 (`move_model_batches` makes more of it) and in TRL with adapters; a layer at a time in veRL with adapters
        /// (`layered_summon`, without which it is 1).
        pub weight_sync_parts: Option<u64>,
        /// The generation engine.
        pub rollout: Option<RolloutPlanSpec>,
        /// The critic's plan, where it differs. Null is as absent: as the actor's.
        pub critic: Option<Box<PlanSpec>>,
        /// The reference policy's plan, where it differs. Null is as absent: as the actor's.
        pub reference: Option<Box<PlanSpec>>,
    }
}

/// A plan as a JSON value: `plan` of a question.
///
/// ```
/// use shardwise_core::wire::{PlanSpec, plan_to_value};
/// let plan = PlanSpec { tensor_parallel: Some(2), ..PlanSpec::default() };
/// assert_eq!(plan_to_value(&plan), serde_json::json!({"tensor_parallel": 2}));
/// ```
#[must_use]
pub fn plan_to_value(plan: &PlanSpec) -> Value {
    Value::Object(plan.entries())
}
