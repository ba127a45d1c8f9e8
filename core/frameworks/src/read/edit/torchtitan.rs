//! What of torchtitan's configuration is said by classes rather than by values: what is computed again, and the loss.

use super::change::{Edit, length};
use super::{Kind, Line, Page};
use crate::read::report::{Dialect, Reading};

/// Keys that a class says in Python, the keyword that it is given as, and the module that has it.
const CLASSES: &[(&str, &str, &str)] = &[
    ("activation_checkpoint.mode", "activation_checkpoint", "distributed.activation_checkpoint"),
    ("loss", "loss", "components.loss"),
];

/// The setting as the texts spell theirs: options have the names of the file's keys, and a list's words commas between; 0.2 has one
/// key in another section.
pub(super) fn spelt(edit: &mut Edit, reading: &Reading, options: bool) {
    if reading.release.is_some() && edit.key == "compile.enable_async_tensor_parallel" {
        edit.key = "parallelism.enable_async_tensor_parallel".to_owned();
    }
    if options && !edit.is_option() {
        edit.key = format!("--{}", edit.key);
        // tyro's switches take no value.
        match edit.value.as_deref() {
            Some("True") => edit.bare = true,
            Some("False") => {
                edit.bare = true;
                edit.key = edit.key.replacen('.', ".no_", 1);
            }
            _ => {}
        }
        if let Some(list) = edit.value.as_ref().filter(|value| value.starts_with('[')) {
            edit.value = Some(list.replace(['[', ']', '"', ' '], ""));
        }
    }
}

/// What 0.2 is told beside a change: by operation, as 0.3 always does it.
pub(super) fn beside(reading: &Reading, edit: &Edit) -> Option<Edit> {
    let selects = edit.key == "activation_checkpoint.mode" && edit.value.as_deref() == Some("selective");
    let older = reading.framework == Dialect::Torchtitan && reading.release.is_some();
    let key = "activation_checkpoint.selective_ac_option".to_owned();
    (older && selects).then(|| Edit { key, value: Some("op".to_owned()), ..edit.clone() })
}

/// Makes a change that is one of classes: nothing where it found its place, else what is to be said elsewhere. `None` where it is
/// of a value as any.
pub(super) fn apply(pages: &mut [Page], reading: &Reading, edit: &Edit) -> Option<Option<String>> {
    let key = edit.key.trim_start_matches('-');
    if reading.framework != Dialect::Torchtitan || reading.release.is_some() {
        return None;
    }
    let (_, keyword, module) = CLASSES.iter().find(|(own, ..)| *own == key)?;
    if !pages.iter().any(|page| page.kind == Kind::Python) {
        // A command chooses among classes by a word behind all options.
        let word = format!("activation-checkpoint:{}", edit.value.as_deref()?);
        let done = pages.iter_mut().any(|page| page.chooses(&word).is_some());
        return Some((!done).then_some(word));
    }
    let class = match edit.value.as_deref()? {
        "full" => "FullAC",
        "selective" => "SelectiveAC",
        "none" => "",
        own @ ("ChunkedLossWrapper" | "CrossEntropyLoss") => own,
        _ => return Some(Some(edit.shown())),
    };
    let done = pages.iter_mut().any(|page| {
        page.kind == Kind::Python && page.takes(keyword, class).is_some_and(|()| page.imports(module, class))
    });
    Some((!done).then(|| edit.shown()))
}

impl Page {
    /// Puts a word in the place of the one that chooses what is computed again.
    fn chooses(&mut self, word: &str) -> Option<()> {
        self.lines.iter_mut().find_map(|line| {
            let text = line.text.as_deref()?;
            let start = ["activation-checkpoint:", "activation_checkpoint:"]
                .iter()
                .find_map(|own| text.find(own))?;
            let (head, tail) = text.split_at_checked(start)?;
            let end = tail.find([' ', '\t', '\\']).unwrap_or(tail.len());
            line.text = Some(format!("{head}{word}{}", tail.get(end..)?));
            Some(())
        })
    }

    /// Gives a keyword that stands alone on its line another class.
    fn takes(&mut self, keyword: &str, class: &str) -> Option<()> {
        let start = format!("{keyword}=");
        self.lines.iter_mut().find_map(|line| {
            let text = line.text.as_deref()?;
            let (indent, rest) = text.split_once(&start).filter(|(before, _)| before.trim().is_empty())?;
            let end = length(rest, &[','])?;
            let (value, tail) = rest.split_at_checked(end)?;
            let new = match class {
                "" => "None".to_owned(),
                "ChunkedLossWrapper" => format!("{class}.Config(loss_fn={value})"),
                "CrossEntropyLoss" => {
                    let inside = value.strip_prefix("ChunkedLossWrapper.Config(loss_fn=")?;
                    inside.strip_suffix(')')?.to_owned()
                }
                _ => format!("{class}.Config()"),
            };
            line.text = Some(format!("{indent}{start}{new}{tail}"));
            Some(())
        })
    }

    /// Whether a class is imported from a module of torchtitan's, which it is from now on where there is a place for it.
    fn imports(&mut self, module: &str, class: &str) -> bool {
        if class.is_empty() {
            return true;
        }
        let from = format!("from torchtitan.{module} import ");
        let named = |text: &str| text.split([' ', ',', '(']).any(|word| word == class);
        let of = |line: &Line, start: &str| line.text.as_deref().is_some_and(|text| text.starts_with(start));
        if let Some(line) = self.lines.iter_mut().find(|line| of(line, &from)) {
            let text = line.text.take().unwrap_or_default();
            let whole = !text.contains('(');
            let known = named(&text);
            line.text = Some(if known || !whole { text } else { format!("{text}, {class}") });
            return known || whole;
        }
        let beside = self.lines.iter_mut().find(|line| of(line, "from torchtitan."));
        beside.is_some_and(|line| {
            line.before.push(format!("{from}{class}"));
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Edit, apply};
    use crate::read::read;

    fn edited(text: &str, key: &str, value: &str) -> (String, Vec<String>) {
        let Ok(reading) = read(&[text], None) else {
            return (String::new(), vec!["the text is not read".to_owned()]);
        };
        let edit = Edit { key: key.to_owned(), value: Some(value.to_owned()), bare: false, section: None };
        let edited = apply(&[text], &reading, &[edit]);
        (edited.texts.concat(), edited.elsewhere)
    }

    const PYTHON: &str = "from torchtitan.components.loss import CrossEntropyLoss
from torchtitan.models.llama3 import model_registry
def run():
    return Trainer.Config(
        model_spec=model_registry(\"8B\"),
        training=TrainingConfig(seq_len=4096, local_batch_size=2),
        loss=CrossEntropyLoss.Config(global_vocab_size=128256),  # why
        activation_checkpoint=None,
    )
";

    #[test]
    fn classes_are_chosen_and_imported() {
        let (text, left) = edited(PYTHON, "activation_checkpoint.mode", "full");
        assert!(text.contains("        activation_checkpoint=FullAC.Config(),\n"), "{text}");
        let import = "from torchtitan.distributed.activation_checkpoint import FullAC\nfrom torchtitan.components";
        assert!(text.starts_with(import) && left.is_empty(), "{text}");
        let (text, left) = edited(PYTHON, "loss", "ChunkedLossWrapper");
        let loss = "loss=ChunkedLossWrapper.Config(loss_fn=CrossEntropyLoss.Config(global_vocab_size=128256)),  # why";
        assert!(text.contains(loss) && text.contains("import CrossEntropyLoss, ChunkedLossWrapper\n"), "{text}");
        assert!(left.is_empty());
        let (again, _) = edited(&text, "loss", "CrossEntropyLoss");
        assert!(again.contains("        loss=CrossEntropyLoss.Config(global_vocab_size=128256),  # why\n"), "{again}");
    }

    #[test]
    fn commands_choose_by_a_word_behind_their_options() {
        let start = "torchrun --nproc_per_node=8 -m torchtitan.train --module llama3 --config llama3_8b --training.seq_len 4096";
        let chosen = format!("{start} activation-checkpoint:full");
        let (text, left) = edited(&chosen, "activation_checkpoint.mode", "none");
        assert!(text.ends_with(" 4096 activation-checkpoint:none") && left.is_empty(), "{text}");
        let (text, left) = edited(start, "activation_checkpoint.mode", "none");
        assert_eq!((text.as_str(), left.as_slice()), (start, ["activation-checkpoint:none".to_owned()].as_slice()));
        let (text, _) = edited(start, "training.enable_cpu_offload", "True");
        assert!(text.ends_with(" --training.enable_cpu_offload"), "{text}");
    }

    #[test]
    fn older_texts_are_changed_in_their_own_words() {
        let toml = "[model]\nflavor = \"8B\"\n[training]\nseq_len = 4096\n[activation_checkpoint]\nmode = \"full\"\n";
        let (text, _) = edited(toml, "activation_checkpoint.mode", "selective");
        assert!(text.contains("mode = \"selective\"\nselective_ac_option = \"op\""), "{text}");
    }
}
