//! What of torchtitan's configuration is said by classes rather than by values: what is computed again, and the loss.

use super::{Edit, Kind, Page, length};
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

/// Makes a change that is one of classes; whether it found its place. `None` where it is of a value as any.
pub(super) fn apply(pages: &mut [Page], reading: &Reading, edit: &Edit) -> Option<bool> {
    let key = edit.key.trim_start_matches('-');
    if reading.framework != Dialect::Torchtitan || reading.release.is_some() {
        return None;
    }
    let python = pages.iter().any(|page| page.kind == Kind::Python);
    let (_, keyword, module) = CLASSES.iter().find(|(own, ..)| *own == key)?;
    if !python {
        // An option chooses among classes by its place, behind all others.
        return Some(false);
    }
    let class = match edit.value.as_deref()? {
        "full" => "FullAC",
        "selective" => "SelectiveAC",
        "none" => "",
        own @ ("ChunkedLossWrapper" | "CrossEntropyLoss") => own,
        _ => return Some(false),
    };
    let done = pages.iter_mut().any(|page| {
        page.kind == Kind::Python && page.takes(keyword, class).is_some_and(|()| page.imports(module, class))
    });
    Some(done)
}

impl Page {
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
        let of = |line: &super::Line, start: &str| line.text.as_deref().is_some_and(|text| text.starts_with(start));
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
