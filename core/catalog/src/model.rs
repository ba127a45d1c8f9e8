//! Models: shapes, where they come from, and what they weigh.

mod config;
mod lora;
mod matrices;
mod parameters;
mod picture;
mod reading;
mod shape;

pub use config::{model_from_config, model_of_entry, resolve_model};
pub use lora::LoraTargets;
pub use matrices::{Matrices, adapter_matrices, block_matrices};
pub use parameters::ParameterCounts;
pub use picture::{Picture, Projection};
pub use reading::{Reading, Released};
pub use shape::{Linear, Mamba, Norm, QkNorm, Shape, Vision, VisionKind};

use std::borrow::Cow;

/// A model a question is about: from the catalog, or described in the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Catalog id, or `custom`.
    pub id: Cow<'static, str>,
    /// Name for a person.
    pub name: Cow<'static, str>,
    /// Hugging Face repository, empty where there is none.
    pub hf_repo: Cow<'static, str>,
    /// Architecture.
    pub shape: Shape,
    /// Weights by part.
    pub parameters: ParameterCounts,
    /// Whether the architecture has parts that the time model does not cover yet (Mamba-2, Gated
    /// `DeltaNet`, sparse attention); such an estimate carries a caveat.
    pub hybrid: bool,
    /// What its `config.json` leaves open, and in which form its weights are published.
    pub reading: Reading,
}
