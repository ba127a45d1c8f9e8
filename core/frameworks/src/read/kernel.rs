//! Words for an attention kernel, of Hugging Face's models and of Megatron, as parts of the plan.

use super::draft::Draft;
use super::printable::short;
use crate::emit::kernel::FLASH_2;
use shardwise_question::job;

/// Whether what a text says nothing of runs on AMD's cards, as far as the base question tells.
fn on_amd(draft: &Draft) -> bool {
    let job = draft.base.and_then(|base| job::resolve(base).ok());
    job.is_some_and(|job| job.hardware.is_of("CDNA"))
}

/// Reads Hugging Face's word for a kernel at `key` into the plan at `plan` (`plan`, `plan.critic`).
pub(crate) fn hugging_face(draft: &mut Draft, key: &str, plan: &str) {
    let Some(word) = draft.word(key) else {
        return;
    };
    // A kernel of the hub is named by its repository, with a revision or a name behind it: kernels-community/flash-attn3.
    let name = word.split([':', '@']).next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    if !named(draft, name, plan) {
        let word = short(&word);
        draft.refuse(
            key,
            format!(
                "{word:?} is no attention kernel that is known here. Write flash_attention_2, flash_attention_3, flash_attention_4, sdpa, flex_attention or eager."
            ),
            0,
        );
        draft.settle(key);
    }
}

/// Takes the kernel of a name, as Hugging Face's models know it, into the plan at `plan`; whether it is known.
pub(crate) fn named(draft: &mut Draft, name: &str, plan: &str) -> bool {
    let field = format!("{plan}.attention_kernel");
    match name {
        FLASH_2 | "flash-attn2" | "flash-attn" => draft.set(&field, if on_amd(draft) { "ck" } else { "flash2" }),
        "flash_attention_3" | "flash-attn3" | "vllm-flash-attn3" => draft.set(&field, "flash3"),
        "flash_attention_4" | "flash-attn4" => draft.set(&field, "flash4"),
        "sdpa" => draft.set(&field, "sdpa"),
        "eager" => draft.set(&format!("{plan}.attention"), "unfused"),
        // Compiled by PyTorch, and as quick as its own.
        "flex_attention" => draft.assume(
            &field,
            "sdpa",
            "flex_attention is not modelled: what PyTorch's scaled_dot_product_attention runs is estimated in its place.",
        ),
        _ => return false,
    }
    true
}

/// Takes the `FlashAttention` that is installed into the plan at `plan`.
pub(crate) fn newest_flash(draft: &mut Draft, plan: &str) {
    draft.assume(
        &format!("{plan}.attention_kernel"),
        "flash2",
        "flash leaves the version of FlashAttention to what is installed: 2 is estimated. State plan.attention_kernel for another.",
    );
}

/// Reads Megatron's word for a kernel at `key` into the plan at `plan`.
pub(crate) fn megatron(draft: &mut Draft, key: &str, plan: &str) {
    let Some(word) = draft.word(key) else {
        return;
    };
    let field = format!("{plan}.attention_kernel");
    // `AttnBackend.flash`, where Python writes it.
    match word.trim_start_matches("AttnBackend.") {
        "auto" => {}
        "unfused" | "local" => draft.set(&format!("{plan}.attention"), "unfused"),
        "fused" => draft.set(&field, if on_amd(draft) { "ck" } else { "cudnn" }),
        "flash" => newest_flash(draft, plan),
        _ => {
            let word = short(&word);
            draft.refuse(
                key,
                format!(
                    "{word:?} is no attention kernel that is known here. Write auto, flash, fused, unfused or local."
                ),
                0,
            );
            draft.settle(key);
        }
    }
}
