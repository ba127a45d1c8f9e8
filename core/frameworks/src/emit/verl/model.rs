//! Keys of a model: checkpointing, fused kernels, adapters. Actor, critic and SFT share them.

use super::super::choices::{self, kept_reason};
use super::super::text::{Section, flag, list};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::{Backend, LoraTargets};
use shardwise_question::workload::Lora;

/// Gradient checkpointing of Hugging Face models.
pub(super) fn checkpointing(section: &mut Section, model: &str, layout: &Layout, fits: bool) {
    let full = layout.recompute == Recompute::Full;
    let reason = if full {
        "each layer again from its input: a third more computing, far fewer activations"
    } else {
        kept_reason(fits)
    };
    section.set(format!("{model}.enable_gradient_checkpointing"), flag(full), reason);
    if layout.offload.activations {
        section.set(
            format!("{model}.enable_activation_offload"),
            "True",
            "activations go to host memory between forward and backward",
        );
    }
}

/// The fused LM head.
pub(super) fn fused_kernels(section: &mut Section, model: &str, backend: Backend) {
    section.set(format!("{model}.use_fused_kernels"), "True", "no logits tensor: loss straight from the hidden states");
    let (backend, reason) = match backend {
        Backend::Megatron => ("triton", "the one Megatron takes"),
        _ => ("torch", "in chunks; triton is the other choice"),
    };
    section.set(format!("{model}.fused_kernel_options.impl_backend"), backend, reason);
}

/// Low-rank adapters: Megatron names matrices its own way.
pub(super) fn adapters(section: &mut Section, model: &str, backend: Backend, lora: Lora) {
    let chosen = "from your question";
    if backend == Backend::Megatron {
        choices::adapters(section, lora, &format!("{model}.lora.rank"), &format!("{model}.lora.alpha"));
        let modules = match lora.targets {
            LoraTargets::Attention => "'[\"linear_qkv\",\"linear_proj\"]'",
            LoraTargets::AllLinear => "'[\"linear_qkv\",\"linear_proj\",\"linear_fc1\",\"linear_fc2\"]'",
        };
        section.set(format!("{model}.lora.target_modules"), modules, chosen);
    } else {
        choices::adapters(section, lora, &format!("{model}.lora_rank"), &format!("{model}.lora_alpha"));
        let modules = match lora.targets {
            LoraTargets::Attention => list(choices::ATTENTION),
            LoraTargets::AllLinear => "all-linear".to_owned(),
        };
        section.set(format!("{model}.target_modules"), modules, chosen);
    }
}
