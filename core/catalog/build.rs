//! Checks the catalogs in `data/` and compiles them into static tables.
//!
//! A bad entry fails the build with its file, its id, its field and what is wrong.
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

#[path = "../build/script.rs"]
mod script;
#[path = "build/tables.rs"]
mod tables;

fn main() {
    script::run(&["build.rs", "../build/script.rs", "build", "data", "src/slug.rs"], |root, _| {
        let data = root.join("data");
        let entries = tables::load(&data)?;
        let generations: Vec<&str> = entries
            .generations
            .iter()
            .map(|(_, generation)| generation.name.as_str())
            .collect();
        let efficiency = tables::efficiency::literal(&data.join("efficiency.toml"), &generations)?;
        let made = vec![("tables.rs", tables::emit(&entries)), ("efficiency.rs", efficiency)];
        Ok((made, Vec::new()))
    });
}
