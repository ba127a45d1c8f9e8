//! How `SkyRL`'s policy is split over the GPUs, what a pass of it takes, and what stands in the places of its weights. Reference
//! and critic follow it.

use super::super::Emission;
use super::super::choices::{ATTENTION, kept_reason, rate, scale};
use super::super::text::{Section, flag, list};
use super::super::words::layout_title;
use super::super::{kernel, megatron};
use super::{others, rows};
use crate::binding::At;
use shardwise_question::plan::{Layout, MicroBatch, Recompute};
use shardwise_question::wire::{Backend, LoraTargets, RecomputeModule, Schedule};
use shardwise_rules::pools;

const MEGATRON: &str = "trainer.policy.megatron_config.";
const TRANSFORMER: &str = "trainer.policy.megatron_config.transformer_config_kwargs.";

fn trains_by_megatron(emission: &Emission) -> bool {
    emission.plan.layout.backend == Backend::Megatron
}

/// The backend, and how it splits the model.
pub(super) fn layout(emission: &Emission) -> Section {
    let (at, layout) = (At::trained(emission), &emission.plan.layout);
    let mut section = Section::new(format!("Layout: {}", layout_title(layout, pools(emission.job).0)));
    let roles = emission.job.workload.rl.iter().flat_map(others);
    if !trains_by_megatron(emission) {
        section.set("trainer.strategy", "fsdp", "FSDP2, from the plan");
        section.say("trainer.policy.", rows::FSDP, &at);
        for role in roles {
            section.say(&format!("trainer.{role}."), rows::FSDP, &at);
        }
        return section;
    }
    section.set("trainer.strategy", "megatron", "Megatron-Core, from the plan");
    for role in ["policy"].into_iter().chain(roles) {
        let below = format!("trainer.{role}.megatron_config.");
        section.say(&below, megatron::MATRICES, &at);
        section.say(&below, megatron::SHARES, &at);
        let stages = megatron::uneven_last_stage(at.shape.num_hidden_layers, layout.pipeline_parallel);
        if let Some((last, reason)) = stages {
            let key = format!("{below}transformer_config_kwargs.num_layers_in_last_pipeline_stage");
            section.set(key, last, reason);
        }
    }
    let keys = [
        format!("{MEGATRON}moe_token_dispatcher_type"),
        format!("{TRANSFORMER}moe_enable_deepep"),
        format!("{TRANSFORMER}moe_flex_dispatcher_backend"),
    ];
    megatron::exchange(&mut section, emission, keys);
    section
}

/// What is computed again, in how many bytes, and what waits or steps in host memory.
pub(super) fn memory(emission: &Emission) -> Section {
    let mut section = Section::new("Memory and precision");
    let layout = &emission.plan.layout;
    let again = layout.recompute != Recompute::None;
    let reason = if again { "computes activations again" } else { kept_reason(emission.answer.fits) };
    section.set("trainer.gradient_checkpointing", flag(again), reason);
    let shares = emission
        .job
        .workload
        .rl
        .as_ref()
        .is_some_and(|rl| rl.schedule == Schedule::Colocated);
    let reason = if shares { "it waits in host memory while engines generate" } else { "it stays on the GPUs" };
    section.set("trainer.policy.optimizer_config.offload_after_step", flag(shares), reason);
    if trains_by_megatron(emission) {
        on_megatron(&mut section, emission);
    }
    section
}

fn on_megatron(section: &mut Section, emission: &Emission) {
    let (at, layout) = (At::trained(emission), &emission.plan.layout);
    if layout.recompute != Recompute::None {
        section.say(TRANSFORMER, megatron::RECOMPUTE, &at);
    }
    if let Recompute::Selective(modules) = layout.recompute {
        for name in ["recompute_method", "recompute_num_layers"] {
            section.set(format!("{TRANSFORMER}{name}"), "null", "modules are chosen, not layers");
        }
        if modules.iter().any(|own| own == RecomputeModule::SharedExperts) {
            let reason = "what is computed again runs by itself";
            section.set(format!("{TRANSFORMER}moe_shared_expert_overlap"), flag(false), reason);
        }
    }
    let [optimizer, ddp] = ["optimizer_config_kwargs.", "ddp_config."].map(|name| format!("{MEGATRON}{name}"));
    megatron::states(section, layout, [&optimizer, &ddp]);
    kernels(section, emission);
}

fn kernels(section: &mut Section, emission: &Emission) {
    let layout = &emission.plan.layout;
    let fused = layout.switches.apply_rope_fusion;
    if !fused {
        section.set(format!("{TRANSFORMER}apply_rope_fusion"), flag(fused), "off, as the plan says");
    }
    // It is on by itself, and asks Transformer Engine for FlashAttention; off, for cuDNN's kernels.
    if let Some(word) = kernel::stated(emission.job, layout, kernel::megatron, Some("flash")) {
        section.set("trainer.flash_attn", flag(word == "flash"), "from the plan");
    }
    if layout.fused_lm_head {
        section.set("trainer.fused_lm_head_logprob", flag(true), "the loss without the logits, from the plan");
    }
}

/// Adapters, under the names of the backend.
pub(super) fn adapters(emission: &Emission) -> Section {
    let mut section = Section::new("Adapters");
    let Some(lora) = emission.job.workload.lora else {
        return section;
    };
    let key = |name: &str| format!("trainer.policy.model.lora.{name}");
    section.set(key("rank"), lora.rank, "from your question");
    let (alpha, reason) = scale(lora);
    section.set(key("alpha"), alpha, reason);
    let targets = match lora.targets {
        LoraTargets::AllLinear => "all-linear".to_owned(),
        LoraTargets::Attention if !trains_by_megatron(emission) => list(ATTENTION),
        LoraTargets::Attention => list(megatron::heads(&emission.job.model.shape).iter().copied()),
    };
    section.set(key("target_modules"), targets, "from your question");
    // PEFT's all-linear has the vision tower's matrices too.
    if emission.job.workload.images.is_some() {
        section.set(key("exclude_modules"), "'.*visual.*'", "adapters are of the language model alone");
    }
    section
}

/// What one pass takes.
pub(super) fn passes(emission: &Emission) -> Section {
    let mut section = Section::new("What one forward pass takes on one GPU");
    let (layout, packs) = (&emission.plan.layout, emission.job.workload.packing);
    match layout.micro_batch {
        MicroBatch::Tokens(tokens) => {
            let split = layout.sequence_split();
            let reason = if split > 1 {
                format!("tokens, which {split} GPUs share, from the plan; of passes forward alone too")
            } else {
                "tokens, from the plan; of passes forward alone too".to_owned()
            };
            section.set("trainer.max_tokens_per_microbatch", tokens.saturating_mul(split.into()), reason);
        }
        MicroBatch::Sequences(own) => {
            section.set("trainer.micro_train_batch_size_per_gpu", own, "sequences, from the plan");
            let (forward, reason) = forward(emission, layout, own);
            section.set("trainer.micro_forward_batch_size_per_gpu", forward, reason);
        }
    }
    let reason = if packs { "lays the sequences of a pass side by side" } else { "sequences are padded" };
    section.set("trainer.remove_microbatch_padding", flag(packs), reason);
    section
}

/// Sequences of a pass forward alone: the plan's, or twice the actor's where an update is a whole number of these.
fn forward(emission: &Emission, layout: &Layout, own: u64) -> (u64, &'static str) {
    let of_rank = emission.job.workload.rl.as_ref().map_or(0, |rl| {
        let ranks = u64::from(layout.data_parallel(pools(emission.job).0));
        rl.mini_batch.saturating_mul(rl.responses_per_prompt) / ranks.max(1)
    });
    let twice = own.saturating_mul(2);
    match layout.forward {
        Some(MicroBatch::Sequences(forward)) => (forward, "forward only: its own, from the plan"),
        _ if of_rank.is_multiple_of(twice.max(1)) => (twice, "forward only: twice the actor's"),
        _ => (own, "forward only: the same"),
    }
}

/// How far a step goes.
pub(super) fn optimizer(emission: &Emission) -> Section {
    let mut section = Section::new("Optimizer");
    section.set("trainer.policy.optimizer_config.lr", rate(&emission.job.workload), "a start; yours to tune");
    section
}
