//! Programs of the frameworks whose command names them: TRL, LLaMA-Factory, axolotl, ms-swift, `OpenRLHF`, torchtitan,
//! Megatron-Bridge.

use super::report::Dialect;
use super::shell::{Command, Word};

/// TRL's commands (1.16.0, `trl/cli/`), and those that releases before it had.
const TRL: &[&str] =
    &["sft", "dpo", "grpo", "kto", "orpo", "cpo", "reward", "rloo", "distillation", "online-dpo", "online_dpo", "gkd"];

/// Scripts of TRL's repository by their first word: `sft_vlm.py` is one of `sft`.
const SCRIPTS: &[&str] = &[
    "sft",
    "dpo",
    "grpo",
    "kto",
    "orpo",
    "cpo",
    "reward",
    "rloo",
    "ppo",
    "gspo",
    "gkd",
    "bco",
    "online",
    "nash",
    "xpo",
    "prm",
    "gold",
    "gmpo",
    "distillation",
    "tpo",
    "mpo",
];

/// Whether a word begins the name of one of TRL's commands or scripts.
pub(super) fn is_trls(word: &str) -> bool {
    SCRIPTS.contains(&word) || TRL.contains(&word)
}

/// The framework and the place of the program in a command that trains.
pub(super) fn entry(command: &Command) -> Option<(Dialect, usize)> {
    let words = &command.words;
    let next = |at: usize| words.get(at + 1).map_or("", |word| word.text.as_str());
    words.iter().enumerate().find_map(|(at, word)| {
        let text = word.text.as_str();
        let file = text.rsplit('/').next().unwrap_or_default();
        match file {
            "trl" if TRL.contains(&next(at)) => return Some((Dialect::Trl, at + 1)),
            "llamafactory-cli" | "lmf" if next(at) == "train" => return Some((Dialect::LlamaFactory, at + 1)),
            "llamafactory.launcher" | "llamafactory.cli" | "train_bash.py" => return Some((Dialect::LlamaFactory, at)),
            "axolotl" if next(at) == "train" => return Some((Dialect::Axolotl, at + 1)),
            "axolotl.cli.train" | "scripts.finetune" => return Some((Dialect::Axolotl, at)),
            // What a Python program gives Transformers' own configuration.
            super::python::TRAINER => return Some((Dialect::Deepspeed, at)),
            "skyrl.train.main_sft" | "main_sft.py" => return Some((Dialect::SkyRl, at)),
            "torchtitan.train" => return Some((Dialect::Torchtitan, at)),
            "run_train.sh" if titan(command) => return Some((Dialect::Torchtitan, at)),
            "run_recipe.py" | "setup_experiment.py" => return Some((Dialect::MegatronBridge, at)),
            "swift" | "megatron" if matches!(next(at), "sft" | "pt" | "rlhf") => {
                return Some((Dialect::MsSwift, at + 1));
            }
            _ => {}
        }
        if text.starts_with("openrlhf.cli.train_") {
            return Some((Dialect::Openrlhf, at));
        }
        if super::python::UNSLOTH.iter().any(|(_, own)| *own == text) {
            return Some((Dialect::Unsloth, at));
        }
        if text.starts_with("trl.scripts.") && !text.ends_with("vllm_serve") {
            return Some((Dialect::Trl, at));
        }
        let stem = file.strip_suffix(".py")?;
        let folder = text.strip_suffix(file).unwrap_or_default();
        if folder.contains("swift/cli/") && matches!(stem, "sft" | "pt" | "rlhf") {
            return Some((Dialect::MsSwift, at));
        }
        if stem == "train" && folder.ends_with("torchtitan/") {
            return Some((Dialect::Torchtitan, at));
        }
        let yaml = |word: &Word| word.text.ends_with(".yaml") || word.text.ends_with(".yml");
        let has = |name: &str| words.iter().any(|word| word.text.split('=').next() == Some(name));
        if stem == "train"
            && (has("--finetuning_type") || has("--stage") || folder.ends_with("src/") && words.iter().any(yaml))
        {
            return Some((Dialect::LlamaFactory, at));
        }
        let own = SCRIPTS.iter().any(|name| stem.split('_').next() == Some(name));
        (own && (folder.ends_with("trl/scripts/") || folder.contains("examples/scripts/")))
            .then_some((Dialect::Trl, at))
    })
}

/// Whether a command that starts torchtitan's own script says so by more than the script's name.
fn titan(command: &Command) -> bool {
    let sections = ["--training.", "--parallelism.", "--model.", "--job.", "--compile.", "--activation_checkpoint."];
    let option = |word: &Word| sections.iter().any(|start| word.text.starts_with(start));
    let file = |word: &Word| {
        ["CONFIG_FILE=", "MODULE=", "CONFIG="]
            .iter()
            .any(|name| word.text.starts_with(name))
    };
    command.words.iter().any(option) || command.environment.iter().any(file)
}

/// The command of these in the comments of a YAML file, where its text says how it is started: the words as they stand, below
/// as many lines as are above it.
pub(super) fn start(text: &str) -> Option<String> {
    const BEGINNINGS: &[&str] = &[
        "FORCE_TORCHRUN=",
        "NNODES=",
        "NPROC_PER_NODE=",
        "llamafactory-cli train",
        "axolotl train",
        "accelerate launch",
        "torchrun ",
    ];
    // Of a file's comments those above its first key are few.
    let comments = text.lines().take(1000).map(|words| words.trim_start().strip_prefix('#'));
    let comments: Vec<Option<&str>> = comments.collect();
    comments.iter().enumerate().find_map(|(line, comment)| {
        let comment = (*comment)?;
        let at = BEGINNINGS.iter().filter_map(|word| comment.find(word)).min()?;
        let mut command = comment.get(at..)?.to_owned();
        // It may go on in the comments below.
        for next in comments.iter().skip(line + 1).map_while(|next| *next).take(MOST_LINES) {
            if !command.trim_end().ends_with('\\') {
                break;
            }
            command.push('\n');
            command.push_str(next);
        }
        let ours = ["llamafactory", "axolotl", "torchtitan", "src/train.py"]
            .iter()
            .any(|name| command.contains(name));
        ours.then(|| format!("{}{command}", "\n".repeat(line)))
    })
}

/// Lines of a command in a comment, at most.
const MOST_LINES: usize = 40;

/// Where a script begins behind a YAML file in the same text: at a line that assigns a variable or runs a launcher, which no
/// YAML has at its beginning.
pub(super) fn script_behind(text: &str) -> Option<usize> {
    const LAUNCHERS: &[&str] = &[
        "accelerate",
        "torchrun",
        "python",
        "python3",
        "deepspeed",
        "trl",
        "swift",
        "axolotl",
        "llamafactory-cli",
        "export",
        "set",
        ":",
    ];
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        let word = line
            .split_ascii_whitespace()
            .next()
            .filter(|_| !line.starts_with([' ', '\t']))?;
        let assigns = word
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
        (assigns || line.starts_with("#!") || LAUNCHERS.contains(&word)).then_some(start)
    })
}

/// Where a script begins behind a TOML file in the same text: at a launcher, or at a variable in capitals with its value, which
/// no key of a configuration is.
pub(super) fn script_behind_toml(text: &str) -> Option<usize> {
    const LAUNCHERS: &[&str] = &["torchrun", "python", "python3", "export", "set", "srun", "./run_train.sh"];
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        let word = line.split_ascii_whitespace().next()?;
        let capital = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        let assigns = word.split_once('=').is_some_and(|(name, _)| capital(name));
        (assigns || line.starts_with("#!") || LAUNCHERS.contains(&word)).then_some(start)
    })
}
