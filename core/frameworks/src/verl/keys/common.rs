//! What several of veRL's tables say: why keys do not matter, and rows that stand in more than one.

use crate::binding::Meaning::{Field, Ignored};
use crate::binding::{Meaning, Row, row, say, says, when};
use crate::emit::text::home;

/// Keys that are read alone, with their meanings.
pub(super) type Keys = &'static [(&'static str, Meaning)];

pub(super) const LOG: Meaning = Ignored("logs and checkpoints");
pub(super) const DATA_SET: Meaning = Ignored("which data is read, and how");
pub(super) const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
pub(super) const PROFILE: Meaning = Ignored("profiling");
pub(super) const PATH: Meaning = Ignored("a place on disk");
pub(super) const VALIDATION: Meaning = Ignored("validation");
pub(super) const LENGTH: Meaning = Ignored("length of the run");
pub(super) const KERNELS: Meaning = Ignored("the estimate's kernels are fused ones");
pub(super) const SHAPE: Meaning = Ignored("the model's shape is the catalog's");
pub(super) const ROUTING: Meaning = Ignored("which experts are taken");
pub(super) const POOL: Meaning = Field("hardware.gpus workload.rl.train_gpus");

pub(super) const CHOSEN: &str = "from your question";
pub(super) const PASSES: &str = "passes over your data; yours to choose";
pub(super) const NODES: &str = "nodes that generate";
pub(super) const GPUS: &str = "GPUs of each that generate";
pub(super) const FILES: &str = "change this to your data";

pub(super) const TRAIN_FILES: Row = row("data.train_files", DATA_SET, |_| says(home("data/train.parquet"), FILES));
pub(super) const VAL_FILES: Row = row("data.val_files", DATA_SET, |_| says(home("data/test.parquet"), FILES));
/// Up to 0.7 a machine is not asked what it has (docs/ascend_tutorial/get_start/quick_start.rst).
pub(super) const DEVICE: Row = say("trainer.device", |at| {
    when(at.job().hardware.vendor() == Some("huawei"), "npu", "Ascend's; veRL's default is cuda")
});
pub(super) const LOGGER: Row =
    row("trainer.logger", LOG, |_| says("'[\"console\"]'", "veRL's default also wants a wandb account"));
