//! Searching the plans of an RL step, and engines alone.
//!
//! The two sides of a step meet only in memory and in the schedule. So engines are timed once for each job, and each
//! training plan takes the fastest that fits beside it.

use super::accept::Verdict;
use super::bounded::{Asked, Plain, Task, tokens_per_gpu};
use super::candidate::{Candidate, Room, simplicity};
use super::choices;
use super::space::{Group, Held};
use super::training::states_gib;
use crate::complete::complete_rollout;
use crate::context::Context;
use crate::error::InputError;
use crate::plan::{Layout, Plan, RolloutPlan};
use crate::rl::{self, GeneratingSide};
use crate::training;
use crate::wire::{Offload, PlanSpec};
use crate::workload::Rl;

/// An engine, timed.
pub(super) struct Engine {
    plan: RolloutPlan,
    side: GeneratingSide,
    seconds: f64,
    /// GiB that it takes by itself.
    own_gib: f64,
}

/// Every legal engine, fastest first.
pub(super) fn engines(
    context: &Context<'_>,
    spec: &PlanSpec,
    rl: &Rl,
) -> (Vec<Engine>, Option<InputError>) {
    let mut refusal = None;
    let mut found = Vec::new();
    for rollout in choices::rollouts(context.job, spec) {
        match complete_rollout(context.job, &rollout) {
            Ok(plan) => {
                let side = rl::generating_side(context, &plan, rl);
                found.push(Engine {
                    plan,
                    side,
                    seconds: side.seconds(),
                    own_gib: side.own_gib(context),
                });
            }
            Err(error) => refusal = Some(error),
        }
    }
    found.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    (found, refusal)
}

/// A bound's distance from a sum that is rounded elsewhere.
const HAIR: f64 = 1.0 - 1e-9;

/// An RL step.
pub(super) struct Reinforcement<'a> {
    context: &'a Context<'a>,
    rl: &'a Rl,
    room: Room,
    engines: &'a [Engine],
    /// GiB of the smallest engine.
    least_own_gib: f64,
    /// Tokens of the actor's and its reference's forward passes in a step, for each GPU of one matrix.
    forward_tokens: f64,
}

impl<'a> Reinforcement<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        spec: &PlanSpec,
        rl: &'a Rl,
        (engines, room): (&'a [Engine], Room),
    ) -> Self {
        let own = engines.iter().map(|engine| engine.own_gib);
        let reference = rl.reference && spec.reference.is_none();
        let passes = f64::from(u8::from(rl.old_log_prob)) + f64::from(u8::from(reference));
        let each = tokens_per_gpu(context, 1) / context.job.workload.global_batch as f64;
        Self {
            forward_tokens: passes * context.efficiency.rl_forward * each * rl.sequences() as f64,
            context,
            rl,
            room,
            least_own_gib: own.fold(f64::MAX, f64::min),
            engines,
        }
    }

    /// The best completion with an engine, tried fastest first: `tries` says which.
    fn pair(
        &self,
        asked: &Asked<'_>,
        held: &Held,
        training: f64,
        tries: &dyn Fn(&Engine, Option<&Candidate>) -> Try,
    ) -> Option<Candidate> {
        let job = self.context.job;
        let plan = asked.family.plan(asked.layout);
        let mut best: Option<Candidate> = None;
        for engine in self.engines {
            let before = best.as_ref().or(asked.limit);
            match tries(engine, before) {
                Try::Take => {}
                Try::Skip => continue,
                Try::Stop => break,
            }
            let plan = Plan {
                rollout: Some(engine.plan),
                ..plan
            };
            let side = (training, held);
            let (seconds, reserved) = rl::paired(self.context, &plan, self.rl, side, &engine.side);
            let memory = (&self.room, self.room.missing(held.reserved, reserved));
            let found = Candidate::new(&job.workload, &plan, seconds, memory, asked.group.place);
            if before.is_none_or(|known| found.beats(known)) {
                match (asked.accept)(&found.plan) {
                    Verdict::Yes => best = Some(found),
                    Verdict::No => {}
                    Verdict::NoEngine | Verdict::NoGroup => break,
                }
            }
        }
        best
    }

    fn seconds(&self, asked: &Asked<'_>) -> f64 {
        let plan = asked.family.plan(asked.layout);
        rl::training_seconds(self.context, &plan, self.rl)
    }
}

/// What to do with the next engine.
enum Try {
    Take,
    Skip,
    Stop,
}

impl Task for Reinforcement<'_> {
    fn least(&self, layout: &Layout, update: f64, length: f64) -> f64 {
        let fastest = self.engines.first().map_or(0.0, |engine| engine.seconds);
        let role = self.context.actor();
        let forward = training::least_forward(self.context, &role, layout, length)
            * self.forward_tokens
            * f64::from(layout.tensor_parallel);
        let training = update * self.rl.updates() + forward;
        rl::least(self.context, layout, self.rl, fastest, training)
    }

    fn plain(&self, asked: &Asked<'_>) -> Plain {
        Plain {
            recompute: asked.layout.recompute,
            offload: asked.layout.offload,
            seconds: self.seconds(asked),
            update: 0.0,
        }
    }

    /// What is offloaded moves between phases, on top of what they take.
    fn bound(&self, plain: &Plain, layout: &Layout, _: Option<Offload>, _: &Group) -> f64 {
        let fastest = self.engines.first().map_or(0.0, |engine| engine.seconds);
        rl::least(self.context, layout, self.rl, fastest, plain.seconds)
    }

    /// In an update all states are on the card.
    fn floor(&self, group: &Group, layout: &Layout) -> f64 {
        let at_work = Layout {
            offload: Offload::default(),
            ..*layout
        };
        states_gib(self.context, group, &at_work)
    }

    fn held(&self, asked: &Asked<'_>) -> Held {
        let plan = asked.family.plan(asked.layout);
        rl::training_held(self.context, &plan, self.rl)
    }

    fn least_gib(&self, held: &Held) -> f64 {
        let generating = (self.least_own_gib + held.resident.total()) * HAIR;
        // Both measured by what training may take.
        held.reserved
            .max(generating - (self.room.whole - self.room.training))
    }

    fn best(&self, asked: &Asked<'_>, held: &Held, seconds: Option<f64>) -> Option<Candidate> {
        let training = seconds.unwrap_or_else(|| self.seconds(asked));
        let capacity = self.room.whole;
        let resident = held.resident.total();
        let simple = simplicity(&self.context.job.workload, &asked.layout);
        let tries = |engine: &Engine, before: Option<&Candidate>| {
            if (engine.own_gib + resident) * HAIR > capacity {
                return Try::Skip;
            }
            let generating = engine.seconds;
            let least = rl::least(self.context, &asked.layout, self.rl, generating, training);
            match before {
                Some(known) if known.rules_out(least, simple) => Try::Stop,
                _ => Try::Take,
            }
        };
        let found = self.pair(asked, held, training, &tries)?;
        found.fits().then_some(found)
    }

    fn closest(&self, asked: &Asked<'_>, held: &Held) -> Option<Candidate> {
        let capacity = self.room.whole;
        let resident = held.resident.total();
        let tries = |engine: &Engine, before: Option<&Candidate>| {
            let over = (engine.own_gib + resident) * HAIR - capacity;
            match before {
                Some(known) if over > known.shortfall_gib => Try::Skip,
                _ => Try::Take,
            }
        };
        self.pair(asked, held, self.seconds(asked), &tries)
    }
}
