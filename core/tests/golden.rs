//! Recorded answers: what a change moves shows in its diff.
//!
//! `UPDATE_GOLDEN=1 cargo test -p shardwise-core --test golden` writes them anew; read the diff before committing
//! it. `tests/wasm.rs` compares the same cases in a browser.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

mod cases;

use cases::CASES;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"))
}

#[test]
fn answers_are_as_recorded() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        for case in CASES {
            let text = serde_json::to_string_pretty(&case.today()).unwrap();
            fs::write(folder().join(format!("{}.answer.json", case.name)), text + "\n").unwrap();
        }
        return;
    }
    let differences: Vec<String> = CASES.iter().flat_map(cases::Case::differences).collect();
    assert!(
        differences.is_empty(),
        "{}\nWhere that is meant: UPDATE_GOLDEN=1 cargo test -p shardwise-core --test golden",
        differences.join("\n")
    );
}

/// No file that nothing compares.
#[test]
fn every_file_is_a_case() {
    let mut files: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    for case in CASES {
        assert!(files.remove(&format!("{}.json", case.name)) && files.remove(&format!("{}.answer.json", case.name)));
    }
    assert!(files.is_empty(), "{files:?}");
}
