//! Commands within a command.

use super::Word;

/// The commands that a command runs from a text: `bash -c "…"`, `eval "…"`.
pub(super) fn text(words: &[Word]) -> Option<&str> {
    let [first, text] = words else {
        let at = words.iter().position(|word| word.text == "-c")?;
        let shell = at.checked_sub(1).and_then(|before| words.get(before))?;
        let shell = shell.text.rsplit('/').next().unwrap_or_default();
        let text = words.get(at + 1).filter(|_| matches!(shell, "bash" | "sh" | "zsh"))?;
        return text.text.contains(' ').then_some(&text.text);
    };
    (first.text == "eval" && text.text.contains(' ')).then_some(&text.text)
}
