//! How NeMo-RL's policy is split over the GPUs, what a pass of it takes, and what stands in the places of its weights.

use super::super::Emission;
use super::super::choices::{ATTENTION, kept_reason, micro, preference, rate, scale};
use super::super::text::{Section, flag, list};
use super::super::words::{layout_title, plural};
use super::super::{kernel, megatron};
use super::rows;
use crate::binding::At;
use shardwise_question::plan::{Layout, MicroBatch, Recompute};
use shardwise_question::wire::{Backend, LoraTargets, Precision};
use shardwise_rules::nemo_rl::multiple;
use shardwise_rules::pools;

const DTENSOR: &str = "policy.dtensor_cfg.";
const MEGATRON: &str = "policy.megatron_cfg.";

/// Modules of the rest of a layer, as Megatron-Bridge names them.
const MLP: &[&str] = &["linear_fc1", "linear_fc2"];

fn trains_by_megatron(emission: &Emission) -> bool {
    emission.plan.layout.backend == Backend::Megatron
}

/// The backend, and how it splits the model.
pub(super) fn layout(emission: &Emission) -> Section {
    let (at, layout) = (At::trained(emission), &emission.plan.layout);
    let mut section = Section::new(format!("Layout: {}", layout_title(layout, pools(emission.job).0)));
    let megatrons = trains_by_megatron(emission);
    let reason = if megatrons { "the other backend" } else { "FSDP2, from the plan" };
    section.set(format!("{DTENSOR}enabled"), flag(!megatrons), reason);
    let reason = if megatrons { "Megatron-Core, from the plan" } else { "the other backend" };
    section.set(format!("{MEGATRON}enabled"), flag(megatrons), reason);
    if !megatrons {
        if emission.job.workload.kind.preference().is_some() {
            section.set(
                format!("++{DTENSOR}_v2"),
                "True",
                "the newer of its two workers, as in its other configurations",
            );
        }
        section.say(DTENSOR, rows::DTENSOR, &at);
        return section;
    }
    section.say(MEGATRON, megatron::MATRICES, &at);
    let (layers, pp) = (at.shape.num_hidden_layers, layout.pipeline_parallel);
    if let Some((last, reason)) = megatron::uneven_last_stage(layers, pp) {
        section.set(format!("{MEGATRON}num_layers_in_last_pipeline_stage"), last, reason);
    }
    section.say(MEGATRON, megatron::SHARES, &at);
    section.say(MEGATRON, megatron::SEQUENCE, &at);
    let ddp = |name: &str| format!("{MEGATRON}distributed_data_parallel_config.{name}");
    let overlap = layout.overlap;
    section.set(ddp("overlap_grad_reduce"), flag(overlap.gradients), "gradients, with the backward pass");
    section.set(ddp("overlap_param_gather"), flag(overlap.parameters), "parameters, with the forward pass");
    let keys = ["token_dispatcher_type", "enable_deepep", "flex_dispatcher_backend"];
    let keys = keys.map(|name| format!("{MEGATRON}moe_{name}"));
    megatron::exchange(&mut section, emission, keys);
    section
}

/// What is computed again, in how many bytes, and what steps in host memory.
pub(super) fn memory(emission: &Emission) -> Section {
    let mut section = Section::new("Memory and precision");
    section.set("policy.precision", "bfloat16", "precision of your question");
    if !trains_by_megatron(emission) {
        return section;
    }
    let layout = &emission.plan.layout;
    let key = |name: &str| format!("{MEGATRON}{name}");
    let again = layout.recompute != Recompute::None;
    let reason = if again { "computes activations again" } else { kept_reason(emission.answer.fits) };
    section.set(key("activation_checkpointing"), flag(again), reason);
    match layout.recompute {
        Recompute::None => {}
        Recompute::Full => {
            section.set(key("recompute_granularity"), "full", "each layer again from its input: least memory");
        }
        Recompute::Selective(modules) => {
            let reason = "less to compute again than whole layers";
            section.set(key("recompute_granularity"), "selective", reason);
            let modules = list(modules.iter().map(megatron::module));
            section.set(key("recompute_modules"), modules, "large in memory, quick to compute again");
        }
    }
    let [optimizer, ddp] = ["optimizer.", "distributed_data_parallel_config."].map(key);
    megatron::states(&mut section, layout, [&optimizer, &ddp]);
    kernels(&mut section, emission);
    section
}

fn kernels(section: &mut Section, emission: &Emission) {
    let layout = &emission.plan.layout;
    let key = |name: &str| format!("{MEGATRON}{name}");
    let fused = layout.switches.apply_rope_fusion;
    if !fused {
        section.set(key("apply_rope_fusion"), flag(fused), "off, as the plan says");
    }
    if let Some(word) = kernel::stated(emission.job, layout, kernel::megatron, None) {
        section.set(format!("++{MEGATRON}attention_backend"), word, "from the plan");
    }
    if emission.job.workload.precision == Precision::Fp8 {
        section.set(key("fp8_cfg.enabled"), flag(true), "products in 8 bits, scaled block by block");
    }
}

/// Adapters, under the names of the backend.
pub(super) fn adapters(emission: &Emission) -> Section {
    let mut section = Section::new("Adapters");
    let Some(lora) = emission.job.workload.lora else {
        return section;
    };
    let megatrons = trains_by_megatron(emission);
    let below = if megatrons { format!("{MEGATRON}peft.") } else { format!("{DTENSOR}lora_cfg.") };
    section.set(format!("{below}enabled"), "True", "adapters alone train");
    section.set(format!("{below}dim"), lora.rank, "from your question");
    let (alpha, reason) = scale(lora);
    section.set(format!("{below}alpha"), alpha, reason);
    let attention = lora.targets == LoraTargets::Attention;
    if megatrons {
        let heads = megatron::heads(&emission.job.model.shape);
        let modules = heads.iter().chain(MLP.iter().filter(|_| !attention)).copied();
        section.set(format!("{below}target_modules"), list(modules), "from your question");
        return section;
    }
    section.set(format!("{below}match_all_linear"), flag(!attention), "from your question");
    if attention {
        section.set(format!("{below}target_modules"), list(ATTENTION), "from your question");
    }
    if emission.plan.layout.tensor_parallel > 1 {
        section.set(format!("{below}use_triton"), "False", "its kernels know no tensor parallelism");
    }
    section
}

/// What one pass takes.
pub(super) fn passes(emission: &Emission) -> Section {
    let mut section = Section::new("What one forward pass takes on one GPU");
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let scored = workload.rl.is_some();
    let packs = workload.packing && workload.kind.preference().is_none();
    let tokens = matches!(layout.micro_batch, MicroBatch::Tokens(_)) && workload.kind.preference().is_none();
    if packs || tokens {
        section.set("policy.train_micro_batch_size", 1, "the budget below counts");
        if scored {
            section.set("policy.logprob_batch_size", 1, "the budget below counts");
        }
    } else {
        padded(&mut section, emission, scored);
    }
    section.set("policy.sequence_packing.enabled", flag(packs), if packs { PACKED } else { "sequences are padded" });
    let dynamic = tokens && !packs;
    if !packs {
        let reason =
            if dynamic { "sequences of like lengths together, up to a budget" } else { "so many sequences each" };
        section.set("policy.dynamic_batching.enabled", flag(dynamic), reason);
    }
    if packs || dynamic {
        let kind = if packs { "sequence_packing" } else { "dynamic_batching" };
        let (train, reason) = budget(emission, layout.micro_batch);
        section.set(format!("policy.{kind}.train_mb_tokens"), train, reason);
        if scored {
            let (score, _) = budget(emission, layout.forward_pass());
            let reason = if layout.forward.is_some() { "forward only: its own, from the plan" } else { TWICE };
            section.set(format!("policy.{kind}.logprob_mb_tokens"), score, reason);
        }
    }
    let pad = multiple(layout);
    section.set("policy.make_sequence_length_divisible_by", pad, divisor(layout));
    section
}

const PACKED: &str = "packs short sequences together up to a budget";
const TWICE: &str = "forward only: twice the actor's";

fn padded(section: &mut Section, emission: &Emission, scored: bool) {
    let layout = &emission.plan.layout;
    let sequences = |own| match own {
        MicroBatch::Sequences(own) => own,
        MicroBatch::Tokens(_) => micro(emission),
    };
    let reason = preference::counted(emission.job.workload.kind.preference());
    section.set("policy.train_micro_batch_size", sequences(layout.micro_batch), reason);
    if scored {
        let reason = if layout.forward.is_some() { "forward only: its own, from the plan" } else { TWICE };
        section.set("policy.logprob_batch_size", sequences(layout.forward_pass()), reason);
    }
}

/// Tokens of a micro-batch, before context parallelism splits it.
fn budget(emission: &Emission, own: MicroBatch) -> (u64, String) {
    let split = emission.plan.layout.sequence_split();
    match own {
        MicroBatch::Tokens(tokens) if split > 1 => {
            (tokens.saturating_mul(split.into()), format!("tokens, which {split} GPUs share, from the plan"))
        }
        MicroBatch::Tokens(tokens) => (tokens, "tokens, from the plan".to_owned()),
        MicroBatch::Sequences(sequences) => {
            let longest = At::trained(emission).longest();
            let held = plural(sequences, "sequence", "sequences");
            (sequences.saturating_mul(longest), format!("tokens of {held} of the longest, from the plan"))
        }
    }
}

fn divisor(layout: &Layout) -> &'static str {
    match (layout.context_parallel > 1, layout.tensor_parallel > 1) {
        (false, false) => "no sequence is split",
        (false, true) => "TP splits each sequence evenly",
        (true, false) => "2 × CP: each sequence is split evenly",
        (true, true) => "2 × CP × TP: each sequence is split evenly",
    }
}

/// What steps the weights, and how far.
pub(super) fn optimizer(emission: &Emission) -> Section {
    let mut section = Section::new("Optimizer");
    let rate = rate(&emission.job.workload);
    if trains_by_megatron(emission) {
        let key = |name: &str| format!("{MEGATRON}{name}");
        section.set(key("optimizer.optimizer"), "adam", "as the plan has it");
        section.set(key("optimizer.lr"), &rate, "a start; yours to tune");
        section.set(key("optimizer.min_lr"), rate, "the rate stays");
        section.set(key("scheduler.lr_warmup_init"), "0.0", "where the warm-up starts");
    } else {
        section.set("policy.optimizer.name", "torch.optim.AdamW", "as the plan has it");
        section.set("policy.optimizer.kwargs.lr", rate, "a start; yours to tune");
    }
    section
}
