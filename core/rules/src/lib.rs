//! What frameworks refuse: divisibility, missing switches, tasks they do not have.
//!
//! [`FRAMEWORKS`] is the table of what each of them runs. Each function names the field to change. The emitters refuse by
//! these rules, and the search may leave out a plan that breaks one. Sources: the configuration code of verl 0.9.1, ChatLearn
//! b7af31a, DeepSpeed 0.19.8, TRL 1.16.0, `OpenRLHF` 0.11.2, megatron-core 0.16.1 with Megatron-LM of that tag,
//! Megatron-Bridge 0.3.1, torchtitan 0.2.2, LLaMA-Factory 0.9.5 and axolotl 0.19.0, which `e2e/frameworks` runs over the
//! emitted texts.

pub mod axolotl;
mod chatlearn;
mod deepspeed;
mod llamafactory;
pub mod llmforge;
pub mod megatron_bridge;
pub mod megatron_lm;
mod openrlhf;
pub mod positions;
mod rule;
pub mod torchtitan;
mod trainer;
pub(crate) mod trl;
pub mod verl;

pub use axolotl::violations as axolotl;
pub use chatlearn::reference_ranks;
pub use chatlearn::violations as chatlearn;
pub use deepspeed::micro as deepspeed_micro;
pub use deepspeed::violations as deepspeed;
pub use llamafactory::violations as llamafactory;
pub use llmforge::accelerators as llmforge_accelerators;
pub use llmforge::violations as llmforge;
pub use megatron_bridge::violations as megatron_bridge;
pub use megatron_lm::violations as megatron_lm;
pub use openrlhf::violations as openrlhf;
use rule::{Path, Rules};
pub use rule::{last_stage, machines, nodes, pools};
pub use torchtitan::violations as torchtitan;
pub use trl::violations as trl;
pub use verl::violations as verl;

use shardwise_catalog::error::InputError;
use shardwise_question::framework::{self, Named, version_of};
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::Backend;

/// What a framework runs.
pub struct Framework {
    /// Identifier, as in `shardwise flags --for`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Versions that texts are printed for and checked against, the default first.
    pub versions: &'static [&'static str],
    /// Documentation of its keys.
    pub docs_url: &'static str,
    /// Backends it trains with, the preferred one first. A plan for another backend is refused, so
    /// a caller asks the search for a plan with one of these.
    pub backends: &'static [Backend],
    /// Whether it can compute the loss without the logits. Where it cannot, a plan with
    /// `fused_lm_head` needs more memory than estimated, and the text says so.
    pub fused_lm_head: bool,
    /// Whether its texts overlap tensor-parallel collectives with the products they feed. Where they do not, a plan that
    /// does takes longer than estimated.
    pub overlaps_tensor_parallel: bool,
    /// What the framework refuses in this job and plan, most basic first; empty where it runs.
    pub violations: fn(&Job, &Plan) -> Vec<InputError>,
}

/// Every framework, in the order of [`NAMES`](framework::NAMES).
pub static FRAMEWORKS: &[Framework] = &[
    Framework {
        backends: &[Backend::Fsdp, Backend::Megatron],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: verl,
        ..Framework::named(&framework::VERL)
    },
    Framework {
        backends: &[Backend::Megatron, Backend::Fsdp],
        fused_lm_head: false,
        overlaps_tensor_parallel: false,
        violations: chatlearn,
        ..Framework::named(&framework::CHATLEARN)
    },
    Framework {
        backends: &[Backend::Deepspeed],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: deepspeed,
        ..Framework::named(&framework::DEEPSPEED)
    },
    Framework {
        backends: &[Backend::Deepspeed],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: llmforge,
        ..Framework::named(&framework::LLMFORGE)
    },
    Framework {
        backends: &[Backend::Fsdp, Backend::Deepspeed],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: trl,
        ..Framework::named(&framework::TRL)
    },
    Framework {
        backends: &[Backend::Deepspeed],
        fused_lm_head: false,
        overlaps_tensor_parallel: false,
        violations: openrlhf,
        ..Framework::named(&framework::OPENRLHF)
    },
    Framework {
        backends: &[Backend::Megatron],
        fused_lm_head: false,
        overlaps_tensor_parallel: true,
        violations: megatron_lm,
        ..Framework::named(&framework::MEGATRON_LM)
    },
    Framework {
        backends: &[Backend::Megatron],
        fused_lm_head: false,
        overlaps_tensor_parallel: true,
        violations: megatron_bridge,
        ..Framework::named(&framework::MEGATRON_BRIDGE)
    },
    Framework {
        backends: &[Backend::Fsdp, Backend::Ddp],
        fused_lm_head: false,
        overlaps_tensor_parallel: true,
        violations: torchtitan,
        ..Framework::named(&framework::TORCHTITAN)
    },
    Framework {
        backends: &[Backend::Deepspeed, Backend::Fsdp, Backend::Ddp],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: llamafactory,
        ..Framework::named(&framework::LLAMAFACTORY)
    },
    Framework {
        backends: &[Backend::Fsdp, Backend::Deepspeed, Backend::Ddp],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: axolotl,
        ..Framework::named(&framework::AXOLOTL)
    },
];

impl Framework {
    /// A framework that refuses nothing of what it does not train with.
    const fn named(own: &Named) -> Self {
        Self {
            id: own.id,
            name: own.name,
            versions: own.versions,
            docs_url: own.docs_url,
            backends: &[],
            fused_lm_head: false,
            overlaps_tensor_parallel: false,
            violations: |_, _| Vec::new(),
        }
    }

    /// The version called `name`; the default for an empty name.
    ///
    /// # Errors
    /// Lists the versions that there are.
    pub fn version(&self, name: &str) -> Result<&'static str, InputError> {
        version_of((self.name, self.versions), name, "version")
    }
}

/// The framework with this identifier.
#[must_use]
pub fn framework(id: &str) -> Option<&'static Framework> {
    FRAMEWORKS.iter().find(|framework| framework.id == id)
}

/// What `framework` refuses in this job and plan, most basic first; empty where it runs.
#[must_use]
pub fn violations(job: &Job, plan: &Plan, framework: &Framework) -> Vec<InputError> {
    (framework.violations)(job, plan)
}
