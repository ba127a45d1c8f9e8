//! Compiles the published layouts among the catalogs into a static table; the catalog's own build script checks them.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "build/recipes.rs"]
mod recipes;
#[path = "../build/script.rs"]
mod script;
#[allow(dead_code, unused_imports, reason = "the other tables are the catalog's")]
#[path = "../catalog/build/tables.rs"]
mod tables;

fn main() {
    let watched = ["build.rs", "../build/script.rs", "build", "../catalog/build", "../catalog/data"];
    script::run(&watched, |root, _| {
        let entries = tables::load(&root.join("../catalog/data"))?;
        Ok((vec![("recipes.rs", recipes::emit(&entries))], Vec::new()))
    });
}
