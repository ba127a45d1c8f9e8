//! Hands the crate the tables that were made of its data when it was packed (`scripts/pack-crates.mjs`).
#![allow(clippy::print_stdout)] // A build script speaks to cargo on standard output.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=made");
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    let made = named("CARGO_MANIFEST_DIR")?.join("made");
    println!("cargo::rerun-if-env-changed=SHARDWISE_COMMIT");
    // The commit that the crate was packed of, unless whoever compiles it says another.
    if let (Ok(commit), None) = (fs::read_to_string(made.join("commit")), env::var_os("SHARDWISE_COMMIT")) {
        println!("cargo::rustc-env=SHARDWISE_COMMIT={commit}");
    }
    copy(&made, &named("OUT_DIR")?)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
