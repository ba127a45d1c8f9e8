//! LLaMA-Factory 0.9.5: pre-training and fine-tuning with `DeepSpeed`, FSDP2 or plain data parallelism.

use super::rule::{CP, EP, ETP, Rule, TP, ULYSSES, all, backends, must, ones, when};
use super::shared::{ACTIVATIONS_STAY, ALL_SHARD, FSDP2_SHARDS, HALF, NO_TEACHER, REFERENCE_IN_STEPS};
use super::{deepspeed, optimizer, trainer};
use shardwise_question::wire::AttentionKernel as Kernel;
use shardwise_question::wire::Backend::{Ddp, Deepspeed, Fsdp};
use shardwise_question::wire::WorkloadKind;

/// Beginnings of the models of `InternVL` before the third.
const OLDER_INTERNVL: [&str; 2] = ["internvl2-", "internvl2.5-"];

/// What LLaMA-Factory refuses, or has no words for.
pub(crate) static RULES: &[Rule] = &[
    all(trainer::FINE_TUNES),
    NO_TEACHER,
    REFERENCE_IN_STEPS.or("LLaMA-Factory evaluates the reference in each step. Set it to false."),
    ones(&[TP, CP, ULYSSES, EP, ETP]).or("LLaMA-Factory's Trainer splits no model, only data. Set {field} to 1."),
    // model/model_utils/attention.py: its fa3 is for gpt-oss, which gets it whatever the key says.
    must("plan.attention_kernel", |a| {
        matches!(a.layout.attention_kernel, None | Some(Kernel::Flash2 | Kernel::Ck | Kernel::Sdpa))
    })
    .or("LLaMA-Factory attends by FlashAttention-2 or PyTorch's own. Set it to flash2 or sdpa, or leave it out."),
    all(optimizer::LLAMAFACTORY),
    // data/processor/pretrain.py takes no images.
    must("workload.images", |a| a.workload.images.is_none() || a.workload.kind != WorkloadKind::Pretrain)
        .or("LLaMA-Factory pre-trains on text alone. Leave the images out, or choose sft."),
    // extras/constants.py: of InternVL 2.5 two checkpoints alone are in Transformers' form, which are of another training, and of 2 none.
    must("model", |a| a.workload.images.is_none() || !OLDER_INTERNVL.iter().any(|start| a.job.model.id.starts_with(start)))
        .or("LLaMA-Factory reads images of InternVL3 and InternVL3.5, and this checkpoint is in its publisher's form alone. Choose one of these, or leave the images out."),
    when(|a| a.is(Deepspeed), deepspeed::RULES),
    when(
        |a| !a.is(Deepspeed),
        &[
            backends(&[Fsdp, Ddp])
                .or("LLaMA-Factory's Megatron adapter is another program. Set the backend to deepspeed, fsdp or ddp."),
            all(trainer::TRAINER),
            HALF.or("LLaMA-Factory is laid out in bf16 or fp16 here. Choose one of these."),
            when(
                |a| a.is(Fsdp),
                &[FSDP2_SHARDS, ALL_SHARD.or("LLaMA-Factory shards over all GPUs. Set shard_group to {gpus}.")],
            ),
            ACTIVATIONS_STAY.or("LLaMA-Factory's key for it is for one GPU. Use recompute instead."),
        ],
    ),
];
