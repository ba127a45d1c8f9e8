//! What is wrong with a plan.

use serde_json::Map;

use crate::advice::guides::CHATLEARN_GUIDE;
use shardwise_catalog::error::InputError;
use shardwise_catalog::units::{fixed, grouped};
use shardwise_engine::fit;
use shardwise_engine::run::ENDLESS;
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Advice, Answer, Backend, Fit, RunOperations, Severity};
use shardwise_rules as rules;

/// The rule that keeps tensor parallelism within a node.
pub(crate) const WITHIN_NODE: &str = "tensor-parallel-within-node";

/// What memory a plan lacks, and what helps.
fn shortage(fit: &Fit) -> String {
    let missing = || fixed(fit.missing_gib().max(0.1), 1);
    let phase = || fit.phase.replace('_', " ");
    match fit.phase {
        fit::HOST => {
            let missing = missing();
            format!(
                "Out of host memory by {missing} GiB per node. Offload less, or use more nodes or nodes with more memory."
            )
        }
        fit::ENGINE => {
            let missing = missing();
            format!(
                "The engine lacks {missing} GiB in its share of the card. Raise gpu_memory_utilization, or split the engine over more GPUs."
            )
        }
        _ if fit.margin_gib < 0.0 => {
            let (over, phase) = (fixed((-fit.margin_gib).max(0.1), 1), phase());
            format!(
                "Out of memory by {over} GiB in {phase}. Use more GPUs, a larger card, a smaller micro-batch, recomputation or offload."
            )
        }
        _ => {
            let (missing, phase) = (missing(), phase());
            format!(
                "Probably out of memory in {phase}: estimates of such plans are too far off for what is to spare. With {missing} GiB less it is as sure as asked: use more GPUs, a larger card, a smaller micro-batch, recomputation or offload."
            )
        }
    }
}

/// The model by which a run's failures are counted.
const DALY: &str = "https://doi.org/10.1016/j.future.2004.11.016";

/// Why a run hardly ever finishes, and what helps.
fn hopeless(own: &RunOperations, mtbf: f64) -> String {
    let pause = own.saving.map_or(0.0, |own| own.pause_s);
    let [mtbf, pause, restart] =
        [mtbf * 60.0, pause / 60.0, own.restart_s.unwrap_or(0.0) / 60.0].map(|minutes| fixed(minutes, 1));
    let most = grouped(ENDLESS as u64);
    format!(
        "It would hardly ever finish: a failure comes every {mtbf} minutes, a checkpoint takes {pause} and a restart {restart}, so that it would last more than {most} times its work. Save more often, to a faster storage, restart faster, or use fewer GPUs."
    )
}

/// What is wrong with a plan, at no cost: that it does not fit, that it waits for the network.
#[must_use]
pub(crate) fn warnings(job: &Job, plan: &Plan, answer: &Answer) -> Vec<Advice> {
    let mut found = Vec::new();
    let mut say = |id: &'static str, severity: Severity, text: String, source: &'static str| {
        found.push(Advice { id: id.into(), severity, text, source: source.into(), gain: None, set: Map::new() });
    };
    let layout = &plan.layout;
    if !answer.fits {
        say("out-of-memory", Severity::Error, shortage(&answer.fit), CHATLEARN_GUIDE);
    }
    if let Some((refusal, docs)) = refusal(job, plan) {
        say("framework-refuses", Severity::Error, refusal.message, docs);
    }
    if let Some((own, mtbf)) = answer
        .run
        .and_then(|run| run.operations)
        .and_then(|own| Some((own, own.mtbf_hours?)))
        && own.expected.is_none()
    {
        say("never-finishes", Severity::Error, hopeless(&own, mtbf), DALY);
    }
    let trains = job.workload.generation.is_none();
    let node = job.hardware.gpus_per_node;
    if trains && layout.backend == Backend::Megatron && layout.tensor_parallel > node {
        let text = format!(
            "Tensor parallelism of {} leaves the node of {node} GPUs: every layer waits for the network. Keep it within the node.",
            layout.tensor_parallel
        );
        say(WITHIN_NODE, Severity::Warning, text, CHATLEARN_GUIDE);
    }
    found
}

/// Why the framework that the question names does not run its plan, and where its keys are documented; none where it
/// does, or none is named.
fn refusal(job: &Job, plan: &Plan) -> Option<(InputError, &'static str)> {
    let framework = rules::framework(job.framework?.id)?;
    let mut broken = framework.violations(job, plan);
    (!broken.is_empty()).then(|| (broken.swap_remove(0), framework.docs_url))
}
