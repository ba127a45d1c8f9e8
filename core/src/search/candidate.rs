//! How plans rank.

use std::cmp::Ordering;

use crate::coverage;
use crate::hardware::Hardware;
use crate::plan::{Layout, Plan, Recompute};
use crate::workload::Workload;

/// GiB that plans may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// The training side.
    pub(super) training: f64,
    /// Everything together: an engine takes what it is told to.
    pub(super) whole: f64,
    /// Whether nothing is set aside.
    pub(super) tight: bool,
}

impl Room {
    /// With what published runs have needed beyond their estimates set aside: a plan that fills the card to the brim
    /// runs in every other case.
    pub(super) fn comfortable(hardware: &Hardware) -> Self {
        Self {
            training: hardware.memory_gib * coverage::comfortable_share(),
            whole: hardware.memory_gib,
            tight: false,
        }
    }

    /// The whole card.
    pub(super) fn tight(hardware: &Hardware) -> Self {
        Self {
            training: hardware.memory_gib,
            whole: hardware.memory_gib,
            tight: true,
        }
    }

    /// GiB that are missing where training takes `training` and everything `whole`.
    pub(super) fn missing(&self, training: f64, whole: f64) -> f64 {
        (training - self.training).max(whole - self.whole).max(0.0)
    }
}

/// A plan and how it ranks.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    /// Seconds of a step.
    pub seconds: f64,
    /// GiB that are missing; 0 where it fits.
    pub shortfall_gib: f64,
    /// Whether nothing is set aside for what the estimate may be off.
    tight: bool,
    rounded: f64,
    simplicity: u32,
    place: u32,
}

impl Candidate {
    /// A plan that takes `seconds`, and `shortfall_gib` more than `room` has.
    pub(super) fn new(
        workload: &Workload,
        plan: &Plan,
        seconds: f64,
        (room, shortfall_gib): (&Room, f64),
        place: u32,
    ) -> Self {
        Self {
            plan: *plan,
            seconds,
            shortfall_gib,
            tight: room.tight,
            rounded: rounded(seconds),
            simplicity: simplicity(workload, &plan.layout),
            place,
        }
    }

    /// Whether it is within its room, without the allocator giving anything back.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.shortfall_gib == 0.0
    }

    /// Whether this plan ranks before another: what fits, then what is faster, then what is simpler.
    #[must_use]
    pub fn beats(&self, other: &Self) -> bool {
        self.order(other).is_lt()
    }

    /// Room to spare, the smallest shortfall, seconds to three digits, simplicity, seconds; then the order in which plans are listed.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.tight
            .cmp(&other.tight)
            .then(self.shortfall_gib.total_cmp(&other.shortfall_gib))
            .then(self.rounded.total_cmp(&other.rounded))
            .then(self.simplicity.cmp(&other.simplicity))
            .then(self.seconds.total_cmp(&other.seconds))
            .then(self.place.cmp(&other.place))
    }

    /// Whether no plan as simple as `simplicity` or less so that takes `seconds` or more can rank before this one.
    pub(super) fn rules_out(&self, seconds: f64, simplicity: u32) -> bool {
        if !self.fits() || seconds < self.seconds * 0.98 {
            return false;
        }
        let least = rounded(seconds);
        least > self.rounded || (least >= self.rounded && simplicity > self.simplicity)
    }
}

/// Seconds to three significant digits: plans closer than that are ranked by simplicity.
fn rounded(seconds: f64) -> f64 {
    let mut scale = 1.0;
    while seconds * scale < 100.0 && scale < 1e12 {
        scale *= 10.0;
    }
    (seconds * scale).round() / scale
}

/// Number of mechanisms a layout uses: fewer is simpler. A fused LM head is none where every plan has it.
pub(super) fn simplicity(workload: &Workload, layout: &Layout) -> u32 {
    let dimensions = [
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.virtual_pipeline,
        layout.context_parallel,
        layout.ulysses_parallel,
        layout.expert_parallel,
        layout.expert_tensor_parallel,
    ];
    let offload = layout.offload;
    let switches = [
        offload.parameters,
        offload.gradients,
        offload.optimizer,
        offload.activations,
        layout.recompute != Recompute::None,
        layout.fused_lm_head && workload.rl.is_none(),
    ];
    let used = dimensions.iter().filter(|size| **size > 1).count()
        + switches.iter().filter(|on| **on).count();
    used as u32
}

/// The best of what was offered, best first.
#[derive(Debug)]
pub(super) struct Top {
    keep: usize,
    pub(super) best: Vec<Candidate>,
}

impl Top {
    pub(super) fn new(keep: usize) -> Self {
        Self {
            keep: keep.max(1),
            best: Vec::new(),
        }
    }

    /// The last one, once there is no room for more.
    pub(super) fn last(&self) -> Option<&Candidate> {
        self.best.last().filter(|_| self.best.len() >= self.keep)
    }

    pub(super) fn rules_out(&self, seconds: f64, simplicity: u32) -> bool {
        self.last()
            .is_some_and(|last| last.rules_out(seconds, simplicity))
    }

    pub(super) fn offer(&mut self, candidate: Candidate) {
        let at = self
            .best
            .partition_point(|known| known.order(&candidate).is_le());
        if at < self.keep {
            self.best.insert(at, candidate);
            self.best.truncate(self.keep);
        }
    }
}
