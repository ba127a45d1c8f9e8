//! veRL: one command with hydra overrides, on FSDP2 or Megatron.

mod early_fine_tuning;
mod engine;
mod fine_tuning;
mod generation;
mod model;
mod reinforcement;
mod roles;
mod run;
mod versions;

use super::checkpoint::stretched;
use super::choices::other_states;
use super::text::{Script, head, rendezvous};
use super::{Emission, Snippet, Unsupported, accept, choices, megatron, rules};
use shardwise_question::wire::{Backend, Schedule};
use shardwise_rules::machines;
use versions::{Version, spell};

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    accept(rules::verl(emission.job, emission.plan))?;
    let Some(version) = Version::named(emission.version) else {
        return Err(Unsupported {
            message: format!("veRL {} is no version that texts are written for.", emission.version),
        });
    };
    let megatron = emission.plan.layout.backend == Backend::Megatron;
    let rl = emission.job.workload.rl.as_ref();
    if version < Version::V0_9_1 && rl.is_some_and(|rl| rl.schedule != Schedule::Colocated) {
        return Err(Unsupported {
            message: format!(
                "veRL {} generates beside training only in recipes of its repository. Choose 0.9.1, or the schedule colocated.",
                emission.version
            ),
        });
    }
    if megatron && version < Version::V0_8_0 && stretched(emission.job) {
        return Err(Unsupported {
            message: format!(
                "veRL {} gives Megatron no YaRN. Choose 0.8.0 or later, the backend fsdp, or shorter sequences.",
                emission.version
            ),
        });
    }
    let mut warnings = warnings(emission);
    let (file, sections, mut command) = if rl.is_some() {
        let (sections, command) = reinforcement::sections(emission)?;
        ("run_verl.sh", sections, command)
    } else if version < Version::V0_7_1 {
        let (sections, command, otherwise) = early_fine_tuning::sections(emission)?;
        warnings.extend(otherwise);
        ("run_verl_sft.sh", sections, command)
    } else {
        let (sections, command) = fine_tuning::sections(emission);
        ("run_verl_sft.sh", sections, command)
    };
    let spelt = spell(version, megatron, sections)?;
    warnings.extend(spelt.warnings);
    if megatron && version < Version::V0_8_0 && rl.is_some() {
        command = command.replace(
            "verl.trainer.main_ppo ",
            "verl.trainer.main_ppo --config-path=config --config-name=ppo_megatron_trainer.yaml ",
        );
    }
    let script = Script {
        head: head(emission, &warnings),
        setup: setup(emission),
        assign: "=",
        sections: spelt.sections,
        command,
    };
    Ok(vec![script.into_snippet(file)])
}

/// Environment variables that must be set before the processes start, and what brings the nodes together.
fn setup(emission: &Emission) -> Vec<(String, String)> {
    let job = emission.job;
    let nodes = machines(job);
    let mut lines = match emission.plan.layout.backend {
        Backend::Megatron => megatron::setup(job),
        _ => Vec::from_iter(rendezvous(nodes)),
    };
    if nodes > 1 && job.workload.rl.is_some() {
        lines.extend(run::ray(job.hardware.gpus));
    }
    lines
}

/// What the plan says and veRL has no key for.
fn warnings(emission: &Emission) -> Vec<String> {
    let mut out = Vec::new();
    let layout = &emission.plan.layout;
    let offload = layout.offload;
    if offload.gradients && !offload.parameters && emission.job.workload.rl.is_some() {
        out.push("veRL moves gradients with the parameters, and the plan offloads them alone.".to_owned());
    }
    // Of adapters they are next to nothing.
    if emission.job.workload.lora.is_none() {
        out.extend(other_states(layout, engine::state_bytes(emission), "veRL"));
    }
    if layout.overlap.tensor_parallel && layout.backend == Backend::Megatron && layout.tensor_parallel > 1 {
        out.push(
            "veRL does not overlap tensor-parallel collectives by itself; the plan assumes that it does.".to_owned(),
        );
    }
    out.extend(choices::speculative(emission.plan));
    out
}
