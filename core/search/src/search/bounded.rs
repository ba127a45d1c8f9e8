//! The best plans of a space without trying them all: branch and bound.
//!
//! A family is left out when the least time of its blocks already loses against what was found; a group's
//! micro-batch, when its plainest plan does; a variant, when the plainest plan's time with its own offload does. What is
//! left is evaluated exactly. So the outcome is that of trying every plan (`tests.rs` beside this file), as long as the
//! work that a question may cost ([`Work`]) lasts.

mod closest;
mod limits;
mod task;

pub(super) use limits::{Limits, Want};
pub(super) use task::{Asked, Plain, Task};

use std::cell::Cell;

use super::accept::{Accept, Verdict};
use super::candidate::Candidate;
use super::choices::Variant;
use super::space::{Family, Group, Held, Pass, Space};
use super::top::{Near, Top};
use super::work::Work;
use closest::smallest;
use shardwise_catalog::ordered::rising;
use shardwise_engine::batch;
use shardwise_engine::context::Context;
use shardwise_engine::coverage;
use shardwise_engine::layer::Slice;
use shardwise_engine::training;
use shardwise_question::complete::{pipeline_schedule, splits_backward, training_gpus};
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::Backend;
use task::InPass;

/// How many times as long as the fastest a plan of training alone may take from which steps begin too: they may end
/// elsewhere.
pub(super) const START: f64 = 1.35;

/// The one of two candidates that comes first in their order, the known one where they are alike.
fn first_of(known: Option<Candidate>, found: Option<Candidate>) -> Option<Candidate> {
    let sooner = |own: &Candidate| found.is_some_and(|found| found.order(own).is_lt());
    known.filter(|own| !sooner(own)).or(found)
}

/// Seconds from which on a plan is of no interest beside `best`.
fn earlier(enough: f64, best: Option<&Candidate>) -> f64 {
    best.map_or(enough, |own| own.seconds.min(enough))
}

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) task: &'a dyn Task,
    pub(super) accept: Accept<'a>,
    pub(super) work: &'a Work,
    pub(super) limits: Limits,
    /// Its number, among those that asked the same space.
    pub(super) asks: u32,
}

impl Search<'_> {
    /// The best plan of each group, the best `keep` groups first and with them all that are nearly as fast as the first.
    /// Groups of which nothing fits follow, by shortfall.
    pub(super) fn run(&self, space: &Space) -> Vec<Candidate> {
        if self.limits.want == Want::Any {
            let mut groups = all_groups(space).into_iter();
            let any = groups.find_map(|(family, group)| self.any(family, group));
            return any.into_iter().collect();
        }
        let near = match (self.limits.settle, &self.context.job.workload.rl) {
            (false, _) => Near::Nothing,
            (true, Some(_)) => Near::AsFast,
            (true, None) => Near::Starts(START),
        };
        let mut top = Top::new(self.limits.keep, near);
        let none_fits = self.task.least_short() > 0.0;
        let without = if self.limits.want == Want::Nearest || none_fits {
            all_groups(space)
        } else {
            self.fitting(space, &mut top)
        };
        // While there are places left nothing was ruled out: of the others nothing fits.
        if !self.limits.want.may_be_none() && top.enough().is_none() {
            self.nearest(&mut top, without);
        }
        top.best
    }

    /// Some plan of a group that counts, fit it or not: of those with the smallest micro-batches.
    fn any(&self, family: &Family, group: &Group) -> Option<Candidate> {
        for of in smallest(family, group) {
            for variant in family.heads().flatten() {
                self.work.count();
                match self.task.any(&of.asked(variant, self.accept, f64::INFINITY)) {
                    Ok(plan) => {
                        let job = self.context.job;
                        return Some(Candidate::new(job, &plan, 0.0, 0.0, group.place));
                    }
                    Err(Verdict::NoGroup) => return None,
                    Err(Verdict::NoPass) => break,
                    Err(_) => {}
                }
            }
        }
        None
    }

    /// Offers what fits, and returns the groups of which nothing does.
    fn fitting<'b>(&self, space: &'b Space, top: &mut Top) -> Vec<(&'b Family, &'b Group)> {
        let least: Vec<f64> = space.families.iter().map(|own| self.least(own)).collect();
        let mut without = Vec::new();
        for place in rising(&least) {
            let (Some(family), Some(&least)) = (space.families.get(place), least.get(place)) else {
                break;
            };
            // The rest takes as long or longer.
            if least >= self.enough(top) || self.work.is_over() {
                break;
            }
            let mut known = Vec::with_capacity(16);
            for group in &family.groups {
                if self.work.is_over() {
                    break;
                }
                let refused = Cell::new(false);
                let enough = self.enough(top);
                match self.best(family, group, enough, &mut known, &refused) {
                    Some(found) => {
                        top.offer(found);
                        if self.limits.want == Want::Room {
                            return without;
                        }
                    }
                    None if refused.get() => {}
                    None => without.push((family, group)),
                }
            }
        }
        without
    }

    fn enough(&self, top: &Top) -> f64 {
        top.enough().unwrap_or(f64::INFINITY).min(self.limits.enough)
    }

    /// Of groups of which nothing fits the nearest to it.
    fn nearest(&self, top: &mut Top, groups: Vec<(&Family, &Group)>) {
        let floors: Vec<f64> = groups.iter().map(|(family, group)| self.floor(family, group)).collect();
        let capacity = self.context.job.hardware.memory_gib;
        let least_short = self.task.least_short();
        for place in rising(&floors) {
            let (Some(&(family, group)), Some(floor)) = (groups.get(place), floors.get(place)) else {
                break;
            };
            // Some answer there has to be, whatever it costs.
            let least = least_short.max(floor - capacity);
            let done = top.nearest().is_some_and(|most| least > most || self.work.is_over());
            if done {
                break;
            }
            // Of no interest is what something else that fits outdoes in time, and beside one that lacks as little as any
            // what takes longer than it.
            let enough = self.limits.enough;
            let last = top.last().filter(|last| last.shortfall_gib <= least);
            if enough.is_finite() || last.is_some() {
                let seconds = self.least_of_smallest(family, group);
                if seconds >= enough || last.is_some_and(|last| seconds > last.seconds) {
                    continue;
                }
            }
            if let Some(found) = self.closest(family, group, top.nearest()) {
                top.offer(found);
            }
        }
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
        let widest = Slice { tokens: family.widest, ..pass.batch.mean };
        let tokens = tokens_per_gpu(self.context, layout.backend, layout.tensor_parallel);
        // How its groups split layers, and what they take at once, is open.
        let whole = Layout { pipeline_parallel: 1, virtual_pipeline: 1, ..layout };
        let caution = coverage::caution(self.context.job, &whole, 0.0);
        let update = self.least_pass(&layout, widest) * tokens / widest.tokens * caution;
        self.task.least(&layout, update, widest.attention_length, 1.0)
    }

    /// Seconds that a micro-batch of `slice` takes at least in all layers of a family's layouts.
    fn least_pass(&self, layout: &Layout, slice: Slice) -> f64 {
        training::least_pass(self.context, &self.context.actor(), layout, slice).get()
    }

    /// Seconds that every plan of a pass takes at least: its micro-batches, and those that the pipeline waits for (the
    /// terms of [`shardwise_engine::training::step`]). `known` holds what was found for passes of the same family.
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
        // What the weights' gradients fill of it is open here.
        let idle = if splits_backward(pipeline_schedule(layout)) { 0.0 } else { stages - 1.0 };
        let waits = idle / f64::from(layout.virtual_pipeline);
        let caution = coverage::caution(self.context.job, layout, slice.tokens);
        // Rounding may put the sum of the parts a hair below.
        let update = all / stages * (pass.batch.micro_batches + waits) * caution * (1.0 - 1e-9);
        let forward = 1.0 + (stages - 1.0) / pass.forward.micro_batches;
        self.task.least(layout, update, slice.attention_length, forward)
    }

    /// The fastest plan of a group that fits, of those that take less than `enough` seconds.
    fn best(
        &self,
        family: &Family,
        group: &Group,
        enough: f64,
        known: &mut Vec<(Slice, f64)>,
        refused: &Cell<bool>,
    ) -> Option<Candidate> {
        let capacity = self.context.job.hardware.memory_gib;
        let mut best: Option<Candidate> = None;
        let first = family.variants.first()?;
        let least_of = |pass: &Pass| self.least_of(&group.layout(pass, first), pass, known);
        let least: Vec<f64> = group.passes.iter().map(least_of).collect();
        let mut left = group.passes.len();
        for place in rising(&least) {
            let (pass, least) = (group.passes.get(place)?, *least.get(place)?);
            // Those after it take as long or longer.
            if least >= earlier(enough, best.as_ref()) {
                break;
            }
            let of = InPass { family, group, pass, place };
            if self.is_refused(&of, refused) {
                left -= 1;
                // Of a group without passes nothing is nearest to fitting either.
                refused.set(refused.get() || left == 0);
                if refused.get() {
                    return None;
                }
                continue;
            }
            if self.floor(family, group) > capacity {
                return None;
            }
            // Where all that saves memory does not make it fit, nothing does.
            let over = |(number, variant)| self.task.least_gib(&self.held(&of, number, variant)) > capacity;
            if family.frugal(group).all(over) {
                continue;
            }
            self.of_pass(&of, enough, &mut best, refused);
            if refused.get() {
                return None;
            }
        }
        best
    }

    /// Whether no plan of a pass counts; `refused` is set where none of its group does.
    fn is_refused(&self, of: &InPass<'_>, refused: &Cell<bool>) -> bool {
        let denied = Cell::new(false);
        let accept = self.noting(refused, &denied);
        let first = of.family.variants.first();
        first.is_some_and(|first| self.task.is_refused(&of.asked(first, &accept, f64::INFINITY)))
    }

    /// Makes `best` the fastest plan of a pass, where one is faster.
    fn of_pass(&self, of: &InPass<'_>, enough: f64, best: &mut Option<Candidate>, refused: &Cell<bool>) {
        let denied = Cell::new(false);
        let accept = self.noting(refused, &denied);
        let mut number = 0;
        // What is known of the kinds of head that were.
        let mut other = 0.0;
        // One plainest plan for each kind of head.
        for alike in of.family.variants.chunk_by(|a, b| a.fused_lm_head == b.fused_lm_head) {
            let mut start = number;
            number += alike.len();
            let Some(first) = alike.first() else {
                continue;
            };
            let plainest = of.asked(first, &accept, enough);
            if other - self.saved_by_head(&plainest) >= earlier(enough, best.as_ref()) {
                continue;
            }
            self.work.count();
            let plain = self.task.plain(&plainest);
            let least = self.task.bound(&plain, &plainest.layout, None);
            other = least;
            if least >= earlier(enough, best.as_ref()) {
                continue;
            }
            for chain in alike.chunk_by(|a, b| a.away == b.away) {
                let before = earlier(enough, best.as_ref());
                let found = self.of_chain(of, (start, chain), &plain, before, (&accept, &denied));
                start += chain.len();
                *best = found.or(*best);
                if refused.get() {
                    return;
                }
            }
        }
    }

    /// Seconds that another kind of head saves at most in a step.
    fn saved_by_head(&self, asked: &Asked<'_>) -> f64 {
        let (layout, batch) = (&asked.layout, &asked.pass.batch);
        let role = self.context.actor();
        let tokens = batch.mean.tokens;
        let once = training::most_saved_by_fused_head(self.context, &role, layout, tokens);
        // However many micro-batches wait for it.
        let times = batch.micro_batches * f64::from(layout.pipeline_parallel);
        once * times * self.task.passes() * coverage::caution(self.context.job, layout, tokens)
    }

    /// The fastest plan of a chain: of variants that recompute ever more, and so hold less and mostly take longer, the first
    /// that fits.
    fn of_chain(
        &self,
        of: &InPass<'_>,
        (start, chain): (usize, &[Variant]),
        plain: &Plain,
        enough: f64,
        (accept, denied): (Accept<'_>, &Cell<bool>),
    ) -> Option<Candidate> {
        let capacity = self.context.job.hardware.memory_gib;
        let away = Some(chain.first()?.away);
        let layout = of.group.layout(of.pass, chain.first()?);
        if self.task.bound(plain, &layout, away) >= enough {
            return None;
        }
        let over = |place: usize| {
            chain
                .get(place)
                .is_none_or(|own| self.task.least_gib(&self.held(of, start + place, own)) > capacity)
        };
        // Sets of modules save in nearly the order of what they take. Where nothing is recomputed, no whole block is at work
        // beside the kept ones.
        let last = chain.len() - 1;
        let from = first_within(last, of.family.guess(start), over);
        of.family.remember(start, from.unwrap_or(last));
        let from = from?;
        let mut best = None;
        for (variant, number) in chain.iter().zip(start..).skip(from) {
            let held = self.held(of, number, variant);
            let known = variant.recompute == plain.recompute && variant.away == plain.away;
            if !known {
                self.work.count();
            }
            let seconds = known.then_some(plain.seconds);
            denied.set(false);
            let asked = of.asked(variant, accept, earlier(enough, best.as_ref()));
            let found = self.task.best(&asked, &held, seconds);
            // Who refuses this may run one that recomputes more.
            let last = found.is_some() || !denied.get();
            best = found.or(best);
            // Where activations wait in host memory, who recomputes more copies less.
            if last && !variant.away.offload.activations {
                break;
            }
        }
        best
    }

    /// What a variant of a pass holds.
    fn held(&self, of: &InPass<'_>, number: usize, variant: &Variant) -> Held {
        let all = of.family.variants.len();
        let (held, first) = of.group.held((of.place, number), (all, self.asks), || {
            let accept = |_: &Plan| Verdict::Yes;
            self.task.held(&of.asked(variant, &accept, f64::INFINITY))
        });
        if first {
            self.work.count();
        }
        held
    }

    /// Asks whether plans count, and notes where none of a group does, and where one was refused.
    fn noting<'b>(&'b self, refused: &'b Cell<bool>, denied: &'b Cell<bool>) -> impl Fn(&Plan) -> Verdict + 'b {
        move |plan| {
            let verdict = (self.accept)(plan);
            refused.set(refused.get() || verdict == Verdict::NoGroup);
            denied.set(denied.get() || verdict != Verdict::Yes);
            verdict
        }
    }

    fn floor(&self, family: &Family, group: &Group) -> f64 {
        let Some(pass) = group.passes.first() else {
            return 0.0;
        };
        let (floor, first) = group.floor(self.asks, || {
            let floor = |(_, variant): (usize, &Variant)| self.task.floor(group, &group.layout(pass, variant));
            family.frugal(group).map(floor).fold(f64::INFINITY, f64::min)
        });
        if first {
            family.frugal(group).for_each(|_| self.work.count());
        }
        floor
    }
}

/// The first place up to `last` that is not over, where all after it are not either; none where the last is. Nothing says so
/// of the very first, which is asked by itself. Places about `guess` are asked first.
fn first_within(last: usize, guess: usize, over: impl Fn(usize) -> bool) -> Option<usize> {
    let guess = guess.clamp(1.min(last), last);
    let low = over(guess);
    if low && (guess == last || over(last)) {
        return None;
    }
    if guess == 0 || !over(0) {
        return Some(0);
    }
    // Mostly it is where it was, or beside it.
    let (mut from, mut to, mut next) = if low { (guess + 1, last, guess + 1) } else { (1, guess, guess - 1) };
    while from < to {
        if over(next) {
            from = next + 1;
        } else {
            to = next;
        }
        next = from.midpoint(to);
    }
    Some(to)
}

fn all_groups(space: &Space) -> Vec<(&Family, &Group)> {
    let mut all = Vec::new();
    for family in &space.families {
        all.extend(family.groups.iter().map(|group| (family, group)));
    }
    all
}

/// Tokens that each GPU computes on at least in an optimizer step, whatever its pipeline: those of all sequences, shared.
pub(super) fn tokens_per_gpu(context: &Context<'_>, backend: Backend, tensor_parallel: u32) -> f64 {
    let job = context.job;
    let sequences = (job.workload.global_batch * job.workload.sequences_per_example()) as f64;
    sequences * batch::least_length(job, backend) * f64::from(tensor_parallel) / f64::from(training_gpus(job))
}
