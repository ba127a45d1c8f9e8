//! Which command of a script trains, and how many processes it starts.

use super::draft::Draft;
use super::programs;
use super::report::Dialect;
use super::settings::Setting;
use super::shell::{Command, Script, Word};
use super::signs;

/// The command that trains.
pub(crate) struct Launch<'a> {
    /// The module or file that runs: `verl.trainer.main_ppo`; empty where settings stand alone.
    pub(crate) program: &'a str,
    /// Words before it: the launcher's.
    pub(crate) before: &'a [Word],
    /// Words behind it.
    pub(crate) after: Vec<Word>,
    /// Variables that it is given, each as `NAME=value`.
    pub(crate) environment: Vec<&'a Word>,
    /// Line of the command.
    pub(crate) line: u32,
    /// Settings outside the command: bash would run each as a command of its own.
    pub(crate) stray: Vec<Word>,
    /// Lines of further commands that train, which are not read.
    pub(crate) others: Vec<u32>,
}

impl Launch<'_> {
    /// Notes what of the script is not read, and settings that its command does not get.
    pub(crate) fn report(&self, draft: &mut Draft, script: &Script) {
        draft.launched = self.line;
        for word in &self.stray {
            draft.refuse(
                &word.text,
                format!(
                    "This setting stands outside the command of line {}: bash would run it as a command of its own. End the line before it with a backslash, and nothing behind that.",
                    self.line.saturating_sub(script.above)
                ),
                word.line,
            );
        }
        for line in &self.others {
            draft.note(*line, "A further command that trains is not read: the first one is. Paste this one alone.");
        }
        for (line, note) in script.notes.iter().take(100) {
            draft.note(*line, note);
        }
    }
}

impl<'a> Launch<'a> {
    /// Takes what no command of the framework has: settings that stand alone, then those that variables hold.
    fn held(&mut self, script: &'a Script, framework: Dialect) {
        // OpenRLHF's scripts hold program and arguments in a variable, which a branch starts in one way or another.
        let held = |word: &Word| word.text.starts_with("openrlhf.cli.train_");
        if framework == Dialect::Openrlhf
            && let Some(at) = script.values.iter().position(held)
            && let (_, [program, after @ ..]) = script.values.split_at(at)
        {
            self.program = &program.text;
            self.after = after.to_vec();
            return;
        }
        self.after.append(&mut self.stray);
        if self.after.is_empty() {
            self.after.clone_from(&script.values);
            // Of Megatron's arguments the values are words of their own; `-u` is python's.
            self.after.retain(|word| match framework {
                Dialect::Megatron | Dialect::Slime => word.text.starts_with("--") || !word.text.starts_with('-'),
                _ => is_setting(&word.text, framework),
            });
        }
    }
}

/// Whose script it is.
pub(crate) fn framework(script: &Script) -> Option<Dialect> {
    let commands = script.commands.iter().flat_map(|command| &command.words);
    if let Some(found) = script
        .commands
        .iter()
        .find_map(|command| entry(command).map(|(framework, _)| framework))
    {
        // Megatron's own scripts with `--deepspeed` are Megatron-DeepSpeed's.
        return Some(found);
    }
    commands.chain(&script.values).find_map(|word| {
        if let Some(found) = signs::of_word(&word.text) {
            return Some(found);
        }
        let key = word.text.trim_start_matches(['+', '~']);
        let section = key.split(['.', '=']).next().unwrap_or_default();
        let dotted = key.split('=').next().is_some_and(|key| key.contains('.'));
        match section {
            "openrlhf" if key.starts_with("openrlhf.cli.train_") => Some(Dialect::Openrlhf),
            "actor_rollout_ref" | "critic" | "algorithm" if dotted => Some(Dialect::Verl),
            "runtime_args" | "models" if dotted => Some(Dialect::Chatlearn),
            _ => megatron_argument(&word.text).then_some(Dialect::Megatron),
        }
    })
}

fn megatron_argument(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default().replace('_', "-");
    matches!(
        name.as_str(),
        "--tensor-model-parallel-size"
            | "--pipeline-model-parallel-size"
            | "--context-parallel-size"
            | "--expert-model-parallel-size"
            | "--num-layers"
            | "--seq-length"
            | "--micro-batch-size"
            | "--global-batch-size"
            | "--recompute-granularity"
            | "--use-distributed-optimizer"
    )
}

/// The framework and the place of the program in a command that trains.
fn entry(command: &Command) -> Option<(Dialect, usize)> {
    let quiet = command.words.first().is_some_and(|word| {
        matches!(word.text.as_str(), "echo" | "printf" | "cd" | "mkdir" | "ls" | "cat" | "pip" | "tee" | "rm" | "cp")
    });
    if quiet {
        return None;
    }
    if let Some(found) = programs::entry(command) {
        return Some(found);
    }
    if let Some(found) = command.words.iter().find_map(|word| signs::of_word(&word.text)) {
        return Some((found, program(&command.words)?));
    }
    let found = command.words.iter().enumerate().find_map(|(at, word)| {
        if word.text.contains('=') {
            return None;
        }
        let file = word.text.rsplit('/').next().unwrap_or_default();
        let python = file.strip_suffix(".py");
        let name = python.unwrap_or(file).rsplit('.').next().unwrap_or_default();
        let module = word.text.starts_with("verl.") || word.text.starts_with("recipe.");
        match name {
            "main_ppo" | "main_dapo" | "main_ppo_split" | "fully_async_main" | "sft_trainer" | "fsdp_sft_trainer"
            | "sft_trainer_ray"
                if module || python.is_some() =>
            {
                Some((Dialect::Verl, at))
            }
            _ if module && name.starts_with("main_") && name != "main_generation" => Some((Dialect::Verl, at)),
            "entrypoint" if python.is_some() => Some((Dialect::Chatlearn, at)),
            _ if python.is_some() && name.starts_with("pretrain") => Some((Dialect::Megatron, at)),
            _ => None,
        }
    });
    if found.is_some() {
        return found;
    }
    // A fork's trainer, whatever it is called: `python -m absolute_zero_reasoner.main_azr_ppo actor_rollout_ref.…=…`.
    if command.words.iter().any(|word| verl_setting(&word.text)) {
        return Some((Dialect::Verl, program(&command.words)?));
    }
    // Arguments of TRL's configurations, whatever the script is called and launched by.
    let trls = command.words.iter().any(|word| signs::of_trl(&word.text)) && command.words.iter().any(on_the_trainer);
    if trls && let Some(at) = command.words.iter().position(|word| word.text.ends_with(".py")) {
        return Some((Dialect::Trl, at));
    }
    let deepspeed = command.words.iter().any(|word| {
        word.text == "deepspeed" || word.text.ends_with("/deepspeed") || word.text.starts_with("--deepspeed")
    });
    if deepspeed {
        let at = command.words.iter().position(|word| word.text.ends_with(".py")).unwrap_or(0);
        return Some((Dialect::Deepspeed, at));
    }
    // A script on Hugging Face's Trainer: `torchrun train.py --per_device_train_batch_size 4 …`.
    if command.words.iter().any(on_the_trainer) {
        let file = |word: &Word| word.text.ends_with(".py");
        let at = command.words.iter().position(file).unwrap_or(0);
        return Some((Dialect::Deepspeed, at));
    }
    // `torchrun train.py --tensor-model-parallel-size 2 …`, whatever the file is called.
    if command.words.iter().any(|word| megatron_argument(&word.text)) {
        let at = command.words.iter().position(|word| word.text.ends_with(".py"))?;
        return Some((Dialect::Megatron, at));
    }
    None
}

/// Whether a word is an argument that every script on Hugging Face's Trainer has.
fn on_the_trainer(word: &Word) -> bool {
    let name = word.text.split('=').next().unwrap_or_default();
    name.replace('-', "_") == "__per_device_train_batch_size"
}

/// Whether a word is a setting that trainers on veRL's configuration alone have.
fn verl_setting(word: &str) -> bool {
    let key = word.trim_start_matches('+').split_once('=').map_or("", |(key, _)| key);
    key.starts_with("actor_rollout_ref.") || matches!(key, "model.partial_pretrain" | "data.max_token_len_per_gpu")
}

/// The place of what python runs: the module behind the last `-m`, or the last file before the first setting.
fn program(words: &[Word]) -> Option<usize> {
    let settings = words
        .iter()
        .position(|word| word.text.contains('=') && !word.text.starts_with('-'));
    let before = words.get(..settings.unwrap_or(words.len()))?;
    let module = before.iter().rposition(|word| word.text == "-m").map(|at| at + 1);
    let file = || before.iter().rposition(|word| word.text.ends_with(".py"));
    // Behind a name that the text does not tell: `$PYTHON $TRAINER a.b=c`.
    let any = || before.iter().rposition(|word| !word.text.starts_with('-'));
    module.filter(|at| *at < before.len()).or_else(file).or_else(any)
}

/// The command of `framework` in a script. Where there is none, the settings that stand alone, then those that
/// variables hold.
pub(crate) fn find<'a>(script: &'a Script, framework: Dialect) -> Launch<'a> {
    let mut launch = Launch {
        program: "",
        before: &[],
        after: Vec::new(),
        environment: Vec::new(),
        line: 0,
        stray: Vec::new(),
        others: Vec::new(),
    };
    for command in &script.commands {
        match entry(command) {
            Some((found, at)) if found == framework => {
                let (before, after) = command.words.split_at(at);
                // The first that has settings: one without tells nothing.
                let bare = launch.after.is_empty();
                if (launch.program.is_empty() || bare && after.len() > 1)
                    && let Some((program, after)) = after.split_first()
                {
                    if launch.line > 0 {
                        launch.others.push(launch.line);
                    }
                    launch.program = &program.text;
                    launch.before = before;
                    launch.after = after.to_vec();
                    launch.environment = script.exported.iter().chain(&command.environment).collect();
                    launch.line = command.line;
                } else {
                    launch.others.push(command.line);
                }
            }
            _ => {
                let setting = command.words.first().is_some_and(|word| is_setting(&word.text, framework));
                if setting {
                    // `model_engine=megatron a.b=c`: bash takes the first for an assignment.
                    let groups = ["model_engine=", "engine=", "optim="];
                    let group = |word: &&Word| groups.iter().any(|group| word.text.starts_with(group));
                    launch.stray.extend(command.environment.iter().filter(group).cloned());
                    launch.stray.extend(command.words.iter().cloned());
                }
            }
        }
    }
    if launch.program.is_empty() {
        launch.held(script, framework);
    }
    launch
}

/// Whether a word is a setting of the framework rather than a command.
fn is_setting(word: &str, framework: Dialect) -> bool {
    match framework {
        Dialect::Verl
        | Dialect::Chatlearn
        | Dialect::EasyR1
        | Dialect::SkyRl
        | Dialect::NemoRl
        | Dialect::MegatronBridge => {
            let key = word.trim_start_matches(['+', '~']);
            key.split_once('=').is_some_and(|(key, _)| {
                key.contains('.') && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'))
            })
        }
        _ => word.starts_with("--"),
    }
}

/// Value of a launcher's option: `--nnodes=2`, `--nnodes 2`, `--nproc-per-node 8`.
pub(crate) fn option<'a>(words: &'a [Word], names: &[&str]) -> Option<&'a Word> {
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let name = word.text.trim_start_matches('-').split('=').next().unwrap_or_default();
        let name = name.replace('-', "_");
        if word.text.starts_with('-') && names.contains(&name.as_str()) {
            return if word.text.contains('=') { Some(word) } else { words.peek().copied() };
        }
    }
    None
}

/// torchrun decides how many GPUs there are; the trainer's keys say it to the launcher on ray.
pub(crate) fn machine(draft: &mut Draft, before: &[Word]) {
    let option = |names: &[&str]| {
        let word = option(before, names)?;
        let value = word.text.rsplit('=').next().unwrap_or_default();
        // `--nnodes=1:4` is elastic: the fewest.
        let value = value.split(':').next().unwrap_or_default();
        super::value::whole(value)
            .and_then(|value| u64::try_from(value).ok())
            .filter(|value| *value > 0)
    };
    let nodes = option(&["nnodes", "num_nodes", "num_machines"]);
    let per_node = option(&["nproc_per_node", "num_gpus"]);
    let (nodes, per_node) = match (nodes, per_node) {
        (None, None) if !draft.states("trainer.nnodes") && !draft.states("trainer.n_gpus_per_node") => {
            return;
        }
        (None, None) => (draft.count("trainer.nnodes"), draft.count("trainer.n_gpus_per_node")),
        found => found,
    };
    let per = per_node.unwrap_or(8);
    let gpus = nodes.unwrap_or(1).saturating_mul(per);
    draft.set("hardware.gpus", gpus);
    draft.set("hardware.gpus_per_node", per);
    draft.train_gpus = Some(gpus);
    if per_node.is_none() {
        draft.assume("hardware.gpus_per_node", 8, "The launcher's --nproc-per-node is no number here.");
    }
}

/// argparse's options: `--name value …`, `--name=value`, `--name` alone. Dashes of a name become underscores,
/// as argparse takes either; a value is all words up to the next option.
pub(crate) fn arguments(words: &[Word]) -> Vec<Setting> {
    let mut out: Vec<Setting> = Vec::new();
    for word in words {
        let text = word.text.trim();
        let negative = text.starts_with('-') && super::value::number(text).is_some();
        if let Some(option) = text.strip_prefix('-').filter(|_| !negative) {
            let option = option.trim_start_matches('-');
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            out.push(Setting {
                key: format!("--{}", name.replace('-', "_")),
                written: format!("--{name}"),
                value: value.to_owned(),
                line: word.line,
                open: word.open.clone(),
            });
        } else if let Some(last) = out.last_mut() {
            // Lists are short; a text of nothing but words stays linear.
            if last.value.len() < 4096 {
                if !last.value.is_empty() {
                    last.value.push(' ');
                }
                last.value.push_str(text);
            }
            last.open = last.open.take().or_else(|| word.open.clone());
        }
    }
    for setting in &mut out {
        if setting.value.is_empty() && setting.open.is_none() {
            setting.value = "True".to_owned();
        }
    }
    out
}
