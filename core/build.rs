//! Checks the catalog in `catalog/`, the formulas in `methods/` and the Chinese in `chinese/`, and compiles them into static
//! tables; with the feature `serve`, the built site too.
//!
//! A bad entry fails the build with its file, its id, its field and what is wrong; a sentence without Chinese names itself.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/chinese.rs"]
mod chinese;
#[path = "build/measured.rs"]
mod measured;
#[path = "build/methods.rs"]
mod methods;
#[cfg(feature = "serve")]
#[path = "build/site.rs"]
mod site;
#[path = "build/mod.rs"]
mod tables;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=catalog");
    println!("cargo::rerun-if-changed=methods");
    println!("cargo::rerun-if-changed=chinese");
    println!("cargo::rerun-if-changed=src");
    if let Err(problems) = run() {
        for problem in problems {
            println!("cargo::error={problem}");
        }
    }
}

fn run() -> Result<(), Vec<String>> {
    let root = std::env::var("CARGO_MANIFEST_DIR")
        .map_err(|e| vec![format!("CARGO_MANIFEST_DIR: {e}")])?;
    let out = std::env::var("OUT_DIR").map_err(|e| vec![format!("OUT_DIR: {e}")])?;
    let catalog = Path::new(&root).join("catalog");
    let write = |name: &str, text: String| {
        std::fs::write(Path::new(&out).join(name), text).map_err(|e| vec![format!("{name}: {e}")])
    };
    let entries = tables::load(&catalog)?;
    let gpus: Vec<&str> = entries
        .gpus
        .iter()
        .map(|(_, gpu)| gpu.id.as_str())
        .collect();
    let efficiency = tables::efficiency::literal(&catalog.join("efficiency.toml"), &gpus)?;
    write("tables.rs", tables::emit(&entries))?;
    write("recipes.rs", tables::recipe::emit(&entries))?;
    write("efficiency.rs", efficiency)?;
    let coverage = tables::coverage::literal(&catalog.join("coverage.toml"))?;
    write("coverage.rs", coverage)?;
    let root = Path::new(&root);
    for (name, made) in [
        ("methods.rs", methods::literal(root)?),
        ("measured.rs", measured::literal(root)?),
    ] {
        let (text, from) = made;
        for path in from {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        write(name, text)?;
    }
    #[cfg(feature = "serve")]
    write(
        "site.rs",
        site::literal(root, &Path::new(&out).join("site"))?,
    )?;
    write("chinese.rs", chinese::literal(root)?)
}
