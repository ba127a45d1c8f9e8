//! One figure of an answer, with the numbers of its question put into its formula.

mod blocks;
mod engine;
mod generation;
mod memory;
mod rates;
mod summary;
mod sums;
mod time;
mod weights;

use super::errors::error_sentence;
use super::sheet::Explanation;
use super::{Language, Words};
use crate::complete::{generating_gpus, training_gpus};
use crate::context::{Context, Role};
use crate::estimate::Evaluated;
use crate::memory::Use;
use crate::rl::workings;
use crate::rollout::{self, Generation, Requests};
use crate::wire::{Answer, MemoryParts};

/// What an explanation may draw upon.
struct Source<'a> {
    found: &'a Evaluated,
    context: &'a Context<'a>,
    language: Language,
}

/// A phase in which a model trains or is evaluated.
struct Phase<'a> {
    name: &'static str,
    role: Role<'a>,
    layout: crate::plan::Layout,
    batch: crate::batch::Batch,
    usage: Use,
    /// How often it comes: optimizer steps, or what a pass takes beside its kernels.
    times: f64,
    moved: f64,
    beside: MemoryParts,
}

impl<'a> Source<'a> {
    fn answer(&self) -> &'a Answer {
        &self.found.answer
    }

    fn gpus(&self) -> u32 {
        training_gpus(&self.found.job)
    }

    /// The engine's requests of one phase, and how often that comes.
    fn requests(&self) -> Option<(Requests, f64)> {
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
    fn generating_gpus(&self) -> u32 {
        if self.found.job.workload.rl.is_some() {
            generating_gpus(&self.found.job)
        } else {
            self.found.job.hardware.gpus
        }
    }

    /// The engine's phase.
    fn generation(&self) -> Option<Generation> {
        let engine = self.found.plan.rollout.as_ref()?;
        let (requests, _) = self.requests()?;
        Some(rollout::generate(
            self.context,
            engine,
            self.generating_gpus(),
            &requests,
        ))
    }

    /// Hands the phase of this name to `read`.
    fn with_phase<R>(&self, name: &str, read: impl FnOnce(&Phase<'_>) -> Option<R>) -> Option<R> {
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
                batch: crate::batch::split(job, &plan.layout, self.gpus(), sequences, 0.0),
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

/// The figures of an answer that [`explain`] explains, in the order of the page.
#[must_use]
pub fn figures(found: &Evaluated) -> Vec<String> {
    let answer = &found.answer;
    let mut all: Vec<String> = summary::figures(answer);
    let mut memory = |path: String, parts: &MemoryParts| {
        let parts = parts.entries();
        let own = parts.iter().filter(|(_, gib)| *gib > 0.0);
        all.extend(own.map(|(part, _)| format!("{path}.{part}")));
        all.push(path);
    };
    for phase in &answer.memory.phases {
        memory(format!("memory.{}", phase.name), &phase.parts);
    }
    for phase in &answer.time.phases {
        let path = format!("time.{}", phase.name);
        let parts = phase.parts.entries();
        let own = parts.iter().filter(|(_, s)| *s > 0.0);
        all.extend(own.map(|(part, _)| format!("{path}.{part}")));
        all.push(path);
    }
    let parts = answer.time.parts.entries();
    let own = parts.iter().filter(|(_, s)| *s > 0.0);
    all.extend(own.map(|(part, _)| format!("time.parts.{part}")));
    let context = Context::new(&found.job);
    let source = Source {
        found,
        context: &context,
        language: Language::En,
    };
    for phase in &answer.time.phases {
        if phase.parts.compute > 0.0 {
            all.extend(blocks::figures(&source, phase.name));
        }
    }
    all.extend(generation::figures(found));
    all.extend(rates::figures(answer));
    all
}

/// How a figure of `found` comes about; `None` where the answer has no such figure. `found` is what
/// [`evaluate`](crate::evaluate) answers with the built-in efficiencies.
///
/// ```
/// use shardwise_core::{evaluate, methods, wire};
/// let question = wire::parse_question(r#"{
///     "version": 1, "model": "llama-2-7b", "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}
/// }"#).unwrap();
/// let found = evaluate(&question).unwrap();
/// let own = methods::explain(&found, "mtok_per_hour", methods::Language::En).unwrap();
/// assert_eq!(own.formula, "MT/h = throughput × 3,600 ÷ 1,000,000");
/// ```
#[must_use]
pub fn explain(found: &Evaluated, figure: &str, language: Language) -> Option<Explanation> {
    let context = Context::new(&found.job);
    let source = Source {
        found,
        context: &context,
        language,
    };
    let path: Vec<&str> = figure.split('.').collect();
    let mut own = match path.as_slice() {
        ["memory", "rollout", part] => engine::of_part(&source, figure, part),
        ["memory", phase, part] => memory::of_part(&source, figure, phase, part),
        ["time", "parts", part] => time::over_phases(&source, figure, part),
        ["time", "rollout", part, rest @ ..] => generation::of_time(&source, figure, part, rest),
        ["time", "weight_sync", "weight_sync"] => generation::of_sync(&source, figure),
        ["time", "driver", "overhead"] => generation::of_driver(&source, figure),
        ["time", phase, "compute", pass] => blocks::of(&source, figure, phase, pass, None),
        ["time", phase, "compute", pass, kind] => {
            blocks::of(&source, figure, phase, pass, Some(kind))
        }
        ["time", phase, part] => time::of_part(&source, figure, phase, part),
        ["limits", kind, name] => rates::limit(&source, figure, kind, name),
        ["interval", kind, side] => rates::interval(&source, figure, kind, side),
        _ => summary::of(&source, figure, &path),
    }?;
    own.error = error_sentence(found, own.method, &own.figure, language);
    Some(own)
}

/// `what`, with the phase that it is of.
fn in_phase(source: &Source<'_>, what: Words, phase: Words) -> String {
    let language = source.language;
    let (what, phase) = (language.word(what), language.word(phase));
    language.pick(format!("{what}, {phase}"), format!("{what}（{phase}）"))
}
