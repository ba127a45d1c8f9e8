//! `DeepSpeed` 0.19.8: fine-tuning and pre-training with ZeRO.

use super::optimizer;
use super::rule::{CP, EP, ETP, PP, Rule, all, backends, divides, must, no_kind, ones};
use super::shared::{
    ACTIVATIONS_STAY, HALF, HEADS_BY_TP, HEADS_BY_ULYSSES, NO_RL, NO_TEACHER, REFERENCE_FOLLOWS, SINKS,
    TEXT_HAS_POSITIONS, TRANSFORMERS_KERNEL, TRANSFORMERS_WHOLE_LAYERS, WHOLE_NODES, WHOLE_PASSES,
};
use shardwise_question::plan::ZeroPlus;
use shardwise_question::wire::Backend::Deepspeed;
use shardwise_question::wire::WorkloadKind::Rollout;

/// What `DeepSpeed` refuses, or accepts and ignores.
pub(crate) static RULES: &[Rule] = &[
    all(BUT_ACTIVATIONS),
    ACTIVATIONS_STAY.or("ds_config.json moves no activations of Hugging Face models. Use recompute instead."),
    TRANSFORMERS_WHOLE_LAYERS,
];

/// The same where the file alone says what steps.
pub(crate) static OWN: &[Rule] = &[NO_TEACHER, all(RULES), SINKS, all(optimizer::DEEPSPEED)];

/// What a program asks that moves activations by itself.
pub(crate) static BUT_ACTIVATIONS: &[Rule] = &[
    NO_RL.or("A ds_config.json lays out one training loop, no generation. Take veRL's flags."),
    REFERENCE_FOLLOWS.or("The reference is set up as what trains. Leave its plan out."),
    no_kind(&[Rollout]).or("DeepSpeed's configuration trains; for generation alone start vLLM or SGLang itself."),
    backends(&[Deepspeed]).or("Set the backend to deepspeed{way}."),
    HALF.or("DeepSpeed trains in bf16 or fp16. Choose one of these."),
    WHOLE_NODES,
    TEXT_HAS_POSITIONS,
    ones(&[PP, CP, EP, ETP]).or("ds_config.json has no {words}. Set it to 1."),
    divides("plan.tensor_parallel", |a| (a.tp * a.ulysses, a.gpus))
        .or("{gpus} GPUs are no multiple of TP {tp} × Ulysses {ulysses}."),
    HEADS_BY_TP,
    HEADS_BY_ULYSSES,
    TRANSFORMERS_KERNEL,
    TP_GOES_WITH_ZERO_2,
    NO_TP_OF_4_BITS,
    SPLITS_DENSE_LAYERS,
    WHOLE_PASSES,
    all(ZERO),
    must("plan.zero_quantized_weights", |a| !a.layout.zero_plus.quantized_weights || !a.workload.quantized_base())
        .or("The base is in 4 bits already. Set it to false."),
];

/// `SUPPORTED_STYLES` of `module_inject/tp_plan_converter.py`: another in a model's plan has all of it refused.
const SPLITS_DENSE_LAYERS: Rule = must("plan.tensor_parallel", |a| {
    a.tp == 1 || (a.shape.num_experts == 0 && !a.shape.layer_pattern.contains(['L', 'M']))
})
.or("DeepSpeed splits no matrices of experts or of state spaces. Set tensor_parallel to 1.");

pub(crate) const TP_GOES_WITH_ZERO_2: Rule = must("plan.tensor_parallel", |a| a.tp == 1 || a.layout.zero_stage <= 2)
    .or("DeepSpeed's tensor parallelism goes with ZeRO 0 to 2. Set tensor_parallel to 1 or zero_stage to 2.");

/// `module_inject/auto_tp.py` of 0.19.8 takes bitsandbytes' layer of 4 bits for a plain one, and splits what is packed.
pub(crate) const NO_TP_OF_4_BITS: Rule = must("plan.tensor_parallel", |a| a.tp == 1 || !a.workload.quantized_base())
    .or("DeepSpeed's tensor parallelism splits no base of 4 bits. Set tensor_parallel to 1.");

/// What ZeRO shards and moves to host memory.
pub(crate) static ZERO: &[Rule] = &[
    must("plan.zero_stage", |a| a.layout.zero_stage <= 3).or("ZeRO has the stages 0 to 3."),
    must("plan.shard_group", |a| a.layout.zero_stage < 3 || a.group == a.gpus)
        .or("DeepSpeed 0.19 shards over all GPUs (MiCS is removed). Set shard_group to {gpus}."),
    must("plan.offload.parameters", |a| !a.layout.offload.parameters || a.layout.zero_stage == 3)
        .or("Weights are offloaded under ZeRO 3 only. Set zero_stage to 3."),
    must("plan.offload.optimizer", |a| {
        !a.layout.offload.parameters || a.layout.offload.optimizer || a.layout.steps_with_gradients()
    })
    .or("Where the weights are in host memory, the optimizer is too. Set it to true."),
    must("plan.offload.optimizer", |a| !a.layout.offload.optimizer || a.layout.zero_stage >= 1)
        .or("The optimizer is offloaded under ZeRO 1 to 3. Set zero_stage to 1 or more."),
    GRADIENTS_FOLLOW,
];

/// `offload_optimizer` of `runtime/zero/stage_1_and_2.py` and `stage3.py` moves both, and no key moves one of them.
pub(crate) const GRADIENTS_FOLLOW: Rule =
    must("plan.offload.gradients", |a| a.layout.offload.optimizer == a.layout.offload.gradients)
        .or("DeepSpeed keeps gradients where its optimizer is. Offload both, or neither.");

/// Refuses what only a `ds_config.json` of one's own says.
pub(crate) static HOST_MEMORY_ALONE: &[Rule] = &[
    must("plan.nvme_offload", |a| !a.layout.nvme_offload)
        .or("{name}'s text offloads to host memory alone. Set it to false, or take DeepSpeed's flags."),
    must("plan.zero_hpz_partition_size", |a| a.layout.zero_plus == ZeroPlus::OFF)
        .or("{name}'s text has no ZeRO++. Leave its fields out, or take DeepSpeed's flags."),
];
