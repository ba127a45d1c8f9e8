//! `SkyRL`'s keys that are written as they are read.

use super::super::choices::{engine_reason, reshard_reason, updates};
use super::super::text::{flag, share};
use super::super::words::plural;
use crate::binding::Form::{Count, Flag, Share, Size};
use crate::binding::Meaning::{Field, Ignored, Plan, Taken};
use crate::binding::{Row, row, says, switch, when};
use shardwise_question::wire::{KvCacheDtype, Precision, Schedule};
use shardwise_question::workload::{Agent, Rl};

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
    row("generator.sampling_params.max_generate_length", Field("workload.rl.max_response_length"), |at| {
        let rl = at.rl()?;
        match rl.agent {
            Some(agent) => says(of_turn(rl, &agent), "tokens of a turn: twice the mean that the model writes"),
            None => says(rl.max_response_length, "tokens of a response, from your question"),
        }
    }),
];

/// The most tokens of a turn. `SkyRL` bounds each turn, and what is read before it.
fn of_turn(rl: &Rl, agent: &Agent) -> u64 {
    let mean = (rl.mean_response_length - agent.read()) / agent.turns;
    ((mean * 2.0).ceil() as u64).clamp(1, rl.max_response_length)
}

/// An agent's turns (`train/generators/skyrl_gym_generator.py`, `agent_loop`).
pub(crate) const AGENT: &[Row] = &[
    row("generator.max_turns", Field("workload.rl.agent.max_turns"), |at| {
        says(at.rl()?.agent?.max_turns, "the most turns that the model writes")
    }),
    row("generator.max_input_length", Field("workload.rl.max_response_length"), |at| {
        let rl = at.rl()?;
        let before = rl.max_length().saturating_sub(of_turn(rl, &rl.agent?));
        says(before, "tokens before the last turn; with it, the longest prompt and response")
    }),
    row("environment.skyrl_gym.max_env_workers", Ignored("how many tools are called at a time"), |at| {
        let rl = at.rl()?;
        rl.agent?;
        says(under_way(rl), "responses under way: the estimate lets no call wait for another")
    }),
];

/// Responses that are generated at a time: a step's, or as many as the bound on what runs ahead lets.
fn under_way(rl: &Rl) -> u64 {
    match rl.schedule {
        Schedule::FullyAsync => ahead(rl).saturating_mul(rl.responses_per_prompt),
        _ => rl.sequences(),
    }
}

/// Prompts whose responses are generated at a time, where generation runs on.
pub(super) fn ahead(rl: &Rl) -> u64 {
    (rl.mini_batch as f64 * (rl.max_staleness + 1.0)) as u64
}

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
        says(most, format!("{} at a time on one engine", plural(most, "sequence", "sequences")))
    }),
    row("enforce_eager", Taken("enforce_eager", Flag(false)), |at| {
        let eager = "no CUDA graphs: slower steps, less memory";
        switch(at.rollout()?.enforce_eager, eager, "CUDA graphs: quicker decoding")
    }),
    row("engine_init_kwargs.quantization", Plan("precision"), |at| {
        when(at.rollout()?.precision == Precision::Fp8, "fp8", "the engine's weights in 8 bits, from the plan")
    }),
    row("engine_init_kwargs.kv_cache_dtype", Plan("kv_cache_dtype"), |at| {
        let halved = at.rollout()?.kv_cache_dtype == KvCacheDtype::Fp8;
        when(halved, "fp8", "half the cache for each token, from the plan")
    }),
    row("enable_chunked_prefill", Taken("chunked_prefill", Flag(true)), |at| {
        let own = at.rollout()?;
        if own.chunked_prefill { None } else { says("False", "prompts are read whole, from the plan") }
    }),
];
