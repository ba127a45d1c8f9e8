//! What every build script of the core does: say what it reads, write tables, and name what is wrong.

use std::path::{Path, PathBuf};

/// Tables as Rust, by the names of their files, and what they were made from beside what is watched.
pub(crate) type Tables = (Vec<(&'static str, String)>, Vec<PathBuf>);

/// Writes the tables that `made` gives of the crate's folder to the one for what is built, where the crate includes them. `watched` are the files and
/// folders that they come from; every problem fails the build by its own words.
pub(crate) fn run(watched: &[&str], made: impl Fn(&Path, &Path) -> Result<Tables, Vec<String>>) {
    for path in watched {
        println!("cargo::rerun-if-changed={path}");
    }
    if let Err(problems) = write(made) {
        for problem in problems {
            println!("cargo::error={problem}");
        }
    }
}

fn write(made: impl Fn(&Path, &Path) -> Result<Tables, Vec<String>>) -> Result<(), Vec<String>> {
    let variable = |name: &str| std::env::var(name).map_err(|e| vec![format!("{name}: {e}")]);
    let (root, out) = (variable("CARGO_MANIFEST_DIR")?, variable("OUT_DIR")?);
    let (tables, read) = made(Path::new(&root), Path::new(&out))?;
    for path in read {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    for (name, text) in tables {
        std::fs::write(Path::new(&out).join(name), text).map_err(|e| vec![format!("{name}: {e}")])?;
    }
    Ok(())
}
