//! How far a layout goes beyond what published runs tried, and what that is taken to cost.

use super::{COVERAGE, framework};
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, RolloutPlan};

/// How far published runs went with layouts of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layouts {
    /// Entry of `efficiency.toml`: the trainer.
    pub framework: &'static str,
    /// Whether they are RL steps.
    pub reinforcement: bool,
    /// Whether the model has experts.
    pub experts: bool,
    /// Most experts of one rank.
    pub experts_per_rank: f64,
    /// Most tokens of a mean micro-batch on one GPU.
    pub tokens: f64,
    /// Most stages of a pipeline.
    pub pipeline_parallel: f64,
    /// Fewest layers of a model chunk.
    pub layers_per_chunk: f64,
    /// Most chunks of a stage.
    pub virtual_pipeline: f64,
    /// Most GPUs that split a sequence.
    pub sequence_split: f64,
    /// Most GPUs that split an expert.
    pub expert_tensor_parallel: f64,
}

/// By how much more an estimate is taken to be off for each doubling beyond what published runs tried: a step takes so
/// much longer, and its interval is so much wider. Assumed: left-out sources of a kind that no other covers are off by
/// twice to four times as much (`make fit`), over some four doublings.
pub(super) const CAUTION: f64 = 0.05;

/// Doublings by which a layout goes beyond what published runs of its kind tried, `tokens` in a mean micro-batch on one
/// GPU: of experts on a rank, tokens, stages, chunks of a stage, layers of a chunk, GPUs that split a sequence or an expert.
/// All activations in host memory count as one: runs that moved any kept those of half the layers (Megatron-Bridge's
/// recipes for GB200 and GB300).
#[must_use]
pub fn beyond(job: &Job, layout: &Layout, tokens: f64) -> f64 {
    let framework = framework(layout);
    let reinforcement = job.workload.rl.is_some();
    let experts = job.model.shape.num_experts > 0;
    let alike = |own: &&Layouts| own.framework == framework && own.experts == experts;
    let own = COVERAGE.layouts.iter().filter(alike);
    let own = own
        .clone()
        .find(|own| own.reinforcement == reinforcement)
        .or(own.clone().next());
    let moved = f64::from(u8::from(layout.offload.activations));
    // Of a kind that no run covers nothing says where its layouts end: its interval is the widest.
    let Some(own) = own else { return moved };
    let mut times = 1.0;
    let mut past = |value: f64, most: f64| {
        if value > most && most > 0.0 {
            times *= value / most;
        }
    };
    let shape = &job.model.shape;
    let [pipeline, chunks, expert, expert_tensor] =
        [layout.pipeline_parallel, layout.virtual_pipeline, layout.expert_parallel, layout.expert_tensor_parallel]
            .map(f64::from);
    if experts {
        past(shape.num_experts as f64 / expert, own.experts_per_rank);
        past(expert_tensor, own.expert_tensor_parallel);
    }
    past(tokens, own.tokens);
    past(pipeline, own.pipeline_parallel);
    past(chunks, own.virtual_pipeline);
    past(own.layers_per_chunk, shape.num_hidden_layers as f64 / (pipeline * chunks));
    past(f64::from(layout.sequence_split()), own.sequence_split);
    // Most layouts go beyond nothing.
    if times > 1.0 { moved + libm::log2(times) } else { moved }
}

/// How many times as long a step is taken to be for going beyond what published runs tried.
#[must_use]
pub fn caution(job: &Job, layout: &Layout, tokens: f64) -> f64 {
    let beyond = beyond(job, layout, tokens);
    if beyond > 0.0 { libm::exp(CAUTION * beyond) } else { 1.0 }
}

/// How many times as long generation is taken to be beyond what published runs tried: none has data-parallel attention.
#[must_use]
pub fn engine_caution(engine: &RolloutPlan) -> f64 {
    let tensor = f64::from(engine.tensor_parallel) / COVERAGE.engine_tensor_parallel;
    let doublings = libm::log2(tensor.max(1.0)) + libm::log2(f64::from(engine.data_parallel.max(1)));
    libm::exp(CAUTION * doublings)
}
