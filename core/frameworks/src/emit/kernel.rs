//! Whose attention kernel, as texts name it: words of Hugging Face's models and of Megatron.
//!
//! A text says it where the plan states a kernel that the framework would not take by itself, or that the estimate would not.
//! `read/kernel.rs` is the way back.

use shardwise_question::complete::{lacks_flash, takes_newest_kernel, usual_kernel};
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Attention, AttentionKernel as Kernel};

/// The kernel that most Hugging Face frameworks here load a model with.
pub(crate) const FLASH_2: &str = "flash_attention_2";

/// Why PyTorch's own is taken where the plan names none.
const NO_FLASH: &str = "PyTorch's own: these cards run no FlashAttention-2";

/// Why [`stated`] has a word.
pub(crate) fn stated_by(layout: &Layout) -> &'static str {
    if layout.attention_kernel.is_some() { "from the plan" } else { NO_FLASH }
}

/// A kernel as `attn_implementation` of Transformers 5 names it (`modeling_utils.py`, `AttentionInterface`); `None` where no
/// word does. flash-attn is Composable Kernel's on AMD.
pub(crate) fn hugging_face(kernel: Kernel) -> Option<&'static str> {
    match kernel {
        Kernel::Flash2 | Kernel::Ck => Some(FLASH_2),
        Kernel::Flash3 => Some("flash_attention_3"),
        Kernel::Flash4 => Some("flash_attention_4"),
        Kernel::Sdpa => Some("sdpa"),
        Kernel::Flash1 | Kernel::Cudnn => None,
    }
}

/// The word for a layout's kernel and why, where a text always has one.
pub(crate) fn named(job: &Job, layout: &Layout, why: &'static str) -> (&'static str, &'static str) {
    match layout.attention_kernel.and_then(hugging_face) {
        None if lacks_flash(&job.hardware) => ("sdpa", NO_FLASH),
        None | Some(FLASH_2) => (FLASH_2, why),
        Some(word) => (word, "from the plan"),
    }
}

/// What is estimated of a kernel that no text asks for by itself: prime-rl's runs, which fine-tuning's usual kernel on Hopper is taken
/// from, have FlashAttention-3, and the frameworks here load the second.
pub(super) fn newer(job: &Job, layout: &Layout) -> Option<&'static str> {
    takes_newest_kernel(job, layout).then_some(
        "the estimate has FlashAttention-3's speed, and this text does not ask for it. Set attention_kernel to flash3 where it is installed, or to flash2 for that one's figures.",
    )
}

/// A kernel as megatron-core's `AttnBackend` names what `TransformerEngine` may take (`set_attention_backend` in
/// `models/common/language_module/language_module.py`); `None` where it has none of the kind. It tells no two versions of
/// `FlashAttention` apart: the newest that is installed and that the card runs is taken.
pub(crate) fn megatron(kernel: Kernel) -> Option<&'static str> {
    match kernel {
        Kernel::Flash2 | Kernel::Flash3 | Kernel::Flash4 => Some("flash"),
        Kernel::Cudnn | Kernel::Ck => Some("fused"),
        Kernel::Flash1 | Kernel::Sdpa => None,
    }
}

/// The kernel without a word of the plan where the card runs none of what frameworks load by themselves.
fn by_the_card(job: &Job, layout: &Layout) -> Option<Kernel> {
    (layout.attention == Attention::Flash && lacks_flash(&job.hardware)).then_some(Kernel::Sdpa)
}

/// The word for the kernel that a layout states, or that its card asks for, by `words`, where leaving it out would run or estimate
/// another than that.
/// `default` is what the framework takes then; `None`, what the estimate takes.
pub(crate) fn stated(
    job: &Job,
    layout: &Layout,
    words: fn(Kernel) -> Option<&'static str>,
    default: Option<&str>,
) -> Option<&'static str> {
    let kernel = layout.attention_kernel.or_else(|| by_the_card(job, layout))?;
    let word = words(kernel)?;
    let other = default.is_some_and(|default| word != default) || kernel != usual_kernel(job, layout.backend);
    other.then_some(word)
}
