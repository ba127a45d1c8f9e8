//! The question document. Every key is optional in the type unless the interface requires it, so
//! that a form can hold a half-typed question and round-trip it; [`crate::job::resolve`] applies
//! defaults and refuses what is invalid.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{LoraTargets, Precision};

/// Interface version this build speaks.
pub const VERSION: u32 = 1;

/// A question to the calculator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Interface version: 1.
    pub version: u32,
    /// A catalog id, a Hugging Face repository name, or an object with `config.json` keys.
    /// Null in the question of a text that names none: it has no answer yet.
    #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object", "null"])))]
    pub model: Value,
    /// What it runs on.
    pub hardware: HardwareSpec,
    /// What is trained or generated.
    pub workload: WorkloadSpec,
    /// The framework that runs it, by id (`shardwise flags --for`): only plans that it and its version run are chosen.
    /// Absent: the best of all plans that some framework runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// The framework's version, one of those that there are texts for. Default: the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework_version: Option<String>,
    /// How sure it is to be that a plan that is chosen fits: a probability, 0.5 to 0.999. Default 0.95.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How it is laid out. Absent: the search chooses; partial: the search fills the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanSpec>,
    /// How a run of one's own differs from its estimate (see `calibration`): applied to this estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
}

/// Measured over estimated, each 0.1 to 10: what estimates are multiplied by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// On all seconds but those that the question states. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// On what training's allocator hands out; not on the engine's share of the card. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<f64>,
}

/// GPUs and their network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HardwareSpec {
    /// A catalog id, or an object: `base` and what differs, or a whole GPU (see [`GpuSpec`]).
    #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object"])))]
    pub gpu: Value,
    /// Number of GPUs over all nodes. Default 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u64>,
    /// GPUs in one node. Default: the GPU's usual node (8; 1 for one GPU).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus_per_node: Option<u64>,
    /// Network bandwidth between nodes, per GPU and direction, in Gbit/s. Default: the catalog's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internode_gbit_per_s_per_gpu: Option<f64>,
    /// Host memory of one node in GiB. Default: what machines of the catalog with these GPUs have per GPU, where it knows
    /// any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_ram_gib: Option<f64>,
    /// Price of one GPU for one hour, in US dollars. Default: the catalog's, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_gpu_hour: Option<f64>,
}

/// `hardware.gpu` as an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GpuSpec {
    /// Catalog id whose figures hold where the fields below are absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Its architecture: `hopper`, `ampere`, `cdna`, …, in any case. How close a GPU comes to its data sheet is known by
    /// architecture. Default: the base's; without a base that of the catalog's GPU whose peak and bandwidth are nearest,
    /// where both are within 10 %, with a caveat; else a typical one, with a caveat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub architecture: Option<String>,
    /// Usable memory in GiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<f64>,
    /// Memory bandwidth in GB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hbm_gb_per_s: Option<f64>,
    /// Dense bf16 (or fp16) tensor peak in TFLOPS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bf16_dense_tflops: Option<f64>,
    /// Dense fp8 tensor peak in TFLOPS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp8_dense_tflops: Option<f64>,
    /// NVLink (or xGMI) bandwidth per GPU and direction in GB/s; 0 without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvlink_gb_per_s: Option<f64>,
    /// GPUs that reach each other over NVLink.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvlink_domain: Option<u64>,
    /// PCIe bandwidth per direction in GB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcie_gb_per_s: Option<f64>,
}

/// What is asked of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WorkloadKind {
    /// Pre-training: every token trains.
    Pretrain,
    /// Full-parameter fine-tuning.
    Sft,
    /// Fine-tuning of low-rank adapters.
    Lora,
    /// The same over a 4-bit base model.
    Qlora,
    /// PPO, with a critic.
    Ppo,
    /// GRPO.
    Grpo,
    /// DAPO.
    Dapo,
    /// GSPO: GRPO with one ratio for each response.
    Gspo,
    /// Generation alone.
    Rollout,
}

/// What is trained or generated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkloadSpec {
    /// The task.
    pub kind: WorkloadKind,
    /// Longest sequence in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence_length: Option<u64>,
    /// Sequences per optimizer step, over all GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_batch: Option<u64>,
    /// Mean sequence length in tokens. Default: `sequence_length`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_sequence_length: Option<f64>,
    /// Packed sequences (dynamic batching) rather than padding. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packing: Option<bool>,
    /// Precision of the matrix products. Default bf16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Adapters of `lora` and `qlora`, and of RL where given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lora: Option<LoraSpec>,
    /// The RL step; required for `ppo`, `grpo`, `dapo`, `gspo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rl: Option<RlSpec>,
    /// The generation run; required for `rollout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolloutWorkloadSpec>,
    /// Tokens of the whole run; gives hours and dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<f64>,
}

/// Low-rank adapters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LoraSpec {
    /// Rank of the adapters. Default 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u64>,
    /// Which matrices carry adapters. Default `all-linear`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<LoraTargets>,
}

/// How generation and training share the GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// The same GPUs, one phase after another.
    #[default]
    Colocated,
    /// Disjoint GPUs, one phase after another.
    Split,
    /// Disjoint GPUs; generation is one step ahead of training.
    OneStepOff,
    /// Disjoint GPUs; generation runs on under a staleness bound.
    FullyAsync,
}

/// Reads a stated null as a value: no critic, where an absent one is the default.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// One RL step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RlSpec {
    /// Prompts per step, over all GPUs. Required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts_per_step: Option<u64>,
    /// Prompts generated at a time (veRL's `data.gen_batch_size`). Default: `prompts_per_step`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gen_batch_size: Option<u64>,
    /// Prompts generated for each that trains (DAPO's dynamic sampling drops groups that all score alike). Default: 2.3
    /// for dapo, with a caveat, else 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oversampling: Option<f64>,
    /// Responses sampled per prompt. Default 8 for grpo and gspo, 16 for dapo, 1 for ppo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses_per_prompt: Option<u64>,
    /// Longest prompt in tokens. Required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_prompt_length: Option<u64>,
    /// Longest response in tokens. Required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_response_length: Option<u64>,
    /// Mean prompt length in tokens. Default: half the longest, with a caveat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_prompt_length: Option<f64>,
    /// Mean response length in tokens. Default: half the longest, with a caveat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_response_length: Option<f64>,
    /// Spread of the response lengths: standard deviation over mean. Default 0.5, with a caveat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_length_cv: Option<f64>,
    /// Prompts per optimizer step. Default: `prompts_per_step`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mini_batch: Option<u64>,
    /// Passes over the step's samples. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// Whether a reference policy's log-probabilities are computed. Default: true for ppo and grpo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<bool>,
    /// The critic's model: an id, an object, or null. Default for ppo: the actor's.
    #[serde(default, deserialize_with = "even_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object", "null"])))]
    pub critic: Option<Value>,
    /// A reward model: an id, an object, or null. Default: none (a rule).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object", "null"])))]
    pub reward_model: Option<Value>,
    /// Whether the trainer computes the old log-probabilities. False: it takes the engine's (veRL's
    /// `algorithm.rollout_correction.bypass_mode`). Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_log_prob: Option<bool>,
    /// Seconds of a step in which rewards are computed while neither side works. Default 0, with a caveat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward_s: Option<f64>,
    /// How generation and training share the GPUs. Default colocated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Versions of the weights that a sample may lag behind (veRL's `max_off_policy_threshold`), where fully
    /// asynchronous. Default 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_staleness: Option<u64>,
    /// GPUs that train, where not colocated. Default: the split with the fastest step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_gpus: Option<u64>,
}

/// A generation run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RolloutWorkloadSpec {
    /// Requests of the run. Required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Mean prompt length in tokens. Required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_prompt_length: Option<f64>,
    /// Mean response length in tokens. Required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_response_length: Option<f64>,
    /// Spread of the response lengths. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_length_cv: Option<f64>,
}

/// The code that trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Megatron-Core: tensor, pipeline, context and expert parallelism.
    Megatron,
    /// PyTorch FSDP.
    Fsdp,
    /// DeepSpeed ZeRO.
    Deepspeed,
    /// Plain data parallelism.
    Ddp,
}

/// Which activations are computed again in the backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RecomputeGranularity {
    /// Nothing.
    None,
    /// Some modules.
    Selective,
    /// Every layer from its input.
    Full,
}

/// A module Megatron can recompute on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecomputeModule {
    /// Scores, softmax and weighted sum.
    CoreAttn,
    /// The dense MLP.
    Mlp,
    /// The whole expert layer.
    Moe,
    /// The experts' activation function.
    MoeAct,
    /// The norms.
    Layernorm,
    /// MLA's up-projections.
    MlaUpProj,
    /// The shared experts.
    SharedExperts,
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
    },
}

/// What is kept in host memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
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

/// Kernel of the attention scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Attention {
    /// FlashAttention: scores never reach memory.
    #[default]
    Flash,
    /// Scores and softmax written to memory.
    Unfused,
}

/// Which communication runs beside computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Overlap {
    /// Gradient reduction, with the backward pass.
    pub gradients: bool,
    /// Parameter gathering, with the forward pass.
    pub parameters: bool,
    /// Tensor-parallel collectives, with their matrix products.
    pub tensor_parallel: bool,
}

impl Default for Overlap {
    fn default() -> Self {
        Self { gradients: true, parameters: true, tensor_parallel: false }
    }
}

/// The engine that generates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// vLLM.
    #[default]
    Vllm,
    /// SGLang.
    Sglang,
}

/// Type of the keys and values in an engine's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum KvCacheDtype {
    /// 16 bits.
    #[default]
    Auto,
    /// 8 bits.
    Fp8,
}

/// The generation engine's layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RolloutPlanSpec {
    /// Engine. Default vllm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// GPUs that split each matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_parallel: Option<u64>,
    /// Data-parallel attention ranks inside one engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_parallel: Option<u64>,
    /// GPUs that share the experts inside one engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert_parallel: Option<u64>,
    /// Share of the card the engine may take, weights included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_memory_utilization: Option<f64>,
    /// Sequences decoded together, per engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_num_seqs: Option<u64>,
    /// Tokens in one engine step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_num_batched_tokens: Option<u64>,
    /// Precision of the engine's weights. Default: the workload's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Whether the KV cache is given back while training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_cache: Option<bool>,
    /// Whether the engine launches each kernel by itself instead of replaying CUDA graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enforce_eager: Option<bool>,
    /// Type of the keys and values in the cache. Default auto: as the weights' 16 bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv_cache_dtype: Option<KvCacheDtype>,
    /// How many times as fast speculative decoding (MTP, EAGLE, n-gram) generates. Default 1: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speculative_speedup: Option<f64>,
}

/// How the work is laid out. Every key may be absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlanSpec {
    /// The code that trains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<Backend>,
    /// GPUs that split each matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_parallel: Option<u64>,
    /// Pipeline stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline_parallel: Option<u64>,
    /// Model chunks per pipeline stage; 1 = off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_pipeline: Option<u64>,
    /// GPUs that split each sequence, by ring attention (Megatron).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_parallel: Option<u64>,
    /// GPUs that split each sequence, by exchanging heads (veRL's Ulysses).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ulysses_parallel: Option<u64>,
    /// GPUs that share the experts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert_parallel: Option<u64>,
    /// GPUs that split each expert's matrices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert_tensor_parallel: Option<u64>,
    /// Megatron's sequence parallelism: norms and dropout split over the tensor-parallel group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence_parallel: Option<bool>,
    /// ZeRO stage 0 to 3. `megatron`: 1 is the distributed optimizer; `fsdp`: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_stage: Option<u64>,
    /// GPUs of one ZeRO-3 or HSDP shard group. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard_group: Option<u64>,
    /// Sequences per GPU and forward pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<u64>,
    /// Token budget per GPU and forward pass (dynamic batching).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens_per_gpu: Option<u64>,
    /// Which activations are computed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recompute: Option<RecomputeSpec>,
    /// What is kept in host memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offload: Option<Offload>,
    /// Megatron: share of the optimizer's states, 0 to 1, that lie in host memory for good and that the host's CPUs step
    /// (`optimizer_cpu_offload` with `optimizer_offload_fraction`). In RL `offload.optimizer` brings all states back for
    /// each update, and these not; elsewhere it says 1. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer_offload_fraction: Option<f64>,
    /// Attention kernel. Default flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<Attention>,
    /// Loss computed without materialising the logits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fused_lm_head: Option<bool>,
    /// Loss whose gradient replaces the logits (Megatron's, flash-attn's, Liger's, `torch.compile`'s), rather than
    /// eager PyTorch's. Default: as the backend and the kind of workload usually have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fused_loss: Option<bool>,
    /// Which communication runs beside computation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// DeepSpeed, ZeRO-3: whether the optimizer states and parameters that `offload` moves lie on the nodes' NVMe drives
    /// rather than in host memory (ZeRO-Infinity). The search never chooses it. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme_offload: Option<bool>,
    /// DeepSpeed, ZeRO-3: GPUs that hold a second copy of the weights between them, from which the backward pass gathers
    /// (ZeRO++'s hpZ; a node's, usually). The search never chooses it. Default 1: off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_hpz_partition_size: Option<u64>,
    /// DeepSpeed, ZeRO-3: whether weights are gathered in 8 bits (ZeRO++'s qwZ). The search never chooses it. Default
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_quantized_weights: Option<bool>,
    /// DeepSpeed, ZeRO-3: whether gradients are reduced in 4 bits (ZeRO++'s qgZ). The search never chooses it. Default
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_quantized_gradients: Option<bool>,
    /// Bytes of master weights per parameter. Default: the backend's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master_weights_bytes: Option<f64>,
    /// Bytes of gradients per parameter. Default: the backend's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gradient_bytes: Option<f64>,
    /// Bytes of optimizer moments per parameter. Default 8 (Adam in fp32).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer_bytes: Option<f64>,
    /// The generation engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolloutPlanSpec>,
    /// The critic's plan, where it differs. Null is as absent: as the actor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critic: Option<Box<PlanSpec>>,
    /// The reference policy's plan, where it differs. Null is as absent: as the actor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Box<PlanSpec>>,
}
