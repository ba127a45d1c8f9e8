//! The models of a step, and what they leave on the card between their phases.

use crate::context::{Context, Role};
use crate::memory::{Use, largest_states};
use crate::phase::Phase;
use crate::weights::adapter_bytes;
use shardwise_catalog::units::Bytes;
use shardwise_question::framework::pauses_whole;
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::{Backend, MemoryParts, Offload};

/// Which model of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The policy that is trained.
    Actor,
    /// The critic.
    Critic,
    /// The frozen policy that the actor is held to.
    Reference,
    /// The reward model.
    Reward,
    /// The implicit process reward model, which trains.
    ProcessReward,
    /// What that began as.
    ProcessReference,
    /// The teacher.
    Teacher,
}

impl Who {
    /// Whether it is only evaluated.
    #[must_use]
    pub fn is_frozen(self) -> bool {
        matches!(self, Self::Reference | Self::Reward | Self::ProcessReference | Self::Teacher)
    }
}

/// A model of a step on the GPUs that train.
#[derive(Clone, Copy, Debug)]
pub struct Resident<'a> {
    /// Which one.
    pub who: Who,
    /// The model.
    pub role: Role<'a>,
    /// Its layout as planned, states offloaded between phases included.
    pub layout: &'a Layout,
    /// Whether the reference has its place while it is evaluated, as its base or as weights that come from the host.
    is_reference: bool,
    /// Whether its weights are on the card while the engine takes them over, wherever they lie between its phases.
    hands_over: bool,
}

/// The models of `plan` that have weights of their own.
pub fn residents<'a>(context: &'a Context<'_>, plan: &'a Plan) -> impl Iterator<Item = Resident<'a>> {
    let actor = context.actor();
    // With adapters the reference is the base itself, adapters switched off.
    let in_place = actor.adapters > 0 || context.job.swaps_reference();
    let reference = plan.reference.as_ref().filter(|_| !in_place);
    let (reward, trains) = (context.reward(), context.process_reward());
    let scores = if trains { Who::ProcessReward } else { Who::Reward };
    [
        Some((Who::Actor, actor, &plan.layout)),
        context
            .critic()
            .zip(plan.critic.as_ref())
            .map(|(role, layout)| (Who::Critic, role, layout)),
        reference.map(|layout| (Who::Reference, actor, layout)),
        reward.map(|role| (scores, role, &plan.layout)),
        reward
            .filter(|_| trains)
            .map(|role| (Who::ProcessReference, role, &plan.layout)),
        context.teacher().map(|role| (Who::Teacher, role, &plan.layout)),
    ]
    .into_iter()
    .flatten()
    .map(move |(who, role, layout)| Resident {
        who,
        role,
        layout,
        is_reference: in_place && who == Who::Actor,
        hands_over: who == Who::Actor && comes_back(context, layout),
    })
}

/// Whether weights that lie in host memory between phases come back to be handed to the engine: veRL loads them without gradients
/// (`get_per_tensor_param` of `workers/engine/fsdp/transformer_impl.py` at 1dda039b, line 968, and of
/// `workers/engine/megatron/transformer_impl.py`, line 1032), `SkyRL` and NeMo-RL as well. slime reads its copy in host memory
/// (`weights_backuper` of `backends/megatron_utils/actor.py` at 624b824, line 179), and `DeepSpeed` gathers from there.
fn comes_back(context: &Context<'_>, layout: &Layout) -> bool {
    layout.backend != Backend::Deepspeed && !pauses_whole(context.job.framework.map(|own| own.id))
}

impl Resident<'_> {
    /// What it does in a phase; `None` where it waits.
    #[must_use]
    pub fn usage_in(&self, phase: Phase) -> Option<Use> {
        match (self.who, phase) {
            (Who::Actor, Phase::OldLogProb | Phase::Mismatched)
            | (Who::Critic, Phase::Values)
            | (Who::Reference, Phase::Reference)
            | (Who::Reward | Who::ProcessReward, Phase::Reward)
            | (Who::ProcessReference, Phase::RewardReference)
            | (Who::Teacher, Phase::Teacher) => Some(Use::Evaluate),
            (Who::Actor, Phase::Reference) if self.is_reference => Some(Use::Evaluate),
            (Who::Actor, Phase::UpdateActor | Phase::Train)
            | (Who::Critic, Phase::UpdateCritic)
            | (Who::ProcessReward, Phase::UpdateReward) => Some(Use::Train),
            _ => None,
        }
    }

    /// Whether its weights are on the card for another's work: a process reward model and what it began as are fetched together
    /// (veRL's `prime_fsdp_workers.py`, lines 276 to 278 and 313 to 315).
    fn stands_by(&self, phase: Phase) -> bool {
        matches!(self.who, Who::ProcessReward | Who::ProcessReference)
            && matches!(phase, Phase::UpdateReward | Phase::Reward | Phase::RewardReference)
    }

    /// What of its states is in host memory while another works.
    #[must_use]
    pub fn offload_in(&self, phase: Phase) -> Offload {
        let offload = self.layout.offload;
        if phase == Phase::WeightSync && self.hands_over {
            return Offload { parameters: false, gradients: offload.gradients || offload.parameters, ..offload };
        }
        Offload { parameters: offload.parameters && !self.stands_by(phase), ..offload }
    }

    /// What it leaves on the card.
    pub(super) fn left(&self, context: &Context<'_>) -> MemoryParts {
        left_by(context, self.who, &self.role, self.layout)
    }

    /// Whether the engine reads its base: there that counts as the engine's weights.
    #[must_use]
    pub fn is_read(&self, context: &Context<'_>) -> bool {
        self.who == Who::Actor && context.job.shares_base()
    }

    /// GiB of its adapters' weights on one GPU.
    fn own_weights(&self, context: &Context<'_>) -> f64 {
        let bytes = adapter_bytes(&self.role, self.layout, context.training_gpus());
        bytes.gib() * context.job.memory_factor()
    }

    /// Of what it leaves on the card that which is not at work in a phase: an update works with all of it, a forward pass
    /// with the weights.
    pub(super) fn beside(&self, context: &Context<'_>, phase: Phase, left: MemoryParts) -> MemoryParts {
        match self.usage_in(phase) {
            None if self.offload_in(phase) != self.layout.offload => {
                let here = Layout { offload: self.offload_in(phase), ..*self.layout };
                left_by(context, self.who, &self.role, &here)
            }
            None if phase == Phase::Rollout && self.is_read(context) => {
                MemoryParts { parameters: left.parameters.min(self.own_weights(context)), ..left }
            }
            None => left,
            Some(Use::Train) => MemoryParts::default(),
            Some(Use::Evaluate) => MemoryParts { parameters: 0.0, frozen_weights: 0.0, ..left },
        }
    }
}

fn left_by(context: &Context<'_>, who: Who, role: &Role<'_>, layout: &Layout) -> MemoryParts {
    if who.is_frozen() { frozen_weights(context, role, layout) } else { left_by_trained(context, role, layout) }
}

/// What a trained role leaves on the card between its phases: states that are not offloaded.
fn left_by_trained(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> MemoryParts {
    let states = largest_states(context, role, layout, Use::Train);
    let keep = |bytes: Bytes, offloaded: bool| if offloaded { 0.0 } else { bytes.gib() };
    let offload = layout.offload;
    let gradients = offload.gradients || offload.parameters || layout.steps_with_gradients();
    MemoryParts {
        parameters: keep(states.parameters, offload.parameters),
        // Megatron's gradient buffers go with the parameters (verl 0.9.1, `param_offload`); FSDP's gradients are let go of
        // as the update ends (`workers/engine/fsdp/transformer_impl.py`, `optimizer_zero_grad`).
        gradients: keep(states.gradients, gradients || layout.backend == Backend::Fsdp),
        optimizer: keep(states.optimizer, offload.optimizer),
        ..MemoryParts::default()
    }
    .times(context.job.memory_factor())
}

/// What a frozen role leaves on the card: its weights, unless they are offloaded.
pub(crate) fn frozen_weights(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> MemoryParts {
    if layout.offload.parameters {
        return MemoryParts::default();
    }
    let states = largest_states(context, role, layout, Use::Evaluate);
    MemoryParts { frozen_weights: states.parameters.gib(), ..MemoryParts::default() }.times(context.job.memory_factor())
}
