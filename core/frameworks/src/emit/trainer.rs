//! What frameworks on Hugging Face's Trainer and its launcher share: their own keys, and DeepSpeed's file beside them.

use super::checkpoint::trained;
use super::choices::{
    ATTENTION, accumulation, adapters, half_type, learning_rate, offload_reason, other_states, reshard_reason, run,
    shard_bytes, updates,
};
use super::optimizer::kept_moments;
use super::text::{Section, on_others};
use super::words::{self, count, plural};
use super::{Emission, deepspeed, kernel};
use shardwise_question::job::Job;
use shardwise_question::wire::{Attention, Backend, LoraTargets};
use shardwise_question::workload::{Rl, Workload};
use shardwise_rules::machines;

/// The model as a file names it that no shell reads, and why.
pub(super) fn model_folder(emission: &Emission) -> (String, String) {
    let (path, reason) = trained(emission.job, &emission.job.model);
    (path.trim_matches('"').replace("$HOME/", "./"), reason)
}

/// What a joined batch holds, where a framework counts full sequences and the question short ones.
pub(super) fn joined(emission: &Emission) -> Option<String> {
    let workload = &emission.job.workload;
    let times = workload.sequence_length as f64 / workload.mean_sequence_length.max(1.0);
    workload.joins().then(|| {
        format!(
            "batches count joined sequences of {} tokens, {} of yours each: a step trains as many times more than estimated. Lower the passes for the step of your question.",
            count(workload.sequence_length),
            words::amount(times)
        )
    })
}

/// The optimizer's keys, as DeepSpeed's file has them.
pub(super) fn optimizer(section: &mut Section, emission: &Emission) {
    let same = if emission.plan.layout.backend == Backend::Deepspeed { ", as in ds_config.json" } else { "" };
    steps_by(section, &emission.job.workload, same);
}

/// The same, with what is said of each beside.
pub(super) fn steps_by(section: &mut Section, workload: &Workload, same: &str) {
    // A plain `1e-4` is a word in YAML 1.1.
    let rate = format!("{:.1e}", learning_rate(workload));
    section.set("learning_rate", rate, format!("a start; yours to tune{same}"));
    section.set("adam_beta2", "0.95", format!("usual for language models{same}"));
    section.set("weight_decay", "0.0", format!("yours to tune{same}"));
    section.set("max_grad_norm", "1.0", format!("gradients are clipped{same}"));
}

/// Adapters and a base in 4 bits, as options of TRL's scripts and of those that take its names.
pub(super) fn peft(section: &mut Section, workload: &Workload) {
    if let Some(lora) = workload.lora {
        section.set("--use_peft", "True", "adapters, from your question");
        adapters(section, lora, "--lora_r", "--lora_alpha");
        let modules = match lora.targets {
            LoraTargets::AllLinear => "all-linear".to_owned(),
            LoraTargets::Attention => ATTENTION.join(" "),
        };
        section.set("--lora_target_modules", modules, "from your question");
    }
    if workload.quantized_base() {
        section.set("--load_in_4bit", "True", "the base model in 4 bits");
        section.set("--use_bnb_nested_quant", "True", "its block scales are quantised too");
        let storage = half_type(workload.precision);
        let reason = "so that it can be sharded";
        section.set("--bnb_4bit_quant_storage", storage, reason);
    }
}

/// The attention kernel, by the framework's word for scores in memory and its own for Hugging Face's, and why.
pub(super) fn attention(
    section: &mut Section,
    emission: &Emission,
    key: &str,
    (unfused, own): (&str, fn(&'static str) -> &'static str),
) {
    let layout = &emission.plan.layout;
    match layout.attention {
        Attention::Flash => {
            let (word, reason) = kernel::named(emission.job, layout, "scores never reach memory; needs flash-attn");
            section.set(key, own(word), reason);
        }
        Attention::Unfused => section.set(key, unfused, "scores in memory, as the plan says"),
    }
}

/// How often a run speaks and saves.
pub(super) fn intervals(section: &mut Section) {
    section.set("logging_steps", 10, "steps between lines of the log");
    section.set("save_steps", 500, "steps between checkpoints");
}

/// How each of several nodes finds the first, as options of `accelerate launch`; empty for one.
pub(super) fn meet(nodes: u32) -> &'static str {
    if nodes > 1 {
        " --machine_rank \"$NODE_RANK\" --main_process_ip \"$MASTER_ADDR\" --main_process_port 29500"
    } else {
        ""
    }
}

/// How a text that is a file is started, and before it where the first of several nodes is. Where the nodes are not
/// `numbered`, the launcher does that by itself.
pub(super) fn start(lines: &mut Vec<String>, job: &Job, numbered: bool, command: &str) {
    match (machines(job), numbered) {
        (..=1, _) => {}
        (nodes, true) => lines.push(format!(
            "Before: export MASTER_ADDR as the address of the first node, and NODE_RANK as 0 on it and {}.",
            on_others(nodes - 1)
        )),
        (_, false) => {
            lines.push("Before: export MASTER_ADDR as the address of the first node, the same on all.".to_owned());
        }
    }
    lines.push(format!("Start on each node: {command}"));
}

/// Keys of accelerate's FSDP2, each behind a prefix.
pub(super) fn fsdp2(section: &mut Section, emission: &Emission, prefix: &str, keys: [&str; 5]) {
    let layout = &emission.plan.layout;
    let quantized = emission.job.workload.quantized_base();
    for key in keys {
        let (value, reason) = match key {
            "auto_wrap_policy" => ("TRANSFORMER_BASED_WRAP".to_owned(), "layer by layer"),
            "state_dict_type" => ("FULL_STATE_DICT".to_owned(), "saves weights that other programs can load"),
            "reshard_after_forward" => ((layout.zero_stage == 3).to_string(), reshard_reason(layout.zero_stage)),
            "offload_params" => (layout.offload.parameters.to_string(), offload_reason(layout.offload.parameters)),
            _ if quantized => ("false".to_owned(), "4-bit weights are made on every rank"),
            _ => ("true".to_owned(), "rank 0 alone reads the checkpoint"),
        };
        section.set(format!("fsdp_config.{prefix}{key}"), value, reason);
    }
}

/// How long to train, in optimizer steps, where the question says it; in reinforcement learning where it is assumed, too.
pub(super) fn steps(emission: &Emission) -> Option<(u64, String)> {
    let workload = &emission.job.workload;
    if let Some(rl) = &workload.rl {
        return Some(updates_of(workload, rl));
    }
    let length = if workload.joins() { workload.sequence_length as f64 } else { workload.mean_sequence_length };
    let step = (workload.global_batch * workload.sequences_per_example()) as f64 * length;
    let steps = workload.run_steps(step).filter(|_| workload.has_run())?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and a float converts to the nearest that there is"
    )]
    let steps = steps as u64;
    Some((steps, format!("{} tokens a step, from your question", count(step.round() as u64))))
}

/// Optimizer steps of a run whose steps are batches of prompts: Transformers' Trainer counts its own, of which TRL's trainers of
/// policies take `steps_per_generation` ÷ `gradient_accumulation_steps` × `num_iterations` from one generation
/// (trl 1.16.0, `trainer/grpo_trainer.py:1538`).
fn updates_of(workload: &Workload, rl: &Rl) -> (u64, String) {
    let steps = run::rl_steps(workload, rl);
    let each = updates(rl).0.max(1).saturating_mul(rl.epochs.max(1));
    let reason = format!(
        "{} in each of {}, {}",
        plural(each, "update", "updates"),
        plural(steps, "step", "steps"),
        run::whose(workload)
    );
    (steps.saturating_mul(each), reason)
}

/// What has accelerate reduce the gradients of each micro-batch, which it would keep whole until a step's last; `None` where a step has
/// one, or the plan keeps them.
fn reduced(emission: &Emission) -> Option<&'static str> {
    let (job, layout) = (emission.job, &emission.plan.layout);
    // Adapters' are few.
    let counts = job.workload.lora.is_none();
    let told = layout.backend == Backend::Fsdp && layout.sync_each_batch && counts && accumulation(emission) > 1;
    told.then_some(
        "gradients of each pass are reduced, not kept whole until the last: slower over slow links, far less memory",
    )
}

/// The same as keys of a file.
pub(super) fn reduces(section: &mut Section, emission: &Emission) {
    if let Some(reason) = reduced(emission) {
        section.set("accelerator_config.gradient_accumulation_kwargs.sync_each_batch", "true", reason);
    }
}

/// The same as an option of a command.
pub(super) fn reduces_by_option(section: &mut Section, emission: &Emission) {
    if let Some(reason) = reduced(emission) {
        let value = r#"'{"gradient_accumulation_kwargs": {"sync_each_batch": true}}'"#;
        section.set("--accelerator_config", value, reason);
    }
}

/// Says how long to train by `keys`, the steps' and the passes': passes where the question has a data set, steps where it
/// counts them, else one pass.
pub(super) fn length(section: &mut Section, emission: &Emission, keys: [&'static str; 2]) {
    let [by_steps, by_passes] = keys;
    let passes = emission.job.workload.passes();
    match (passes, steps(emission)) {
        (Some((epochs, examples)), _) => {
            let reason = format!("passes over {}, from your question", plural(examples, "example", "examples"));
            section.set(by_passes, words::amount(epochs), reason);
        }
        (None, Some((steps, reason))) => section.set(by_steps, steps, reason),
        (None, None) => section.set(by_passes, 1, "passes over your data; yours to choose"),
    }
}

/// Where every such framework does otherwise than the estimate assumes.
pub(super) fn warnings(emission: &Emission, name: &str) -> Vec<String> {
    let layout = &emission.plan.layout;
    let mut out = Vec::from_iter(joined(emission));
    let kept = [shard_bytes(emission), layout.gradient_bytes, kept_moments(emission, layout, 8.0)];
    out.extend(other_states(layout, kept, name));
    out
}

/// `DeepSpeed`'s file, where the plan is for it.
pub(super) fn beside(emission: &Emission) -> Option<super::Snippet> {
    (emission.plan.layout.backend == Backend::Deepspeed).then(|| deepspeed::file(emission))
}
