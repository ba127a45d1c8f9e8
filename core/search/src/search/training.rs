//! Searching the plans of training.

use super::accept::Verdict;
use super::bounded::{Asked, Plain, Task};
use super::candidate::Candidate;
use super::choices::Away;
use super::space::{Group, Held, Pass};
use shardwise_engine::batch::{self, Batch, Largest};
use shardwise_engine::context::Context;
use shardwise_engine::given;
use shardwise_engine::host;
use shardwise_engine::layer::Slice;
use shardwise_engine::training;
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::TimeParts;

/// Training alone.
pub(super) struct Training<'a> {
    pub(super) context: &'a Context<'a>,
}

impl Training<'_> {
    fn candidate(&self, asked: &Asked<'_>, held: &Held, plan: &Plan, seconds: Option<f64>) -> Candidate {
        let job = self.context.job;
        let seconds = seconds.unwrap_or_else(|| self.parts(asked).total());
        let over = held.needed_gib - job.hardware.memory_gib;
        Candidate::new(job, plan, seconds, over.max(held.missing_host_gib(self.context)), asked.group.place)
    }

    fn parts(&self, asked: &Asked<'_>) -> TimeParts {
        given::parts(self.context, &asked.family.plan(asked.layout), &asked.pass.batch)
    }
}

/// GiB that are missing for a plan of training to fit as surely as asked; below zero what is to spare.
pub(super) fn shortfall_gib(context: &Context<'_>, plan: &Plan) -> f64 {
    let job = context.job;
    let batch = batch::of_update(job, &plan.layout);
    let over = given::needed_gib(context, plan, &batch) - job.hardware.memory_gib;
    over.max(host::missing_gib(context, host::needed_gib(context, plan)))
}

/// GiB of a group's model states alone, with nothing in flight.
pub(super) fn states_gib(context: &Context<'_>, group: &Group, layout: &Layout) -> f64 {
    // Gradients may be kept only where batches come in parts.
    let parts = |pass: &&Pass| pass.batch.longest.micro_batches;
    let fewest = group.passes.iter().min_by(|a, b| parts(a).total_cmp(&parts(b)));
    let Some(pass) = fewest else {
        return 0.0;
    };
    let nothing = Slice { tokens: 0.0, sequences: 0.0, ..pass.batch.longest.slice };
    let longest = Largest { slice: nothing, ..pass.batch.longest };
    let batch = Batch { longest, ..pass.batch };
    let plan = Plan { layout: *layout, rollout: None, critic: None, reference: None };
    given::update_gib(context, &plan, &batch)
}

impl Task for Training<'_> {
    fn least(&self, _layout: &Layout, update: f64, _length: f64, _waits: f64) -> f64 {
        update
    }

    fn passes(&self) -> f64 {
        let taught = f64::from(u8::from(self.context.teacher().is_some()));
        1.0 + given::evaluations(self.context) + taught
    }

    fn plain(&self, asked: &Asked<'_>) -> Plain {
        let parts = self.parts(asked);
        Plain {
            recompute: asked.layout.recompute,
            away: Away::of(&asked.layout),
            seconds: parts.total(),
            update: parts.optimizer + parts.offload,
        }
    }

    fn bound(&self, plain: &Plain, layout: &Layout, away: Option<Away>) -> f64 {
        match away {
            None => plain.seconds - plain.update,
            Some(away) if away == plain.away => plain.seconds,
            Some(_) => {
                let update = training::least_update(self.context, &self.context.actor(), layout);
                plain.seconds - plain.update + update
            }
        }
    }

    fn floor(&self, group: &Group, layout: &Layout) -> f64 {
        states_gib(self.context, group, layout)
    }

    fn held(&self, asked: &Asked<'_>) -> Held {
        let context = self.context;
        let plan = asked.family.plan(asked.layout);
        Held::alone(given::needed_gib(context, &plan, &asked.pass.batch), host::needed_gib(context, &plan))
    }

    fn least_gib(&self, held: &Held) -> f64 {
        held.needed_gib
    }

    fn best(&self, asked: &Asked<'_>, held: &Held, seconds: Option<f64>) -> Option<Candidate> {
        let plan = asked.family.plan(asked.layout);
        let found = self.candidate(asked, held, &plan, seconds);
        let counts = || (asked.accept)(&found.plan) == Verdict::Yes;
        (found.seconds < asked.enough && found.fits() && counts()).then_some(found)
    }

    fn is_refused(&self, asked: &Asked<'_>) -> bool {
        let verdict = (asked.accept)(&asked.family.plan(asked.layout));
        matches!(verdict, Verdict::NoPass | Verdict::NoGroup)
    }

    fn any(&self, asked: &Asked<'_>) -> Result<Plan, Verdict> {
        let plan = asked.family.plan(asked.layout);
        match (asked.accept)(&plan) {
            Verdict::Yes => Ok(plan),
            no => Err(no),
        }
    }

    fn closest(&self, asked: &Asked<'_>, held: &Held) -> Option<Candidate> {
        // Most are refused: that is asked before they are timed.
        let plan = asked.family.plan(asked.layout);
        ((asked.accept)(&plan) == Verdict::Yes).then(|| self.candidate(asked, held, &plan, None))
    }
}
