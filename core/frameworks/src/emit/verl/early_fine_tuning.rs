//! `verl.trainer.fsdp_sft_trainer`: fine-tuning until 0.5.0, with FSDP2 alone.

use super::super::checkpoint::trained;
use super::super::text::{Section, flag, home};
use super::super::words::{count, layout_title};
use super::super::{Emission, Unsupported};
use super::fine_tuning::{launch, longest, run};
use super::model::{adapters, checkpointing};
use shardwise_question::plan::MicroBatch;
use shardwise_question::wire::Backend;

/// The settings, the command, and what the trainer does otherwise than the estimate.
pub(super) fn sections(emission: &Emission) -> Result<(Vec<Section>, String, Vec<String>), Unsupported> {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let refuse = |what: &str| Unsupported {
        message: format!("veRL {} fine-tunes {what} Choose 0.7.1 or later, or change the plan.", emission.version),
    };
    if layout.backend != Backend::Fsdp {
        return Err(refuse("with FSDP alone."));
    }
    if layout.shard_group < gpus || layout.zero_stage != 3 {
        return Err(refuse("with weights sharded over all GPUs alone."));
    }
    if layout.offload.activations {
        return Err(refuse("with activations on the GPU alone."));
    }
    let MicroBatch::Sequences(micro) = layout.micro_batch else {
        return Err(refuse("on micro-batches counted in sequences alone."));
    };
    let mut warnings = Vec::new();
    let split = layout.ulysses_parallel > 1;
    if job.workload.joins() && !split {
        warnings.push(format!(
            "veRL {} pads every sequence to max_length where nothing splits it; the estimate packs.",
            emission.version
        ));
    }
    if layout.fused_lm_head {
        warnings.push(format!(
            "veRL {} has no fused LM head here: its logits take more memory than estimated.",
            emission.version
        ));
    }
    Ok((
        vec![batch(emission, micro), model(emission), engine(emission), run(emission, "a start; yours to tune")],
        launch(emission, "verl.trainer.fsdp_sft_trainer"),
        warnings,
    ))
}

fn batch(emission: &Emission, micro: u64) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Batch");
    section.set("data.train_batch_size", workload.global_batch, "sequences over all GPUs");
    section.set("data.micro_batch_size_per_gpu", micro, format!("{} at a time on each GPU", count(micro)));
    longest(&mut section, emission);
    for (key, file) in [("train", "train.parquet"), ("val", "test.parquet")] {
        section.set(format!("data.{key}_files"), home(&format!("data/{file}")), "change this to your data");
    }
    section.set("data.multiturn.enable", "True", "conversations, not pairs");
    section.set("data.multiturn.messages_key", "messages", "the column with the conversations");
    section
}

fn model(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new("Model");
    let (path, reason) = trained(job, &job.model);
    section.set("model.partial_pretrain", path, reason);
    checkpointing(&mut section, "model", layout, emission.answer.fits);
    if let Some(lora) = job.workload.lora {
        adapters(&mut section, "model", layout.backend, lora);
    }
    section
}

fn engine(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new(format!("Layout: {}", layout_title(layout, job.hardware.gpus)));
    section.set("model.strategy", "fsdp2", "the second version");
    let sp = layout.ulysses_parallel;
    section.set(
        "ulysses_sequence_parallel_size",
        sp,
        if sp == 1 { "sequences stay whole" } else { "GPUs that split each sequence" },
    );
    section.set(
        "use_remove_padding",
        flag(sp > 1),
        if sp == 1 { "read only where sequences are split" } else { "splitting needs it" },
    );
    let offload = layout.offload.parameters;
    let reason = if offload {
        "weights, gradients and optimizer live in host memory; costs PCIe traffic every step"
    } else {
        "weights, gradients and optimizer stay on the GPUs"
    };
    section.set("model.fsdp_config.cpu_offload", flag(offload), reason);
    section.set("model.fsdp_config.offload_params", flag(offload), "the same switch again");
    section
}
