//! Compiles the formulas in `methods/`, with the doc comments of the code that each names and with what estimates of their
//! kind were off by, into static tables.
//!
//! A formula without a citation, without code or without words fails the build with its file and its id.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/measured.rs"]
mod measured;
#[path = "build/methods.rs"]
mod methods;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=methods");
    if let Err(problems) = run() {
        for problem in problems {
            println!("cargo::error={problem}");
        }
    }
}

fn run() -> Result<(), Vec<String>> {
    let variable = |name: &str| std::env::var(name).map_err(|e| vec![format!("{name}: {e}")]);
    let root = variable("CARGO_MANIFEST_DIR")?;
    let out = variable("OUT_DIR")?;
    let core = Path::new(&root).join("..");
    for (name, (text, from)) in [
        ("methods.rs", methods::literal(&core)?),
        ("measured.rs", measured::literal(&core)?),
    ] {
        for path in from {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        let path = Path::new(&out).join(name);
        std::fs::write(&path, text).map_err(|e| vec![format!("{}: {e}", path.display())])?;
    }
    Ok(())
}
