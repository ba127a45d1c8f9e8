//! A phase in which a model trains or is evaluated: what its time and memory are computed of.

use crate::batch::Batch;
use crate::context::Context;
use crate::memory::{self, Lengths, PhaseMemory, Use, largest_states};
use crate::phase::Phase;
use crate::role::Role;
use crate::training::{self, Terms};
use shardwise_catalog::units::{Bytes, Seconds};
use shardwise_question::job::Timed;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{MemoryParts, Offload, TimeParts};

/// A model's turn: a phase in which it trains or is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The phase.
    pub phase: Phase,
    /// Who works.
    pub role: Role<'a>,
    /// The layout at work: what is offloaded between phases has come back.
    pub layout: Layout,
    /// What is done.
    pub usage: Use,
    /// One optimizer step's micro-batches, or those of the one pass.
    pub batch: Batch,
    /// What that is taken times: optimizer steps, or what RL's forward phases take beside their kernels.
    pub times: f64,
    /// Tokens, padding included, that the driver hands to the workers for it.
    pub(crate) handed: f64,
    /// What the role leaves in host memory between its phases, and fetches for them.
    pub(crate) away: Offload,
    /// What others hold on the card.
    pub beside: MemoryParts,
}

impl<'a> Turn<'a> {
    /// What one optimizer step of it takes, or the one pass.
    #[must_use]
    pub fn terms(&self, context: &Context<'_>) -> Terms {
        match self.usage {
            Use::Evaluate => training::forward(context, &self.role, &self.layout, &self.batch),
            Use::Train => training::step(context, &self.role, &self.layout, &self.batch),
        }
    }

    /// How long it takes.
    pub(crate) fn time(&self, context: &Context<'_>) -> TimeParts {
        let all = self.terms(context).parts().times(self.times);
        let factor = context.job.time_factor(self.timed());
        let (moved, handed) = (self.moved(context).get() * factor, self.handing(context).get() * factor);
        TimeParts { offload: all.offload + moved, overhead: all.overhead + handed, ..all }
    }

    /// Handing the batch of a forward phase to the workers, and its log-probabilities or values back.
    ///
    /// veRL's driver holds the batch, every sequence padded to the longest prompt and the longest response, and sends it to the
    /// workers anew for each phase (HybridFlow, arXiv:2409.19256, section 4.1; verl 0.4.1, `Dispatch.DP_COMPUTE_PROTO` in
    /// `single_controller/base/decorator.py`, `pad_2d_list_to_length` in `vllm_rollout_spmd.py`). So do NeMo-RL and its kin. What an
    /// update takes of it is in `rl_step_s`.
    #[must_use]
    pub fn handing(&self, context: &Context<'_>) -> Seconds {
        Seconds::new(self.handed * context.efficiency.rl_handed_s)
    }

    /// Which of a calibration's factors it has.
    #[must_use]
    pub fn timed(&self) -> Timed {
        match self.usage {
            Use::Evaluate => Timed::Forward,
            Use::Train => Timed::Update,
        }
    }

    /// Moving a role's offloaded states to the card for a phase, and back: its weights, and for an update its optimizer
    /// too. veRL counts both within the phase (verl 0.9.1, `load_megatron_model_to_gpu` and its kin inside `update_actor`). Where a
    /// reference takes the policy's place, as with NeMo-RL, slime and SkyRL, the policy's weights go, the reference's come, and the policy's
    /// return.
    #[must_use]
    pub fn moved(&self, context: &Context<'_>) -> Seconds {
        let swapped = context.is_swapped(self.phase);
        if !(swapped || self.away.parameters || self.away.optimizer) {
            return Seconds::ZERO;
        }
        let states = largest_states(context, &self.role, &self.layout, self.usage);
        let mut bytes = Bytes::ZERO;
        if swapped || self.away.parameters {
            bytes += states.parameters;
        }
        if self.away.optimizer && !swapped {
            bytes += states.optimizer;
        }
        bytes * self.crossings(context) / context.network.host
    }

    /// How often what is moved crosses the host link.
    #[must_use]
    pub fn crossings(&self, context: &Context<'_>) -> f64 {
        if context.is_swapped(self.phase) { 3.0 } else { 2.0 }
    }

    /// What it holds with lengths as the question has them, on the worst stage.
    #[must_use]
    pub fn held(&self, context: &Context<'_>) -> memory::Terms {
        memory::terms(context, &self.role, &self.layout, &self.batch, self.usage)
    }

    /// What it holds, and what others do.
    pub(crate) fn memory(&self, context: &Context<'_>) -> PhaseMemory {
        memory::of_role(context, &self.role, &self.layout, &self.batch, self.usage).beside(&self.beside, 0.0)
    }

    /// GiB that suffice for it and for what others hold however long sequences get, where the estimate is off by `factor`.
    pub(crate) fn needed_at_longest(&self, own: &PhaseMemory, factor: f64) -> f64 {
        own.beside(&self.beside, 0.0).needed_gib(Lengths::Expected, factor)
    }

    /// What it holds by itself, with every sequence as long as any may be.
    pub(crate) fn at_longest(&self, context: &Context<'_>) -> PhaseMemory {
        memory::of_role_at_longest(context, &self.role, &self.layout, &self.batch, self.usage)
    }
}
