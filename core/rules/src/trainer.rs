//! Hugging Face's Trainer with FSDP2 or plain data parallelism: what LLaMA-Factory and axolotl share.

use super::rule::{Rule, must, when};
use super::shared::{
    KTO_MISMATCHES, MOVED_TOGETHER, NO_RL, PLAIN_DATA_PARALLELISM, PREFERENCES_ARE_PADDED, REFERENCE_FOLLOWS,
    TEXT_HAS_POSITIONS, TRAINS, TRANSFORMERS_WHOLE_LAYERS, WHOLE_NODES, WHOLE_PASSES,
};
use shardwise_question::wire::Backend::Fsdp;

/// Tasks of both.
pub(crate) static FINE_TUNES: &[Rule] = &[
    NO_RL.or("{name}'s own reinforcement learning is not laid out here. Take veRL's flags."),
    TRAINS,
    when(|a| a.workload.kind.preference().is_some(), PREFERENCES),
];

/// Preference data: what every trainer here has in common.
static PREFERENCES: &[Rule] = &[
    REFERENCE_FOLLOWS.or("{name} lays the reference out as what trains. Leave its plan out."),
    PREFERENCES_ARE_PADDED.or("{name} pads preference data here. Set packing to false."),
    KTO_MISMATCHES,
    // Their losses read the logits: LLaMA-Factory 0.9.5, train/dpo/trainer.py, concatenated_forward; axolotl 0.21.0 has Liger's
    // for the losses of text alone (integrations/liger/plugin.py).
    must("plan.fused_lm_head", |a| !a.layout.fused_lm_head)
        .or("{name}'s losses of preference data read the logits. Set fused_lm_head to false."),
];

/// What the Trainer asks of a layout for FSDP2 or plain data parallelism.
pub(crate) static TRAINER: &[Rule] = &[
    WHOLE_NODES,
    TEXT_HAS_POSITIONS,
    must("plan.pipeline_parallel", |a| a.pp == 1)
        .or("Hugging Face's Trainer has no pipeline. Set pipeline_parallel to 1."),
    TRANSFORMERS_WHOLE_LAYERS,
    WHOLE_PASSES,
    when(
        |a| a.is(Fsdp),
        &[MOVED_TOGETHER.or("FSDP2 moves weights, gradients and optimizer together. Offload all three, or none.")],
    ),
    PLAIN_DATA_PARALLELISM,
];
