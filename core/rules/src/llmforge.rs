//! LLMForge, as its last templates have it: full fine-tuning and LoRA with `DeepSpeed`'s ready-made configurations.

use super::rule::{CP, EP, PP, Rule, TP, ULYSSES, all, backends, divides, must, ones, precisions};
use super::shared::{ACTIVATIONS_STAY, FLASH, FLASH_2, NO_IMAGES, NO_TEACHER, WHOLE_LAYERS};
use super::{deepspeed, optimizer};
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::wire::Backend::Deepspeed;
use shardwise_question::wire::Precision::Bf16;
use shardwise_question::wire::WorkloadKind::{Lora, Sft};

/// The GPUs that LLMForge names, by the catalog's ids
/// (<https://github.com/anyscale/templates>, `templates/fine-tune-llm_v2` before its removal).
const ACCELERATORS: &[(&str, &str)] = &[
    ("a10g", "A10G"),
    ("l4", "L4"),
    ("a100-sxm-40g", "A100-40G"),
    ("a100-pcie-40g", "A100-40G"),
    ("a100-sxm-80g", "A100-80G"),
    ("a100-pcie-80g", "A100-80G"),
    ("h100-sxm", "H100"),
    ("h100-pcie", "H100"),
];

/// The name of a GPU as a Ray resource, where LLMForge has one.
pub fn accelerator(job: &Job) -> Option<&'static str> {
    let known = ACCELERATORS.iter().find(|(id, _)| *id == job.hardware.gpu);
    known.map(|(_, name)| *name)
}

/// The GPUs that a Ray resource names, by the catalog's ids.
pub fn accelerators(name: &str) -> Vec<&'static str> {
    let own = ACCELERATORS.iter().filter(|(_, own)| *own == name);
    own.map(|(id, _)| *id).collect()
}

/// LLMForge's `DeepSpeed` configuration that lays a plan out, where one does.
pub fn configuration(layout: &Layout, gpus: u32) -> Option<&'static str> {
    let offload = layout.offload;
    let plus = layout.zero_plus;
    let other = layout.nvme_offload || plus.quantized_weights || plus.quantized_gradients;
    if layout.shard_group < gpus || other {
        return None;
    }
    Some(match (layout.zero_stage, offload.optimizer, offload.parameters) {
        (3, false, false) if plus.partition_size == 8 => "zero_3_hpz.json",
        _ if plus.partition_size > 1 => return None,
        (2, false, false) => "zero_2.json",
        (3, false, false) => "zero_3.json",
        (3, true, false) => "zero_3_offload_optim.json",
        (3, true, true) => "zero_3_offload_optim+param.json",
        _ => return None,
    })
}

/// What LLMForge has no words for.
pub(crate) static RULES: &[Rule] = &[
    must("workload.kind", |a| matches!(a.workload.kind, Sft | Lora))
        .or("LLMForge fine-tunes, with all weights or with LoRA. Choose sft or lora."),
    must("workload.packing", |a| !a.workload.joins()).or("LLMForge packs nothing. Set packing to false."),
    must("hardware.gpu", |a| accelerator(a.job).is_some())
        .or("LLMForge runs on A10G, L4, A100 and H100. Choose one of these, or take DeepSpeed's flags."),
    NO_IMAGES,
    NO_TEACHER,
    backends(&[Deepspeed])
        .or("LLMForge trains with DeepSpeed. Set the backend to deepspeed{way}."),
    precisions(&[Bf16]).or("LLMForge trains in bf16. Choose it."),
    ones(&[TP, PP, CP, ULYSSES, EP]).or("LLMForge shards by ZeRO alone. Set {field} to 1."),
    must("plan.zero_stage", |a| configuration(a.layout, a.job.hardware.gpus).is_some())
        .or("LLMForge's configurations are ZeRO 2, ZeRO 3, ZeRO 3 with zero_hpz_partition_size 8, and ZeRO 3 with the optimizer, or optimizer and parameters, offloaded. Choose one of these."),
    deepspeed::GRADIENTS_FOLLOW,
    // Of its keys `no_gradient_checkpoint` alone is about activations.
    ACTIVATIONS_STAY.or("LLMForge keeps activations on the GPU. Use recompute instead."),
    FLASH.or("LLMForge attends by FlashAttention-2. Set attention to flash."),
    FLASH_2.or("LLMForge attends by FlashAttention-2. Set it to flash2, or leave it out."),
    all(optimizer::ADAMW_ALONE),
    WHOLE_LAYERS.or("LLMForge recomputes whole layers or nothing. Set it to full or none."),
    must("plan.max_tokens_per_gpu", |a| !a.counts_tokens())
        .or_only("LLMForge counts sequences. Give micro_batch instead."),
    divides("workload.global_batch", |a| (a.micro.saturating_mul(a.gpus), a.workload.global_batch))
        .or("{batch} sequences are no multiple of {part}, one micro-batch on every GPU."),
];
