//! Recorded answers: what a change moves shows in its diff.
//!
//! `UPDATE_GOLDEN=1 cargo test -p shardwise-core --test golden` writes them anew; read the diff before committing
//! it. `tests/wasm.rs` compares the same cases in a browser.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

mod cases;

use cases::CASES;
use serde_json::Value;
use shardwise_core::wire::parse_question;
use shardwise_core::{Answer, estimate};

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

/// An answer can be read where it arrives: it is written there as it was here.
#[test]
fn answers_are_read_back() {
    let mut phases = BTreeSet::new();
    for case in CASES {
        let found = estimate(&parse_question(case.question).unwrap()).unwrap();
        let text = serde_json::to_string(&found).unwrap();
        let answer: Answer = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        phases.insert(answer.fit.phase);
        // Of a number the reader may miss the last bit.
        let again: Answer = serde_json::from_str(&serde_json::to_string(&answer).unwrap()).unwrap();
        let same = |answer: &Answer| serde_json::to_string(answer).unwrap();
        assert_eq!(same(&answer), same(&again), "{}", case.name);
        assert_eq!(
            serde_json::to_value(&answer).unwrap(),
            serde_json::from_str::<Value>(&text).unwrap(),
            "{}",
            case.name
        );
    }
    assert!(phases.len() > 2, "{phases:?}");
    let stranger = serde_json::from_str::<Answer>(r#"{"version": 1, "fit": {"phase": "dance"}}"#);
    assert!(stranger.is_err());
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
