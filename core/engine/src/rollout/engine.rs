//! How long an engine takes: one step of decoding, and prompts.

use super::memory::{
    Kept, cache_bytes_per_token, dense_weight_bytes, expert_weight_bytes, state_bytes_per_sequence, weight_bytes,
};
use super::version::{Amd, MANY, is_early, is_first, sequence_s};
use crate::blocks::{Block, Mixer};
use crate::communication::{Network, Routing};
use crate::flops;
use crate::kernels::Rates;
use crate::tower::Tower;
use shardwise_catalog::efficiency::{Architecture, EngineEfficiency};
use shardwise_catalog::model::{Model, QkNorm};
use shardwise_catalog::units::Seconds;
use shardwise_question::plan::{RolloutPlan, USUAL_BATCHED_TOKENS};
use shardwise_question::wire::KvCacheDtype;

/// The architecture whose kernels engines ship apart from Hopper's.
const BLACKWELL: &str = "Blackwell";

/// Rows that a matrix product computes at least: those of the smallest tile, as in [`tile_flops`](EngineModel::tile_flops).
const TILE_ROWS: f64 = 64.0;

/// How far reading weights hides what a tile multiplies in vain: the power to which both are raised before they add up. With 1, which
/// hides nothing, H20 is a tenth too slow with one sequence and H200 a twentieth; with 2, H20 a fifth too fast. Without tiles it was 1.6 to
/// 1.9 times too fast in bf16
/// (<https://github.com/QwenLM/Qwen3/blob/7a2f61ffc7a20d47efcd2bf97f6f2bf52729042e/docs/source/getting_started/speed_benchmark.md>).
const HIDDEN: f64 = 1.5;

/// An engine ready to be timed.
pub(super) struct EngineModel<'a> {
    pub(super) model: &'a Model,
    pub(super) blocks: &'a [Block],
    pub(super) plan: &'a RolloutPlan,
    pub(super) rates: Rates,
    pub(super) network: Network,
    pub(super) constants: &'a EngineEfficiency,
    pub(super) tuned: &'a Architecture,
    pub(super) kept: Kept,
    /// Rows of decoding attention's smallest tile.
    pub(super) tile: f64,
    pub(super) tower: Option<Tower>,
    /// What is slow on AMD's cards.
    pub(super) amd: Option<Amd>,
    /// What the smallest tile of decoding's products takes beside reading their weights, once that is asked for: the same in every step.
    pub(super) thinnest: std::cell::OnceCell<Seconds>,
}

/// Where the time of one engine step goes.
#[derive(Clone, Copy, Debug)]
pub struct DecodeStep {
    /// Arithmetic of the products.
    pub products: Seconds,
    /// Reading weights.
    pub weights: Seconds,
    /// Reading keys and values, or multiplying with them where that takes longer.
    pub attention: Seconds,
    /// Reading and writing the states of recurrent blocks.
    pub states: Seconds,
    /// All-reduces of tensor parallelism.
    pub collectives: Seconds,
    /// The experts' exchanges.
    pub exchange: Seconds,
    /// Kernels' floors, scheduling, sampling.
    pub floors: Seconds,
    /// The host's launches without CUDA graphs, beside which all else runs; else nothing.
    pub launching: Seconds,
}

impl DecodeStep {
    /// All of it.
    pub fn total(&self) -> Seconds {
        let read = self.weights + self.attention + self.states;
        let busy = self.products + read + self.collectives + self.exchange + self.floors;
        busy.max(self.launching)
    }
}

/// Where the time of prompts goes.
#[derive(Clone, Copy, Debug)]
pub struct Prefill {
    /// Products.
    pub products: Seconds,
    /// Attention.
    pub attention: Seconds,
    /// All-reduces of tensor parallelism.
    pub collectives: Seconds,
    /// The experts' exchanges.
    pub exchange: Seconds,
    /// What every engine step takes beside.
    pub floors: Seconds,
    /// The vision tower, once for each image of a prompt.
    pub images: Seconds,
}

impl Prefill {
    /// This and another.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            products: self.products + other.products,
            attention: self.attention + other.attention,
            collectives: self.collectives + other.collectives,
            exchange: self.exchange + other.exchange,
            floors: self.floors + other.floors,
            images: self.images + other.images,
        }
    }

    /// All of it.
    pub fn total(&self) -> Seconds {
        self.products + self.attention + self.collectives + self.exchange + self.floors + self.images
    }
}

impl EngineModel<'_> {
    fn layers(&self) -> f64 {
        self.model.shape.num_hidden_layers as f64
    }

    /// Routed experts that at least one of `tokens` tokens of a rank visits: `E·(1 − (1 − k/E)^tokens)`, where each token chooses
    /// `k` of `E` (arXiv:1701.06538) and all are as likely. The tokens of every data-parallel rank visit the experts, which all
    /// GPUs of the engine share.
    fn touched_experts(&self, tokens: f64) -> f64 {
        let shape = &self.model.shape;
        let experts = shape.num_experts as f64;
        if experts == 0.0 {
            return 0.0;
        }
        let missed = 1.0 - shape.num_experts_per_tok as f64 / experts;
        experts * (1.0 - libm::pow(missed, tokens * f64::from(self.plan.data_parallel)))
    }

    /// Weights of the blocks, without routed experts.
    fn dense_blocks(&self) -> f64 {
        let counts = &self.model.parameters;
        let experts = counts.expert * counts.expert_layers * self.model.shape.num_experts;
        let rest = counts.embedding + counts.lm_head + counts.vision + experts;
        (counts.total as f64 - rest as f64).max(0.0)
    }

    /// Weights of the LM head: those of the embedding where the two are tied.
    fn head(&self) -> f64 {
        let counts = &self.model.parameters;
        if counts.lm_head == 0 { counts.embedding as f64 } else { counts.lm_head as f64 }
    }

    /// Unpacking a base in 4 bits, which every engine step does: vLLM's products are bitsandbytes' `matmul_4bit`, one matrix
    /// after the other (`unsloth_zoo/vllm_utils.py:369` of 2026.10.9), which multiplies what it has unpacked to 16 bits.
    fn unpacking(&self) -> Seconds {
        if self.kept == Kept::InFourBits { self.rates.unpacking(self.dense_blocks()) } else { Seconds::ZERO }
    }

    /// Weights one engine step reads on one GPU, in bytes: dense ones, and those of the experts that it `touched`.
    fn read_weights(&self, touched: f64) -> (f64, f64) {
        let counts = &self.model.parameters;
        let routed = (counts.expert * counts.expert_layers) as f64;
        let (precision, kept) = (self.plan.precision, self.kept);
        let dense = match kept {
            // The LM head alone, which has 16 bits (`BitsAndBytesConfig` leaves it out): what is unpacked is read by that.
            Kept::InFourBits => self.head() * weight_bytes(precision),
            _ => (self.dense_blocks() + self.head()) * dense_weight_bytes(self.model, precision, kept),
        };
        let expert = expert_weight_bytes(self.model, precision, kept);
        (dense / f64::from(self.plan.tensor_parallel), routed * touched * expert / f64::from(self.plan.gpus()))
    }

    /// Time in which one engine step that visits `touched` experts reads its weights.
    fn reading_weights(&self, touched: f64) -> Seconds {
        let constants = self.constants;
        let (_, experts) = self.read_weights(touched);
        let of_experts = if self.is_blackwell() { constants.blackwell_experts } else { 1.0 };
        let speed = constants.expert_memory * of_experts * self.expert_speed();
        self.reading_dense() + self.rates.stream(experts / speed) + self.unpacking()
    }

    /// The same of the weights that are no experts'.
    fn reading_dense(&self) -> Seconds {
        let of_dense = if self.is_blackwell() { self.constants.blackwell_weights } else { 1.0 };
        self.rates
            .stream(self.read_weights(0.0).0 / (self.constants.decode_memory * of_dense))
    }

    fn is_blackwell(&self) -> bool {
        self.tuned.name == BLACKWELL
    }

    /// Speed of experts, relative to what the other rates give.
    fn expert_speed(&self) -> f64 {
        self.amd.map_or(1.0, |own| own.experts)
    }

    /// Speed of generation on its cards, relative to what the other rates give.
    pub(super) fn speed(&self) -> f64 {
        self.of_its_time(self.tuned.generation)
    }

    /// A factor of the cards' generation, which is of vLLM's first engine alone: AMD's, of 2024. With it five measurements of vLLM 0.11.1
    /// (<https://www.amd.com/ja/developer/resources/rocm-hub/dev-ai/performance-results.html>) came out 2.6 to 4.6 times too slow, and 1.1
    /// to 1.4 times without; what later engines are slow in there is [`Amd`].
    fn of_its_time(&self, factor: f64) -> f64 {
        if is_first(self.plan) { factor } else { 1.0 }
    }

    /// Time of `tokens` tokens' products with what is no expert's weights, at a share of the training rates.
    fn dense_products(&self, tokens: f64, share: f64) -> Seconds {
        let counts = &self.model.parameters;
        let visited = counts.expert * counts.expert_layers * self.model.shape.num_experts_per_tok;
        let dense = (flops::matmul_weights(self.model) - visited) as f64;
        let share = share * self.of_its_time(self.tuned.generation_matmul) * f64::from(self.plan.tensor_parallel);
        Seconds::new(2.0 * tokens * dense / (self.rates.matmul.get() * share))
    }

    /// Time of `tokens` tokens' products with experts; `at_once` of them visit `touched` experts. Experts' kernels gain nothing from fp8,
    /// and pad: every expert that is visited computes `expert_tokens` rows more than it has.
    fn expert_products(&self, tokens: f64, (at_once, touched): (f64, f64), share: f64) -> Seconds {
        let (counts, shape) = (&self.model.parameters, &self.model.shape);
        let visited = (counts.expert * counts.expert_layers * shape.num_experts_per_tok) as f64;
        if visited <= 0.0 {
            return Seconds::ZERO;
        }
        let visits = at_once * f64::from(self.plan.data_parallel) * shape.num_experts_per_tok as f64;
        let slow = 1.0 + touched * self.constants.expert_tokens / visits;
        let share = share * self.of_its_time(self.tuned.generation_matmul) * self.expert_speed();
        let rate = self.rates.matmul.get() * share * f64::from(self.plan.tensor_parallel);
        Seconds::new(2.0 * tokens * visited * slow / rate)
    }

    /// Time of decoding's products with what is no expert's weights: of a whole tile at least, however few rows there are, which reading
    /// the weights hides in part. Where tensor cores are slow for the memory (H20) the tile decides.
    fn thin_products(&self, tokens: f64) -> Seconds {
        let least = *self.thinnest.get_or_init(|| {
            let (tile, read) = (self.dense_products(TILE_ROWS, 1.0).get(), self.reading_dense().get());
            let both = libm::pow(libm::pow(tile, HIDDEN) + libm::pow(read, HIDDEN), 1.0 / HIDDEN);
            Seconds::new(both - read)
        });
        self.dense_products(tokens, self.constants.decode_matmul).max(least)
    }

    /// One engine step that adds one token to each of `sequences` sequences of `length` tokens (vLLM,
    /// arXiv:2309.06180). Weights, keys and values are read once, and the states of recurrent blocks read and written; what each part
    /// takes adds up.
    pub(super) fn decode_step(&self, sequences: f64, length: f64) -> DecodeStep {
        let shape = &self.model.shape;
        let tp = f64::from(self.plan.tensor_parallel);
        let (rates, constants) = (&self.rates, self.constants);
        let touched = self.touched_experts(sequences);
        let matmul = self.thin_products(sequences)
            + self.expert_products(sequences, (sequences, touched), constants.decode_matmul);
        let weights = self.reading_weights(touched);
        let cache = self.cache_bytes();
        let heads = sequences * shape.num_attention_heads as f64 / tp;
        let many = is_first(self.plan) && heads > MANY && length > MANY;
        let cache_memory = constants.cache_memory * if many { self.tuned.generation_cache } else { 1.0 };
        let read = sequences * self.cached(length);
        let attention = rates
            .stream(read * cache / cache_memory)
            .max(Seconds::new(read * self.tile_flops() / rates.attention_forward.get()));
        let collectives = if self.plan.tensor_parallel > 1 {
            let group = self.network.group(self.plan.tensor_parallel, 1);
            self.network.reduce(2.0 * sequences * shape.hidden_size as f64, group) * (2.0 * self.layers())
                + self.network.reduce(8.0 * sequences, group) * self.shared_norms()
                + Seconds::new(constants.tensor_parallel_s * libm::log2(tp))
        } else {
            Seconds::ZERO
        };
        // CUDA graphs leave the kernels' own floors; scheduling and sampling add to every step.
        let each = if self.kept == Kept::Released { constants.sequence_s } else { sequence_s(self.plan, constants) };
        let routed = self.model.parameters.expert_layers as f64;
        let indexed = if shape.indexer_heads > 0 { self.layers() } else { 0.0 };
        let quantized = if self.quantizes() { constants.quantized_layer_s } else { 0.0 };
        let replayed = self.amd.map_or(0.0, |own| own.layer_s);
        let layers = (constants.layer_s + quantized + replayed) * self.layers()
            + constants.expert_layer_s * routed
            + constants.sparse_layer_s * indexed;
        let floors = layers + constants.step_s + each * sequences;
        DecodeStep {
            products: matmul,
            weights,
            attention,
            states: rates.stream(2.0 * sequences * self.state_bytes() / constants.cache_memory),
            collectives,
            exchange: self.expert_exchange(sequences),
            floors: Seconds::new(floors),
            launching: if self.plan.enforce_eager { self.launching() } else { Seconds::ZERO },
        }
    }

    /// Whether kernels of their own turn what products multiply into 8 or 4 bits: not where weights alone are so narrow. Experts that
    /// are published in mxfp4 multiply with 16 bits unless told otherwise (vLLM's `get_mxfp4_backend`, `SM100_FI_MXFP4_BF16`).
    fn quantizes(&self) -> bool {
        let narrow_weights = self.kept == Kept::Released && self.model.shape.mxfp4_experts;
        self.rates.quantized && !narrow_weights
    }

    /// Norms of queries and keys over all heads, of which a rank has some: each takes an all-reduce of two sums a token (vLLM's and
    /// `SGLang`'s `MiniMaxText01RMSNormTP`, `forward_qk`).
    fn shared_norms(&self) -> f64 {
        if self.model.shape.qk_norm == QkNorm::Full { self.layers() } else { 0.0 }
    }

    /// Host's time to launch every kernel of one step.
    fn launching(&self) -> Seconds {
        let routed = self.model.parameters.expert_layers as f64;
        Seconds::new(
            self.constants.eager_layer_s * (self.layers() - routed).max(0.0)
                + self.constants.eager_expert_layer_s * routed,
        )
    }

    /// Handing tokens to the experts of other data-parallel ranks and back, in every layer that has some.
    fn expert_exchange(&self, tokens: f64) -> Seconds {
        let (counts, shape) = (&self.model.parameters, &self.model.shape);
        if self.plan.data_parallel == 1 || shape.num_experts == 0 {
            return Seconds::ZERO;
        }
        let visits = shape.num_experts_per_tok as f64;
        let own = tokens / f64::from(self.plan.tensor_parallel);
        let bytes = 2.0 * own * visits * shape.hidden_size as f64;
        let group = self.network.group(self.plan.gpus(), 1);
        self.network.dispatch(bytes, Routing::of(shape), group) * (2.0 * counts.expert_layers as f64)
    }

    /// Operations of decoding attention per cached token on one GPU. The queries that share a key fill a tile of at
    /// least 64 rows, however few they are: the smallest matrix product of Hopper's tensor cores (PTX ISA, `wgmma`), and
    /// FlashAttention's block elsewhere; 128 with vLLM's first FlashAttention-3 ([`version::tile`](super::version::tile)). That, not
    /// bandwidth, decides where tensor cores are slow for the memory (H20).
    fn tile_flops(&self) -> f64 {
        let shape = &self.model.shape;
        let heads = shape.num_attention_heads as f64 / f64::from(self.plan.tensor_parallel);
        let (groups, dimensions) = if shape.is_mla() {
            let latent = shape.kv_lora_rank as f64;
            (1.0, 2.0 * latent + shape.qk_rope_head_dim as f64)
        } else {
            let keys = shape.num_key_value_heads as f64 / f64::from(self.plan.tensor_parallel);
            (keys.max(1.0), 2.0 * shape.head_dim as f64)
        };
        let rows = (heads / groups / self.tile).ceil().max(1.0) * self.tile;
        2.0 * groups * rows * dimensions * self.layers()
    }

    /// Bytes of keys and values of one token on one GPU.
    pub(super) fn cache_bytes(&self) -> f64 {
        let plan = self.plan;
        // ModelOpt's checkpoints in 8 and 4 bits say so of their cache, and today's engines heed it (vLLM 0.13's
        // `ModelOptFp8Config`, `kv_cache_quant_method`).
        let bits_of_checkpoint = self.kept == Kept::Released && !is_early(plan) && weight_bytes(plan.precision) <= 1.0;
        let dtype = if bits_of_checkpoint { KvCacheDtype::Fp8 } else { plan.kv_cache_dtype };
        cache_bytes_per_token(self.model, self.blocks, plan.tensor_parallel, dtype)
    }

    /// Bytes of the states of a sequence on one GPU.
    pub(super) fn state_bytes(&self) -> f64 {
        state_bytes_per_sequence(self.model, self.blocks, self.plan.tensor_parallel)
    }

    /// Keys read of a sequence of `length` tokens, as a share of full layers.
    pub(super) fn cached(&self, length: f64) -> f64 {
        let shape = &self.model.shape;
        let window = shape.sliding_window as f64;
        let (mut seen, mut layers) = (0.0, 0.0);
        for block in self.blocks.iter().filter(|block| block.mixer.attends()) {
            let keys = if block.mixer == Mixer::Window && window > 0.0 { length.min(window) } else { length };
            seen += keys * block.count as f64;
            layers += block.count as f64;
        }
        if layers > 0.0 { seen / layers } else { 0.0 }
    }

    /// Prompt tokens of one engine step whose budget is `budget`: what the `decoding` sequences leave of it (vLLM schedules
    /// those first, `vllm/v1/core/sched/scheduler.py`), and at least the share `prompts` that prompts have of all tokens.
    /// Without chunked prefill whole prompts of `length` tokens.
    fn prompt_tokens(&self, (budget, chunked): (f64, bool), (length, prompts, decoding): (f64, f64, f64)) -> f64 {
        let free = (budget - decoding).max(budget * prompts).max(1.0);
        if chunked { free } else { ((free / length.max(1.0)).floor() * length).max(length).max(1.0) }
    }

    /// What the engine steps that read `tokens` prompt tokens take beside: 2 ms each, and the weights that each reads anew. The
    /// latter is counted as a difference from the usual budget, with which the rate of prompts' products is fitted.
    fn prompt_steps(&self, tokens: f64, beside: (f64, f64, f64)) -> Seconds {
        let (budget, usual) = (self.plan.max_num_batched_tokens as f64, USUAL_BATCHED_TOKENS as f64);
        let own = self.prompt_tokens((budget, self.plan.chunked_prefill), beside);
        let usual = tokens / self.prompt_tokens((usual, true), beside);
        let each = self.reading_weights(self.touched_experts(own.min(tokens)));
        let more = (tokens / own - usual) * each.get() + usual * self.unpacking().get();
        Seconds::new((tokens / budget.max(1.0) * 2e-3 + more).max(0.0))
    }

    /// Matrix rate of prompts over that of training products.
    fn prompts_share(&self) -> f64 {
        if self.model.shape.num_experts > 0 { self.constants.expert_prefill } else { self.constants.prefill }
    }

    /// Processing `tokens` prompt tokens of prompts `length` long, which are the share `prompts` of all tokens, beside
    /// `decoding` sequences.
    pub(super) fn prefill(&self, tokens: f64, (length, prompts, decoding): (f64, f64, f64)) -> Prefill {
        let tp = f64::from(self.plan.tensor_parallel);
        let chunk = (self.plan.max_num_batched_tokens as f64).max(1.0);
        let at_once = chunk.min(tokens);
        let share = self.prompts_share();
        let experts = (at_once, self.touched_experts(at_once));
        let linear = self.dense_products(tokens, share) + self.expert_products(tokens, experts, share);
        let attention: f64 = self
            .blocks
            .iter()
            .map(|block| flops::attention_per_token(&self.model.shape, block.mixer, length).get() * block.count as f64)
            .sum();
        let attention = attention * tokens / tp / self.rates.attention_forward.get();
        let collectives = if self.plan.tensor_parallel > 1 {
            let group = self.network.group(self.plan.tensor_parallel, 1);
            let chunks = (tokens / chunk).max(1.0);
            let bytes = 2.0 * tokens / chunks * self.model.shape.hidden_size as f64;
            self.network.reduce(bytes, group) * (2.0 * self.layers() * chunks)
        } else {
            Seconds::ZERO
        };
        Prefill {
            products: linear,
            attention: Seconds::new(attention),
            collectives,
            exchange: self.expert_exchange(tokens),
            floors: self.prompt_steps(tokens, (length, prompts, decoding)),
            images: self.encoded(tokens / length.max(1.0)),
        }
    }

    /// Time in which the images of so many prompts pass the vision tower. vLLM splits its matrices over the engine's ranks
    /// (`mm_encoder_tp_mode` is `weights` unless told otherwise, `vllm/config/multimodal.py`), in 16 bits, and encodes an image once
    /// for all responses to its prompt, whose tokens the prefix cache has.
    fn encoded(&self, prompts: f64) -> Seconds {
        let Some(tower) = &self.tower else {
            return Seconds::ZERO;
        };
        let own = tower.engine_parts();
        let tp = f64::from(self.plan.tensor_parallel);
        let half = self.rates.half.get() * self.constants.prefill * self.of_its_time(self.tuned.generation_matmul);
        let products = own.products.get() / (half * tp);
        let attention = own.attention.get() / (tp * self.rates.attention_forward.get());
        let mut one = Seconds::new(products + attention);
        if self.plan.tensor_parallel > 1 {
            let group = self.network.group(self.plan.tensor_parallel, 1);
            one += self.network.reduce(own.reduced.get(), group) * own.reduces;
        }
        one * (prompts * tower.images())
    }
}
