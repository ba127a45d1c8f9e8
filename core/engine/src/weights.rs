//! Weights, gradients and optimizer states of one GPU.

use std::ops::Range;

use crate::blocks::{Block, Mixer, Mlp};
use crate::context::{Head, Role};
use shardwise_catalog::units::Bytes;
use shardwise_question::adapters::ExpertAdapters;
use shardwise_question::complete::folds;
use shardwise_question::plan::Layout;
use shardwise_question::wire::Backend;

/// Weights one GPU computes with, by how they are replicated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankWeights {
    /// Weights replicated over data- and context-parallel ranks.
    pub dense: f64,
    /// Routed experts, replicated over fewer ranks.
    pub experts: f64,
    /// The largest block: what ZeRO-3 and FSDP gather at once.
    pub largest_block: f64,
    /// Embedding and LM head: what FSDP's root unit gathers.
    pub outer: f64,
    /// The LM head alone, tied or not.
    pub head: f64,
    /// Of the dense ones those of a vision tower that do not train.
    pub frozen: f64,
}

impl RankWeights {
    /// Those that train.
    #[must_use]
    pub fn trained(&self) -> Self {
        Self { dense: self.dense - self.frozen, ..*self }
    }
}

/// Which pipeline stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The first: embedding, most micro-batches in flight.
    First,
    /// The second, where it is not the last: without embedding or head.
    Second,
    /// The last: LM head and loss, but in a fold.
    Last,
}

impl Stage {
    /// Whether it has the LM head and the loss: where chunks go down the stages and up again, the first one does.
    #[must_use]
    pub fn has_head(self, layout: &Layout) -> bool {
        layout.pipeline_parallel == 1 || self == if folds(layout) { Self::First } else { Self::Last }
    }

    /// Stages before it.
    pub(crate) fn place(self, layout: &Layout) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
            Self::Last => layout.pipeline_parallel.saturating_sub(1) as usize,
        }
    }
}

/// Layers of a stage, by chunks: of a fold's first stage the model's first and last ones. Every chunk but the model's last
/// holds as many, rounded up.
fn layers_of(layers: usize, layout: &Layout, stage: Stage) -> [Range<usize>; 2] {
    let (stages, place) = (layout.pipeline_parallel as usize, stage.place(layout));
    let chunk = |most: usize, place: usize, last: bool| {
        let start = (most * place).min(layers);
        start..if last { layers } else { (start + most).min(layers) }
    };
    if folds(layout) {
        let most = layers.div_ceil(2 * stages);
        return [chunk(most, place, false), chunk(most, 2 * stages - 1 - place, place == 0)];
    }
    [chunk(layers.div_ceil(stages), place, stage == Stage::Last), layers..layers]
}

/// Layers of each kind of block in a stage. Every stage but the last holds `⌈layers / stages⌉` of them.
pub fn stage_layers<'a>(role: &'a Role<'_>, layout: &Layout, stage: Stage) -> impl Iterator<Item = (Block, f64)> + 'a {
    let chunks = layers_of(role.blocks.layers(), layout, stage);
    role.blocks
        .iter()
        .enumerate()
        .map(move |(place, block)| (*block, chunks.iter().map(|layers| role.blocks.count(place, layers)).sum()))
}

/// Weights of one rank of `stage`.
#[must_use]
pub fn rank_weights(role: &Role<'_>, layout: &Layout, stage: Stage) -> RankWeights {
    let counts = &role.model.parameters;
    let shape = &role.model.shape;
    let tp = f64::from(layout.tensor_parallel);
    let pp = u64::from(layout.pipeline_parallel);
    let mut rank = RankWeights::default();
    for (block, count) in stage_layers(role, layout, stage) {
        let mixer = match block.mixer {
            Mixer::Attention | Mixer::Window => counts.attention,
            Mixer::DeltaNet => counts.linear_attention,
            Mixer::Mamba => counts.mamba,
            Mixer::None => 0,
        } as f64;
        let vectors = (counts.block_norms + counts.attention_vectors) as f64;
        let (dense, experts) = match block.mlp {
            Mlp::None => (0.0, 0.0),
            Mlp::Experts => (
                (counts.shared_experts + counts.expert_latent) as f64 / tp + counts.router as f64,
                (counts.expert * shape.num_experts) as f64
                    / f64::from(layout.expert_parallel * layout.expert_tensor_parallel),
            ),
            Mlp::Dense => (counts.dense_mlp as f64 / tp, 0.0),
        };
        let split = if role.repeats(block.mixer) { 1.0 } else { tp };
        let one = mixer / split + vectors + dense;
        rank.dense += one * count;
        rank.experts += experts * count;
        if count > 0.0 {
            rank.largest_block = rank.largest_block.max(one + experts);
        }
    }
    let head = match role.head {
        Head::Scalar => shape.hidden_size as f64,
        Head::Vocabulary => (shape.hidden_size * shape.vocab_size) as f64 / tp,
    };
    let embedding = counts.embedding as f64 / tp + counts.vision as f64;
    // A tied head is the embedding itself on one stage, a copy of it on the last of several.
    rank.outer = match (stage, pp) {
        (_, 1) if shape.tie_word_embeddings && role.head == Head::Vocabulary => embedding,
        (_, 1) => embedding + head,
        // A fold's first stage has both in modules of their own, whether or not a checkpoint ties them.
        (Stage::First, _) if folds(layout) => embedding + head,
        (Stage::Last, _) if folds(layout) => 0.0,
        (Stage::First, _) => embedding,
        (Stage::Second, _) => 0.0,
        (Stage::Last, _) => head,
    };
    rank.head = if stage.has_head(layout) { head } else { 0.0 };
    rank.dense += rank.outer;
    rank.frozen = if pp == 1 || stage == Stage::First { role.frozen as f64 } else { 0.0 };
    rank
}

/// Bytes of model states on one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct States {
    /// Weights the forward pass reads, kept between steps.
    pub parameters: Bytes,
    /// Gradients.
    pub gradients: Bytes,
    /// Master weights beside them, and optimizer moments.
    pub optimizer: Bytes,
}

/// Whether `DeepSpeed` fetches and releases weights module by module, in Python: ZeRO-3 hangs two hooks on each pass of every module
/// and of all that it is made of (0.19.8, `runtime/zero/parameter_offload.py`, `_register_deepspeed_module`), and its coordinator walks
/// their weights (`runtime/zero/partitioned_param_coordinator.py`, `fetch_sub_module`, `release_sub_module`).
pub(crate) fn fetches_by_module(layout: &Layout) -> bool {
    layout.backend == Backend::Deepspeed && layout.zero_stage >= 3
}

/// Shares of (experts, dense) states that one GPU keeps: one over the ranks they are sharded over.
#[must_use]
pub fn shard_counts(layout: &Layout, gpus: u32) -> (f64, f64) {
    let replicas = f64::from(layout.data_parallel(gpus) * layout.sequence_split());
    let dense = if layout.zero_stage >= 3 { f64::from(layout.shard_group) } else { replicas };
    let splits = layout.pipeline_parallel * layout.expert_parallel * layout.expert_tensor_parallel;
    let experts = f64::from((gpus / splits.max(1)).max(1));
    (if layout.zero_stage >= 3 { experts.min(dense) } else { experts }, dense)
}

/// Weights of one GPU whose states it keeps, where they are sharded from ZeRO stage `from` on: 1 the optimizer, 2 the
/// gradients, 3 the weights (Rajbhandari et al. 2020, arXiv:1910.02054, section 5). `shards` as [`shard_counts`] counts
/// them.
#[must_use]
pub fn held(rank: &RankWeights, layout: &Layout, shards: (f64, f64), from: u8) -> f64 {
    let (experts, dense) = shards;
    if layout.zero_stage >= from { rank.dense / dense + rank.experts / experts } else { rank.dense + rank.experts }
}

/// Whether FSDP's pipeline stages gather their weights once for all micro-batches (`reshard_after_forward=False`), which counts as ZeRO
/// stage 2: in 16 bits, beside the shards that are updated.
#[must_use]
pub fn gathers_once(layout: &Layout) -> bool {
    layout.backend == Backend::Fsdp && layout.zero_stage == 2 && layout.pipeline_parallel > 1
}

/// ZeRO stage from which on a GPU keeps its share of the weights alone. Without stages FSDP's stage 2 counts all of what is updated:
/// passes that no backward pass follows leave weights gathered.
#[must_use]
pub fn weights_from(layout: &Layout) -> u8 {
    if gathers_once(layout) { 2 } else { 3 }
}

/// Model states of full-parameter training: what each ZeRO stage keeps where.
///
/// Under FSDP and plain data parallelism the fp32 weights are the ones the optimizer updates: there is no second copy.
#[must_use]
pub fn training_states(rank: &RankWeights, layout: &Layout, gpus: u32) -> States {
    let shards = shard_counts(layout, gpus);
    let trained = rank.trained();
    let sharded = |bytes: f64, from: u8| Bytes::new(bytes * held(&trained, layout, shards, from));
    let (weights, master) = kept_bytes(layout);
    States {
        parameters: Bytes::new(weights * held(rank, layout, shards, weights_from(layout))),
        gradients: sharded(layout.gradient_bytes, 2),
        optimizer: sharded((master + layout.optimizer_bytes) * layout.optimizer_on_card(), 1),
    }
}

/// Bytes per weight that each backend keeps of what trains: of the weights themselves, and of master weights beside them.
fn kept_bytes(layout: &Layout) -> (f64, f64) {
    match layout.backend {
        Backend::Fsdp | Backend::Ddp => (layout.master_weights_bytes, 0.0),
        Backend::Megatron | Backend::Deepspeed => (layout.weights_bytes, layout.master_weights_bytes),
    }
}

/// Model states of a role that outlast a step, over all GPUs: every weight once, whoever holds it.
#[must_use]
pub fn saved(role: &Role<'_>, layout: &Layout) -> States {
    if role.adapters > 0 {
        let adapters = all_adapters(role, layout);
        let (weights, master) = adapter_bytes_kept(layout);
        let optimizer = Bytes::new(adapters * (master + layout.optimizer_bytes));
        return States { parameters: Bytes::new(adapters * weights), optimizer, ..States::default() };
    }
    let (weights, master) = kept_bytes(layout);
    let all = role.model.parameters.total as f64;
    States {
        parameters: Bytes::new(all * weights),
        optimizer: Bytes::new((all - role.frozen as f64) * (master + layout.optimizer_bytes)),
        ..States::default()
    }
}

/// Bytes per weight of a 4-bit base: half a byte and a block scale, itself quantised (NF4 with double
/// quantisation, arXiv:2305.14314, section 3: 0.127 bits of constants per weight).
pub const NF4_BYTES: f64 = 0.5 + 0.127 / 8.0;

/// Bytes per frozen weight of a base that is not quantised: FSDP and plain data parallelism keep their shards in the type
/// that they are loaded in (`plan.master_weights_bytes`), the others what products read.
#[must_use]
pub fn base_bytes(layout: &Layout) -> f64 {
    match layout.backend {
        Backend::Fsdp | Backend::Ddp => layout.master_weights_bytes,
        Backend::Megatron | Backend::Deepspeed => layout.weights_bytes,
    }
}

/// Bytes per frozen weight of embedding and LM head, whose products stay in 16 bits where those of the blocks do not.
#[must_use]
pub fn outer_bytes(inner: f64) -> f64 {
    inner.max(2.0)
}

/// Bytes of an adapter's weight, and of a master weight beside it. Trainers keep adapters in fp32, where they are their own
/// masters. `DeepSpeed` casts the whole model to 16 bits (0.19.8, `runtime/engine.py`, `_configure_distributed_model`) and keeps
/// fp32 master weights of what trains (`runtime/zero/stage_1_and_2.py`, `single_partition_of_fp32_groups`).
#[must_use]
pub fn adapter_bytes_kept(layout: &Layout) -> (f64, f64) {
    if layout.backend == Backend::Deepspeed { kept_bytes(layout) } else { (4.0, 0.0) }
}

/// Adapters of one GPU before they are sharded, those of routed experts apart: each expert has its own, or all that a GPU has
/// share one, as the framework makes them.
#[must_use]
pub fn rank_adapters(role: &Role<'_>, layout: &Layout) -> RankWeights {
    let stages = f64::from(layout.pipeline_parallel);
    let of_experts = role.expert_adapters as f64 / f64::from(layout.expert_tensor_parallel) / stages;
    let experts = match role.on_experts(layout.backend) {
        ExpertAdapters::Each => of_experts / f64::from(layout.expert_parallel),
        ExpertAdapters::Shared => of_experts / role.model.shape.num_experts.max(1) as f64,
        ExpertAdapters::Missing => 0.0,
    };
    let dense = (role.adapters - role.expert_adapters) as f64 / f64::from(layout.tensor_parallel) / stages;
    RankWeights { dense, experts, ..RankWeights::default() }
}

/// Adapters over all GPUs, each once.
fn all_adapters(role: &Role<'_>, layout: &Layout) -> f64 {
    let one = rank_adapters(role, layout);
    let tp = f64::from(layout.tensor_parallel);
    let experts = f64::from(layout.expert_parallel * layout.expert_tensor_parallel);
    (one.dense * tp + one.experts * experts) * f64::from(layout.pipeline_parallel)
}

/// Weights of adapters alone on one GPU.
#[must_use]
pub(crate) fn adapter_bytes(role: &Role<'_>, layout: &Layout, gpus: u32) -> Bytes {
    let own = held(&rank_adapters(role, layout), layout, shard_counts(layout, gpus), weights_from(layout));
    Bytes::new(own * adapter_bytes_kept(layout).0)
}

/// Weights of one GPU whose states it keeps where they never train, embedding and LM head apart: those of the blocks first.
#[must_use]
pub fn base_parts(rank: &RankWeights) -> [RankWeights; 2] {
    [
        RankWeights { dense: rank.dense - rank.outer, ..*rank },
        RankWeights { dense: rank.outer, ..RankWeights::default() },
    ]
}

/// Model states where only adapters train: a frozen base and `adapters` weights with everything.
#[must_use]
pub fn adapter_states(role: &Role<'_>, rank: &RankWeights, layout: &Layout, gpus: u32, quantized: bool) -> States {
    let shards = shard_counts(layout, gpus);
    let [blocks, outer] = base_parts(rank).map(|part| held(&part, layout, shards, weights_from(layout)));
    let inner = if quantized { NF4_BYTES } else { base_bytes(layout) };
    let base = blocks * inner + outer * outer_bytes(inner);
    let own = rank_adapters(role, layout);
    let adapters = |from: u8| held(&own, layout, shards, from);
    let (weights, master) = adapter_bytes_kept(layout);
    States {
        parameters: Bytes::new(base + adapters(weights_from(layout)) * weights),
        gradients: Bytes::new(adapters(2) * layout.gradient_bytes),
        optimizer: Bytes::new(adapters(1) * (master + layout.optimizer_bytes) * layout.optimizer_on_card()),
    }
}
