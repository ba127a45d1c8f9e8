//! Which module of a crate takes which: circles stay small. That no crate takes a later one, the compiler sees to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::sources::{Module, Said, below, modules};

/// As many modules may take each other in a circle.
const MOST: usize = 6;

type Modules = BTreeMap<Said, Module>;

/// Every arrow from a module to another.
type Arrows = BTreeSet<(Said, Said)>;

/// What there is below `core`, or what is wrong with it.
///
/// # Errors
/// Every circle that is too large; what cannot be read.
pub(crate) fn report(core: &Path) -> Result<String, String> {
    let mut text = String::new();
    let mut wrong = String::new();
    for (of, src) in sources(core)? {
        let all = modules(&src)?;
        let arrows = arrows(&all);
        let circles = circles(&arrows);
        for circle in circles.iter().filter(|circle| circle.len() > MOST) {
            let names: Vec<String> = circle.iter().map(|path| name(path)).collect();
            let _ = writeln!(wrong, "{of}: {} modules take each other: {}.", circle.len(), names.join(", "));
        }
        let _ = writeln!(
            text,
            "{of:<12} {:>4} modules {:>5} arrows {:>4} circles, the largest of {}",
            all.len(),
            arrows.len(),
            circles.len(),
            circles.iter().map(Vec::len).max().unwrap_or(1),
        );
    }
    if wrong.is_empty() { Ok(text.trim_end().to_owned()) } else { Err(wrong) }
}

/// What a module, `engine::memory::phase`, takes inside of its crate, and who takes it.
///
/// # Errors
/// A module that is not there, or stands alone; what cannot be read.
pub(crate) fn of(core: &Path, module: &str) -> Result<String, String> {
    let (of, inside) = module.split_once("::").unwrap_or((module, ""));
    let asked: Said = inside.split("::").map(str::to_owned).collect();
    let all = sources(core)?;
    let (_, src) = all
        .iter()
        .find(|(name, _)| name.as_str() == of)
        .ok_or(format!("{of} is no crate of core/."))?;
    let mut text = String::new();
    for (from, to) in &arrows(&modules(src)?) {
        if *from == asked || *to == asked {
            let _ = writeln!(text, "{} takes {}", name(from), name(to));
        }
    }
    if text.is_empty() {
        return Err(format!("{module} takes nothing, and nothing takes it."));
    }
    Ok(text)
}

/// The crates of `core` by the names of their folders, and where their sources are: `core` itself is one, and so is the page.
fn sources(core: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let named = |error: std::io::Error| format!("{}: {error}", core.display());
    let mut all = BTreeMap::from([("core".to_owned(), core.join("src")), ("app".to_owned(), core.join("../app/src"))]);
    for entry in std::fs::read_dir(core).map_err(named)? {
        let entry = entry.map_err(named)?;
        if entry.path().join("Cargo.toml").is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            all.insert(name, entry.path().join("src"));
        }
    }
    Ok(all)
}

fn name(path: &[String]) -> String {
    path.join("::")
}

/// The root only says what there is.
fn arrows(all: &Modules) -> Arrows {
    let mut arrows = Arrows::new();
    for (from, module) in all.iter().filter(|(path, _)| !path.is_empty()) {
        for said in &module.says {
            let to = resolved(all, from, said);
            arrows.extend(to.filter(|to| to != from && !to.is_empty()).map(|to| (from.clone(), to)));
        }
    }
    arrows
}

/// The module in which what `from` says is written; none for other crates and for names in `from` itself.
fn resolved(all: &Modules, from: &[String], said: &[String]) -> Option<Said> {
    let (mut at, mut item) = step(all, from, said)?;
    let mut seen = BTreeSet::new();
    // What a module has from elsewhere is taken from there, which may be another crate.
    while seen.insert((at.clone(), item.clone()))
        && let Some(path) = item.as_ref().and_then(|item| all.get(&at)?.imports.get(item))
    {
        (at, item) = step(all, &at, path)?;
    }
    Some(at)
}

/// Where a path that `from` says leads: the last module in it, and the name after that.
fn step(all: &Modules, from: &[String], said: &[String]) -> Option<(Said, Option<String>)> {
    let mut at = from.to_vec();
    let mut rest = said;
    match rest.first()?.as_str() {
        "crate" => {
            at.clear();
            rest = &rest[1..];
        }
        "self" | "super" => {
            while let Some(word) = rest.first().filter(|word| ["self", "super"].contains(&word.as_str())) {
                if word == "super" {
                    at.pop();
                }
                rest = &rest[1..];
            }
        }
        first if all.contains_key(&below(from, first)) => {}
        _ => return None,
    }
    while let Some(next) = rest.first().map(|word| below(&at, word)) {
        if !all.contains_key(&next) {
            break;
        }
        at = next;
        rest = &rest[1..];
    }
    let item = rest.first().cloned();
    Some((at, item))
}

/// The circles of more than one module, the largest first: modules that reach each other.
fn circles(arrows: &Arrows) -> Vec<Vec<Said>> {
    let mut takes: BTreeMap<&Said, Vec<&Said>> = BTreeMap::new();
    for (from, to) in arrows {
        takes.entry(from).or_default().push(to);
    }
    let reached: BTreeMap<&Said, BTreeSet<&Said>> = takes.keys().map(|from| (*from, reachable(&takes, from))).collect();
    let mut circles: BTreeSet<Vec<Said>> = BTreeSet::new();
    for (module, others) in &reached {
        let back = |other: &&&Said| reached.get(**other).is_some_and(|own| own.contains(*module));
        let circle: Vec<Said> = others.iter().filter(back).map(|own| (*own).clone()).collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    let mut circles: Vec<Vec<Said>> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// The modules that one takes, and those that they take.
fn reachable<'a>(takes: &BTreeMap<&'a Said, Vec<&'a Said>>, from: &Said) -> BTreeSet<&'a Said> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Said> = takes.get(from).cloned().unwrap_or_default();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(takes.get(module).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::{MOST, arrows, circles, name};
    use crate::sources::modules;

    /// A folder of its own for one test, with these files.
    fn written(test: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("shardwise-xtask-{}-{test}", std::process::id()));
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn arrows_of(test: &str, files: &[(&str, &str)]) -> Vec<String> {
        let folder = written(test, files);
        let all = modules(&folder).unwrap();
        fs::remove_dir_all(folder).unwrap();
        let arrows = arrows(&all);
        let arrow = |(from, to): &(Vec<String>, Vec<String>)| format!("{} {}", name(from), name(to));
        arrows.iter().map(arrow).collect()
    }

    #[test]
    fn paths_are_followed_to_where_a_name_is_written() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "mod inner; pub use inner::Inner; use crate::b;"),
            ("a/inner.rs", "pub struct Inner; pub(in crate::a) fn seen() { super::super::c::go(); }"),
            ("b.rs", "use crate::a::Inner; fn of() -> Inner { println!(\"{}\", crate::c::go()) }"),
            ("c.rs", "pub fn go() {}"),
        ];
        let expected = ["a a::inner", "a b", "a::inner c", "b a::inner", "b c"];
        assert_eq!(arrows_of("paths", &files), expected);
    }

    #[test]
    fn what_is_for_tests_alone_takes_nothing() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "#[cfg(test)] mod tests; #[cfg(all(test, unix))] mod more { use crate::b; }"),
            ("a/tests.rs", "use crate::b;"),
            ("b.rs", ""),
        ];
        assert!(arrows_of("tests", &files).is_empty());
    }

    #[test]
    fn a_circle_is_found_with_all_its_modules() {
        let module = |number: usize| format!("m{number}.rs");
        let all = MOST + 1;
        let files: Vec<(String, String)> = (0..all)
            .map(|own| (module(own), format!("use crate::m{}::x;", (own + 1) % all)))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
        let folder = written("circle", &files);
        let modules = modules(&folder).unwrap();
        fs::remove_dir_all(folder).unwrap();
        let found = circles(&arrows(&modules));
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [all]);
    }
}
