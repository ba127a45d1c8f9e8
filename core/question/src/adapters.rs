//! Adapters as frameworks make them: whose modules they are, and which of a model's experts have some.

use crate::framework::{AXOLOTL, MEGATRON_BRIDGE, NEMO_RL, SKYRL, TORCHTITAN, UNSLOTH, VERL};
use crate::plan::{Layout, Recompute};
use crate::wire::{Backend, WorkloadKind};
use shardwise_catalog::model::Shape;

/// Whose adapters stand beside the matrices of Hugging Face's models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapters {
    /// PEFT's modules.
    Peft,
    /// Products that read their input once and add to the matrix's output in place.
    InPlace,
    /// The trainer's own modules.
    Own,
}

impl Adapters {
    /// Whether they are others than those of the runs that are known of a backend: FSDP's are prime-rl's, plain data parallelism's
    /// PEFT's.
    ///
    /// ```
    /// use shardwise_core::adapters::Adapters;
    /// use shardwise_core::wire::Backend;
    /// assert!(Adapters::Peft.are_others(Backend::Fsdp) && !Adapters::Peft.are_others(Backend::Ddp));
    /// ```
    #[must_use]
    pub fn are_others(self, backend: Backend) -> bool {
        match self {
            Self::Peft => backend == Backend::Fsdp,
            Self::InPlace => backend != Backend::Megatron,
            Self::Own => false,
        }
    }

    /// Whether they copy what enters their matrices, where a question names who puts them on or not.
    ///
    /// PEFT's are fp32 beside a base of fewer bits, and each copies its input to their type (0.18, `tuners/lora/layer.py`,
    /// `Linear.forward`: `_cast_input_dtype`; since 0.11, <https://github.com/huggingface/peft/pull/1706>). FSDP and `DeepSpeed` have cast
    /// the adapters to 16 bits by then; on one GPU, where they shard nothing, they are counted as plain. Whose they are that nobody
    /// names is open: Unsloth and axolotl, which put on others, compute again unless told not to, by default and in each example.
    #[must_use]
    pub fn copy_inputs(self, named: bool, layout: &Layout, gpus: u32) -> bool {
        let plain = layout.backend == Backend::Ddp;
        match self {
            Self::Peft => plain || gpus == 1,
            Self::Own => plain && !named && layout.recompute == Recompute::None,
            Self::InPlace => false,
        }
    }
}

/// Whose adapters a framework puts on for such a workload.
///
/// Unsloth adds in place (`matmul_lora` of `unsloth/kernels/utils.py` of 2026.10.9, line 1855). So does axolotl (`matmul_lora` of
/// `src/axolotl/kernels/lora.py` of 0.21.0, line 309), which turns that on by itself, but for preferences
/// (`utils/schemas/validation.py`, `lora_kernels_auto_enable`). NeMo-RL's Automodel has LoRA of its
/// own (<https://github.com/NVIDIA-NeMo/Automodel/blob/98f4a6892a01b25063b00a4c4243540a4f064caa/nemo_automodel/components/_peft/lora.py>),
/// as torchtitan has (`components/lora.py` of 0.3.0). The others that train Hugging Face's models load PEFT.
///
/// ```
/// use shardwise_core::adapters::{Adapters::{InPlace, Own, Peft}, adapters};
/// use shardwise_core::wire::WorkloadKind::{Dpo, Lora};
/// assert_eq!(adapters(None, Lora), Own);
/// assert_eq!(["trl", "torchtitan", "unsloth", "axolotl"].map(|own| adapters(Some(own), Lora)), [Peft, Own, InPlace, InPlace]);
/// assert_eq!(adapters(Some("axolotl"), Dpo), Peft);
/// ```
#[must_use]
pub fn adapters(framework: Option<&str>, kind: WorkloadKind) -> Adapters {
    let Some(own) = framework else {
        return Adapters::Own;
    };
    match own {
        _ if own == UNSLOTH.id || own == AXOLOTL.id && kind.preference().is_none() => Adapters::InPlace,
        _ if [NEMO_RL.id, TORCHTITAN.id].contains(&own) => Adapters::Own,
        _ => Adapters::Peft,
    }
}

/// What the routed experts of a layer have of adapters, where every linear layer has some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpertAdapters {
    /// Each expert its own.
    Each,
    /// All experts of a layer on one GPU the same.
    Shared,
    /// None.
    Missing,
}

impl ExpertAdapters {
    /// Those that a framework makes on a backend; where none is named, those of the frameworks that most use it.
    ///
    /// Megatron-Bridge's `LoRA` has one adapter for all experts of a rank (`share_expert_adapters: bool = True`,
    /// `src/megatron/bridge/peft/lora.py` of 067f987d, line 156, and `canonical_lora.py`, line 235), and so have those that load it
    /// and do not set that: veRL (`verl/workers/config/megatron_peft.py` of 1dda039b), NeMo-RL (`nemo_rl/models/megatron/setup.py`)
    /// and `SkyRL` (`backends/skyrl_train/workers/megatron/megatron_worker.py`). ms-swift's has one for each (`num_gemms` in
    /// `mcore_bridge/tuners/lora.py` of mcore-bridge 1.5).
    ///
    /// PEFT's `all-linear` is every `nn.Linear`. Experts in one tensor are none: it names them itself for the models whose
    /// `model_type` transformers converts as Mixtral or Qwen2-MoE (`peft/utils/transformers_weight_conversion.py` of 5d602fdb,
    /// `_convert_peft_config_moe`), which gpt-oss and Llama 4 are not of. Unsloth's notebooks of gpt-oss say how many weights
    /// train: 3,981,312 of 20 billion at rank 8, which are attention's
    /// (<https://github.com/unslothai/notebooks/blob/bdda2efc7ad5ae129ea63cd2065d23c391406283/nb/AMD-gpt-oss-(20B)-Fine-tuning.ipynb>). torchtitan's converter takes its
    /// `Linear` alone (`components/lora.py` of b5bcd76c, line 186), where no experts are; NeMo-RL's Automodel has one for each
    /// (`components/_peft/lora_experts.py` of 36044ad3).
    ///
    /// ```
    /// use shardwise_core::adapters::ExpertAdapters::{self, Each, Missing, Shared};
    /// use shardwise_core::{model, wire::Backend};
    /// let of = |id: &str| model::resolve_model(&id.into(), "model").unwrap().shape;
    /// let own = |framework, backend, id| ExpertAdapters::of(framework, backend, &of(id));
    /// assert_eq!(own(Some("trl"), Backend::Fsdp, "qwen3-30b-a3b"), Each);
    /// assert_eq!(own(Some("trl"), Backend::Fsdp, "gpt-oss-20b"), Missing);
    /// assert_eq!(own(Some("unsloth"), Backend::Ddp, "llama-4-scout-17b-16e"), Missing);
    /// assert_eq!(own(Some("megatron-bridge"), Backend::Megatron, "gpt-oss-20b"), Shared);
    /// assert_eq!(own(Some("ms-swift"), Backend::Megatron, "gpt-oss-20b"), Each);
    /// ```
    #[must_use]
    pub fn of(framework: Option<&str>, backend: Backend, shape: &Shape) -> Self {
        let is = |all: &[&str]| framework.is_some_and(|own| all.contains(&own));
        if backend == Backend::Megatron {
            let bridged = is(&[MEGATRON_BRIDGE.id, VERL.id, NEMO_RL.id, SKYRL.id]);
            return if bridged { Self::Shared } else { Self::Each };
        }
        if is(&[TORCHTITAN.id]) || !is(&[NEMO_RL.id]) && shape.has_experts_in_one_tensor() {
            Self::Missing
        } else {
            Self::Each
        }
    }
}
