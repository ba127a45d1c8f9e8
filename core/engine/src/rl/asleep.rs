//! What an engine leaves on the card while training has it.

use crate::context::Context;
use crate::rollout::{self, Room};
use shardwise_catalog::units::Bytes;
use shardwise_question::framework::engine_apart;
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::{MemoryParts, Schedule};
use shardwise_question::workload::Rl;

/// GiB on each GPU of an engine of several that its process groups keep: NCCL's buffers, 1 at TP 4
/// (<https://github.com/vllm-project/vllm/pull/51485>) and 958 MiB on 8 GPUs that share experts
/// (<https://github.com/vllm-project/vllm/pull/46234>), which sleep leaves unless it is asked to suspend them.
const GROUPS_GIB: f64 = 1.0;

/// GiB that the process of an engine has on the card whatever it lets go of: 774 MiB of a model of one billion asleep on one GPU without
/// graphs (<https://github.com/NVIDIA-NeMo/RL/issues/223>). All of a sleeping engine was 2,440 MiB there at TP 2, where this and the
/// groups come to 1,790, and 6,962 at TP 8 over two nodes with Kimi-K2.6, of which 1,434 were graphs
/// (<https://github.com/vllm-project/vllm/issues/47654>): what else it was no source says.
const PROCESS_GIB: f64 = 0.75;

/// What an engine holds on the card while training has it: nothing where it has GPUs of its own.
#[must_use]
pub fn kept_engine(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl, room: &Room) -> MemoryParts {
    if rl.schedule != Schedule::Colocated {
        return MemoryParts::default();
    }
    let asleep = asleep(context, engine, rl);
    if engine.free_cache {
        return asleep;
    }
    // What is the trainer's counts as that.
    let weights = if room.shared { 0.0 } else { room.weights.gib() };
    MemoryParts { rollout_weights: weights, kv_cache: room.cache.gib(), ..asleep }
}

/// What a sleeping engine leaves on the card: its CUDA graphs, its process groups' buffers and its process.
///
/// vLLM's sleep releases weights and cache alone, on either level. 1.4 GiB of graphs stayed with Kimi-K2.6 at TP 8
/// (<https://github.com/vllm-project/vllm/issues/47654>).
#[must_use]
pub fn asleep(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> MemoryParts {
    let groups = Bytes::from_gib(if engine.gpus() > 1 { GROUPS_GIB } else { 0.0 });
    let framework = rollout::graphs(engine) + groups + process(context, engine, rl);
    MemoryParts { framework: framework.gib(), ..MemoryParts::default() }
}

/// What the process of an engine beside training takes, where it is not the trainer's.
#[must_use]
pub fn process(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> Bytes {
    let framework = context.job.framework.map(|own| own.id);
    let apart = rl.schedule == Schedule::Colocated && engine_apart(framework, rollout::is_early(engine));
    Bytes::from_gib(if apart { PROCESS_GIB } else { 0.0 })
}
