//! `verl.trainer.sft_trainer`: full fine-tuning and LoRA.

use super::super::checkpoint::trained;
use super::super::text::{Section, flag, home, torchrun};
use super::super::words::{count, layout_title, plural};
use super::super::{Emission, choices};
use super::engine::{Engine, budget};
use super::model::{adapters, checkpointing, fused_kernels};
use shardwise_question::plan::MicroBatch;
use shardwise_question::wire::Backend;

/// The settings and the command.
pub(super) fn sections(emission: &Emission) -> (Vec<Section>, String) {
    let sections = vec![
        batch(emission),
        model(emission),
        engine(emission),
        run(emission, "a start; veRL's default of 1e-3 is for no large model"),
    ];
    (sections, launch(emission, "verl.trainer.sft_trainer"))
}

/// The command that starts `module` on every GPU.
pub(super) fn launch(emission: &Emission, module: &str) -> String {
    let launch = torchrun(emission.job);
    format!("{launch} -m {module} \"${{args[@]}}\"")
}

/// The longest sequence, and what becomes of a longer one.
pub(super) fn longest(section: &mut Section, emission: &Emission) {
    section.set("data.max_length", emission.job.workload.sequence_length, "from your question");
    section.set("data.truncation", "right", "a longer sequence would stop the run");
}

fn batch(emission: &Emission) -> Section {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut section = Section::new("Batch");
    section.set(
        "data.train_batch_size",
        workload.global_batch,
        format!("{} over all GPUs", plural(workload.global_batch, "sequence", "sequences")),
    );
    longest(&mut section, emission);
    match layout.micro_batch {
        MicroBatch::Tokens(tokens) => {
            section.set("data.use_dynamic_bsz", "True", "packs short sequences together up to a budget");
            let reason = budget(tokens, layout.sequence_split(), workload.sequence_length);
            section.set("data.max_token_len_per_gpu", tokens, reason);
        }
        MicroBatch::Sequences(micro) => {
            section.set("data.use_dynamic_bsz", "False", "the plan counts sequences");
            let dp = u64::from(layout.data_parallel(emission.job.hardware.gpus));
            let steps = workload.global_batch / micro.saturating_mul(dp).max(1);
            section.set(
                "data.micro_batch_size_per_gpu",
                micro,
                format!("{} of {} on each of {dp} ranks make a step", count(steps), count(micro)),
            );
        }
    }
    section.set("data.train_files", home("data/train.parquet"), "change this to your data");
    section.set("data.messages_key", "messages", "the column with the conversations");
    section
}

fn model(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new("Model");
    let (path, reason) = trained(job, &job.model);
    section.set("model.path", path, reason);
    let packed = job.workload.packing;
    let reason = if packed { "packs sequences, no padding tokens" } else { "padded, from your question" };
    section.set("model.use_remove_padding", flag(packed), reason);
    if layout.backend == Backend::Fsdp {
        checkpointing(&mut section, "model", layout, emission.answer.fits);
    }
    if layout.fused_lm_head {
        fused_kernels(&mut section, "model", layout.backend);
    } else {
        section.set("model.use_fused_kernels", "False", "the estimate holds the logits in memory");
    }
    if let Some(lora) = job.workload.lora {
        adapters(&mut section, "model", layout.backend, lora);
    }
    section
}

fn engine(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let mut section = Section::new(format!("Layout: {}", layout_title(layout, gpus)));
    let engine = Engine {
        keys: "engine.",
        optim: "optim.",
        layout,
        shape: &job.model.shape,
        gpus,
        phases: false,
        fits: emission.answer.fits,
    };
    if layout.backend == Backend::Megatron {
        section.set("engine", "megatron", "the backend");
        section.set("optim", "megatron", "and its optimizer");
        engine.megatron(&mut section, job);
    } else {
        section.set("engine", "fsdp", "the backend");
        section.set("engine.strategy", "fsdp2", "the second version");
        engine.fsdp(&mut section, job);
    }
    section
}

/// Learning rate, with the reason for it, and the rest of a run.
pub(super) fn run(emission: &Emission, rate: &str) -> Section {
    let mut section = Section::new("Run");
    let lr = choices::rate(&emission.job.workload);
    section.set("optim.lr", lr, rate);
    section.set("trainer.total_epochs", 1, "passes over your data; yours to choose");
    section.set("trainer.logger", "'[\"console\"]'", "veRL's default also wants a wandb account");
    section.set("trainer.save_freq", 100, "steps between checkpoints; veRL's default saves the last alone");
    section.set("trainer.test_freq", -1, "no validation on the way: it takes data.val_files");
    section
}
