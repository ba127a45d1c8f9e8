//! A model in the step.

use crate::blocks::{Blocks, Mixer};
use shardwise_catalog::model::{Model, Picture};
use shardwise_question::adapters::ExpertAdapters;
use shardwise_question::job::Job;
use shardwise_question::wire::Backend;

/// A model in the step, and what it computes.
#[derive(Clone, Copy, Debug)]
pub struct Role<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Adapter weights that train, where each expert has its own; 0 where all weights do.
    pub adapters: u64,
    /// Of them those of routed experts.
    pub expert_adapters: u64,
    /// What routed experts have of them, in the order of [`Backend::ALL`].
    pub on_experts: [ExpertAdapters; Backend::ALL.len()],
    /// What follows the last block.
    pub head: Head,
    /// An image as its vision tower takes it, where the question has some.
    pub picture: Option<&'a Picture>,
    /// Weights of its vision tower that do not train.
    pub frozen: u64,
    /// Whether every GPU of a tensor-parallel group has Gated `DeltaNet` whole.
    pub repeats_delta_net: bool,
}

impl<'a> Role<'a> {
    /// A model as a job's framework trains it, without adapters, images or a frozen tower.
    pub(crate) fn whole(job: &Job, model: &'a Model, blocks: &'a Blocks, head: Head) -> Self {
        Self {
            model,
            blocks,
            adapters: 0,
            expert_adapters: 0,
            on_experts: [ExpertAdapters::Each; Backend::ALL.len()],
            head,
            picture: None,
            frozen: 0,
            repeats_delta_net: job.repeats_delta_net(),
        }
    }

    /// The same with all that it has of adapters switched off.
    pub(crate) fn without_adapters(self) -> Self {
        Self { adapters: 0, expert_adapters: 0, ..self }
    }

    /// Whether every GPU of a tensor-parallel group has such a layer whole.
    pub(crate) fn repeats(&self, mixer: Mixer) -> bool {
        self.repeats_delta_net && mixer == Mixer::DeltaNet
    }

    /// What routed experts have of adapters on a backend.
    #[must_use]
    pub fn on_experts(&self, backend: Backend) -> ExpertAdapters {
        self.on_experts[backend as usize]
    }

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
