//! What explanations draw upon.

use shardwise_engine::context::{Context, Role};
use shardwise_engine::memory::Use;
use shardwise_engine::rl::workings;
use shardwise_engine::rollout::{self, Generation, Requests};
use shardwise_question::complete::{generating_gpus, training_gpus};
use shardwise_question::wire::{Answer, Language, MemoryParts, Words};
use shardwise_search::estimate::Evaluated;

/// What an explanation may draw upon.
pub(super) struct Source<'a> {
    pub(super) found: &'a Evaluated,
    pub(super) context: &'a Context<'a>,
    pub(super) language: Language,
}

/// A phase in which a model trains or is evaluated.
pub(super) struct Phase<'a> {
    pub name: &'static str,
    pub role: Role<'a>,
    pub layout: shardwise_question::plan::Layout,
    pub batch: shardwise_engine::batch::Batch,
    pub usage: Use,
    /// How often it comes: optimizer steps, or what a pass takes beside its kernels.
    pub times: f64,
    pub moved: f64,
    pub beside: MemoryParts,
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

    /// Hands the phase of this name to `read`.
    pub(super) fn with_phase<R>(&self, name: &str, read: impl FnOnce(&Phase<'_>) -> Option<R>) -> Option<R> {
        let (job, plan) = (&self.found.job, &self.found.plan);
        let Some(rl) = &job.workload.rl else {
            if name != "train" || job.workload.generation.is_some() {
                return None;
            }
            let sequences = job.workload.global_batch as f64;
            return read(&Phase {
                name: "train",
                role: self.context.actor(),
                layout: plan.layout,
                batch: shardwise_engine::batch::split(job, &plan.layout, self.gpus(), sequences, 0.0),
                usage: Use::Train,
                times: 1.0,
                moved: 0.0,
                beside: MemoryParts::default(),
            });
        };
        let generating = self.generation()?;
        workings::with_phases(self.context, plan, rl, &generating.room, |phases| {
            let own = phases.iter().find(|own| own.name == name)?;
            read(&Phase {
                name: own.name,
                role: own.role,
                layout: own.layout,
                batch: own.batch,
                usage: own.usage,
                times: match own.usage {
                    Use::Train => own.times,
                    Use::Evaluate => self.context.efficiency.rl_forward,
                },
                moved: own.moved,
                beside: own.beside,
            })
        })
    }
}

/// `what`, with the phase that it is of.
pub(super) fn in_phase(source: &Source<'_>, what: Words, phase: Words) -> String {
    let language = source.language;
    let (what, phase) = (language.word(what), language.word(phase));
    language.pick(format!("{what}, {phase}"), format!("{what}（{phase}）"))
}
