//! Compiles the Chinese in `chinese/` into static tables; with the feature `serve`, the built site too.
//!
//! A sentence without Chinese fails the build and names itself.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/chinese.rs"]
mod chinese;
#[cfg(feature = "serve")]
#[path = "build/site.rs"]
mod site;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=chinese");
    for folder in chinese::SOURCES {
        println!("cargo::rerun-if-changed={folder}");
    }
    if let Err(problems) = run() {
        for problem in problems {
            println!("cargo::error={problem}");
        }
    }
}

fn run() -> Result<(), Vec<String>> {
    let variable = |name: &str| std::env::var(name).map_err(|e| vec![format!("{name}: {e}")]);
    let root = variable("CARGO_MANIFEST_DIR")?;
    let root = Path::new(&root);
    let out = variable("OUT_DIR")?;
    let write = |name: &str, text: String| {
        std::fs::write(Path::new(&out).join(name), text).map_err(|e| vec![format!("{name}: {e}")])
    };
    #[cfg(feature = "serve")]
    write(
        "site.rs",
        site::literal(root, &Path::new(&out).join("site"))?,
    )?;
    write("chinese.rs", chinese::literal(root)?)
}
