//! Parallel layouts that frameworks publish for models, each with its source.
//!
//! The table comes from `core/catalog/data/recipes.toml`; `build.rs` checks and compiles it in.

use crate::wire::WorkloadKind;
use shardwise_catalog::catalog::Source;

include!(concat!(env!("OUT_DIR"), "/recipes.rs"));

/// A framework whose recipes are on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publisher {
    /// Name for a person.
    pub name: &'static str,
    /// The folder of its files, at the commit that was read.
    pub source: Source,
}

/// A Megatron layout as a recipe, an example or a performance configuration states it. What it leaves open is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Who publishes it.
    pub publisher: &'static Publisher,
    /// Model id.
    pub model: &'static str,
    /// The task.
    pub kind: WorkloadKind,
    /// GPU id.
    pub gpu: Option<&'static str>,
    /// Number of GPUs.
    pub gpus: Option<u32>,
    /// Longest sequence in tokens.
    pub sequence_length: Option<u64>,
    /// TP.
    pub tensor_parallel: Option<u32>,
    /// PP.
    pub pipeline_parallel: Option<u32>,
    /// VPP: model chunks per stage.
    pub virtual_pipeline: Option<u32>,
    /// CP.
    pub context_parallel: Option<u32>,
    /// EP.
    pub expert_parallel: Option<u32>,
    /// ETP.
    pub expert_tensor_parallel: Option<u32>,
    /// The publisher's file, and its line.
    pub file: &'static str,
}

impl Recipe {
    /// Address of the file and line that state the recipe.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}{}", self.publisher.source.url, self.file)
    }
}

/// Every recipe, by model and task.
///
/// ```
/// let recipes = shardwise_core::recipes::recipes();
/// let of_nemo = recipes.iter().find(|recipe| recipe.publisher.name == "NeMo RL").unwrap();
/// assert!(of_nemo.url().starts_with("https://github.com/NVIDIA-NeMo/RL/blob/"));
/// ```
#[must_use]
pub fn recipes() -> &'static [Recipe] {
    RECIPES
}
