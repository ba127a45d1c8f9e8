//! The engines of an RL step: each way to split one, with every share of the card that it may take.
//!
//! What an engine takes of the card decides its cache, and so its speed. More is mostly faster, and where it changes nothing the
//! larger share is tried first; but an engine that decodes more sequences at once may come by a slower kernel
//! ([`shardwise_engine::rollout::MANY`]). So each share is timed, and a training plan is left the fastest that fits beside it.

use std::cell::{Cell, OnceCell, RefCell};

use super::accept::Verdict;
use super::choices;
use super::space::Held;
use shardwise_catalog::error::InputError;
use shardwise_catalog::ordered::rising;
use shardwise_engine::context::Context;
use shardwise_engine::rl::{self, GeneratingSide, Taken};
use shardwise_engine::rollout::Room;
use shardwise_question::complete::complete_rollout;
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::PlanSpec;
use shardwise_question::workload::Rl;

/// An engine with a share of the card, timed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Engine {
    pub(super) plan: RolloutPlan,
    pub(super) side: GeneratingSide,
    pub(super) needs: Needs,
}

/// Memory of an engine with a share of the card.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    room: Room,
    /// GiB that it takes of the card.
    taken: Taken,
    /// GiB of its share that are missing for it to start; below zero what is to spare.
    pub(super) missing_gib: f64,
}

impl Needs {
    fn of(context: &Context<'_>, plan: &RolloutPlan, rl: &Rl, room: Room) -> Self {
        Self { taken: Taken::of(context, plan, rl, &room), missing_gib: rl::missing_share_gib(context, &room), room }
    }

    /// GiB that are missing for it and for training, of which `held` is on the card; below zero what is to spare.
    fn short(&self, context: &Context<'_>, held: &Held) -> f64 {
        rl::missing_card_gib(context, held, &self.taken).max(self.missing_gib)
    }
}

/// A way to split engines, by share of the card.
#[derive(Debug)]
struct Split {
    plan: RolloutPlan,
    /// The places of the shares with which it starts, the fastest first, and of those that are as fast the largest.
    starting: Vec<usize>,
    /// Seconds with the first of these; infinite where there is none.
    seconds: f64,
    /// By the place of the share in [`Engines::shares`]: what it needs.
    needs: Vec<Needs>,
    /// And its time, as far as that was asked for.
    sides: RefCell<Vec<Option<GeneratingSide>>>,
}

/// What an engine needs, the places of its split and its share, and whether it was refused beside some plan.
#[derive(Debug)]
struct Needed {
    needs: Needs,
    place: (usize, usize),
    refused: Cell<bool>,
}

/// Every legal engine of a job.
#[derive(Debug)]
pub(super) struct Engines<'a> {
    context: &'a Context<'a>,
    rl: &'a Rl,
    /// Shares of the card, largest first.
    shares: Vec<f64>,
    splits: Vec<Split>,
    /// Their places, the fastest first.
    order: Vec<usize>,
    /// What they need, once it is asked for.
    all: OnceCell<Vec<Needed>>,
    /// Why something stated leaves none, where it does.
    pub(super) refusal: Option<InputError>,
}

impl<'a> Engines<'a> {
    /// Every engine that keeps what `spec` states.
    pub(super) fn of(context: &'a Context<'a>, spec: &PlanSpec, rl: &'a Rl) -> Self {
        let (shares, rollouts) = choices::rollouts(context.job, spec);
        let mut found = Self {
            context,
            rl,
            shares,
            splits: Vec::with_capacity(rollouts.len()),
            order: Vec::new(),
            all: OnceCell::new(),
            refusal: None,
        };
        for rollout in rollouts {
            match complete_rollout(context.job, &rollout) {
                Ok(plan) => {
                    let rooms = rl::engine_rooms(context, &plan, rl, &found.shares);
                    let needs = rooms.into_iter().map(|room| Needs::of(context, &plan, rl, room)).collect();
                    let sides = RefCell::new(vec![None; found.shares.len()]);
                    let mut split = Split { plan, starting: Vec::new(), seconds: f64::INFINITY, needs, sides };
                    (split.starting, split.seconds) = found.starting(&split);
                    found.splits.push(split);
                }
                Err(error) => found.refusal = Some(error),
            }
        }
        let seconds: Vec<f64> = found.splits.iter().map(|split| split.seconds).collect();
        found.order = rising(&seconds);
        found
    }

    /// What [`Split`] says of the shares with which it starts.
    fn starting(&self, split: &Split) -> (Vec<usize>, f64) {
        let starts = |place: &usize| split.needs.get(*place).is_some_and(|own| own.missing_gib <= 0.0);
        let places: Vec<usize> = (0..self.shares.len()).filter(starts).collect();
        let timed = |place: &usize| self.at(split, *place).map_or(f64::INFINITY, |own| own.side.seconds());
        let seconds: Vec<f64> = places.iter().map(timed).collect();
        let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let order = rising(&seconds).into_iter();
        (order.filter_map(|own| places.get(own).copied()).collect(), least)
    }

    fn fastest_first(&self) -> impl Iterator<Item = &Split> {
        self.order.iter().filter_map(|place| self.splits.get(*place))
    }

    /// Whether none starts, whatever is left to it.
    pub(super) fn never_start(&self) -> bool {
        self.fastest().is_infinite()
    }

    /// Engines in all.
    pub(super) fn count(&self) -> u64 {
        (self.splits.len() * self.shares.len()) as u64
    }

    /// Seconds of the fastest; infinite where none starts.
    pub(super) fn fastest(&self) -> f64 {
        self.fastest_first().next().map_or(f64::INFINITY, |split| split.seconds)
    }

    /// The splits that start, or all where none does: what others take bounds nothing.
    fn able(&self) -> impl Iterator<Item = &Split> {
        let never = self.never_start();
        self.splits.iter().filter(move |own| never || own.seconds.is_finite())
    }

    /// GiB that the smallest takes of the card.
    pub(super) fn least_gib(&self) -> f64 {
        let own = |split: &Split| split.needs.last().map_or(f64::MAX, |own| own.taken.own_gib);
        self.able().map(own).fold(f64::MAX, f64::min)
    }

    /// GiB that every one keeps at least while training has the card.
    pub(super) fn least_kept_gib(&self) -> f64 {
        let kept = |split: &Split| split.needs.last().map_or(f64::MAX, |own| own.taken.kept_gib);
        let least = self.able().map(kept).fold(f64::MAX, f64::min);
        if least < f64::MAX { least } else { 0.0 }
    }

    /// GiB that every one lacks at least, alone on the card; zero where some starts.
    pub(super) fn least_short(&self) -> f64 {
        if !self.never_start() {
            return 0.0;
        }
        let nothing = Held::alone(0.0, 0.0);
        let short = |own: &Needed| own.needs.short(self.context, &nothing).max(0.0);
        self.all().iter().map(short).fold(f64::MAX, f64::min)
    }

    fn plan(&self, split: &Split, place: usize) -> Option<RolloutPlan> {
        Some(RolloutPlan { gpu_memory_utilization: *self.shares.get(place)?, ..split.plan })
    }

    fn at(&self, split: &Split, place: usize) -> Option<Engine> {
        let needs = *split.needs.get(place)?;
        let plan = self.plan(split, place)?;
        let mut sides = split.sides.borrow_mut();
        // Mostly a neighbour leaves room for as many.
        let others = || sides.iter().rev().flatten();
        let alike = || others().find_map(|side| side.with_room(self.context, &plan, self.rl, needs.room));
        let timed = sides.get(place)?.or_else(alike);
        let side = timed.unwrap_or_else(|| rl::generating_side(self.context, &plan, self.rl));
        *sides.get_mut(place)? = Some(side);
        Some(Engine { plan, side, needs })
    }

    /// Of each way to split the fastest engine that starts beside what training holds, in the order of their least seconds;
    /// `enough` says from which seconds on no more are asked for.
    pub(super) fn beside(&self, held: &Held, mut enough: impl FnMut(f64) -> bool, mut each: impl FnMut(&Engine)) {
        for split in self.fastest_first() {
            if split.seconds.is_infinite() || enough(split.seconds) {
                return;
            }
            let fits =
                |place: &&usize| split.needs.get(**place).is_some_and(|own| own.short(self.context, held) <= 0.0);
            let found = split.starting.iter().find(fits);
            if let Some(own) = found.and_then(|place| self.at(split, *place)) {
                each(&own);
            }
        }
    }

    /// Some engine that counts, or why none does.
    pub(super) fn any(&self, verdict: impl Fn(RolloutPlan) -> Verdict) -> Result<RolloutPlan, Verdict> {
        for split in &self.splits {
            for share in 0..self.shares.len() {
                let Some(plan) = self.plan(split, share) else {
                    break;
                };
                match verdict(plan) {
                    Verdict::Yes => return Ok(plan),
                    Verdict::No => {}
                    Verdict::NoShare => break,
                    no @ (Verdict::NoEngine | Verdict::NoPass | Verdict::NoGroup) => return Err(no),
                }
            }
        }
        Err(Verdict::No)
    }

    /// The fastest of the engines that count and lack least beside what training holds. Those that were refused beside another
    /// plan are asked last: mostly it was about them alone.
    pub(super) fn nearest(&self, held: &Held, verdict: impl Fn(RolloutPlan) -> Verdict) -> Option<Engine> {
        let all = self.all();
        // Who refuses it with any engine is asked once, before all are compared.
        let first = all
            .first()
            .and_then(|own| self.plan(self.splits.get(own.place.0)?, own.place.1))?;
        if matches!(verdict(first), Verdict::NoEngine | Verdict::NoPass | Verdict::NoGroup) {
            return None;
        }
        // Splits that are refused with every share.
        let mut without = Vec::new();
        let short = |own: &Needed| own.needs.short(self.context, held).max(0.0);
        let open = || all.iter().filter(|own| !own.refused.get());
        while let Some(least) = open().map(short).min_by(f64::total_cmp) {
            let alike = open().filter(|own| short(own) <= least);
            match self.first_of(alike, &verdict, &mut without) {
                Err(Verdict::No) => {}
                found => return found.ok(),
            }
        }
        // All were.
        let shorts: Vec<f64> = all.iter().map(short).collect();
        let same = |a: &usize, b: &usize| shorts.get(*a) == shorts.get(*b);
        for alike in rising(&shorts).chunk_by(same) {
            let alike = alike.iter().filter_map(|place| all.get(*place));
            match self.first_of(alike, &verdict, &mut without) {
                Err(Verdict::No) => {}
                found => return found.ok(),
            }
        }
        None
    }

    /// What every engine needs: the fastest split first, and of one split the largest share.
    fn all(&self) -> &[Needed] {
        self.all.get_or_init(|| {
            let mut all = Vec::with_capacity(self.splits.len() * self.shares.len());
            for &split in &self.order {
                let Some(own) = self.splits.get(split) else {
                    continue;
                };
                for (share, needs) in own.needs.iter().enumerate() {
                    all.push(Needed { needs: *needs, place: (split, share), refused: Cell::new(false) });
                }
            }
            all
        })
    }

    /// The fastest of `engines` that counts, or why none does; those of splits `without` are not asked.
    fn first_of<'b>(
        &self,
        engines: impl Iterator<Item = &'b Needed>,
        verdict: impl Fn(RolloutPlan) -> Verdict,
        without: &mut Vec<usize>,
    ) -> Result<Engine, Verdict> {
        let mut best: Option<Engine> = None;
        for Needed { place, refused, .. } in engines {
            let (split, share) = *place;
            if without.contains(&split) {
                refused.set(true);
                continue;
            }
            let known = best.map_or(f64::INFINITY, |own| own.side.seconds());
            let Some((own, plan)) = self.splits.get(split).and_then(|own| Some((own, self.plan(own, share)?))) else {
                continue;
            };
            // With a share with which it does not start it has no bound.
            if own.starting.contains(&share) && own.seconds >= known {
                continue;
            }
            match verdict(plan) {
                Verdict::Yes => {}
                no @ (Verdict::No | Verdict::NoShare) => {
                    refused.set(true);
                    if no == Verdict::NoShare {
                        without.push(split);
                    }
                    continue;
                }
                other => return best.ok_or(other),
            }
            let found = self.at(own, share);
            best = found.filter(|own| own.side.seconds() < known).or(best);
        }
        best.ok_or(Verdict::No)
    }
}
