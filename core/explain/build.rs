//! Compiles the formulas in `methods/`, with the doc comments of the code that each names and with what estimates of their
//! kind were off by, into static tables.
//!
//! A formula without a citation, without code or without words fails the build with its file and its id.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/measured.rs"]
mod measured;
#[path = "build/methods.rs"]
mod methods;
#[path = "../build/script.rs"]
mod script;

fn main() {
    let watched = [
        "build.rs",
        "../build/script.rs",
        "build",
        "methods",
        "../catalog/data/efficiency.toml",
        "../catalog/data/coverage.toml",
    ];
    script::run(&watched, |root, _| {
        let core = root.join("..");
        let (formulas, mut read) = methods::literal(&core)?;
        let (errors, records) = measured::literal(&core)?;
        read.extend(records);
        Ok((vec![("methods.rs", formulas), ("measured.rs", errors)], read))
    });
}
