//! What the core says in languages other than English: from a folder of `words/` each to static tables.
//!
//! `cargo xtask words` holds the tables against the sources.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What sentences stand between, and what stays English in them: `language.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    stop: String,
    names: String,
    joins: Vec<(String, String)>,
    wide: bool,
    marks: String,
    technical: Vec<String>,
}

/// What a formula of `explain/methods/` is called and says, or a group of them: `methods.toml`, by id.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Method {
    title: String,
    /// Where the formula has words.
    formula: Option<String>,
    /// What it says; a group says nothing.
    #[serde(default)]
    text: String,
    /// Symbol and meaning.
    #[serde(default)]
    terms: Vec<(String, String)>,
}

/// The literal of every language below a folder, which `src/words.rs` includes.
///
/// # Errors
/// What cannot be read, a sentence in two files of a language, one whose values are others than the English ones.
pub(crate) fn literal(folder: &Path) -> Result<String, Vec<String>> {
    let mut out = "&[\n".to_owned();
    for path in entries(folder)? {
        if path.is_dir() {
            out += &language(&path)?;
        }
    }
    Ok(out + "]")
}

fn language(folder: &Path) -> Result<String, Vec<String>> {
    let own: Language = parse(&folder.join("language.toml"))?;
    let formulas = folder.join("methods.toml");
    let methods: BTreeMap<String, Method> = if formulas.exists() { parse(&formulas)? } else { BTreeMap::new() };
    let (mut said, mut problems) = (BTreeMap::new(), Vec::new());
    let apart = |path: &PathBuf| path.ends_with("language.toml") || *path == formulas;
    for path in entries(folder)?.into_iter().filter(|path| !apart(path)) {
        for (english, other) in parse::<BTreeMap<String, String>>(&path)? {
            let file = path.display();
            if values(&other) != (0..english.matches("{}").count()).collect::<Vec<_>>() {
                problems.push(format!("{file}: {other:?} has not the values of {english:?}"));
            }
            if said.insert(english.clone(), other).is_some() {
                problems.push(format!("{file}: in another file too: {english:?}"));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut rows: Vec<(Vec<String>, String, bool)> = said.iter().map(|(english, other)| row(english, other)).collect();
    rows.sort();
    let (whole, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(english, ..)| english.len() == 1);
    // Those that begin with a word are looked up by their first byte.
    let (gaps, starts): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.0.first().is_some_and(String::is_empty));
    let Language { stop, names, joins, wide, marks, mut technical } = own;
    technical.sort();
    let tag = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut out = format!(
        "Words {{ tag: {tag:?}, stop: {stop:?}, names: {names:?}, joins: &{joins:?}, wide: {wide}, marks: {marks:?}, technical: &{technical:?},\n"
    );
    out += "whole: &[\n";
    for (english, other, _) in whole {
        // Writing to a string does not fail.
        let _ = writeln!(out, "    ({:?}, {other:?}),", english.concat());
    }
    out += "],\n";
    for (name, rows) in [("starts", starts), ("gaps", gaps)] {
        let _ = writeln!(out, "{name}: &[");
        for (english, other, tail) in rows {
            let _ = writeln!(out, "    Template {{ english: &{english:?}, said: {other:?}, tail: {tail} }},");
        }
        out += "],\n";
    }
    out += "methods: &[\n";
    for (id, Method { title, formula, text, terms }) in methods {
        let _ = writeln!(
            out,
            "    Method {{ id: {id:?}, title: {title:?}, formula: {formula:?}, text: {text:?}, terms: &{terms:?} }},"
        );
    }
    Ok(out + "],\n},\n")
}

/// The values that a sentence has, each once: `{0}`, or `{=0}` for one that stays as it is.
fn values(said: &str) -> Vec<usize> {
    let has = |n: &usize| said.contains(&format!("{{{n}}}")) || said.contains(&format!("{{={n}}}"));
    (0..10).filter(has).collect()
}

/// What stands between a template's values, what is said for it, and whether it goes on from what is before it: one that
/// begins with a space or a comma has that as its first value, one that ends with a space has what is behind as its last.
fn row(english: &str, other: &str) -> (Vec<String>, String, bool) {
    let mut between: Vec<String> = english.split("{}").map(str::to_owned).collect();
    let mut said = other.to_owned();
    let holes = between.len() - 1;
    let tail = english.starts_with([' ', ',', ':', '.']);
    if tail {
        between.insert(0, String::new());
        for n in (0..holes).rev() {
            said = said
                .replace(&format!("{{{n}}}"), &format!("{{{}}}", n + 1))
                .replace(&format!("{{={n}}}"), &format!("{{={}}}", n + 1));
        }
        said.insert_str(0, "{0}");
    } else if english.ends_with(' ') {
        between.push(String::new());
        let _ = write!(said, "{{{holes}}}");
    }
    (between, said, tail)
}

fn parse<T: DeserializeOwned>(path: &Path) -> Result<T, Vec<String>> {
    let problem =
        |error: &dyn std::fmt::Display| vec![format!("{}: {}", path.display(), error.to_string().replace('\n', " "))];
    let text = std::fs::read_to_string(path).map_err(|error| problem(&error))?;
    toml::from_str(&text).map_err(|error| problem(&error))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Vec<String>> {
    let entries = std::fs::read_dir(folder).map_err(|error| vec![format!("{}: {error}", folder.display())])?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
