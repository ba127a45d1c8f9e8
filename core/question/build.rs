//! Compiles the published layouts among the catalogs into a static table; the catalog's own build script checks them.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/recipes.rs"]
mod recipes;
#[allow(
    dead_code,
    unused_imports,
    reason = "the other tables are the catalog's"
)]
#[path = "../catalog/build/mod.rs"]
mod tables;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=../catalog/build");
    println!("cargo::rerun-if-changed=../catalog/data");
    if let Err(problems) = run() {
        for problem in problems {
            println!("cargo::error={problem}");
        }
    }
}

fn run() -> Result<(), Vec<String>> {
    let variable = |name: &str| std::env::var(name).map_err(|e| vec![format!("{name}: {e}")]);
    let root = variable("CARGO_MANIFEST_DIR")?;
    let out = Path::new(&variable("OUT_DIR")?).join("recipes.rs");
    let entries = tables::load(&Path::new(&root).join("../catalog/data"))?;
    std::fs::write(&out, recipes::emit(&entries))
        .map_err(|e| vec![format!("{}: {e}", out.display())])
}
