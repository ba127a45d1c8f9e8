//! Compiles what published runs cover, `coverage.toml` among the catalogs, into a static table.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/coverage.rs"]
mod coverage;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=../catalog/data/coverage.toml");
    if let Err(problems) = run() {
        for problem in problems {
            println!("cargo::error={problem}");
        }
    }
}

fn run() -> Result<(), Vec<String>> {
    let variable = |name: &str| std::env::var(name).map_err(|e| vec![format!("{name}: {e}")]);
    let root = variable("CARGO_MANIFEST_DIR")?;
    let out = Path::new(&variable("OUT_DIR")?).join("coverage.rs");
    let literal = coverage::literal(&Path::new(&root).join("../catalog/data/coverage.toml"))?;
    std::fs::write(&out, literal).map_err(|e| vec![format!("{}: {e}", out.display())])
}
