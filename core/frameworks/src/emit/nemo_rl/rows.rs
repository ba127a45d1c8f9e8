//! Keys of NeMo-RL's configurations that are written as they are read.

use super::super::choices::{engine_reason, kept_reason, offload_reason};
use super::super::megatron::{SEQUENCE_REASON, is_sequence_split};
use super::super::text::{flag, share};
use super::super::words::plural;
use crate::binding::Form::{Count, Flag, Share, Size, Stated};
use crate::binding::Meaning::{Plan, Taken};
use crate::binding::{Row, row, says, switch};
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{KvCacheDtype, Precision};

/// `grpo.`, of a step.
pub(crate) const BATCH: &[Row] = &[
    row("num_prompts_per_step", Taken("prompts_per_step", Count(32)), |at| {
        let rl = at.rl()?;
        let reason = format!("prompts of a step; {} in all", plural(rl.sequences(), "sequence", "sequences"));
        says(rl.prompts_per_step, reason)
    }),
    row("num_generations_per_prompt", Taken("responses_per_prompt", Count(16)), |at| {
        says(at.rl()?.responses_per_prompt, "responses per prompt, from your question")
    }),
];

/// `policy.dtensor_cfg.`: FSDP2 with tensor and context parallelism.
pub(crate) const DTENSOR: &[Row] = &[
    row("tensor_parallel_size", Taken("tensor_parallel", Size), |at| match at.fsdp()?.tensor_parallel {
        1 => says(1, "no matrix is split"),
        tp => says(tp, format!("{tp} GPUs split each matrix; divides {} heads", at.shape.num_attention_heads)),
    }),
    row("context_parallel_size", Taken("context_parallel", Size), |at| match at.fsdp()?.context_parallel {
        1 => says(1, "no sequence is split"),
        cp => says(cp, format!("{cp} GPUs split each sequence")),
    }),
    row("sequence_parallel", Taken("sequence_parallel", Flag(false)), |at| {
        switch(is_sequence_split(at.fsdp()?), SEQUENCE_REASON, "norms are not split over TP")
    }),
    row("activation_checkpointing", Plan("recompute"), |at| match at.fsdp()?.recompute {
        Recompute::None => says("False", kept_reason(at.emission.answer.fits)),
        _ => says("True", "each layer again from its input: far fewer activations"),
    }),
    row("cpu_offload", Plan("offload"), |at| {
        // Between the phases of reinforcement learning everything moves, whatever this says.
        let away = at.fsdp()?.offload.optimizer && at.rl().is_none();
        let reason = if at.rl().is_some() { "what trains is on the GPUs while it does" } else { offload_reason(away) };
        says(flag(away), reason)
    }),
];

/// `policy.generation.vllm_cfg.`
pub(crate) const ENGINE: &[Row] = &[
    row("tensor_parallel_size", Taken("tensor_parallel", Size), |at| {
        let own = at.rollout()?;
        match own.tensor_parallel {
            1 if own.data_parallel > 1 => says(1, "no matrix is split"),
            tp => says(tp, engine_reason(tp)),
        }
    }),
    row("expert_parallel_size", Plan("expert_parallel data_parallel"), |at| {
        let own = at.rollout().filter(|own| own.expert_parallel > 1)?;
        let copies = own.data_parallel;
        if copies > 1 {
            says(own.expert_parallel, format!("GPUs that share an engine's experts: {copies} copies of its attention"))
        } else {
            says(own.expert_parallel, "GPUs that share an engine's experts")
        }
    }),
    row("gpu_memory_utilization", Taken("gpu_memory_utilization", Share(0.6)), |at| {
        says(share(at.rollout()?.gpu_memory_utilization), "share of the card that an engine takes")
    }),
    row("enforce_eager", Taken("enforce_eager", Flag(false)), |at| {
        let eager = "no CUDA graphs: slower steps, less memory";
        switch(at.rollout()?.enforce_eager, eager, "CUDA graphs: quicker decoding")
    }),
    row("precision", Plan("precision"), |at| match at.rollout()?.precision {
        Precision::Fp8 => says("fp8", "the engine's weights in 8 bits, from the plan"),
        _ => None,
    }),
    row("kv_cache_dtype", Plan("kv_cache_dtype"), |at| match at.rollout()?.kv_cache_dtype {
        KvCacheDtype::Fp8 => says("fp8", "half the cache for each token, from the plan"),
        KvCacheDtype::Auto => None,
    }),
];

/// `policy.generation.vllm_kwargs.`: what vLLM takes besides, which no configuration has by itself.
pub(crate) const ENGINE_BESIDES: &[Row] = &[
    row("++max_num_seqs", Taken("max_num_seqs", Stated), |at| {
        let most = at.rollout()?.max_num_seqs;
        says(most, format!("{} at a time on one engine", plural(most, "sequence", "sequences")))
    }),
    row("++max_num_batched_tokens", Taken("max_num_batched_tokens", Stated), |at| {
        says(at.rollout()?.max_num_batched_tokens, "tokens of one engine step, from the plan")
    }),
];
