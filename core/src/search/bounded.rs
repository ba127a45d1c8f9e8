//! The best plans of a space without trying them all: branch and bound.
//!
//! A family is left out when the least time of its blocks already loses against what was found; a group's
//! micro-batch, when its plainest plan does; a variant, when the plainest plan's time with its own offload does. What is
//! left is evaluated exactly. So the outcome is that of trying every plan (`tests.rs` beside this file).

use std::cell::Cell;

use super::accept::{Accept, Verdict};
use super::candidate::{Candidate, Room, Top, simplicity};
use super::space::{Family, Group, Held, Pass, Space};
use crate::complete::training_gpus;
use crate::context::Context;
use crate::layer::Slice;
use crate::plan::{Layout, Plan, Recompute};
use crate::training;
use crate::wire::Offload;

/// How plans of one kind of workload are timed and held.
pub(super) trait Task {
    /// Seconds that a step takes at least whose optimizer steps take `update` and more, with attention over `length`
    /// tokens.
    fn least(&self, layout: &Layout, update: f64, length: f64) -> f64;

    /// The plainest plan of a pass.
    fn plain(&self, asked: &Asked<'_>) -> Plain;

    /// Seconds that a plan takes at least which differs from the plainest in recomputation and offload; `None` for
    /// `offload` stands for any.
    fn bound(&self, plain: &Plain, layout: &Layout, offload: Option<Offload>, group: &Group)
    -> f64;

    /// GiB that every plan of a group takes at least.
    fn floor(&self, group: &Group, layout: &Layout) -> f64;

    /// What a plan holds.
    fn held(&self, asked: &Asked<'_>) -> Held;

    /// GiB that every completion of a plan takes at least.
    fn least_gib(&self, held: &Held) -> f64;

    /// The best completion that fits and is accepted; `None` where there is none, or none before `limit`.
    fn best(&self, asked: &Asked<'_>, held: &Held, seconds: Option<f64>) -> Option<Candidate>;

    /// The completion with the smallest shortfall.
    fn closest(&self, asked: &Asked<'_>, held: &Held) -> Option<Candidate>;
}

/// A plan to complete.
pub(super) struct Asked<'a> {
    pub(super) family: &'a Family,
    pub(super) group: &'a Group,
    pub(super) pass: &'a Pass,
    pub(super) layout: Layout,
    pub(super) accept: Accept<'a>,
    /// What it must rank before.
    pub(super) limit: Option<&'a Candidate>,
}

/// Times of a pass's plainest plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub(super) recompute: Recompute,
    pub(super) offload: Offload,
    /// Of training.
    pub(super) seconds: f64,
    /// Of them, those that offload changes.
    pub(super) update: f64,
}

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) task: &'a dyn Task,
    pub(super) accept: Accept<'a>,
    pub(super) room: Room,
    /// Plans whose time was computed.
    pub(super) evaluated: &'a Cell<u64>,
}

impl Search<'_> {
    /// The best plan of each group, the best `keep` groups first. Groups of which nothing fits follow, by shortfall.
    pub(super) fn run(&self, space: &Space, keep: usize) -> Vec<Candidate> {
        let mut families: Vec<(f64, &Family)> = space
            .families
            .iter()
            .map(|family| (self.least(family), family))
            .collect();
        families.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut top = Top::new(keep);
        let mut without = Vec::new();
        for (least, family) in families {
            // The rest takes as long or longer.
            if top.rules_out(least, 0) {
                break;
            }
            let mut known = Vec::with_capacity(16);
            for group in &family.groups {
                if top.rules_out(least, self.simplest(family, group)) {
                    continue;
                }
                let refused = Cell::new(false);
                match self.best(family, group, top.last(), &mut known, &refused) {
                    Some(found) => top.offer(found),
                    None if refused.get() => {}
                    None => without.push((family, group)),
                }
            }
        }
        // Where nothing has room to spare, what is nearest is asked of the whole card.
        if top.best.is_empty() && !self.room.tight {
            return top.best;
        }
        // While there are places left nothing was ruled out: of the others nothing fits.
        if top.last().is_none() {
            for (family, group) in without {
                if let Some(found) = self.closest(family, group, top.last()) {
                    top.offer(found);
                }
            }
        }
        top.best
    }

    /// Seconds that every plan of a family takes at least: micro-batches are as large as any.
    fn least(&self, family: &Family) -> f64 {
        let (Some(group), Some(variant)) = (family.groups.first(), family.variants.first()) else {
            return 0.0;
        };
        let Some(pass) = group.passes.first() else {
            return 0.0;
        };
        let layout = group.layout(pass, variant);
        let widest = Slice {
            tokens: family.widest,
            ..pass.batch.mean
        };
        let tokens = tokens_per_gpu(self.context, layout.tensor_parallel);
        let update = self.least_pass(&layout, widest) * tokens / widest.tokens;
        self.task.least(&layout, update, widest.attention_length)
    }

    /// Seconds that a micro-batch of `slice` takes at least in all layers of a family's layouts.
    fn least_pass(&self, layout: &Layout, slice: Slice) -> f64 {
        training::least_pass(self.context, &self.context.actor(), layout, slice).get()
    }

    /// Seconds that every plan of a pass takes at least: its micro-batches, and those that the pipeline waits for (the
    /// terms of [`crate::training::step`]). `known` holds what was found for passes of the same family.
    fn least_of(&self, layout: &Layout, pass: &Pass, known: &mut Vec<(Slice, f64)>) -> f64 {
        let slice = pass.batch.mean;
        let all = match known.iter().find(|(own, _)| *own == slice) {
            Some((_, seconds)) => *seconds,
            None => {
                let seconds = self.least_pass(layout, slice);
                known.push((slice, seconds));
                seconds
            }
        };
        let stages = f64::from(layout.pipeline_parallel);
        let waits = (stages - 1.0) / f64::from(layout.virtual_pipeline);
        // Rounding may put the sum of the parts a hair below.
        let update = all / stages * (pass.batch.micro_batches + waits) * (1.0 - 1e-9);
        self.task.least(layout, update, slice.attention_length)
    }

    /// Mechanisms that every plan of a group has.
    fn simplest(&self, family: &Family, group: &Group) -> u32 {
        match (group.passes.first(), family.variants.first()) {
            (Some(pass), Some(variant)) => {
                let layout = group.layout(pass, variant);
                simplicity(&self.context.job.workload, &layout)
            }
            _ => 0,
        }
    }

    fn best(
        &self,
        family: &Family,
        group: &Group,
        limit: Option<&Candidate>,
        known: &mut Vec<(Slice, f64)>,
        refused: &Cell<bool>,
    ) -> Option<Candidate> {
        let capacity = self.room.training;
        if self.floor(family, group) > capacity {
            return None;
        }
        let simplest = self.simplest(family, group);
        let accept = self.noting(refused);
        let mut best: Option<Candidate> = None;
        for (place, pass) in group.passes.iter().enumerate() {
            let Some(first) = family.variants.first() else {
                continue;
            };
            let least = self.least_of(&group.layout(pass, first), pass, known);
            let ruled_out = |best: &Option<Candidate>, seconds: f64, simple: u32| {
                let before = best.as_ref().or(limit);
                before.is_some_and(|known| known.rules_out(seconds, simple))
            };
            if ruled_out(&best, least, simplest) {
                continue;
            }
            let mut number = 0;
            // One plainest plan for each kind of head.
            for alike in family
                .variants
                .chunk_by(|a, b| a.fused_lm_head == b.fused_lm_head)
            {
                let start = number;
                number += alike.len();
                let Some(first) = alike.first() else {
                    continue;
                };
                let mut asked = Asked {
                    family,
                    group,
                    pass,
                    layout: group.layout(pass, first),
                    accept: &accept,
                    limit,
                };
                let simple = |layout: &Layout| simplicity(&self.context.job.workload, layout);
                self.count();
                let plain = self.task.plain(&asked);
                let least = self.task.bound(&plain, &asked.layout, None, group);
                if ruled_out(&best, least, simple(&asked.layout)) {
                    continue;
                }
                for (variant, number) in alike.iter().zip(start..) {
                    let layout = group.layout(pass, variant);
                    let offload = Some(variant.offload);
                    let least = self.task.bound(&plain, &layout, offload, group);
                    if ruled_out(&best, least, simple(&layout)) {
                        continue;
                    }
                    asked.layout = layout;
                    let held = group.held((place, number), family.variants.len(), || {
                        self.task.held(&asked)
                    });
                    if self.task.least_gib(&held) > capacity {
                        continue;
                    }
                    let known =
                        variant.recompute == plain.recompute && variant.offload == plain.offload;
                    self.count();
                    let asked = Asked {
                        limit: best.as_ref().or(limit),
                        ..asked
                    };
                    let seconds = known.then_some(plain.seconds);
                    if let Some(found) = self.task.best(&asked, &held, seconds) {
                        best = Some(found);
                    }
                    if refused.get() {
                        return None;
                    }
                }
            }
        }
        best
    }

    fn closest(
        &self,
        family: &Family,
        group: &Group,
        limit: Option<&Candidate>,
    ) -> Option<Candidate> {
        let capacity = self.room.training;
        let floor = self.floor(family, group) - capacity;
        let refused = Cell::new(false);
        let accept = self.noting(&refused);
        let mut best: Option<Candidate> = None;
        for (place, pass) in group.passes.iter().enumerate() {
            for (number, variant) in family.variants.iter().enumerate() {
                let known = best.as_ref().or(limit);
                let most = known.map_or(f64::MAX, |known| known.shortfall_gib);
                if floor > most {
                    return best;
                }
                let asked = Asked {
                    family,
                    group,
                    pass,
                    layout: group.layout(pass, variant),
                    accept: &accept,
                    limit: known,
                };
                let held = group.held((place, number), family.variants.len(), || {
                    self.task.held(&asked)
                });
                if self.task.least_gib(&held) - capacity > most {
                    continue;
                }
                self.count();
                if let Some(found) = self.task.closest(&asked, &held) {
                    best = Some(found);
                }
                if refused.get() {
                    return None;
                }
            }
        }
        best
    }

    /// Asks whether plans count, and notes where none of a group does.
    fn noting<'b>(&'b self, refused: &'b Cell<bool>) -> impl Fn(&Plan) -> Verdict + 'b {
        move |plan| {
            let verdict = (self.accept)(plan);
            refused.set(refused.get() || verdict == Verdict::NoGroup);
            verdict
        }
    }

    fn floor(&self, family: &Family, group: &Group) -> f64 {
        let (Some(pass), Some(last)) = (group.passes.first(), family.variants.last()) else {
            return 0.0;
        };
        group.floor(|| self.task.floor(group, &group.layout(pass, last)))
    }

    fn count(&self) {
        self.evaluated.set(self.evaluated.get() + 1);
    }
}

/// Tokens that each GPU computes on in an optimizer step, whatever its pipeline: those of all sequences, shared.
pub(super) fn tokens_per_gpu(context: &Context<'_>, tensor_parallel: u32) -> f64 {
    let workload = &context.job.workload;
    let length = if workload.packing {
        workload.mean_sequence_length
    } else {
        workload.sequence_length as f64
    };
    let gpus = f64::from(training_gpus(context.job));
    workload.global_batch as f64 * length * f64::from(tensor_parallel) / gpus
}
