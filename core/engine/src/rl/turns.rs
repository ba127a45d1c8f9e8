//! What the training side of an RL step does, in order: which model works, how, and what else lies on the card meanwhile.

use super::residents::residents;
use crate::batch;
use crate::context::{Context, Role};
use crate::memory::Use;
use crate::phase::Phase;
use crate::turn::Turn;
use shardwise_question::plan::{Layout, Plan, Switches};
use shardwise_question::wire::{MemoryParts, Offload};
use shardwise_question::workload::Rl;

/// Forward-only roles take larger micro-batches than training ones: nothing is kept for a backward pass. As many as the
/// plan says, or twice as many (veRL's tuning guide, "Batch Size Tuning", rule 3).
#[must_use]
pub fn forward_layout(layout: &Layout) -> Layout {
    Layout { micro_batch: layout.forward_pass(), forward: None, switches: of_forward(layout.switches), ..*layout }
}

/// Exchanges run beside the backward pass of another micro-batch: a forward pass alone has none.
fn of_forward(switches: Switches) -> Switches {
    Switches { overlap_moe_expert_parallel_comm: false, ..switches }
}

/// The layout at work: offloaded states have come back, forward passes take larger micro-batches, or as many as updates where
/// they go beside them.
fn at_work(planned: &Layout, usage: Use, as_updates: bool) -> Layout {
    let mut layout = *planned;
    layout.offload = Offload { activations: planned.offload.activations, ..Offload::default() };
    if usage == Use::Evaluate {
        layout.micro_batch = if as_updates { planned.micro_batch } else { planned.forward_pass() };
        layout.switches = of_forward(planned.switches);
    }
    // An update is the same, whatever other passes take.
    layout.forward = None;
    layout
}

/// Passes of what a process reward model began as over a step's samples: beside each update and beside each reward, as where
/// `reward_model.model.update` is `before`, the recipe's default.
///
/// A token's reward is how much likelier it is to the one than to the other (arXiv:2502.01456). Beside an update its
/// logits go before those of the loss's gradient come. Its weights are moved once, where they are offloaded
/// (<https://github.com/verl-project/verl-recipe/blob/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/prime/prime_ray_trainer.py#L344-L349>,
/// `prime_dp_rm.py`, lines 133 to 168).
const REFERENCE_PASSES: f64 = 2.0;

/// Whether a phase evaluates each micro-batch of an update: a teacher does right before the update has it, in every pass over the
/// samples (TRL 1.16.0, `trainer/distillation_trainer.py`, `_compute_loss`). A process reward model has one micro-batch for
/// updates and passes forward (veRL's `prime_fsdp_workers.py`, lines 280 to 283; `prime_dp_rm.py`, line 321).
fn goes_as_updates(phase: Phase, process: bool) -> bool {
    phase == Phase::Teacher || (process && matches!(phase, Phase::Reward | Phase::RewardReference))
}

/// Sequences of one pass over a turn's batch. A reward model scores all that was generated. A process reward model counts its
/// mini-batch in sequences, not in prompts (veRL's `prime_fsdp_workers.py`, line 83), and goes over the samples once.
pub(super) fn sequences(rl: &Rl, phase: Phase, usage: Use) -> f64 {
    match usage {
        Use::Evaluate if phase == Phase::Reward => rl.generated() as f64,
        Use::Evaluate => rl.sequences() as f64,
        Use::Train if phase == Phase::UpdateReward => rl.mini_batch as f64,
        Use::Train => (rl.mini_batch * rl.responses_per_prompt) as f64,
    }
}

/// Tokens that the driver hands to the workers for a turn that evaluates a batch of its own; none where it does so beside another
/// turn's micro-batches.
fn handed(rl: &Rl, phase: Phase, usage: Use) -> f64 {
    match (usage, phase) {
        (Use::Train, _) | (_, Phase::Teacher | Phase::RewardReference) => 0.0,
        (Use::Evaluate, _) => sequences(rl, phase, usage) * rl.max_length() as f64,
    }
}

/// What a turn's one pass or optimizer step is taken times.
fn times(context: &Context<'_>, rl: &Rl, phase: Phase, usage: Use) -> f64 {
    match usage {
        Use::Evaluate if phase == Phase::Teacher => rl.epochs as f64,
        Use::Evaluate if phase == Phase::RewardReference => REFERENCE_PASSES * context.efficiency.rl_forward,
        Use::Evaluate => context.efficiency.rl_forward,
        Use::Train if phase == Phase::UpdateReward => (rl.sequences() as f64 / rl.mini_batch as f64).ceil(),
        Use::Train => rl.updates(),
    }
}

/// Who works in a phase of the training side, and by which plan: all that a turn is made of. Neighbours are compared by it before
/// anything of them is computed.
#[derive(Clone, Copy)]
pub(super) struct Work<'a, 'b> {
    pub(super) phase: Phase,
    usage: Use,
    role: Role<'a>,
    /// The layout as planned.
    planned: &'b Layout,
    /// Whether forward passes go beside those of an update.
    as_updates: bool,
}

impl<'a> Work<'a, '_> {
    /// The turn as if nothing else lay on the card: all that its time depends on.
    pub(super) fn turn(&self, context: &Context<'_>, rl: &Rl) -> Turn<'a> {
        let Self { phase, usage, role, planned, as_updates } = *self;
        let layout = at_work(planned, usage, as_updates);
        Turn {
            phase,
            role,
            usage,
            batch: batch::split(context.job, &layout, sequences(rl, phase, usage), rl.length_cv()),
            layout,
            times: times(context, rl, phase, usage),
            handed: handed(rl, phase, usage),
            away: planned.offload,
            beside: MemoryParts::default(),
        }
    }

    /// Whether another of the same step does the same as often, beside whatever states: it takes as long. Role, layout and use
    /// decide on the batch.
    pub(super) fn is_as(&self, other: &Self, context: &Context<'_>, rl: &Rl) -> bool {
        let often = |own: &Self| (times(context, rl, own.phase, own.usage), handed(rl, own.phase, own.usage));
        self.usage == other.usage
            && self.as_updates == other.as_updates
            && context.is_swapped(self.phase) == context.is_swapped(other.phase)
            && self.role.is(&other.role)
            && often(self) == often(other)
            && self.planned == other.planned
    }
}

/// The work of the training side of `plan`, in order.
pub(super) fn works<'a, 'b>(context: &'a Context<'_>, plan: &'b Plan, rl: &Rl) -> impl Iterator<Item = Work<'a, 'b>> {
    let actor = context.actor();
    let by_actor = (actor, &plan.layout);
    // A base in 4 bits is unpacked and lies there for the reference, too: as beside preference data, the adapters that are
    // switched off count none the less.
    let reference = if context.job.workload.quantized_base() { actor } else { actor.without_adapters() };
    let by_reference = plan.reference.as_ref().map(|layout| (reference, layout));
    let by_critic = context.critic().zip(plan.critic.as_ref());
    let by_reward = context.reward().map(|role| (role, &plan.layout));
    let by_process = by_reward.filter(|_| context.process_reward());
    let by_teacher = context.teacher().map(|role| (role, &plan.layout));
    let all = [
        (Phase::OldLogProb, Use::Evaluate, rl.old_log_prob.then_some(by_actor)),
        (Phase::Reference, Use::Evaluate, by_reference),
        (Phase::Values, Use::Evaluate, by_critic),
        (Phase::UpdateReward, Use::Train, by_process),
        (Phase::Reward, Use::Evaluate, by_reward),
        (Phase::RewardReference, Use::Evaluate, by_process),
        (Phase::Teacher, Use::Evaluate, by_teacher),
        (Phase::UpdateCritic, Use::Train, by_critic),
        (Phase::UpdateActor, Use::Train, Some(by_actor)),
    ];
    let process = by_process.is_some();
    all.into_iter().filter_map(move |(phase, usage, by)| {
        let (role, planned) = by?;
        Some(Work { phase, usage, role, planned, as_updates: goes_as_updates(phase, process) })
    })
}

/// The turns of the training side of `plan`, and what stays on the card while the engine generates.
pub fn turns<'a>(context: &'a Context<'_>, plan: &Plan, rl: &Rl) -> (Vec<Turn<'a>>, MemoryParts) {
    let beside = beside(context, plan);
    let turns = works(context, plan, rl).map(|own| Turn { beside: beside(own.phase), ..own.turn(context, rl) });
    (turns.collect(), beside(Phase::Rollout))
}

/// What of the models of `plan` lies on the card in a phase that is not at work in it.
pub(crate) fn beside<'a>(context: &'a Context<'_>, plan: &'a Plan) -> impl Fn(Phase) -> MemoryParts + 'a {
    // As many as there are models, and no list: a search asks this of every plan.
    let mut left = [None; 5];
    for (place, own) in left.iter_mut().zip(residents(context, plan)) {
        *place = Some((own, own.left(context)));
    }
    move |phase| {
        let others = left.iter().flatten().map(|(own, left)| own.beside(context, phase, *left));
        others.fold(MemoryParts::default(), |sum, own| sum.plus(&own))
    }
}
