//! What published runs cover: from `catalog/coverage.toml` to a Rust literal.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    plain: [f64; 2],
    involved: [f64; 2],
    generation: [f64; 2],
    generation_on: Vec<String>,
    reinforcement: f64,
    memory: [f64; 3],
    kinds: Vec<Kind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    architecture: String,
    bits: u8,
    framework: String,
    experts: bool,
    sources: usize,
    runs: usize,
}

/// The literal of `Coverage` that `src/coverage.rs` includes.
///
/// # Errors
/// What the file is wrong about.
pub(crate) fn literal(path: &Path) -> Result<String, Vec<String>> {
    let name = "catalog/coverage.toml";
    let text = std::fs::read_to_string(path).map_err(|e| vec![format!("{name}: {e}")])?;
    let file: File = toml::from_str(&text).map_err(|e| vec![format!("{name}: {e}")])?;
    let widths = file
        .plain
        .iter()
        .chain(&file.involved)
        .chain(&file.generation)
        .chain([&file.reinforcement])
        .chain(&file.memory);
    if widths.clone().any(|width| !(*width > 0.0 && *width < 2.0)) {
        return Err(vec![format!(
            "{name}: a half-width is not above 0 and below 2"
        )]);
    }
    if let Some(kind) = file
        .kinds
        .iter()
        .find(|kind| kind.sources.min(kind.runs) == 0)
    {
        return Err(vec![format!(
            "{name}: no run covers {} of {}",
            kind.framework, kind.architecture
        )]);
    }
    let mut out = String::from("Coverage { kinds: &[");
    for kind in &file.kinds {
        let _ = write!(
            out,
            "Kind {{ architecture: {:?}, bits: {}, framework: {:?}, experts: {} }},",
            kind.architecture, kind.bits, kind.framework, kind.experts
        );
    }
    let _ = write!(
        out,
        "], plain: {:?}, involved: {:?}, generation: {:?}, generation_on: &{:?}, reinforcement: {:?}, memory: {:?} }}",
        file.plain,
        file.involved,
        file.generation,
        file.generation_on,
        file.reinforcement,
        file.memory
    );
    Ok(out)
}
