//! axolotl 0.19.0: pre-training and fine-tuning with FSDP2, `DeepSpeed` or plain data parallelism.

use super::rule::{CP, EP, Rule, TP, ULYSSES, all, backends, divides, must, ones, precisions, when};
use super::shared::{
    ALL_SHARD, FLASH, FLASH_2, FSDP2_SHARDS, KEYS_BY_TP, NO_IMAGES, NO_TEACHER, TRANSFORMERS_KERNEL,
    TRANSFORMERS_WHOLE_LAYERS,
};
use super::{deepspeed, optimizer, trainer};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::Backend::{Ddp, Deepspeed, Fsdp};
use shardwise_question::wire::Precision::{Bf16, Fp8, Fp16};
use shardwise_question::wire::WorkloadKind::Kto;

/// Ranks along each axis of axolotl's mesh, beside tensor, context and expert parallelism: those that shard
/// the weights, and copies of them (`utils/distributed.py`, `integrations/expert_parallel/plugin.py`).
/// `None` where the shard group does not hold whole groups of the other axes.
pub fn mesh(layout: &Layout, gpus: u32) -> Option<(u32, u32)> {
    let inner = layout.context_parallel * layout.expert_parallel;
    let shard = layout.shard_group.checked_div(inner).filter(|n| *n > 0)?;
    let copies = layout.data_parallel(gpus) * layout.context_parallel / layout.shard_group.max(1);
    layout.shard_group.is_multiple_of(inner).then_some((shard, copies))
}

/// What axolotl refuses, or has no words for.
pub(crate) static RULES: &[Rule] = &[
    all(trainer::FINE_TUNES),
    // core/builders/rl.py hands it to DPO's trainer alone.
    must("workload.precompute_ref_log_probs", |a| a.workload.kind != Kto || a.workload.reference)
        .or("axolotl evaluates KTO's reference in each step. Set it to false."),
    backends(&[Fsdp, Deepspeed, Ddp]).or(
        "axolotl trains with FSDP2, DeepSpeed or plain data parallelism. Set the backend to fsdp, deepspeed or ddp.",
    ),
    must("plan.offload.activations", |a| !a.layout.offload.activations || a.layout.recompute == Recompute::Full)
        .or("axolotl moves the inputs of recomputed layers. Set recompute to full."),
    all(optimizer::AXOLOTL),
    when(|a| a.is(Fsdp), SHARDED),
    when(
        |a| !a.is(Fsdp),
        &[ones(&[TP, CP, ULYSSES, EP])
            .or("axolotl combines this with FSDP2. Set {field} to 1, or the backend to fsdp.")],
    ),
    // axolotl offloads by itself what ds_config.json cannot.
    when(|a| a.is(Deepspeed), &[all(deepspeed::BUT_ACTIVATIONS), TRANSFORMERS_WHOLE_LAYERS]),
    when(
        |a| !a.is(Deepspeed),
        &[
            all(trainer::TRAINER),
            TRANSFORMERS_KERNEL,
            precisions(&[Bf16, Fp16, Fp8]).or("axolotl trains in bf16, fp16 or fp8. Choose one of these."),
            // cli/config.py, compute_supports_fp8.
            must("workload.precision", |a| {
                a.workload.precision != Fp8 || (a.has(9.0) && a.is(Fsdp) && a.workload.full_parameter())
            })
            .or("axolotl's fp8 is laid out for all weights, with FSDP2, on Hopper or Blackwell. Choose bf16."),
        ],
    ),
    NO_IMAGES,
    NO_TEACHER,
];

static SHARDED: &[Rule] = &[
    FSDP2_SHARDS,
    // schemas/validation.py, check_fsdp2_base_model_quant_rl.
    must("plan.backend", |a| a.workload.kind.preference().is_none() || !a.workload.quantized_base())
        .or("axolotl's FSDP2 loads no 4-bit base for preference data. Set the backend to deepspeed or ddp."),
    divides("plan.shard_group", |a| (a.cp * a.ep, a.group))
        .or("A shard group holds whole groups of CP {cp} × EP {ep}. Give a multiple of {part}."),
    // schemas/validation.py, check_context_parallel_size.
    when(
        |a| a.cp > 1,
        &[
            FLASH.or("axolotl's ring attention needs FlashAttention. Set attention to flash."),
            FLASH_2.or("axolotl's ring attention is FlashAttention-2's. Set it to flash2, or leave it out."),
            must("plan.micro_batch", |a| a.micro == 1 || !a.workload.packing)
                .or("axolotl's ring attention takes one packed sequence. Set micro_batch to 1."),
            divides("workload.sequence_length", |a| (2 * a.cp, a.workload.sequence_length))
                .or("{length} tokens are no multiple of 2 × CP {cp}."),
        ],
    ),
    must("plan.expert_tensor_parallel", |a| a.etp == 1)
        .or("axolotl splits no expert. Set expert_tensor_parallel to 1."),
    must("plan.sequence_parallel", |a| a.tp == 1 || !a.layout.sequence_parallel)
        .or("Tensor parallelism of Hugging Face models splits no norm. Set sequence_parallel to false."),
    KEYS_BY_TP,
    when(
        |a| a.ep > 1,
        &[
            must("plan.tensor_parallel", |a| a.tp == 1)
                .or("axolotl's expert parallelism goes with no tensor parallelism. Set one of them to 1."),
            ALL_SHARD.or("axolotl's expert parallelism has no copies of the model. Set shard_group to {gpus}."),
        ],
    ),
    when(
        |a| a.tp > 1,
        &[
            // integrations/liger/args.py.
            must("plan.fused_lm_head", |a| !a.layout.fused_lm_head)
                .or("Liger's losses go with no tensor parallelism. Set fused_lm_head to false."),
            must("plan.tensor_parallel", |a| a.workload.full_parameter())
                .or("axolotl's tensor parallelism is laid out for all weights. Set it to 1 for adapters."),
        ],
    ),
];
