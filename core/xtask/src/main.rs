//! Checks of the house that no compiler makes.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

mod arrows;
mod formulas;
mod offers;
mod sources;
mod words;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask words            whether every sentence and formula has its words in every language
       cargo xtask arrows           which modules of a crate take each other in a circle
       cargo xtask arrows MODULE    what a module, engine::memory::phase, takes, and who takes it
       cargo xtask offers ...       core/catalog/data/offers.toml from offers.csv: scripts/refresh-offers";

fn main() -> ExitCode {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["words"] => words::report(&core),
        ["arrows"] => arrows::report(&core),
        ["arrows", module] => arrows::of(&core, module),
        ["offers", rest @ ..] => offers::refresh(&core, rest),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(report) => {
            eprintln!("{report}");
            ExitCode::FAILURE
        }
    }
}
