//! The catalog's way from TOML into Rust: rows, checks, typical prices, tables.

mod check;
pub(crate) mod efficiency;
mod emit;
mod host;
pub(crate) mod literal;
mod memory;
mod offer;
mod price;
mod recipe;
mod rows;
#[path = "../src/slug.rs"]
mod slug;

pub(crate) use check::check;
pub(crate) use emit::emit;
pub(crate) use rows::Catalog;
use rows::Lists;

use std::path::{Path, PathBuf};

/// Reads and checks every TOML file under `dir`.
///
/// # Errors
/// All problems found, each with file, entry and field.
pub(crate) fn load(dir: &Path) -> Result<Catalog, Vec<String>> {
    let mut files = Vec::new();
    collect(dir, &mut files).map_err(|e| vec![format!("{}: {e}", dir.display())])?;
    files.sort();
    let mut catalog = Catalog::default();
    let mut problems = Vec::new();
    for path in files {
        let name = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                if let Err(problem) = add(&mut catalog, &name, &text) {
                    problems.push(problem);
                }
            }
            Err(e) => problems.push(format!("catalog/{name}: {e}")),
        }
    }
    problems.extend(check(&catalog));
    if problems.is_empty() { Ok(catalog) } else { Err(problems) }
}

/// Adds the entries of one file.
///
/// # Errors
/// What the file's TOML or an entry's keys are wrong about, with the line.
pub(crate) fn add(catalog: &mut Catalog, name: &str, text: &str) -> Result<(), String> {
    let lists: Lists =
        toml::from_str(text).map_err(|e| format!("catalog/{name}: {}", e.to_string().replace('\n', " ")))?;
    catalog.add(&format!("catalog/{name}"), lists);
    Ok(())
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "toml")
            && !path.ends_with("efficiency.toml")
            && !path.ends_with("coverage.toml")
        {
            files.push(path);
        }
    }
    Ok(())
}
