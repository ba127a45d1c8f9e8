//! ms-swift 4.6.0: pre-training, fine-tuning, distillation of given text and preference data with `DeepSpeed`, FSDP2 or plain data parallelism.
//!
//! Paths are below `swift/` of the wheel (<https://pypi.org/project/ms-swift/4.6.0/>).

use super::asked::Asked;
use super::rule::{EP, ETP, PP, Rule, TP, all, backends, must, ones, when};
use super::shared::{
    ACTIVATIONS_STAY, ALL_SHARD, FLASH, FLASH_2, FSDP2_SHARDS, HALF, MOVED_TOGETHER, NO_RL, PLAIN_DATA_PARALLELISM,
    PREFERENCES_ARE_PADDED, REFERENCE_FOLLOWS, REFERENCE_IN_STEPS, SINKS, TEXT_HAS_POSITIONS, TRAINS,
    TRANSFORMERS_KERNEL, TRANSFORMERS_WHOLE_LAYERS, WHOLE_NODES, WHOLE_PASSES, has_flash,
};
use super::{deepspeed, optimizer};
use shardwise_catalog::divisors::gcd;
use shardwise_question::task::Preference;
use shardwise_question::wire::AttentionKernel as Kernel;
use shardwise_question::wire::Backend::{Ddp, Deepspeed, Fsdp};
use shardwise_question::wire::WorkloadKind::{Dpo, Ipo, Pretrain};
use shardwise_question::workload::Logits;

/// What ms-swift refuses, or has no words for.
pub(crate) static RULES: &[Rule] = &[
    NO_RL.or("ms-swift's own reinforcement learning is not laid out here. Take veRL's or OpenRLHF's flags."),
    TRAINS,
    backends(&[Deepspeed, Fsdp, Ddp])
        .or("ms-swift's Megatron is another command, megatron sft, which is not laid out here. Set the backend to deepspeed, fsdp or ddp, or take Megatron-LM's or Megatron-Bridge's flags."),
    ones(&[TP, PP, EP, ETP]).or("ms-swift has no {words} without its Megatron, which is another command. Set {field} to 1."),
    HALF.or("ms-swift trains in bf16 or fp16. Choose one of these."),
    WHOLE_NODES,
    TEXT_HAS_POSITIONS,
    WHOLE_PASSES,
    TRANSFORMERS_WHOLE_LAYERS,
    TRANSFORMERS_KERNEL,
    SINKS,
    ACTIVATIONS_STAY.or("The texts for ms-swift move no activations. Use recompute instead."),
    when(packs, PACKED),
    when(|a| a.workload.kind.preference().is_some(), PREFERENCES),
    when(|a| a.workload.distillation.is_some(), TAUGHT),
    when(|a| a.layout.sequence_split() > 1, SPLIT),
    all(optimizer::MS_SWIFT),
    when(
        |a| a.is(Deepspeed),
        &[
            all(deepspeed::ZERO),
            must("plan.zero_quantized_weights", |a| {
                !a.layout.zero_plus.quantized_weights || !a.workload.quantized_base()
            })
            .or("The base is in 4 bits already. Set it to false."),
        ],
    ),
    when(
        |a| a.is(Fsdp),
        &[
            FSDP2_SHARDS,
            ALL_SHARD.or("ms-swift shards over all GPUs. Set shard_group to {gpus}."),
            MOVED_TOGETHER.or("FSDP2 moves weights, gradients and optimizer together. Offload all three, or none."),
        ],
    ),
    PLAIN_DATA_PARALLELISM,
];

/// Whether several sequences stand in one.
fn packs(a: &Asked) -> bool {
    a.workload.joins() || a.workload.kind == Pretrain && a.workload.packing
}

/// Models whose template takes no sequences side by side: `support_padding_free` of their `template_cls` is unset, which is no
/// for what sees or hears (`pipelines/train/sft.py`, `_prepare_template`).
const PADDED_ALONE: &[&str] = &["gemma-3-4b", "gemma-3-12b", "gemma-3-27b", "gemma-4-", "llama-4-", "ministral-3-"];

fn template_packs(a: &Asked) -> bool {
    !PADDED_ALONE.iter().any(|own| a.job.model.id.starts_with(own))
}

static PACKED: &[Rule] = &[
    must("workload.packing", template_packs)
        .or("ms-swift's template of this model packs no sequences. Set packing to false."),
    // arguments/sft_args.py, _check_padding_free.
    must("workload.packing", has_flash).or(
        "ms-swift packs sequences with FlashAttention alone, which these cards have none of. Set packing to false.",
    ),
    FLASH.or("ms-swift packs sequences with FlashAttention alone. Set attention to flash, or packing to false."),
    must("plan.attention_kernel", |a| !matches!(a.layout.attention_kernel, Some(Kernel::Sdpa)))
        .or("ms-swift packs sequences with FlashAttention alone. Set it to flash2, flash3 or flash4, or leave it out."),
];

static PREFERENCES: &[Rule] = &[
    REFERENCE_FOLLOWS.or("{name} lays the reference out as what trains. Leave its plan out."),
    // rlhf_trainers/dpo_trainer.py, DPOTrainer.__init__; no argument says it for KTO.
    REFERENCE_IN_STEPS.or("ms-swift evaluates the reference in each step. Set it to false."),
    // arguments/rlhf_args.py, _check_padding_free has it for DPO and KTO, whose batches then count joined examples.
    PREFERENCES_ARE_PADDED.or("{name} pads preference data here. Set packing to false."),
    // pipelines/train/kto.py, prepare_kto_dataset: responses of a whole step are mismatched, not of a pass.
    must("workload.global_batch", |a| {
        !a.workload.kind.preference().is_some_and(Preference::has_mismatched) || a.workload.global_batch > 1
    })
    .or("KTO pairs the prompts of a step with each other's responses. Set global_batch to 2 or more."),
    // rlhf_trainers/dpo_trainer.py, concatenated_forward.
    must("plan.fused_lm_head", |a| !a.layout.fused_lm_head)
        .or("{name}'s losses of preference data read the logits. Set fused_lm_head to false."),
];

/// `--rlhf_type gkd` on given text, `--lmbda 0`.
static TAUGHT: &[Rule] = &[
    must("workload.distillation.logits", |a| a.workload.distillation.as_ref().is_none_or(|own| own.logits != Logits::Sampled))
        .or("ms-swift holds a student to the whole vocabulary or to the largest few. Set it to full or top_k."),
    // arguments/rlhf_args.py, _check_gkd.
    must("plan.fused_lm_head", |a| {
        let few = a.workload.distillation.as_ref().is_some_and(|own| own.logits != Logits::Full);
        !(few && a.layout.fused_lm_head)
    })
    .or("Liger's divergence is of the whole vocabulary. Set fused_lm_head to false, or workload.distillation.logits to full."),
    // The same file, _check_sequence_parallel.
    must("plan.ulysses_parallel", |a| a.layout.sequence_split() == 1)
        .or("ms-swift splits no sequences where a teacher judges them. Set context_parallel and ulysses_parallel to 1."),
    // rlhf_trainers/gkd_trainer.py encodes each row by itself.
    must("workload.packing", |a| !a.workload.joins())
        .or("ms-swift packs nothing where a teacher judges it. Set packing to false."),
    must("workload.images", |a| a.workload.images.is_none())
        .or("These texts of ms-swift distil text alone. Leave the images or the teacher out."),
];

/// `--sequence_parallel_size`: by heads as far as the greatest common divisor with the key and value heads goes, the rest in
/// a ring (`sequence_parallel/sequence_parallel.py`, `prepare` and `_init_device_mesh`).
static SPLIT: &[Rule] = &[
    must("plan.ulysses_parallel", |a| {
        a.workload.kind.preference().is_none() || matches!(a.workload.kind, Dpo | Ipo)
    })
    .or("Of preference data ms-swift splits DPO's sequences alone. Set context_parallel and ulysses_parallel to 1."),
    must("plan.ulysses_parallel", |a| a.ulysses == gcd(a.shape.num_key_value_heads, a.ulysses * a.cp))
        .or("ms-swift splits a sequence by heads over as many GPUs as divide the {kv} key and value heads, and over the rest in a ring. Set ulysses_parallel to the greatest common divisor of {kv} and the GPUs of a sequence, and context_parallel to what is left."),
    // trainers/seq2seq_trainer.py, compute_loss.
    must("plan.fused_lm_head", |a| !a.layout.fused_lm_head)
        .or("Where sequences are split, ms-swift's loss reads the logits. Set fused_lm_head to false."),
    when(
        |a| a.cp > 1,
        &[
            must("plan.context_parallel", has_flash)
                .or("ms-swift's ring attention is FlashAttention-2's, which these cards have none of. Set it to 1."),
            // zigzag_ring_attn.py; it takes sequences side by side alone.
            FLASH.or("ms-swift's ring attention needs FlashAttention. Set attention to flash."),
            FLASH_2.or("ms-swift's ring attention is FlashAttention-2's. Set it to flash2, or leave it out."),
            must("plan.context_parallel", template_packs)
                .or("ms-swift's ring takes sequences side by side, which its template of this model does not. Set context_parallel to 1."),
        ],
    ),
];
