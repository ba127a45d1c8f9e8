//! What a pasted text is made of: JSON, YAML, TOML, Python, or shell.

use serde_json::Value;

use super::loads::{self, Twice};
use super::report::Trouble;
use super::settings::Setting;
use super::shell::{self, Script};
use super::{launch, notebook, programs, python, toml, yaml};
use shardwise_catalog::encoding::{UTF_16, unmarked};
use shardwise_question::wire;

/// A part of the texts.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    /// Keys of a file of YAML that stand twice.
    pub(super) twice: Vec<Twice>,
}

impl Part {
    pub(super) fn of(kind: Kind) -> Self {
        Self { kind, twice: Vec::new() }
    }

    /// Moves the part below so many lines: those of the texts before its own.
    pub(crate) fn below(&mut self, lines: u32) {
        self.twice.iter_mut().for_each(|own| own.below(lines));
        match &mut self.kind {
            Kind::Shell(script) => script.below(lines),
            Kind::File(settings) => settings.iter_mut().for_each(|one| shell::lower(&mut one.line, lines)),
            Kind::Json(_) => {}
        }
    }
}

/// What a part is.
#[derive(Debug)]
pub(crate) enum Kind {
    Shell(Script),
    /// YAML or TOML: keys with their values.
    File(Vec<Setting>),
    Json(Value),
}

/// What the files of settings among the texts state: it comes before every override, wherever it stands.
pub(crate) fn stated_in_files(parts: &[Part]) -> impl Iterator<Item = Setting> {
    parts
        .iter()
        .filter_map(|part| match &part.kind {
            Kind::File(settings) => Some(settings),
            _ => None,
        })
        .flatten()
        .cloned()
}

/// Takes a text apart.
///
/// # Errors
/// As its reader: the line, and the remedy.
pub(crate) fn parts(text: &str, parts: &mut Vec<Part>) -> Result<(), Trouble> {
    let text = unmarked(text).ok_or_else(|| Trouble::new(0, UTF_16))?;
    if let Some(program) = notebook::program(text) {
        return python::parts(&program, parts);
    }
    if python::looks_like(text) {
        return python::parts(text, parts);
    }
    let (json, shell) = split_json(text)?;
    parts.extend(json.into_iter().map(|json| Part::of(Kind::Json(json))));
    if shell.trim().is_empty() {
        return Ok(());
    }
    let of_toml = toml::looks_like(&shell);
    if of_toml || yaml::looks_like(&shell) {
        let behind = if of_toml { programs::script_behind_toml(&shell) } else { programs::script_behind(&shell) };
        let (file, script) = shell.split_at_checked(behind.unwrap_or(shell.len())).unwrap_or((&shell, ""));
        parts.push(if of_toml {
            loads::toml(file)?;
            Part::of(Kind::File(toml::read(file)?))
        } else {
            Part { twice: loads::yaml(file)?, ..Part::of(Kind::File(yaml::read(file)?)) }
        });
        if let Some(start) = programs::start(file).and_then(|start| shell::read(&start, |_| true).ok()) {
            parts.push(Part::of(Kind::Shell(start)));
        }
        if !script.is_empty() {
            let lines = file.lines().count();
            scripts(&format!("{}{script}", "\n".repeat(lines)), parts)?;
        }
        return Ok(());
    }
    scripts(&shell, parts)
}

/// Takes a script apart: its commands, and the JSON in its here-documents.
fn scripts(shell: &str, parts: &mut Vec<Part>) -> Result<(), Trouble> {
    let mut script = shell::read(shell, |script| launch::framework(script).is_some())?;
    for document in std::mem::take(&mut script.documents) {
        if let Ok(value @ Value::Object(_)) = serde_json::from_str(&document) {
            once(&document, 0)?;
            parts.push(Part::of(Kind::Json(value)));
        }
    }
    parts.push(Part::of(Kind::Shell(script)));
    Ok(())
}

/// Takes JSON objects out of a text; what remains keeps its lines. Marks of code blocks go.
fn split_json(text: &str) -> Result<(Vec<Value>, String), Trouble> {
    let mut rest = String::with_capacity(text.len());
    let mut json = Vec::new();
    let mut offset = 0;
    let mut skip_to = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let start = offset;
        offset += line.len();
        if offset <= skip_to {
            rest.push('\n');
            continue;
        }
        let line_text = if start < skip_to { text.get(skip_to..offset).unwrap_or_default() } else { line };
        let trimmed = line_text.trim_start();
        let brace = trimmed.starts_with('{') && {
            let from = text.get(start..).unwrap_or_default().trim_start();
            from.get(1..).is_some_and(|inside| inside.trim_start().starts_with('"'))
        };
        // A here-document holds JSON too; the shell's reader finds that one.
        let document = rest.lines().next_back().is_some_and(|line| line.contains("<<"));
        if brace && !document {
            let begin = start + (line_text.len() - trimmed.len());
            let Some((value, length)) = object(text.get(begin..).unwrap_or_default(), index)? else {
                rest.push('\n');
                continue;
            };
            json.push(value);
            skip_to = begin + length;
            if offset > skip_to {
                rest.push_str(text.get(skip_to..offset).unwrap_or_default());
                skip_to = offset;
            } else {
                rest.push('\n');
            }
            continue;
        }
        if trimmed.starts_with("```") {
            rest.push('\n');
        } else {
            rest.push_str(line_text);
        }
    }
    Ok((json, rest))
}

/// Refuses JSON, which begins at this line, with a key that stands in its object twice: `DeepSpeed` does (0.19.8,
/// `dict_raise_error_on_duplicate_keys` of `runtime/config_utils.py`), and other loaders take the last without a word.
fn once(json: &str, line: usize) -> Result<(), Trouble> {
    let Some(path) = wire::repeated(json) else {
        return Ok(());
    };
    let key: String = path.chars().take(80).collect();
    let says = format!(
        "The key {key} stands twice in this JSON: DeepSpeed refuses that, and other loaders take the last. Leave one."
    );
    Err(Trouble::new(u32::try_from(line).unwrap_or(u32::MAX), says))
}

/// The JSON value that a text begins with, and its length; nothing where blanks are left alone. `before` lines stand before it.
fn object(text: &str, before: usize) -> Result<Option<(Value, usize)>, Trouble> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let error = match stream.next() {
        Some(Ok(value)) => {
            let length = stream.byte_offset();
            once(text.get(..length).unwrap_or_default(), before + 1)?;
            return Ok(Some((value, length)));
        }
        Some(Err(error)) => error,
        None => return Ok(None),
    };
    let line = u32::try_from(before + error.line()).unwrap_or(u32::MAX);
    let error = error.to_string();
    // serde_json stops at 128, so that no text exhausts the stack.
    Err(if error.contains("recursion limit") {
        Trouble::new(line, "The JSON is too deeply nested: more than 128 deep. Paste the configuration alone.")
    } else {
        Trouble::new(line, format!("This is not JSON ({error}). Mend it, or paste the whole file."))
    })
}
