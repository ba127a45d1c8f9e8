//! Older versions of veRL: the settings of 0.9.1, said as they were said then.
//!
//! Keys and the versions that have them: the packaged configurations of the wheels on PyPI, which `e2e/frameworks`
//! composes for every text. What workers read with `.get` and no configuration names is cited where it is used.

use super::super::Unsupported;
use super::super::text::{Section, Setting, home};

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
    const ALL: [Self; 5] = [Self::V0_4_1, Self::V0_5_0, Self::V0_7_1, Self::V0_8_0, Self::V0_9_1];

    /// The version of a name from [`VERL`](shardwise_question::framework::VERL).
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::V0_4_1 => "0.4.1",
            Self::V0_5_0 => "0.5.0",
            Self::V0_7_1 => "0.7.1",
            Self::V0_8_0 => "0.8.0",
            Self::V0_9_1 => "0.9.1",
        }
    }
}

/// What becomes of a setting.
enum Fate {
    Kept,
    /// Another key, with its mark (`+`) where no packaged configuration has it.
    Named(String),
    /// Gone: the version has only that behaviour, or none that the estimate misses.
    Gone,
    /// Gone, and the text says what the version does instead.
    Missing(&'static str),
    /// The version cannot do it at all.
    Refused(&'static str),
}

/// Settings as a version spells them, and what it cannot say.
#[derive(Default)]
pub(super) struct Spelt {
    pub(super) sections: Vec<Section>,
    pub(super) warnings: Vec<String>,
}

/// The settings of 0.9.1, said in `version`.
pub(super) fn spell(version: Version, megatron: bool, sections: Vec<Section>) -> Result<Spelt, Unsupported> {
    let mut spelt = Spelt::default();
    for section in sections {
        let (title, settings) = section.into_parts();
        let mut then = Section::new(title);
        for setting in settings {
            match fate(version, megatron, &setting) {
                Fate::Kept => {
                    let gradients = gradients(version, &setting);
                    then.push(setting);
                    then.extend(gradients);
                }
                Fate::Named(key) => then.push(Setting { key, ..setting }),
                Fate::Gone => {}
                Fate::Missing(what) => {
                    let warning = format!("veRL {} {what}", version.name());
                    if !spelt.warnings.contains(&warning) {
                        spelt.warnings.push(warning);
                    }
                }
                Fate::Refused(what) => {
                    return Err(Unsupported {
                        message: format!(
                            "veRL {} {what} Choose a later version, or change the question.",
                            version.name()
                        ),
                    });
                }
            }
        }
        if megatron && version == Version::V0_5_0 {
            bridge(&mut then);
        }
        if megatron && version == Version::V0_4_1 {
            converted(&mut then);
        }
        if megatron && version < Version::V0_7_1 {
            micro_batch(&mut then);
        }
        spelt.sections.push(then);
    }
    Ok(spelt)
}

/// Until 0.9.0 gradients were offloaded by a switch of their own.
fn gradients(version: Version, setting: &Setting) -> Option<Setting> {
    let role = setting.key.strip_suffix("megatron.param_offload")?;
    // The reference has no gradients.
    (version < Version::V0_9_1 && !role.contains(".ref.")).then(|| Setting {
        key: format!("{role}megatron.grad_offload"),
        value: setting.value.clone(),
        reason: "gradients go with the weights".to_owned(),
    })
}

/// 0.5.0 loads checkpoints through mbridge only where told to; its own converters know few models.
fn bridge(section: &mut Section) {
    let roles = ["actor_rollout_ref.actor", "critic"];
    for role in roles {
        if section.has(&format!("{role}.megatron.tensor_model_parallel_size")) {
            section.set(
                format!("{role}.megatron.use_mbridge"),
                "True",
                "loads Hugging Face checkpoints of any model it knows",
            );
        }
    }
}

/// 0.4.1 reads Hugging Face checkpoints of Llama and Qwen2 alone into Megatron, and its own of any model (`models/weight_loader_registry.py`,
/// `scripts/converter_hf_to_mcore.py`).
fn converted(section: &mut Section) {
    let roles = [
        ("actor_rollout_ref.actor", "tensor_model_parallel_size"),
        ("actor_rollout_ref.ref", "param_offload"),
        ("critic", "tensor_model_parallel_size"),
    ];
    for (role, key) in roles {
        if section.has(&format!("{role}.megatron.{key}")) {
            section.set(
                format!("{role}.megatron.use_dist_checkpointing"),
                "True",
                "Megatron's own checkpoint, of any model",
            );
            section.set(
                format!("{role}.megatron.dist_checkpointing_path"),
                home("models/mcore"),
                "write it first: scripts/converter_hf_to_mcore.py --hf_model_path and --output_path, in veRL's repository",
            );
        }
    }
}

/// Until 0.6 the batch was checked against a micro-batch even where a token budget stands in for it (`_validate_config`
/// in `ray_trainer.py`).
fn micro_batch(section: &mut Section) {
    const ACTOR: &str = "actor_rollout_ref.actor";
    if section.has(&format!("{ACTOR}.ppo_max_token_len_per_gpu")) {
        section.set(format!("{ACTOR}.ppo_micro_batch_size_per_gpu"), 1, "asked for beside the budget, and not used");
    }
}

fn fate(version: Version, megatron: bool, setting: &Setting) -> Fate {
    let key = setting.key.trim_start_matches('+');
    let since = |than: Version, fate: &dyn Fn(&str, &Setting, bool) -> Option<Fate>| {
        (version < than).then(|| fate(key, setting, megatron)).flatten()
    };
    since(Version::V0_9_1, &before_0_9)
        .or_else(|| since(Version::V0_8_0, &before_0_8))
        .or_else(|| since(Version::V0_7_1, &before_0_7))
        .or_else(|| since(Version::V0_5_0, &before_0_5))
        .unwrap_or(Fate::Kept)
}

fn before_0_9(key: &str, _: &Setting, _: bool) -> Option<Fate> {
    Some(match key {
        "algorithm.filter_groups.enable" => Fate::Missing(
            "filters no groups; recipe/dapo of its repository does. Without it a step generates only what it trains.",
        ),
        "algorithm.filter_groups.metric" => Fate::Gone,
        key if key.ends_with("optim.use_precision_aware_optimizer") => {
            Fate::Missing("keeps gradients and moments in fp32; the estimate has them in bf16.")
        }
        key if key.ends_with("optim.exp_avg_dtype")
            || key.ends_with("optim.exp_avg_sq_dtype")
            || key.ends_with("optim.main_grads_dtype") =>
        {
            Fate::Gone
        }
        "data.gen_batch_size" => Fate::Missing("generates a step's prompts at once, whatever gen_batch_size says."),
        _ => return None,
    })
}

fn before_0_8(key: &str, _: &Setting, megatron: bool) -> Option<Fate> {
    if let Some(name) = key.strip_prefix("critic.fsdp.") {
        return Some(Fate::Named(match name {
            "ulysses_sequence_parallel_size" => "critic.ulysses_sequence_parallel_size".to_owned(),
            // Read by `fsdp_workers.py` with a default.
            "model_dtype" => "++critic.model.fsdp_config.model_dtype".to_owned(),
            name => format!("critic.model.fsdp_config.{name}"),
        }));
    }
    match key {
        // The Megatron configuration has its own name.
        "model_engine" => Some(Fate::Gone),
        "critic.model.use_remove_padding" if megatron => Some(Fate::Gone),
        "model.lora.rank" | "model.lora.alpha" | "model.lora.target_modules" => {
            Some(Fate::Refused("trains adapters with FSDP only."))
        }
        _ => None,
    }
}

fn before_0_7(key: &str, setting: &Setting, megatron: bool) -> Option<Fate> {
    const ACTOR: &str = "actor_rollout_ref.actor.";
    const REF: &str = "actor_rollout_ref.ref.";
    // 0.6 builds Megatron's optimizer from the keys of `override_optimizer_config` for the first time.
    if key.contains("override_optimizer_config.") {
        return Some(Fate::Refused("has no optimizer that steps in host memory."));
    }
    if key.starts_with("reward.reward_model.") {
        return Some(Fate::Refused("scores with a reward model that the trainer's own code runs, under other keys."));
    }
    if key.starts_with("actor_rollout_ref.model.lora.") {
        return Some(Fate::Refused("trains adapters with FSDP only."));
    }
    for role in [ACTOR, REF] {
        let Some(name) = key.strip_prefix(role).and_then(|key| key.strip_prefix("fsdp_config.")) else {
            continue;
        };
        match name {
            "ulysses_sequence_parallel_size" => return Some(Fate::Named(format!("{role}{name}"))),
            // Read by `fsdp_workers.py` with a default.
            "model_dtype" => return Some(Fate::Named(format!("+{key}"))),
            "dtype" => return Some(Fate::Refused("computes in bf16 only.")),
            // The reference lives in the actor's workers and mesh.
            "fsdp_size" if role == REF => return Some(Fate::Gone),
            _ => {}
        }
    }
    Some(match key {
        "reward.custom_reward_function.path" | "reward.custom_reward_function.name" => {
            Fate::Named(key.trim_start_matches("reward.").to_owned())
        }
        "actor_rollout_ref.actor.policy_loss.loss_mode" => {
            Fate::Refused("has no loss of one ratio for each response: choose grpo.")
        }
        "reward.reward_manager.name" => Fate::Named("reward_model.reward_manager".to_owned()),
        "algorithm.rollout_correction.bypass_mode" => {
            Fate::Missing("always computes the old log-probabilities, which the question leaves out.")
        }
        "actor_rollout_ref.actor.optim.optimizer" => {
            Fate::Refused("keeps Adam's moments in fp32 only: 8 optimizer_bytes.")
        }
        "actor_rollout_ref.rollout.data_parallel_size" | "actor_rollout_ref.rollout.expert_parallel_size" => {
            Fate::Refused("splits an engine by tensor parallelism only.")
        }
        "actor_rollout_ref.rollout.quantization" => Fate::Refused("loads its engine in 16 bits only."),
        // Always packed, and one kernel.
        "actor_rollout_ref.actor.megatron.use_remove_padding"
        | "actor_rollout_ref.model.use_remove_padding"
        | "actor_rollout_ref.model.fused_kernel_options.impl_backend"
            if megatron =>
        {
            if setting.value == "False" {
                Fate::Refused("packs sequences with Megatron always.")
            } else {
                Fate::Gone
            }
        }
        _ => return None,
    })
}

fn before_0_5(key: &str, setting: &Setting, megatron: bool) -> Option<Fate> {
    if !megatron {
        return None;
    }
    Some(match key {
        "actor_rollout_ref.model.use_fused_kernels" if setting.value == "True" => {
            Fate::Missing("has no fused LM head for Megatron: its logits take more memory than estimated.")
        }
        "actor_rollout_ref.model.use_fused_kernels" => Fate::Gone,
        key if key.contains(".override_ddp_config.") => Fate::Gone,
        _ => return None,
    })
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
