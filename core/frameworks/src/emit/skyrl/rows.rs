//! `SkyRL`'s keys that are written as they are read.

use super::super::choices::{engine_reason, reshard_reason, updates};
use super::super::text::{flag, share};
use super::super::words::{count, plural};
use crate::binding::Form::{Count, Flag, Share, Size};
use crate::binding::Meaning::{Plan, Taken};
use crate::binding::{Row, row, says, switch};

/// Sequences of a step, and how long they are.
pub(crate) const BATCH: &[Row] = &[
    row("trainer.train_batch_size", Taken("prompts_per_step", Count(1024)), |at| {
        let rl = at.rl()?;
        let reason = format!("prompts of a step; {} in all", plural(rl.sequences(), "sequence", "sequences"));
        says(rl.prompts_per_step, reason)
    }),
    row("generator.n_samples_per_prompt", Taken("responses_per_prompt", Count(5)), |at| {
        says(at.rl()?.responses_per_prompt, "responses per prompt, from your question")
    }),
    row("trainer.policy_mini_batch_size", Taken("mini_batch", Count(256)), |at| {
        let rl = at.rl()?;
        says(rl.mini_batch, format!("prompts of an update; {} a step", plural(updates(rl).0, "update", "updates")))
    }),
    row("trainer.update_epochs_per_batch", Taken("epochs", Size), |at| {
        let rl = at.rl()?;
        says(rl.epochs, updates(rl).1)
    }),
    row("trainer.max_prompt_length", Taken("max_prompt_length", Count(512)), |at| {
        says(at.rl()?.max_prompt_length, "tokens; longer prompts are left out")
    }),
    row("generator.sampling_params.max_generate_length", Taken("max_response_length", Count(1024)), |at| {
        says(at.rl()?.max_response_length, "tokens of a response, from your question")
    }),
];

/// `trainer.policy.`, and of the other roles: what FSDP splits.
pub(crate) const FSDP: &[Row] = &[
    row("sequence_parallel_size", Taken("ulysses_parallel", Size), |at| match at.layout.ulysses_parallel {
        1 => says(1, "no sequence is split"),
        sp => says(sp, format!("{sp} GPUs split each sequence")),
    }),
    row("fsdp_config.reshard_after_forward", Plan("zero_stage"), |at| {
        let stage = at.layout.zero_stage;
        says(flag(stage == 3), reshard_reason(stage))
    }),
    row("fsdp_config.fsdp_size", Plan("shard_group"), |at| match at.layout.shard_group {
        group if group >= at.gpus() => says(-1, "shards over all GPUs that train"),
        group => says(group, "ranks that shard the weights"),
    }),
];

/// `generator.inference_engine.`
pub(crate) const ENGINE: &[Row] = &[
    row("tensor_parallel_size", Taken("tensor_parallel", Size), |at| {
        let own = at.rollout()?;
        match own.tensor_parallel {
            1 if own.data_parallel > 1 => says(1, "no matrix is split"),
            tp => says(tp, engine_reason(tp)),
        }
    }),
    row("data_parallel_size", Taken("data_parallel", Size), |at| {
        let own = at.rollout().filter(|own| own.data_parallel > 1)?;
        says(own.data_parallel, "copies of the attention in an engine")
    }),
    row("expert_parallel_size", Taken("expert_parallel", Size), |at| {
        let own = at.rollout().filter(|own| own.expert_parallel > 1)?;
        says(own.expert_parallel, "GPUs that share an engine's experts")
    }),
    row("gpu_memory_utilization", Taken("gpu_memory_utilization", Share(0.8)), |at| {
        says(share(at.rollout()?.gpu_memory_utilization), "share of the card that an engine takes")
    }),
    row("max_num_batched_tokens", Taken("max_num_batched_tokens", Count(8192)), |at| {
        says(at.rollout()?.max_num_batched_tokens, "tokens of one engine step, from the plan")
    }),
    row("max_num_seqs", Taken("max_num_seqs", Count(1024)), |at| {
        let most = at.rollout()?.max_num_seqs;
        says(most, format!("{} sequences at a time on one engine", count(most)))
    }),
    row("enforce_eager", Taken("enforce_eager", Flag(false)), |at| {
        let eager = "no CUDA graphs: slower steps, less memory";
        switch(at.rollout()?.enforce_eager, eager, "CUDA graphs: quicker decoding")
    }),
    row("enable_chunked_prefill", Taken("chunked_prefill", Flag(true)), |at| {
        let own = at.rollout()?;
        if own.chunked_prefill { None } else { says("False", "prompts are read whole, from the plan") }
    }),
];
