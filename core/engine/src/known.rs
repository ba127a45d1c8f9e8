//! What plans of one job share, kept while they are compared: most differ in what does not touch it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::batch::Batch;
use crate::context::{Head, Role};
use crate::layer::{BlockTime, Slice};
use crate::memory::{PhaseMemory, Use};
use crate::phase::Phase;
use crate::weights::{RankWeights, Stage, fetches_by_module, rank_weights};
use shardwise_catalog::model::Model;
use shardwise_question::complete::folds;
use shardwise_question::plan::{Layout, Plan, Recompute, Switches};
use shardwise_question::wire::{Attention, AttentionKernel, Backend, MemoryParts, Offload};

/// What was computed before for one job; by default it remembers no block, rank or phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    times: Memo<TimesKey, Rc<[BlockTime]>>,
    ranks: Memo<RankKey, RankWeights>,
    memories: Memo<MemoryKey, PhaseMemory>,
    sides: Memo<Plan, TrainingMemory>,
    /// How the time of handing weights to an engine grows with the model.
    pub(crate) handed: OnceCell<f64>,
}

impl Known {
    /// One that remembers.
    pub(crate) fn remembering() -> Self {
        Self {
            times: Memo::of(1 << 9),
            ranks: Memo::of(1 << 3),
            memories: Memo::of(1 << 7),
            sides: Memo::of(1),
            handed: OnceCell::new(),
        }
    }

    /// The times of a role's blocks under `layout`.
    pub(crate) fn block_times(
        &self,
        role: &Role<'_>,
        layout: &Layout,
        slice: Slice,
        compute: impl FnOnce() -> Rc<[BlockTime]>,
    ) -> Rc<[BlockTime]> {
        let key = TimesKey::of(role, layout, slice);
        self.times.get(key.slot(), key, compute)
    }

    /// [`rank_weights`].
    pub(crate) fn rank_weights(&self, role: &Role<'_>, layout: &Layout, stage: Stage) -> RankWeights {
        let key = RankKey {
            model: role.model,
            head: role.head,
            split: [
                layout.tensor_parallel,
                layout.pipeline_parallel,
                layout.expert_parallel,
                layout.expert_tensor_parallel,
            ],
            folds: folds(layout),
            stage,
        };
        // Phases and roles mostly split alike.
        let slot = 2 * stage as usize + role.head as usize;
        self.ranks.get(slot, key, || rank_weights(role, layout, stage))
    }

    /// What a role holds where every sequence is as long as any may be.
    pub(crate) fn memory_at_longest(
        &self,
        role: &Role<'_>,
        layout: &Layout,
        (batch, usage): (&Batch, Use),
        compute: impl FnOnce() -> PhaseMemory,
    ) -> PhaseMemory {
        let layout = match usage {
            Use::Train => *layout,
            // Nothing is kept, nor updated.
            Use::Evaluate => Layout {
                recompute: Recompute::None,
                recompute_layers: None,
                offload: Offload { activations: false, ..layout.offload },
                optimizer_offload_fraction: 0.0,
                ..*layout
            },
        };
        let key =
            MemoryKey { model: role.model, adapters: role.adapters > 0, head: role.head, layout, batch: *batch, usage };
        self.memories.get(key.slot(), key, compute)
    }

    /// What the training side of an RL plan holds: the same as the last one's, where only the engine is another.
    pub(crate) fn training_memory(&self, plan: &Plan, compute: impl FnOnce() -> TrainingMemory) -> TrainingMemory {
        self.sides.get(0, Plan { rollout: None, ..*plan }, compute)
    }
}

/// What the training side of an RL step holds.
#[derive(Clone, Debug)]
pub(crate) struct TrainingMemory {
    /// In each of its phases.
    pub(crate) phases: Rc<[(Phase, PhaseMemory)]>,
    /// Of its states what stays on the card while an engine generates.
    pub(crate) resident: MemoryParts,
    /// What is there while an engine takes new weights over, where that is a phase of its own.
    pub(crate) handing: Option<MemoryParts>,
}

/// Values by what they depend on. What falls on a taken slot takes its place.
#[derive(Clone, Debug)]
struct Memo<K, V> {
    /// As many as a power of two, or none.
    slots: RefCell<Vec<Option<(K, V)>>>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { slots: RefCell::default() }
    }
}

impl<K: PartialEq, V: Clone> Memo<K, V> {
    fn of(slots: usize) -> Self {
        Self { slots: RefCell::new((0..slots).map(|_| None).collect()) }
    }

    /// The value of `key`, computed only where it is not known.
    fn get(&self, slot: usize, key: K, compute: impl FnOnce() -> V) -> V {
        let place = slot & self.slots.borrow().len().saturating_sub(1);
        if let Some(Some((known, value))) = self.slots.borrow().get(place)
            && *known == key
        {
            return value.clone();
        }
        let value = compute();
        if let Some(own) = self.slots.borrow_mut().get_mut(place) {
            *own = Some((key, value.clone()));
        }
        value
    }
}

/// Multiplicative hashing (Knuth, "The Art of Computer Programming", section 6.4).
fn mixed(sizes: impl IntoIterator<Item = u64>) -> usize {
    let mix = |mixed: u64, size: u64| (mixed ^ size).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (sizes.into_iter().fold(0, mix) >> 40) as usize
}

fn number(recompute: Recompute) -> u64 {
    match recompute {
        Recompute::None => 0,
        Recompute::Full => 1,
        Recompute::Selective(modules) => 2 + u64::from(modules.bits()),
    }
}

/// Everything that a block's time depends on within one job: what [`crate::layer::BlockContext`] reads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TimesKey {
    /// Where the model lies; it outlives the job's context.
    model: *const Model,
    adapters: bool,
    backend: Backend,
    attention: (Attention, Option<AttentionKernel>),
    sequence_parallel: bool,
    recompute: (Recompute, Option<u32>),
    switches: Switches,
    fetches_by_module: bool,
    split: [u32; 5],
    gradient_bytes: f64,
    slice: Slice,
}

impl TimesKey {
    fn of(role: &Role<'_>, layout: &Layout, slice: Slice) -> Self {
        Self {
            model: role.model,
            adapters: role.adapters > 0,
            backend: layout.backend,
            attention: (layout.attention, layout.attention_kernel),
            sequence_parallel: layout.sequence_parallel,
            recompute: (layout.recompute, layout.recompute_layers),
            switches: layout.switches,
            fetches_by_module: fetches_by_module(layout),
            split: [
                layout.tensor_parallel,
                layout.context_parallel,
                layout.ulysses_parallel,
                layout.expert_parallel,
                layout.expert_tensor_parallel,
            ],
            gradient_bytes: layout.gradient_bytes,
            // However many sequences they are of, a block's tokens take as long.
            slice: Slice { sequences: 0.0, ..slice },
        }
    }

    fn slot(&self) -> usize {
        let first = self.slice.tokens.to_bits()
            ^ (self.backend as u64)
            ^ (number(self.recompute.0) << 4)
            ^ (u64::from(self.fetches_by_module) << 3);
        let split = self.split.into_iter().map(u64::from);
        mixed([first].into_iter().chain(split))
    }
}

/// Everything that the weights of a rank depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RankKey {
    /// As in [`TimesKey`].
    model: *const Model,
    head: Head,
    split: [u32; 4],
    folds: bool,
    stage: Stage,
}

/// Everything that a phase's memory depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MemoryKey {
    /// As in [`TimesKey`].
    model: *const Model,
    adapters: bool,
    head: Head,
    layout: Layout,
    batch: Batch,
    usage: Use,
}

impl MemoryKey {
    fn slot(&self) -> usize {
        let layout = &self.layout;
        mixed([
            self.batch.longest.slice.tokens.to_bits(),
            number(layout.recompute),
            u64::from(layout.fused_lm_head) + 2 * (self.usage as u64),
            u64::from(layout.pipeline_parallel),
            u64::from(layout.virtual_pipeline),
        ])
    }
}
