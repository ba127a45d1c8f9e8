//! How long a checkpoint takes.

use super::failures::Attempts;
use shardwise_question::operations::SavingPlan;

/// Seconds of one checkpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Until it is written.
    pub write: f64,
    /// In which training waits, whatever the last one does.
    pub pause: f64,
}

/// Seconds of a checkpoint of `bytes`, which all nodes write side by side to a storage that takes `bytes_per_s`. Where it
/// is written while training goes on, training waits until each of `gpus` has copied its share over a host link of
/// `host_link` bytes per second. Planning and metadata are not in it.
///
/// A model of 405 billion weights, 14 bytes for each, on 8,960 GPUs took 51.06 seconds to save and stopped training for 0.59
/// (Wan et al. 2024, ByteCheckpoint, arXiv:2407.20143, table 8): as at 111 GB/s, with 1.1 GB/s to the host from each GPU.
///
/// ```
/// use shardwise_core::operations::{Often, SavingPlan};
/// use shardwise_core::run::saving::times;
/// let plan = SavingPlan { every: Often::Best, bytes_per_s: 111e9, asynchronous: true };
/// let own = times(&plan, 405e9 * 14.0, 8960.0, 64e9);
/// assert_eq!(own.write.round(), 51.0);
/// assert!(own.pause < 0.59);
/// ```
#[must_use]
pub fn times(plan: &SavingPlan, bytes: f64, gpus: f64, host_link: f64) -> Times {
    let write = bytes / plan.bytes_per_s;
    let copy = bytes / (gpus * host_link);
    Times { write, pause: if plan.asynchronous { copy.min(write) } else { write } }
}

impl Times {
    /// Work that a failure loses beside what was done since the last checkpoint: a checkpoint that is still being written
    /// is none yet.
    #[must_use]
    pub fn redone(&self) -> f64 {
        self.write - self.pause
    }

    /// `work` seconds in equal parts, each with its checkpoint: the next one begins only after the last is written.
    #[must_use]
    pub fn cut(&self, work: f64, parts: f64) -> Attempts {
        let one = work / parts;
        Attempts { parts, work: one, pause: self.pause.max(self.write - one) }
    }
}
