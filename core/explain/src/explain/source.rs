//! What explanations draw upon.

use shardwise_engine::context::Context;
use shardwise_engine::phase::Phase;
use shardwise_engine::rl::{self, workings};
use shardwise_engine::rollout::{self, Generation, Requests};
use shardwise_engine::step;
use shardwise_engine::turn::Turn;
use shardwise_question::complete::{generating_gpus, training_gpus};
use shardwise_question::wire::{Answer, MemoryParts};
use shardwise_search::estimate::Evaluated;

/// What an explanation may draw upon.
pub(super) struct Source<'a> {
    pub(super) found: &'a Evaluated,
    pub(super) context: &'a Context<'a>,
}

impl<'a> Source<'a> {
    pub(super) fn answer(&self) -> &'a Answer {
        &self.found.answer
    }

    pub(super) fn gpus(&self) -> u32 {
        training_gpus(&self.found.job)
    }

    /// The engine's requests of one phase, and how often that comes.
    pub(super) fn requests(&self) -> Option<(Requests, f64)> {
        let workload = &self.found.job.workload;
        if let Some(rl) = &workload.rl {
            return Some(workings::asked(self.context, rl));
        }
        let generation = workload.generation?;
        let requests = Requests {
            count: generation.requests as f64,
            prompt: generation.mean_prompt_length,
            shared: 1.0,
            responses: self.context.responses,
            agent: None,
        };
        Some((requests, 1.0))
    }

    /// GPUs of the generating side.
    pub(super) fn generating_gpus(&self) -> u32 {
        if self.found.job.workload.rl.is_some() {
            generating_gpus(&self.found.job)
        } else {
            self.found.job.hardware.gpus
        }
    }

    /// The engine's phase.
    pub(super) fn generation(&self) -> Option<Generation> {
        let engine = self.found.plan.rollout.as_ref()?;
        let (requests, _) = self.requests()?;
        Some(rollout::generate(self.context, engine, self.generating_gpus(), &requests))
    }

    /// A model's turn in a phase; `None` where none has one.
    pub(super) fn turn(&self, phase: Phase) -> Option<Turn<'a>> {
        step::turns(self.context, &self.found.plan)
            .into_iter()
            .find(|own| own.phase == phase)
    }

    /// What an engine holds on the card while training has it.
    pub(super) fn kept(&self) -> MemoryParts {
        let workload = &self.found.job.workload;
        let engine = workload
            .rl
            .as_ref()
            .zip(self.found.plan.rollout.as_ref())
            .zip(self.generation());
        engine.map_or_else(MemoryParts::default, |((rl, engine), own)| {
            rl::kept_engine(self.context, engine, rl, &own.room)
        })
    }
}

/// `what`, with the phase that it is of.
pub(super) fn in_phase(what: &str, phase: &str) -> String {
    format!("{what}, {phase}")
}
