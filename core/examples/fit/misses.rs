//! What is known of why runs are missed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

const MISSES: &str = include_str!("../../tests/data/misses.toml");

/// What is known of a miss, in the languages of the page.
#[derive(Clone, Serialize)]
pub(crate) struct Why {
    en: String,
    zh: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Misses {
    miss: Vec<Miss>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Miss {
    /// The quantity.
    of: String,
    runs: Vec<String>,
    says: String,
    zh: String,
}

/// By quantity and run.
pub(crate) fn known() -> BTreeMap<(String, String), Why> {
    let misses: Misses = toml::from_str(MISSES).unwrap_or_else(|error| panic!("misses.toml: {error}"));
    let mut found = BTreeMap::new();
    for Miss { of, runs, says, zh } in misses.miss {
        for run in runs {
            let known = found.insert((of.clone(), run.clone()), Why { en: says.clone(), zh: zh.clone() });
            assert!(known.is_none(), "misses.toml explains {run} ({of}) twice");
        }
    }
    found
}
