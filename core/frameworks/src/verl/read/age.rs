//! How old a command is by what it leaves out.

use crate::read::draft::Draft;

/// Until 0.5.0 the engine had a default, vLLM: `rollout.yaml` has `name: ???` since 0.6.0
/// (<https://github.com/verl-project/verl/pull/2757>). A command that names none is of then, unless a key of it came later.
pub(super) fn unnamed_engine(draft: &mut Draft, program: &str) {
    let name = "actor_rollout_ref.rollout.name";
    let later = SINCE_0_6_0.iter().any(|start| draft.states_any(start));
    if !program.is_empty() && !draft.states(name) && !later {
        draft.shows_older("0.6.0");
        draft.lacks(name, "vllm");
    }
}

/// Beginnings of keys that no packaged configuration before 0.6.0 has (the wheels of 0.3.0 to 0.9.1 on PyPI, composed).
const SINCE_0_6_0: &[&str] = &[
    "model_engine",
    "trainer.use_v1",
    "trainer.v1.",
    "transfer_queue.",
    "distillation.",
    "reward.",
    "critic.fsdp.",
    "global_profiler.",
    "algorithm.rollout_correction.",
    "algorithm.rollout_is",
    "actor_rollout_ref.model.lora.",
    "actor_rollout_ref.model.mtp.",
    "actor_rollout_ref.model.tiled_mlp.",
    "actor_rollout_ref.actor.megatron.router_replay.",
    "actor_rollout_ref.rollout.checkpoint_engine.",
    "actor_rollout_ref.rollout.data_parallel_size",
    "actor_rollout_ref.rollout.expert_parallel_size",
    "actor_rollout_ref.rollout.prometheus.",
    "actor_rollout_ref.rollout.quantization",
];
