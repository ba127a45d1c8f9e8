//! One figure of an answer, with the numbers of its question put into its formula.

mod blocks;
mod engine;
mod generation;
mod handover;
mod memory;
mod rates;
mod run;
mod served;
mod source;
mod summary;
mod sums;
mod time;
mod weights;

use super::errors::error_sentence;
use super::sheet::Explanation;
use shardwise_engine::context::Context;
use shardwise_question::wire::MemoryParts;
use shardwise_search::estimate::Evaluated;
use source::{Source, in_phase};

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
    let source = Source { found, context: &context };
    for phase in &answer.time.phases {
        if phase.parts.compute > 0.0 {
            all.extend(blocks::figures(&source, phase.name));
        }
    }
    all.extend(generation::figures(found));
    all.extend(rates::figures(answer));
    all.extend(run::figures(answer));
    all
}

/// How a figure of `found` comes about; `None` where the answer has no such figure. `found` is what
/// [`evaluate`](shardwise_search::evaluate) answers with the built-in efficiencies.
///
/// ```
/// use shardwise_core::{evaluate, methods, wire};
/// let question = wire::parse_question(r#"{
///     "version": 1, "model": "llama-2-7b", "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}
/// }"#).unwrap();
/// let found = evaluate(&question).unwrap();
/// let own = methods::explain(&found, "mtok_per_hour").unwrap();
/// assert_eq!(own.formula, "MT/h = throughput × 3,600 ÷ 1,000,000");
/// ```
#[must_use]
pub fn explain(found: &Evaluated, figure: &str) -> Option<Explanation> {
    let context = Context::new(&found.job);
    let source = Source { found, context: &context };
    let path: Vec<&str> = figure.split('.').collect();
    let mut own = match path.as_slice() {
        ["memory", "rollout", part] => engine::of_part(&source, figure, part),
        ["memory", "teacher", part] if context.job.workload.teachers_pool().is_some() => {
            served::of_memory(&source, figure, part)
        }
        ["memory", "weight_sync", part] => handover::of_part(&source, figure, part),
        ["memory", phase, part] => memory::of_part(&source, figure, phase, part),
        ["time", "parts", part] => time::over_phases(&source, figure, part),
        ["time", "teacher", "prefill"] => served::of_time(&source, figure),
        ["time", "rollout", part, rest @ ..] => generation::of_time(&source, figure, part, rest),
        ["time", "weight_sync", "weight_sync"] => generation::of_sync(&source, figure),
        ["time", "driver", "overhead"] => generation::of_driver(&source, figure),
        ["time", phase, "compute", pass] => blocks::of(&source, figure, phase, pass, None),
        ["time", phase, "compute", pass, kind] => blocks::of(&source, figure, phase, pass, Some(kind)),
        ["time", phase, part] => time::of_part(&source, figure, phase, part),
        ["limits", kind, name] => rates::limit(&source, figure, kind, name),
        ["run", "operations", name] => run::of(&source, figure, name),
        ["interval", kind, side] => rates::interval(&source, figure, kind, side),
        _ => summary::of(&source, figure, &path),
    }?;
    own.error = error_sentence(found, own.method, &own.figure);
    Some(own)
}
