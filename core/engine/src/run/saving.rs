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

/// Bytes per second from each GPU to its host while training waits for a checkpoint that is written beside it. A model of 405
/// billion weights, 14 bytes for each, on 8,960 GPUs stopped training for 0.59 seconds (Wan et al. 2024, `ByteCheckpoint`,
/// arXiv:2407.20143, table 8): far below the host link, as planning and locking memory are in it.
pub const HOST_COPY_BYTES_PER_S: f64 = 1.07e9;

/// The rate at which a GPU hands over its share over a host link of so many bytes per second.
#[must_use]
pub fn copying(host_link: f64) -> f64 {
    host_link.min(HOST_COPY_BYTES_PER_S)
}

/// Seconds of a checkpoint of `bytes`, which all nodes write side by side to a storage that takes `bytes_per_s`. Where it
/// is written while training goes on, training waits until each of `gpus` has copied its share to its host's memory, over
/// a link of `host_link` bytes per second: at 1.07 GB/s or what the link has. A model of 405 billion weights, 14 bytes for
/// each, on 8,960 GPUs took 51.06 seconds to save, as at 111 GB/s, and stopped training for 0.59 (Wan et al. 2024,
/// `ByteCheckpoint`, arXiv:2407.20143, table 8).
///
/// ```
/// use shardwise_core::operations::{Often, SavingPlan};
/// use shardwise_core::run::saving::times;
/// let plan = SavingPlan { every: Often::Best, bytes_per_s: 111e9, asynchronous: true };
/// let own = times(&plan, 405e9 * 14.0, 8960.0, 64e9);
/// assert_eq!((own.write.round(), (own.pause * 100.0).round()), (51.0, 59.0));
/// ```
#[must_use]
pub fn times(plan: &SavingPlan, bytes: f64, gpus: f64, host_link: f64) -> Times {
    let write = bytes / plan.bytes_per_s;
    let copy = bytes / (gpus * copying(host_link));
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
