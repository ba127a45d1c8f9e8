//! Generation: how long the engine takes for a batch of requests, and what it holds.

use crate::communication::Network;
use crate::context::Context;
use crate::efficiency::{Architecture, Efficiency, Engine};
use crate::flops::{self, Block};
use crate::hardware::Hardware;
use crate::kernels::Rates;
use crate::model::Model;
use crate::plan::RolloutPlan;
use crate::units::{Bytes, Seconds};
use crate::wire::Precision;

/// The requests of one generation phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requests {
    /// Requests over all engines.
    pub count: f64,
    /// Mean prompt length in tokens.
    pub prompt: f64,
    /// Responses that share each prompt, and so its keys and values.
    pub shared: f64,
    /// Mean response length in tokens.
    pub response: f64,
    /// Standard deviation of the response lengths over their mean.
    pub cv: f64,
    /// Longest response in tokens.
    pub longest: f64,
}

/// One generation phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Generation {
    /// Prompts.
    pub prefill: Seconds,
    /// Responses.
    pub decode: Seconds,
    /// Weights of one GPU.
    pub weights: Bytes,
    /// Keys and values of one GPU: the cache's capacity.
    pub cache: Bytes,
    /// Tokens that the cache of one engine holds.
    pub cache_tokens: f64,
    /// Sequences decoded together at most, per engine.
    pub concurrency: f64,
}

/// Memory the engine needs beside weights and cache: activations of `max_num_batched_tokens`, CUDA graphs.
pub const ENGINE_GIB: f64 = 2.0;

/// Heads in flight, and tokens of context, beyond which vLLM's paged attention of 2024 split a sequence no further
/// (`vllm/attention/ops/paged_attn.py`, `use_v1`): a kernel that is slow on AMD's cards.
pub const MANY: f64 = 512.0;

/// Bytes of keys and values of one token in all layers, on one GPU of a tensor-parallel engine.
#[must_use]
pub fn cache_bytes_per_token(model: &Model, blocks: &[Block], tensor_parallel: u32) -> f64 {
    let shape = &model.shape;
    let layers: u64 = blocks
        .iter()
        .filter(|block| matches!(block.kind, b'A' | b'S' | b'*'))
        .map(|block| block.count)
        .sum();
    let width = if shape.is_mla() {
        // The latent is not split: every GPU of the engine holds it (vLLM's MLA attention).
        (shape.kv_lora_rank + shape.qk_rope_head_dim) as f64
    } else {
        (2 * shape.head_dim) as f64
            * (shape.num_key_value_heads as f64 / f64::from(tensor_parallel)).max(1.0)
    };
    2.0 * width * layers as f64
}

fn weight_bytes(precision: Precision) -> f64 {
    match precision {
        Precision::Bf16 | Precision::Fp16 => 2.0,
        Precision::Fp8 | Precision::Mxfp8 => 1.0,
        Precision::Nvfp4 => 0.56,
    }
}

/// Bytes of an expert's weight: mxfp4 (4 bits and a scale of 8 per 32, OCP Microscaling Formats 1.0) where the model
/// is `released` so, else as the other weights.
fn expert_weight_bytes(model: &Model, precision: Precision, released: bool) -> f64 {
    if released && model.shape.mxfp4_experts {
        weight_bytes(precision).min(0.53125)
    } else {
        weight_bytes(precision)
    }
}

/// Weights of one GPU of the engine, which serves the model as `released` or as it is trained.
#[must_use]
pub fn engine_weights(model: &Model, plan: &RolloutPlan, released: bool) -> Bytes {
    let counts = &model.parameters;
    let outer = (counts.embedding + counts.lm_head) as f64;
    let experts = (counts.expert * counts.expert_layers * model.shape.num_experts) as f64;
    let inner = counts.total as f64 - outer - experts;
    let bytes = inner * weight_bytes(plan.precision)
        + experts * expert_weight_bytes(model, plan.precision, released)
        + outer * 2.0;
    Bytes::new(bytes / f64::from(plan.tensor_parallel))
}

/// An engine ready to be timed.
struct EngineModel<'a> {
    model: &'a Model,
    blocks: &'a [Block],
    plan: &'a RolloutPlan,
    rates: Rates,
    network: Network,
    constants: &'a Engine,
    tuned: &'a Architecture,
    released: bool,
}

impl EngineModel<'_> {
    fn layers(&self) -> f64 {
        self.model.shape.num_hidden_layers as f64
    }

    /// Routed experts that at least one of `tokens` tokens visits: `E·(1 − (1 − k/E)^tokens)`.
    fn touched_experts(&self, tokens: f64) -> f64 {
        let shape = &self.model.shape;
        let experts = shape.num_experts as f64;
        if experts == 0.0 {
            return 0.0;
        }
        let missed = 1.0 - shape.num_experts_per_tok as f64 / experts;
        experts * (1.0 - libm::pow(missed, tokens))
    }

    /// Weights one engine step reads on one GPU, in bytes: dense ones, and those of experts.
    fn read_weights(&self, tokens: f64) -> (f64, f64) {
        let counts = &self.model.parameters;
        let routed = (counts.expert * counts.expert_layers) as f64;
        let all = routed * self.model.shape.num_experts as f64;
        // A tied head is read as the head.
        let head = if counts.lm_head == 0 {
            counts.embedding as f64
        } else {
            0.0
        };
        let dense =
            counts.total as f64 - counts.embedding as f64 - counts.vision as f64 - all + head;
        let split = f64::from(self.plan.tensor_parallel);
        let (precision, released) = (self.plan.precision, self.released);
        let expert = expert_weight_bytes(self.model, precision, released);
        (
            dense.max(0.0) * weight_bytes(precision) / split,
            routed * self.touched_experts(tokens) * expert / split,
        )
    }

    /// Time of `tokens` tokens' products at a share of the training rates. Experts' kernels gain nothing from fp8, and
    /// need many tokens for each expert: `m/(m + half)` of their rate with `m`.
    fn products(&self, tokens: f64, at_once: f64, share: f64) -> Seconds {
        let (counts, shape) = (&self.model.parameters, &self.model.shape);
        let visited = (counts.expert * counts.expert_layers * shape.num_experts_per_tok) as f64;
        let dense = flops::matmul_weights(self.model) as f64 - visited;
        let share = share * self.tuned.generation_matmul * f64::from(self.plan.tensor_parallel);
        let mut time = Seconds::new(2.0 * tokens * dense / (self.rates.matmul.get() * share));
        if visited > 0.0 {
            let each = at_once * shape.num_experts_per_tok as f64 / shape.num_experts as f64;
            let slow = (each + self.constants.expert_tokens) / each;
            time += Seconds::new(2.0 * tokens * visited * slow / (self.rates.half.get() * share));
        }
        time
    }

    /// One engine step that adds one token to each of `sequences` sequences of `length` tokens.
    fn decode_step(&self, sequences: f64, length: f64) -> Seconds {
        let shape = &self.model.shape;
        let tp = f64::from(self.plan.tensor_parallel);
        let (rates, constants) = (&self.rates, self.constants);
        let matmul = self.products(sequences, sequences, constants.decode_matmul);
        let (dense, experts) = self.read_weights(sequences);
        let weights = rates.stream(dense / constants.decode_memory)
            + rates.stream(experts / constants.expert_memory);
        let cache = cache_bytes_per_token(self.model, self.blocks, self.plan.tensor_parallel);
        let heads = sequences * shape.num_attention_heads as f64 / tp;
        let many = heads > MANY && length > MANY;
        let cache_memory = constants.cache_memory
            * if many {
                self.tuned.generation_cache
            } else {
                1.0
            };
        let attention = rates.stream(sequences * self.cached(length) * cache / cache_memory);
        let collectives = if self.plan.tensor_parallel > 1 {
            let group = self.network.group(self.plan.tensor_parallel, 1);
            self.network
                .reduce(2.0 * sequences * shape.hidden_size as f64, group)
                * (2.0 * self.layers())
                + Seconds::new(constants.tensor_parallel_s * libm::log2(tp))
        } else {
            Seconds::ZERO
        };
        // CUDA graphs leave the kernels' own floors; scheduling and sampling add to every step.
        let each = if self.released {
            constants.sequence_s
        } else {
            // The driver hands every worker its inputs.
            constants.rl_sequence_s * (1.0 + libm::log2(tp))
        };
        let floors = constants.layer_s * self.layers() + constants.step_s + each * sequences;
        let busy = matmul + weights + attention + collectives + Seconds::new(floors);
        if self.plan.enforce_eager {
            busy.max(Seconds::new(constants.eager_layer_s * self.layers()))
        } else {
            busy
        }
    }

    /// Keys read of a sequence of `length` tokens, as a share of full layers.
    fn cached(&self, length: f64) -> f64 {
        let shape = &self.model.shape;
        let window = shape.sliding_window as f64;
        let (mut seen, mut layers) = (0.0, 0.0);
        for block in self
            .blocks
            .iter()
            .filter(|block| matches!(block.kind, b'A' | b'S' | b'*'))
        {
            let keys = if block.kind == b'S' && window > 0.0 {
                length.min(window)
            } else {
                length
            };
            seen += keys * block.count as f64;
            layers += block.count as f64;
        }
        if layers > 0.0 { seen / layers } else { 0.0 }
    }

    /// Processing `tokens` prompt tokens of prompts `length` long.
    fn prefill(&self, tokens: f64, length: f64) -> Seconds {
        let tp = f64::from(self.plan.tensor_parallel);
        let chunk = (self.plan.max_num_batched_tokens as f64).max(1.0);
        let linear = self.products(tokens, chunk.min(tokens), self.constants.prefill);
        let attention: f64 = self
            .blocks
            .iter()
            .map(|block| {
                flops::attention_per_token(&self.model.shape, block.kind, length).get()
                    * block.count as f64
            })
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
        linear + Seconds::new(attention) + collectives + Seconds::new(tokens / chunk * 2e-3)
    }
}

/// Standard normal quantiles at the middles of shares of the requests, and those shares: finer
/// towards the longest, which decide when a batch ends.
const SHARES: [(f64, f64); 17] = [
    (-1.6449, 0.1),
    (-1.0364, 0.1),
    (-0.6745, 0.1),
    (-0.3853, 0.1),
    (-0.1257, 0.1),
    (0.1257, 0.1),
    (0.3853, 0.1),
    (0.6745, 0.1),
    (0.9346, 0.05),
    (1.1503, 0.05),
    (1.3408, 0.02),
    (1.4758, 0.02),
    (1.6449, 0.02),
    (1.8808, 0.02),
    (2.1701, 0.01),
    (2.5758, 0.007),
    (3.0902, 0.003),
];

/// Response lengths of [`SHARES`]: log-normal, cut at the longest, the mean kept.
fn response_lengths(requests: &Requests) -> [f64; SHARES.len()] {
    if requests.cv <= 0.0 {
        return [requests.response; SHARES.len()];
    }
    let sigma = libm::log(1.0 + requests.cv * requests.cv).sqrt();
    let shape = SHARES.map(|(z, _)| libm::exp(sigma * z));
    let target = requests.response.min(requests.longest);
    // Cutting lowers the mean: scale until it holds.
    let mut scale = target;
    for _ in 0..12 {
        let mean: f64 = shape
            .iter()
            .zip(SHARES)
            .map(|(length, (_, share))| (length * scale).min(requests.longest) * share)
            .sum();
        scale *= (target / mean).min(4.0);
    }
    let mut lengths = shape.map(|length| (length * scale).clamp(1.0, requests.longest));
    // Some never find an end and run to the limit (`response_length/clip_ratio` in veRL's logs): the longest share does.
    if requests.longest < f64::MAX {
        lengths[SHARES.len() - 1] = requests.longest;
    }
    lengths
}

/// Time and memory of generating `requests` on `gpus` GPUs.
///
/// While requests wait, every slot is taken: the engine runs full steps. When the last request
/// has been admitted the batch shrinks as responses end, and the longest decides.
#[must_use]
pub fn generate(
    context: &Context<'_>,
    plan: &RolloutPlan,
    gpus: u32,
    requests: &Requests,
) -> Generation {
    let job = context.job;
    let efficiency: &Efficiency = context.efficiency;
    let hardware: &Hardware = &job.hardware;
    let engine = EngineModel {
        model: &job.model,
        blocks: &context.blocks,
        plan,
        rates: Rates::of(hardware, plan.precision, efficiency),
        network: context.network,
        constants: &efficiency.engine,
        tuned: efficiency.architecture(hardware),
        released: job.workload.rl.is_none(),
    };
    let engines = f64::from((gpus / plan.gpus()).max(1)) * f64::from(plan.data_parallel);
    let per_engine = (requests.count / engines).max(1.0);
    let weights = engine_weights(&job.model, plan, engine.released);
    let budget =
        Bytes::from_gib((hardware.memory_gib * plan.gpu_memory_utilization - ENGINE_GIB).max(0.0));
    let cache = budget.beyond(weights);
    let per_token =
        cache_bytes_per_token(&job.model, &context.blocks, plan.tensor_parallel).max(1.0);
    let cache_tokens = cache.get() / per_token;
    // A prompt's responses share its keys and values (prefix caching; both engines' default).
    let held = requests.prompt / requests.shared.max(1.0) + requests.response * 0.6;
    let room = (cache_tokens / held).max(1.0);
    let concurrency = (plan.max_num_seqs as f64)
        .min(room)
        .min(per_engine)
        .max(1.0);

    let prompts = per_engine * requests.prompt / requests.shared.max(1.0);
    let prefill = engine.prefill(prompts, requests.prompt);
    let lengths = response_lengths(requests);
    let mean = requests.response.min(requests.longest);
    let middle = requests.prompt + mean * 0.5;
    // Full steps for what does not fit the last batch.
    let waves = per_engine / concurrency - 1.0;
    let mut decode = engine.decode_step(concurrency, middle) * (waves.max(0.0) * mean);
    // The last batch: its shares end one after another, and the longest decides.
    let (mut done, mut left) = (0.0, 1.0);
    for (length, (_, share)) in lengths.iter().zip(SHARES) {
        if *length > done {
            let now = requests.prompt + (done + length) * 0.5;
            decode += engine.decode_step((concurrency * left).max(1.0), now) * (length - done);
            done = *length;
        }
        left -= share;
        // Fewer requests than a share holds one of: nobody is that long.
        if left * per_engine < 0.5 {
            break;
        }
    }
    let speed = engine.tuned.generation;
    let (prefill, decode) = (prefill / speed, decode / speed);
    Generation {
        prefill,
        decode,
        weights,
        cache,
        cache_tokens,
        concurrency,
    }
}
