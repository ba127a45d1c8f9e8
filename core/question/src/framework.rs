//! The frameworks that texts are printed for, by name and version.

mod between;
mod logits;

pub use between::{Gathering, Waking, drives_lightly, engine_apart, gathering, waking};
pub use logits::{LogitBytes, rl_logit_bytes};

use shardwise_catalog::error::InputError;
use shardwise_catalog::model::Shape;

/// A framework by name: what a list of them shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Identifier, as in `shardwise flags --for`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Versions that texts are printed for and checked against, the default first.
    pub versions: &'static [&'static str],
    /// Documentation of its keys.
    pub docs_url: &'static str,
}

const fn named(
    id: &'static str,
    name: &'static str,
    versions: &'static [&'static str],
    docs_url: &'static str,
) -> Named {
    Named { id, name, versions, docs_url }
}

/// veRL.
pub const VERL: Named = named(
    "verl",
    "veRL",
    &["0.9.1", "0.8.0", "0.7.1", "0.5.0", "0.4.1"],
    "https://verl.readthedocs.io/en/latest/examples/config.html",
);

/// ChatLearn.
pub const CHATLEARN: Named = named(
    "chatlearn",
    "ChatLearn",
    &["1.2.0"],
    "https://github.com/alibaba/ChatLearn/blob/b7af31a972eb6c420ef0b5c04ea920820d68f784/docs/en/config.md",
);

/// DeepSpeed.
pub const DEEPSPEED: Named =
    named("deepspeed", "DeepSpeed", &["0.19.8", "0.16.9"], "https://www.deepspeed.ai/docs/config-json/");

/// LLMForge.
pub const LLMFORGE: Named =
    named("llmforge", "LLMForge", &["v2"], "https://docs.anyscale.com/reference/finetuning-config-api");

/// TRL.
pub const TRL: Named = named("trl", "TRL", &["1.16.0"], "https://huggingface.co/docs/trl/v1.16.0/en/index");

/// OpenRLHF.
pub const OPENRLHF: Named = named("openrlhf", "OpenRLHF", &["0.11.2"], "https://openrlhf.readthedocs.io/en/latest/");

/// Megatron-LM.
pub const MEGATRON_LM: Named = named(
    "megatron-lm",
    "Megatron-LM",
    &["0.19.2"],
    "https://github.com/NVIDIA/Megatron-LM/blob/f8837c04ef6cbef6cdefb8de001aad63178aebbf/megatron/training/arguments.py",
);

/// Megatron-Bridge.
pub const MEGATRON_BRIDGE: Named =
    named("megatron-bridge", "Megatron-Bridge", &["0.6.2"], "https://docs.nvidia.com/nemo/megatron-bridge/latest/");

/// torchtitan.
pub const TORCHTITAN: Named = named(
    "torchtitan",
    "torchtitan",
    &["0.3.0"],
    "https://github.com/pytorch/torchtitan/blob/b5bcd76c66d0acb1a08b176d9639425bc55e0b2a/torchtitan/config/README.md",
);

/// LLaMA-Factory.
pub const LLAMAFACTORY: Named =
    named("llamafactory", "LLaMA-Factory", &["0.9.5"], "https://github.com/hiyouga/LLaMA-Factory/tree/v0.9.5/examples");

/// axolotl.
pub const AXOLOTL: Named =
    named("axolotl", "axolotl", &["0.21.0"], "https://docs.axolotl.ai/docs/config-reference.html");

/// ms-swift, ModelScope's.
pub const MS_SWIFT: Named = named(
    "ms-swift",
    "ms-swift",
    &["4.6.0"],
    "https://swift.readthedocs.io/en/latest/Instruction/Command-line-parameters.html",
);

/// Unsloth.
pub const UNSLOTH: Named = named("unsloth", "Unsloth", &["2026.10.9"], "https://unsloth.ai/docs");

/// `EasyR1`, whose texts are read alone.
pub const EASYR1: Named = named("easyr1", "EasyR1", &["b44b311"], "https://github.com/hiyouga/EasyR1");

/// slime.
pub const SLIME: Named = named(
    "slime",
    "slime",
    &["624b824"],
    "https://github.com/THUDM/slime/blob/624b824a898ab0ec1fcb4d373004c7f3852bf515/slime/utils/arguments.py",
);

/// NeMo-RL.
pub const NEMO_RL: Named = named(
    "nemo-rl",
    "NeMo-RL",
    &["7ea279a"],
    "https://github.com/NVIDIA-NeMo/RL/tree/7ea279abfbeb698b092856d0dab61e7cf39bc909/examples/configs",
);

/// `SkyRL`.
pub const SKYRL: Named = named(
    "skyrl",
    "SkyRL",
    &["0.3.0"],
    "https://github.com/NovaSky-AI/SkyRL/blob/skyrl-v0.3.0/skyrl/train/config/config.py",
);

/// Whether a framework keeps a frozen reference in host memory and lets it take the policy's place on the card for its passes,
/// whose own weights wait in host memory meanwhile.
///
/// NeMo-RL copies its weights to the host once (`setup_reference_model_state` of `models/megatron/setup.py`, lines 2155 to 2168, and
/// of `models/automodel/setup.py`) and exchanges them with the policy's around each pass (`use_reference_model` of
/// `models/policy/workers/megatron_policy_worker.py`, line 1971, and of `dtensor_policy_worker_v2.py`, line 1007); slime has a
/// pinned copy of each (`_switch_model` of `backends/megatron_utils/actor.py`, line 302, and `utils/tensor_backper.py`, line 61);
/// `SkyRL` moves the two to host memory by turns (`_ensure_on_gpu` of `backends/skyrl_train/workers/worker_dispatch.py`, line 140).
///
/// ```
/// use shardwise_core::framework::swaps_reference;
/// assert_eq!([None, Some("verl"), Some("nemo-rl"), Some("slime")].map(swaps_reference), [false, false, true, true]);
/// ```
#[must_use]
pub fn swaps_reference(framework: Option<&str>) -> bool {
    framework.is_some_and(|own| [NEMO_RL.id, SLIME.id, SKYRL.id].contains(&own))
}

/// Whether a framework splits matrices beside FSDP, where all weights train: torchtitan (`ParallelDims`), axolotl
/// (`tensor_parallel_size`) and NeMo-RL (`dtensor_cfg.tensor_parallel_size`), the last in RL, too.
///
/// ```
/// use shardwise_core::framework::splits_matrices_beside_fsdp;
/// assert_eq!([None, Some("verl"), Some("torchtitan")].map(splits_matrices_beside_fsdp), [false, false, true]);
/// ```
#[must_use]
pub fn splits_matrices_beside_fsdp(framework: Option<&str>) -> bool {
    framework.is_some_and(|own| [TORCHTITAN.id, AXOLOTL.id, NEMO_RL.id].contains(&own))
}

/// Whether a framework that splits matrices beside FSDP leaves norms whole: axolotl does, as the plans of Hugging Face's models
/// (`base_model_tp_plan`) split products alone.
///
/// ```
/// use shardwise_core::framework::keeps_norms_whole;
/// assert_eq!([None, Some("torchtitan"), Some("axolotl")].map(keeps_norms_whole), [false, false, true]);
/// ```
#[must_use]
pub fn keeps_norms_whole(framework: Option<&str>) -> bool {
    framework == Some(AXOLOTL.id)
}

/// Whether a framework's RL has ring attention beside `DeepSpeed`: `OpenRLHF`'s `--ds.ring_attn_size`.
///
/// ```
/// use shardwise_core::framework::rings_beside_deepspeed;
/// assert_eq!([None, Some("trl"), Some("openrlhf")].map(rings_beside_deepspeed), [false, false, true]);
/// ```
#[must_use]
pub fn rings_beside_deepspeed(framework: Option<&str>) -> bool {
    framework.is_some_and(|own| own == OPENRLHF.id)
}

/// Whether a framework evaluates a reference in each RL step, also where the loss has no use for it: `ChatLearn`'s flow hands the
/// responses from its policy to the reference and on (`env_compute_flow` of `chatlearn/algorithm/grpo.py`, lines 215 to 229 of
/// <https://github.com/alibaba/ChatLearn/blob/b7af31a972eb6c420ef0b5c04ea920820d68f784/chatlearn/algorithm/grpo.py>).
///
/// ```
/// use shardwise_core::framework::always_refers;
/// assert_eq!([None, Some("verl"), Some("chatlearn")].map(always_refers), [false, false, true]);
/// ```
#[must_use]
pub fn always_refers(framework: Option<&str>) -> bool {
    framework == Some(CHATLEARN.id)
}

/// Whether a framework's FSDP loads the frozen base of adapters in fp32, as it loads weights that all train: `SkyRL`'s policy does
/// (`init_model` of `backends/skyrl_train/workers/fsdp/fsdp_worker.py`, line 161: `bf16=self.cfg.policy.inference_only_init`, and
/// `HFModelWrapper` of `backends/skyrl_train/workers/model_wrapper.py`, lines 135 to 158).
///
/// ```
/// use shardwise_core::framework::keeps_base_in_fp32;
/// assert_eq!([None, Some("verl"), Some("skyrl")].map(keeps_base_in_fp32), [false, false, true]);
/// ```
#[must_use]
pub fn keeps_base_in_fp32(framework: Option<&str>) -> bool {
    framework == Some(SKYRL.id)
}

/// Whether a framework pauses training with all that it has on the card in host memory, gradients too, and keeps one more copy of the
/// policy there: slime does (`TMS_INIT_ENABLE_CPU_BACKUP` in `ray/actor_group.py`, line 96 of
/// <https://github.com/THUDM/slime/blob/624b824a898ab0ec1fcb4d373004c7f3852bf515/slime/ray/actor_group.py>, and `weights_backuper` in
/// `backends/megatron_utils/actor.py`, line 121).
///
/// ```
/// use shardwise_core::framework::pauses_whole;
/// assert_eq!([None, Some("verl"), Some("slime")].map(pauses_whole), [false, false, true]);
/// ```
#[must_use]
pub fn pauses_whole(framework: Option<&str>) -> bool {
    framework == Some(SLIME.id)
}

/// Whether a framework computes Gated `DeltaNet` whole on every GPU of a tensor-parallel group and of a context-parallel one: slime
/// takes Hugging Face's module, before which it gathers what both have split (`slime_plugins/models/hf_attention.py` of 624b824,
/// lines 44 and 109: "the linear attention after this gather is NOT TP-sharded (duplicated on all ranks)"; miles, which began as
/// slime, as well, but no longer over a context-parallel group, where ranks hand the state on:
/// <https://github.com/radixark/miles/pull/885>). Megatron-Core's own module, which the others have, splits its heads
/// (`core/ssm/gated_delta_net/gdn.py`).
///
/// ```
/// use shardwise_core::framework::repeats_delta_net;
/// assert_eq!([None, Some("verl"), Some("slime")].map(repeats_delta_net), [false, false, true]);
/// ```
#[must_use]
pub fn repeats_delta_net(framework: Option<&str>) -> bool {
    framework == Some(SLIME.id)
}

/// Whether a framework trains a model of this shape with scores in memory where nothing is said: its texts load Hugging Face's models,
/// and no kernel but the eager one passes gradients back to attention sinks (the rule `SINKS` says by what source). LLaMA-Factory loads
/// vLLM's `FlashAttention`-3 for such a model whatever its keys say (`model/model_utils/attention.py` of 0.9.5, line 34).
///
/// ```
/// use shardwise_core::{catalog, framework::attends_eagerly};
/// let shape = |id| &catalog::model(id).unwrap().shape;
/// assert!(attends_eagerly(Some("trl"), shape("gpt-oss-20b")) && !attends_eagerly(Some("trl"), shape("qwen3-8b")));
/// assert!(!attends_eagerly(None, shape("gpt-oss-20b")) && !attends_eagerly(Some("unsloth"), shape("gpt-oss-20b")));
/// ```
#[must_use]
pub fn attends_eagerly(framework: Option<&str>, shape: &Shape) -> bool {
    shape.attn_sinks && framework.is_some_and(|own| [TRL.id, DEEPSPEED.id, AXOLOTL.id, MS_SWIFT.id].contains(&own))
}

/// Bytes in which a framework's Megatron sums gradients where the question states none; `narrow` where products have 8 bits or fewer.
///
/// Megatron-LM sums those of bf16 weights in fp32, whatever the products, unless `--grad-reduce-in-bf16` or `--main-grads-dtype` says
/// otherwise (`megatron/training/arguments.py` of d98e8a64, lines 1206 to 1216), and so does slime, which takes its arguments.
/// ms-swift does (`megatron/arguments/megatron_args.py` of 3602360a, lines 505 and 1116), veRL (`utils/megatron_utils.py` of
/// 1dda039b, line 105), `SkyRL` (`train/config/config.py` of a9564572, line 250) and Megatron-Bridge's named precisions
/// (`training/mixed_precision.py` of 0.6.2, line 47). NeMo-RL's examples say `grad_reduce_in_fp32: false`
/// (`examples/configs/grpo_math_1B.yaml` of 7ea279ab, line 302; `sft.yaml`, line 227; `dpo.yaml`, line 239), which is followed beside products of 8 bits. Where no framework is
/// named, what is published in 8 bits or fewer is tuned runs, which sum in bf16.
///
/// ```
/// use shardwise_core::framework::summed_gradient_bytes;
/// let narrow = |framework| summed_gradient_bytes(framework, true);
/// assert_eq!([None, Some("megatron-lm"), Some("ms-swift"), Some("nemo-rl")].map(narrow), [2.0, 4.0, 4.0, 2.0]);
/// assert_eq!([None, Some("nemo-rl")].map(|own| summed_gradient_bytes(own, false)), [4.0, 4.0]);
/// ```
#[must_use]
pub fn summed_gradient_bytes(framework: Option<&str>, narrow: bool) -> f64 {
    let in_half = framework.is_none_or(|own| own == NEMO_RL.id);
    if narrow && in_half { 2.0 } else { 4.0 }
}

/// Whether a framework counts the responses of a pass of RL, and has no budget of tokens for it: TRL's trainers split what was
/// generated in as many parts as there are passes (`_prepare_inputs` of `trainer/grpo_trainer.py` of 1.16.0, line 1544, and of
/// `rloo_trainer.py`, line 1113), and Unsloth's GRPO is that trainer; `UNSLOTH_TOKEN_BUDGET` is of fine-tuning alone
/// (`unsloth/utils/token_budget.py` of 2026.10.9).
///
/// ```
/// use shardwise_core::framework::counts_responses;
/// assert_eq!([None, Some("verl"), Some("trl"), Some("unsloth")].map(counts_responses), [false, false, true, true]);
/// ```
#[must_use]
pub fn counts_responses(framework: Option<&str>) -> bool {
    framework.is_some_and(|own| [TRL.id, UNSLOTH.id].contains(&own))
}

/// Whether a framework pads the sequences of a pass of RL, of `longest` tokens at most, rather than set them side by side.
///
/// TRL's trainers pad all that one generation made to its longest prompt and its longest response, and hand the model these
/// (`_generate_and_score_completions` of `trainer/grpo_trainer.py` of 1.16.0, lines 2443 to 2465; `trainer/rloo_trainer.py`, line
/// 1497; `trainer/distillation_trainer.py`, line 1568). Unsloth sets the sequences of a pass side by side unless
/// `UNSLOTH_GRPO_SEQ_PACKING` is 0, but not those that are longer than a window of the model's, nor where that changes what comes
/// of them, as it does where layers carry a state along (`unsloth_zoo/rl_replacements.py` of 2026.10.9, lines 3191 to 3357).
///
/// ```
/// use shardwise_core::{framework::pads_responses, model};
/// let of = |id: &str| model::resolve_model(&id.into(), "model").unwrap().shape;
/// let pads = |framework, id| pads_responses(framework, &of(id), 4096);
/// assert_eq!([None, Some("verl"), Some("trl"), Some("unsloth")].map(|own| pads(own, "qwen3-8b")), [false, false, true, false]);
/// assert!(pads(Some("unsloth"), "gpt-oss-20b"));
/// ```
#[must_use]
pub fn pads_responses(framework: Option<&str>, shape: &Shape, longest: u64) -> bool {
    let windowed = shape.sliding_window > 0 && longest > shape.sliding_window;
    let carries = shape.layer_pattern.contains(['L', 'M']);
    framework == Some(TRL.id) || framework == Some(UNSLOTH.id) && (windowed || carries)
}

/// Whether a framework joins no sequences at all, so that each is padded: `padding` is all that LLMForge's templates have
/// (<https://github.com/anyscale/templates>, `templates/fine-tune-llm_v2` before its removal).
///
/// ```
/// use shardwise_core::framework::packs_nothing;
/// assert_eq!([None, Some("trl"), Some("llmforge")].map(packs_nothing), [false, false, true]);
/// ```
#[must_use]
pub fn packs_nothing(framework: Option<&str>) -> bool {
    framework == Some(LLMFORGE.id)
}

/// Whether a framework pads what it does not pack to the longest of a step's whole batch, and not of a micro-batch: NeMo-RL's collators
/// get all of it (`data/collate_fn.py` at 0406a641, `preference_collate_fn`).
///
/// ```
/// use shardwise_core::framework::pads_whole_batches;
/// assert_eq!([None, Some("trl"), Some("nemo-rl")].map(pads_whole_batches), [false, false, true]);
/// ```
#[must_use]
pub fn pads_whole_batches(framework: Option<&str>) -> bool {
    framework == Some(NEMO_RL.id)
}

/// Whether a framework's FSDP leaves gradients whole until a step's last micro-batch where nothing is said: Hugging Face's Trainer does,
/// which these four subclass.
///
/// It has all others run in accelerate's `no_sync` unless `accelerator_config.gradient_accumulation_kwargs` has `sync_each_batch`
/// (`transformers` 5.2.0 to 5.24.0, `trainer.py`, line 1904), which is FSDP1's and FSDP2's `set_requires_gradient_sync(False)`
/// (accelerate 1.15.0, `accelerator.py`, lines 1166 to 1180).
///
/// ```
/// use shardwise_core::framework::{deferred_gradient_bytes, defers_gradients, may_defer_gradients};
/// assert_eq!([None, Some("trl"), Some("verl")].map(defers_gradients), [false, true, false]);
/// assert_eq!(["axolotl", "verl", "torchtitan"].map(may_defer_gradients), [true, true, false]);
/// assert_eq!([None, Some("trl"), Some("verl")].map(deferred_gradient_bytes), [4.0, 2.0, 4.0]);
/// ```
#[must_use]
pub fn defers_gradients(framework: Option<&str>) -> bool {
    framework.is_some_and(|own| [TRL.id, LLAMAFACTORY.id, AXOLOTL.id, MS_SWIFT.id].contains(&own))
}

/// Whether it leaves gradients whole where it is told to: those, and veRL since 0.9.1 (`use_no_sync_for_gradient_accumulation`, which
/// `trainer/config/engine/fsdp.yaml` there has as false).
#[must_use]
pub fn may_defer_gradients(framework: &str) -> bool {
    defers_gradients(Some(framework)) || framework == VERL.id
}

/// Bytes of a gradient that so stays whole: with accelerate the 16 bits of products, in which it reduces them
/// (`utils/dataclasses.py`, `FullyShardedDataParallelPlugin.set_mixed_precision`); fp32 of veRL's FSDP2
/// (`workers/engine/fsdp/transformer_impl.py`, line 379, `reduce_dtype`), and where nobody is named, as veRL may be who runs it.
#[must_use]
pub fn deferred_gradient_bytes(framework: Option<&str>) -> f64 {
    if defers_gradients(framework) { 2.0 } else { 4.0 }
}

/// Every framework, in the order in which the page shows them.
pub static NAMES: [Named; 16] = [
    VERL,
    CHATLEARN,
    DEEPSPEED,
    LLMFORGE,
    TRL,
    OPENRLHF,
    SLIME,
    NEMO_RL,
    SKYRL,
    MEGATRON_LM,
    MEGATRON_BRIDGE,
    TORCHTITAN,
    LLAMAFACTORY,
    AXOLOTL,
    MS_SWIFT,
    UNSLOTH,
];

impl Named {
    /// The framework of an identifier.
    ///
    /// # Errors
    /// Lists those that there are.
    pub fn of(id: &str) -> Result<&'static Self, InputError> {
        NAMES.iter().find(|own| own.id == id).ok_or_else(|| unknown(id))
    }

    /// The version called `name`, which a question gives as `framework_version`; the default for an empty name.
    ///
    /// # Errors
    /// Lists the versions that there are.
    pub fn version(&self, name: &str) -> Result<&'static str, InputError> {
        version_of((self.name, self.versions), name, "framework_version")
    }
}

/// The version called `asked` of a framework, which is given by name and versions; its default for an empty text.
///
/// ```
/// use shardwise_core::framework::{VERL, version_of};
/// let verl = (VERL.name, VERL.versions);
/// assert_eq!(version_of(verl, "", "version").unwrap(), VERL.versions[0]);
/// assert_eq!(version_of(verl, "0.1", "version").unwrap_err().field, "version");
/// ```
pub fn version_of(
    (name, versions): (&str, &[&'static str]),
    asked: &str,
    field: &'static str,
) -> Result<&'static str, InputError> {
    if asked.is_empty() {
        return Ok(versions.first().copied().unwrap_or_default());
    }
    let found = versions.iter().find(|version| **version == asked);
    found.copied().ok_or_else(|| {
        InputError::new(
            field,
            format!("There are no texts for {name} {:?}. Give one of {}.", short(asked), versions.join(", ")),
        )
    })
}

/// The error about an identifier that no framework has; it lists those that there are.
///
/// ```
/// let error = shardwise_core::framework::unknown("accelerate");
/// assert!(error.message.starts_with("There is no framework \"accelerate\" here. Give one of verl, "), "{error}");
/// ```
pub fn unknown(id: &str) -> InputError {
    let known: Vec<&str> = NAMES.iter().map(|own| own.id).collect();
    let message = format!("There is no framework {:?} here. Give one of {}.", short(id), known.join(", "));
    InputError::new("framework", message)
}

/// As much of what somebody typed as an error repeats.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
