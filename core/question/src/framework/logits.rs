//! What frameworks' RL makes of logits.

use super::{CHATLEARN, MS_SWIFT, NEMO_RL, Named, OPENRLHF, SKYRL, SLIME, TRL, UNSLOTH};
use crate::wire::Backend;

/// Bytes that a logit takes at the worst moment of a pass of RL that fuses neither LM head nor loss into one kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogitBytes {
    /// Of an update.
    pub update: f64,
    /// Of a pass without gradients.
    pub forward: f64,
}

const fn logits(update: f64, forward: f64) -> LogitBytes {
    LogitBytes { update, forward }
}

/// What a framework's RL makes of logits, on Megatron or on another backend.
///
/// | whose | Megatron | others |
/// |---|---|---|
/// | veRL, and where none is named | 6 and 8: fp32 beside bf16, whose softmax is the gradient; the entropy of old log-probabilities goes over a copy (`vocab_parallel_log_probs_from_logits` of `utils/megatron/tensor_parallel.py` of 0.9.1; megatron-core, `tensor_parallel/cross_entropy.py`; `workers/engine/megatron/transformer_impl.py`, line 1215). A fused LM head takes 2 of them at least from the peak (<https://github.com/volcengine/verl/pull/7826>) | 2 and 2: the gradient takes the place of the logits (`logprobs_from_logits` of `utils/torch_functional.py` of 0.9.1: FlashAttention's cross-entropy with `inplace_backward`). Padded 4 and 10: a copy is made of what is no padding, and the entropy of old log-probabilities is no compiled kernel, but a softmax, which autocast has in fp32, and its product with the logits (`workers/engine/fsdp/transformer_impl.py`, lines 1491 and 1500; `entropy_from_logits` of `utils/torch_functional.py`) |
/// | `SkyRL` | 12 and 6: fp32 logits are kept, and a chunk's gradient is one of as many (`ChunkedDistributedLogprob` of `backends/skyrl_train/distributed/megatron/model_utils.py` of 0.3.0) | 2 and 2, as veRL's (`backends/skyrl_train/utils/torch_utils.py`, line 137); padded too, as its entropy goes by chunks (`chunked_entropy_from_logits`, there) |
/// | slime | 12 and 8: fp32 logits, each sample's softmax and the gradient of all (`_VocabParallelLogProbEntropy` of `slime/utils/ppo_utils.py` at 624b824) | |
/// | NeMo-RL | 14 and 14: bf16, fp32, shifted and log-softmax (`DistributedLogprob` of `nemo_rl/distributed/model_utils.py` at 7ea279a) | 12 and 10: bf16, fp32 and log-softmax (`get_next_token_logprobs_from_logits`, there) |
/// | `ChatLearn` | 12 and 12: fp32 logits, a clone and the entropy's softmax (`chatlearn/algorithm/grpo_utils/megatron_utils/train_helper.py`, line 481) | 6 and 4: logits, log-softmax and gradient in bf16 (`logprobs_from_logits` of `trainer_utils.py`) |
/// | `OpenRLHF` | | 10 and 6: fp32, its gradient, and that in bf16 (`openrlhf/models/actor.py` of 0.11.2, line 267, and `models/utils.py`, `log_probs_from_logits`) |
/// | ms-swift, TRL without its fused LM head | as veRL's | 6 and 4: logits, log-softmax and gradient in bf16 (`swift/rlhf_trainers/grpo_trainer.py` of 4.6.0, `_get_logps_via_local_forward`; TRL's `selective_log_softmax` of `trainer/utils.py`) |
/// | Unsloth | | 2 and 2: its loss goes by chunks |
///
/// `packs` is whether the sequences of a pass stand side by side.
///
/// ```
/// use shardwise_core::framework::rl_logit_bytes;
/// use shardwise_core::wire::Backend;
/// let of = |framework, backend| rl_logit_bytes(framework, backend, true).update;
/// assert_eq!([of(None, Backend::Fsdp), of(Some("openrlhf"), Backend::Deepspeed), of(None, Backend::Megatron)], [2.0, 10.0, 6.0]);
/// let padded = |framework| rl_logit_bytes(framework, Backend::Fsdp, false).forward;
/// assert_eq!([None, Some("verl"), Some("skyrl"), Some("ms-swift")].map(padded), [10.0, 10.0, 2.0, 4.0]);
/// ```
#[must_use]
pub fn rl_logit_bytes(framework: Option<&str>, backend: Backend, packs: bool) -> LogitBytes {
    let is = |own: &Named| framework == Some(own.id);
    if backend == Backend::Megatron {
        if is(&SKYRL) {
            logits(12.0, 6.0)
        } else if is(&SLIME) {
            logits(12.0, 8.0)
        } else if is(&NEMO_RL) {
            logits(14.0, 14.0)
        } else if is(&CHATLEARN) {
            logits(12.0, 12.0)
        } else {
            logits(6.0, 8.0)
        }
    } else if is(&OPENRLHF) {
        logits(10.0, 6.0)
    } else if is(&NEMO_RL) {
        logits(12.0, 10.0)
    } else if is(&CHATLEARN) || is(&MS_SWIFT) || is(&TRL) {
        logits(6.0, 4.0)
    } else if packs || is(&SKYRL) || is(&UNSLOTH) {
        logits(2.0, 2.0)
    } else {
        logits(4.0, 10.0)
    }
}
