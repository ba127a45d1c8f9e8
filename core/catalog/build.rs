//! Checks the catalogs in `data/` and compiles them into static tables.
//!
//! A bad entry fails the build with its file, its id, its field and what is wrong.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/mod.rs"]
mod tables;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data");
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
    let write = |name: &str, text: String| {
        std::fs::write(Path::new(&out).join(name), text).map_err(|e| vec![format!("{name}: {e}")])
    };
    let data = Path::new(&root).join("data");
    let entries = tables::load(&data)?;
    let gpus: Vec<&str> = entries
        .gpus
        .iter()
        .map(|(_, gpu)| gpu.id.as_str())
        .collect();
    let generations: Vec<&str> = entries
        .generations
        .iter()
        .map(|(_, generation)| generation.name.as_str())
        .collect();
    let efficiency =
        tables::efficiency::literal(&data.join("efficiency.toml"), &gpus, &generations)?;
    write("tables.rs", tables::emit(&entries))?;
    write("efficiency.rs", efficiency)
}
