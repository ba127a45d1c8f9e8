//! Keys of a model: its checkpoint, what it recomputes, its head, its adapters. Actor, critic and fine-tuning have them.

use super::common::{CHOSEN, Keys, OBJECTIVE, PATH, SHAPE};
use crate::binding::Form::Flag;
use crate::binding::Meaning::{Field, Ignored, Plan, Renamed, Taken, Unmodelled};
use crate::binding::{At, Row, row, say, says, switch, when};
use crate::emit::checkpoint::trained;
use crate::emit::choices::{ATTENTION, kept_reason, scale};
use crate::emit::kernel;
use crate::emit::text::list;
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{Attention, LoraTargets};
use shardwise_question::workload::Lora;

/// Where the model is, and whether its sequences are packed.
pub(in crate::verl) const MODEL: &[Row] = &[
    row("path", Field("model"), |at| Some(trained(at.job(), &at.job().model))),
    row("use_remove_padding", Field("workload.packing"), |at| {
        switch(at.job().workload.packing, "packs sequences, no padding tokens", "padded, from your question")
    }),
];

/// Gradient checkpointing of Hugging Face models.
pub(in crate::verl) const CHECKPOINTING: &[Row] = &[
    row("enable_gradient_checkpointing", Plan("recompute"), |at| {
        let full = at.fsdp()?.recompute == Recompute::Full;
        let again = "each layer again from its input: a third more computing, far fewer activations";
        switch(full, again, kept_reason(at.emission.answer.fits))
    }),
    row("enable_activation_offload", Plan("offload.activations"), |at| {
        let away = at.fsdp()?.offload.activations;
        when(away, "True", "activations go to host memory between forward and backward")
    }),
];

/// The kernel of a Hugging Face model's attention (`workers/config/model.py`; before, `fsdp_workers.py`).
pub(in crate::verl) const KERNEL: &[Row] =
    &[row("+override_config.attn_implementation", Plan("attention_kernel attention"), |at| {
        let layout = at.fsdp()?;
        if layout.attention == Attention::Unfused {
            return says("eager", "scores in memory, as the plan says");
        }
        let word = kernel::stated(at.job(), layout, kernel::hugging_face, Some(kernel::FLASH_2))?;
        says(word, kernel::stated_by(layout))
    })];

/// The LM head.
pub(in crate::verl) const HEAD: &[Row] = &[
    row("use_fused_kernels", Taken("fused_lm_head", Flag(false)), |at| {
        let fused = "no logits tensor: loss straight from the hidden states";
        switch(at.layout.fused_lm_head, fused, "the estimate holds the logits in memory")
    }),
    say("fused_kernel_options.impl_backend", |at| match (at.layout.fused_lm_head, at.megatron()) {
        (false, _) => None,
        (true, Some(_)) => says("triton", "the one Megatron takes"),
        (true, None) => says("torch", "in chunks; triton is the other choice"),
    }),
];

/// Adapters, whose matrices Megatron names its own way.
pub(in crate::verl) const ADAPTERS: &[Row] = &[
    row("lora_rank", Field("workload.lora.rank"), |at| says(fsdps(at)?.rank, CHOSEN)),
    row("lora_alpha", OBJECTIVE, |at| Some(scale(fsdps(at)?))),
    row("target_modules", Field("workload.lora.targets"), |at| match fsdps(at)?.targets {
        LoraTargets::Attention => says(list(ATTENTION), CHOSEN),
        LoraTargets::AllLinear => says("all-linear", CHOSEN),
    }),
    // PEFT's all-linear has the vision tower's matrices too.
    say("exclude_modules", |at| {
        let seen = fsdps(at).is_some() && at.job().workload.images.is_some();
        when(seen, "'.*visual.*'", "adapters are of the language model alone")
    }),
    row("lora.rank", Field("workload.lora.rank"), |at| says(megatrons(at)?.rank, CHOSEN)),
    say("lora.alpha", |at| Some(scale(megatrons(at)?))),
    row("lora.target_modules", Field("workload.lora.targets"), |at| match megatrons(at)?.targets {
        LoraTargets::Attention => says(list(["linear_qkv", "linear_proj"]), CHOSEN),
        LoraTargets::AllLinear => says(list(["linear_qkv", "linear_proj", "linear_fc1", "linear_fc2"]), CHOSEN),
    }),
];

/// Adapters, where Megatron trains them.
fn megatrons(at: &At) -> Option<Lora> {
    at.megatron().and(at.lora())
}

/// Adapters, where FSDP trains them.
fn fsdps(at: &At) -> Option<Lora> {
    at.fsdp().and(at.lora())
}

pub(super) const MODEL_READ: Keys = &[
    ("partial_pretrain", Renamed("model.path", "0.6.0")),
    ("fused_kernel_options.*", Ignored("the estimate's fused head is either")),
    ("use_liger", Unmodelled("the estimate's norms and activations are fused ones already")),
    ("tiled_mlp.*", Unmodelled("the estimate's MLP keeps its whole activation")),
    ("exclude_modules", Unmodelled("the estimate's adapters sit on attention or on every linear layer")),
    ("lora.*", OBJECTIVE),
    ("mtp.*", Unmodelled("the estimate trains no further prediction heads")),
    ("override_config*", SHAPE),
    (
        "lora_adapter_path|external_lib|hf_config_path|tokenizer_path|custom_chat_template|trust_remote_code|use_shm",
        PATH,
    ),
    ("torch_dtype", Ignored("fsdp_config.model_dtype says it")),
    ("gradient_checkpointing_kwargs*", Ignored("how checkpoints are taken")),
    ("strategy", Renamed("engine.strategy", "0.6.0")),
    ("fsdp_config.*", Renamed("engine.*", "0.6.0")),
];
