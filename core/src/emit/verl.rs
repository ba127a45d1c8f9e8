//! veRL: one command with hydra overrides, on FSDP2 or Megatron.

mod engine;
mod fine_tuning;
mod generation;
mod model;
mod reinforcement;
mod roles;

use super::text::{Script, head};
use super::{Emission, Language, Snippet, Unsupported, accept, framework, rules};
use crate::wire::Backend;

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    accept(rules::verl(emission.job, emission.plan))?;
    let Some(verl) = framework("verl") else {
        return Err(Unsupported {
            message: "veRL is not in the table of frameworks.".to_owned(),
        });
    };
    let (file, sections, command) = if emission.job.workload.rl.is_some() {
        let (sections, command) = reinforcement::sections(emission)?;
        ("run_verl.sh", sections, command)
    } else {
        let (sections, command) = fine_tuning::sections(emission);
        ("run_verl_sft.sh", sections, command)
    };
    let script = Script {
        head: head(emission, verl, &warnings(emission)),
        setup: setup(emission),
        assign: "=",
        sections,
        command,
    };
    Ok(vec![Snippet {
        file,
        language: Language::Shell,
        text: script.to_text(),
        reasons: Vec::new(),
    }])
}

/// Environment variables that must be set before the processes start.
fn setup(emission: &Emission) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    if emission.plan.layout.backend == Backend::Megatron {
        lines.push((
            "export CUDA_DEVICE_MAX_CONNECTIONS=1".to_owned(),
            "Megatron orders communication and computation by it".to_owned(),
        ));
    }
    if emission.job.hardware.nodes() > 1 && emission.job.workload.rl.is_none() {
        lines.push((
            ": \"${MASTER_ADDR:?} ${NODE_RANK:?}\"".to_owned(),
            "run on every node".to_owned(),
        ));
    }
    lines
}

/// What the plan says and veRL has no key for.
fn warnings(emission: &Emission) -> Vec<String> {
    let mut out = Vec::new();
    let layout = &emission.plan.layout;
    let offload = layout.offload;
    if offload.gradients && !offload.parameters && emission.job.workload.rl.is_some() {
        out.push(
            "veRL moves gradients with the parameters, and the plan offloads them alone."
                .to_owned(),
        );
    }
    if !(engine::full_optimizer(layout) || engine::eight_bit(layout)) {
        out.push(format!(
            "the estimate counts {} bytes of optimizer state per parameter; veRL keeps 8.",
            super::words::figure(layout.optimizer_bytes)
        ));
    }
    if layout.overlap.tensor_parallel
        && layout.backend == Backend::Megatron
        && layout.tensor_parallel > 1
    {
        out.push("veRL does not overlap tensor-parallel collectives by itself; the plan assumes that it does.".to_owned());
    }
    out.extend(rules::speculative(emission.plan));
    out
}
