//! The plan that is nearest to fitting, where none fits.

use std::cell::Cell;

use super::super::accept::Accept;
use super::super::candidate::Candidate;
use super::super::choices::Variant;
use super::super::space::{Family, Group, Pass};
use super::task::InPass;
use super::{Search, first_of};

impl Search<'_> {
    /// Seconds that what is nearest to fitting of a group takes at least.
    pub(super) fn least_of_smallest(&self, family: &Family, group: &Group) -> f64 {
        let Some(first) = family.variants.first() else {
            return 0.0;
        };
        let mut known = Vec::new();
        smallest(family, group)
            .map(|of| self.least_of(&group.layout(of.pass, first), of.pass, &mut known))
            .fold(f64::INFINITY, f64::min)
    }

    /// The plan of a group that is nearest to fitting: the smallest micro-batch, and of each kind of offload the most
    /// recomputation that counts, as offload may be what host memory lacks. None where all lack more GiB than `most`.
    pub(super) fn closest(&self, family: &Family, group: &Group, most: Option<f64>) -> Option<Candidate> {
        let (refused, denied) = (Cell::new(false), Cell::new(false));
        let accept = self.noting(&refused, &denied);
        let mut best: Option<Candidate> = None;
        for of in smallest(family, group) {
            if self.is_refused(&of, &refused) {
                continue;
            }
            let most = best.map(|own| own.shortfall_gib).or(most);
            let found = self.closest_of(&of, most, &accept, &refused);
            best = first_of(best, found);
            if refused.get() {
                break;
            }
        }
        best
    }

    /// The plan of a pass that is nearest to fitting: see [`Self::closest`]. None where all lack more GiB than `most`.
    fn closest_of(
        &self,
        of: &InPass<'_>,
        most: Option<f64>,
        accept: Accept<'_>,
        refused: &Cell<bool>,
    ) -> Option<Candidate> {
        // Of the two heads the last holds less; the other one is for whoever does not run it there.
        let mut start = of.family.variants.len();
        for alike in of.family.heads() {
            start -= alike.len();
            let denied = Cell::new(false);
            let best = self.closest_alike(of, (start, alike), most, accept, (refused, &denied));
            if best.is_some() || !denied.get() || refused.get() {
                return best;
            }
        }
        None
    }

    /// The same with one kind of head; `denied` is set where some plan with it is not run.
    fn closest_alike(
        &self,
        of: &InPass<'_>,
        (mut start, alike): (usize, &[Variant]),
        most: Option<f64>,
        accept: Accept<'_>,
        (refused, denied): (&Cell<bool>, &Cell<bool>),
    ) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for chain in alike.chunk_by(|a, b| a.away == b.away) {
            let numbers = start..start + chain.len();
            start = numbers.end;
            for (variant, number) in chain.iter().zip(numbers).rev() {
                let held = self.held(of, number, variant);
                let over = self.task.least_gib(&held) - self.context.job.hardware.memory_gib;
                let known = best.map(|own| own.shortfall_gib).or(most);
                let over = over.max(held.missing_host_gib(self.context));
                if known.is_some_and(|known| over > known) {
                    break;
                }
                self.work.count();
                let asked = of.asked(variant, accept, f64::INFINITY);
                if let Some(found) = self.task.closest(&asked, &held) {
                    best = first_of(best, Some(found));
                    break;
                }
                denied.set(true);
                if refused.get() {
                    return best;
                }
            }
        }
        best
    }
}

/// The passes of a group that hold least: the one with the smallest micro-batch, and the one with the fewest of them, as
/// gradients may be kept only between them.
pub(super) fn smallest<'a>(family: &'a Family, group: &'a Group) -> impl Iterator<Item = InPass<'a>> {
    let passes = || group.passes.iter().enumerate();
    let longest = |pass: &Pass| pass.batch.longest;
    let tokens = |pass: &Pass| (longest(pass).slice.tokens, longest(pass).micro_batches);
    let fewest = |pass: &Pass| (pass.batch.micro_batches, longest(pass).slice.tokens);
    let least = |of: &dyn Fn(&Pass) -> (f64, f64)| {
        let order = |a: (f64, f64), b: (f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        passes().min_by(|a, b| order(of(a.1), of(b.1)))
    };
    let (first, second) = (least(&tokens), least(&fewest));
    let other = second.filter(|own| first.is_none_or(|first| first.0 != own.0));
    let in_pass = move |(place, pass)| InPass { family, group, pass, place };
    first.into_iter().chain(other).map(in_pass)
}
