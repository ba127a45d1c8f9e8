//! NeMo-RL: overrides of one of its example configurations, which hold every key, to the program of the task.

mod algorithm;
mod layout;
pub(crate) mod rows;

use super::checkpoint::{chat, trained};
use super::choices::{engines, other_states, preference, speculative, updates};
use super::megatron::steps;
use super::text::{Script, Section, flag, head, home};
use super::words::{count, plural};
use super::{Emission, Snippet, Unsupported, choices};
use crate::binding::At;
use shardwise_catalog::units::shortest;
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::{Backend, Schedule};
use shardwise_question::workload::Rl;
use shardwise_rules::{grid, pools};

/// What a task is run by.
struct Program {
    /// `examples/run_….py`, and the section of its configuration.
    name: &'static str,
    /// The configuration below `examples/configs`.
    config: &'static str,
    /// The data set that this names.
    data: &'static str,
    file: &'static str,
}

fn program(emission: &Emission) -> Program {
    let workload = &emission.job.workload;
    if workload.rl.is_some() {
        let data = "OpenMathInstruct-2";
        Program { name: "grpo", config: "grpo_math_1B", data, file: "run_nemo_rl.sh" }
    } else if workload.kind.preference().is_some() {
        Program { name: "dpo", config: "dpo", data: "HelpSteer3", file: "run_nemo_rl_dpo.sh" }
    } else {
        Program { name: "sft", config: "sft", data: "squad", file: "run_nemo_rl_sft.sh" }
    }
}

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let own = program(emission);
    let mut sections = vec![cluster(emission), model(emission), batch(emission, &own)];
    sections.extend([
        layout::passes(emission),
        layout::layout(emission),
        layout::memory(emission),
        layout::adapters(emission),
    ]);
    if let Some(rollout) = &emission.plan.rollout {
        sections.push(generation(emission, rollout));
    }
    sections.extend([algorithm::section(emission), layout::optimizer(emission), run(emission, &own)]);
    let script = Script {
        head: head(emission, &warnings(emission)),
        setup: setup(emission),
        assign: "=",
        sections,
        command: command(emission, &own),
    };
    Ok(vec![script.into_snippet(own.file)])
}

/// On several nodes Ray starts first: the program takes what cluster there is (`distributed/virtual_cluster.py`, `init_ray`).
fn command(emission: &Emission, own: &Program) -> String {
    let nodes = "# Start Ray first: ray start --head on one node, ray start --address on the others.\n";
    let root = format!("# From the root of NeMo-RL's checkout, commit {}.\n", emission.version);
    let Program { name, config, .. } = own;
    let run = format!("uv run examples/run_{name}.py --config examples/configs/{config}.yaml \"${{args[@]}}\"");
    if grid(emission.job).0 > 1 { format!("{nodes}{root}{run}") } else { root + &run }
}

/// `models/policy/lm_policy.py`, line 149: Megatron's workers compile for the architectures that this names.
fn setup(emission: &Emission) -> Vec<(String, String)> {
    if emission.plan.layout.backend != Backend::Megatron {
        return Vec::new();
    }
    let own = if emission.job.hardware.has_compute_capability(10.0) {
        "10.0"
    } else if emission.job.hardware.has_compute_capability(9.0) {
        "9.0"
    } else {
        "8.0"
    };
    vec![(
        format!("export TORCH_CUDA_ARCH_LIST=\"${{TORCH_CUDA_ARCH_LIST:-{own}}}\""),
        "NeMo-RL's container sets it; its Megatron asks for it".to_owned(),
    )]
}

/// Where NeMo-RL does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let layout = &emission.plan.layout;
    let gradients = match layout.gradient_bytes {
        own if layout.backend == Backend::Megatron && own <= 3.0 => 2.0,
        _ => 4.0,
    };
    let mut out = other_states(layout, [4.0, gradients, 8.0], "NeMo-RL");
    if layout.fused_lm_head {
        out.push(
            "NeMo-RL has no fused LM head: its logits take memory that the estimate leaves out. Set fused_lm_head to false."
                .to_owned(),
        );
    }
    out.extend(speculative(emission.plan));
    out
}

fn cluster(emission: &Emission) -> Section {
    let job = emission.job;
    let mut section = Section::new("Cluster");
    let (nodes, gpus) = grid(job);
    section.set("cluster.num_nodes", nodes, "from your question");
    section.set("cluster.gpus_per_node", gpus, "from your question");
    let Some(rl) = &job.workload.rl else {
        return section;
    };
    let colocated = rl.schedule == Schedule::Colocated;
    let reason = if colocated {
        "every role and engine on the same GPUs, one phase after another"
    } else {
        "generation has GPUs of its own"
    };
    section.set("policy.generation.colocated.enabled", flag(colocated), reason);
    if !colocated {
        let generate = pools(job).1;
        let own = |name: &str| format!("policy.generation.colocated.resources.{name}");
        let each = generate.min(gpus);
        section.set(own("gpus_per_node"), each, "GPUs of each that generate");
        section.set(own("num_nodes"), generate / each.max(1), "nodes that generate");
    }
    if rl.schedule == Schedule::FullyAsync {
        ahead(&mut section, rl);
    }
    section
}

/// Generation that runs on while training goes on.
fn ahead(section: &mut Section, rl: &Rl) {
    section.set("grpo.async_grpo.enabled", "True", "generation runs ahead of training");
    let reason = "versions a sample may lag behind";
    section.set("grpo.async_grpo.max_trajectory_age_steps", shortest(rl.max_staleness), reason);
    let reason =
        if rl.partial_rollout { "new weights wait for no response" } else { "new weights wait for every response" };
    section.set("grpo.async_grpo.in_flight_weight_updates", flag(rl.partial_rollout), reason);
    section.set("policy.generation.vllm_cfg.async_engine", "True", "NeMo-RL asks for it where generation runs ahead");
}

fn model(emission: &Emission) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Model");
    let (path, reason) = trained(emission.job, &emission.job.model);
    section.set("policy.model_name", &path, reason);
    if workload.kind.preference().is_some() {
        match chat(&path) {
            Some(own) => {
                let reason = format!("it has a chat template; {path} is the base model, whose tokenizer may have none");
                section.set("policy.tokenizer.name", own, reason);
            }
            None => section.set("policy.tokenizer.name", path, "the model's own; the configuration names another"),
        }
    }
    let longest = At::trained(emission).longest();
    let reason = if workload.rl.is_some() {
        "tokens of prompt and response, from your question"
    } else {
        "tokens, from your question"
    };
    section.set("policy.max_total_sequence_length", longest, reason);
    if let Some(rl) = &workload.rl {
        section.set("data.max_input_seq_length", rl.max_prompt_length, "tokens of a prompt, from your question");
        section.set(
            "policy.generation.max_new_tokens",
            rl.max_response_length,
            "tokens of a response, from your question",
        );
    }
    section
}

fn batch(emission: &Emission, own: &Program) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Batch");
    if let Some(rl) = &workload.rl {
        section.say("grpo.", rows::BATCH, &At::trained(emission));
        let reason = format!("sequences, not prompts; {} a step", plural(updates(rl).0, "update", "updates"));
        let batch = rl.mini_batch.saturating_mul(rl.responses_per_prompt);
        section.set("policy.train_global_batch_size", batch, reason);
        return section;
    }
    let pairs = workload.kind.preference().is_some();
    let reason = if pairs { "pairs of a step, from your question" } else { "sequences of a step, from your question" };
    section.set("policy.train_global_batch_size", workload.global_batch, reason);
    let held = format!("{}.val_global_batch_size", own.name);
    section.set(held, workload.global_batch, "ranks share a batch of the validation evenly, too");
    section
}

fn generation(emission: &Emission, rollout: &RolloutPlan) -> Section {
    let engines = engines(emission, rollout);
    let mut section = Section::new(format!("Generation: {}", plural(engines, "engine", "engines")));
    let at = At::trained(emission);
    section.say("policy.generation.vllm_cfg.", rows::ENGINE, &at);
    section.say("policy.generation.vllm_kwargs.", rows::ENGINE_BESIDES, &at);
    section
}

fn run(emission: &Emission, own: &Program) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Data and run");
    section.set("data.train.dataset_name", own.data, "change this to your data");
    let (all, reason) = match &workload.rl {
        None => steps(workload),
        Some(rl) => {
            let (all, reason) = choices::run::steps(workload, rl);
            (all as f64, reason)
        }
    };
    section.set(format!("{}.max_num_steps", own.name), all, reason);
    if workload.rl.is_none() {
        section.set("logger.wandb_enabled", "False", "True asks for an account with Weights & Biases");
    }
    if workload.reference {
        section.set("dpo.reference_policy_kl_penalty", preference::BETA, preference::BETA_REASON);
    }
    section.set("checkpointing.checkpoint_dir", home("checkpoints/shardwise"), "change this to your folder");
    section.set("checkpointing.save_period", 20, count(20) + " steps");
    section
}
