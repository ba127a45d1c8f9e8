//! What a search finds, and which of several proposals is made.

use std::cmp::Ordering;

use super::asking::Asking;
use super::candidate::{AS_FAST, Candidate, sorted};
use super::refused::none_accepted;
use super::settle::Settling;
use super::work::Work;
use shardwise_catalog::error::InputError;
use shardwise_question::wire::PlanSpec;

/// Evaluations that settling may take.
const SETTLING: u64 = 8_000;

/// Plans of a search from which room is made beside the proposed one.
const STARTS: usize = 4;

/// Plans that were found, the proposed one first once they are [`settled`](Self::settled).
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(super) considered: u64,
    pub(super) evaluated: u64,
    pub(super) complete: bool,
    /// Seconds of the fastest plan that fits; the first of the plans may be a simpler one.
    pub(super) fastest: Option<f64>,
    pub(super) plans: Vec<Candidate>,
    /// What else was proposed, of other back ends: where none fits, more comes of one than of another.
    pub(super) others: Vec<Candidate>,
}

impl Ranked {
    /// What was found in a space, the best first.
    pub(super) fn of(considered: u64, work: &Work, plans: Vec<Candidate>) -> Self {
        let fastest = plans.first().filter(|first| first.fits());
        Self {
            considered,
            evaluated: work.done(),
            complete: !work.ended(),
            fastest: fastest.map(|first| first.seconds),
            plans,
            others: Vec::new(),
        }
    }

    /// These, found among so many more, and whether those were all.
    pub(super) fn among(self, (considered, complete): (u64, bool)) -> Self {
        Self { considered, complete, ..self }
    }

    /// The plan that is proposed.
    pub(crate) fn first(&self) -> Result<&Candidate, InputError> {
        self.plans.first().ok_or_else(none_accepted)
    }

    /// Whether the plan that is proposed fits as surely as asked, with lengths as the question has them.
    pub(super) fn may_fit(&self) -> bool {
        self.plans.first().is_some_and(|first| first.fits() || first.unlikely <= 0.0)
    }

    /// Whether it rather fits than not.
    pub(super) fn rather_fits(&self) -> bool {
        self.may_fit() || self.plans.first().is_some_and(Candidate::is_tight)
    }

    /// With the plan that is proposed of these in front.
    pub(super) fn settled(mut self, asking: &Asking<'_>, spec: &PlanSpec) -> Self {
        asking.work.grant(SETTLING);
        let closer = self.plans.into_iter().map(|own| own.closer(asking.context));
        self.plans = sorted(closer, &Candidate::order);
        let settling = Settling::new(asking, spec);
        if let Some((proposed, fastest)) = settling.of(&self.plans) {
            self.fastest = fastest.fits().then_some(fastest.seconds);
            let alike = |own: &Candidate| own.plan == proposed.plan;
            if !proposed.fits() {
                self.others = otherwise(&self.plans);
            }
            self.plans.retain(|own| !alike(own));
            self.plans.insert(0, proposed);
        }
        self
    }

    /// The plan that is proposed, where none fits, and what several steps at once make of it or of what other back ends propose: what
    /// comes first of these.
    pub(super) fn made_room(mut self, asking: &Asking<'_>, spec: &PlanSpec) -> Self {
        if let Some(first) = self.plans.first().copied() {
            asking.work.grant(SETTLING);
            let settling = Settling::new(asking, spec);
            let starts = [first].into_iter().chain(std::mem::take(&mut self.others));
            let ends = starts.map(|start| settling.roomier(start));
            let roomier = ends.reduce(|a, b| if b.beats(&a) { b } else { a }).unwrap_or(first);
            self.plans.retain(|own| own.plan != first.plan && own.plan != roomier.plan);
            self.plans.insert(0, roomier);
        }
        self
    }

    /// The plan that is proposed, where none fits as surely as asked, or `other`, whichever comes first, and what steps make of it
    /// where it rather fits than not.
    pub(super) fn weighed(mut self, other: Option<Candidate>, asking: &Asking<'_>, spec: &PlanSpec) -> Self {
        let both = self.plans.first().copied().into_iter().chain(other);
        let Some(first) = both.reduce(|a, b| if b.beats(&a) { b } else { a }) else {
            return self;
        };
        asking.work.grant(SETTLING);
        let first = Settling::new(asking, spec).cheaper(first);
        self.plans.retain(|own| own.plan != first.plan);
        self.plans.insert(0, first);
        self
    }

    /// With what was found in another space, `keep` in all.
    pub(super) fn merged(self, other: Self, keep: usize) -> Self {
        let fastest = match (self.fastest, other.fastest) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let heads = [&self, &other].into_iter();
        let head = heads
            .filter_map(|own| own.plans.first().copied())
            .reduce(|a, b| if proposal_order(&b, &a, fastest).is_lt() { b } else { a });
        let heads = [&self, &other].into_iter().filter_map(|own| own.plans.first().copied());
        let others = self.others.iter().chain(&other.others).copied().chain(heads);
        let others = others.filter(|own| head.is_some_and(|head| head.plan != own.plan)).collect();
        let all = self.plans.into_iter().chain(other.plans);
        let mut plans = sorted(all, &Candidate::order);
        if let Some(head) = head {
            plans.retain(|own| own.plan != head.plan);
            plans.insert(0, head);
        }
        plans.truncate(keep.max(1));
        Self {
            considered: self.considered + other.considered,
            evaluated: other.evaluated,
            complete: other.complete,
            fastest,
            plans,
            others,
        }
    }
}

/// Plans of one search from which room is made, the first of each kind: more comes of one than of another.
fn otherwise(found: &[Candidate]) -> Vec<Candidate> {
    let mut starts: Vec<Candidate> = Vec::with_capacity(STARTS);
    for own in found {
        let of = |own: &Candidate| {
            let layout = &own.plan.layout;
            (layout.offload, layout.optimizer_offload_fraction, layout.recompute)
        };
        if starts.len() < STARTS && starts.iter().all(|known| of(known) != of(own)) {
            starts.push(*own);
        }
    }
    starts
}

/// Which of two proposals to make: what fits, what is nearly as fast as the fastest, the simpler one, the faster one.
pub(super) fn proposal_order(a: &Candidate, b: &Candidate, fastest: Option<f64>) -> Ordering {
    let slow = |own: &Candidate| fastest.is_none_or(|fastest| own.seconds > fastest * AS_FAST);
    match (slow(a), slow(b)) {
        (false, false) if a.fits() && b.fits() => a.points.cmp(&b.points).then(a.order(b)),
        _ => a.order(b),
    }
}
