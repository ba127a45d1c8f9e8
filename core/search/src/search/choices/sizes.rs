//! Into how many parts GPUs, matrices and sequences are split.

use super::{choices, divisors, parts, splits_model};
use shardwise_catalog::divisors::gcd;
use shardwise_question::complete::{folds, training_gpus};
use shardwise_question::framework::{rings_beside_deepspeed, splits_matrices_beside_fsdp};
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Backend, PlanSpec};
use shardwise_rules::last_stage;

/// Tokens below which nobody splits a sequence further: less is all latency.
const LEAST_SPLIT: u64 = 1024;
/// Such tokens under `DeepSpeed`, where the search begins to exchange heads: steps lead to smaller parts.
const LEAST_EXCHANGED: u64 = 8192;
/// The largest pipeline, and the most model chunks of one stage.
const MOST_STAGES: u32 = 64;
const MOST_CHUNKS: u32 = 16;

/// Share of a card beyond which states leave little room for anything else.
const FILLED: f64 = 0.4;

/// Whether weights, gradients and moments in 16 bytes a weight, shared by all GPUs that train, take much of each.
pub(in crate::search) fn states_fill_cards(job: &Job) -> bool {
    let states = 16.0 * job.model.parameters.total as f64 / f64::from(training_gpus(job).max(1));
    states > FILLED * job.hardware.memory_gib * f64::from(1 << 30)
}

/// Sizes of groups of GPUs.
pub(in crate::search) struct Sizes<'a> {
    job: &'a Job,
    spec: &'a PlanSpec,
    /// Stated sizes, checked; 1 or a default where nothing is stated.
    base: &'a Layout,
    gpus: u32,
}

impl<'a> Sizes<'a> {
    pub(in crate::search) fn of(job: &'a Job, spec: &'a PlanSpec, base: &'a Layout) -> Self {
        Self { job, spec, base, gpus: training_gpus(job) }
    }

    fn stated(spec: Option<u64>, checked: u32) -> Option<u32> {
        spec.map(|_| checked)
    }

    fn of_model(&self, most: u32) -> u32 {
        if splits_model(self.base.backend) { most } else { 1 }
    }

    /// Tensor parallelism stays inside the node; a rack of one NVLink domain counts as nodes of eight.
    pub(in crate::search) fn tensor(&self) -> Vec<u32> {
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
            // Where none of those who do is named steps lead there: all of them in one space took a fifth more time. Where the states
            // alone fill much of the cards, what is split is the first that fits, and steps begin elsewhere.
            Backend::Fsdp if named.is_none() && workload.rl.is_none() => {
                workload.lora.is_none() && states_fill_cards(self.job)
            }
            Backend::Fsdp => workload.lora.is_none() && splits_matrices_beside_fsdp(named),
            Backend::Ddp => false,
        }
    }

    /// Context and Ulysses parallelism.
    pub(in crate::search) fn sequence(&self, tensor: u32) -> Vec<(u32, u32)> {
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

    pub(in crate::search) fn experts(&self) -> Vec<u32> {
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
    pub(in crate::search) fn expert_tensor(&self, tensor: u32, experts: u32) -> Vec<u32> {
        let most = if self.job.model.shape.num_experts > 0 { self.of_model(tensor) } else { 1 };
        choices(
            Self::stated(self.spec.expert_tensor_parallel, self.base.expert_tensor_parallel),
            divisors(self.gpus, most).filter(|size| self.gpus.is_multiple_of(size.saturating_mul(experts))),
        )
    }

    /// Stages: all equal, or the last one smaller where the layers do not divide.
    pub(in crate::search) fn pipeline(&self, layout: &Layout) -> Vec<u32> {
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
    pub(in crate::search) fn chunks(&self, stages: u32) -> Vec<u32> {
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
    pub(in crate::search) fn zero_stages(&self) -> Vec<u8> {
        match (self.spec.zero_stage, self.base.backend) {
            (None, Backend::Deepspeed) => vec![1, 2, 3],
            // An RL step's many shares and engines leave no time for both.
            (None, Backend::Fsdp) if self.job.workload.rl.is_none() => vec![3, 2],
            _ => vec![self.base.zero_stage],
        }
    }

    /// FSDP shards over all ranks, or within each node (HSDP). Who states ZeRO-3 and no group means all.
    pub(in crate::search) fn shard_groups(&self, layout: &Layout) -> Vec<Option<u64>> {
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
