//! What frameworks do between the phases of an RL step.

use super::{CHATLEARN, EASYR1, MS_SWIFT, NEMO_RL, OPENRLHF, SKYRL, SLIME, TRL, UNSLOTH};
use crate::wire::Backend;

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

/// How much of the weights that GPUs share is gathered on each at once, for the engine to take over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gathering {
    /// A tensor at a time; more of them wait in a bucket of so many GiB.
    Tensors(f64),
    /// A layer at a time.
    Layers,
    /// The whole model.
    Whole,
}

/// How a framework gathers the weights that it hands to its engine.
///
/// | whose | what |
/// |---|---|
/// | ms-swift under ZeRO-3 | the whole model, merged with its adapters: `deepspeed.zero.GatheredParameters` of each of `move_model_batches` groups of weights, by default one (`swift/rlhf_trainers/rollout_mixin.py` of 3602360a, lines 564 and 1010), beside an engine whose weights are awake (line 1191) |
/// | TRL under ZeRO-3 | with adapters the whole model, as they are merged all at once (`trl/generation/vllm_generation.py` of f2cd5771, line 463), else weight by weight (line 494) |
/// | veRL, adapters under FSDP | a layer at a time with `layered_summon`, which its scripts and the texts here set; else `FSDP.summon_full_params` of the whole model (`collect_lora_params` of `verl/utils/fsdp_utils.py` at 1dda039b, lines 731 and 752) |
/// | veRL, else | tensor by tensor (`full_tensor()` in `get_per_tensor_param` of `workers/engine/fsdp/transformer_impl.py`; the bridge's `export_hf_weights` of `workers/engine/megatron/transformer_impl.py`), through a bucket of 2048 MiB (`update_weights_bucket_megabytes` of `trainer/config/rollout/rollout.yaml`, line 292) |
/// | slime | through a bucket of 512 MiB (`--update-weight-buffer-size`, `slime/utils/arguments.py` at 624b824, line 528) |
/// | `SkyRL` | through a bucket of 1 GB (`weight_transfer_threshold_cuda_ipc_GB`, `skyrl/train/config/config.py` at a9564572, line 1115) |
/// | NeMo-RL | through a bucket of what the card has left (`NRL_REFIT_BUFFER_MEMORY_RATIO`, `refit_policy_generation` of `nemo_rl/algorithms/grpo.py` at 7ea279ab), which asks for none |
/// | `OpenRLHF` | weight by weight (`GatheredParameters([param])`) |
///
/// EasyR1's are DTensors, of which `full_tensor()` gathers one at a time (`_make_weight_iterator` of
/// `verl/workers/sharding_manager/fsdp_vllm.py` at b44b311): as veRL's.
///
/// ```
/// use shardwise_core::framework::{Gathering, gathering};
/// use shardwise_core::wire::Backend::{Deepspeed, Fsdp};
/// assert_eq!(gathering(Some("ms-swift"), Deepspeed, false), Gathering::Whole);
/// assert_eq!([false, true].map(|adapters| gathering(Some("trl"), Deepspeed, adapters)), [Gathering::Tensors(0.0), Gathering::Whole]);
/// assert_eq!([false, true].map(|adapters| gathering(None, Fsdp, adapters)), [Gathering::Tensors(2.0), Gathering::Layers]);
/// ```
#[must_use]
pub fn gathering(framework: Option<&str>, backend: Backend, adapters: bool) -> Gathering {
    let is = |names: &[&str]| framework.is_some_and(|own| names.contains(&own));
    match backend {
        Backend::Deepspeed if is(&[MS_SWIFT.id]) || adapters && is(&[TRL.id]) => Gathering::Whole,
        _ if is(&[TRL.id, MS_SWIFT.id, OPENRLHF.id, UNSLOTH.id, NEMO_RL.id]) => Gathering::Tensors(0.0),
        _ if is(&[SLIME.id]) => Gathering::Tensors(0.5),
        _ if is(&[SKYRL.id]) => Gathering::Tensors(1e9 / 1_073_741_824.0),
        Backend::Fsdp if adapters => Gathering::Layers,
        _ => Gathering::Tensors(2.0),
    }
}

/// Whether the engine that shares its GPUs with training is a process of its own, beside the trainer's: what Ray's actors, servers and
/// today's veRL have. TRL, ms-swift and `EasyR1` have it in the trainer's (`distributed_executor_backend="external_launcher"`:
/// `trl/generation/vllm_generation.py` of f2cd5771, line 359; `swift/rlhf_trainers/rollout_mixin.py` of 3602360a, line 524;
/// `verl/workers/rollout/vllm_rollout_spmd.py` of b44b311, line 135), and so had veRL with the engines of before 0.7, which are
/// `early`. Unsloth's is the trainer's model.
///
/// ```
/// use shardwise_core::framework::engine_apart;
/// assert_eq!([Some("skyrl"), None, Some("trl")].map(|own| engine_apart(own, false)), [true, true, false]);
/// assert!(!engine_apart(Some("verl"), true) && engine_apart(Some("nemo-rl"), true));
/// ```
#[must_use]
pub fn engine_apart(framework: Option<&str>, early: bool) -> bool {
    match framework {
        Some(own) if [TRL.id, MS_SWIFT.id, EASYR1.id, UNSLOTH.id].contains(&own) => false,
        Some(own) if [NEMO_RL.id, SKYRL.id, SLIME.id, OPENRLHF.id, CHATLEARN.id].contains(&own) => true,
        _ => !early,
    }
}
