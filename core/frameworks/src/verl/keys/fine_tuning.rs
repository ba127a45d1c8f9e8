//! Keys of `verl.trainer.sft_trainer`, and of the older trainer that came before it.

use super::common::{CHOSEN, DATA_SET, DEVICE, LOGGER, PASSES, TRAIN_FILES};
use super::reinforcement::budget;
use super::roles::dynamic;
use crate::binding::Form::Count;
use crate::binding::Meaning::{Field, Ignored, Taken};
use crate::binding::{Row, row, say, says, when};
use crate::emit::words::{amount, plural};

/// The longest sequence, and what becomes of a longer one.
pub(super) const LONGEST: Row = row("data.max_length", Taken("workload.sequence_length", Count(1024)), |at| {
    says(at.job().workload.sequence_length, CHOSEN)
});
pub(super) const TRUNCATION: Row =
    row("data.truncation", DATA_SET, |_| says("right", "a longer sequence would stop the run"));

/// What a step takes. Of RL `data.train_batch_size` is the prompts.
pub(in crate::verl) const BATCH: &[Row] = &[
    say("data.train_batch_size", |at| {
        let all = at.job().workload.global_batch;
        says(all, format!("{} over all GPUs", plural(all, "sequence", "sequences")))
    }),
    LONGEST,
    TRUNCATION,
    row("data.use_dynamic_bsz", Field("plan.max_tokens_per_gpu plan.micro_batch"), dynamic),
    row("data.max_token_len_per_gpu", Taken("plan.max_tokens_per_gpu", Count(8192)), |at| {
        says(at.tokens()?, budget(at)?)
    }),
    row("data.micro_batch_size_per_gpu", Taken("plan.micro_batch", Count(4)), |at| {
        let (micro, ranks) = (at.sequences()?, u64::from(at.layout.data_parallel(at.gpus())));
        let passes = at.job().workload.global_batch / micro.saturating_mul(ranks).max(1);
        let sequences = plural(micro, "sequence", "sequences");
        says(
            micro,
            match (passes, ranks) {
                (1, 1) => format!("one pass of {sequences} makes a step"),
                (passes, 1) => format!("{} of {sequences} make a step", plural(passes, "pass", "passes")),
                (1, ranks) => format!("one pass of {sequences} on each of {ranks} ranks makes a step"),
                (passes, ranks) => {
                    format!("{} of {sequences} on each of {ranks} ranks make a step", plural(passes, "pass", "passes"))
                }
            },
        )
    }),
    TRAIN_FILES,
    row("data.messages_key", DATA_SET, |_| says("messages", "the column with the conversations")),
];

/// The backend, whose keys `engine.` and `optim.` hold.
pub(in crate::verl) const BACKEND: &[Row] = &[
    row("engine", Field("plan.backend"), |at| {
        says(if at.megatron().is_some() { "megatron" } else { "fsdp" }, "the backend")
    }),
    row("optim", Ignored("the optimizer of the backend"), |at| {
        when(at.megatron().is_some(), "megatron", "and its optimizer")
    }),
    say("engine.strategy", |at| when(at.fsdp().is_some(), "fsdp2", "the second version")),
];

/// How long a run is.
pub(in crate::verl) const RUN: &[Row] = &[
    say("trainer.total_training_steps", |at| {
        let workload = &at.job().workload;
        let steps = workload.run_steps(workload.global_batch as f64 * workload.mean_sequence_length)?;
        if workload.passes().is_some() { None } else { says(amount(steps), CHOSEN) }
    }),
    say("trainer.total_epochs", |at| match at.job().workload.passes() {
        // Whole passes: it ends with the last.
        Some((epochs, _)) => says(amount(epochs.ceil()), CHOSEN),
        None => says(1, PASSES),
    }),
    DEVICE,
    LOGGER,
    say("trainer.save_freq", |_| says(100, "steps between checkpoints; veRL's default saves the last alone")),
    say("trainer.test_freq", |_| says(-1, "no validation on the way: it takes data.val_files")),
];
