//! Searching the plans of training.

use super::accept::Verdict;
use super::bounded::{Asked, Plain, Task};
use super::candidate::{Candidate, Room};
use super::space::{Group, Held};
use crate::batch::Batch;
use crate::complete::training_gpus;
use crate::context::Context;
use crate::layer::Slice;
use crate::memory::{self, Use};
use crate::plan::Layout;
use crate::training;
use crate::wire::{Offload, TimeParts};

/// Training alone.
pub(super) struct Training<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) room: Room,
}

impl Training<'_> {
    fn candidate(&self, asked: &Asked<'_>, held: &Held, seconds: Option<f64>) -> Candidate {
        let job = self.context.job;
        let seconds = seconds.unwrap_or_else(|| self.parts(asked).total());
        let plan = asked.family.plan(asked.layout);
        let missing = self.room.missing(held.reserved, held.reserved);
        let memory = (&self.room, missing);
        Candidate::new(&job.workload, &plan, seconds, memory, asked.group.place)
    }

    fn parts(&self, asked: &Asked<'_>) -> TimeParts {
        let gpus = training_gpus(self.context.job);
        let (role, shards) = (self.context.actor(), &asked.group.shards);
        let batch = &asked.pass.batch;
        training::step_of(self.context, &role, &asked.layout, gpus, batch, shards)
    }
}

fn reserved_gib(context: &Context<'_>, layout: &Layout, batch: &Batch) -> f64 {
    let gpus = training_gpus(context.job);
    memory::of_role(context, &context.actor(), layout, gpus, batch, Use::Train).reserved_gib()
}

/// GiB of a group's model states alone, with nothing in flight.
pub(super) fn states_gib(context: &Context<'_>, group: &Group, layout: &Layout) -> f64 {
    let Some(pass) = group.passes.first() else {
        return 0.0;
    };
    let nothing = Slice {
        tokens: 0.0,
        ..pass.batch.largest
    };
    let batch = Batch {
        largest: nothing,
        ..pass.batch
    };
    reserved_gib(context, layout, &batch)
}

impl Task for Training<'_> {
    fn least(&self, _layout: &Layout, update: f64, _length: f64) -> f64 {
        update
    }

    fn plain(&self, asked: &Asked<'_>) -> Plain {
        let parts = self.parts(asked);
        Plain {
            recompute: asked.layout.recompute,
            offload: asked.layout.offload,
            seconds: parts.total(),
            update: parts.optimizer + parts.offload,
        }
    }

    fn bound(
        &self,
        plain: &Plain,
        layout: &Layout,
        offload: Option<Offload>,
        group: &Group,
    ) -> f64 {
        match offload {
            None => plain.seconds - plain.update,
            Some(offload) if offload == plain.offload => plain.seconds,
            Some(_) => {
                let role = self.context.actor();
                let update = training::update(self.context, &role, layout, &group.shards);
                plain.seconds - plain.update + update
            }
        }
    }

    fn floor(&self, group: &Group, layout: &Layout) -> f64 {
        states_gib(self.context, group, layout)
    }

    fn held(&self, asked: &Asked<'_>) -> Held {
        Held::alone(reserved_gib(self.context, &asked.layout, &asked.pass.batch))
    }

    fn least_gib(&self, held: &Held) -> f64 {
        held.reserved
    }

    fn best(&self, asked: &Asked<'_>, held: &Held, seconds: Option<f64>) -> Option<Candidate> {
        let found = self.candidate(asked, held, seconds);
        let first = asked.limit.is_none_or(|limit| found.beats(limit));
        let counts = || (asked.accept)(&found.plan) == Verdict::Yes;
        (first && found.fits() && counts()).then_some(found)
    }

    fn closest(&self, asked: &Asked<'_>, held: &Held) -> Option<Candidate> {
        let found = self.candidate(asked, held, None);
        let first = asked.limit.is_none_or(|limit| found.beats(limit));
        let counts = || (asked.accept)(&found.plan) == Verdict::Yes;
        (first && counts()).then_some(found)
    }
}
