//! What one phase of a step holds.

use shardwise_question::wire::MemoryParts;

/// What a role does in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Forward, backward, optimizer step.
    Train,
    /// Forward alone.
    Evaluate,
}

/// Memory of one phase, in parts: allocated first, then what the allocator and the driver add.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseMemory {
    /// Parts, in GiB.
    pub parts: MemoryParts,
    /// What the training framework's caching allocator usually holds unused; counted in `parts.framework`.
    pub slack_gib: f64,
    /// What it keeps of earlier batches of other sizes, all of which it returns before it gives up; counted in
    /// `parts.framework`.
    pub idle_gib: f64,
    /// Of the optimizer's states what a paged optimizer has in unified memory, which leaves for host memory before anything
    /// fails; counted in `parts.optimizer`.
    pub paged_gib: f64,
    /// Of the parts what is as large as the plan says, whatever the model needs: an engine's share of the card.
    pub certain_gib: f64,
    /// What the framework's allocator hands out beyond the parts, fragments included, where every sequence is as long as any may be.
    /// The first is as large as the plan says, the second estimated.
    pub growth_gib: (f64, f64),
}

/// How long sequences are taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// As the question has them.
    Expected,
    /// Each as long as any may be.
    Longest,
}

impl PhaseMemory {
    /// What the framework's allocator has handed out, in GiB: unified memory is none of it.
    #[must_use]
    pub fn allocated_gib(&self) -> f64 {
        self.parts.total() - self.parts.framework - self.parts.communication - self.paged_gib
    }

    /// What the framework's allocator has handed out, with what lies between its blocks and cannot be returned, in GiB.
    fn with_fragments_gib(&self) -> f64 {
        self.allocated_gib() + FRAGMENTED * self.slack_gib
    }

    /// Everything `nvidia-smi` would show, in GiB.
    #[must_use]
    pub fn reserved_gib(&self) -> f64 {
        self.parts.total()
    }

    /// This memory beside others, whose parts are added; of them `certain_gib` are as large as the plan says.
    #[must_use]
    pub fn beside(&self, others: &MemoryParts, certain_gib: f64) -> Self {
        Self { parts: self.parts.plus(others), certain_gib: self.certain_gib + certain_gib, ..*self }
    }

    /// GiB that the phase does not run without, where what is estimated of it is `factor` times as large as estimated.
    #[must_use]
    pub fn needed_gib(&self, lengths: Lengths, factor: f64) -> f64 {
        let (fixed, estimated) = self.terms(lengths);
        fixed + factor * estimated
    }

    /// GiB that the phase does not run without: what is needed for certain, and what is estimated, fragments included.
    ///
    /// The allocator returns its free blocks before it gives up (`release_cached_blocks` in PyTorch's
    /// `CUDACachingAllocator.cpp`), but those between other blocks.
    pub fn terms(&self, lengths: Lengths) -> (f64, f64) {
        let own = self.with_fragments_gib() - self.certain_gib;
        let fixed = self.parts.communication + self.parts.framework - self.slack_gib - self.idle_gib + self.certain_gib;
        let (more_fixed, more) = match lengths {
            Lengths::Expected => (0.0, 0.0),
            Lengths::Longest => self.growth_gib,
        };
        (fixed + more_fixed, (own + more).max(0.0))
    }

    /// What is held as it shows on a card of `capacity_gib`: unified memory leaves it first, and its allocator returns free
    /// blocks before it gives up.
    #[must_use]
    pub fn pressed(&self, capacity_gib: f64) -> Self {
        let over = (self.reserved_gib() - capacity_gib).max(0.0);
        let mut pressed = *self;
        // A hair more than is over, so that the sum of the parts is within the card, not a rounding above it.
        let over = over * (1.0 + 1e-9);
        let left = over.min(self.paged_gib);
        pressed.parts.optimizer -= left;
        pressed.paged_gib -= left;
        let returned = (over - left).min(self.slack_gib * (1.0 - FRAGMENTED) + self.idle_gib);
        pressed.parts.framework -= returned;
        pressed
    }
}

/// Share of what the caching allocator holds beyond what it has handed out that lies between other blocks, and stays
/// when it returns its free blocks; with `expandable_segments` or nearly equal blocks. Assumed.
const FRAGMENTED: f64 = 0.35;
