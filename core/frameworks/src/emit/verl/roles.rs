//! The roles beside the actor: reference policy and critic.

use super::super::Emission;
use super::super::checkpoint::trained;
use super::super::text::{Section, flag};
use super::super::words::layout_title;
use super::engine::Engine;
use super::model::checkpointing;
use shardwise_question::plan::MicroBatch;
use shardwise_question::wire::Backend;
use shardwise_question::workload::Rl;
use shardwise_rules::pools;
use shardwise_rules::verl::{critic, reference};

const REF: &str = "actor_rollout_ref.ref";

/// Micro-batch of a forward-only role: twice the actor's where that divides a rank's share.
pub(super) fn forward_micro(micro: u64, per_rank: u64) -> (u64, &'static str) {
    let twice = micro.saturating_mul(2);
    if twice > 0 && per_rank.is_multiple_of(twice) {
        (twice, "forward only: twice the actor's")
    } else {
        (micro, "the actor's: twice would not divide a rank's share")
    }
}

pub(super) fn reference_policy(emission: &Emission) -> Section {
    let job = emission.job;
    let mut section = Section::new("Reference policy");
    let Some(layout) = reference(job, emission.plan) else {
        return section;
    };
    let (gpus, _) = pools(job);
    section = Section::new(format!("Reference policy: {}", layout_title(layout, gpus)));
    let actor = &emission.plan.layout;
    if layout.backend == Backend::Megatron {
        let away = layout.offload.parameters;
        let reason = if away { "its weights are on the GPU in their own phase alone" } else { "its weights stay" };
        section.set(format!("{REF}.megatron.param_offload"), flag(away), reason);
        for (name, own, actors) in [
            ("tensor_model_parallel_size", layout.tensor_parallel, actor.tensor_parallel),
            ("pipeline_model_parallel_size", layout.pipeline_parallel, actor.pipeline_parallel),
            ("context_parallel_size", layout.context_parallel, actor.context_parallel),
            ("expert_model_parallel_size", layout.expert_parallel, actor.expert_parallel),
            ("expert_tensor_parallel_size", layout.expert_tensor_parallel, actor.expert_tensor_parallel),
        ] {
            if own != actors {
                section.set(format!("{REF}.megatron.{name}"), own, "its own, from the plan");
            }
        }
    } else {
        section.set(
            format!("{REF}.fsdp_config.ulysses_sequence_parallel_size"),
            layout.ulysses_parallel,
            "FSDP2 keeps the reference's weights in host memory by itself",
        );
        let group = if layout.shard_group >= gpus { "-1".to_owned() } else { layout.shard_group.to_string() };
        section.set(format!("{REF}.fsdp_config.fsdp_size"), group, "as in the plan");
    }
    match (layout.micro_batch, actor.micro_batch) {
        (MicroBatch::Tokens(tokens), actors) => {
            let reason = if layout.micro_batch == actors {
                "forward only: twice the actor's"
            } else {
                "forward only: twice what the plan gives it"
            };
            let tokens = tokens.saturating_mul(2);
            section.set(format!("{REF}.log_prob_use_dynamic_bsz"), "True", "as the actor");
            section.set(format!("{REF}.log_prob_max_token_len_per_gpu"), tokens, reason);
        }
        (MicroBatch::Sequences(micro), _) => {
            let sequences = job.workload.rl.as_ref().map_or(0, Rl::sequences);
            let (micro, reason) = forward_micro(micro, sequences / u64::from(layout.data_parallel(gpus)));
            section.set(format!("{REF}.log_prob_use_dynamic_bsz"), "False", "as the actor");
            section.set(format!("{REF}.log_prob_micro_batch_size_per_gpu"), micro, reason);
        }
    }
    section
}

/// The critic.
pub(super) fn value(emission: &Emission) -> Section {
    let job = emission.job;
    let mut section = Section::new("Critic");
    let (Some((layout, shape)), Some(rl)) = (critic(job, emission.plan), &job.workload.rl) else {
        return section;
    };
    let (gpus, _) = pools(job);
    section = Section::new(format!("Critic: {}", layout_title(layout, gpus)));
    if let Some(model) = &rl.critic {
        let (path, reason) = trained(job, model);
        section.set("critic.model.path", path, reason);
    }
    let packed = job.workload.packing;
    section.set("critic.model.use_remove_padding", flag(packed), "as the actor");
    let engine = Engine {
        keys: if layout.backend == Backend::Megatron { "critic.megatron." } else { "critic.fsdp." },
        optim: "critic.optim.",
        layout,
        shape,
        gpus,
        phases: true,
        fits: emission.answer.fits,
    };
    if layout.backend == Backend::Megatron {
        engine.megatron(&mut section, job);
    } else {
        section.set("critic.strategy", "fsdp2", "set apart from the actor's");
        checkpointing(&mut section, "critic.model", layout, emission.answer.fits);
        engine.fsdp(&mut section, job);
    }
    section.set("critic.optim.lr", "1e-5", "a start; yours to tune");
    match layout.micro_batch {
        MicroBatch::Tokens(tokens) => {
            let actors = match emission.plan.layout.micro_batch {
                MicroBatch::Tokens(tokens) => tokens,
                MicroBatch::Sequences(_) => 0,
            };
            let reason = if tokens == actors.saturating_mul(2) {
                "twice the actor's: the critic has no logits"
            } else if tokens == actors {
                "the actor's, as estimated; the guide goes to twice where memory allows"
            } else {
                "its own, from the plan"
            };
            section.set("critic.use_dynamic_bsz", "True", "packs short sequences together up to a budget");
            section.set("critic.ppo_max_token_len_per_gpu", tokens, reason);
            section.set(
                "critic.forward_max_token_len_per_gpu",
                tokens.saturating_mul(2),
                "forward only: twice its update's",
            );
        }
        MicroBatch::Sequences(micro) => {
            section.set("critic.use_dynamic_bsz", "False", "the plan counts sequences");
            section.set("critic.ppo_micro_batch_size_per_gpu", micro, "sequences, from the plan");
        }
    }
    section
}
