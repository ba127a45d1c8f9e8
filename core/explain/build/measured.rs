//! How far estimates were off where they were measured, and on what: from what the fit writes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
struct Accuracy {
    figures: Vec<Figure>,
}

#[derive(Deserialize)]
struct Figure {
    kind: String,
    by: String,
    name: String,
    case: String,
    runs: usize,
    median: f64,
    p90: f64,
    covered: Option<f64>,
}

#[derive(Deserialize)]
struct Coverage {
    kinds: Vec<Kind>,
    memory: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    sources: usize,
    runs: usize,
}

/// The literals that `src/errors.rs` includes, and the files that they were made from.
///
/// # Errors
/// What a file is wrong about.
pub(crate) fn literal(root: &Path) -> Result<(String, Vec<PathBuf>), Vec<String>> {
    let accuracy = root.join("../public/accuracy.json");
    let coverage = root.join("catalog/data/coverage.toml");
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| vec![format!("{}: {e}", path.display())]);
    let wrong = |path: &Path, e: &dyn std::fmt::Display| vec![format!("{}: {e}", path.display())];
    let figures: Accuracy = serde_json::from_str(&read(&accuracy)?).map_err(|e| wrong(&accuracy, &e))?;
    let kinds: Coverage = toml::from_str(&read(&coverage)?).map_err(|e| wrong(&coverage, &e))?;
    let mut out = String::from("pub(super) static MEASURED: &[Measured] = &[");
    for own in &figures.figures {
        // Groups that no sentence speaks of: of RL, phases are kinds.
        let said = match own.kind.as_str() {
            "step" => matches!(own.by.as_str(), "all" | "kind"),
            _ => matches!(own.by.as_str(), "all" | "framework"),
        };
        if !said {
            continue;
        }
        let _ = write!(
            out,
            "Measured {{ of: {:?}, by: {:?}, name: {:?}, left_out: {}, runs: {}, median: {:?}, p90: {:?}, covered: {:?} }},",
            own.kind,
            own.by,
            own.name,
            own.case == "left_out",
            own.runs,
            own.median,
            own.p90,
            own.covered
        );
    }
    out.push_str("]; pub(super) static KIND_RUNS: &[(usize, usize)] = &[");
    for kind in &kinds.kinds {
        let _ = write!(out, "({}, {}),", kind.sources, kind.runs);
    }
    out.push_str("]; pub(super) static MEMORY_RUNS: &[(usize, usize)] = &[");
    for kind in &kinds.memory {
        let _ = write!(out, "({}, {}),", kind.sources, kind.runs);
    }
    out.push_str("];");
    Ok((out, vec![accuracy]))
}
