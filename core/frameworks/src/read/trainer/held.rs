//! In how many bits weights and their states are held, what steps them, and by which kernel models attend.

use crate::read::draft::Draft;
use crate::read::model::{self, Narrow};
use crate::read::{kernel, optimizer};
use shardwise_question::wire::Optimizer;

/// How few bits the checkpoint has that the text names, by that name.
pub(super) fn named_bits(draft: &Draft) -> Option<Narrow> {
    let keys = ["model", "model_name_or_path", "base_model"];
    let name = keys.into_iter().find_map(|key| draft.known(key)).unwrap_or_default();
    model::narrow(&name)
}

/// Holds the base of adapters in 8 bits, where the layout has a field that says so: what FSDP and plain data parallelism keep.
pub(in crate::read) fn in_8_bits(draft: &mut Draft, why: &str) {
    let kept = draft
        .field("plan.backend")
        .is_none_or(|own| own != "deepspeed" && own != "megatron");
    if kept && draft.field("workload.lora").is_some() {
        draft.assume_known("plan.master_weights_bytes", 1, why);
    } else {
        draft.doubt(0, "The base is held in 8 bits, and the estimate has it in 16: it takes about twice as much.");
    }
}

/// Says that a part of a model with images is frozen, where all weights of the rest train: a question says so of the tower together with
/// images' sizes alone, which no text has.
pub(in crate::read) fn frozen_tower(draft: &mut Draft, key: &str, default: bool) {
    let sees = draft.entry().is_some_and(|entry| entry.shape.vision.is_some());
    let whole = draft.field("workload.lora").is_none() && draft.field("workload.images").is_none();
    if sees && whole && draft.flag(key).unwrap_or(default) {
        draft.doubt(0, format!("{key} freezes the vision tower, as it does where nothing is said or as the text says, and the estimate trains all parts: it takes less. State workload.images with vision_tower frozen."));
    }
}

/// What steps the weights: `DeepSpeed`'s file builds its own, else a key of the framework's names it.
pub(in crate::read) fn step_by(draft: &mut Draft, key: &str) {
    let momentum = draft.number("optimizer.params.momentum");
    if !draft.states("optimizer.type") || optimizer::take(draft, "optimizer.type", "plan", momentum).is_none() {
        optimizer::take(draft, key, "plan", None);
        swapped(draft);
    }
}

/// In host memory Accelerate puts `DeepSpeed`'s Adam in the place of whatever steps (1.15.0, `accelerator.py`, line 2374, and
/// `utils/deepspeed.py`, `map_pytorch_optim_to_deepspeed`), unless it is told not to.
fn swapped(draft: &mut Draft) {
    let deepspeed = draft.field("plan.backend").is_some_and(|own| own == "deepspeed");
    let away = draft.field("plan.offload.optimizer").is_some_and(|own| own == true);
    // Lion has one of DeepSpeed's own.
    let other = draft
        .field("plan.optimizer")
        .map_or(draft.field("plan.optimizer_bytes").is_some(), |own| own != "lion");
    if deepspeed && away && other && !draft.tells("zero_force_ds_cpu_optimizer", false) {
        draft.remove("plan.optimizer");
        draft.remove("plan.optimizer_bytes");
        draft.note(0, "The optimizer's states are in host memory, where Accelerate puts DeepSpeed's Adam in the place of the one that is named.");
    }
}

/// What keeps all weights in 16 bits, master weights, gradients and moments alike.
pub(in crate::read) fn states_in_16_bits(draft: &mut Draft, why: &str) {
    draft.assume("plan.master_weights_bytes", 2, why);
    draft.set("plan.gradient_bytes", 2);
    if draft.field("plan.optimizer").is_none_or(|own| own == Optimizer::Adamw.as_str()) {
        draft.set("plan.optimizer_bytes", 4);
    }
}

/// The attention kernel, by Hugging Face's words; where none is stated its models attend by PyTorch's own.
pub(in crate::read) fn attention(draft: &mut Draft, key: &str) {
    kernel::hugging_face(draft, key, "plan");
    if draft.holds(key) {
        sinks(draft);
    } else {
        by_itself(draft, key);
    }
}

/// What Transformers attends by where nothing is said: PyTorch's own, but of models with sinks, which that has none of, its eager
/// attention (5.23.0, `models/gpt_oss/modeling_gpt_oss.py`, line 379).
pub(in crate::read) fn by_itself(draft: &mut Draft, key: &str) {
    if has_sinks(draft) {
        let why = "PyTorch's own attention has no sinks: Transformers attends eagerly to models with these, and scores take memory.";
        draft.assume_known("plan.attention", "unfused", why);
        draft.overrule("plan.attention");
    } else {
        draft.default(key, "plan.attention_kernel", "sdpa");
    }
}

fn has_sinks(draft: &Draft) -> bool {
    draft.entry().is_some_and(|entry| entry.shape.attn_sinks)
}

/// `FlashAttention` 2 and 3 pass no gradients back where there are sinks
/// (<https://github.com/Dao-AILab/flash-attention/issues/1797>, <https://github.com/Dao-AILab/flash-attention/issues/1895>).
pub(in crate::read) fn sinks(draft: &mut Draft) {
    if !has_sinks(draft) {
        return;
    }
    draft.overrule("plan.attention");
    if draft
        .field("plan.attention_kernel")
        .is_some_and(|own| own == "flash2" || own == "flash3")
    {
        draft.doubt(0, "FlashAttention 2 and 3 have no backward pass for the attention sinks of this model. Eager attention has one, and its scores take memory that is not counted here.");
    }
}
