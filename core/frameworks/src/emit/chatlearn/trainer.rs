//! `models.policy_trainer` and the reference: layout, packing, memory, recomputation.

use super::super::checkpoint::trained;
use super::super::megatron;
use super::super::text::{Section, flag, home};
use super::super::words::{count, layout_title};
use super::{POLICY, REFERENCE, RUN, TRAINER};
use crate::binding::At;
use crate::emit::Emission;
use shardwise_question::plan::MicroBatch;
use shardwise_question::wire::TokenDispatcher;
use shardwise_question::workload::Rl;
use shardwise_rules::reference_ranks;

pub(super) fn trainer(emission: &Emission, megatron: bool) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let mut section = Section::new(format!("Layout: {}", layout_title(layout, gpus)));
    section.set(format!("{TRAINER}.num_gpu"), gpus, "over all nodes; the reference and the rollout follow");
    if megatron {
        megatron_layout(&mut section, emission);
        section.set(format!("{TRAINER}.load"), home("models/mcore"), "change this to the converted checkpoint");
        let (path, reason) = trained(job, &job.model);
        section.set(format!("{POLICY}.load"), path, reason);
    } else {
        let sp = layout.ulysses_parallel;
        let reason = if sp == 1 { "sequences stay whole".to_owned() } else { format!("{sp} GPUs split each sequence") };
        section.set(format!("{TRAINER}.ulysses_sequence_parallel_size"), sp, reason);
        let experts = job.model.shape.num_experts > 0;
        let large = experts || job.model.parameters.total > 20_000_000_000;
        let reason =
            if large { "the model is too large for every process to load whole" } else { "small enough to load whole" };
        section.set(format!("{TRAINER}.meta_init"), flag(large), reason);
        if experts && job.model.id.starts_with("qwen3") {
            section.set(format!("{TRAINER}.groupgemm"), "True", "one kernel for all experts");
        }
        let (path, reason) = trained(job, &job.model);
        section.set(format!("{TRAINER}.load"), path, reason);
    }
    section
}

fn megatron_layout(section: &mut Section, emission: &Emission) {
    let (shape, layout) = (&emission.job.model.shape, &emission.plan.layout);
    let (tp, pp) = (layout.tensor_parallel, layout.pipeline_parallel);
    let reason = if tp == 1 {
        "no matrix is split".to_owned()
    } else {
        format!("{tp} GPUs split each matrix; divides {} heads", shape.num_attention_heads)
    };
    section.set(format!("{TRAINER}.tensor_model_parallel_size"), tp, reason);
    let layers = shape.num_hidden_layers;
    let reason = match pp {
        1 => "no pipeline, no bubble".to_owned(),
        _ => format!("{} of {layers} layers on the fullest stage", layers.div_ceil(pp.into())),
    };
    section.set(format!("{TRAINER}.pipeline_model_parallel_size"), pp, reason);
    if let Some((last, reason)) = megatron::uneven_last_stage(layers, pp) {
        section.set(format!("{TRAINER}.decoder_last_pipeline_num_layers"), last, reason);
    }
    if layout.virtual_pipeline > 1 {
        section.set(
            format!("{TRAINER}.virtual_pipeline_model_parallel_size"),
            layout.virtual_pipeline,
            "chunks per stage, for a smaller bubble",
        );
        section.set(
            format!("{TRAINER}.megatron_model_cfg.overlap_p2p_comm"),
            "True",
            "stages send activations while they compute the next chunk",
        );
    } else {
        section.set(format!("{TRAINER}.virtual_pipeline_model_parallel_size"), "null", "one chunk per stage");
    }
    let switches = layout.switches;
    let plain = !shape.is_mla() && shape.vision.is_none();
    let fusion = format!("{TRAINER}.megatron_model_cfg.apply_rope_fusion");
    if !switches.apply_rope_fusion {
        section.set(fusion, "False", "off, as the plan says");
    } else if plain {
        let reason = "one kernel turns queries and keys by their positions; off, each packed sequence has its own";
        section.set(fusion, "True", reason);
    }
    if switches.moe_token_dispatcher == Some(TokenDispatcher::Alltoall) {
        let dispatcher = format!("{TRAINER}.megatron_model_cfg.moe_token_dispatcher_type");
        section.set(dispatcher, "alltoall", "NCCL's, from the plan");
    }
    if switches.overlap_moe_expert_parallel_comm {
        section.set(
            format!("{TRAINER}.megatron_model_cfg.overlap_moe_expert_parallel_comm"),
            "True",
            megatron::EXPERTS_OVERLAP,
        );
    }
    let (own, at) = (format!("{TRAINER}."), At::trained(emission));
    section.say(&own, megatron::SHARES, &at);
    section.say(&own, megatron::SEQUENCE, &at);
    if !megatron::is_sequence_split(layout) {
        section.set(format!("{REFERENCE}.sequence_parallel"), "False", "as the trainer");
    }
    section.say(&own, megatron::STATES, &at);
}

/// What one forward pass takes.
pub(super) fn packing(emission: &Emission, rl: &Rl) -> Section {
    let (layout, longest) = (&emission.plan.layout, rl.max_length());
    let dp = u64::from(layout.data_parallel(emission.job.hardware.gpus)).max(1);
    match layout.micro_batch {
        MicroBatch::Tokens(tokens) => {
            let mut section = Section::new("Packing");
            let split = u64::from(layout.sequence_split());
            let held = tokens.saturating_mul(split);
            section.set(format!("{TRAINER}.packing"), "True", "no padding tokens");
            let over = if split > 1 { format!(": {} on each of {split} GPUs", count(tokens)) } else { String::new() };
            section.set(
                format!("{TRAINER}.max_token_in_packing"),
                held,
                format!("tokens of a packed sequence{over}; the longest has {}", count(longest)),
            );
            section
        }
        MicroBatch::Sequences(micro) => {
            let mut section = Section::new("Micro-batches");
            section.set(format!("{TRAINER}.packing"), "False", "the plan counts sequences");
            section.set(
                format!("{TRAINER}.max_token_in_packing"),
                longest,
                "not used without packing; the Megatron template fails where it is left out",
            );
            section.set(format!("{RUN}.train_micro_batch_size"), micro, "sequences per GPU, from the plan");
            let per_rank = rl.sequences() / dp;
            let twice = micro.saturating_mul(2);
            let (forward, reason) = if per_rank.is_multiple_of(twice.max(1)) {
                (twice, "forward only: twice the update's")
            } else {
                (micro, "the update's: twice would not divide a rank's share")
            };
            section.set(format!("{TRAINER}.generation_batch_size"), forward, reason);
            let (forward, reason) = reference_micro(emission, rl, forward, reason);
            section.set(format!("{REFERENCE}.generation_batch_size"), forward, reason);
            section
        }
    }
}

/// The reference's replicas share the samples on their own terms.
fn reference_micro(emission: &Emission, rl: &Rl, forward: u64, reason: &'static str) -> (u64, &'static str) {
    let dp = reference_ranks(emission.job, &emission.plan.layout).max(1);
    let per_rank = rl.sequences() / dp;
    if per_rank.is_multiple_of(forward.max(1)) { (forward, reason) } else { (1, "divides what its replicas share") }
}

pub(super) fn memory(emission: &Emission, megatron: bool) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("What leaves the GPU between phases, and recomputation");
    let offload = layout.offload;
    for (key, on, away) in [
        ("offload_weights", offload.parameters, "weights"),
        ("offload_optimizer_states", offload.optimizer, "optimizer states"),
    ] {
        let reason = if on {
            format!("{away} are in host memory outside their phase")
        } else {
            format!("{away} stay on the GPUs")
        };
        section.set(format!("{TRAINER}.free_gpu_memory.{key}"), flag(on), reason);
    }
    if megatron {
        let reason =
            if offload.gradients { "gradient buffers are freed outside the update" } else { "gradient buffers stay" };
        section.set(format!("{TRAINER}.free_gpu_memory.free_grad_buffers"), flag(offload.gradients), reason);
    }
    let away = emission.plan.reference.as_ref().unwrap_or(layout).offload.parameters;
    let reason = if away { "its weights are on the GPU in their own phase alone" } else { "its weights stay" };
    section.set(format!("{REFERENCE}.free_gpu_memory.offload_weights"), flag(away), reason);
    if megatron {
        section.say(&format!("{TRAINER}."), megatron::RECOMPUTE, &At::trained(emission));
    }
    section
}
