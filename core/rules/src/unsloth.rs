//! Unsloth 2026.10.9: what these texts for it do not set up, and what it would run otherwise than planned.

use super::optimizer;
use super::rule::{CP, EP, ETP, PP, Rule, TP, ULYSSES, all, backends, must, no_kind, ones, when};
use super::shared::{
    FLASH, FORWARD_IS_USUAL, HALF, KTO_MISMATCHES, NO_IMAGES, NO_RL, NO_TEACHER, PREFERENCES_ARE_PADDED,
    REFERENCE_FOLLOWS, TEXT_HAS_POSITIONS, TRAINS, USUAL_KERNEL, WHOLE_LAYERS, WHOLE_NODES, WHOLE_PASSES,
};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::Backend::Ddp;
use shardwise_question::wire::Precision::Fp16;
use shardwise_question::wire::WorkloadKind::{Orpo, Pretrain, RewardModel, Simpo};

/// Tokens below which `"unsloth"` keeps the inputs of layers on the GPU (`unsloth/models/_utils.py:506`).
const SHORTEST_MOVED: u64 = 512;

/// Whether weights that are all trained have 16 bits, and what steps them as well.
#[must_use]
pub fn narrow(layout: &Layout) -> bool {
    layout.master_weights_bytes < 3.0
}

/// What Unsloth refuses, or would run otherwise than planned.
pub(crate) static RULES: &[Rule] = &[
    // Its engine reads the very weights that are trained (`unsloth_zoo/vllm_utils.py`), which no estimate here has.
    NO_RL.or_only("Unsloth's reinforcement learning has one copy of the weights for training and generation, which is not estimated. Take TRL's or veRL's flags."),
    TRAINS,
    no_kind(&[Pretrain]).or("The texts for Unsloth fine-tune. Take torchtitan's or Megatron-LM's flags, or the kind sft."),
    no_kind(&[Orpo, Simpo, RewardModel])
        .or("The texts for Unsloth learn from preferences by dpo, ipo and kto. Choose one of these, or take LLaMA-Factory's flags."),
    when(|a| a.workload.kind.preference().is_some(), PREFERENCES),
    backends(&[Ddp])
        .or("The texts for Unsloth keep the whole model on each GPU. Set the backend to ddp, or leave it to the search."),
    ones(&[TP, PP, CP, ULYSSES, EP, ETP]).or("The texts for Unsloth split no model and no sequence. Set {field} to 1."),
    WHOLE_NODES,
    HALF.or("Unsloth is laid out in bf16 or fp16 here. Choose one of these."),
    WHOLE_LAYERS.or("Unsloth recomputes whole layers or nothing. Set recompute to full or none."),
    FLASH.or("Unsloth attends by fused kernels. Set attention to flash."),
    // unsloth/models/llama.py:4048 takes the key away.
    USUAL_KERNEL.or("Unsloth takes the attention kernel that it finds installed. Leave attention_kernel out."),
    FORWARD_IS_USUAL,
    must("plan.offload", |a| {
        let offload = a.layout.offload;
        !(offload.parameters || offload.gradients || offload.optimizer)
    })
    .or("The texts for Unsloth keep weights, gradients and optimizer on the GPU. Offload activations alone, or choose paged_adamw_8bit."),
    must("plan.offload.activations", |a| !a.layout.offload.activations || a.layout.recompute == Recompute::Full)
        .or("Unsloth moves the inputs of layers that it recomputes. Set recompute to full."),
    must("plan.offload.activations", |a| {
        !a.layout.offload.activations || a.workload.sequence_length >= SHORTEST_MOVED
    })
    .or("Unsloth moves no inputs of fewer than 512 tokens to host memory. Set it to false."),
    // unsloth/models/vision.py:4043: float16's weights become float32.
    must("plan.master_weights_bytes", |a| {
        !a.workload.full_parameter() || a.workload.precision != Fp16 || !narrow(a.layout)
    })
    .or("Unsloth trains all weights in fp32 where products are in fp16. Choose bf16, or leave master_weights_bytes out."),
    all(optimizer::TRL),
    TEXT_HAS_POSITIONS,
    WHOLE_PASSES,
    NO_IMAGES,
    NO_TEACHER,
];

static PREFERENCES: &[Rule] = &[
    // Without adapters TRL loads the reference by Transformers' own code, in memory that Unsloth knows nothing of.
    must("workload.lora", |a| a.workload.lora.is_some())
        .or("The texts for Unsloth learn from preferences by adapters, whose base is the reference. Give lora, or take TRL's flags."),
    REFERENCE_FOLLOWS.or("Unsloth's reference is the base below the adapters. Leave its plan out."),
    PREFERENCES_ARE_PADDED.or("TRL pads preference data. Set packing to false."),
    KTO_MISMATCHES,
];
