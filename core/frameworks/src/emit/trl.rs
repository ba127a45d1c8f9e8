//! TRL on Hugging Face Accelerate: a configuration for the launcher, and the script's arguments.

mod config;
mod fine_tuning;
mod preference;
mod reinforcement;

use super::checkpoint::trained;
use super::choices::{grouped, half, half_type, kept_reason, other_states, passes, rate, shard_bytes};
use super::optimizer::{keeps, kept_moments};
use super::text::{Script, Section, flag, head, home, rendezvous};
use super::words::{amount, count};
use super::{Emission, Snippet, Unsupported, choices, kernel, trainer, yaml};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::task::Learns;
use shardwise_question::wire::{Attention, Backend, Optimizer, Schedule, WorkloadKind};
use shardwise_rules::optimizer::hugging_face;
use shardwise_rules::{nodes, pools};

/// The texts for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let (script, mut sections) = match (&emission.job.workload.rl, &emission.plan.rollout) {
        (Some(rl), Some(rollout)) => {
            let script = match emission.job.workload.kind {
                WorkloadKind::Rloo => "rloo",
                WorkloadKind::Distill => "distillation",
                _ => "grpo",
            };
            (script, reinforcement::sections(emission, rl, rollout))
        }
        _ => match emission.job.workload.kind.preference() {
            Some(own) => (preference::script(own), preference::sections(emission, own)),
            None => ("sft", fine_tuning::sections(emission)),
        },
    };
    sections.push(run(emission));
    let head = head(emission, &warnings(emission));
    let mut snippets = vec![
        yaml::snippet("accelerate_config.yaml", &head, &config::sections(emission)),
        shell("train.sh", &head, setup(emission), sections, command(emission, script)),
    ];
    if let (Some(rl), Some(rollout), true) = (&emission.job.workload.rl, &emission.plan.rollout, serves(emission)) {
        let sections = vec![reinforcement::server(emission, rl, rollout)];
        let command = "trl vllm-serve \"${args[@]}\"".to_owned();
        snippets.push(shell("vllm_server.sh", &head, Vec::new(), sections, command));
    }
    Ok(snippets)
}

fn shell(
    file: &'static str,
    head: &[String],
    setup: Vec<(String, String)>,
    sections: Vec<Section>,
    command: String,
) -> Snippet {
    let script = Script { head: head.to_vec(), setup, assign: " ", sections, command };
    script.into_snippet(file)
}

/// Nodes that train.
fn machines(emission: &Emission) -> u32 {
    let (train, _) = pools(emission.job);
    nodes(train, emission.job.hardware.gpus_per_node).map_or(1, |(count, _)| count)
}

fn setup(emission: &Emission) -> Vec<(String, String)> {
    let mut lines = Vec::from_iter(rendezvous(machines(emission)));
    if serves(emission) {
        lines.push((": \"${VLLM_HOST:?}\"".to_owned(), "the node on which vllm_server.sh runs".to_owned()));
    }
    lines
}

fn serves(emission: &Emission) -> bool {
    let rl = emission.job.workload.rl.as_ref();
    rl.is_some_and(|rl| rl.schedule == Schedule::Split)
}

fn command(emission: &Emission, script: &str) -> String {
    let rendezvous = trainer::meet(machines(emission));
    format!(
        "accelerate launch --config_file accelerate_config.yaml{rendezvous} -m trl.scripts.{script} \"${{args[@]}}\""
    )
}

/// Where TRL does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut out = Vec::new();
    let moments = kept_moments(emission, layout, if eight_bit(layout) { 2.0 } else { 8.0 });
    let kept = [shard_bytes(emission), layout.gradient_bytes, moments];
    out.extend(other_states(layout, kept, "TRL"));
    let scores = job.workload.kind.preference().is_some_and(|own| own.learns == Learns::Scores);
    if !layout.fused_lm_head && !scores {
        out.push(
            "TRL computes the loss without the logits; the plan holds them, so there is more room than estimated."
                .to_owned(),
        );
    }
    let deepspeed = layout.backend == Backend::Deepspeed;
    if deepspeed && layout.overlap.gradients && matches!(layout.zero_stage, 1 | 2) {
        out.push("DeepSpeed overlaps gradients with the backward pass by itself under ZeRO 3 only; the plan assumes that it does.".to_owned());
    }
    if deepspeed && layout.gradient_bytes > 2.0 {
        out.push(format!(
            "the estimate counts {} bytes of gradients per parameter; DeepSpeed sums them in 2 here.",
            amount(layout.gradient_bytes)
        ));
    }
    match &job.workload.rl {
        Some(rl) => {
            out.push(grouped::uncut(rl));
            if let Some(rollout) = &emission.plan.rollout {
                out.extend(reinforcement::engine_limits(emission, rl, rollout));
            }
        }
        None if job.workload.joins() => out.push(format!(
            "sequences stand side by side uncut: drop those of more than {} tokens from your data.",
            count(job.workload.sequence_length)
        )),
        None => {}
    }
    if job.workload.images.is_some() {
        out.push(
            "TRL finds images in a column of your data that is called images, and takes them as large as they are."
                .to_owned(),
        );
    }
    out.extend(choices::speculative(emission.plan));
    out
}

/// Whether moments of one byte are asked for, which TRL has on FSDP.
fn eight_bit(layout: &Layout) -> bool {
    let adamw = layout.optimizer.kind == Optimizer::Adamw;
    adamw && (layout.optimizer_bytes - 2.0).abs() <= 0.5 && layout.backend == Backend::Fsdp
}

/// Model, precision and adapters.
fn model(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new("Model");
    let (path, reason) = trained(job, &job.model);
    section.set("--model_name_or_path", path, reason);
    let precision = job.workload.precision;
    section.set(format!("--{}", half(precision)), "True", "precision of your question");
    let (dtype, reason) = match layout.backend {
        _ if !job.workload.full_parameter() => (half_type(precision), "the frozen base in 16 bits"),
        Backend::Deepspeed => (half_type(precision), "DeepSpeed keeps master weights of its own"),
        Backend::Fsdp => ("float32", "FSDP's shards are the master weights; products read 16 bits"),
        _ => ("float32", "the weights are the master weights; products read 16 bits"),
    };
    section.set("--dtype", dtype, reason);
    let (attention, reason) = match layout.attention {
        Attention::Unfused => ("eager", "scores in memory, as the plan says"),
        Attention::Flash if layout.context_parallel > 1 => ("sdpa", "the one that Accelerate splits over GPUs"),
        Attention::Flash => kernel::named(job, layout, "scores never reach memory"),
    };
    section.set("--attn_implementation", attention, reason);
    checkpointing(&mut section, emission);
    trainer::peft(&mut section, &job.workload);
    section
}

fn checkpointing(section: &mut Section, emission: &Emission) {
    let layout = &emission.plan.layout;
    let full = layout.recompute == Recompute::Full;
    let fsdp = layout.backend == Backend::Fsdp;
    let reason = match (full, fsdp) {
        (true, true) => "FSDP recomputes, by accelerate_config.yaml; both at once are refused",
        (true, false) => "each layer again from its input: far fewer activations",
        (false, _) => kept_reason(emission.answer.fits),
    };
    section.set("--gradient_checkpointing", flag(full && !fsdp), reason);
    if layout.offload.activations && !(full && fsdp) {
        section.set("--activation_offloading", "True", "activations wait in host memory for the backward pass");
    }
}

/// Batch of one GPU and passes before the optimizer steps.
fn batch(section: &mut Section, emission: &Emission) {
    passes(section, emission, "--per_device_train_batch_size", "--gradient_accumulation_steps");
    trainer::reduces_by_option(section, emission);
}

fn run(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Run");
    section.set("--learning_rate", rate(&emission.job.workload), "a start; yours to tune");
    if eight_bit(layout) {
        section.set("--optim", "adamw_torch_8bit", "torchao's: two moments of one byte each");
    } else {
        let own = layout.optimizer.kind;
        let word = hugging_face(layout.backend, own).unwrap_or("adamw_torch_fused");
        section.set("--optim", word, keeps(own));
    }
    trainer::length(&mut section, emission, ["--max_steps", "--num_train_epochs"]);
    section.set("--report_to", "none", "no account is needed");
    section.set("--dataset_name", home("data/train"), "change this to your data");
    section.set("--output_dir", home("output/shardwise"), "change this to your folder");
    section
}
