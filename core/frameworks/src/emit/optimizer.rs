//! The plan's optimizer in the words of frameworks that step by several.

use super::Emission;
use shardwise_question::optimizer::moment_bytes;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Backend, Optimizer};
use shardwise_rules::optimizer as named;

/// Bytes of moments per weight that the plan's optimizer keeps; `adamw` where it is that.
pub(crate) fn kept_moments(emission: &Emission, layout: &Layout, adamw: f64) -> f64 {
    moment_bytes(emission.job, layout.backend, layout.optimizer.kind).unwrap_or(adamw)
}

/// What an optimizer keeps, as the reason for its word.
pub(crate) fn keeps(optimizer: Optimizer) -> &'static str {
    match optimizer {
        Optimizer::Adamw => "two moments of 4 bytes each",
        Optimizer::Adamw8bit => "two moments of one byte each",
        Optimizer::PagedAdamw => "two moments of 4 bytes each, in host memory where the card is full",
        Optimizer::PagedAdamw8bit => "two moments of one byte each, in host memory where the card is full",
        Optimizer::Adafactor => "one figure for each row and column of a matrix",
        Optimizer::Lion => "one moment of 4 bytes",
        Optimizer::Lion8bit => "one moment of one byte",
        Optimizer::Sgd => "no moments",
        Optimizer::Muon => "one moment of 4 bytes for matrices, AdamW's two for the rest",
    }
}

/// `optim` of Hugging Face's Trainer, where the text has to name it, and why: not where `DeepSpeed` builds the optimizer of
/// its own file.
pub(super) fn trainer(layout: &Layout) -> Option<(&'static str, &'static str)> {
    let own = layout.optimizer.kind;
    let by_file = layout.backend == Backend::Deepspeed && named::deepspeed(own).is_some();
    let word = named::hugging_face(layout.backend, own)?;
    (!by_file).then(|| (word, keeps(own)))
}
