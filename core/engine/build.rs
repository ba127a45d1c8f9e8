//! Compiles what published runs cover, `coverage.toml` among the catalogs, into a static table.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/coverage.rs"]
mod coverage;
#[path = "../build/script.rs"]
mod script;

/// Where the fit writes it.
const COVERAGE: &str = "../catalog/data/coverage.toml";

fn main() {
    script::run(&["build.rs", "../build/script.rs", "build", COVERAGE], |root, _| {
        let literal = coverage::literal(&root.join(COVERAGE))?;
        Ok((vec![("coverage.rs", literal)], Vec::new()))
    });
}
