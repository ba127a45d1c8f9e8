//! Keys of `verl.trainer.fsdp_sft_trainer`, which fine-tuned until 0.5.0.

use super::common::{TRAIN_FILES, VAL_FILES};
use super::engine::whole_offload;
use super::fine_tuning::{LONGEST, TRUNCATION};
use crate::binding::{Row, say, says, switch};
use crate::emit::checkpoint::trained;
use crate::emit::text::flag;
use crate::emit::words::count;

/// What a step takes.
pub(in crate::verl) const BATCH: &[Row] = &[
    say("data.train_batch_size", |at| says(at.job().workload.global_batch, "sequences over all GPUs")),
    say("data.micro_batch_size_per_gpu", |at| {
        let micro = at.sequences()?;
        says(micro, format!("{} at a time on each GPU", count(micro)))
    }),
    LONGEST,
    TRUNCATION,
    TRAIN_FILES,
    VAL_FILES,
    say("data.multiturn.enable", |_| says("True", "conversations, not pairs")),
    say("data.multiturn.messages_key", |_| says("messages", "the column with the conversations")),
];

/// Where the model is.
pub(in crate::verl) const MODEL: &[Row] = &[say("partial_pretrain", |at| Some(trained(at.job(), &at.job().model)))];

/// How it is laid out.
pub(in crate::verl) const ENGINE: &[Row] = &[
    say("model.strategy", |_| says("fsdp2", "the second version")),
    say("ulysses_sequence_parallel_size", |at| match at.layout.ulysses_parallel {
        1 => says(1, "sequences stay whole"),
        sp => says(sp, "GPUs that split each sequence"),
    }),
    say("use_remove_padding", |at| {
        let needs = "splitting needs it";
        switch(at.layout.ulysses_parallel > 1, needs, "read only where sequences are split")
    }),
    say("model.fsdp_config.cpu_offload", whole_offload),
    say("model.fsdp_config.offload_params", |at| says(flag(at.layout.offload.parameters), "the same switch again")),
];
