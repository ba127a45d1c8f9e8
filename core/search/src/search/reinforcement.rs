//! Searching the plans of an RL step.
//!
//! The two sides of a step meet only in memory and in the schedule. So engines are timed once for each job, and each
//! training plan takes the fastest that fits beside it.

use std::cell::Cell;

use super::accept::Verdict;
use super::bounded::{Asked, Plain, Task, tokens_per_gpu};
use super::candidate::Candidate;
use super::choices::Away;
use super::engines::{Engine, Engines};
use super::space::{Group, Held};
use super::training::states_gib;
use shardwise_engine::context::Context;
use shardwise_engine::rl;
use shardwise_engine::training;
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::{Backend, Offload, PlanSpec};
use shardwise_question::workload::Rl;

/// A bound's distance from a sum that is rounded elsewhere.
const HAIR: f64 = 1.0 - 1e-9;

/// An RL step.
pub(super) struct Reinforcement<'a> {
    context: &'a Context<'a>,
    rl: &'a Rl,
    engines: &'a Engines<'a>,
    /// GiB of the smallest engine.
    least_own_gib: f64,
    /// GiB that every engine keeps at least while training has the card.
    least_kept_gib: f64,
    /// GiB that every engine lacks at least, alone on the card.
    least_short: f64,
    /// Seconds of the fastest; zero where none starts, as what it would take is open.
    generating: f64,
    /// Tokens of the actor's and its reference's forward passes in a step, for each GPU of one matrix.
    forward_tokens: f64,
}

impl<'a> Reinforcement<'a> {
    pub(super) fn new(context: &'a Context<'a>, spec: &PlanSpec, rl: &'a Rl, engines: &'a Engines<'a>) -> Self {
        let reference = rl.reference && spec.reference.is_none();
        let passes = f64::from(u8::from(rl.old_log_prob)) + f64::from(u8::from(reference));
        let each = tokens_per_gpu(context, Backend::Fsdp, 1) / context.job.workload.global_batch as f64;
        Self {
            forward_tokens: passes * context.efficiency.rl_forward * each * rl.sequences() as f64,
            context,
            rl,
            least_own_gib: engines.least_gib(),
            least_kept_gib: engines.least_kept_gib(),
            least_short: engines.least_short(),
            generating: Some(engines.fastest())
                .filter(|seconds| seconds.is_finite())
                .unwrap_or_default(),
            engines,
        }
    }

    fn seconds(&self, asked: &Asked<'_>) -> f64 {
        let plan = asked.family.plan(asked.layout);
        rl::training_seconds(self.context, &plan, self.rl)
    }

    /// The plan with an engine.
    fn with(&self, asked: &Asked<'_>, held: &Held, training: f64, engine: &Engine) -> Candidate {
        let job = self.context.job;
        let plan = Plan { rollout: Some(engine.plan), ..asked.family.plan(asked.layout) };
        let side = (training, held);
        let (seconds, over) = rl::paired(self.context, &plan, self.rl, side, &engine.side);
        let missing = over.max(engine.needs.missing_gib).max(held.missing_host_gib(self.context));
        Candidate::new(job, &plan, seconds, missing, asked.group.place)
    }
}

impl Task for Reinforcement<'_> {
    fn least(&self, layout: &Layout, update: f64, length: f64, waits: f64) -> f64 {
        let role = self.context.actor();
        let forward = training::least_forward(self.context, &role, layout, length)
            * self.forward_tokens
            * waits
            * f64::from(layout.tensor_parallel);
        let training = update * self.rl.updates() + forward;
        rl::least(self.context, layout, self.rl, self.generating, training)
    }

    /// Each update is one; old log-probabilities and the reference's make two, a teacher beside the student one more.
    fn passes(&self) -> f64 {
        let forward = if self.context.teacher().is_some() { 3.0 } else { 2.0 };
        self.rl.updates() + forward * self.rl.updates().max(1.0)
    }

    fn plain(&self, asked: &Asked<'_>) -> Plain {
        Plain {
            recompute: asked.layout.recompute,
            away: Away::of(&asked.layout),
            seconds: self.seconds(asked),
            update: 0.0,
        }
    }

    /// What is offloaded moves between phases, on top of what they take.
    fn bound(&self, plain: &Plain, layout: &Layout, _: Option<Away>) -> f64 {
        rl::least(self.context, layout, self.rl, self.generating, plain.seconds)
    }

    fn least_short(&self) -> f64 {
        self.least_short
    }

    /// In an update all states are on the card.
    fn floor(&self, group: &Group, layout: &Layout) -> f64 {
        let at_work = Layout { offload: Offload::default(), ..*layout };
        states_gib(self.context, group, &at_work)
    }

    fn held(&self, asked: &Asked<'_>) -> Held {
        let plan = asked.family.plan(asked.layout);
        rl::training_held(self.context, &plan, self.rl)
    }

    fn least_gib(&self, held: &Held) -> f64 {
        let generating = (self.least_own_gib + held.resident_gib) * HAIR;
        (held.needed_gib + self.least_kept_gib).max(generating)
    }

    fn best(&self, asked: &Asked<'_>, held: &Held, seconds: Option<f64>) -> Option<Candidate> {
        let training = seconds.unwrap_or_else(|| self.seconds(asked));
        let least = |generating: f64| rl::least(self.context, &asked.layout, self.rl, generating, training);
        // What is found rules out the engines after it.
        let best = Cell::new(None::<Candidate>);
        let enough = Cell::new(asked.enough);
        self.engines.beside(
            held,
            |generating| least(generating) >= enough.get(),
            |engine| {
                let found = self.with(asked, held, training, engine);
                if !found.fits() || found.seconds >= enough.get() {
                    return;
                }
                match (asked.accept)(&found.plan) {
                    Verdict::Yes => {
                        best.set(Some(found));
                        enough.set(found.seconds);
                    }
                    Verdict::No | Verdict::NoShare => {}
                    Verdict::NoEngine | Verdict::NoPass | Verdict::NoGroup => enough.set(0.0),
                }
            },
        );
        best.get()
    }

    fn any(&self, asked: &Asked<'_>) -> Result<Plan, Verdict> {
        let with = |engine| Plan { rollout: Some(engine), ..asked.family.plan(asked.layout) };
        self.engines.any(|engine| (asked.accept)(&with(engine))).map(with)
    }

    fn closest(&self, asked: &Asked<'_>, held: &Held) -> Option<Candidate> {
        let verdict = |engine: RolloutPlan| {
            let plan = Plan { rollout: Some(engine), ..asked.family.plan(asked.layout) };
            (asked.accept)(&plan)
        };
        let engine = self.engines.nearest(held, verdict)?;
        Some(self.with(asked, held, self.seconds(asked), &engine))
    }
}
