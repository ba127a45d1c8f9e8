//! `openrlhf.cli.train_sft`, `train_dpo` and `train_rm`: fine-tuning and preferences, with all weights, `LoRA` or `QLoRA`.

use super::super::Emission;
use super::super::checkpoint::trained;
use super::super::choices::run::drawn;
use super::super::choices::{ATTENTION, accumulation, adapters, micro, preference, rate, recompute_reason};
use super::super::text::{Section, deepspeed as launcher, home};
use super::super::words::{count, layout_title, plural};
use super::{STEPS_THERE, deepspeed, step_by, switch};
use shardwise_question::plan::Recompute;
use shardwise_question::task::Learns;
use shardwise_question::wire::{LoraTargets, WorkloadKind};
use shardwise_question::workload::Workload;

pub(super) fn sections(emission: &Emission) -> Vec<Section> {
    vec![batch(emission), model(emission), layout(emission), run(emission)]
}

/// The program's name behind `train_`.
fn program(emission: &Emission) -> &'static str {
    match emission.job.workload.kind.preference().map(|own| own.learns) {
        Some(Learns::Scores) => "rm",
        Some(_) => "dpo",
        None => "sft",
    }
}

pub(super) fn file(emission: &Emission) -> &'static str {
    match program(emission) {
        "rm" => "run_openrlhf_rm.sh",
        "dpo" => "run_openrlhf_dpo.sh",
        _ => "run_openrlhf_sft.sh",
    }
}

/// Started by `DeepSpeed`'s launcher, on all nodes from one.
pub(super) fn command(emission: &Emission) -> String {
    format!("{} --module openrlhf.cli.train_{} \"${{args[@]}}\"", launcher(emission.job), program(emission))
}

fn batch(emission: &Emission) -> Section {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut section = Section::new("Batch");
    let micro = micro(emission);
    let ranks = u64::from(layout.data_parallel(emission.job.hardware.gpus));
    let passes = accumulation(emission);
    let reason = format!(
        "{} × {} × {}, from your question",
        count(micro),
        plural(passes, "pass", "passes"),
        plural(ranks, "rank", "ranks")
    );
    section.set("--train.batch_size", workload.global_batch, reason);
    section.set("--train.micro_batch_size", micro, preference::counted(workload.kind.preference()));
    section.set("--data.max_len", workload.sequence_length, "tokens, from your question");
    section
}

fn model(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new("Model");
    let (path, reason) = trained(job, &job.model);
    section.set("--model.model_name_or_path", path, reason);
    if layout.recompute == Recompute::Full {
        switch(&mut section, "--model.gradient_checkpointing_enable", recompute_reason(true, emission));
    }
    if let Some(lora) = &job.workload.lora {
        adapters(&mut section, *lora, "--ds.lora.rank", "--ds.lora.alpha");
        if lora.targets == LoraTargets::Attention {
            section.set("--ds.lora.target_modules", ATTENTION.join(" "), "from your question");
        }
    }
    if job.workload.quantized_base() {
        switch(&mut section, "--ds.load_in_4bit", "the base model in 4 bits");
    }
    section
}

fn layout(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new(format!("Layout: {}", layout_title(layout, emission.job.hardware.gpus)));
    deepspeed(emission, &mut section);
    if layout.offload.optimizer {
        switch(&mut section, "--ds.adam_offload", STEPS_THERE);
    }
    if emission.plan.reference.is_some_and(|own| own.offload.parameters) {
        switch(&mut section, "--ref.offload", "the reference's weights live in host memory");
    }
    section
}

/// Passes, and examples where the question says how many: OpenRLHF counts no steps, and cuts data at a million examples where it is not told.
fn length(section: &mut Section, workload: &Workload) {
    let per_step = workload.global_batch as f64;
    match workload
        .run_steps(per_step * workload.example_length())
        .filter(|_| workload.has_run())
    {
        Some(steps) => {
            let drawn = drawn(workload, steps, per_step);
            for (key, (value, reason)) in ["--train.max_epochs", "--data.max_samples"].into_iter().zip(drawn) {
                section.set(key, value, reason);
            }
        }
        None => section.set("--train.max_epochs", 1, "passes over your data; yours to choose"),
    }
}

fn run(emission: &Emission) -> Section {
    let mut section = Section::new("Run");
    if emission.job.workload.reference {
        section.set("--model.beta", preference::BETA, preference::BETA_REASON);
    }
    if emission.job.workload.kind == WorkloadKind::Ipo {
        switch(&mut section, "--model.ipo_enable", "a squared loss, from your question");
    }
    step_by(emission, &mut section, "");
    section.set("--adam.lr", rate(&emission.job.workload), "a start; yours to tune");
    length(&mut section, &emission.job.workload);
    section.set("--data.dataset", home("data/train"), "change this to your data");
    if emission.job.workload.kind.preference().is_some() {
        section.set("--data.prompt_key", "prompt", "the column with the prompt");
        section.set("--data.chosen_key", "chosen", "the column with the better answer");
        section.set("--data.rejected_key", "rejected", "the column with the worse one");
    } else {
        section.set("--data.input_key", "input", "the column with the prompt");
        section.set("--data.output_key", "output", "the column with the answer");
    }
    section.set("--ckpt.output_dir", home("output/shardwise"), "change this to your folder");
    section
}
