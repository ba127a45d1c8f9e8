//! One block of the model on one GPU: time of its passes, bytes it keeps.

mod recurrent;
mod traffic;

use crate::blocks::{Block, Mixer, Mlp};
use crate::communication::Network;
use crate::flops;
use crate::kernels::Rates;
use shardwise_catalog::model::Shape;
use shardwise_catalog::units::Seconds;
use shardwise_question::plan::{Layout, Modules, Recompute};
use shardwise_question::wire::{Attention, Backend, RecomputeModule};

/// Share of the matrix rate that batched products of attention scores reach: their matrices are as narrow as a head. Assumed;
/// what is fitted for Megatron-DeepSpeed, whose runs alone attend so, rests on it (`early_megatron` in `efficiency.toml`).
const BATCHED_PRODUCTS: f64 = 0.6;

/// Times that the hidden state is read or written per norm with its residual: four where one kernel does both, five where two
/// do. Assumed to lie between; the fitted `elementwise` scales it for each framework.
const STREAMS_PER_NORM: f64 = 4.5;

/// What one forward pass of one GPU holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// Tokens on this GPU, after sequences were split.
    pub tokens: f64,
    /// Length that attention sees: Σ length² / Σ length over the batch.
    pub attention_length: f64,
    /// Sequences that the tokens are of, whoever holds their other parts: as many have images.
    pub sequences: f64,
}

/// Time of one block's passes over one micro-batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockTime {
    /// Forward computation.
    pub forward: Seconds,
    /// Backward computation, without recomputation.
    pub backward: Seconds,
    /// Of it the weights' gradients.
    pub weight: Seconds,
    /// Computation done again in the backward pass.
    pub recompute: Seconds,
    /// Tensor-parallel collectives of the forward pass.
    pub tensor_forward: Seconds,
    /// And of the backward pass, recomputation included.
    pub tensor_backward: Seconds,
    /// Context-parallel and Ulysses exchanges that nothing hides, both passes.
    pub context: Seconds,
    /// What of the context-parallel ring attention hides in the forward pass: no other traffic has room there.
    pub ring_forward: Seconds,
    /// What of the context-parallel ring attention hides in the backward pass, recomputation included.
    pub ring_backward: Seconds,
    /// Expert all-to-all, both passes, recomputation included.
    pub expert: Seconds,
    /// Kernels launched by the forward pass.
    pub kernels: f64,
    /// Of them those that no backward pass follows.
    pub forward_only: f64,
    /// What the GPU waits for the host in the forward pass, beside the kernels' launches.
    pub wait_forward: Seconds,
    /// What the GPU waits for the host in the backward pass, beside the kernels' launches.
    pub wait_backward: Seconds,
    /// Host's time that the forward pass takes at least: the GPU's work hides it.
    pub floor_forward: Seconds,
    /// Host's time that the backward pass takes at least: the GPU's work hides it.
    pub floor_backward: Seconds,
}

impl BlockTime {
    /// Adds another, `times` over.
    pub(crate) fn add(&mut self, one: &Self, times: f64) {
        self.forward += one.forward * times;
        self.backward += one.backward * times;
        self.weight += one.weight * times;
        self.recompute += one.recompute * times;
        self.tensor_forward += one.tensor_forward * times;
        self.tensor_backward += one.tensor_backward * times;
        self.context += one.context * times;
        self.ring_forward += one.ring_forward * times;
        self.ring_backward += one.ring_backward * times;
        self.expert += one.expert * times;
        self.kernels += one.kernels * times;
        self.forward_only += one.forward_only * times;
        self.wait_forward += one.wait_forward * times;
        self.wait_backward += one.wait_backward * times;
        self.floor_forward += one.floor_forward * times;
        self.floor_backward += one.floor_backward * times;
    }
}

/// Everything a block's time depends on beside the block itself.
#[derive(Clone, Copy, Debug)]
pub struct BlockContext<'a> {
    /// Architecture.
    pub shape: &'a Shape,
    /// Layout.
    pub layout: &'a Layout,
    /// Rates of one GPU.
    pub rates: &'a Rates,
    /// Its links.
    pub network: &'a Network,
    /// Memory-bound passes relative to fused kernels.
    pub elementwise: f64,
    /// Passes to quantise an operand, relative to Megatron's kernels.
    pub quantization: f64,
    /// Load of the busiest expert rank over the mean.
    pub expert_imbalance: f64,
    /// Speed of the layout's attention kernel over that of the one that the rates are of.
    pub kernel_speed: f64,
    /// Whether every GPU of a tensor-parallel group, and of a context-parallel one, computes Gated `DeltaNet` whole.
    pub repeats_delta_net: bool,
    /// Whether weights receive gradients (not so for adapters over a frozen base).
    pub weight_gradients: bool,
    /// Whether the MLP trains, its adapters at least.
    pub mlp_trains: bool,
    /// Whether an RL trainer runs it.
    pub in_rl: bool,
}

/// Load of the busiest of `ranks` that share `experts` over the mean load, where the experts' loads have the relative
/// standard deviation `spread`: `1 + spread · sqrt(ranks / experts) · sqrt(2 ln ranks)`.
///
/// A rank's load is the mean of `experts / ranks` experts', so that it deviates by `spread · sqrt(ranks / experts)`; the
/// largest of n normal deviates is about `sqrt(2 ln n)` (Boucheron, Lugosi and Massart 2013, Concentration Inequalities,
/// section 2.5). Loads are taken to be independent, and the same in every micro-batch.
///
/// ```
/// use shardwise_core::layer::busiest_load;
/// let load = |ranks| format!("{:.2}", busiest_load(1.0, 128.0, ranks));
/// assert_eq!([load(1.0), load(8.0), load(16.0)], ["1.00", "1.51", "1.83"]);
/// ```
#[must_use]
pub fn busiest_load(spread: f64, experts: f64, ranks: f64) -> f64 {
    1.0 + spread * (2.0 * libm::log(ranks.max(1.0)) * ranks / experts.max(1.0)).sqrt()
}

/// A part of a block: its forward and backward time and kernels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) forward: Seconds,
    pub(crate) backward: Seconds,
    /// Of it the weights' gradients.
    weight: Seconds,
    kernels: f64,
}

/// The parts of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces {
    /// Projections to and from attention's heads, or a recurrent layer.
    pub(crate) mixer: Part,
    /// Scores and weighted sums.
    pub(crate) core: Part,
    /// MLP or experts.
    pub(crate) mlp: Part,
    /// Norms, residuals, rotary positions.
    pub(crate) norms: Part,
}

impl Part {
    fn join(self, other: Self) -> Self {
        Self {
            forward: self.forward + other.forward,
            backward: self.backward + other.backward,
            weight: self.weight + other.weight,
            kernels: self.kernels + other.kernels,
        }
    }
}

impl BlockContext<'_> {
    pub(crate) fn tp(&self) -> f64 {
        f64::from(self.layout.tensor_parallel)
    }

    /// A product in both passes: the backward pass multiplies twice, for the input's and the weight's gradient.
    fn product(&self, m: f64, n: f64, k: f64) -> Part {
        let rates = self.rates;
        // Input and output gradient are quantised once each, for the product and for the weight gradient.
        let forward = rates.product(m, n, k) + self.quantization(m * k);
        let backward = rates.product(m, k, n) + self.quantization(m * n);
        let weight =
            if self.weight_gradients { rates.product(k, n, m) + self.accumulation(n * k) } else { Seconds::ZERO };
        Part { forward, backward: backward + weight, weight, kernels: if rates.quantized { 3.0 } else { 1.0 } }
    }

    /// Quantising one operand: the weight gradient reads a copy of its own.
    fn quantization(&self, elements: f64) -> Seconds {
        let copies = if self.weight_gradients { 2.0 } else { 1.0 };
        self.rates.quantization(elements, copies) * self.quantization
    }

    /// What adding the gradients of `weights` to those of the micro-batches before takes beside one write of them in
    /// bf16, which their product counts: Megatron reads and writes its gradient buffer for every micro-batch
    /// (`gradient_accumulation_fusion`). The others reduce each micro-batch's gradients and pay for that.
    fn accumulation(&self, weights: f64) -> Seconds {
        if self.layout.backend != Backend::Megatron {
            return Seconds::ZERO;
        }
        let bytes = 2.0 * self.layout.gradient_bytes - 2.0;
        self.rates.stream(weights * bytes.max(0.0))
    }

    /// A memory-bound step that moves `bytes` forward and twice that backward.
    fn stream(&self, bytes: f64, kernels: f64) -> Part {
        let forward = self.rates.stream(bytes * self.elementwise) + self.rates.kernel * (kernels * 0.5);
        Part { forward, backward: forward * 2.0, kernels, ..Part::default() }
    }

    fn projections(&self, tokens: f64) -> Part {
        let shape = self.shape;
        let (h, heads) = (shape.hidden_size as f64, shape.num_attention_heads as f64);
        if shape.is_mla() {
            let query = heads * shape.query_head_dim() as f64 / self.tp();
            let rank = shape.kv_lora_rank as f64;
            let up = heads * (shape.qk_nope_head_dim + shape.v_head_dim) as f64 / self.tp();
            let queries = if shape.q_lora_rank > 0 {
                let q_rank = shape.q_lora_rank as f64;
                self.product(tokens, q_rank, h).join(self.product(tokens, query, q_rank))
            } else {
                self.product(tokens, query, h)
            };
            let values = heads * shape.v_head_dim as f64 / self.tp();
            let gate = if shape.attn_output_gate { self.product(tokens, values, h) } else { Part::default() };
            return queries
                .join(gate)
                .join(self.product(tokens, rank + shape.qk_rope_head_dim as f64, h))
                .join(self.product(tokens, up, rank))
                .join(self.product(tokens, h, values));
        }
        let d = shape.head_dim as f64;
        let kv = (shape.num_key_value_heads as f64 / self.tp()).max(1.0) * d;
        let gate = if shape.attn_output_gate { 2.0 } else { 1.0 };
        let query = heads * d / self.tp();
        self.product(tokens, query * gate + 2.0 * kv, h)
            .join(self.product(tokens, h, query))
    }

    /// Scores and weighted sums.
    fn core_attention(&self, mixer: Mixer, slice: Slice) -> Part {
        let shape = self.shape;
        let work = flops::attention_per_token(shape, mixer, slice.attention_length) * (slice.tokens / self.tp());
        let head_dim = (shape.query_head_dim() + shape.value_head_dim()) as f64 / 2.0;
        let keys = 2.0 * flops::block_keys(shape, mixer, slice.attention_length);
        match self.layout.attention {
            Attention::Flash => {
                let work = work / self.kernel_speed;
                Part {
                    forward: self.rates.attention_forward(work, keys, head_dim),
                    backward: self.rates.attention_backward(work, keys, head_dim),
                    kernels: 1.0,
                    ..Part::default()
                }
            }
            // Scores are full squares, computed as batched products, masked, and written several times.
            Attention::Unfused => {
                let scores = slice.tokens * slice.attention_length * shape.num_attention_heads as f64 / self.tp();
                let products = work * 2.0 / self.rates.half / BATCHED_PRODUCTS;
                let softmax = self.rates.stream(scores * 2.0 * 4.0);
                Part {
                    forward: products + softmax,
                    backward: products * 2.0 + softmax * 1.5,
                    kernels: 5.0,
                    ..Part::default()
                }
            }
        }
    }

    fn dense_mlp(&self, tokens: f64, width: f64) -> Part {
        let h = self.shape.hidden_size as f64;
        let width = width / self.tp();
        let matrices = if self.shape.gated_mlp { 2.0 } else { 1.0 };
        self.product(tokens, matrices * width, h)
            .join(self.activation(tokens, width))
            .join(self.product(tokens, h, width))
    }

    fn activation(&self, tokens: f64, width: f64) -> Part {
        self.stream(2.0 * tokens * width * if self.shape.gated_mlp { 3.0 } else { 2.0 }, 1.0)
    }

    /// Tokens the experts of one GPU see, and how many experts they are spread over.
    pub(crate) fn expert_load(&self, tokens: f64) -> (f64, f64) {
        let layout = self.layout;
        let (ep, etp) = (f64::from(layout.expert_parallel), f64::from(layout.expert_tensor_parallel));
        let visits = tokens * self.shape.num_experts_per_tok as f64 * etp / self.tp();
        (visits * self.expert_imbalance_factor(), self.shape.num_experts as f64 / ep)
    }

    fn expert_imbalance_factor(&self) -> f64 {
        if self.layout.expert_parallel > 1 { self.expert_imbalance } else { 1.0 }
    }

    /// Width of what experts are handed: where they work in a space of their own, tokens are brought there before they are sent.
    pub(crate) fn routed_width(&self) -> f64 {
        let shape = self.shape;
        (if shape.moe_latent_size > 0 { shape.moe_latent_size } else { shape.hidden_size }) as f64
    }

    fn experts(&self, tokens: f64) -> Part {
        let shape = self.shape;
        let h = self.routed_width();
        let width = shape.moe_intermediate_size as f64 / f64::from(self.layout.expert_tensor_parallel);
        let (visits, experts) = self.expert_load(tokens);
        let m = (visits / experts).max(1.0);
        let matrices = if shape.gated_mlp { 2.0 } else { 1.0 };
        let grouped = |n: f64, k: f64| {
            let rates = self.rates;
            let forward = rates.grouped_product(experts, m, n, k) + self.quantization(experts * m * k);
            let backward = rates.grouped_product(experts, m, k, n) + self.quantization(experts * m * n);
            let weight = if self.weight_gradients {
                rates.grouped_product(experts, k, n, m) + self.accumulation(experts * n * k)
            } else {
                Seconds::ZERO
            };
            Part { forward, backward: backward + weight, weight, kernels: 2.0 }
        };
        let local = tokens / self.tp();
        // Router scores, top-k, and the copies of each token to and from its experts.
        let route = self.product(local, (shape.num_experts + shape.zero_experts) as f64, shape.hidden_size as f64);
        let permute = self.stream(2.0 * visits * h * 4.0 + 4.0 * local * shape.num_experts as f64 * 3.0, 12.0);
        let mut part = grouped(matrices * width, h)
            .join(self.stream(2.0 * visits * width * if shape.gated_mlp { 3.0 } else { 2.0 }, 1.0))
            .join(grouped(h, width))
            .join(route)
            .join(permute);
        if shape.moe_latent_size > 0 {
            part = part.join(self.product(local, h, shape.hidden_size as f64)).join(self.product(
                local,
                shape.hidden_size as f64,
                h,
            ));
        }
        part.join(self.shared_experts(tokens))
    }

    /// The experts that every token visits.
    fn shared_experts(&self, tokens: f64) -> Part {
        match self.shape.shared_expert_intermediate_size {
            0 => Part::default(),
            width => self.dense_mlp(tokens, width as f64),
        }
    }

    /// Norms, residuals, rotary positions.
    fn norms(&self, tokens: f64, with_attention: bool) -> Part {
        let shape = self.shape;
        let split = if self.layout.sequence_parallel { self.tp() } else { 1.0 };
        let residual =
            2.0 * tokens * shape.hidden_size as f64 * STREAMS_PER_NORM * shape.norms_per_layer as f64 / split;
        let heads = shape.num_attention_heads + shape.num_key_value_heads;
        let rotary =
            if with_attention { 4.0 * tokens * (heads * shape.query_head_dim()) as f64 / self.tp() } else { 0.0 };
        self.stream(residual + rotary, 6.0)
    }

    /// What `block` is made of.
    pub(crate) fn pieces(&self, block: Block, slice: Slice) -> Pieces {
        let tokens = slice.tokens;
        let attends = block.mixer.attends();
        Pieces {
            mixer: match block.mixer {
                Mixer::Attention | Mixer::Window => self.projections(tokens),
                Mixer::DeltaNet | Mixer::Mamba => self.recurrent(block.mixer, tokens),
                Mixer::None => Part::default(),
            },
            core: if attends { self.core_attention(block.mixer, slice) } else { Part::default() },
            mlp: match block.mlp {
                Mlp::None => Part::default(),
                Mlp::Experts => self.experts(tokens),
                Mlp::Dense => self.dense_mlp(tokens, self.shape.intermediate_size as f64),
            },
            norms: self.norms(tokens, attends),
        }
    }

    /// Time of `block` over one micro-batch. What is recomputed, and what stays: Korthikanti et al. 2022 (arXiv:2205.05198), sections
    /// 4 and 5.
    #[must_use]
    pub fn time(&self, block: Block, slice: Slice) -> BlockTime {
        let shape = self.shape;
        let tokens = slice.tokens;
        let Pieces { mixer, core, mlp, norms } = self.pieces(block, slice);
        let whole = mixer.join(core).join(mlp).join(norms);
        let mut time = BlockTime {
            forward: whole.forward,
            backward: whole.backward,
            weight: whole.weight,
            kernels: whole.kernels,
            ..BlockTime::default()
        };
        time.recompute = match self.layout.recompute {
            Recompute::None => Seconds::ZERO,
            Recompute::Full => whole.forward,
            // Per operator, every other product runs again, and experts' all of them (see `kept_bytes`).
            Recompute::Selective(Modules::CORE_ATTN) if self.layout.backend != Backend::Megatron => {
                let routed =
                    if block.has_experts() { mlp.forward - self.shared_experts(tokens).forward } else { Seconds::ZERO };
                (whole.forward - core.forward - routed) * flops::EVERY_OTHER + routed
            }
            Recompute::Selective(modules) => {
                let mut again = Seconds::ZERO;
                if modules.contains(RecomputeModule::CoreAttn) {
                    again += core.forward;
                }
                if modules.contains(RecomputeModule::Mlp) && !block.has_experts() {
                    again += mlp.forward;
                }
                if modules.contains(RecomputeModule::Moe) && block.has_experts() {
                    again += mlp.forward;
                }
                if modules.contains(RecomputeModule::MoeAct) && block.has_experts() {
                    again += self
                        .activation(self.expert_load(tokens).0, shape.moe_intermediate_size as f64)
                        .forward;
                }
                let shared = shape.shared_expert_intermediate_size as f64;
                let moe = modules.contains(RecomputeModule::Moe);
                if modules.contains(RecomputeModule::SharedExperts) && block.has_experts() && !moe && shared > 0.0 {
                    again += self.dense_mlp(tokens, shared).forward;
                }
                if modules.contains(RecomputeModule::Layernorm) {
                    again += norms.forward * 0.5;
                }
                if modules.contains(RecomputeModule::MlaUpProj) && shape.is_mla() {
                    again += self.projections(tokens).forward * 0.5;
                }
                again
            }
        };
        self.communicate(block, slice, core, &mut time);
        time
    }
}
