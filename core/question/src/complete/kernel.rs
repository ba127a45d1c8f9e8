//! Whose flash attention trains: what is usual, and what a card has none of.

use crate::job::Job;
use crate::place::Place;
use crate::plan::Layout;
use crate::wire::{Attention, AttentionKernel as Kernel, Backend, WorkloadKind};
use shardwise_catalog::error::InputError;
use shardwise_catalog::hardware::Hardware;

/// Whether cards of one of the generations from `least` to below `beyond` (compute capabilities) are the job's.
fn between(hardware: &Hardware, least: f64, beyond: f64) -> bool {
    hardware.has_compute_capability(least) && !hardware.has_compute_capability(beyond)
}

/// The kernel that a backend's software takes today on the job's cards, where nothing is stated.
///
/// `TransformerEngine` takes cuDNN's kernels from Hopper on and `FlashAttention`-2 before (`get_attention_backend`,
/// <https://github.com/NVIDIA/TransformerEngine/blob/d0067d0da6cb01811b8072a7d304f0e00344ce2b/transformer_engine/pytorch/attention/dot_product_attention/utils.py>).
/// What pre-trains on FSDP takes PyTorch's own (torchtitan's flex attention, up to 0.2 its `attn_type`); what fine-tunes, `FlashAttention`-3 on Hopper
/// (prime-rl's benchmarks, <https://github.com/PrimeIntellect-ai/prime-rl>), unless one of the frameworks of texts is named or is to run the
/// plan that is looked for: each of them loads `FlashAttention`-2 where nothing else is asked of it. In RL (veRL's `attn_implementation`), and on
/// other backends, it is `FlashAttention`-2; on AMD Composable Kernel's either way, and PyTorch's own on cards that run no
/// `FlashAttention`-2.
#[must_use]
pub fn usual_kernel(job: &Job, backend: Backend) -> Kernel {
    let hardware = &job.hardware;
    match backend {
        _ if hardware.is_of("CDNA") => Kernel::Ck,
        _ if lacks_flash(hardware) => Kernel::Sdpa,
        Backend::Megatron if hardware.has_compute_capability(9.0) => Kernel::Cudnn,
        Backend::Fsdp if job.workload.kind == WorkloadKind::Pretrain => Kernel::Sdpa,
        Backend::Fsdp if newest_software(job) && between(hardware, 9.0, 10.0) => Kernel::Flash3,
        _ => Kernel::Flash2,
    }
}

/// Whether no `FlashAttention`-2 runs on these cards, nor what stands for it there. A card of one's own is taken to run it.
#[must_use]
pub fn lacks_flash(hardware: &Hardware) -> bool {
    hardware.is_of_a_generation() && !hardware.has_flash_attention_2()
}

/// Whether a layout has `FlashAttention`-3's speed without a word of it: no framework of texts loads that by itself.
#[must_use]
pub fn takes_newest_kernel(job: &Job, layout: &Layout) -> bool {
    let unsaid = layout.attention == Attention::Flash && layout.attention_kernel.is_none();
    unsaid && usual_kernel(job, layout.backend) == Kernel::Flash3
}

/// Whether a job fine-tunes with software of one's own choice.
fn newest_software(job: &Job) -> bool {
    job.workload.fine_tunes() && job.framework.is_none() && !job.searched
}

/// Refuses a kernel that was not written for the job's cards.
///
/// # Errors
/// Names the field, and what runs instead.
pub(super) fn check(job: &Job, layout: &Layout, at: Place<'_>) -> Result<(), InputError> {
    let Some(kernel) = layout.attention_kernel else {
        return Ok(());
    };
    let wrong = |says: &str| Err(at.wrong("attention_kernel", says));
    if layout.attention == Attention::Unfused {
        return wrong("Unfused attention has no flash kernel. Leave it out, or set attention to flash.");
    }
    let hardware = &job.hardware;
    // A card of one's own is taken to run what is asked for.
    if !hardware.is_of_a_generation() {
        return Ok(());
    }
    match kernel {
        Kernel::Flash1 if !between(hardware, 7.5, 10.0) => {
            wrong("FlashAttention-1 is for Turing to Hopper. Leave it out, or set flash2.")
        }
        // README of https://github.com/Dao-AILab/flash-attention: Ampere, Ada, Hopper; MI200 and newer.
        Kernel::Flash2 if !hardware.has_flash_attention_2() => {
            wrong("FlashAttention-2 needs Ampere or newer, or AMD, Ascend or MetaX. Leave it out, or set sdpa.")
        }
        Kernel::Flash3 if !between(hardware, 9.0, 10.0) => {
            wrong("FlashAttention-3 is for Hopper alone. Leave it out, or set flash2.")
        }
        Kernel::Flash4 if !hardware.has_compute_capability(9.0) => {
            wrong("FlashAttention-4 is for Hopper and Blackwell. Leave it out, or set flash2.")
        }
        Kernel::Cudnn if !hardware.has_compute_capability(8.0) => {
            wrong("cuDNN's attention needs NVIDIA's Ampere or newer. Leave it out, or set sdpa.")
        }
        Kernel::Ck if !hardware.is_of("CDNA") => wrong("Composable Kernel is AMD's. Leave it out, or set flash2."),
        _ => Ok(()),
    }
}
