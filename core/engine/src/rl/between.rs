//! What comes between the phases of an RL step: new weights on their way, and the driver's own work.

use crate::context::Context;
use crate::rollout;
use shardwise_catalog::units::Seconds;
use shardwise_question::job::Timed;
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::{Schedule, TimeParts};
use shardwise_question::workload::Rl;

/// How the time of handing weights over grows with the model: 37 syncs of models of 15 to 470 GB lie on this power, and so
/// does NeMo-RL's 1.3 TB in less than a minute.
const SYNC_GROWTH: f64 = 0.7;

/// New weights on their way to the engine: gathered from their shards, copied into place. Of adapters alone where the engine reads
/// the trainer's base.
pub(super) fn weight_sync(context: &Context<'_>, plan: &Plan, rl: &Rl, engine: &RolloutPlan) -> TimeParts {
    let (gather, copy) = synced_by_links(context, &plan.layout, engine);
    let parts = TimeParts {
        weight_sync: (gather + copy).max(synced_by_tensor(context, &plan.layout)).get() + waking(context, rl, engine),
        ..TimeParts::default()
    };
    // Before a batch that is sampled alone.
    parts.times(context.job.time_factor(Timed::WeightSync) * context.job.workload.sampled_share())
}

/// What the trainer's driver does between the phases: advantages, metrics, data.
pub(super) fn driver(context: &Context<'_>, rl: &Rl) -> TimeParts {
    let overhead = between(context, rl) + fetching(context, rl);
    let parts = TimeParts { overhead, ..TimeParts::default() };
    parts.times(context.job.time_factor(Timed::Else))
}

/// Seconds of what is done between the phases: as long in every step where a driver holds the batch, else by responses. The steps that
/// say so are of engines that share their GPUs with training; no other is known beside veRL's and NeMo-RL's.
pub(super) fn between(context: &Context<'_>, rl: &Rl) -> f64 {
    let efficiency = context.efficiency;
    if context.job.drives_lightly() && rl.schedule == Schedule::Colocated {
        rl.sequences() as f64 * efficiency.response_s
    } else {
        efficiency.driver_s
    }
}

/// Seconds in which the trainer takes a step's samples out of the queue that fully asynchronous generation fills, padded as they
/// are handed to the workers; where a batch is generated at once, that is part of its generation.
///
/// `_get_samples_from_queue` of veRL's `experimental/fully_async_policy/fully_async_trainer.py` (at 1d85d951) unpickles them one by
/// one and puts them together, while nothing trains. Of the `gen` of veRL's `docs/advance/fully_async.md`, 21 to 33 s for 252
/// million padded tokens, which waiting for samples is part of, this says 14.
pub(super) fn fetching(context: &Context<'_>, rl: &Rl) -> f64 {
    if rl.schedule != Schedule::FullyAsync {
        return 0.0;
    }
    rl.sequences() as f64 * rl.max_length() as f64 * context.efficiency.rl_handed_s
}

/// Bytes of new weights in 16 bits: of all, or of adapters where the engine reads the base that the trainer has (`load_lora` of
/// `unsloth_zoo/vllm_utils.py`, 2026.10.9).
fn handed_bytes(context: &Context<'_>) -> f64 {
    2.0 * if context.job.shares_base() { context.adapters } else { context.job.model.parameters.total } as f64
}

/// Gathered over the links, copied into place.
pub(super) fn synced_by_links(context: &Context<'_>, layout: &Layout, engine: &RolloutPlan) -> (Seconds, Seconds) {
    let bytes = handed_bytes(context);
    let network = &context.network;
    let group = network.group(context.job.hardware.gpus, 1);
    let gather = network.gather(bytes / f64::from(layout.pipeline_parallel), group);
    let copy = bytes / f64::from(engine.tensor_parallel) / context.rates.memory.get() * 2.0;
    (gather, Seconds::new(copy))
}

/// Tensor by tensor: gathered, renamed, loaded. That, not the links, decides. Larger models are on more GPUs, which gather
/// side by side: in `verl_megatron_practice` 15 GB take 2.3 s, 61 take 6.2, 470 take 25.
///
/// Experts have no constant of their own. NeMo-RL's resharding over NCCL (<https://github.com/NVIDIA-NeMo/RL/pull/2808>, and
/// 2971), which sends a rank what it lacks alone, hands over 61 GB in half a second and 1.3 TB in 8 to 10, of experts as of dense
/// models on one power; it is one framework's option, which no question states.
pub(super) fn synced_by_tensor(context: &Context<'_>, layout: &Layout) -> Seconds {
    let grown = || libm::pow(handed_bytes(context) / 1e9, SYNC_GROWTH);
    Seconds::new(context.framework(layout).rl_sync_s * context.known.handed.get_or_init(grown))
}

/// Seconds that waking takes at least, whichever engine it is.
pub(super) fn least_waking(context: &Context<'_>, rl: &Rl) -> f64 {
    awake(context, rl, None)
}

/// Seconds in which the engine wakes.
pub(super) fn waking(context: &Context<'_>, rl: &Rl, engine: &RolloutPlan) -> f64 {
    awake(context, rl, Some(engine))
}

fn awake(context: &Context<'_>, rl: &Rl, engine: Option<&RolloutPlan>) -> f64 {
    if sleeps(rl) { rollout::waking(context.efficiency, context.job.waking(), engine) } else { 0.0 }
}

/// Whether the engine sleeps while the trainer has its GPUs.
fn sleeps(rl: &Rl) -> bool {
    match rl.schedule {
        Schedule::Colocated => true,
        Schedule::Split | Schedule::OneStepOff | Schedule::FullyAsync => false,
    }
}
