//! The Chinese of what the core says: from `chinese/*.toml` to static tables.
//!
//! A sentence of the sources without its Chinese fails the build, and so does Chinese of what no source says any more.

#[path = "literals.rs"]
mod literals;
#[path = "../src/chinese/word.rs"]
mod word;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The folders of sources that speak to a person in English. Formulas (`explain`) say both languages themselves.
pub(crate) const SOURCES: [&str; 7] =
    ["catalog/src", "question/src", "rules/src", "engine/src", "search/src", "frameworks/src", "src"];

/// Sources among them that say both languages themselves, or nothing to a person.
const APART: [&str; 3] = ["presets.rs", "chinese.rs", "chinese/"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    code: Vec<String>,
    technical: Vec<String>,
}

/// What the tables say, before it is checked.
struct Tables {
    /// English to file and Chinese, of whole literals.
    literals: BTreeMap<String, (String, String)>,
    /// English to Chinese, of what is put together.
    composed: BTreeMap<String, String>,
    kept: Kept,
}

/// The literals that `src/chinese.rs` includes.
///
/// # Errors
/// Every sentence without its Chinese, every entry that nothing says, every entry whose values do not match.
pub(crate) fn literal(root: &Path) -> Result<String, Vec<String>> {
    let tables = read(&root.join("chinese")).map_err(|problem| vec![problem])?;
    let mut said = BTreeMap::new();
    for folder in SOURCES {
        let source = root.join(folder);
        if source.is_dir() {
            sources(&source, &source, &mut said).map_err(|problem| vec![problem])?;
        }
    }
    let problems = check(&tables, &said);
    if problems.is_empty() { Ok(emit(&tables)) } else { Err(problems) }
}

fn read(folder: &Path) -> Result<Tables, String> {
    let mut tables =
        Tables { literals: BTreeMap::new(), composed: BTreeMap::new(), kept: parse(&folder.join("code.toml"))? };
    for path in files(folder)? {
        let name = name_of(&path);
        match name.as_str() {
            "code.toml" => {}
            "composed.toml" => tables.composed = parse(&path)?,
            _ => {
                for (english, chinese) in parse::<BTreeMap<String, String>>(&path)? {
                    let twice = tables.literals.insert(english.clone(), (name.clone(), chinese));
                    if let Some((other, _)) = twice {
                        return Err(format!("chinese/{name}: in {other} too: {english:?}"));
                    }
                }
            }
        }
    }
    Ok(tables)
}

fn parse<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T, String> {
    let name = name_of(path);
    let text = std::fs::read_to_string(path).map_err(|e| format!("chinese/{name}: {e}"))?;
    toml::from_str(&text).map_err(|e| format!("chinese/{name}: {}", e.to_string().replace('\n', " ")))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// What the sources say, and the first source that says it.
fn sources(root: &Path, folder: &Path, said: &mut BTreeMap<String, String>) -> Result<(), String> {
    for path in files(folder)? {
        let inside = path.strip_prefix(root).unwrap_or(&path);
        let name = inside.display().to_string();
        if APART.iter().any(|apart| name.starts_with(apart)) {
            continue;
        }
        if path.is_dir() {
            sources(root, &path, said)?;
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("src/{name}: {e}"))?;
            for literal in literals::literals(&text) {
                for line in literal.lines().filter_map(line) {
                    said.entry(line).or_insert_with(|| name.clone());
                }
            }
        }
    }
    Ok(())
}

/// A line of a literal as the tables have it; none where it is no English of several words.
fn line(line: &str) -> Option<String> {
    let line = line.strip_prefix("# ").unwrap_or(line);
    let line = if line.starts_with("  ") { line.trim_start() } else { line };
    let template = literals::template(line);
    (template.contains(' ') && word::words(&template).next().is_some()).then_some(template)
}

fn check(tables: &Tables, said: &BTreeMap<String, String>) -> Vec<String> {
    let code: BTreeSet<&String> = tables.kept.code.iter().collect();
    let mut problems = Vec::new();
    for (english, source) in said {
        let known = tables.literals.contains_key(english)
            || code.contains(english)
            || tables.composed.keys().any(|whole| whole.contains(english));
        if !known {
            problems.push(format!("src/{source}: no Chinese in chinese/*.toml for {english:?}"));
        }
    }
    for (english, (file, _)) in &tables.literals {
        if !said.contains_key(english) {
            problems.push(format!("chinese/{file}: nothing says {english:?} any more"));
        }
    }
    for english in code.iter().filter(|english| !said.contains_key(**english)) {
        problems.push(format!("chinese/code.toml: nothing says {english:?} any more"));
    }
    for (english, chinese) in all(tables) {
        let holes = english.matches("{}").count();
        let used: BTreeSet<usize> = (0..10)
            .filter(|n| chinese.contains(&format!("{{{n}}}")) || chinese.contains(&format!("{{={n}}}")))
            .collect();
        if used != (0..holes).collect() {
            problems.push(format!("chinese: {chinese:?} has not the values of {english:?}"));
        }
    }
    problems
}

fn all(tables: &Tables) -> impl Iterator<Item = (&str, &str)> {
    let literals = tables.literals.iter();
    let literals = literals.map(|(english, (_, chinese))| (english.as_str(), chinese.as_str()));
    let composed = tables.composed.iter();
    literals.chain(composed.map(|(english, chinese)| (english.as_str(), chinese.as_str())))
}

/// The tables as Rust: the templates that begin with a word by their first byte, those that begin with a value, and the
/// words that stay.
fn emit(tables: &Tables) -> String {
    let mut rows: Vec<(Vec<String>, String, bool)> = all(tables).map(|(e, c)| row(e, c)).collect();
    rows.sort();
    let (gaps, starts): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| {
        let first = row.0.first();
        first.is_some_and(String::is_empty)
    });
    let mut out = String::new();
    for (name, rows) in [("STARTS", starts), ("GAPS", gaps)] {
        // Writing to a string does not fail.
        let _ = writeln!(out, "static {name}: &[Template] = &[");
        for (english, chinese, tail) in rows {
            let _ = writeln!(out, "    Template {{ english: &{english:?}, chinese: {chinese:?}, tail: {tail} }},");
        }
        out += "];\n\n";
    }
    let mut technical = tables.kept.technical.clone();
    technical.sort();
    let _ = writeln!(out, "static TECHNICAL: &[&str] = &{technical:?};");
    out
}

/// What stands between a template's values, its Chinese, and whether it goes on from what is before it: one that begins
/// with a space or a comma has that as its first value, one that ends with a space has what is behind as its last.
fn row(english: &str, chinese: &str) -> (Vec<String>, String, bool) {
    let mut between: Vec<String> = english.split("{}").map(str::to_owned).collect();
    let mut chinese = chinese.to_owned();
    let holes = between.len() - 1;
    let tail = english.starts_with([' ', ',', ':', '.']);
    if tail {
        between.insert(0, String::new());
        for n in (0..holes).rev() {
            chinese = chinese
                .replace(&format!("{{{n}}}"), &format!("{{{}}}", n + 1))
                .replace(&format!("{{={n}}}"), &format!("{{={}}}", n + 1));
        }
        chinese.insert_str(0, "{0}");
    } else if english.ends_with(' ') {
        between.push(String::new());
        let _ = write!(chinese, "{{{holes}}}");
    }
    (between, chinese, tail)
}
