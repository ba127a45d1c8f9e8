//! What a textbook would do: layouts that guides, a paper and recipes write down, each as a question that states them.
//!
//! Unlike advice, which says what to change in a plan, an entry is a plan of its own: what it leaves open is searched anew.

use std::borrow::Cow;

use super::training::LONG;
use super::{CHATLEARN_GUIDE, Case, LLMFORGE_COOKBOOK, PRACTICE, VERL_GUIDE, recipe, thumb};
use crate::estimate::Evaluated;
use crate::neighbours::apply;
use shardwise_engine::context::Context;
use shardwise_question::complete::training_gpus;
use shardwise_question::framework::{CHATLEARN, LLMFORGE, MEGATRON_LM, VERL};
use shardwise_question::job::Job;
use shardwise_question::wire::{
    Backend, Offload, PlanSpec, Question, RecomputeGranularity, RecomputeSpec, RolloutPlanSpec, WorkloadKind,
};

/// Narayanan et al. 2021, section 3.2, takeaway 1: tensor parallelism up to the GPUs of a server, pipeline stages beyond.
const MEGATRON_PAPER: &str = "https://arxiv.org/abs/2104.04473";
/// "Tuning Guide of Parallel Mappings", rules 2 and 4: experts before tensor parallelism, inside the NVLink domain.
const MEGATRON_MOE: &str = "https://github.com/NVIDIA/Megatron-LM/blob/d98e8a64ddf34856e74b24714e3bedb2f5a39553/megatron/core/transformer/moe/README.md";

/// The upper end of the shares of memory that veRL's guide names for the engine.
const VERL_SHARE: f64 = 0.7;

/// Everything that training keeps, in host memory.
const ALL_AWAY: Offload = Offload { parameters: true, gradients: true, optimizer: true, activations: false };

/// What a layout is written down in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Book {
    /// A tuning guide.
    Guide,
    /// A paper.
    Paper,
    /// A recipe, an example or a performance configuration.
    Recipe,
}

/// A layout that is written down.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Stable identifier of what it says, kebab case.
    pub id: &'static str,
    /// What it stands in.
    pub book: Book,
    /// Whose that is.
    pub by: &'static str,
    /// Where it stands.
    pub source: Cow<'static, str>,
    /// The question with the layout stated.
    pub question: Question,
}

/// The question with a layout stated in place of what its plan states, but for what no layout is about: the engine, where the
/// layout says nothing of it, the attention kernel and the optimizer's states.
///
/// ```
/// use shardwise_core::{advice::textbook::stating, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
///     "plan": {"tensor_parallel": 4, "optimizer_bytes": 2}}"#).unwrap();
/// let fsdp = wire::PlanSpec { backend: Some(wire::Backend::Fsdp), ..Default::default() };
/// let plan = stating(&question, fsdp).plan.unwrap();
/// assert_eq!((plan.backend, plan.tensor_parallel), (Some(wire::Backend::Fsdp), None));
/// assert_eq!(plan.optimizer_bytes, Some(2.0));
/// ```
#[must_use]
pub fn stating(question: &Question, layout: PlanSpec) -> Question {
    let own = question.plan.clone().unwrap_or_default();
    let engine = own.rollout.unwrap_or_default();
    let rollout = match layout.rollout {
        Some(stated) => RolloutPlanSpec {
            tensor_parallel: stated.tensor_parallel,
            gpu_memory_utilization: stated.gpu_memory_utilization,
            data_parallel: None,
            expert_parallel: None,
            ..engine
        },
        None => engine,
    };
    let rollout = (rollout != RolloutPlanSpec::default()).then_some(rollout);
    let plan = PlanSpec { attention: own.attention, optimizer_bytes: own.optimizer_bytes, rollout, ..layout };
    Question { plan: (plan != PlanSpec::default()).then_some(plan), ..question.clone() }
}

/// The layout that a book states for a job, trained by what and run by whom; nothing where it does not speak of such a job.
type States = fn(&Job, Backend, Option<&str>) -> Option<PlanSpec>;

struct Guide {
    id: &'static str,
    book: Book,
    by: &'static str,
    source: &'static str,
    states: States,
}

/// The guide of what runs a plan comes first.
const GUIDES: [Guide; 5] = [
    guide("verl-fsdp", VERL.name, VERL_GUIDE, verl_fsdp),
    guide("verl-megatron", "verl_megatron_practice", PRACTICE, verl_megatron),
    guide("llmforge", LLMFORGE.name, LLMFORGE_COOKBOOK, llmforge),
    Guide { book: Book::Paper, ..guide("megatron-dense", MEGATRON_LM.name, MEGATRON_PAPER, megatron_dense) },
    guide("megatron-moe", MEGATRON_LM.name, MEGATRON_MOE, megatron_moe),
];

const fn guide(id: &'static str, by: &'static str, source: &'static str, states: States) -> Guide {
    Guide { id, book: Book::Guide, by, source, states }
}

fn recomputed(granularity: RecomputeGranularity) -> Option<RecomputeSpec> {
    Some(RecomputeSpec::Word(granularity))
}

/// Gradient checkpointing, half to seven tenths of the memory for the engine, and Ulysses for long sequences.
fn verl_fsdp(job: &Job, backend: Backend, runner: Option<&str>) -> Option<PlanSpec> {
    let rl = job
        .workload
        .rl
        .as_ref()
        .filter(|_| runner == Some(VERL.id) && backend == Backend::Fsdp)?;
    Some(PlanSpec {
        backend: Some(Backend::Fsdp),
        ulysses_parallel: (rl.max_length() >= LONG).then_some(2),
        recompute: recomputed(RecomputeGranularity::Full),
        rollout: Some(RolloutPlanSpec { gpu_memory_utilization: Some(VERL_SHARE), ..RolloutPlanSpec::default() }),
        ..PlanSpec::default()
    })
}

/// Everything in host memory outside of its phase.
fn verl_megatron(job: &Job, backend: Backend, runner: Option<&str>) -> Option<PlanSpec> {
    job.workload
        .rl
        .as_ref()
        .filter(|_| runner == Some(VERL.id) && backend == Backend::Megatron)?;
    Some(PlanSpec { backend: Some(Backend::Megatron), offload: Some(ALL_AWAY), ..PlanSpec::default() })
}

/// ZeRO-3 with parameters and optimizer in host memory, layers computed again: "the safest in terms of memory".
fn llmforge(job: &Job, _: Backend, _: Option<&str>) -> Option<PlanSpec> {
    let tunes = matches!(job.workload.kind, WorkloadKind::Sft | WorkloadKind::Lora);
    tunes.then(|| PlanSpec {
        backend: Some(Backend::Deepspeed),
        tensor_parallel: Some(1),
        zero_stage: Some(3),
        recompute: recomputed(RecomputeGranularity::Full),
        offload: Some(ALL_AWAY),
        ..PlanSpec::default()
    })
}

/// Tensor parallelism over the node, as far as the heads split; the search chooses the stages.
fn megatron_dense(job: &Job, backend: Backend, _: Option<&str>) -> Option<PlanSpec> {
    let shape = &job.model.shape;
    let applies = backend == Backend::Megatron && shape.num_experts == 0;
    applies.then(|| PlanSpec {
        backend: Some(Backend::Megatron),
        tensor_parallel: Some(within_node(job, shape.num_attention_heads)),
        ..PlanSpec::default()
    })
}

/// Experts over the node, as far as they split, and no other split of a matrix; the search chooses the stages.
fn megatron_moe(job: &Job, backend: Backend, _: Option<&str>) -> Option<PlanSpec> {
    let experts = job.model.shape.num_experts;
    (backend == Backend::Megatron && experts > 0).then(|| PlanSpec {
        backend: Some(Backend::Megatron),
        tensor_parallel: Some(1),
        expert_parallel: Some(within_node(job, experts)),
        expert_tensor_parallel: Some(1),
        ..PlanSpec::default()
    })
}

/// The largest power of two of a node's GPUs that so many parts split over.
fn within_node(job: &Job, parts: u64) -> u64 {
    let most = u64::from(job.hardware.gpus_per_node.min(training_gpus(job)));
    let fits = |size: &u64| *size <= most && parts.is_multiple_of(*size);
    let powers = (0..u64::BITS).map(|power| 1 << power);
    powers.take_while(fits).last().unwrap_or(1)
}

/// The layouts that guides state for a job such as this, the guide of what runs its plan first. `runner` is the framework
/// that does.
pub fn guides<'a>(
    question: &'a Question,
    found: &'a Evaluated,
    runner: Option<&'a str>,
) -> impl Iterator<Item = Entry> + 'a {
    let backend = found.plan.layout.backend;
    let generates = found.job.workload.generation.is_some();
    GUIDES.iter().filter(move |_| !generates).filter_map(move |own| {
        let layout = (own.states)(&found.job, backend, runner)?;
        let question = stating(question, layout);
        Some(Entry { id: own.id, book: own.book, by: own.by, source: own.source.into(), question })
    })
}

/// The layout of the published recipe that is nearest to the job.
#[must_use]
pub fn recipe(question: &Question, found: &Evaluated) -> Option<Entry> {
    let own = recipe::nearest(&found.job)?;
    Some(Entry {
        id: recipe::ID,
        book: Book::Recipe,
        by: own.publisher.name,
        source: own.url().into(),
        question: stating(question, recipe::with_sizes(own, &PlanSpec::default())),
    })
}

/// The best layouts that obey each rule of thumb that speaks of such a job. Each takes two searches.
#[must_use]
pub fn thumbs(question: &Question, found: &Evaluated) -> Vec<Entry> {
    let free = stating(question, PlanSpec::default());
    let context = Context::new(&found.job);
    let case = Case::of(&context, &found.plan);
    let stated = thumb::obeyed(&case, &free).into_iter();
    let entries = stated.filter_map(|(id, set)| {
        let question = apply(&free, &set)?;
        Some(Entry { id, book: Book::Guide, by: CHATLEARN.name, source: CHATLEARN_GUIDE.into(), question })
    });
    entries.collect()
}
