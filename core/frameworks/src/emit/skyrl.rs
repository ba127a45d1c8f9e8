//! `SkyRL`: overrides of its dataclasses (`train/config/config.py` of 0.3.0), to the program of the schedule.

mod algorithm;
mod layout;
pub(crate) mod rows;

use super::checkpoint::trained;
use super::choices::{engines, other_states, speculative, updates};
use super::text::{Script, Section, flag, head};
use super::words::{count, plural};
use super::{Emission, Snippet, Unsupported, choices};
use crate::binding::At;
use shardwise_catalog::units::shortest;
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::{Backend, Schedule};
use shardwise_question::workload::Rl;
use shardwise_rules::{nodes, pools};

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let (Some(rl), Some(rollout)) = (&emission.job.workload.rl, &emission.plan.rollout) else {
        return Ok(Vec::new());
    };
    let mut sections = vec![cluster(emission, rl), model(emission, rl), batch(emission, rl)];
    sections.extend([
        layout::passes(emission),
        layout::layout(emission),
        layout::memory(emission),
        layout::adapters(emission),
    ]);
    sections.extend([generation(emission, rollout), turns(emission), algorithm::section(emission, rl)]);
    sections.extend([layout::optimizer(emission), run(emission, rl)]);
    let script = Script {
        head: head(emission, &warnings(emission)),
        setup: Vec::new(),
        assign: "=",
        sections,
        command: command(emission, rl),
    };
    Ok(vec![script.into_snippet("run_skyrl.sh")])
}

/// Programs that generate beside training are among its examples, which no wheel has.
fn command(emission: &Emission, rl: &Rl) -> String {
    let nodes = "# Start Ray first: ray start --head on one node, ray start --address on the others.\n";
    let root = format!("# From the root of SkyRL's checkout, tag skyrl-v{}.\n", emission.version);
    let program = match rl.schedule {
        Schedule::Colocated | Schedule::Split => "skyrl.train.entrypoints.main_base",
        Schedule::OneStepOff => "examples.train.async.main_async",
        Schedule::FullyAsync => "examples.train.fully_async.main_fully_async",
    };
    let extra = if emission.plan.layout.backend == Backend::Megatron { "megatron" } else { "fsdp" };
    let run = format!("uv run --isolated --extra {extra} -m {program} \"${{args[@]}}\"");
    let several = emission.job.hardware.gpus > emission.job.hardware.gpus_per_node;
    if several { format!("{nodes}{root}{run}") } else { root + &run }
}

/// Where `SkyRL` does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gradients = match layout.gradient_bytes {
        own if layout.backend == Backend::Megatron && own <= 3.0 => 2.0,
        _ => 4.0,
    };
    let mut out = other_states(layout, [4.0, gradients, 8.0], "SkyRL");
    let overlaps = layout.overlap.gradients || layout.overlap.parameters;
    if layout.backend == Backend::Megatron && overlaps && layout.data_parallel(pools(job).0) > 1 {
        out.push(
            "the estimate reduces gradients and gathers weights beside computation; SkyRL's Megatron does each by itself. Set overlap to false to see it."
                .to_owned(),
        );
    }
    if job.workload.has_reference() && job.workload.lora.is_some() {
        out.push(
            "with adapters the estimate takes the model below them for the reference; SkyRL loads it a second time, and moves both to host memory by turns."
                .to_owned(),
        );
    }
    out.extend(speculative(emission.plan));
    out
}

/// Models beside the policy, by the names of their keys.
fn others(rl: &Rl) -> impl Iterator<Item = &'static str> {
    let roles = [("ref", rl.reference), ("critic", rl.critic.is_some())];
    roles.into_iter().filter_map(|(name, there)| there.then_some(name))
}

fn cluster(emission: &Emission, rl: &Rl) -> Section {
    let job = emission.job;
    let mut section = Section::new("Cluster");
    let Some((machines, gpus)) = nodes(pools(job).0, job.hardware.gpus_per_node) else {
        return section;
    };
    let key = |name: &str| format!("trainer.placement.{name}");
    let colocated = rl.schedule == Schedule::Colocated;
    let reason = if colocated {
        "every role and engine on the same GPUs, one phase after another"
    } else {
        "generation has GPUs of its own"
    };
    section.set(key("colocate_all"), flag(colocated), reason);
    section.set(key("policy_num_nodes"), machines, "nodes that train");
    section.set(key("policy_num_gpus_per_node"), gpus, "GPUs of each");
    for role in others(rl) {
        section.set(key(&format!("{role}_num_nodes")), machines, "as the policy's");
        section.set(key(&format!("{role}_num_gpus_per_node")), gpus, "as the policy's");
    }
    if rl.schedule == Schedule::FullyAsync {
        ahead(&mut section, rl);
    }
    section
}

/// Generation that runs on while training goes on.
fn ahead(section: &mut Section, rl: &Rl) {
    let key = |name: &str| format!("trainer.fully_async.{name}");
    section.set(key("enabled"), "True", "generation runs ahead of training");
    section.set(key("max_staleness_steps"), shortest(rl.max_staleness), "versions a sample may lag behind");
    let reason = "prompts at a time: as many as that bound lets";
    section.set(key("num_parallel_generation_workers"), rows::ahead(rl), reason);
}

fn model(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Model");
    let (path, reason) = trained(emission.job, &emission.job.model);
    section.set("trainer.policy.model.path", path, reason);
    if let Some(critic) = &rl.critic {
        section.set("trainer.critic.model.path", trained(emission.job, critic).0, "the critic starts from it");
    }
    section
}

fn batch(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Batch");
    section.say("", rows::BATCH, &At::trained(emission));
    if rl.critic.is_some() {
        let reason = format!("prompts of an update; {} a step", plural(updates(rl).0, "update", "updates"));
        section.set("trainer.critic_mini_batch_size", rl.mini_batch, reason);
    }
    section
}

fn generation(emission: &Emission, rollout: &RolloutPlan) -> Section {
    let engines = engines(emission, rollout);
    let mut section = Section::new(format!("Generation: {}", plural(engines, "engine", "engines")));
    section.set("generator.inference_engine.num_engines", engines, "engines on the GPUs that generate");
    section.say("generator.inference_engine.", rows::ENGINE, &At::trained(emission));
    section
}

fn turns(emission: &Emission) -> Section {
    let mut section = Section::new("Agent: turns and tools");
    section.say("", rows::AGENT, &At::trained(emission));
    section
}

fn run(emission: &Emission, rl: &Rl) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Data and run");
    section.set("data.train_data", "\"['$HOME/data/train.parquet']\"", "change this to your data");
    if workload.images.is_some() {
        let reason = "prompts and what an environment answers may have images";
        section.set("generator.vision_language_generator", "True", reason);
    }
    let (class, reason) = match rl.agent {
        Some(_) => ("search", "calls a search engine, and scores the answer; change this to yours"),
        None => ("gsm8k", "a rule for arithmetic; change this to yours"),
    };
    section.set("environment.env_class", class, reason);
    let (steps, reason) = choices::run::steps(workload, rl);
    section.set("trainer.max_training_steps", steps, reason);
    section.set("trainer.epochs", steps, "passes over the data at most: the steps end the run");
    section.set("trainer.eval_interval", -1, "a number of steps asks for data.val_data");
    section.set("trainer.logger", "console", "wandb asks for an account with Weights & Biases");
    section.set("trainer.ckpt_path", "\"$HOME/checkpoints/shardwise\"", "change this to your folder");
    section.set("trainer.ckpt_interval", 20, count(20) + " steps");
    section
}
