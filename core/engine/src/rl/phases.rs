//! What the training side of an RL step does, in order: which role works, how, and what else lies on the card meanwhile.

use crate::batch::{self, Batch};
use crate::blocks::Blocks;
use crate::context::{Context, Head, Role};
use crate::memory::{self, Lengths, PhaseMemory, Use, first_states};
use crate::training;
use shardwise_catalog::model::Model;
use shardwise_catalog::units::{Bytes, Seconds};
use shardwise_question::complete::training_gpus;
use shardwise_question::plan::{Layout, MicroBatch, Plan};
use shardwise_question::wire::{Backend, MemoryParts, Offload, TimeParts};
use shardwise_question::workload::Rl;

/// Forward-only roles take larger micro-batches than training ones: nothing is kept for a backward pass
/// (veRL's tuning guide, "Batch Size Tuning", rule 3: twice).
#[must_use]
pub fn forward_layout(layout: &Layout) -> Layout {
    let micro_batch = match layout.micro_batch {
        MicroBatch::Sequences(n) => MicroBatch::Sequences(n * 2),
        MicroBatch::Tokens(n) => MicroBatch::Tokens(n * 2),
    };
    Layout { micro_batch, ..*layout }
}

/// A model with a scalar head and its layout: critic or reward model.
pub(super) struct Side<'a> {
    model: &'a Model,
    blocks: Blocks,
    layout: Layout,
}

impl<'a> Side<'a> {
    pub(super) fn of(model: Option<&'a Model>, layout: Option<Layout>) -> Option<Self> {
        let (model, layout) = (model?, layout?);
        Some(Self { model, blocks: Blocks::of(&model.shape), layout })
    }

    fn role(&self) -> Role<'_> {
        Role { model: self.model, blocks: &self.blocks, adapters: 0, head: Head::Scalar }
    }
}

/// States that are offloaded between phases come back for the phase that uses them.
fn in_phase(layout: &Layout) -> Layout {
    let offload = Offload { activations: layout.offload.activations, ..Offload::default() };
    Layout { offload, ..*layout }
}

/// Critic and reward model, where there are some.
pub(super) struct Others<'a> {
    critic: Option<Side<'a>>,
    reward: Option<Side<'a>>,
}

impl<'a> Others<'a> {
    pub(super) fn of(plan: &Plan, rl: &'a Rl) -> Self {
        Self {
            critic: Side::of(rl.critic.as_ref(), plan.critic),
            reward: Side::of(rl.reward_model.as_ref(), Some(plan.layout)),
        }
    }

    /// The critic and its layout.
    pub(super) fn critic(&self) -> Option<(Role<'_>, Layout)> {
        self.critic.as_ref().map(|side| (side.role(), side.layout))
    }

    /// The reward model and its layout.
    pub(super) fn reward(&self) -> Option<(Role<'_>, Layout)> {
        self.reward.as_ref().map(|side| (side.role(), side.layout))
    }
}

/// One phase of the training side.
pub(super) struct Phase<'a> {
    /// As answers name it.
    pub name: &'static str,
    pub role: Role<'a>,
    /// The role's layout as planned, states offloaded between phases included.
    pub(super) planned: Layout,
    pub usage: Use,
    /// Sequences of one pass over the phase's batch, and how often it comes.
    sequences: f64,
    pub times: f64,
    /// What other roles keep on the card.
    pub beside: MemoryParts,
}

impl Phase<'_> {
    /// The layout at work: offloaded states have come back, forward passes take larger micro-batches.
    pub(super) fn layout(&self) -> Layout {
        let layout = in_phase(&self.planned);
        match self.usage {
            Use::Evaluate => forward_layout(&layout),
            Use::Train => layout,
        }
    }

    pub(super) fn batch(&self, context: &Context<'_>, layout: &Layout, rl: &Rl) -> Batch {
        let gpus = training_gpus(context.job);
        batch::split(context.job, layout, gpus, self.sequences, rl.length_cv())
    }

    /// How long it takes.
    pub(super) fn time(&self, context: &Context<'_>, rl: &Rl) -> TimeParts {
        let gpus = training_gpus(context.job);
        let layout = self.layout();
        let batch = self.batch(context, &layout, rl);
        let (once, times) = match self.usage {
            Use::Evaluate => {
                (training::forward(context, &self.role, &layout, gpus, &batch), context.efficiency.rl_forward)
            }
            Use::Train => (training::step(context, &self.role, &layout, gpus, &batch), self.times),
        };
        let all = once.times(times);
        let moved = moved(context, &self.role, &self.planned, gpus, self.usage);
        TimeParts { offload: all.offload + moved.get() * context.job.time_factor(), ..all }
    }

    /// What it holds.
    pub(super) fn memory(&self, context: &Context<'_>, rl: &Rl) -> PhaseMemory {
        let gpus = training_gpus(context.job);
        let layout = self.layout();
        let batch = self.batch(context, &layout, rl);
        memory::of_role(context, &self.role, &layout, gpus, &batch, self.usage).beside(&self.beside, 0.0)
    }

    /// Whether another phase does the same, beside whatever states: it takes as long.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.role.is(&other.role)
            && self.planned == other.planned
            && self.usage == other.usage
            && (self.sequences, self.times) == (other.sequences, other.times)
    }

    /// GiB that suffice however long sequences get, where the estimate is off by `factor`.
    pub(super) fn needed_at_longest(&self, context: &Context<'_>, rl: &Rl, factor: f64) -> f64 {
        self.needed_with(context, rl, factor, &self.layout())
    }

    fn needed_with(&self, context: &Context<'_>, rl: &Rl, factor: f64, layout: &Layout) -> f64 {
        let gpus = training_gpus(context.job);
        let batch = self.batch(context, layout, rl);
        memory::of_role_at_longest(context, &self.role, layout, gpus, &batch, self.usage)
            .beside(&self.beside, 0.0)
            .needed_gib(Lengths::Expected, factor)
    }

    /// What it needs by token budget, as surely as asked.
    pub(super) fn budgets(&self, context: &Context<'_>, rl: &Rl, factor: f64) -> Budgets {
        let split = u64::from(self.planned.sequence_split());
        let least = rl.max_length().div_ceil(split).max(1);
        let ranks = f64::from(self.planned.data_parallel(training_gpus(context.job)));
        let each = (self.sequences / ranks).max(1.0).ceil();
        let all = each * rl.max_length() as f64 / self.planned.sequence_split() as f64;
        let most = (all.ceil() as u64).max(least);
        // Activations grow with the budget until those in flight are all that a rank has.
        let stages = u64::from(self.planned.pipeline_parallel);
        let mut tokens = vec![least, (most / stages.max(1)).max(least), most];
        tokens.dedup();
        let with = |tokens: u64| {
            let layout = Layout { micro_batch: MicroBatch::Tokens(tokens), ..self.layout() };
            (tokens, self.needed_with(context, rl, factor, &layout))
        };
        Budgets { points: tokens.into_iter().map(with).collect() }
    }
}

/// What a phase needs by its token budget: linear between some budgets, the longest sequence's and a rank's whole batch's
/// among them.
#[derive(Clone, Debug)]
pub struct Budgets {
    /// Tokens of one GPU, and GiB that they need; rising.
    pub points: Vec<(u64, f64)>,
}

impl Budgets {
    /// The two points between which `capacity_gib` lies, or twice the last; `None` where not even one sequence fits.
    pub fn around(&self, capacity_gib: f64) -> Option<[(u64, f64); 2]> {
        let within = |point: &&(u64, f64)| point.1 <= capacity_gib;
        let low = *self.points.iter().take_while(within).last()?;
        let above = self.points.iter().find(|point| point.1 > capacity_gib);
        Some([low, *above.unwrap_or(&low)])
    }

    /// The largest budget within `capacity_gib`, to a whole kilotoken; `None` where not even one sequence fits.
    pub(super) fn largest(&self, capacity_gib: f64) -> Option<u64> {
        let [low, high] = self.around(capacity_gib)?;
        let share = if high.1 > low.1 { (capacity_gib - low.1) / (high.1 - low.1) } else { 1.0 };
        let budget = low.0 + ((high.0 - low.0) as f64 * share) as u64;
        let least = self.points.first().map_or(1, |point| point.0);
        Some((budget / 1024 * 1024).max(least))
    }
}

/// What a trained role leaves on the card between its phases: states that are not offloaded.
fn left_by_trained(context: &Context<'_>, role: &Role<'_>, layout: &Layout, gpus: u32) -> MemoryParts {
    let states = first_states(context, role, layout, gpus, Use::Train);
    let keep = |bytes: Bytes, offloaded: bool| if offloaded { 0.0 } else { bytes.gib() };
    let offload = layout.offload;
    MemoryParts {
        parameters: keep(states.parameters, offload.parameters),
        // Megatron's gradient buffers go with the parameters (verl 0.9.1, `param_offload`); FSDP's gradients are let go of
        // as the update ends (`workers/engine/fsdp/transformer_impl.py`, `optimizer_zero_grad`).
        gradients: keep(states.gradients, offload.gradients || offload.parameters || layout.backend == Backend::Fsdp),
        optimizer: keep(states.optimizer, offload.optimizer),
        ..MemoryParts::default()
    }
    .times(context.job.memory_factor())
}

/// What a frozen role leaves on the card: its weights, unless they are offloaded.
fn left_by_frozen(context: &Context<'_>, role: &Role<'_>, layout: &Layout, gpus: u32) -> MemoryParts {
    if layout.offload.parameters {
        return MemoryParts::default();
    }
    let states = first_states(context, role, layout, gpus, Use::Evaluate);
    MemoryParts { frozen_weights: states.parameters.gib(), ..MemoryParts::default() }.times(context.job.memory_factor())
}

/// Moving a role's offloaded states to the card for a phase, and back: its weights, and for an update its optimizer
/// too. veRL counts both within the phase (verl 0.9.1, `load_megatron_model_to_gpu` and its kin inside `update_actor`).
pub(super) fn moved(context: &Context<'_>, role: &Role<'_>, layout: &Layout, gpus: u32, usage: Use) -> Seconds {
    let offload = layout.offload;
    if !(offload.parameters || offload.optimizer) {
        return Seconds::ZERO;
    }
    let states = first_states(context, role, layout, gpus, usage);
    let mut bytes = Bytes::ZERO;
    if offload.parameters {
        bytes += states.parameters;
    }
    if offload.optimizer {
        bytes += states.optimizer;
    }
    bytes * 2.0 / context.network.host
}

/// The phases of the training side of `plan`, and what stays on the card while the engine generates.
pub(super) fn phases<'a>(
    context: &'a Context<'_>,
    plan: &Plan,
    rl: &Rl,
    others: &'a Others<'a>,
) -> (Vec<Phase<'a>>, MemoryParts) {
    let gpus = training_gpus(context.job);
    let actor = context.actor();
    let reference = Role { adapters: 0, ..actor };
    let nothing = MemoryParts::default();
    // With adapters the reference is the base itself, adapters switched off.
    let shared_reference = actor.adapters > 0;
    let by_actor = left_by_trained(context, &actor, &plan.layout, gpus);
    let by_critic = others
        .critic
        .as_ref()
        .map_or(nothing, |side| left_by_trained(context, &side.role(), &side.layout, gpus));
    let by_reference = match &plan.reference {
        Some(layout) if !shared_reference => left_by_frozen(context, &reference, layout, gpus),
        _ => nothing,
    };
    let by_reward = others
        .reward
        .as_ref()
        .map_or(nothing, |side| left_by_frozen(context, &side.role(), &side.layout, gpus));
    let frozen = by_reference.plus(&by_reward);
    let beside_actor = by_critic.plus(&frozen);
    // A role's own weights are the ones at work.
    let without_weights = |own: MemoryParts| MemoryParts { parameters: 0.0, ..own };

    let mut found = Vec::with_capacity(6);
    let mut add = |name, role: Role<'a>, planned: Layout, usage, beside| {
        let (sequences, times) = match usage {
            Use::Evaluate => (rl.sequences() as f64, 1.0),
            Use::Train => ((rl.mini_batch * rl.responses_per_prompt) as f64, rl.updates()),
        };
        found.push(Phase { name, role, planned, usage, sequences, times, beside });
    };
    let evaluate = Use::Evaluate;
    if rl.old_log_prob {
        let beside = without_weights(by_actor).plus(&beside_actor);
        add("old_log_prob", actor, plan.layout, evaluate, beside);
    }
    if let Some(layout) = plan.reference {
        let own = if shared_reference { without_weights(by_actor) } else { by_actor };
        let beside = own.plus(&by_critic).plus(&by_reward);
        add("reference", reference, layout, evaluate, beside);
    }
    if let Some(side) = &others.critic {
        let beside = by_actor.plus(&without_weights(by_critic)).plus(&frozen);
        add("values", side.role(), side.layout, evaluate, beside);
    }
    if let Some(side) = &others.reward {
        let beside = by_actor.plus(&by_critic).plus(&by_reference);
        add("reward", side.role(), side.layout, evaluate, beside);
    }
    if let Some(side) = &others.critic {
        let beside = by_actor.plus(&frozen);
        add("update_critic", side.role(), side.layout, Use::Train, beside);
    }
    add("update_actor", actor, plan.layout, Use::Train, beside_actor);
    (found, by_actor.plus(&beside_actor))
}
