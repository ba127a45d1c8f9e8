//! Rules about the engine that generates.

use super::{Case, PRACTICE, Rule, VERL_GUIDE, rule};
use shardwise_catalog::units::fixed;
use shardwise_engine::memory::Lengths;
use shardwise_engine::phase::Phase;
use shardwise_engine::rl;
use shardwise_engine::rl::handover::{Gathered, gathered};
use shardwise_question::complete::generating_gpus;
use shardwise_question::framework::TRL;
use shardwise_question::wire::Schedule;

/// `max_num_batched_tokens` that veRL's guide asks for at least: more than 2,048.
const BATCHED_TOKENS: u64 = 8192;

const FREE_CACHE: &str =
    "https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/examples/config.rst";

const IN_PARTS: &str =
    "https://github.com/modelscope/ms-swift/blob/3602360a5/docs/source_en/Instruction/Command-line-parameters.md";

/// Parallelism, memory, batch, launches.
pub(super) const RULES: [Rule; 7] = [
    rule("rollout-smaller-engines", PRACTICE, &["plan.rollout.tensor_parallel"], |case| {
        let engine = case.plan.rollout.as_ref()?;
        let half = engine.tensor_parallel / 2;
        case.propose_engine(half > 0, &format!("Rollout tensor parallelism of {half}"), &|engine| {
            engine.resize(|engine| engine.tensor_parallel = half);
        })
    }),
    rule("rollout-utilization", PRACTICE, &["plan.rollout.gpu_memory_utilization"], |case| {
        let engine = case.plan.rollout.as_ref()?;
        let safe = safe_utilization(case)?;
        let what = format!("gpu_memory_utilization of {}, the largest that is safe", fixed(safe, 2));
        let little = safe > engine.gpu_memory_utilization + 0.04;
        case.propose_engine(little, &what, &|engine| engine.gpu_memory_utilization = safe)
    }),
    rule("rollout-max-num-seqs", VERL_GUIDE, &["plan.rollout.max_num_seqs"], |case| {
        let engine = case.plan.rollout.as_ref()?;
        let engines = generating_gpus(case.job()) / engine.gpus();
        let each = requests(case).div_ceil(u64::from(engines.max(1)));
        let more = engine.max_num_seqs.saturating_mul(2).min(each);
        let few = engine.max_num_seqs < each;
        case.propose_engine(few, &format!("max_num_seqs of {more}"), &|engine| engine.max_num_seqs = more)
    }),
    rule("rollout-batched-tokens", VERL_GUIDE, &["plan.rollout.max_num_batched_tokens"], |case| {
        let engine = case.plan.rollout.as_ref()?;
        let few = engine.max_num_batched_tokens < BATCHED_TOKENS;
        let what = format!("max_num_batched_tokens of {BATCHED_TOKENS}");
        case.propose_engine(few, &what, &|engine| engine.max_num_batched_tokens = BATCHED_TOKENS)
    }),
    rule("rollout-cuda-graphs", VERL_GUIDE, &["plan.rollout.enforce_eager"], |case| {
        let eager = case.plan.rollout.as_ref()?.enforce_eager;
        case.propose_engine(eager, "enforce_eager off", &|engine| engine.enforce_eager = false)
    }),
    rule("rollout-free-cache", FREE_CACHE, &["plan.rollout.free_cache"], |case| {
        let rl = case.job().workload.rl.as_ref()?;
        let kept = !case.plan.rollout.as_ref()?.free_cache;
        let colocated = rl.schedule == Schedule::Colocated;
        let what = "Giving the engine's cache back while training";
        case.propose_engine(kept && colocated, what, &|engine| engine.free_cache = true)
    }),
    rule("weight-sync-parts", IN_PARTS, &["plan.weight_sync_parts"], |case| {
        case.job().workload.rl.as_ref()?;
        let layers = u32::try_from(case.job().model.shape.num_hidden_layers).ok()?;
        let whole = gathered(case.context, case.layout()) == Some(Gathered::Part(1));
        // TRL merges adapters into all of the model at once.
        let parts = case.job().framework.is_none_or(|own| own.id != TRL.id);
        let what = format!("Gathering new weights for the engine in {layers} parts");
        case.propose(whole && parts && layers > 1, &what, &|layout| layout.weight_sync_parts = Some(layers))
    }),
];

/// Responses of one step, or of the whole run.
fn requests(case: &Case<'_>) -> u64 {
    let workload = &case.job().workload;
    match (&workload.rl, &workload.generation) {
        (Some(rl), _) => rl.generated(),
        (None, Some(generation)) => generation.requests,
        (None, None) => 0,
    }
}

/// The largest share of the card that the engine can take beside what training leaves there.
fn safe_utilization(case: &Case<'_>) -> Option<f64> {
    let (rl, engine) = (case.job().workload.rl.as_ref()?, case.plan.rollout.as_ref()?);
    let memories = &case.step.memories;
    let (_, memory) = memories.iter().find(|(phase, _)| *phase == Phase::Rollout)?;
    let (_, resident) = memory.terms(Lengths::Expected);
    Some(rl::safe_utilization(case.context, engine, rl, resident))
}
