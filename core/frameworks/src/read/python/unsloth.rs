//! What of a Python program is Unsloth's: its loader, and the launcher that a comment names.

use super::parser::Parsed;
use super::value::Call;
use crate::read::shell::{self, Word};

/// What Unsloth trains with of TRL, and the program that stands for it. Others are read as TRL's.
pub(in crate::read) const UNSLOTH: &[(&str, &str)] =
    &[("sft", "unsloth.sft"), ("dpo", "unsloth.dpo"), ("kto", "unsloth.kto")];

/// The keyword that says how layers are computed again, of what loads a model and of what gives it adapters.
pub(super) const CHECKPOINTING: &str = "use_gradient_checkpointing";

/// Comments that are asked for a launcher, at most.
const MOST_COMMENTS: usize = 200;

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
    let comments = text
        .lines()
        .enumerate()
        .filter_map(|(at, line)| Some((at, line.trim_start().strip_prefix('#')?)));
    let found = comments.take(MOST_COMMENTS).find_map(|(at, comment)| {
        let start = ["torchrun ", "python "].iter().filter_map(|word| comment.find(word)).min()?;
        let script = shell::read(&format!("{}{}", "\n".repeat(at), comment.get(start..)?), |_| true).ok()?;
        let mut words = script.commands.into_iter().next()?.words;
        let program = words.iter().position(|word| word.text.ends_with(".py"))?;
        words.truncate(program);
        Some(words)
    });
    found.unwrap_or_default()
}
