//! Times of blocks, kept while one job's plans are compared: many plans differ in what does not touch a block.

use std::cell::RefCell;
use std::rc::Rc;

use crate::context::Role;
use crate::layer::{BlockTime, Slice};
use crate::model::Model;
use crate::plan::{Layout, Recompute};
use crate::wire::{Attention, Backend};

/// Slots, a power of two. What falls on a taken slot takes its place.
const SLOTS: usize = 1 << 9;

/// Everything that a block's time depends on within one job: what [`crate::layer::BlockContext`] reads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    /// Where the model lies; it outlives the job's context.
    model: *const Model,
    adapters: bool,
    backend: Backend,
    attention: Attention,
    sequence_parallel: bool,
    recompute: Recompute,
    split: [u32; 5],
    gradient_bytes: f64,
    slice: Slice,
}

impl Key {
    fn of(role: &Role<'_>, layout: &Layout, slice: Slice) -> Self {
        Self {
            model: role.model,
            adapters: role.adapters > 0,
            backend: layout.backend,
            attention: layout.attention,
            sequence_parallel: layout.sequence_parallel,
            recompute: layout.recompute,
            split: [
                layout.tensor_parallel,
                layout.context_parallel,
                layout.ulysses_parallel,
                layout.expert_parallel,
                layout.expert_tensor_parallel,
            ],
            gradient_bytes: layout.gradient_bytes,
            slice,
        }
    }

    /// A slot for it: multiplicative hashing (Knuth, "The Art of Computer Programming", section 6.4).
    fn slot(&self) -> usize {
        let recompute = match self.recompute {
            Recompute::None => 0,
            Recompute::Full => 1,
            Recompute::Selective(modules) => 2 + u64::from(modules.bits()),
        };
        let mut mixed = self.slice.tokens.to_bits() ^ (self.backend as u64) ^ (recompute << 4);
        for size in self.split {
            mixed = (mixed ^ u64::from(size)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        (mixed >> 40) as usize & (SLOTS - 1)
    }
}

/// The times of a role's blocks, and what they are of.
type Known = (Key, Rc<[BlockTime]>);

/// Block times by what they depend on; by default it remembers nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockTimes {
    slots: RefCell<Vec<Option<Known>>>,
}

impl BlockTimes {
    /// One that remembers.
    pub(crate) fn remembering() -> Self {
        Self {
            slots: RefCell::new(vec![None; SLOTS]),
        }
    }

    /// The times of a role's blocks under `layout`, computed only where they are not known.
    pub(crate) fn get(
        &self,
        role: &Role<'_>,
        layout: &Layout,
        slice: Slice,
        compute: impl FnOnce() -> Rc<[BlockTime]>,
    ) -> Rc<[BlockTime]> {
        let key = Key::of(role, layout, slice);
        let slot = key.slot();
        if let Some(Some((known, times))) = self.slots.borrow().get(slot)
            && *known == key
        {
            return Rc::clone(times);
        }
        let times = compute();
        if let Some(own) = self.slots.borrow_mut().get_mut(slot) {
            *own = Some((key, Rc::clone(&times)));
        }
        times
    }
}
