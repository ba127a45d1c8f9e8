//! What frameworks refuse: divisibility, missing switches, tasks they do not have.
//!
//! [`FRAMEWORKS`] is the table of what each of them runs. A framework's module has a table of its own: what it asks of question
//! and plan, row by row, each with the field to change and the remedy. The emitters refuse by these rules, and the search may
//! leave out a plan that breaks one. Sources: the configuration code of verl 0.9.1, ChatLearn b7af31a, DeepSpeed 0.19.8, TRL
//! 1.16.0, `OpenRLHF` 0.11.2, megatron-core 0.19.2 with Megatron-LM of that version, Megatron-Bridge 0.6.2, torchtitan 0.3.0,
//! LLaMA-Factory 0.9.5, axolotl 0.21.0, ms-swift 4.6.0, Unsloth 2026.10.9, slime 624b824, NeMo-RL 7ea279a and `SkyRL` 0.3.0, which
//! `e2e/frameworks` runs over the emitted texts.

mod asked;
pub mod axolotl;
mod chatlearn;
mod deepspeed;
mod llamafactory;
pub mod llmforge;
pub mod megatron_bridge;
pub mod megatron_lm;
mod ms_swift;
pub mod nemo_rl;
mod openrlhf;
pub mod optimizer;
pub mod positions;
mod rule;
mod shared;
pub mod skyrl;
pub mod slime;
pub mod torchtitan;
mod trainer;
mod trl;
pub mod unsloth;
pub mod verl;

pub use asked::{grid, last_stage, machines, micro, nodes, pools};
pub use chatlearn::reference_ranks;

use asked::Asked;
use rule::{Rule, check, rows};
use shardwise_catalog::error::InputError;
use shardwise_question::framework::may_defer_gradients;
use shardwise_question::framework::{self, Named, version_of};
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::Backend::{self, Ddp, Deepspeed, Fsdp, Megatron};

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
    /// Backends with which it can compute the loss without the logits. With another, a plan with
    /// `fused_lm_head` needs more memory than estimated, and the text says so.
    fused_lm_head: &'static [Backend],
    /// Whether its texts overlap tensor-parallel collectives with the products they feed. Where they do not, a plan that
    /// does takes longer than estimated.
    pub overlaps_tensor_parallel: bool,
    /// Whether it may train and generate on GPUs of their own.
    apart: bool,
    /// Makers of accelerators that PyTorch does not call `cuda` for whose device it has code ([`MAKERS`]). AMD's and `MetaX`'s cards
    /// are `cuda` to it.
    makers: &'static [&'static str],
    /// Whether its texts train in no 16 bits but bf16's.
    in_bf16_alone: bool,
    /// Whether it runs pipelines that put the weights' gradients off.
    splits_backward: bool,
    rules: &'static [Rule],
}

/// Makers of accelerators that PyTorch gives a device type of their own, and what refuses their cards.
///
/// Who runs on Ascend asks for `torch_npu` or a device `npu`: verl 0.9.1 `utils/device.py`, `DeepSpeed` 0.19.8
/// `accelerator/npu_accelerator.py`, accelerate 1.15.0 `state.py` (TRL), LLaMA-Factory 0.9.5 `extras/misc.py` (`get_current_device`),
/// Unsloth 2026.10.9 `device_type.py` (`get_device_type`), axolotl 0.21.0 `utils/config/__init__.py` (`get_device`), ms-swift 4.6.0 `utils/torch_utils.py` (`get_device`). On Gaudi only those
/// that leave the device to `DeepSpeed` (`accelerator/hpu_accelerator.py`) or to accelerate (`state.py:784`, `MULTI_HPU`) and
/// Transformers 5.23.0 (`training_args.py:1934`): the others of these stop there, or end at the CPU.
static MAKERS: &[(&str, &[Rule])] = &[("huawei", shared::NO_NPU), ("intel", shared::NO_HPU)];

const NPU: &[&str] = &["huawei"];
const NPU_AND_HPU: &[&str] = &["huawei", "intel"];

/// Every framework, in the order of [`NAMES`](framework::NAMES).
pub static FRAMEWORKS: &[Framework] = &[
    runs(&framework::VERL, &[Fsdp, Megatron], verl::RULES)
        .fusing_the_lm_head()
        .apart()
        .on(NPU),
    runs(&framework::CHATLEARN, &[Megatron, Fsdp], chatlearn::RULES).in_bf16_alone(),
    runs(&framework::DEEPSPEED, &[Deepspeed], deepspeed::OWN)
        .fusing_the_lm_head()
        .on(NPU_AND_HPU),
    runs(&framework::LLMFORGE, &[Deepspeed], llmforge::RULES)
        .fusing_the_lm_head()
        .in_bf16_alone(),
    runs(&framework::TRL, &[Fsdp, Deepspeed, Ddp], trl::RULES)
        .fusing_the_lm_head()
        .apart()
        .on(NPU_AND_HPU),
    runs(&framework::OPENRLHF, &[Deepspeed], openrlhf::RULES).apart(),
    runs(&framework::SLIME, &[Megatron], slime::RULES).apart().in_bf16_alone(),
    runs(&framework::NEMO_RL, &[Fsdp, Megatron], nemo_rl::RULES)
        .apart()
        .in_bf16_alone(),
    runs(&framework::SKYRL, &[Fsdp, Megatron], skyrl::RULES)
        .fusing_the_lm_head_with(&[Megatron])
        .apart()
        .in_bf16_alone(),
    runs(&framework::MEGATRON_LM, &[Megatron], megatron_lm::RULES).overlapping(),
    runs(&framework::MEGATRON_BRIDGE, &[Megatron], megatron_bridge::RULES).overlapping(),
    runs(&framework::TORCHTITAN, &[Fsdp, Ddp], torchtitan::RULES)
        .fusing_the_lm_head()
        .overlapping()
        .splitting_backward()
        .in_bf16_alone(),
    runs(&framework::LLAMAFACTORY, &[Deepspeed, Fsdp, Ddp], llamafactory::RULES)
        .fusing_the_lm_head()
        .on(NPU),
    runs(&framework::AXOLOTL, &[Fsdp, Deepspeed, Ddp], axolotl::RULES)
        .fusing_the_lm_head()
        .on(NPU),
    runs(&framework::MS_SWIFT, &[Deepspeed, Fsdp, Ddp], ms_swift::RULES)
        .fusing_the_lm_head()
        .on(NPU),
    runs(&framework::UNSLOTH, &[Ddp], unsloth::RULES).fusing_the_lm_head().on(NPU),
];

/// A framework that runs plans for some backends, as far as `rules` let it.
const fn runs(own: &Named, backends: &'static [Backend], rules: &'static [Rule]) -> Framework {
    Framework {
        id: own.id,
        name: own.name,
        versions: own.versions,
        docs_url: own.docs_url,
        backends,
        fused_lm_head: &[],
        overlaps_tensor_parallel: false,
        apart: false,
        makers: &[],
        in_bf16_alone: false,
        splits_backward: false,
        rules,
    }
}

impl Framework {
    const fn fusing_the_lm_head(self) -> Self {
        Self { fused_lm_head: self.backends, ..self }
    }

    const fn fusing_the_lm_head_with(self, backends: &'static [Backend]) -> Self {
        Self { fused_lm_head: backends, ..self }
    }

    const fn overlapping(self) -> Self {
        Self { overlaps_tensor_parallel: true, ..self }
    }

    const fn apart(self) -> Self {
        Self { apart: true, ..self }
    }

    const fn splitting_backward(self) -> Self {
        Self { splits_backward: true, ..self }
    }

    const fn on(self, makers: &'static [&'static str]) -> Self {
        Self { makers, ..self }
    }

    const fn in_bf16_alone(self) -> Self {
        Self { in_bf16_alone: true, ..self }
    }

    /// What it asks of every card, before its own table.
    fn of_the_card(&self) -> impl Iterator<Item = &'static [Rule]> {
        let others = MAKERS.iter().filter(|(maker, _)| !self.makers.contains(maker));
        let makers = others.map(|(_, refuses)| *refuses);
        makers.chain(self.in_bf16_alone.then_some(shared::BF16_ALONE))
    }

    /// The version called `name`; the default for an empty name.
    ///
    /// # Errors
    /// Lists the versions that there are.
    pub fn version(&self, name: &str) -> Result<&'static str, InputError> {
        version_of((self.name, self.versions), name, "version")
    }

    /// Whether it can compute the loss without the logits where it trains with `backend`.
    #[must_use]
    pub fn fuses_the_lm_head(&self, backend: Backend) -> bool {
        self.fused_lm_head.contains(&backend)
    }

    /// What the framework refuses in this job and plan, most basic first; empty where it runs them.
    #[must_use]
    pub fn violations(&self, job: &Job, plan: &Plan) -> Vec<InputError> {
        self.broken(&Asked::new(self, (job, plan), "", (&plan.layout, &job.model.shape)))
    }

    /// The first of [`Self::violations`], as it is said beside the texts of a plan that a search found in the place of this one:
    /// that way out is taken.
    #[must_use]
    pub fn refusal_beside(&self, job: &Job, plan: &Plan) -> Option<InputError> {
        let asked = Asked::new(self, (job, plan), "", (&plan.layout, &job.model.shape));
        self.broken(&asked.beside()).into_iter().next()
    }

    /// The fields of [`Self::violations`]: a search asks this of ten thousands of plans, and not why.
    #[must_use]
    pub fn refused(&self, job: &Job, plan: &Plan) -> Vec<String> {
        let asked = Asked::new(self, (job, plan), "", (&plan.layout, &job.model.shape));
        let broken = self.broken(&asked.unread());
        broken.into_iter().map(|rule| rule.field).collect()
    }

    /// What the framework may refuse: the field of each row of its table, and what the row says, with the names of its values in
    /// braces. What several roles or fields share is said by code instead, and not among them.
    ///
    /// ```
    /// let verl = shardwise_rules::framework("verl").unwrap();
    /// assert!(verl.rows().iter().any(|(field, _)| *field == "plan.shard_group"));
    /// ```
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, &'static str)> {
        let mut found = Vec::new();
        for rules in self.of_the_card() {
            rows(rules, &mut found);
        }
        rows(self.rules, &mut found);
        found
    }

    fn broken(&self, asked: &Asked) -> Vec<InputError> {
        let mut broken = Vec::new();
        for rules in self.of_the_card() {
            check(asked, rules, &mut broken);
        }
        // Nothing else is to be changed for a card that it never runs on.
        if !broken.is_empty() {
            return broken;
        }
        check(asked, self.rules, &mut broken);
        if !self.splits_backward {
            shared::one_backward(asked, &mut broken);
        }
        if !may_defer_gradients(self.id) {
            shared::reduces_each(asked, &mut broken);
        }
        broken
    }
}

/// The framework with this identifier.
///
/// ```
/// use shardwise_rules::framework;
/// assert_eq!(framework("torchtitan").unwrap().versions, ["0.3.0"]);
/// assert!(framework("accelerate").is_none());
/// ```
#[must_use]
pub fn framework(id: &str) -> Option<&'static Framework> {
    FRAMEWORKS.iter().find(|framework| framework.id == id)
}
