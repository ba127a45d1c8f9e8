//! Settings that one framework alone has, by which its texts are known whatever they start.

use super::report::Dialect;
use super::settings::Setting;
use super::text::{Kind, Part};

/// The framework that alone has a word of a command.
pub(super) fn of_word(word: &str) -> Option<Dialect> {
    if word.starts_with("--") {
        // OpenRLHF has two of these with underscores.
        let name = word.split('=').next().unwrap_or_default();
        let slimes = matches!(
            name,
            "--actor-num-gpus-per-node"
                | "--rollout-batch-size"
                | "--rollout-num-gpus-per-engine"
                | "--n-samples-per-prompt"
        );
        return slimes.then_some(Dialect::Slime);
    }
    let (key, _) = word.trim_start_matches('+').split_once('=')?;
    let begins = |starts: &[&str]| starts.iter().any(|start| key.starts_with(start));
    of_key(key).or_else(|| {
        let nemo = ["grpo.", "policy.model_name", "policy.train_global", "policy.dtensor_cfg.", "policy.megatron_cfg."];
        let bridge =
            ["model.tensor_model_parallel_size", "model.pipeline_model_parallel_size", "train.global_batch_size"];
        if bridge.contains(&key) {
            return Some(Dialect::MegatronBridge);
        }
        (begins(&nemo) || key == "cluster.num_nodes").then_some(Dialect::NemoRl)
    })
}

/// Whether a word of a command on Hugging Face's Trainer is an argument of TRL's: of GRPO's and RLOO's configurations or of DPO's and
/// its kin (1.16.0, `trl/trainer/grpo_config.py`, `dpo_config.py`; releases before it had `max_prompt_length`), which `TrainingArguments`
/// has none of.
pub(super) fn of_trl(word: &str) -> bool {
    let Some(option) = word.strip_prefix("--") else {
        return false;
    };
    let name = option.split('=').next().unwrap_or_default().replace('-', "_");
    GENERATES.contains(&name.as_str()) || PREFERS.contains(&name.as_str())
}

/// Arguments of a trainer that generates.
pub(super) const GENERATES: [&str; 6] = [
    "num_generations",
    "max_completion_length",
    "steps_per_generation",
    "generation_batch_size",
    "vllm_mode",
    "vllm_gpu_memory_utilization",
];

/// Arguments of a trainer that learns from preferences.
pub(super) const PREFERS: [&str; 4] =
    ["precompute_ref_log_probs", "precompute_ref_batch_size", "rpo_alpha", "max_prompt_length"];

/// A trainer that is known by name and not read, where the texts are of one: torchtune (`tune run`, `_component_: torchtune.…`) and
/// prime-rl (`uv run rl @ rl.toml`).
pub(super) fn unread(parts: &[Part]) -> Option<&'static str> {
    parts.iter().find_map(|part| match &part.kind {
        Kind::Shell(script) => script.commands.iter().find_map(|command| {
            let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).take(MOST_WORDS).collect();
            let pair = |one: &str, others: &[&str]| {
                words
                    .windows(2)
                    .any(|own| matches!(own, [a, b] if *a == one && others.contains(b)))
            };
            if pair("tune", &["run"]) || words.iter().any(|word| word.starts_with("torchtune.")) {
                return Some(TORCHTUNE);
            }
            let reads_toml = words.contains(&"@")
                && ["rl", "sft", "trainer", "orchestrator", "inference"]
                    .iter()
                    .any(|own| pair("run", &[own]));
            (reads_toml || words.iter().any(|word| word.contains("prime_rl."))).then_some(PRIME_RL)
        }),
        Kind::File(settings) => settings
            .iter()
            .any(|own| own.key.ends_with("_component_") && own.value.contains("torchtune."))
            .then_some(TORCHTUNE),
        Kind::Json(_) => None,
    })
}

/// Whether texts that are no framework's are prime-rl's TOML, by its tables.
pub(super) fn is_primes(texts: &[&str]) -> bool {
    const TABLES: [&str; 4] = ["[orchestrator", "[[orchestrator.", "[trainer.model", "[[train.source"];
    const OF_TUNING: [&str; 3] = ["[model]", "[data]", "[optim]"];
    let mut of_tuning = [false; OF_TUNING.len()];
    let its = texts.iter().flat_map(|text| text.lines()).any(|line| {
        for (seen, own) in of_tuning.iter_mut().zip(OF_TUNING) {
            *seen |= line.trim_end() == own;
        }
        TABLES.iter().any(|own| line.starts_with(own))
    });
    its || of_tuning == [true; OF_TUNING.len()]
}

const TORCHTUNE: &str = "torchtune";
pub(super) const PRIME_RL: &str = "prime-rl";

/// Words of a command that are asked for a trainer's name, at most.
const MOST_WORDS: usize = 64;

/// The framework that alone has a key.
fn of_key(key: &str) -> Option<Dialect> {
    let begins = |starts: &[&str]| starts.iter().any(|start| key.starts_with(start));
    if begins(&["worker.actor.", "worker.rollout."]) {
        return Some(Dialect::EasyR1);
    }
    begins(&["trainer.policy.", "trainer.placement.", "generator.inference_engine"]).then_some(Dialect::SkyRl)
}

/// The framework whose file has these keys.
pub(super) fn of_file(settings: &[Setting]) -> Option<Dialect> {
    let has = |start: &str| settings.iter().any(|setting| setting.key.starts_with(start));
    let own = settings.iter().find_map(|setting| of_key(&setting.key));
    let nemo = has("policy.") && ["grpo.", "cluster.", "loss_fn.", "sft.", "dpo."].into_iter().any(has);
    own.or(nemo.then_some(Dialect::NemoRl))
}
