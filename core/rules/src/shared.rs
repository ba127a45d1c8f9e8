//! What several frameworks ask alike: conditions that each says in its own words, rows that they share, and the tables of the
//! programs below them.

use super::asked::{Asked, last_stage, nodes};
use super::positions::reach;
use super::rule::{
    CP, EP, Must, PP, Rule, TP, all, check, divides, engine, learning, must, no_kind, ones, precisions, when,
};
use shardwise_catalog::error::InputError;
use shardwise_question::complete::{lacks_flash, splits_backward, usual_kernel};
use shardwise_question::plan::{Layout, MicroBatch, Recompute, RolloutPlan};
use shardwise_question::task::Preference;
use shardwise_question::wire::Backend::Ddp;
use shardwise_question::wire::Precision::{Bf16, Fp8, Fp16, Mxfp8, Nvfp4};
use shardwise_question::wire::{
    Attention, AttentionKernel as Kernel, CudaGraphs, Engine, KvCacheDtype, Schedule, WorkloadKind,
};

pub(crate) const NO_RL: Must = must("workload.kind", |a| a.workload.kind.algorithm().is_none());
pub(crate) const HALF: Must = precisions(&[Bf16, Fp16]);
/// Hugging Face's models are loaded with one of the kernels that Transformers has (`AttentionInterface`).
pub(crate) const TRANSFORMERS_KERNEL: Rule =
    must("plan.attention_kernel", |a| !matches!(a.layout.attention_kernel, Some(Kernel::Flash1 | Kernel::Cudnn)))
        .or("No Hugging Face model attends by it. Set it to flash2, flash3, flash4 or sdpa, or leave it out.");
/// Whether the cards run some `FlashAttention`.
pub(crate) fn has_flash(a: &Asked) -> bool {
    !lacks_flash(&a.job.hardware)
}
/// Attention is by `FlashAttention`-2, which on AMD is Composable Kernel's.
pub(crate) const FLASH_2: Must =
    must("plan.attention_kernel", |a| matches!(a.layout.attention_kernel, None | Some(Kernel::Flash2 | Kernel::Ck)));
/// Attention is by some `FlashAttention`.
pub(crate) const ANY_FLASH: Must =
    must("plan.attention_kernel", |a| !matches!(a.layout.attention_kernel, Some(Kernel::Sdpa)));
/// The kernel is the one that is taken where none is named.
pub(crate) const USUAL_KERNEL: Must = must("plan.attention_kernel", |a| {
    let own = a.layout.attention_kernel;
    own.is_none_or(|own| own == usual_kernel(a.job, a.layout.backend))
});
pub(crate) const FLASH: Must = must("plan.attention", |a| a.layout.attention == Attention::Flash);
/// Attention to a model with sinks passes gradients back to them. No `FlashAttention` up to the third does
/// (<https://github.com/Dao-AILab/flash-attention/issues/1797>, <https://github.com/Dao-AILab/flash-attention/issues/1895>): Transformers
/// 5.23.0 puts vLLM's third, which has none either (<https://github.com/nvidia-cosmos/cosmos-rl/issues/219>), in the place of
/// `flash_attention_2` (`modeling_utils.py:1752`, `_compatible_flash_implementations` of `models/gpt_oss/modeling_gpt_oss.py`), and the
/// model has no attention of PyTorch's own (`_supports_sdpa`, line 379).
pub(crate) fn learns_sinks(a: &Asked) -> bool {
    let own = a.layout;
    !a.shape.attn_sinks || own.attention == Attention::Unfused || own.attention_kernel == Some(Kernel::Flash4)
}
/// The same, where scores in memory are the way out.
pub(crate) const SINKS: Rule = must("plan.attention", learns_sinks).or(
    "FlashAttention 2 and 3 pass no gradients back to this model's attention sinks, of which PyTorch's own attention has none. Set attention to unfused.",
);
/// For frameworks whose texts leave graphs alone.
pub(crate) const NO_GRAPHS: Must = must("plan.cuda_graphs", |a| a.layout.switches.cuda_graphs == CudaGraphs::None);
pub(crate) const NO_ULYSSES: Must = must("plan.ulysses_parallel", |a| a.ulysses == 1);
pub(crate) const WHOLE_LAYERS: Must =
    must("plan.recompute", |a| !matches!(a.layout.recompute, Recompute::Selective(_)));
pub(crate) const ACTIVATIONS_STAY: Must = must("plan.offload.activations", |a| !a.layout.offload.activations);
pub(crate) const WEIGHTS_STAY: Must = must("plan.offload.parameters", |a| !a.layout.offload.parameters);
pub(crate) const MOVED_TOGETHER: Must = must("plan.offload", |a| {
    let offload = a.layout.offload;
    offload.parameters == offload.optimizer && offload.gradients == offload.optimizer
});
pub(crate) const ALL_SHARD: Must = must("plan.shard_group", |a| a.group == a.gpus);
pub(crate) const NO_OVERSAMPLING: Must = learning("workload.rl.oversampling", |rl| rl.oversampling == 1.0);
pub(crate) const NO_AGENT: Must = learning("workload.rl.agent", |rl| rl.agent.is_none());
pub(crate) const BALANCED: Must = learning("workload.rl.balance_batch", |rl| rl.balance_batch);
pub(crate) const OWN_PACE: Must =
    learning("workload.rl.agent.asynchronous", |rl| rl.agent.is_none_or(|agent| agent.asynchronous));
pub(crate) const ALL_AT_ONCE: Must =
    learning("workload.rl.gen_batch_size", |rl| rl.gen_batch_size == rl.prompts_per_step);
/// Groups are dropped by their reward, while they are sampled.
pub(crate) const FILTERED_BY_RULE: Must =
    learning("workload.rl.reward_model", |rl| rl.oversampling <= 1.0 || rl.reward_model.is_none());

/// A bound of whole versions on how far generation runs ahead.
pub(crate) const WHOLE_STALENESS: Must = learning("workload.rl.max_staleness", |rl| {
    rl.schedule != Schedule::FullyAsync || (rl.max_staleness >= 1.0 && rl.max_staleness.fract() == 0.0)
});
pub(crate) const STALENESS_IN_VERSIONS: Rule = WHOLE_STALENESS.or(
    "{name} bounds how far generation runs ahead by whole versions of the weights. Give 1 or more, without a part.",
);
/// Where an engine gets the weights that are trained, these have 16 bits.
pub(crate) const HANDED_IN_16_BITS: Rule =
    must("workload.lora.load_in_4bit", |a| a.rl.is_none() || !a.workload.quantized_base())
        .or("The engine gets no weights of 4 bits from the trainer here. Leave it out, or take Unsloth's flags.");
pub(crate) const NO_ADAPTERS: Must = must("workload.lora", |a| a.workload.full_parameter());
pub(crate) const NO_REWARD_MODEL: Must = learning("workload.rl.reward_model", |rl| rl.reward_model.is_none());
pub(crate) const VLLM: Must = engine("plan.rollout.engine", |own| own.engine == Engine::Vllm);
pub(crate) const CHUNKED: Rule = engine("plan.rollout.chunked_prefill", |own| own.chunked_prefill)
    .or("No key of the texts for {name} turns chunked prefill off. Leave it out.");
pub(crate) const ENGINE_IN_BF16: Must = engine("plan.rollout.precision", |own| own.precision == Bf16);
pub(crate) const CACHE_IN_16_BITS: Must =
    engine("plan.rollout.kv_cache_dtype", |own| own.kv_cache_dtype == KvCacheDtype::Auto);

/// Said of PRIME, whose reward model trains in the step.
pub(crate) const NO_PROCESS_REWARD: &str = "{name} trains no process reward model beside the policy. Choose rloo.";

/// Everything is text.
pub(crate) const NO_IMAGES: Rule = must("workload.images", |a| a.workload.images.is_none())
    .or("The texts for {name} have no images. Take LLaMA-Factory's or veRL's flags, or leave them out.");
/// Nothing is learnt from a teacher.
pub(crate) const NO_TEACHER: Rule = must("workload.distillation", |a| a.workload.distillation.is_none())
    .or("The texts for {name} have no teacher. Take veRL's or TRL's flags to distil what the student samples, ms-swift's for given text, or leave it out.");
/// Nothing is learnt from preferences.
pub(crate) const NO_PREFERENCES: Rule = must("workload.kind", |a| a.workload.kind.preference().is_none())
    .or("The texts for {name} learn nothing from preferences. Take LLaMA-Factory's flags.");
/// The reference is laid out as what trains.
pub(crate) const REFERENCE_FOLLOWS: Must =
    must("plan.reference", |a| a.plan.reference.is_none_or(|own| own == *a.layout));
/// The reference follows the policy, but for where its weights wait: it takes the policy's place on the card.
pub(crate) const REFERENCE_TAKES_ITS_PLACE: Must = must("plan.reference", |a| {
    a.plan
        .reference
        .is_none_or(|own| Layout { offload: a.layout.offload, ..own } == *a.layout)
});
/// The reference is evaluated in each step.
pub(crate) const REFERENCE_IN_STEPS: Must = must("workload.precompute_ref_log_probs", |a| {
    let held = a.workload.kind.preference().is_some_and(Preference::has_reference);
    !held || a.workload.reference
});
/// Preference data are padded.
pub(crate) const PREFERENCES_ARE_PADDED: Must =
    must("workload.packing", |a| a.workload.kind.preference().is_none() || !a.workload.joins());
/// What is learnt from rewards is counted in sequences.
pub(crate) const RESPONSES_ARE_COUNTED: Must =
    must("plan.max_tokens_per_gpu", |a| a.rl.is_none() || !a.counts_tokens());
/// The responses of a batch are mismatched with each other's prompts (TRL 1.16.0, `trainer/kto_trainer.py`).
pub(crate) const KTO_MISMATCHES: Rule =
    must("plan.micro_batch", |a| !a.workload.kind.preference().is_some_and(Preference::has_mismatched) || a.micro > 1)
        .or("KTO pairs the prompts of a pass with each other's responses. Set micro_batch to 2 or more.");
/// What has no code for Ascend's NPUs.
pub(crate) static NO_NPU: &[Rule] = &[must("hardware.gpu", |a| a.job.hardware.vendor() != Some("huawei")).or(
    "{name} has no code for Ascend's NPUs. Choose veRL, DeepSpeed, TRL, LLaMA-Factory, axolotl or ms-swift, or another GPU.",
)];
/// What has no code for Gaudi.
pub(crate) static NO_HPU: &[Rule] = &[must("hardware.gpu", |a| a.job.hardware.vendor() != Some("intel"))
    .or("{name} has no code for Gaudi. Choose DeepSpeed, or TRL for fine-tuning, or another GPU.")];
/// What trains in bf16 alone, on cards whose tensor cores have none of it.
pub(crate) static BF16_ALONE: &[Rule] = &[must("hardware.gpu", |a| a.job.hardware.multiplies_bf16()).or(
    "The texts for {name} train in bf16, in which cards before Ampere do not multiply. Choose DeepSpeed, TRL, LLaMA-Factory, axolotl, ms-swift or Unsloth, which train in fp16, or another GPU.",
)];

pub(crate) const TRAINS: Rule =
    no_kind(&[WorkloadKind::Rollout]).or("{name} trains; for generation alone start vLLM or SGLang itself.");
/// Every framework here is told nodes and GPUs per node.
pub(crate) const WHOLE_NODES: Rule =
    must("hardware.gpus", |a| nodes(a.job.hardware.gpus, a.job.hardware.gpus_per_node).is_some())
        .or("{all} GPUs are no whole number of nodes of {node}. Choose a multiple of {node}.");
pub(crate) const WHOLE_POOLS: Rule = must("workload.rl.train_gpus", |a| {
    let whole = |gpus| nodes(gpus, a.job.hardware.gpus_per_node).is_some();
    whole(a.pools.0) && whole(a.pools.1)
})
.or("Both pools are whole nodes of {node} GPUs, or less than one. Here they are {gpus} and {generate}.");
pub(crate) const ONLY_PPO_HAS_A_CRITIC: Rule =
    must("workload.rl.critic", |a| a.workload.kind.has_critic() || a.rl.is_none_or(|rl| rl.critic.is_none()))
        .or("Only PPO has a critic. Set it to null, or choose ppo.");
pub(crate) const TEXT_HAS_POSITIONS: Rule =
    Rule::Odd(|a, broken| positions(a, "workload.sequence_length", true, broken));
pub(crate) const RESPONSES_HAVE_POSITIONS: Rule =
    Rule::Odd(|a, broken| positions(a, "workload.rl.max_response_length", true, broken));
pub(crate) const HAS_ENGINE: Rule =
    must("plan.rollout", |a| a.rollout.is_some()).or_only("The plan has no generation engine.");
pub(crate) const BUDGET_HOLDS_THE_LONGEST: Rule =
    Rule::Odd(|a, broken| token_budget(a, Some(a.layout.micro_batch), "plan.max_tokens_per_gpu", broken));
/// The same of the passes forward alone.
pub(crate) const FORWARD_HOLDS_THE_LONGEST: Rule =
    Rule::Odd(|a, broken| token_budget(a, a.layout.forward, "plan.forward_max_tokens_per_gpu", broken));
/// Updates and passes forward alone both count sequences, or both tokens.
pub(crate) const FORWARD_COUNTS_ALIKE: Rule = must("plan.forward_micro_batch", |a| {
    a.layout
        .forward
        .is_none_or(|own| matches!(own, MicroBatch::Tokens(_)) == a.counts_tokens())
})
.or("{name} counts what is only evaluated as it counts updates. Give forward_micro_batch beside micro_batch, forward_max_tokens_per_gpu beside max_tokens_per_gpu.");
pub(crate) const FORWARD_IS_USUAL: Rule = must("plan.forward_micro_batch", |a| a.layout.forward.is_none())
    .or("The texts for {name} state no size of passes forward alone. Leave it out.");
pub(crate) const BUDGET_IS_PACKED: Rule = must("workload.packing", |a| a.workload.packing)
    .or("A token budget packs sequences. Set packing to true, or give micro_batch.");
/// A batch is a whole number of passes on every rank.
pub(crate) const WHOLE_PASSES: Rule = divides("workload.global_batch", |a| (a.per_pass, a.workload.global_batch))
    .or("{batch} sequences are no multiple of {per_pass}, one micro-batch on every rank.");
pub(crate) const MINI_BATCH_IS_SHARED: Rule = divides("workload.rl.mini_batch", |a| (a.ranks, a.mini))
    .or("A mini-batch of {mini} sequences cannot be shared evenly by {ranks} data-parallel ranks.");
pub(crate) const MINI_BATCH_IS_WHOLE_PASSES: Rule =
    divides("plan.micro_batch", |a| (a.micro, a.mini / a.ranks.max(1))).or(OF_A_RANK);
pub(crate) const OF_A_RANK: &str = "{whole} sequences of a rank are no multiple of {part}.";
pub(crate) const FSDP2_SHARDS: Rule = must("plan.zero_stage", |a| matches!(a.layout.zero_stage, 2 | 3))
    .or("FSDP2 shards weights (3), or gathers them once a step (2). Set zero_stage to 3.");
/// `DistributedDataParallel` keeps whole states on every GPU.
const DDP_KEEPS_STATES: Rule = must("plan.offload", |a| {
    let offload = a.layout.offload;
    !a.is(Ddp) || !(offload.parameters || offload.gradients || offload.optimizer)
})
.or("Plain data parallelism offloads nothing. Set the backend to deepspeed or fsdp.");
/// What Hugging Face's trainers ask of plain data parallelism.
pub(crate) const PLAIN_DATA_PARALLELISM: Rule = all(&[DDP_KEEPS_STATES, DDP_SHARDS_NOTHING]);
/// `torch.nn.parallel.DistributedDataParallel` keeps weights, gradients and optimizer whole on every GPU
/// (<https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html>).
pub(crate) const DDP_SHARDS_NOTHING: Rule = must("plan.zero_stage", |a| !a.is(Ddp) || a.layout.zero_stage == 0)
    .or("Plain data parallelism shards nothing. Set zero_stage to 0, or the backend to fsdp or deepspeed.");
pub(crate) const TRANSFORMERS_WHOLE_LAYERS: Rule =
    WHOLE_LAYERS.or("Hugging Face models recompute whole layers or nothing. Set recompute to full or none.");
pub(crate) const HEADS_BY_TP: Rule = divides("plan.tensor_parallel", |a| (a.tp, a.shape.num_attention_heads))
    .or("{heads} attention heads cannot be split by {tp}.");
pub(crate) const HEADS_BY_ULYSSES: Rule =
    divides("plan.ulysses_parallel", |a| (a.ulysses, a.shape.num_attention_heads))
        .or("{heads} attention heads cannot be split by {ulysses}.");
/// PyTorch's tensor parallelism copies no head.
pub(crate) const KEYS_BY_TP: Rule = divides("plan.tensor_parallel", |a| (a.tp, a.shape.num_key_value_heads))
    .or("{kv} key and value heads cannot be split by {tp}.");

/// Whether the cards are NVIDIA's of at least this compute capability, or of these architectures of AMD's; others are not known.
fn computes(a: &Asked, capability: f64, amds: &[&str]) -> bool {
    let hardware = &a.job.hardware;
    match hardware.vendor() {
        Some("nvidia") => a.has(capability),
        Some("amd") => amds.iter().any(|own| hardware.architecture.starts_with(own)),
        _ => true,
    }
}

/// What `TransformerEngine` computes on which cards, for the frameworks that train in more than 16 bits.
pub(crate) static TRANSFORMER_ENGINE: &[Rule] = &[
    // `_compute_fp8_support`, `_compute_mxfp8_support` and `_compute_nvfp4_support` of
    // https://github.com/NVIDIA/TransformerEngine/blob/001597e9062a1ef9e33431cf1a844bc9c441740d/transformer_engine/pytorch/quantization.py
    // AMD's: `check_fp8_support`, `check_mxfp8_support` and `check_nvfp4_support` of the same file of
    // https://github.com/ROCm/TransformerEngine/blob/030b79214fa6655f7840669aabef3ae22ad4a587 (gfx94 and gfx95; mxfp8 of gfx95 alone, where
    // NVTE_ROCM_ENABLE_MXFP8 is set). It takes nvfp4 too, and multiplies it in bf16 (`general_gemm` of `cpp_extensions/gemm.py` of
    // its 01b52037b45d2c384b1375d2c7bbf44162536461), which nothing here estimates.
    must("workload.precision", |a| a.workload.precision != Fp8 || computes(a, 8.9, &["CDNA3", "CDNA4"]))
        .or("TransformerEngine computes fp8 on Ada, Hopper and Blackwell, and on MI300 and newer. Choose bf16."),
    must("workload.precision", |a| a.workload.precision != Mxfp8 || (computes(a, 10.0, &["CDNA4"]) && !a.has(12.0)))
        .or("TransformerEngine computes mxfp8 on data centres' Blackwell, and on MI350. Choose fp8 or bf16."),
    must("workload.precision", |a| a.workload.precision != Nvfp4 || computes(a, 10.0, &[]))
        .or("TransformerEngine computes nvfp4 on Blackwell. Choose fp8 or bf16."),
];

/// Megatron-Core's own rules (`parallel_state.initialize_model_parallel`, `TransformerConfig`).
pub(crate) static MEGATRON: &[Rule] = &[
    NO_ULYSSES
        .or("Megatron splits sequences by context parallelism. Set ulysses_parallel to 1 and use context_parallel."),
    divides("plan.tensor_parallel", |a| (a.tp * a.pp * a.cp, a.gpus))
        .or("{gpus} GPUs are no multiple of TP {tp} × PP {pp} × CP {cp}."),
    when(
        |a| a.shape.num_experts > 0,
        &[
            divides("plan.expert_parallel", |a| (a.etp * a.ep * a.pp, a.gpus))
                .or("{gpus} GPUs are no multiple of ETP {etp} × EP {ep} × PP {pp}."),
            divides("plan.expert_parallel", |a| (a.ep, a.shape.num_experts))
                .or("{experts} experts cannot be shared evenly by {ep} GPUs."),
            must("plan.sequence_parallel", |a| a.tp == 1 || a.layout.sequence_parallel)
                .or("Megatron trains experts under tensor parallelism with sequence parallelism only. Set it to true."),
        ],
    ),
    must("plan.expert_parallel", |a| a.shape.num_experts > 0 || (a.ep == 1 && a.etp <= a.tp))
        .or("The model has no experts. Set expert_parallel to 1."),
    HEADS_BY_TP,
    must("plan.pipeline_parallel", |a| {
        let layers = a.shape.num_hidden_layers;
        let uneven = a.layout.virtual_pipeline <= 1 && last_stage(layers, a.layout.pipeline_parallel).is_some();
        layers.is_multiple_of(a.all_chunks().max(1)) || uneven
    })
    .or("{layers} layers cannot be split into {pp} stages of {chunks} chunks."),
    must("plan.virtual_pipeline", |a| a.layout.virtual_pipeline <= 1 || a.pp > 1)
        .or("Chunks need more than one pipeline stage. Set virtual_pipeline to 1."),
    must("plan.zero_stage", |a| a.layout.zero_stage <= 1)
        .or("Megatron shards the optimizer (1) or nothing (0). Set zero_stage to 1."),
    must("plan.attention_kernel", |a| !matches!(a.layout.attention_kernel, Some(Kernel::Flash1 | Kernel::Sdpa)))
        .or("TransformerEngine attends by FlashAttention or cuDNN's kernels. Set it to flash2, flash3, flash4 or cudnn, or leave it out."),
    // `get_attention_backend` of TransformerEngine 2 (`pytorch/attention/dot_product_attention/utils.py`) turns both off below 8.0.
    must("plan.attention", |a| a.job.hardware.multiplies_bf16() || a.layout.attention == Attention::Unfused)
        .or("TransformerEngine has no fused attention on cards before Ampere. Set attention to unfused."),
    ACTIVATIONS_STAY.or("Its Megatron backend keeps activations on the GPU. Use recompute instead."),
];

/// FSDP with Ulysses: what both veRL and `ChatLearn` ask.
pub(crate) static FSDP: &[Rule] = &[
    ones(&[TP, PP, CP, EP]).or("FSDP has no {words}. Set it to 1 or the backend to megatron."),
    divides("plan.ulysses_parallel", |a| (a.ulysses, a.gpus)).or("{gpus} GPUs are no multiple of {ulysses}."),
    HEADS_BY_ULYSSES,
    must("plan.ulysses_parallel", |a| a.deals_keys(a.ulysses))
        .or("Neither of {kv} key and value heads and {ulysses} divides the other."),
];

/// Backward passes are in one part: megatron-core 0.19.2 (`pipeline_parallel/schedules.py`) has no other order, and the others' texts
/// lay out no pipeline (`DeepSpeed` 0.19.8 has DualPipeV for models that are written as pipelines, without the split).
static ONE_BACKWARD: &[Rule] =
    &[must("plan.pipeline_schedule", |a| !a.layout.pipeline_schedule.is_some_and(splits_backward))
        .or("{name} runs 1F1B, with model chunks interleaved. Leave it out, or take torchtitan's flags.")];

/// [`ONE_BACKWARD`] of every role that has a layout of its own.
pub(crate) fn one_backward(a: &Asked, broken: &mut Vec<InputError>) {
    check(a, ONE_BACKWARD, broken);
    for (role, own) in [("critic.", &a.plan.critic), ("reference.", &a.plan.reference)] {
        if let Some(own) = own {
            check(&a.of_role(role, (own, a.shape)), ONE_BACKWARD, broken);
        }
    }
}

/// Gradients of every micro-batch are reduced by all but those that accelerate and veRL train with
/// ([`may_defer_gradients`](shardwise_question::framework::may_defer_gradients)).
static REDUCES_EACH: &[Rule] = &[must("plan.sync_each_batch", |a| a.layout.sync_each_batch)
    .or("{name} reduces the gradients of each micro-batch. Leave it out, or take the flags of TRL, axolotl, LLaMA-Factory, ms-swift or veRL.")];

/// [`REDUCES_EACH`] of every role that trains.
pub(crate) fn reduces_each(a: &Asked, broken: &mut Vec<InputError>) {
    check(a, REDUCES_EACH, broken);
    if let Some(critic) = &a.plan.critic {
        check(&a.of_role("critic.", (critic, a.shape)), REDUCES_EACH, broken);
    }
}

/// The generation engine.
pub(crate) static ENGINE: &[Rule] = &[
    divides("plan.rollout.tensor_parallel", |a| (a.engine, a.generate))
        .or("{generate} GPUs are no multiple of an engine's {engine}."),
    divides("plan.rollout.tensor_parallel", |a| (a.engine_tp, a.shape.num_attention_heads))
        .or("{heads} attention heads cannot be split by {engine_tp}."),
    must("plan.rollout.tensor_parallel", |a| a.deals_keys(a.engine_tp))
        .or("Neither of {kv} key and value heads and {engine_tp} divides the other."),
    must("plan.rollout.tensor_parallel", |a| a.engine <= a.engine_node() || a.engine.is_multiple_of(a.engine_node()))
        .or("An engine of {engine} GPUs is no whole number of nodes of {engine_node}."),
    engine("plan.rollout.gpu_memory_utilization", |own| {
        own.gpu_memory_utilization > 0.0 && own.gpu_memory_utilization <= 1.0
    })
    .or("The share of memory is above 0 and at most 1."),
    // vLLM's `check_if_supports_dtype` (`platforms/cuda.py`) asks for a compute capability of 8.0, and 0.9's `_check_if_gpu_supports_dtype`.
    must("plan.rollout.precision", |a| {
        let loads = |own: &RolloutPlan| own.engine != Engine::Vllm || own.precision != Bf16;
        a.job.hardware.multiplies_bf16() || a.rollout.is_none_or(loads)
    })
    .or("vLLM loads no weights in bf16 on cards before Ampere. Set it to fp16."),
    // SGLang's `maybe_downgrade_dtype_for_legacy_gpu` (`model_executor/`): "SGLang only supports sm75 and above."
    must("plan.rollout.engine", |a| {
        let starts = a.job.hardware.multiplies_bf16() || a.has(7.5);
        starts || a.rollout.is_none_or(|own| own.engine != Engine::Sglang)
    })
    .or("SGLang starts on Turing and newer. Set the engine to vllm."),
];

/// What starts no third engine.
pub(crate) const VLLM_OR_SGLANG: Rule = engine("plan.rollout.engine", |own| own.engine != Engine::TensorrtLlm)
    .or("The texts for {name} start vLLM or SGLang. Set the engine to one of them.");

/// The longest sequence has a position for each of its tokens: the model's own, or what `YaRN` stretches them to where the
/// framework takes that from the checkpoint's `config.json`.
pub(crate) fn positions(a: &Asked, field: &str, stretches: bool, broken: &mut Vec<InputError>) {
    let (longest, own) = (a.longest, a.shape.max_position_embeddings);
    let known = if stretches { reach(&a.job.model.id, own) } else { own };
    if own > 0 && longest > known {
        let stretched = if known > own { ", stretched by YaRN" } else { "" };
        let says = format!(
            "{longest} tokens are more than the {known} positions of the model{stretched}. Shorten the sequences."
        );
        broken.push(a.refusal(field, &says, &[]));
    }
}

/// A budget of tokens must hold the longest sequence, split as the layout splits it.
fn token_budget(a: &Asked, budget: Option<MicroBatch>, field: &str, broken: &mut Vec<InputError>) {
    let Some(MicroBatch::Tokens(tokens)) = budget else {
        return;
    };
    let (split, longest) = (u64::from(a.layout.sequence_split()), a.longest);
    if tokens.saturating_mul(split) < longest {
        let least = longest.div_ceil(split.max(1));
        let says = format!(
            "{tokens} tokens on each of {split} GPUs do not hold a sequence of {longest}. Set it to {least} or more."
        );
        broken.push(a.refusal(field, &says, &[]));
    }
}
