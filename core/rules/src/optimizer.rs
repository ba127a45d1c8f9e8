//! Which optimizer each framework steps by, and what it calls it.

use super::rule::{Rule, all, must, when};
use shardwise_question::plan::Layout;
use shardwise_question::wire::Backend::{self, Deepspeed, Fsdp, Megatron};
use shardwise_question::wire::Optimizer::{
    self, Adafactor, Adamw, Adamw8bit, Lion, Lion8bit, Muon, PagedAdamw, PagedAdamw8bit, Sgd,
};
use shardwise_question::wire::Precision::Fp16;

/// No weight is stepped in the backward pass.
const AFTER_BACKWARD: Rule = must("plan.optimizer_in_backward", |a| !a.layout.optimizer.in_backward)
    .or("{name} steps all weights after the backward pass. Leave it out.");

/// Nothing is rounded by chance.
const NEAREST: Rule = must("plan.bf16_stochastic_round", |a| !a.layout.optimizer.bf16_stochastic_round)
    .or("{name} rounds to the nearest. Leave it out, or take veRL's flags with fsdp.");

const ONLY_ADAMW: Rule =
    must("plan.optimizer", |a| a.layout.optimizer.kind == Adamw).or("{name} steps by adamw alone. Choose it.");

/// Frameworks that know one optimizer.
pub(crate) static ADAMW_ALONE: &[Rule] = &[ONLY_ADAMW, AS_USUAL];

/// Weights are stepped together, and rounded to the nearest.
pub(crate) const AS_USUAL: Rule = all(&[AFTER_BACKWARD, NEAREST]);

/// What Hugging Face's Trainer calls the plan's optimizer (transformers 5.23.0, `OptimizerNames`); `None` where it has none.
///
/// bitsandbytes' kernels and Hugging Face's Adafactor step whole tensors, none that FSDP2 shards: there torchao's 8-bit AdamW
/// stands in for theirs (axolotl 0.21.0, `check_fsdp2_w_8bit_optimizer`).
#[must_use]
pub fn hugging_face(backend: Backend, optimizer: Optimizer) -> Option<&'static str> {
    let whole = backend != Fsdp;
    Some(match optimizer {
        Adamw => "adamw_torch_fused",
        Adamw8bit if whole => "adamw_8bit",
        Adamw8bit => "adamw_torch_8bit",
        Sgd => "sgd",
        PagedAdamw if whole => "paged_adamw_32bit",
        PagedAdamw8bit if whole => "paged_adamw_8bit",
        Adafactor if whole => "adafactor",
        Lion if whole => "lion_32bit",
        Lion8bit if whole => "lion_8bit",
        _ => return None,
    })
}

/// The optimizer that `DeepSpeed` builds from its own file (0.19.8, `_configure_basic_optimizer`); `None` where the trainer
/// has to hand it one.
#[must_use]
pub fn deepspeed(optimizer: Optimizer) -> Option<&'static str> {
    match optimizer {
        Adamw => Some("AdamW"),
        Lion => Some("Lion"),
        Muon => Some("Muon"),
        Sgd => Some("SGD"),
        _ => None,
    }
}

/// Megatron-Core's word (up to 0.16.1 alone, and in Megatron-Bridge: 0.19.2 asks for `muon` beside the distributed optimizer, and
/// warns of `dist_muon`): its distributed optimizer has no Muon, which shards by whole layers instead.
#[must_use]
pub fn megatron(layout: &Layout) -> &'static str {
    match layout.optimizer.kind {
        Sgd => "sgd",
        Muon if layout.zero_stage >= 1 => "dist_muon",
        Muon => "muon",
        _ => "adam",
    }
}

/// Whether Megatron-Core's distributed optimizer steps.
#[must_use]
pub fn distributed(layout: &Layout) -> bool {
    layout.zero_stage >= 1 && layout.optimizer.kind != Muon
}

/// bitsandbytes and Adafactor under FSDP2.
const STEPS_SHARDS: Rule = must("plan.optimizer", |a| {
    !a.is(Fsdp) || a.layout.optimizer.kind == Muon || hugging_face(Fsdp, a.layout.optimizer.kind).is_some()
})
.or("It steps whole tensors, which FSDP2 shards. Choose adamw, adamw_8bit or sgd, or another backend.");

/// TRL's.
pub(crate) static TRL: &[Rule] = &[
    must("plan.optimizer", |a| a.layout.optimizer.kind != Muon)
        .or("Hugging Face's Trainer has no Muon. Choose another optimizer, or take axolotl's or DeepSpeed's flags."),
    STEPS_SHARDS,
    NO_SGD_ON_CPUS,
    AS_USUAL,
];

/// LLaMA-Factory's, whose Muon steps whole tensors (`train/trainer_utils.py`, `_create_muon_optimizer`).
pub(crate) static LLAMAFACTORY: &[Rule] = &[
    must("plan.optimizer", |a| a.layout.optimizer.kind != Muon || !(a.is(Fsdp) || a.is(Deepspeed))).or(
        "LLaMA-Factory's Muon steps whole tensors, none that are sharded. Set the backend to ddp, or choose adamw.",
    ),
    STEPS_SHARDS,
    NO_SGD_ON_CPUS,
    AS_USUAL,
];

/// axolotl's (`utils/schemas/validation.py`).
pub(crate) static AXOLOTL: &[Rule] = &[
    must("plan.optimizer", |a| a.layout.optimizer.kind != Muon || !a.is(Deepspeed))
        .or("axolotl's Muon goes with no DeepSpeed. Set the backend to fsdp or ddp, or choose adamw."),
    STEPS_SHARDS,
    NO_SGD_ON_CPUS,
    AS_USUAL,
];

/// ms-swift's, whose Muon is Moonlight's and steps whole tensors (4.6.0, `optimizers/muon.py`).
pub(crate) static MS_SWIFT: &[Rule] = &[
    must("plan.optimizer", |a| a.layout.optimizer.kind != Muon || !(a.is(Fsdp) || a.is(Deepspeed)))
        .or("ms-swift's Muon steps whole tensors, none that are sharded. Set the backend to ddp, or choose adamw."),
    STEPS_SHARDS,
    NO_SGD_ON_CPUS,
    AS_USUAL,
];

/// `DeepSpeed`'s own.
pub(crate) static DEEPSPEED: &[Rule] = &[
    must("plan.optimizer", |a| deepspeed(a.layout.optimizer.kind).is_some())
        .or("DeepSpeed builds adamw, lion, muon and sgd by itself. Choose one of these, or take TRL's, LLaMA-Factory's or axolotl's flags."),
    NO_SGD_ON_CPUS,
    AS_USUAL,
];

/// `runtime/zero/utils.py` and `engine.py`: `ZeRO-Offload` steps by optimizers of its own.
const NO_SGD_ON_CPUS: Rule =
    must("plan.optimizer", |a| !a.is(Deepspeed) || a.layout.optimizer.kind != Sgd || !a.layout.offload.optimizer)
        .or("In host memory DeepSpeed steps by adamw or lion. Choose one of these, or set offload.optimizer to false.");

/// `OpenRLHF`'s (`--optim`).
pub(crate) static OPENRLHF: &[Rule] = &[
    must("plan.optimizer", |a| matches!(a.layout.optimizer.kind, Adamw | Muon))
        .or("OpenRLHF steps by adamw or muon. Choose one of these."),
    AS_USUAL,
];

/// What FSDP steps by in veRL: an optimizer of PyTorch's or torchao's that it imports by name (`workers/config/optimizer.py`).
pub(crate) static VERL_FSDP: &[Rule] = &[
    must("plan.optimizer", |a| matches!(a.layout.optimizer.kind, Adamw | Adamw8bit | Sgd))
        .or("veRL's FSDP steps by adamw, adamw_8bit or sgd. Choose one of these."),
    AFTER_BACKWARD,
];

/// Megatron-Bridge 0.6.2 wraps models for one optimizer and steps by another (`training/optim.py`); Megatron-LM refused it up to 0.16.1.
pub(crate) const MUON_WAITS: Rule = must("plan.overlap", |a| {
    let overlap = a.layout.overlap;
    a.layout.optimizer.kind != Muon || !(overlap.gradients || overlap.parameters)
})
.or("Megatron-Bridge's Muon overlaps neither gradients nor parameters here. Set both to false.");

/// `_get_megatron_emerging_optimizer` of megatron-core 0.19.2.
pub(crate) static MEGATRON: &[Rule] = &[
    AS_USUAL,
    when(
        |a| a.is(Megatron) && a.layout.optimizer.kind == Muon,
        &[
            must("workload.precision", |a| a.workload.precision != Fp16)
                .or("Megatron's Muon trains in no fp16. Choose bf16."),
            must("plan.master_weights_bytes", |a| a.layout.master_weights_bytes >= 3.5)
                .or("Narrow states are of Megatron's Adam alone. Leave it out."),
        ],
    ),
];
