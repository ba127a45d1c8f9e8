//! Checks of the house that no compiler makes: `cargo xtask arrows`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

mod arrows;
mod layers;
mod sources;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask arrows           which layers and circles of modules take each other
       cargo xtask arrows MODULE    what a module takes, and who takes it";

fn main() -> ExitCode {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["arrows"] => arrows::report(&src),
        ["arrows", module] => arrows::of(&src, module),
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
