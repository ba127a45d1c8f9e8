//! The table of formulas: from `methods/*.toml`, and the doc comments of the code that each names, to a Rust literal.
//!
//! An entry without a citation, whose code no longer exists, or whose doc comment is gone fails the build.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    order: u32,
    id: String,
    title: String,
    entry: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    title: String,
    formula: String,
    /// Symbol, unit, meaning.
    #[serde(default)]
    terms: Vec<[String; 3]>,
    /// `crate/src/file.rs#item`, below `core/`.
    code: String,
    /// The text where the item's doc comment is not about this formula.
    #[serde(default)]
    text: String,
    /// Name and address.
    cites: Vec<[String; 2]>,
    /// What measured it: `speed`, `memory`, `rl`, `generation`; nothing where it is exact or unmeasured.
    #[serde(default)]
    error: String,
    /// Entries of `efficiency.toml` that it takes constants from.
    #[serde(default)]
    constants: Vec<String>,
}

/// The literal of the groups, and the files that it was made from, for the crates below `root`.
///
/// # Errors
/// What an entry is wrong about, by file and id.
pub(crate) fn literal(root: &Path) -> Result<(String, Vec<PathBuf>), Vec<String>> {
    let dir = root.join("explain/methods");
    let listed = std::fs::read_dir(&dir).map_err(|e| vec![format!("methods: {e}")])?;
    let mut files: Vec<File> = Vec::new();
    for path in listed.flatten().map(|entry| entry.path()) {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|e| vec![format!("{name}: {e}")])?;
        files.push(toml::from_str(&text).map_err(|e| vec![format!("{name}: {e}")])?);
    }
    files.sort_by_key(|file| file.order);
    let bases = bases(root)?;
    let (mut out, mut problems, mut read) = (String::from("&["), Vec::new(), Vec::new());
    for file in &files {
        let _ = write!(out, "Group {{ id: {:?}, title: {:?}, entries: &[", file.id, file.title);
        for entry in &file.entry {
            match write_entry(&mut out, root, &bases, entry) {
                Ok(path) => read.push(path),
                Err(problem) => {
                    problems.push(format!("methods/{}: {}: {problem}", file.id, entry.id));
                }
            }
        }
        out.push_str("] },");
    }
    out.push(']');
    if problems.is_empty() { Ok((out, read)) } else { Err(problems) }
}

/// What each entry of `efficiency.toml` rests on.
fn bases(root: &Path) -> Result<BTreeMap<String, String>, Vec<String>> {
    let name = "catalog/data/efficiency.toml";
    let text = std::fs::read_to_string(root.join(name)).map_err(|e| vec![format!("{name}: {e}")])?;
    let file: toml::Table = toml::from_str(&text).map_err(|e| vec![format!("{name}: {e}")])?;
    let mut bases = BTreeMap::new();
    for (key, value) in &file {
        let rows = match value {
            toml::Value::Array(rows) => rows.iter().collect(),
            row => vec![row],
        };
        for row in rows {
            let word = |field: &str| row.get(field).and_then(toml::Value::as_str);
            if let Some(basis) = word("basis") {
                bases.insert(word("name").unwrap_or(key).to_owned(), basis.to_owned());
            }
        }
    }
    Ok(bases)
}

/// Whether an entry has its words, and sources with addresses.
fn check(entry: &Entry) -> Result<(), String> {
    if entry.cites.is_empty() {
        return Err("cites: name what the formula comes from".to_owned());
    }
    for [name, url] in &entry.cites {
        if name.len() < 4 || !url.starts_with("https://") {
            return Err(format!("cites: {name}: {url} is no https address"));
        }
    }
    let meanings = entry.terms.iter().map(|[_, _, meaning]| meaning);
    let mut words = meanings.chain([&entry.title, &entry.formula]);
    if words.any(|word| word.trim().is_empty()) { Err("a word is empty".to_owned()) } else { Ok(()) }
}

fn write_entry(
    out: &mut String,
    root: &Path,
    bases: &BTreeMap<String, String>,
    entry: &Entry,
) -> Result<PathBuf, String> {
    check(entry)?;
    let (file, item) = entry.code.split_once('#').ok_or("code: write file.rs#item")?;
    let below = root.join(file);
    let source = std::fs::read_to_string(&below).map_err(|e| format!("code: {file}: {e}"))?;
    let (line, doc) = item_of(&source, item).ok_or(format!("code: {file} has no {item}"))?;
    let text = if entry.text.is_empty() { doc } else { entry.text.clone() };
    if text.len() < 20 {
        return Err(format!("code: {item} has no doc comment; give a text"));
    }
    let missing = entry.cites.iter().find_map(|[_, url]| {
        let paper = url.strip_prefix("https://arxiv.org/abs/")?;
        (!source.contains(paper)).then_some(paper)
    });
    if let Some(paper) = missing {
        return Err(format!("cites: {file} does not cite arXiv:{paper}"));
    }
    let path = below.strip_prefix(root).unwrap_or(&below).display();
    let _ = write!(
        out,
        "Entry {{ id: {:?}, title: {:?}, formula: {:?}, text: {text:?}, code: Code {{ path: \"core/{path}\", item: {item:?}, line: {line} }}, terms: &[",
        entry.id, entry.title, entry.formula
    );
    for [symbol, unit, meaning] in &entry.terms {
        let _ = write!(out, "Symbol {{ symbol: {symbol:?}, unit: {unit:?}, meaning: {meaning:?} }},");
    }
    out.push_str("], citations: &[");
    for [name, url] in &entry.cites {
        let _ = write!(out, "Citation {{ name: {name:?}, url: {url:?} }},");
    }
    let error = match entry.error.as_str() {
        "" => "None",
        "speed" => "Speed",
        "memory" => "Memory",
        "rl" => "Rl",
        "generation" => "Generation",
        other => {
            return Err(format!("error: {other} is none of speed, memory, rl, generation"));
        }
    };
    let _ = write!(out, "], error: Errors::{error}, constants: &[");
    for name in &entry.constants {
        let basis = bases.get(name).ok_or(format!("constants: efficiency.toml has no {name}"))?;
        let _ = write!(out, "Constant {{ name: {name:?}, basis: {basis:?} }},");
    }
    out.push_str("] },");
    Ok(below)
}

/// The line of an item and its doc comment, as plain text without examples.
fn item_of(source: &str, item: &str) -> Option<(usize, String)> {
    let lines: Vec<&str> = source.lines().collect();
    let starts = |line: &&str| {
        let line = line.trim_start();
        if line.starts_with("//") {
            return false;
        }
        ["fn ", "const ", "static ", "struct ", "enum ", "mod "].iter().any(|kind| {
            let at = line.find(kind).map(|at| &line[at + kind.len()..]);
            at.and_then(|rest| rest.strip_prefix(item))
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    let place = lines.iter().position(starts)?;
    let above = lines[..place].iter().rev().map(|line| line.trim_start());
    let doc: Vec<&str> = above
        .take_while(|line| line.starts_with("///") || line.starts_with("#["))
        .filter_map(|line| line.strip_prefix("///"))
        .collect();
    Some((place + 1, plain(doc.into_iter().rev())))
}

/// Doc lines as one line per paragraph, up to the first example or heading, without Markdown's marks.
fn plain<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for line in lines.map(str::trim) {
        if line.starts_with("```") || line.starts_with('#') {
            break;
        }
        if line.is_empty() {
            text.push('\n');
        } else {
            if !(text.is_empty() || text.ends_with('\n')) {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text.replace(['`', '<', '>'], "")
        .replace("[", "")
        .replace("]", "")
        .trim()
        .to_owned()
}
