//! Keys of the roles beside the actor: critic and reference policy.

use super::common::{DATA_SET, Keys, LOG, OBJECTIVE, PATH, PROFILE, ROUTING};
use crate::binding::Form::Count;
use crate::binding::Meaning::{Field, Ignored, Plan, Renamed, Taken, Unmodelled};
use crate::binding::{At, Meaning, Row, Said, row, say, says, switch, when};
use crate::emit::checkpoint::trained;
use crate::emit::text::flag;
use shardwise_question::plan::MicroBatch;
use shardwise_question::workload::Rl;

const ACTORS: Meaning = Ignored("the estimate's critic takes the actor's");

/// Micro-batch of a pass forward alone: the plan's, or twice the update's where that divides a rank's share.
pub(super) fn forward_micro(at: &At) -> Option<Said> {
    let micro = at.sequences()?;
    if let Some(MicroBatch::Sequences(own)) = at.layout.forward {
        return says(own, "forward only: its own, from the plan");
    }
    let per_rank = at.rl().map_or(0, Rl::sequences) / u64::from(at.layout.data_parallel(at.gpus()));
    let twice = micro.saturating_mul(2);
    if twice > 0 && per_rank.is_multiple_of(twice) {
        says(twice, "forward only: twice the actor's")
    } else {
        says(micro, "the actor's: twice would not divide a rank's share")
    }
}

/// Token budget of a pass forward alone: the plan's, or twice the update's for the reason given.
pub(super) fn forward_tokens(at: &At, twice: &'static str) -> Option<Said> {
    let tokens = at.tokens()?;
    match at.layout.forward {
        Some(MicroBatch::Tokens(own)) => says(own, "forward only: its own, from the plan"),
        _ => says(tokens.saturating_mul(2), twice),
    }
}

/// Whether a micro-batch is a budget of tokens, and why.
pub(super) fn dynamic(at: &At) -> Option<Said> {
    let packs = "packs short sequences together up to a budget";
    switch(at.tokens().is_some(), packs, "the plan counts sequences")
}

/// `actor_rollout_ref.ref.`, of its engine.
pub(in crate::verl) const REFERENCE_ENGINE: &[Row] = &[
    say("megatron.param_offload", |at| {
        let away = at.megatron()?.offload.parameters;
        switch(away, "its weights are on the GPU in their own phase alone", "its weights stay")
    }),
    say("fsdp_config.ulysses_sequence_parallel_size", |at| {
        says(at.fsdp()?.ulysses_parallel, "FSDP2 keeps the reference's weights in host memory by itself")
    }),
    say("fsdp_config.fsdp_size", |at| match at.fsdp()?.shard_group {
        group if group >= at.gpus() => says(-1, "as in the plan"),
        group => says(group, "as in the plan"),
    }),
];

/// `actor_rollout_ref.ref.`, of its forward pass.
pub(in crate::verl) const REFERENCE: &[Row] = &[
    row("log_prob_use_dynamic_bsz", Plan("max_tokens_per_gpu micro_batch"), |at| {
        says(flag(at.tokens().is_some()), "as the actor")
    }),
    row("log_prob_max_token_len_per_gpu", Plan("forward_max_tokens_per_gpu"), |at| {
        let actors = at.layout.micro_batch == at.emission.plan.layout.micro_batch;
        let twice =
            if actors { "forward only: twice the actor's" } else { "forward only: twice what the plan gives it" };
        forward_tokens(at, twice)
    }),
    row("log_prob_micro_batch_size_per_gpu", Plan("forward_micro_batch"), forward_micro),
];

pub(super) const REFERENCE_READ: Keys = &[
    ("log_prob_micro_batch_size", Ignored("it counts all GPUs; log_prob_micro_batch_size_per_gpu counts one")),
    ("ulysses_sequence_parallel_size", Plan("ulysses_parallel")),
    ("strategy|pad_to_length", Ignored("the actor's")),
    ("param_offload", Renamed("actor_rollout_ref.ref.megatron.param_offload", "0.4.0")),
    ("entropy_*", Ignored("the reference has no entropy")),
    ("use_torch_compile", Ignored("the estimate's kernels are compiled ones")),
    ("model*", Unmodelled("the estimate's reference is the actor's model")),
    ("router_replay.*", ROUTING),
    ("rollout_n", Ignored("actor_rollout_ref.rollout.n says it")),
    ("load_weight", PATH),
    ("profile*", PROFILE),
];

/// `critic.`, of its model.
pub(in crate::verl) const CRITIC_MODEL: &[Row] = &[
    row("model.path", Field("workload.rl.critic"), |at| Some(trained(at.job(), at.rl()?.critic.as_ref()?))),
    say("model.use_remove_padding", |at| says(flag(at.job().workload.packing), "as the actor")),
    row("strategy", Plan("backend"), |at| when(at.fsdp().is_some(), "fsdp2", "set apart from the actor's")),
];

/// `critic.`, of its update.
pub(in crate::verl) const CRITIC: &[Row] = &[
    say("optim.lr", |_| says("1e-5", "a start; yours to tune")),
    row("use_dynamic_bsz", Plan("max_tokens_per_gpu micro_batch"), dynamic),
    row("ppo_max_token_len_per_gpu", Taken("max_tokens_per_gpu", Count(32768)), |at| {
        let tokens = at.tokens()?;
        let actors = match at.emission.plan.layout.micro_batch {
            MicroBatch::Tokens(tokens) => tokens,
            MicroBatch::Sequences(_) => 0,
        };
        if tokens == actors.saturating_mul(2) {
            says(tokens, "twice the actor's: the critic has no logits")
        } else if tokens == actors {
            says(tokens, "the actor's, as estimated; the guide goes to twice where memory allows")
        } else {
            says(tokens, "its own, from the plan")
        }
    }),
    row("forward_max_token_len_per_gpu", Plan("forward_max_tokens_per_gpu"), |at| {
        forward_tokens(at, "forward only: twice its update's")
    }),
    // The configuration for Megatron has no such key (`trainer/config/critic/megatron_critic.yaml`).
    row("forward_micro_batch_size_per_gpu", Plan("forward_micro_batch"), |at| {
        forward_micro(at).filter(|_| at.fsdp().is_some())
    }),
    row("ppo_micro_batch_size_per_gpu", Plan("micro_batch"), |at| says(at.sequences()?, "sequences, from the plan")),
];

pub(super) const CRITIC_READ: Keys = &[
    ("enable", Field("workload.kind")),
    ("model.fsdp_config.*", Renamed("critic.fsdp.*", "0.8.0")),
    ("ulysses_sequence_parallel_size", Plan("ulysses_parallel")),
    ("ppo_micro_batch_size", Plan("micro_batch")),
    ("forward_micro_batch_size", Ignored("it counts all GPUs; forward_micro_batch_size_per_gpu counts one")),
    ("ppo_mini_batch_size|ppo_epochs", ACTORS),
    ("rollout_n", Ignored("actor_rollout_ref.rollout.n says it")),
    ("cliprange_value|loss_agg_mode|loss_scale_factor|grad_clip|kl_ctrl.*", OBJECTIVE),
    ("nccl_timeout", Ignored("when a hang is given up")),
    ("shuffle|data_loader_seed", DATA_SET),
    ("model.tokenizer_path|load_weight", PATH),
    ("checkpoint.*", LOG),
    ("profile*", PROFILE),
];
