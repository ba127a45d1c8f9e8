//! What a plan may choose in each dimension, where the question does not state it.

mod away;
mod rollout;

use away::offloads;
pub(super) use rollout::rollouts;

use super::space::Pass;
use crate::neighbours::is_selective;
use shardwise_catalog::divisors::gcd;
use shardwise_question::complete::{self, folds, training_gpus};
use shardwise_question::framework::{rings_beside_deepspeed, splits_matrices_beside_fsdp};
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Modules, Recompute, ZeroPlus};
use shardwise_question::task::Task;
use shardwise_question::wire::{Attention, Backend, Offload, PlanSpec, RecomputeModule};
use shardwise_rules::last_stage;

/// What plans of one parallel layout differ in beside the micro-batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variant {
    pub(super) recompute: Recompute,
    pub(super) away: Away,
    pub(super) fused_lm_head: bool,
}

/// What is in host memory, between phases or for good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Away {
    pub(super) offload: Offload,
    pub(super) optimizer_offload_fraction: f64,
}

impl Away {
    /// What a layout says of it.
    pub(super) fn of(layout: &Layout) -> Self {
        Self { offload: layout.offload, optimizer_offload_fraction: layout.optimizer_offload_fraction }
    }

    /// Whether all that `other` moves is moved here too.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let (own, less) = (self.offload, other.offload);
        (own.parameters || !less.parameters)
            && (own.gradients || !less.gradients)
            && (own.optimizer || !less.optimizer)
            && (own.activations || !less.activations)
            && self.optimizer_offload_fraction >= other.optimizer_offload_fraction
    }
}

/// The stated value alone, or every candidate.
fn choices(stated: Option<u32>, candidates: impl Iterator<Item = u32>) -> Vec<u32> {
    match stated {
        Some(value) => vec![value],
        None => candidates.collect(),
    }
}

fn divisors(number: u32, most: u32) -> impl Iterator<Item = u32> {
    (1..=number.min(most)).filter(move |size| number.is_multiple_of(*size))
}

/// Sizes of groups that `gpus` are split into, up to `most`; where they are no power of two, up to the next power of two: three
/// nodes are split by 24 where two are split by 16.
fn parts(gpus: u32, most: u32) -> impl Iterator<Item = u32> {
    let next = most.saturating_add(1).next_power_of_two();
    divisors(gpus, next - 1).filter(move |size| *size <= most || !size.is_power_of_two())
}

/// Back ends that people train such a workload with: plain data parallelism in no RL framework.
pub(super) fn backends(job: &Job, spec: &PlanSpec) -> Vec<Backend> {
    if let Some(backend) = spec.backend {
        return vec![backend];
    }
    match job.workload.kind.task() {
        Task::Train | Task::Prefer(_) => {
            vec![Backend::Fsdp, Backend::Megatron, Backend::Deepspeed, Backend::Ddp]
        }
        // No framework here runs RL on plain data parallelism.
        Task::Rl(_) => {
            vec![Backend::Fsdp, Backend::Megatron, Backend::Deepspeed]
        }
        Task::Generate => vec![Backend::Fsdp],
    }
}

/// Whether a backend is Megatron's, which alone splits layers and experts here, and matrices of all models.
fn splits_model(backend: Backend) -> bool {
    backend == Backend::Megatron
}

/// Tokens below which nobody splits a sequence further: less is all latency.
const LEAST_SPLIT: u64 = 1024;
/// Such tokens under `DeepSpeed`, where the search begins to exchange heads: steps lead to smaller parts.
const LEAST_EXCHANGED: u64 = 8192;
/// The largest pipeline, and the most model chunks of one stage.
const MOST_STAGES: u32 = 64;
const MOST_CHUNKS: u32 = 16;

/// Sizes of groups of GPUs.
pub(super) struct Sizes<'a> {
    job: &'a Job,
    spec: &'a PlanSpec,
    /// Stated sizes, checked; 1 or a default where nothing is stated.
    base: &'a Layout,
    gpus: u32,
}

impl<'a> Sizes<'a> {
    pub(super) fn of(job: &'a Job, spec: &'a PlanSpec, base: &'a Layout) -> Self {
        Self { job, spec, base, gpus: training_gpus(job) }
    }

    fn stated(spec: Option<u64>, checked: u32) -> Option<u32> {
        spec.map(|_| checked)
    }

    fn of_model(&self, most: u32) -> u32 {
        if splits_model(self.base.backend) { most } else { 1 }
    }

    /// Tensor parallelism stays inside the node; a rack of one NVLink domain counts as nodes of eight.
    pub(super) fn tensor(&self) -> Vec<u32> {
        let hardware = &self.job.hardware;
        let domain = hardware.gpus_per_node.max(hardware.nvlink_domain.min(8));
        let heads = self.job.model.shape.num_attention_heads;
        let stated = Self::stated(self.spec.tensor_parallel, self.base.tensor_parallel);
        let most = if self.splits_matrices() { domain } else { 1 };
        let candidates = divisors(self.gpus, most);
        choices(stated, candidates.filter(|size| heads.is_multiple_of(u64::from(*size))))
    }

    /// Whether some framework splits matrices with the back end.
    fn splits_matrices(&self) -> bool {
        let (workload, named) = (&self.job.workload, self.job.framework.map(|own| own.id));
        match self.base.backend {
            Backend::Megatron => true,
            // `DeepSpeed` splits matrices and nothing else (AutoTP); experts stay whole.
            Backend::Deepspeed => self.job.model.shape.num_experts == 0 && workload.rl.is_none(),
            // Where none of those who do is named steps lead there: all of them in one space took a fifth more time.
            Backend::Fsdp => workload.lora.is_none() && splits_matrices_beside_fsdp(named),
            Backend::Ddp => false,
        }
    }

    /// Context and Ulysses parallelism.
    pub(super) fn sequence(&self, tensor: u32) -> Vec<(u32, u32)> {
        let length = self.job.workload.sequence_length;
        let most = (length / LEAST_SPLIT).clamp(1, 64) as u32;
        let shape = &self.job.model.shape;
        let heads = shape.num_attention_heads;
        let fits = |size: u32| self.gpus.is_multiple_of(tensor.saturating_mul(size));
        let learns = self.job.workload.rl.is_some();
        // With fewer sequences than ranks, or with some left over, each is split at least so that every rank has as much as any.
        let batch = self.job.workload.global_batch.max(1);
        let ranks = u64::from(self.gpus / tensor.max(1));
        let shared = ranks / gcd(ranks, batch).max(1);
        let most = most.max(shared.min(64) as u32);
        let named = self.job.framework.map(|own| own.id);
        // Of a framework that is named, whose back ends are fewer, all sizes are asked: steps do not lead from FSDP to them.
        let least = if named.is_some() { LEAST_SPLIT } else { LEAST_EXCHANGED };
        let few = most.min((length / least).max(shared).clamp(1, 64) as u32);
        // Sizes of rings by themselves, and of groups that exchange heads. In RL no framework has a ring beside FSDP or exchanges heads
        // beside DeepSpeed; where nobody is named who has a ring there, steps lead to it: all of them took a tenth more time.
        let ringed = rings_beside_deepspeed(named);
        let (alone, exchanged) = match (self.base.backend, learns) {
            (Backend::Megatron, _) => (most, 1),
            (Backend::Fsdp, false) => (most, most),
            (Backend::Fsdp, true) => (1, most),
            (Backend::Deepspeed, false) => (1, few),
            (Backend::Ddp, false) => (1, shared.clamp(1, most.into()) as u32),
            (Backend::Deepspeed, true) if ringed => (most, 1),
            (Backend::Deepspeed | Backend::Ddp, true) => (1, 1),
        };
        let rings = if learns { alone } else { alone.max(exchanged) };
        // Who pads a sequence to whole parts takes any, of the others the rules say which.
        let ring = parts(self.gpus, rings).filter(|size| fits(*size));
        let ring = choices(Self::stated(self.spec.context_parallel, self.base.context_parallel), ring);
        let heads = parts(self.gpus, exchanged).filter(|size| {
            let split = u64::from(*size);
            fits(*size) && shape.shares_key_heads(split) && heads.is_multiple_of(split * u64::from(tensor))
        });
        let heads = choices(Self::stated(self.spec.ulysses_parallel, self.base.ulysses_parallel), heads);
        let stated = self.spec.context_parallel.is_some() || self.spec.ulysses_parallel.is_some();
        // Either suffices where both could be, but where key and value heads are fewer than the parts: ms-swift and axolotl
        // exchange as many as there are, and put the rest in a ring.
        let keys = shape.num_key_value_heads.max(1);
        let apart = |cp: u32, ulysses: u32| cp == 1 || ulysses == 1 && alone > 1;
        let both = |cp: u32, ulysses: u32| {
            let parts = cp.saturating_mul(ulysses);
            parts.ilog2() <= exchanged.ilog2() && fits(parts) && u64::from(ulysses) == gcd(keys, parts.into())
        };
        ring.iter()
            .flat_map(|cp| heads.iter().map(move |ulysses| (*cp, *ulysses)))
            .filter(|(cp, ulysses)| stated || apart(*cp, *ulysses) || both(*cp, *ulysses))
            .collect()
    }

    pub(super) fn experts(&self) -> Vec<u32> {
        let experts = self.job.model.shape.num_experts.min(u64::from(u32::MAX)) as u32;
        // Beside FSDP torchtitan and axolotl split experts, which do no RL; inside a node here: steps lead further.
        let beside = self.job.workload.rl.is_none() && self.base.backend == Backend::Fsdp;
        let most = match experts {
            0 => 1,
            _ if beside => self.job.hardware.gpus_per_node.min(self.gpus),
            _ => self.of_model(self.gpus),
        };
        choices(
            Self::stated(self.spec.expert_parallel, self.base.expert_parallel),
            divisors(experts.max(1), most).filter(|size| self.gpus.is_multiple_of(*size)),
        )
    }

    /// Experts are split by matrices at most as the rest is.
    pub(super) fn expert_tensor(&self, tensor: u32, experts: u32) -> Vec<u32> {
        let most = if self.job.model.shape.num_experts > 0 { self.of_model(tensor) } else { 1 };
        choices(
            Self::stated(self.spec.expert_tensor_parallel, self.base.expert_tensor_parallel),
            divisors(self.gpus, most).filter(|size| self.gpus.is_multiple_of(size.saturating_mul(experts))),
        )
    }

    /// Stages: all equal, or the last one smaller where the layers do not divide.
    pub(super) fn pipeline(&self, layout: &Layout) -> Vec<u32> {
        let layers = self.job.model.shape.num_hidden_layers;
        let split = layout.tensor_parallel * layout.context_parallel * layout.ulysses_parallel;
        let experts = layout.expert_parallel * layout.expert_tensor_parallel;
        let fits = |size: u32, split: u32| {
            split
                .checked_mul(size)
                .is_some_and(|all| all > 0 && self.gpus.is_multiple_of(all))
        };
        let candidates = divisors(self.gpus, self.of_model(MOST_STAGES)).filter(|size| {
            last_stage(layers, *size).is_some() && fits(*size, split) && (experts == 1 || fits(*size, experts))
        });
        choices(Self::stated(self.spec.pipeline_parallel, self.base.pipeline_parallel), candidates)
    }

    /// Model chunks per stage, all of the same number of layers.
    pub(super) fn chunks(&self, stages: u32) -> Vec<u32> {
        let layers = self.job.model.shape.num_hidden_layers;
        let even = layers.is_multiple_of(u64::from(stages.max(1)));
        let each = if stages > 1 && even { (layers / u64::from(stages)) as u32 } else { 1 };
        if folds(self.base) && self.spec.virtual_pipeline.is_none() {
            return vec![self.base.virtual_pipeline];
        }
        choices(Self::stated(self.spec.virtual_pipeline, self.base.virtual_pipeline), divisors(each, MOST_CHUNKS))
    }

    /// `DeepSpeed` has them all; FSDP keeps weights after the forward pass or not (`reshard_after_forward`); Megatron's
    /// distributed optimizer costs nothing. Stage 0 is stage 1 with more memory.
    pub(super) fn zero_stages(&self) -> Vec<u8> {
        match (self.spec.zero_stage, self.base.backend) {
            (None, Backend::Deepspeed) => vec![1, 2, 3],
            // An RL step's many shares and engines leave no time for both.
            (None, Backend::Fsdp) if self.job.workload.rl.is_none() => vec![3, 2],
            _ => vec![self.base.zero_stage],
        }
    }

    /// FSDP shards over all ranks, or within each node (HSDP). Who states ZeRO-3 and no group means all.
    pub(super) fn shard_groups(&self, layout: &Layout) -> Vec<Option<u64>> {
        if self.spec.shard_group.is_some() {
            return vec![self.spec.shard_group];
        }
        let all = layout.data_parallel(self.gpus) * layout.sequence_split();
        let node = self.job.hardware.gpus_per_node;
        let hybrid = self.base.backend == Backend::Fsdp
            && self.spec.zero_stage.is_none()
            && node > 1
            && node < all
            && all.is_multiple_of(node)
            && node.is_multiple_of(layout.sequence_split());
        if hybrid { vec![None, Some(node.into())] } else { vec![None] }
    }
}

/// Interleaved pipelines take micro-batches in rounds of as many as there are stages (Megatron's
/// `forward_backward_pipelining_with_interleaving`).
pub(super) fn interleaves(spec: &PlanSpec, layout: &Layout, pass: &Pass) -> bool {
    let stated = spec.virtual_pipeline.is_some();
    let dynamic = matches!(pass.micro_batch, MicroBatch::Tokens(_));
    layout.virtual_pipeline == 1
        || stated
        || dynamic
        || (pass.batch.micro_batches as u64).is_multiple_of(layout.pipeline_parallel.into())
}

/// What one forward pass takes: divisors of a rank's sequences; token budgets where sequences are joined.
pub(super) fn micro_batches(job: &Job, spec: &PlanSpec, layout: &Layout) -> Vec<MicroBatch> {
    let workload = &job.workload;
    match (spec.micro_batch, spec.max_tokens_per_gpu) {
        (None, None) => {}
        // The stated one, as it was checked.
        _ => return vec![layout.micro_batch],
    }
    let ranks = u64::from(layout.data_parallel(training_gpus(job)));
    let per_rank = workload.global_batch.div_ceil(ranks.max(1)).max(1);
    let longest = workload
        .sequence_length
        .div_ceil(u64::from(layout.sequence_split().max(1)))
        .max(1);
    let budgets = [1, 2, 3, 4, 6, 8, 12, 16].map(|times| MicroBatch::Tokens(longest * times));
    // PRIME's reward model, laid out like the actor, has no budget (`shardwise_rules::verl`).
    let counts_sequences = workload.kind.has_process_reward() || job.counts_responses();
    if workload.rl.is_some() && workload.packing && !counts_sequences {
        let mut found = budgets.to_vec();
        // A pipeline waits for its first and last pass: single sequences are the most of them.
        if layout.pipeline_parallel > 1 {
            found.push(MicroBatch::Sequences(1));
        }
        return found;
    }
    let sequences = divisors(per_rank.min(1 << 20) as u32, 64);
    let mut found: Vec<_> = sequences.map(|size| MicroBatch::Sequences(size.into())).collect();
    if workload.joins() && !counts_sequences {
        found.extend(budgets);
    }
    found
}

/// Recomputation, offload and fused head; the plainest first.
pub(super) fn variants(job: &Job, spec: &PlanSpec, base: &Layout) -> Vec<Variant> {
    let recomputes = match &spec.recompute {
        Some(_) => vec![base.recompute],
        None => recomputes(job, base),
    };
    let mut aways = match spec.offload {
        Some(offload) => vec![Away { offload, ..Away::of(base) }],
        None => offloads(job, spec, base),
    };
    // Drives hold what is offloaded: a plan that states them offloads something.
    if base.nvme_offload && spec.offload.is_none() {
        aways.retain(|Away { offload, .. }| {
            offload.optimizer && (!offload.parameters || base.zero_plus == ZeroPlus::OFF)
        });
    }
    // What the optimizer does not go with is no plan; one that the backend has not at all is refused by its name.
    let goes = |away: &Away| {
        let &Away { offload, optimizer_offload_fraction } = away;
        complete::steps_with(job, &Layout { offload, optimizer_offload_fraction, ..*base })
    };
    if spec.offload.is_none() && aways.iter().any(goes) {
        aways.retain(goes);
    }
    let mut found = Vec::with_capacity(recomputes.len() * aways.len() * 2);
    for fused_lm_head in fused_heads(spec) {
        for away in &aways {
            for recompute in &recomputes {
                found.push(Variant { recompute: *recompute, away: *away, fused_lm_head });
            }
        }
    }
    found
}

/// With the logits in memory and without: which is faster depends on the loss, which fits on the card.
fn fused_heads(spec: &PlanSpec) -> Vec<bool> {
    spec.fused_lm_head.map_or(vec![false, true], |stated| vec![stated])
}

/// Sets of modules that Megatron recomputes and that save something, and all of each layer. Elsewhere all or nothing; in
/// pre-training also every other operator (torchtitan's selective checkpointing).
fn recomputes(job: &Job, layout: &Layout) -> Vec<Recompute> {
    let mut found = vec![Recompute::None];
    if layout.backend == Backend::Megatron {
        found.extend(module_sets(job, layout).into_iter().map(Recompute::Selective));
    } else if job.workload.rl.is_none() && is_selective(job, layout.backend) {
        found.push(Recompute::Selective(Modules::CORE_ATTN));
    }
    found.push(Recompute::Full);
    found
}

/// Sets of modules, each with one more than the last, what costs least for what it saves first. Others are tried as steps
/// from the plan that is found.
fn module_sets(job: &Job, layout: &Layout) -> Vec<Modules> {
    use RecomputeModule as M;
    let shape = &job.model.shape;
    let experts = shape.num_experts > 0;
    let dense = !experts || shape.first_k_dense_replace > 0;
    let shared = experts && shape.shared_expert_intermediate_size > 0;
    let order = [
        // Flash attention keeps no scores.
        (M::CoreAttn, layout.attention == Attention::Unfused),
        (M::Layernorm, true),
        (M::MoeAct, experts),
        (M::MlaUpProj, shape.is_mla()),
        (M::SharedExperts, shared),
        (M::Mlp, dense),
        (M::Moe, experts),
    ];
    let mut chosen = Vec::new();
    let mut found = Vec::new();
    for (module, _) in order.into_iter().filter(|(_, saves)| *saves) {
        if module == M::Moe {
            // All of the experts' layer is more than its parts.
            chosen.retain(|part| !matches!(part, M::MoeAct | M::SharedExperts));
        }
        chosen.push(module);
        found.push(Modules::of(&chosen));
    }
    found
}
