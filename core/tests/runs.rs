//! The published training runs of `core/tests/data/training.jsonl`, shared by the accuracy test and `examples/fit`.

use serde::Deserialize;
use shardwise_core::wire::{Answer, Question};

const RUNS: &str = include_str!("data/training.jsonl");
const HELD: &str = include_str!("data/held.jsonl");

/// A published run and the question that describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) source_url: String,
    pub(crate) date: String,
    /// Publisher: what is left out together in cross-validation.
    pub(crate) group: String,
    pub(crate) model: String,
    pub(crate) family: String,
    /// The trainer, as its source names it.
    pub(crate) framework: String,
    /// Whether the source states all that matters.
    pub(crate) headline: bool,
    pub(crate) tokens_per_s_per_gpu: Option<f64>,
    pub(crate) memory_gib: Option<f64>,
    pub(crate) memory_kind: Option<MemoryKind>,
    /// Why the memory figure is not what the estimate is of.
    pub(crate) memory_doubt: Option<String>,
    /// What the question states beside the published table, and where it is from.
    pub(crate) mended: Option<String>,
    pub(crate) question: Question,
}

/// What the source read: the allocator's peak, what it reserved (`torch.cuda.max_memory_reserved`), or what `nvidia-smi`
/// shows.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MemoryKind {
    PeakGib,
    TorchReserved,
    ReservedGib,
}

/// What the driver takes beside the allocator: `context_gib` of `catalog/efficiency.toml`.
const CONTEXT_GIB: f64 = 0.9;

impl Run {
    /// The estimate's figure of the kind that was measured.
    #[must_use]
    pub(crate) fn predicted_gib(&self, answer: &Answer) -> f64 {
        let memory = &answer.memory;
        match self.memory_kind {
            Some(MemoryKind::ReservedGib) => memory.reserved_gib,
            Some(MemoryKind::TorchReserved) => memory
                .peak_gib
                .max(memory.reserved_gib - memory.parts.communication - CONTEXT_GIB),
            _ => memory.peak_gib,
        }
    }

    /// Whether the memory figure belongs to the headline: all that matters is stated, and the figure is the peak's.
    #[must_use]
    pub(crate) fn memory_headline(&self) -> bool {
        self.headline && self.memory_doubt.is_none()
    }
}

/// All runs, in order.
#[must_use]
pub(crate) fn all() -> Vec<Run> {
    read(RUNS)
}

/// Runs that nothing is fitted on: too few of their makers' cards for a rate of their own.
#[must_use]
pub(crate) fn held() -> Vec<Run> {
    read(HELD)
}

fn read(lines: &str) -> Vec<Run> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}
