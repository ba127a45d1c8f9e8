//! Older versions of veRL: the settings of 0.9.1, said as they were said then.
//!
//! Keys and the versions that have them: the packaged configurations of the wheels on PyPI, which `e2e/frameworks`
//! composes for every text. What workers read with `.get` and no configuration names is cited where it is used. What the
//! tables know to be renamed is said under its older name.

use super::keys::SECTIONS;
use crate::binding::{former, release};
use crate::emit::Unsupported;
use crate::emit::text::{Section, WrittenSetting, home};
use Fate::{Gone, Missing, Named, Refused};
use Version::{V0_4_1, V0_5_0, V0_7_1, V0_8_0, V0_9_1};

/// A version of veRL, older ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    V0_4_1,
    V0_5_0,
    V0_7_1,
    V0_8_0,
    V0_9_1,
}

impl Version {
    const ALL: [Self; 5] = [V0_4_1, V0_5_0, V0_7_1, V0_8_0, V0_9_1];

    /// The version of a name from [`VERL`](shardwise_question::framework::VERL).
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            V0_4_1 => "0.4.1",
            V0_5_0 => "0.5.0",
            V0_7_1 => "0.7.1",
            V0_8_0 => "0.8.0",
            V0_9_1 => "0.9.1",
        }
    }
}

/// What becomes of a setting.
#[derive(Clone, Copy)]
enum Fate {
    /// Another key, with its mark (`+`) where no packaged configuration has it.
    Named(&'static str),
    /// Gone: the version has only that behaviour, or none that the estimate misses.
    Gone,
    /// Gone, and the text says what the version does instead.
    Missing(&'static str),
    /// The version cannot do it at all.
    Refused(&'static str),
}

/// What is otherwise before a version: a key, or several with `|` between and `*` for any beginning or end. Versions and keys
/// are asked from above.
type Before = &'static [(Version, &'static [(&'static str, Fate)])];

/// With either backend.
const BEFORE: Before =
    &[(V0_9_1, BEFORE_0_9_1), (V0_8_0, BEFORE_0_8_0), (V0_7_1, BEFORE_0_7_1), (V0_5_0, BEFORE_0_5_0)];

const BEFORE_0_9_1: &[(&str, Fate)] = &[
    (
        "algorithm.filter_groups.enable",
        Missing(
            "filters no groups; recipe/dapo of its repository does. Without it a step generates only what it trains.",
        ),
    ),
    ("algorithm.filter_groups.metric", Gone),
    (
        "*use_no_sync_for_gradient_accumulation",
        Missing(
            "reduces the gradients of each micro-batch, which takes less memory than estimated, and more time between nodes.",
        ),
    ),
    (
        "*optim.use_precision_aware_optimizer",
        Missing("keeps gradients and moments in fp32; the estimate has them in bf16."),
    ),
    (
        "actor_rollout_ref.actor.optim.optimizer=muon|critic.optim.optimizer=muon|optim.optimizer=muon",
        Refused("has no Muon. Choose adamw or sgd."),
    ),
    ("*optim.use_layer_wise_distributed_optimizer", Gone),
    ("*optim.exp_avg_dtype|*optim.exp_avg_sq_dtype|*optim.main_grads_dtype", Gone),
    ("data.gen_batch_size", Missing("generates a step's prompts at once, whatever gen_batch_size says.")),
];

const BEFORE_0_8_0: &[(&str, Fate)] = &[
    ("distillation.*", Refused("serves no teacher.")),
    ("critic.fsdp.ulysses_sequence_parallel_size", Named("critic.ulysses_sequence_parallel_size")),
    // Read by `fsdp_workers.py` with a default.
    ("critic.fsdp.model_dtype", Named("++critic.model.fsdp_config.model_dtype")),
    // The Megatron configuration has its own name.
    ("model_engine", Gone),
    ("model.lora.*", Refused("trains adapters with FSDP only.")),
    // The package of 0.7.1 names it and leaves its code out.
    ("actor_rollout_ref.rollout.name=trtllm", Refused("generates with vLLM or SGLang only.")),
];

const BEFORE_0_7_1: &[(&str, Fate)] = &[
    // Servers of their own, by `rollout.mode`, and an agent's name in each row of the data.
    ("actor_rollout_ref.rollout.multi_turn.*", Refused("sets up agents otherwise.")),
    // 0.6 builds Megatron's optimizer from these keys for the first time.
    ("*override_optimizer_config.*", Refused("has no optimizer that steps in host memory.")),
    (
        "reward.reward_model.*",
        Refused("scores with a reward model that the trainer's own code runs, under other keys."),
    ),
    ("actor_rollout_ref.model.lora.*", Refused("trains adapters with FSDP only.")),
    (
        "actor_rollout_ref.actor.fsdp_config.ulysses_sequence_parallel_size",
        Named("actor_rollout_ref.actor.ulysses_sequence_parallel_size"),
    ),
    (
        "actor_rollout_ref.ref.fsdp_config.ulysses_sequence_parallel_size",
        Named("actor_rollout_ref.ref.ulysses_sequence_parallel_size"),
    ),
    // `fsdp_workers.py` of 0.5.0 loads every model with FlashAttention-2.
    ("*model.override_config.attn_implementation", Refused("attends by FlashAttention-2 with FSDP.")),
    // Read by `fsdp_workers.py` with a default.
    ("actor_rollout_ref.actor.fsdp_config.model_dtype", Named("+actor_rollout_ref.actor.fsdp_config.model_dtype")),
    ("actor_rollout_ref.actor.fsdp_config.dtype", Refused("computes in bf16 only.")),
    // The reference lives in the actor's workers and mesh.
    ("actor_rollout_ref.ref.fsdp_config.fsdp_size", Gone),
    ("reward.custom_reward_function.path", Named("custom_reward_function.path")),
    ("reward.custom_reward_function.name", Named("custom_reward_function.name")),
    (
        "actor_rollout_ref.actor.policy_loss.loss_mode",
        Refused("has no loss of ratios of whole responses, or of weights: choose grpo."),
    ),
    (
        "algorithm.rollout_correction.bypass_mode",
        Missing("always computes the old log-probabilities, which the question leaves out."),
    ),
    ("actor_rollout_ref.actor.optim.optimizer", Refused("keeps Adam's moments in fp32 only: 8 optimizer_bytes.")),
    (
        "actor_rollout_ref.rollout.data_parallel_size|actor_rollout_ref.rollout.expert_parallel_size",
        Refused("splits an engine by tensor parallelism only."),
    ),
    ("actor_rollout_ref.rollout.quantization", Refused("loads its engine in 16 bits only.")),
];

const BEFORE_0_5_0: &[(&str, Fate)] = &[(
    "actor_rollout_ref.model.exclude_modules",
    Refused("puts adapters on the vision tower too, where the estimate has none."),
)];

/// With Megatron; a key with a value stands before the key.
const BEFORE_WITH_MEGATRON: Before = &[
    (V0_8_0, &[("critic.model.use_remove_padding", Gone)]),
    (
        V0_7_1,
        &[
            (
                "actor_rollout_ref.actor.megatron.use_remove_padding=False|actor_rollout_ref.model.use_remove_padding=False",
                Refused("packs sequences with Megatron always."),
            ),
            // `models/mcore/config_converter.py` of 0.5.0 sets it, and compares what overrides it, a word, with a value of its own.
            (
                "*override_transformer_config.attention_backend",
                Refused("attends by TransformerEngine's fused kernels with Megatron."),
            ),
            // Always packed, and one kernel.
            (
                "actor_rollout_ref.model.use_remove_padding|actor_rollout_ref.model.fused_kernel_options.impl_backend",
                Gone,
            ),
        ],
    ),
    (
        V0_5_0,
        &[
            (
                "actor_rollout_ref.model.use_fused_kernels=True",
                Missing("has no fused LM head for Megatron: its logits take more memory than estimated."),
            ),
            ("actor_rollout_ref.model.use_fused_kernels|*.override_ddp_config.*", Gone),
        ],
    ),
];

/// What becomes of a setting in `version`; nothing where it stays as it is.
fn fate(version: Version, megatron: bool, key: &str, value: &str) -> Option<Fate> {
    let word = format!("{key}={value}");
    let own = if megatron { BEFORE_WITH_MEGATRON } else { &[] };
    for (before, rows) in BEFORE.iter().chain(own) {
        for (names, fate) in *rows {
            if version < *before && names.split('|').any(|name| is(name, key) || name == word) {
                return Some(*fate);
            }
        }
    }
    None
}

/// Whether a name, with a `*` at either end, is that of a key.
fn is(name: &str, key: &str) -> bool {
    let part = name.trim_matches('*');
    match (name.starts_with('*'), name.ends_with('*')) {
        (false, false) => key == part,
        (false, true) => key.starts_with(part),
        (true, false) => key.ends_with(part),
        (true, true) => key.contains(part),
    }
}

/// The settings of 0.9.1, said in `version`; warns of what that does not say.
pub(super) fn spell(
    version: Version,
    megatron: bool,
    sections: Vec<Section>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Section>, Unsupported> {
    let name = version.name();
    let mut spelt = Vec::new();
    for section in sections {
        let (title, settings) = section.into_parts();
        let mut then = Section::new(title);
        for setting in settings {
            let key = setting.key.trim_start_matches('+');
            match fate(version, megatron, key, &setting.value) {
                None => match former(SECTIONS, key, |since| release(name) < release(since)) {
                    Some(key) => then.push(WrittenSetting { key, ..setting }),
                    None => {
                        let gradients = gradients(version, &setting);
                        then.push(setting);
                        then.extend(gradients);
                    }
                },
                Some(Named(key)) => then.push(WrittenSetting { key: key.to_owned(), ..setting }),
                Some(Gone) => {}
                Some(Missing(what)) => {
                    let warning = format!("veRL {name} {what}");
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
                Some(Refused(what)) => {
                    let message = format!("veRL {name} {what} Choose a later version, or change the question.");
                    return Err(Unsupported { message });
                }
            }
        }
        if megatron {
            asked_for(version, &mut then);
        }
        spelt.push(then);
    }
    Ok(spelt)
}

/// Until 0.9.0 gradients were offloaded by a switch of their own.
fn gradients(version: Version, setting: &WrittenSetting) -> Option<WrittenSetting> {
    let role = setting.key.strip_suffix("megatron.param_offload")?;
    // The reference has no gradients.
    (version < V0_9_1 && !role.contains(".ref.")).then(|| WrittenSetting {
        key: format!("{role}megatron.grad_offload"),
        value: setting.value.clone(),
        reason: "gradients go with the weights".to_owned(),
    })
}

/// What older versions are told beside that with Megatron.
fn asked_for(version: Version, section: &mut Section) {
    const ACTOR: &str = "actor_rollout_ref.actor";
    const REF: &str = "actor_rollout_ref.ref";
    let size = "tensor_model_parallel_size";
    for (role, there) in [(ACTOR, size), (REF, "param_offload"), ("critic", size)] {
        let key = |name: &str| format!("{role}.megatron.{name}");
        if !section.has(&key(there)) {
            continue;
        }
        // 0.5.0 loads checkpoints through mbridge only where told to; its own converters know few models.
        if version == V0_5_0 && role != REF {
            section.set(key("use_mbridge"), "True", "loads Hugging Face checkpoints of any model it knows");
        }
        // 0.4.1 reads Hugging Face checkpoints of Llama and Qwen2 alone into Megatron, and its own of any model
        // (`models/weight_loader_registry.py`, `scripts/converter_hf_to_mcore.py`).
        if version == V0_4_1 {
            section.set(key("use_dist_checkpointing"), "True", "Megatron's own checkpoint, of any model");
            section.set(
                key("dist_checkpointing_path"),
                home("models/mcore"),
                "write it first: scripts/converter_hf_to_mcore.py --hf_model_path and --output_path, in veRL's repository",
            );
        }
    }
    // Until 0.6 the batch was checked against a micro-batch even where a token budget stands in for it
    // (`_validate_config` in `ray_trainer.py`).
    if version < V0_7_1 && section.has(&format!("{ACTOR}.ppo_max_token_len_per_gpu")) {
        section.set(format!("{ACTOR}.ppo_micro_batch_size_per_gpu"), 1, "asked for beside the budget, and not used");
    }
}

#[cfg(test)]
mod tests {
    use shardwise_question::framework::VERL;

    use super::Version;

    #[test]
    fn every_version_that_is_offered_is_spelt() {
        let named: Vec<_> = VERL.versions.iter().map(|name| Version::named(name)).collect();
        let expected: Vec<_> = Version::ALL.into_iter().rev().map(Some).collect();
        assert_eq!(named, expected);
        assert_eq!(Version::named("0.9.0"), None);
    }
}
