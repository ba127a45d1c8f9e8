//! From the fastest plan that was found to the one that is proposed.
//!
//! The space has few values of each dimension. So the plan found in it is changed step by step, in every dimension that
//! sensitivity moves, until no step is faster, nor two at once of which the second mends the first; then it is made simpler
//! as long as that costs next to nothing ([`AS_FAST`]). No step from what is proposed is faster by more than that, but for
//! those that change what is computed.

mod exchanged;
mod judged;
mod usual;

use std::cell::RefCell;
use std::rc::Rc;

use super::accept::{Accept, Verdict};
use super::asking::Asking;
use super::candidate::{AS_FAST, Candidate, rounded, sorted};
use super::simple;
use super::starts::{of_split, starts};
use super::work::Work;
use crate::neighbours::{Dimension, steps};
use judged::{Judged, Training, Verdicts};
use shardwise_catalog::ordered::insert;
use shardwise_engine::batch;
use shardwise_engine::context::Context;
use shardwise_engine::fit;
use shardwise_engine::given;
use shardwise_engine::rl::{self, GeneratingSide};
use shardwise_engine::step;
use shardwise_question::plan::{Plan, RolloutPlan};
use shardwise_question::wire::{PlanSpec, at, plan_to_value};
use shardwise_question::workload::Rl;

/// Plans that are as fast which are made simpler, the simplest first.
const RIVALS: usize = 3;
/// Ends of steps from which two at once are tried, the fastest first.
const ENDS: usize = 6;
/// Steps from one plan to another after which it is enough.
const MOST_STEPS: usize = 40;
/// Plans whose steps are kept.
const REMEMBERED: usize = 16;
/// Faster plans that do not do from which a second step is tried.
const MENDED: usize = 8;
/// What is faster by less is not.
const FASTER: f64 = 1.0 - 1e-4;

/// Every plan one step away from another.
type Steps = Rc<Vec<(Dimension, Plan)>>;

/// What settles plans of one job.
pub(super) struct Settling<'a> {
    context: &'a Context<'a>,
    accept: Accept<'a>,
    work: &'a Work,
    spec: &'a PlanSpec,
    /// Dimensions that the question states.
    stated: Vec<Dimension>,
    /// Engines that were timed.
    engines: RefCell<Vec<(RolloutPlan, GeneratingSide)>>,
    /// Steps from the last plans, which are mostly asked for again.
    steps: RefCell<Vec<(Plan, Steps)>>,
    /// What is known of plans.
    judged: Judged<Verdicts>,
    /// What is known of the training sides of RL steps: many plans have the same one, beside another engine.
    trained: Judged<Training>,
    /// Plans by which steps came, and where they end from there.
    passed: RefCell<Vec<(Plan, Candidate)>>,
}

impl<'a> Settling<'a> {
    pub(super) fn new(asking: &Asking<'a>, spec: &'a PlanSpec) -> Self {
        let Asking { context, accept, work } = *asking;
        let document = plan_to_value(spec);
        let stated = |dimension: &Dimension| {
            dimension.fields().iter().any(|field| {
                let path = field.strip_prefix("plan.");
                path.is_some_and(|path| !at(&document, path).is_null())
            })
        };
        Self {
            context,
            accept,
            work,
            spec,
            stated: Dimension::ALL.iter().copied().filter(stated).collect(),
            engines: RefCell::default(),
            steps: RefCell::default(),
            judged: Judged::default(),
            trained: Judged::default(),
            passed: RefCell::default(),
        }
    }

    /// The plan that is proposed of those that were found, the fastest first; and the fastest of all.
    pub(super) fn of(&self, found: &[Candidate]) -> Option<(Candidate, Candidate)> {
        let first = self.climbed(*found.first()?);
        if !first.fits() {
            return Some((first, first));
        }
        let ends = self.ends(first, found);
        let mut fastest = *ends.first()?;
        // What was the fastest, or proposed, may be the simplest of what comes after it.
        let mut rivals = found.to_vec();
        for _ in 0..MOST_STEPS {
            let proposed = self.simplest(&fastest, &rivals);
            rivals.extend([fastest, proposed]);
            // A step from a simple plan may lead where none from the fastest does.
            let better = self
                .faster(&proposed, proposed.seconds / AS_FAST)
                .filter(|better| better.seconds < fastest.seconds * FASTER)
                .or_else(|| {
                    let mut tried: Vec<&Plan> = Vec::new();
                    let all = [&fastest, &proposed].into_iter().chain(&ends);
                    all.into_iter().find_map(|from| {
                        let known = tried.contains(&&from.plan);
                        tried.push(&from.plan);
                        (!known).then(|| self.mended(from, &fastest)).flatten()
                    })
                });
            match better {
                Some(better) => fastest = self.climbed(better),
                None => return Some((proposed, fastest)),
            }
        }
        Some((fastest, fastest))
    }

    /// Where steps from the plans that were found end, the fastest first: from another layout they may end elsewhere.
    fn ends(&self, first: Candidate, found: &[Candidate]) -> Vec<Candidate> {
        let mut ends = vec![first];
        if self.context.job.workload.rl.is_some() {
            return ends;
        }
        for start in starts(found).skip(1) {
            let end = self.climbed(*start);
            let alike = |own: &Candidate| of_split(own) == of_split(&end);
            let known = ends.iter().find(|own| alike(own));
            if known.is_none_or(|known| end.beats(known)) {
                ends.retain(|own| !alike(own));
                insert(&mut ends, end, &Candidate::order);
            }
        }
        ends.truncate(ENDS);
        ends
    }

    /// What comes of a plan as long as some step makes it better. From a plan that steps came by before they go as they went.
    fn climbed(&self, from: Candidate) -> Candidate {
        let mut now = from;
        let mut passed = Vec::new();
        for _ in 0..MOST_STEPS {
            if let Some((_, end)) = self.passed.borrow().iter().find(|(plan, _)| *plan == now.plan) {
                now = *end;
                break;
            }
            passed.push(now.plan);
            let better = if now.fits() { self.faster(&now, now.seconds * FASTER) } else { self.nearer(&now) };
            match better {
                Some(better) => now = better,
                None => break,
            }
        }
        self.passed.borrow_mut().extend(passed.into_iter().map(|plan| (plan, now)));
        now
    }

    /// What comes of a plan that does not fit as long as another engine and something else in host memory at once bring it nearer.
    pub(super) fn roomier(&self, from: Candidate) -> Candidate {
        let mut now = from;
        for _ in 0..MOST_STEPS {
            match (!now.fits()).then(|| self.exchanged(&now)).flatten() {
                Some(better) => now = self.climbed(better),
                None => break,
            }
        }
        now
    }

    /// What comes of a plan that rather fits than not as long as some step takes fewer seconds for each chance that it fits.
    pub(super) fn cheaper(&self, from: Candidate) -> Candidate {
        let mut now = from;
        for _ in 0..MOST_STEPS {
            let mut best = now;
            self.each(&now, &mut |plan| self.weighed(plan, &mut best));
            for plan in self.counted_otherwise(&now.plan) {
                self.weighed(&plan, &mut best);
            }
            if best.plan == now.plan {
                break;
            }
            now = best;
        }
        now
    }

    /// Makes a plan the `best`, where it takes fewer seconds for each chance that it fits, and counts.
    fn weighed(&self, plan: &Plan, best: &mut Candidate) {
        if self.work.is_over() {
            return;
        }
        let job = self.context.job;
        let seconds = self.seconds(plan);
        // No chance is better than that.
        if !best.is_tight() || seconds >= best.per_chance * job.confidence * FASTER {
            return;
        }
        let found = Candidate::new(job, plan, seconds, self.shortfall(plan), 0).closer(self.context);
        let cheaper = !found.is_tight() || found.per_chance < best.per_chance * FASTER;
        if cheaper && found.beats(best) && self.counts(plan) {
            *best = found;
        }
    }

    /// The fastest step that fits and takes less than `enough` seconds.
    fn faster(&self, from: &Candidate, enough: f64) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        self.each(from, &mut |plan| {
            let before = best.as_ref().map_or(enough, |own| own.seconds);
            self.taken(plan, before, from, &mut best);
        });
        for plan in self.counted_otherwise(&from.plan) {
            let before = best.as_ref().map_or(enough, |own| own.seconds);
            self.taken(&plan, before, from, &mut best);
        }
        best
    }

    /// Two steps at once, to what is faster than `known`: one that is faster and does not fit, or that nobody runs, and one
    /// that mends it.
    fn mended(&self, from: &Candidate, known: &Candidate) -> Option<Candidate> {
        let job = self.context.job;
        let enough = known.seconds * FASTER;
        let mut first = Vec::new();
        let mut offer = |plan: &Plan| {
            let seconds = self.seconds(plan);
            if seconds < enough {
                first.push(Candidate::new(job, plan, seconds, from.shortfall_gib, 0));
            }
        };
        self.each(from, &mut offer);
        for plan in self.counted_otherwise(&from.plan) {
            offer(&plan);
        }
        let soonest = |a: &Candidate, b: &Candidate| a.seconds.total_cmp(&b.seconds);
        let mut best: Option<Candidate> = None;
        for step in sorted(first.into_iter(), &soonest).into_iter().take(MENDED) {
            let before = best.as_ref().map_or(enough, |own| own.seconds);
            best = self.faster(&step, before).or(best);
        }
        best
    }

    /// The step that is nearest to fitting.
    fn nearer(&self, from: &Candidate) -> Option<Candidate> {
        let mut best = *from;
        self.each(from, &mut |plan| self.approached(plan, &mut best));
        (best.plan != from.plan).then_some(best)
    }

    /// Makes a plan the `best`, where it is nearer to fitting and counts.
    fn approached(&self, plan: &Plan, best: &mut Candidate) {
        // Most lack more: those are not timed.
        let short = self.shortfall(plan);
        if short > best.shortfall_gib {
            return;
        }
        let missing = rounded(short);
        let expected = if missing > 0.0 { fit::expected_shortfall(self.context, plan) } else { (0.0, 0.0) };
        let lacks = (expected.1, missing + expected.0);
        let least = (best.unlikely, best.shortfall_gib);
        if lacks > least {
            // As if it had been.
            self.work.count();
            return;
        }
        let job = self.context.job;
        let found = Candidate::new(job, plan, self.seconds(plan), missing, 0);
        let found = if missing > 0.0 { found.lacking(job.confidence, expected) } else { found };
        let nearer = lacks < least || lacks == least && found.seconds < best.seconds * FASTER;
        if nearer && self.counts(plan) {
            *best = found;
        }
    }

    /// The simplest plan that is as fast as `fastest`: made of it, or of one of those found that are.
    fn simplest(&self, fastest: &Candidate, found: &[Candidate]) -> Candidate {
        let enough = fastest.seconds * AS_FAST;
        let rivals = found.iter().filter(|own| own.rivals(fastest));
        let rivals = rivals.chain([fastest]).copied();
        let simple = |a: &Candidate, b: &Candidate| a.points.cmp(&b.points).then(a.order(b));
        let mut best = *fastest;
        for rival in sorted(rivals, &simple).into_iter().take(RIVALS) {
            let simple = self.simpler(rival, enough);
            if (simple.points, simple.seconds) < (best.points, best.seconds) {
                best = simple;
            }
        }
        best
    }

    /// A plan made simpler as long as it takes at most `enough` seconds.
    fn simpler(&self, from: Candidate, enough: f64) -> Candidate {
        let mut now = from;
        for _ in 0..MOST_STEPS {
            let mut best: Option<Candidate> = None;
            let mut offer = |plan: &Plan| {
                let fewer = best.as_ref().map_or(now.points, |own| own.points);
                if simple::points(self.context.job, plan) < fewer {
                    self.taken(plan, enough, &now, &mut best);
                }
            };
            self.each(&now, &mut offer);
            for plan in self.usual(&now.plan) {
                offer(&plan);
            }
            match best {
                Some(simple) => now = simple,
                None => break,
            }
        }
        now
    }

    /// Makes a plan the `best`, where it takes less than `enough` seconds, fits and counts: most do not, and candidates are
    /// large.
    fn taken(&self, plan: &Plan, enough: f64, like: &Candidate, best: &mut Option<Candidate>) {
        if self.work.is_over() {
            return;
        }
        let seconds = self.seconds(plan);
        if seconds >= enough {
            return;
        }
        let missing = rounded(self.shortfall(plan));
        if missing <= like.shortfall_gib && self.counts(plan) {
            *best = Some(Candidate::new(self.context.job, plan, seconds, missing, 0));
        }
    }

    fn counts(&self, plan: &Plan) -> bool {
        let counts = || (self.accept)(plan) == Verdict::Yes;
        self.judged.get(plan, |own| &mut own.counts, counts)
    }

    /// Every plan one step away that keeps what the question states and computes the same.
    fn each(&self, from: &Candidate, each: &mut dyn FnMut(&Plan)) {
        if self.work.is_over() {
            return;
        }
        for (dimension, plan) in self.steps(&from.plan).iter() {
            if !dimension.changes_numerics() && !self.stated.contains(dimension) {
                each(plan);
            }
        }
    }

    fn steps(&self, from: &Plan) -> Steps {
        let known = self.steps.borrow();
        if let Some((_, known)) = known.iter().find(|(own, _)| own == from) {
            return Rc::clone(known);
        }
        drop(known);
        let found = Rc::new(steps(self.context.job, from));
        let mut known = self.steps.borrow_mut();
        known.truncate(REMEMBERED - 1);
        known.insert(0, (*from, Rc::clone(&found)));
        found
    }

    /// Seconds of a plan's step.
    fn seconds(&self, plan: &Plan) -> f64 {
        self.work.count();
        self.judged.get(plan, |own| &mut own.seconds, || self.time(plan))
    }

    fn time(&self, plan: &Plan) -> f64 {
        let context = self.context;
        let workload = &context.job.workload;
        match (&workload.rl, &workload.generation) {
            (Some(rl), _) => {
                let training = Plan { rollout: None, ..*plan };
                let training =
                    self.trained
                        .get(&training, |own| &mut own.seconds, || rl::training_seconds(context, plan, rl));
                self.side(plan, rl)
                    .map_or(f64::MAX, |side| rl::seconds_of(context, plan, rl, training, &side))
            }
            (None, Some(_)) => step::evaluate(context, plan).seconds,
            (None, None) => {
                let batch = batch::of_update(context.job, &plan.layout);
                given::parts(context, plan, &batch).total()
            }
        }
    }

    fn side(&self, plan: &Plan, rl: &Rl) -> Option<GeneratingSide> {
        let engine = plan.rollout.as_ref()?;
        let mut known = self.engines.borrow_mut();
        if let Some((_, side)) = known.iter().find(|(own, _)| own == engine) {
            return Some(*side);
        }
        // Another share of the card mostly leaves room for as many sequences.
        let shared = |own: &RolloutPlan| {
            RolloutPlan { gpu_memory_utilization: engine.gpu_memory_utilization, ..*own } == *engine
        };
        let room = rl::engine_room(self.context, engine, rl);
        let alike = known.iter().filter(|(own, _)| shared(own));
        let alike = alike
            .filter_map(|(_, side)| side.with_room(self.context, engine, rl, room))
            .next();
        let side = alike.unwrap_or_else(|| rl::generating_side(self.context, engine, rl));
        known.push((*engine, side));
        Some(side)
    }

    /// GiB that are missing for a plan to fit as surely as asked.
    fn shortfall(&self, plan: &Plan) -> f64 {
        self.work.count();
        self.judged.get(plan, |own| &mut own.shortfall, || self.lacks(plan))
    }

    fn lacks(&self, plan: &Plan) -> f64 {
        let context = self.context;
        match &context.job.workload.rl {
            Some(rl) => {
                let training = Plan { rollout: None, ..*plan };
                let held = self
                    .trained
                    .get(&training, |own| &mut own.held, || rl::training_held(context, plan, rl));
                let Some(side) = self.side(plan, rl) else {
                    return f64::MAX;
                };
                let (_, missing) = rl::paired(context, plan, rl, (0.0, &held), &side);
                missing
                    .max(rl::missing_share_gib(context, &side.room))
                    .max(held.missing_host_gib(context))
            }
            None if context.job.workload.generation.is_some() => {
                let step = step::evaluate(context, plan);
                fit::missing_gib(context, plan, &step)
            }
            None => super::training::shortfall_gib(context, plan),
        }
    }
}
