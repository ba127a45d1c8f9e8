//! Which frameworks' FSDP reduces gradients once a step, and not after each micro-batch.

use super::{AXOLOTL, LLAMAFACTORY, MS_SWIFT, TRL, VERL};

/// Bytes of a gradient that a framework's FSDP keeps whole from micro-batch to micro-batch where it fine-tunes; `None` where it
/// reduces those of each, as torchtitan does.
///
/// Hugging Face's Trainer, which the four of the first arm subclass, has all but a step's last micro-batch run in accelerate's `no_sync`
/// (`transformers` 5.23, `trainer.py`, lines 1896 to 1908), which is FSDP1's and FSDP2's `set_requires_gradient_sync(False)`
/// (accelerate 1.15, `accelerator.py`, lines 1166 to 1180): gradients stay in the 16 bits of products, in which accelerate reduces
/// them (`utils/dataclasses.py`, `FullyShardedDataParallelPlugin.set_mixed_precision`). veRL does so since 0.9
/// (<https://github.com/verl-project/verl/pull/7095>, `_gradient_sync_context` of `workers/engine/fsdp/transformer_impl.py`); its FSDP2
/// sums in fp32 (`reduce_dtype` there, line 379).
///
/// ```
/// use shardwise_core::framework::sums_whole;
/// assert_eq!([("trl", "1.16.0"), ("verl", "0.9.1")].map(|(id, version)| sums_whole(id, version)), [Some(2.0), Some(4.0)]);
/// assert_eq!([("torchtitan", "0.3.0"), ("verl", "0.8.0")].map(|(id, version)| sums_whole(id, version)), [None, None]);
/// ```
#[must_use]
pub fn sums_whole(framework: &str, version: &str) -> Option<f64> {
    match framework {
        _ if [TRL.id, LLAMAFACTORY.id, AXOLOTL.id, MS_SWIFT.id].contains(&framework) => Some(2.0),
        _ if framework == VERL.id && !REDUCES_EACH.contains(&version) => Some(4.0),
        _ => None,
    }
}

/// The same where nobody is named and a plan is looked for: as most that fine-tune do, which one of them is to run.
pub const SEARCHED_SUMS: f64 = 4.0;

/// Releases of veRL that reduce each micro-batch's gradients.
const REDUCES_EACH: [&str; 4] = ["0.4.1", "0.5.0", "0.7.1", "0.8.0"];
