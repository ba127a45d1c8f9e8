//! What of a Python program is Unsloth's: its loader, and the launcher that a comment names.

use super::parser::Parsed;
use super::value::Call;
use crate::read::shell::{self, Word};

/// What Unsloth trains with of TRL, and the program that stands for it. Others are read as TRL's.
pub(in crate::read) const UNSLOTH: &[(&str, &str)] =
    &[("sft", "unsloth.sft"), ("dpo", "unsloth.dpo"), ("kto", "unsloth.kto"), ("grpo", REINFORCEMENT)];

/// Of these what learns from rewards.
pub(in crate::read) const REINFORCEMENT: &str = "unsloth.grpo";

/// The keyword that says how layers are computed again, of what loads a model and of what gives it adapters.
pub(super) const CHECKPOINTING: &str = "use_gradient_checkpointing";

/// Comments that name a launcher and are asked for its command, at most.
const MOST_COMMENTS: usize = 20;

/// The program that a script of TRL's stands for where Unsloth loads the model.
pub(super) fn program(parsed: &Parsed, script: &str) -> Option<&'static str> {
    let (_, own) = UNSLOTH.iter().find(|(name, _)| *name == script)?;
    parsed.calls.iter().any(loads).then_some(*own)
}

/// Whether a call is of Unsloth's loader: `FastLanguageModel.from_pretrained`.
pub(super) fn loads(call: &Call) -> bool {
    let class = call.name.rsplit('.').nth(1).unwrap_or_default();
    call.last() == "from_pretrained" && class.starts_with("Fast") && class.ends_with("Model")
}

/// What stands before the program in the command that a comment gives: `torchrun --nproc-per-node=4` of
/// `# Start: torchrun --nproc-per-node=4 train.py`; nothing where no comment has one.
pub(super) fn launcher(text: &str) -> Vec<Word> {
    let commands = text.lines().zip(0u32..).filter_map(|(line, above)| {
        let comment = line.trim_start().strip_prefix('#')?;
        let start = ["torchrun ", "python "].iter().filter_map(|word| comment.find(word)).min()?;
        Some((comment.get(start..)?, above))
    });
    let found = commands.take(MOST_COMMENTS).find_map(|(command, above)| {
        let script = shell::read(command, |_| true).ok()?;
        let mut words = script.commands.into_iter().next()?.words;
        let program = words.iter().position(|word| word.text.ends_with(".py"))?;
        words.truncate(program);
        words.iter_mut().for_each(|word| shell::lower(&mut word.line, above));
        Some(words)
    });
    found.unwrap_or_default()
}
