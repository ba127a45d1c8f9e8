//! axolotl 0.21.0: pre-training and fine-tuning with FSDP2, `DeepSpeed` or plain data parallelism.

use super::rule::{CP, EP, Rule, TP, ULYSSES, all, backends, divides, must, ones, precisions, when};
use super::shared::{
    ANY_FLASH, FLASH, FSDP2_SHARDS, KEYS_BY_TP, NO_IMAGES, NO_TEACHER, SINKS, TRANSFORMERS_KERNEL,
    TRANSFORMERS_WHOLE_LAYERS, has_flash,
};
use super::{deepspeed, optimizer, trainer};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::AttentionKernel as Kernel;
use shardwise_question::wire::Backend::{Ddp, Deepspeed, Fsdp};
use shardwise_question::wire::Precision::{Bf16, Fp8, Fp16};
use shardwise_question::wire::WorkloadKind::{Kto, Pretrain};

/// Ranks along each axis of axolotl's mesh, beside those that split tensors, sequences and experts: those that shard
/// the weights, and copies of them (`utils/distributed.py`, `integrations/expert_parallel/plugin.py`).
/// `None` where the shard group does not hold whole groups of the other axes.
pub fn mesh(layout: &Layout, gpus: u32) -> Option<(u32, u32)> {
    let inner = layout.sequence_split() * layout.expert_parallel;
    let shard = layout.shard_group.checked_div(inner).filter(|n| *n > 0)?;
    let copies = layout.data_parallel(gpus) * layout.sequence_split() / layout.shard_group.max(1);
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
    SINKS,
    when(|a| a.is(Fsdp), SHARDED),
    when(|a| !a.is(Fsdp), &[ones(&[TP, EP]).or(WITH_FSDP2)]),
    when(
        |a| a.is(Ddp),
        &[
            ones(&[CP, ULYSSES]).or(
                "axolotl splits sequences with FSDP2 or DeepSpeed. Set {field} to 1, or the backend to fsdp or deepspeed.",
            ),
            // utils/config/__init__.py:197 loads the weights in fp16, and PyTorch's scaler takes no gradients of that ("Attempting to
            // unscale FP16 gradients"). FSDP2 makes them fp32 (accelerate's utils/fsdp_utils.py:816).
            must("workload.precision", |a| a.workload.precision != Fp16 || !a.workload.full_parameter()).or(
                "axolotl loads the weights in fp16, whose gradients plain data parallelism's scaling does not take. Set the backend to fsdp or deepspeed, or take LLaMA-Factory's or TRL's flags.",
            ),
        ],
    ),
    when(|a| a.is(Deepspeed), ON_DEEPSPEED),
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

const WITH_FSDP2: &str = "axolotl combines this with FSDP2. Set {field} to 1, or the backend to fsdp.";

/// `DeepSpeed`'s Ulysses (ALST), which the size of context parallelism stands for there (`utils/trainer.py:708`).
static ON_DEEPSPEED: &[Rule] = &[
    // utils/schemas/validation.py:2324, check_context_parallel_deepspeed.
    must("plan.context_parallel", |a| a.cp == 1)
        .or("Under DeepSpeed axolotl splits sequences by heads (Ulysses): its ring goes with FSDP2. Set it to 1 and use ulysses_parallel, or set the backend to fsdp."),
    when(|a| a.ulysses > 1, BY_HEADS),
    // axolotl offloads by itself what ds_config.json cannot.
    all(deepspeed::BUT_ACTIVATIONS),
    TRANSFORMERS_WHOLE_LAYERS,
];

static BY_HEADS: &[Rule] = &[
    NO_SPLIT_PREFERENCES,
    // utils/data/sft.py:362: what is streamed has no positions, without which DeepSpeed 0.19.8's `ulysses_sp.py:666` stops.
    must("plan.ulysses_parallel", |a| a.workload.kind != Pretrain)
        .or("axolotl's streamed data has no positions, which DeepSpeed's Ulysses asks for. Set it to 1, or the backend to fsdp."),
    FLASH.or("axolotl splits sequences around a kernel of attention. Set attention to flash."),
    // accelerate/utils/dataclasses.py, DeepSpeedSequenceParallelConfig.
    must("plan.attention_kernel", |a| a.layout.attention_kernel != Some(Kernel::Flash4))
        .or("Accelerate's Ulysses goes with flash2, flash3 and sdpa. Set it to one of them, or leave it out."),
    // deepspeed/runtime/sequence_parallel/ulysses_sp.py:149.
    must("plan.ulysses_parallel", |a| a.deals_keys(a.ulysses))
        .or("Neither of {kv} key and value heads and {ulysses} divides the other."),
];

/// TRL's losses of preference data weigh no part of a sequence by itself (integrations/context_parallel/trainer.py,
/// `configure_trainer`; under `DeepSpeed` utils/schemas/validation.py:2332).
const NO_SPLIT_PREFERENCES: Rule = must("plan.ulysses_parallel", |a| a.workload.kind.preference().is_none())
    .or("axolotl splits no sequences of preference data. Set context_parallel and ulysses_parallel to 1.");

/// Ringmaster's splits of a sequence, by heads and in a ring (integrations/context_parallel).
///
/// Sliding windows go with the ring: without a schedule in the text, axolotl gathers keys and values where a model has windows
/// (settings.py, `resolve_settings`, lines 60 to 101: `load_balance` is none, and `rotate_method` allgather by default), and the
/// ring's kernels are given each layer's window (axolotl-ringmaster 0.2.6, `strategies/ring.py`, lines 58 to 168). What a text may
/// state against that is refused as it is read.
static SPLIT: &[Rule] = &[
    NO_SPLIT_PREFERENCES,
    // settings.py, resolve_settings.
    divides("plan.ulysses_parallel", |a| (a.ulysses, a.shape.num_key_value_heads))
        .or("{kv} key and value heads cannot be split by {ulysses}."),
    FLASH.or("axolotl splits sequences around a kernel of attention. Set attention to flash."),
    // plugin.py: the ring by PyTorch's own kernel has no backward pass.
    when(
        |a| a.cp > 1,
        &[must("plan.context_parallel", has_flash)
            .or("axolotl's ring attention needs FlashAttention, which these cards have none of. Set it to 1 and use ulysses_parallel."),
          ANY_FLASH
            .or("axolotl's ring attention needs FlashAttention. Set it to flash2, flash3 or flash4, or leave it out.")],
    ),
];

static SHARDED: &[Rule] = &[
    FSDP2_SHARDS,
    // schemas/validation.py, check_fsdp2_base_model_quant_rl.
    must("plan.backend", |a| a.workload.kind.preference().is_none() || !a.workload.quantized_base())
        .or("axolotl's FSDP2 loads no 4-bit base for preference data. Set the backend to deepspeed or ddp."),
    divides("plan.shard_group", |a| (a.cp * a.ulysses * a.ep, a.group))
        .or("A shard group holds whole groups of CP {cp} × Ulysses {ulysses} × EP {ep}. Give a multiple of {part}."),
    when(|a| a.layout.sequence_split() > 1, SPLIT),
    must("plan.expert_tensor_parallel", |a| a.etp == 1)
        .or("axolotl splits no expert. Set expert_tensor_parallel to 1."),
    must("plan.sequence_parallel", |a| a.tp == 1 || !a.layout.sequence_parallel)
        .or("Tensor parallelism of Hugging Face models splits no norm. Set sequence_parallel to false."),
    KEYS_BY_TP,
    when(
        |a| a.ep > 1,
        &[must("plan.tensor_parallel", |a| a.tp == 1)
            .or("axolotl's expert parallelism goes with no tensor parallelism. Set one of them to 1.")],
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
