//! What a framework is asked to run, and the machine that it is to run on.

use super::Framework;
use shardwise_catalog::catalog::models;
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, RolloutPlan};
use shardwise_question::wire::{Backend, Schedule};
use shardwise_question::workload::{Rl, Workload};

/// GPUs that train and GPUs that generate: all of them, twice, where colocated.
pub fn pools(job: &Job) -> (u32, u32) {
    let all = job.hardware.gpus;
    match &job.workload.rl {
        Some(rl) if rl.schedule != Schedule::Colocated => (rl.train_gpus, all.saturating_sub(rl.train_gpus)),
        _ => (all, all),
    }
}

/// Nodes and GPUs per node of a pool: whole nodes, or a part of one. `None` where it is neither.
pub fn nodes(gpus: u32, gpus_per_node: u32) -> Option<(u32, u32)> {
    if gpus == 0 || gpus_per_node == 0 {
        None
    } else if gpus <= gpus_per_node {
        Some((1, gpus))
    } else {
        gpus.is_multiple_of(gpus_per_node)
            .then(|| (gpus / gpus_per_node, gpus_per_node))
    }
}

/// Nodes of the whole machine, and GPUs of each.
pub fn grid(job: &Job) -> (u32, u32) {
    nodes(job.hardware.gpus, job.hardware.gpus_per_node).unwrap_or((1, 1))
}

/// Nodes of the whole machine.
pub fn machines(job: &Job) -> u32 {
    grid(job).0
}

/// Layers of the last pipeline stage where the stages cannot be equal: the others are as full as
/// the fullest. `None` where nothing would be left for it.
pub fn last_stage(layers: u64, stages: u32) -> Option<u64> {
    let stages = u64::from(stages.max(1));
    let rest = layers.div_ceil(stages).saturating_mul(stages - 1);
    layers.checked_sub(rest).filter(|last| *last > 0)
}

/// Sequences of one micro-batch where a framework counts no tokens.
pub fn micro(layout: &Layout, sequence_length: u64) -> u64 {
    match layout.micro_batch {
        MicroBatch::Sequences(n) => n,
        MicroBatch::Tokens(n) => (n.saturating_mul(layout.sequence_split().into()) / sequence_length.max(1)).max(1),
    }
}

/// A framework, a question and a plan, as rules look at them.
pub(crate) struct Asked<'a> {
    framework: &'a Framework,
    pub(crate) job: &'a Job,
    pub(crate) plan: &'a Plan,
    pub(crate) workload: &'a Workload,
    pub(crate) rl: Option<&'a Rl>,
    pub(crate) rollout: Option<&'a RolloutPlan>,
    /// GPUs that train, and those that generate.
    pub(crate) pools: (u32, u32),
    /// Where the layout stands in the plan: empty for the trained model's, `critic.` for the critic's.
    role: &'static str,
    pub(crate) layout: &'a Layout,
    pub(crate) shape: &'a Shape,
    told: Told,
    /// GPUs that train.
    pub(crate) gpus: u64,
    /// GPUs that generate.
    pub(crate) generate: u64,
    pub(crate) tp: u64,
    pub(crate) pp: u64,
    pub(crate) cp: u64,
    pub(crate) ulysses: u64,
    pub(crate) ep: u64,
    pub(crate) etp: u64,
    /// GPUs of a shard group.
    pub(crate) group: u64,
    /// Data-parallel ranks.
    pub(crate) ranks: u64,
    /// Tokens of the longest sequence: of text, or of a prompt with its response.
    pub(crate) longest: u64,
    /// Sequences of one pass on one rank.
    pub(crate) micro: u64,
    /// Sequences of one pass on all ranks.
    pub(crate) per_pass: u64,
    /// Responses of an RL step.
    pub(crate) samples: u64,
    /// Responses of a mini-batch.
    pub(crate) mini: u64,
    /// GPUs of a generation engine.
    pub(crate) engine: u64,
    /// GPUs that split its matrices.
    pub(crate) engine_tp: u64,
}

impl<'a> Asked<'a> {
    /// The model's `model_type`, by which frameworks tell whether they know it; `None` of one that is not the catalog's. By its id
    /// alone, as rules ask for it of every plan.
    pub(crate) fn model_type(&self) -> Option<&'static str> {
        let entry = models().iter().find(|entry| entry.id == self.job.model.id)?;
        Some(entry.model_type)
    }

    /// What `framework` is asked of the layout of a role and of its shape.
    pub(crate) fn new(
        framework: &'a Framework,
        (job, plan): (&'a Job, &'a Plan),
        role: &'static str,
        (layout, shape): (&'a Layout, &'a Shape),
    ) -> Self {
        let workload = &job.workload;
        let (rl, rollout) = (workload.rl.as_ref(), plan.rollout.as_ref());
        let all = job.hardware.gpus;
        let pools = if framework.apart { pools(job) } else { (all, all) };
        let ranks = layout.data_parallel(pools.0).into();
        let longest = rl.map_or(workload.sequence_length, Rl::max_length);
        let micro = micro(layout, longest);
        Self {
            framework,
            job,
            plan,
            workload,
            rl,
            rollout,
            pools,
            role,
            layout,
            shape,
            told: Told::Alone,
            gpus: pools.0.into(),
            generate: pools.1.into(),
            tp: layout.tensor_parallel.into(),
            pp: layout.pipeline_parallel.into(),
            cp: layout.context_parallel.into(),
            ulysses: layout.ulysses_parallel.into(),
            ep: layout.expert_parallel.into(),
            etp: layout.expert_tensor_parallel.into(),
            group: layout.shard_group.into(),
            ranks,
            longest,
            micro,
            per_pass: micro.saturating_mul(ranks),
            samples: rl.map_or(0, Rl::sequences),
            mini: rl.map_or(0, |rl| rl.mini_batch.saturating_mul(rl.responses_per_prompt)),
            engine: rollout.map_or(0, |rollout| rollout.gpus().into()),
            engine_tp: rollout.map_or(0, |rollout| rollout.tensor_parallel.into()),
        }
    }

    /// What is asked of another role of the same plan.
    pub(crate) fn of_role(&self, role: &'static str, own: (&'a Layout, &'a Shape)) -> Self {
        Self { told: self.told, ..Self::new(self.framework, (self.job, self.plan), role, own) }
    }

    /// Whether the plan is for this backend.
    pub(crate) fn is(&self, backend: Backend) -> bool {
        self.layout.backend == backend
    }

    /// Whether the GPU has a compute capability of at least `capability`.
    pub(crate) fn has(&self, capability: f64) -> bool {
        self.job.hardware.has_compute_capability(capability)
    }

    /// How generation and training share the GPUs.
    pub(crate) fn schedule(&self) -> Schedule {
        self.rl.map_or(Schedule::Colocated, |rl| rl.schedule)
    }

    /// GPUs of a node that generate.
    pub(crate) fn engine_node(&self) -> u64 {
        self.generate.min(self.job.hardware.gpus_per_node.into()).max(1)
    }

    /// Passes of an optimizer step on each rank.
    pub(crate) fn passes(&self) -> u64 {
        self.workload.global_batch / self.per_pass.max(1)
    }

    /// Chunks of layers of all pipeline stages.
    pub(crate) fn all_chunks(&self) -> u64 {
        self.pp * u64::from(self.layout.virtual_pipeline.max(1))
    }

    /// Whether a micro-batch is a budget of tokens.
    pub(crate) fn counts_tokens(&self) -> bool {
        matches!(self.layout.micro_batch, MicroBatch::Tokens(_))
    }

    /// Whether key and value heads can be dealt to so many GPUs, or so many share one.
    pub(crate) fn deals_keys(&self, gpus: u64) -> bool {
        self.shape.is_mla() || self.shape.shares_key_heads(gpus)
    }

    /// The same, asked by one who reads no sentence.
    pub(crate) fn unread(self) -> Self {
        Self { told: Told::Nothing, ..self }
    }

    /// The same, said beside the texts of another plan.
    pub(crate) fn beside(self) -> Self {
        Self { told: Told::Beside, ..self }
    }

    /// A refusal of a field: its sentence with the values that it names. `own` are those that its row brings along.
    pub(crate) fn refusal(&self, field: &str, says: &str, own: &[(&str, &str)]) -> InputError {
        let field = match field.strip_prefix("plan.") {
            Some(rest) if !self.role.is_empty() => format!("plan.{}{rest}", self.role),
            _ => field.to_owned(),
        };
        if self.told == Told::Nothing {
            return InputError::new(field, "");
        }
        let mut message = String::with_capacity(says.len() + 16);
        let mut rest = says;
        while let Some((before, (name, after))) = rest
            .split_once('{')
            .and_then(|(before, from)| Some((before, from.split_once('}')?)))
        {
            message += before;
            if let Some((_, value)) = own.iter().find(|(known, _)| *known == name) {
                message += value;
            } else if let Some((_, number)) = NUMBERS.iter().find(|(known, _)| *known == name) {
                message += &number(self).to_string();
            } else if name == WAY {
                message += if self.told == Told::Beside { "" } else { ", or leave it to the search" };
            } else {
                message += self.framework.name;
            }
            rest = after;
        }
        InputError::new(field, message + rest)
    }
}

/// What is said of what is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Of which field it is, and no sentence.
    Nothing,
    /// A sentence with the ways out.
    Alone,
    /// The same beside the texts of another plan, which a search found.
    Beside,
}

/// The name in a sentence of the way out that a search is.
pub(crate) const WAY: &str = "way";

/// A number of what is asked.
pub(crate) type Number = fn(&Asked) -> u64;

/// The numbers that a sentence may name.
pub(crate) static NUMBERS: &[(&str, Number)] = &[
    ("all", |a| a.job.hardware.gpus.into()),
    ("node", |a| a.job.hardware.gpus_per_node.into()),
    ("engine_node", |a| a.engine_node()),
    ("gpus", |a| a.gpus),
    ("generate", |a| a.generate),
    ("tp", |a| a.tp),
    ("pp", |a| a.pp),
    ("chunks", |a| a.layout.virtual_pipeline.max(1).into()),
    ("all_chunks", |a| a.all_chunks()),
    ("cp", |a| a.cp),
    ("ulysses", |a| a.ulysses),
    ("ep", |a| a.ep),
    ("etp", |a| a.etp),
    ("group", |a| a.group),
    ("ranks", |a| a.ranks),
    ("per_pass", |a| a.per_pass),
    ("passes", |a| a.passes()),
    ("heads", |a| a.shape.num_attention_heads),
    ("kv", |a| a.shape.num_key_value_heads),
    ("experts", |a| a.shape.num_experts),
    ("layers", |a| a.shape.num_hidden_layers),
    ("length", |a| a.workload.sequence_length),
    ("batch", |a| a.workload.global_batch),
    ("samples", |a| a.samples),
    ("mini", |a| a.mini),
    ("engine", |a| a.engine),
    ("engine_tp", |a| a.engine_tp),
];
