//! What frameworks do between the phases of an RL step.

use super::{NEMO_RL, SKYRL, SLIME, TRL, UNSLOTH};

/// What wakes an engine that shares its GPUs with training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waking {
    /// What veRL does, by the engine's version: since 0.7 that is a server of its own.
    Server,
    /// A call of the engine, which the trainer or an actor beside it holds.
    Call,
    /// Training is paused whole, its process groups are destroyed, and both are brought back.
    Pause,
}

/// How a framework wakes its engine.
///
/// Whose engine is called: NeMo-RL's hand-over of 1.5 billion weights takes 2 s in all (Google's gpu-recipes, NeMo-RL on A4) and that
/// of 8 billion 4 to 5 (its blog on 0.3); a whole step of `SkyRL` with 1.5 billion takes 9.6 s
/// (<https://github.com/marin-community/marin/issues/6218>), one of TRL with `vllm_enable_sleep_mode` 2.7
/// (<https://github.com/huggingface/trl/issues/5312>; `generation/vllm_generation.py` at f2cd5771, lines 454, 542 and 656). Unsloth's
/// engine is in the trainer's process. `OpenRLHF`'s is in Ray's actors (`wake_up` of `openrlhf/trainer/ray/vllm_engine.py` at 3c3be623,
/// line 141), and no run says what that takes.
///
/// slime pauses Megatron by `torch_memory_saver` and destroys its process groups (`sleep` of `backends/megatron_utils/actor.py` at
/// 624b824); the constant `paused_s` says what measured it.
///
/// ```
/// use shardwise_core::framework::{Waking, waking};
/// assert_eq!([None, Some("verl"), Some("skyrl")].map(waking), [Waking::Server, Waking::Server, Waking::Call]);
/// assert_eq!(waking(Some("slime")), Waking::Pause);
/// ```
#[must_use]
pub fn waking(framework: Option<&str>) -> Waking {
    match framework {
        Some(own) if own == SLIME.id => Waking::Pause,
        Some(own) if [NEMO_RL.id, SKYRL.id, TRL.id, UNSLOTH.id].contains(&own) => Waking::Call,
        _ => Waking::Server,
    }
}

/// Whether what a framework does between the phases shrinks with the step, as no driver hands batches on that it holds.
///
/// TRL's trainers, which Unsloth's GRPO is, have each rank's samples in its own process. The whole steps of TRL and `SkyRL` that
/// [`waking`] names leave no room for what veRL's driver takes. Of vime, which began as slime, all between generation and training is 14 ms for 16
/// responses and 125 for 256 (<https://github.com/vllm-project/vime/issues/442>).
///
/// ```
/// use shardwise_core::framework::drives_lightly;
/// assert_eq!([None, Some("verl"), Some("nemo-rl"), Some("trl")].map(drives_lightly), [false, false, false, true]);
/// ```
#[must_use]
pub fn drives_lightly(framework: Option<&str>) -> bool {
    framework.is_some_and(|own| [TRL.id, UNSLOTH.id, SKYRL.id, SLIME.id].contains(&own))
}
