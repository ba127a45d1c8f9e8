//! A model in the step.

use crate::blocks::Blocks;
use shardwise_catalog::model::{Model, Picture};

/// A model in the step, and what it computes.
#[derive(Clone, Copy, Debug)]
pub struct Role<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Adapter weights that train; 0 where all weights do.
    pub adapters: u64,
    /// What follows the last block.
    pub head: Head,
    /// An image as its vision tower takes it, where the question has some.
    pub picture: Option<&'a Picture>,
    /// Weights of its vision tower that do not train.
    pub frozen: u64,
}

impl Role<'_> {
    /// Whether another is the same model, trained alike.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.model, other.model) && self.adapters == other.adapters && self.head == other.head
    }
}

/// What follows the last block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// The LM head.
    Vocabulary,
    /// One number per token: a critic or reward model.
    Scalar,
}
