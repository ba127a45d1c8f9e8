//! Measured efficiencies: every constant of the time and memory model that is no specification.
//!
//! `core/catalog/data/efficiency.toml` holds them with the runs each was fitted on.

use std::borrow::Cow;

use crate::catalog::Generation;
use crate::hardware::Hardware;

/// How close a GPU architecture comes to its data sheet.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct Architecture {
    /// A GPU id, or what [`crate::catalog::Gpu::architecture`] begins with.
    pub name: Cow<'static, str>,
    /// Sustained matrix rate over the dense bf16 peak.
    pub matmul: f64,
    /// Sustained fp8 matrix rate over the dense fp8 peak.
    pub matmul_fp8: f64,
    /// Sustained fp4 matrix rate over the dense fp4 peak.
    pub matmul_fp4: f64,
    /// Streaming rate over the memory's specified bandwidth.
    pub memory: f64,
    /// Causal attention, forward, over the dense bf16 peak.
    pub attention_forward: f64,
    /// Causal attention, backward, over the dense bf16 peak.
    pub attention_backward: f64,
    /// Speed of FlashAttention before its second version over that of cuDNN's kernels.
    pub flash_1: f64,
    /// Speed of FlashAttention-2 over that of cuDNN's kernels, which `attention_forward` and `_backward` are of.
    pub flash_2: f64,
    /// Speed of FlashAttention-3, and of -4, over that of cuDNN's kernels.
    pub flash_3: f64,
    /// Matrix rate of long training runs over that of the benchmarks `matmul` comes from: power and heat.
    pub sustained: f64,
    /// Speed of generation engines on it, relative to what the other rates give.
    pub generation: f64,
    /// Rate of generation engines' products on it, relative to what `EngineEfficiency` says.
    pub generation_matmul: f64,
    /// Bandwidth at which those before today's read keys and values on it for more than `rollout::MANY` heads and tokens,
    /// relative to what `EngineEfficiency` says.
    pub generation_cache: f64,
}

/// Rates of one GPU's own kernels, as benchmarks show them, beside those of its architecture.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct Kernels {
    /// A GPU id, or the beginning of its variants' ids.
    pub name: Cow<'static, str>,
    /// Sustained matrix rate over the dense bf16 peak.
    pub matmul: f64,
    /// Speed of its attention kernels over that of its architecture, each relative to its peak.
    pub attention: f64,
    /// Its `sustained` over its architecture's: its own power and cooling.
    pub sustained: f64,
}

/// What a training framework adds, and how much of its communication it hides.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct FrameworkEfficiency {
    /// Memory-bound passes, relative to fully fused kernels.
    pub elementwise: f64,
    /// Host time per kernel in seconds: the floor of a step made of small kernels.
    pub host_per_kernel_s: f64,
    /// Everything else on the GPU's time line, as a factor on computation.
    pub compute: f64,
    /// Computation in fewer than 16 bits, relative to `compute`: what it takes beside products shrinks with them.
    pub narrow: f64,
    /// Passes over memory to quantise an operand, relative to what the constant `quantization` says of Megatron's kernels.
    pub quantization: f64,
    /// Bytes that a pass moves for each element which an adapter reads or adds to.
    pub adapter_bytes: f64,
    /// Bytes that a loss fused with the LM head moves per logit, both passes.
    pub fused_head_bytes: f64,
    /// Host's time per dense layer and micro-batch in seconds, both passes, in RL trainers: their checks, copies and
    /// synchronisations. The GPU waits for the forward pass's third; the rest is the backward pass's floor.
    pub rl_layer_s: f64,
    /// Host's time per dense layer and micro-batch in seconds, both passes, in RL trainers that run eager code on FSDP: the floor of
    /// small micro-batches. Nothing reads Megatron's, whose floor is `rl_layer_s`.
    pub rl_floor_s: f64,
    /// Host's time per expert layer and micro-batch in seconds, both passes, in RL trainers: the GPU waits for it all.
    pub rl_expert_layer_s: f64,
    /// Host's time per dense layer and micro-batch in seconds, both passes, where Hugging Face's eager models are fine-tuned: the
    /// floor of small micro-batches.
    pub tune_layer_s: f64,
    /// Host's time for one layer with experts and micro-batch in seconds, outside of RL trainers.
    pub expert_layer_s: f64,
    /// Fixed time per optimizer step in RL trainers in seconds, beside `step_s`: clipping, metrics, handing out the
    /// mini-batch.
    pub rl_step_s: f64,
    /// Seconds in which an RL trainer hands its engine a model of one gigabyte.
    pub rl_sync_s: f64,
    /// Share of hideable communication that is in fact hidden.
    pub overlap: f64,
    /// Fixed time per optimizer step in seconds.
    pub step_s: f64,
    /// Fixed time per optimizer step of a trainer that fine-tunes in seconds, beside `step_s`: reading examples, metrics,
    /// reports.
    pub tune_step_s: f64,
}

/// What a generation engine reaches and adds, per step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct EngineEfficiency {
    /// Matrix rate of thin decoding products, over the rate of training ones.
    pub decode_matmul: f64,
    /// Bandwidth at which weights are read, over the memory's streaming rate.
    pub decode_memory: f64,
    /// Bandwidth at which keys and values are read, over the memory's streaming rate.
    pub cache_memory: f64,
    /// Bandwidth at which experts' weights are read, over the memory's streaming rate.
    pub expert_memory: f64,
    /// Bandwidth at which weights are read on Blackwell, over what the other constants give.
    pub blackwell_weights: f64,
    /// Bandwidth at which experts' weights are read on Blackwell, over what the other constants give.
    pub blackwell_experts: f64,
    /// Rows that an expert's products compute beyond the tokens it has.
    pub expert_tokens: f64,
    /// Matrix rate of prompts of a dense model, over the rate of training products.
    pub prefill: f64,
    /// Matrix rate of prompts of a model with experts, over the rate of training products.
    pub expert_prefill: f64,
    /// Fixed time per layer of a step in seconds.
    pub layer_s: f64,
    /// Fixed time per layer with experts of a step in seconds, beside `layer_s`: routing, sorting, combining.
    pub expert_layer_s: f64,
    /// Fixed time per layer with sparse attention of a step in seconds, beside `layer_s`: the indexer's products, scores and
    /// choice.
    pub sparse_layer_s: f64,
    /// Fixed time per layer of a step in seconds, beside `layer_s`, where products take 8 or 4 bits: the kernels that quantise what
    /// each multiplies.
    pub quantized_layer_s: f64,
    /// Host's time per layer of a step without CUDA graphs in seconds: the floor of a decoding step.
    pub eager_layer_s: f64,
    /// Host's time per layer with experts of a step without CUDA graphs in seconds: the floor of a decoding step.
    pub eager_expert_layer_s: f64,
    /// Fixed time per step in seconds: scheduling, sampling, detokenising.
    pub step_s: f64,
    /// Time per sequence and step in seconds, on the host: of servers.
    pub sequence_s: f64,
    /// Time per sequence and step in seconds, on the host: inside RL trainers, which call the engine without a server. Nothing reads
    /// `SGLang`'s, which is a server there, too.
    pub rl_sequence_s: f64,
    /// Fixed time per step and doubling of tensor parallelism in seconds.
    pub tensor_parallel_s: f64,
    /// Latency of an all-reduce inside a node in seconds.
    pub all_reduce_s: f64,
    /// What each doubling of the nodes adds to it in seconds.
    pub all_reduce_node_s: f64,
    /// Waking the engine where it shares the GPUs with an RL trainer, and rebuilding its cache, in seconds.
    pub wake_s: f64,
}

/// All measured constants of the estimates.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct Efficiency {
    /// Benchmarked kernels, by GPU.
    pub kernels: Cow<'static, [Kernels]>,
    /// Rates by architecture.
    pub architectures: Cow<'static, [Architecture]>,
    /// Each rate's median over the generations that have rates of their own: of a GPU whose architecture is not known.
    pub typical: Architecture,
    /// Megatron-Core.
    pub megatron: FrameworkEfficiency,
    /// Megatron before flash attention.
    pub early_megatron: FrameworkEfficiency,
    /// PyTorch FSDP.
    pub fsdp: FrameworkEfficiency,
    /// `DeepSpeed`.
    pub deepspeed: FrameworkEfficiency,
    /// Plain data parallelism.
    pub ddp: FrameworkEfficiency,
    /// vLLM since 0.12.
    pub vllm: EngineEfficiency,
    /// vLLM before 0.12.
    pub early_vllm: EngineEfficiency,
    /// `SGLang`.
    pub sglang: EngineEfficiency,
    /// TensorRT-LLM.
    pub tensorrt_llm: EngineEfficiency,
    /// GPU time of the smallest kernel in seconds.
    pub kernel_s: f64,
    /// Sequence length at which attention reaches half its rate, in tokens.
    pub attention_half_length: f64,
    /// Rate of the experts' grouped matrix products over that of one large one.
    pub grouped_matmul: f64,
    /// Load of the busiest expert rank over the mean.
    pub expert_imbalance: f64,
    /// Relative standard deviation of the experts' loads in RL, beside `expert_imbalance`: see
    /// `layer::busiest_load` of the engine.
    pub rl_expert_spread: f64,
    /// Bandwidth of all-to-all exchanges over that of the other collectives.
    pub exchange: f64,
    /// Share of the experts' exchanges that another micro-batch's computation hides, of what has room there.
    pub expert_overlap: f64,
    /// Computation of a layer with experts that CUDA graphs replay whole, over that of one that the host launches.
    pub full_graphs: f64,
    /// Megatron in 8 bits or fewer, outside of RL trainers: host's time for one layer with experts and micro-batch in seconds, both
    /// passes, that no graph replays.
    pub narrow_layer_s: f64,
    /// The same for each expert of the GPU.
    pub narrow_expert_s: f64,
    /// Passes over memory to quantise an operand, over those its bytes ask for.
    pub quantization: f64,
    /// Achieved over specified NVLink bandwidth in collectives.
    pub nvlink: f64,
    /// Achieved over specified network bandwidth in collectives.
    pub network: f64,
    /// Achieved over specified PCIe bandwidth.
    pub pcie: f64,
    /// What the NVMe drives of a node of eight GPUs read or write, in GB per second.
    pub nvme_gb_per_s: f64,
    /// Latency of a collective inside a node in seconds.
    pub nvlink_latency_s: f64,
    /// Latency of a collective between nodes in seconds, per doubling of the nodes.
    pub network_latency_s: f64,
    /// What each GPU adds to the latency of a ring through several nodes, in seconds.
    pub ring_hop_s: f64,
    /// Parameters the host's CPUs update per second and node (`DeepSpeed`'s `CPUAdam`).
    pub cpu_adam_parameters_per_s: f64,
    /// Time that a Grace CPU takes for what the GPU waits for, over that of an x86 server's.
    pub grace_host: f64,
    /// Time of RL's forward-only phases over that of their passes: entropies.
    pub rl_forward: f64,
    /// Seconds in which the trainer's driver hands one token of a padded batch to the workers, and what they make of it comes back.
    pub rl_handed_s: f64,
    /// Advantages, metrics and the driver's own work in one RL step, in seconds.
    pub driver_s: f64,
    /// What a trainer that holds no batch in a driver does for each response between the phases, in seconds.
    pub response_s: f64,
    /// Pausing a trainer whole, process groups included, and bringing it and the engine that shares its GPUs back, in seconds.
    pub paused_s: f64,
    /// What a layer of a decoding step takes on AMD's cards beside [`EngineEfficiency::layer_s`], in seconds: the gaps between the kernels
    /// of a graph that is replayed.
    pub amd_layer_s: f64,
    /// Speed of experts' products, and of reading their weights, on AMD's cards, relative to what [`EngineEfficiency`] says.
    pub amd_experts: f64,
    /// CUDA context and libraries, in GiB.
    pub context_gib: f64,
    /// Communication buffers per process group in GiB.
    pub group_buffer_gib: f64,
    /// Reserved over allocated memory, less one: the caching allocator's slack.
    pub allocator_slack: f64,
    /// Bytes per weight of the LM head that its gradient takes before it is added to the others.
    pub head_gradient: f64,
    /// Bytes that an eager norm keeps of each value beside its input and output.
    pub eager_activation: f64,
    /// Bytes that PEFT's adapters keep of each value that enters an adapted matrix.
    pub adapter_input_bytes: f64,
    /// Host's time per module of a dense layer and micro-batch in seconds, both passes, where `DeepSpeed` fetches weights module by
    /// module.
    pub zero3_module_s: f64,
}

/// The constants in use.
#[allow(clippy::approx_constant, reason = "a measured figure may happen to look like one")]
pub static EFFICIENCY: Efficiency = include!(concat!(env!("OUT_DIR"), "/efficiency.rs"));

/// Name of [`Efficiency::typical`] where a kind of run names its architecture.
pub const TYPICAL: &str = "typical";

impl Efficiency {
    /// Benchmarks of a GPU's own kernels, where there are some.
    #[must_use]
    pub fn kernels(&self, hardware: &Hardware) -> Option<&Kernels> {
        self.kernels
            .iter()
            .find(|entry| is_variant(hardware.benchmarked(), &entry.name))
    }

    /// Constants of a GPU's architecture: the entry that names it or its family of variants (`h20` covers
    /// `h20-141g`), else the one that starts its architecture, else what is typical.
    #[must_use]
    pub fn architecture(&self, hardware: &Hardware) -> &Architecture {
        self.known(hardware).unwrap_or(&self.typical)
    }

    /// Constants of the entry that names a GPU or its family of variants, else of the one that starts its architecture.
    #[must_use]
    pub fn known(&self, hardware: &Hardware) -> Option<&Architecture> {
        let named = |entry: &&Architecture| is_variant(hardware.benchmarked(), &entry.name);
        let family = |entry: &&Architecture| hardware.architecture.starts_with(entry.name.as_ref());
        let all = self.architectures.iter();
        all.clone().find(named).or_else(|| all.clone().find(family))
    }

    /// Generations of GPUs, as a question names them: in lower case.
    pub fn architecture_names(&self) -> impl Iterator<Item = String> + '_ {
        let names = self.architectures.iter().map(|entry| entry.name.as_ref());
        names.filter(|name| is_generation(name)).map(str::to_ascii_lowercase)
    }
}

/// Whether an entry is of a whole generation.
fn is_generation(name: &str) -> bool {
    Generation::of(name).is_some_and(|own| own.name == name)
}

/// Whether `gpu` is `name` or one of its variants.
fn is_variant(gpu: &str, name: &str) -> bool {
    gpu.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
