//! What published runs cover: from `catalog/data/coverage.toml` to a Rust literal.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    plain: [f64; 2],
    tuned: [f64; 2],
    low: [f64; 2],
    experts: [f64; 2],
    card: f64,
    generation: Vec<Generation>,
    reinforcement: [f64; 3],
    reinforcement_runs: usize,
    reinforcement_median: f64,
    memory_on: Vec<String>,
    foreign: [f64; 2],
    vendors: Vec<String>,
    cards: Vec<Card>,
    engine_tensor_parallel: f64,
    memory: Vec<Memory>,
    layouts: Vec<Layouts>,
    kinds: Vec<Kind>,
    reinforcement_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Card {
    gpu: String,
    training: usize,
    generation: usize,
    reinforcement: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Generation {
    engine: String,
    half_widths: [f64; 3],
    on: Vec<String>,
    kinds: Vec<(String, u8, bool)>,
    models: Vec<String>,
    runs: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    kind: String,
    median: f64,
    above: f64,
    below: f64,
    sources: usize,
    runs: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layouts {
    framework: String,
    reinforcement: bool,
    experts: bool,
    experts_per_rank: f64,
    tokens: f64,
    pipeline_parallel: f64,
    layers_per_chunk: f64,
    virtual_pipeline: f64,
    sequence_split: f64,
    expert_tensor_parallel: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    architecture: String,
    bits: u8,
    framework: String,
    task: String,
    experts: bool,
    #[serde(default)]
    experts_of: Vec<[u64; 2]>,
    sources: usize,
    runs: usize,
}

/// The literal of `Coverage` that `src/coverage.rs` includes.
///
/// # Errors
/// What the file is wrong about.
pub(crate) fn literal(path: &Path) -> Result<String, Vec<String>> {
    let name = "catalog/data/coverage.toml";
    let text = std::fs::read_to_string(path).map_err(|e| vec![format!("{name}: {e}")])?;
    let file: File = toml::from_str(&text).map_err(|e| vec![format!("{name}: {e}")])?;
    check(&file).map_err(|wrong| vec![format!("{name}: {wrong}")])?;
    Ok(written(&file))
}

/// What cannot be a coverage.
fn check(file: &File) -> Result<(), String> {
    let widths = file
        .plain
        .iter()
        .chain(&file.tuned)
        .chain(&file.low)
        .chain(&file.experts)
        .chain([&file.card])
        .chain(file.generation.iter().flat_map(|own| &own.half_widths))
        .chain(&file.reinforcement)
        .chain(&file.foreign);
    if widths.clone().any(|width| !(*width > 0.0 && *width < 2.0)) {
        return Err("a half-width is not above 0 and below 2".to_owned());
    }
    if file.generation.is_empty() {
        return Err("no engine was measured".to_owned());
    }
    if let Some(card) = file
        .cards
        .iter()
        .find(|card| card.training + card.generation + card.reinforcement == 0)
    {
        return Err(format!("no run is on {}", card.gpu));
    }
    if [file.plain, file.tuned, file.low, file.experts]
        .iter()
        .any(|[known, new]| known > new)
    {
        return Err("an interval is narrower further from what is known".to_owned());
    }
    if file.kinds.iter().any(|own| own.experts == own.experts_of.is_empty()) {
        return Err("a kind with experts does not say which, or one without does".to_owned());
    }
    let kinds = file.kinds.iter().chain(&file.reinforcement_kinds);
    if let Some(kind) = kinds.clone().find(|kind| kind.sources.min(kind.runs) == 0) {
        return Err(format!("no run covers {} of {}", kind.framework, kind.architecture));
    }
    // In the order of `MemoryKind::ALL`.
    const MEMORY: [&str; 5] = ["megatron", "fsdp", "other", "adapters", "hybrid"];
    let kinds: Vec<&str> = file.memory.iter().map(|own| own.kind.as_str()).collect();
    if kinds != MEMORY {
        return Err(format!("memory is of {kinds:?}, not {MEMORY:?}"));
    }
    for own in &file.memory {
        let narrow = !(own.above > 0.0 && own.below > 0.0);
        if narrow || own.median.abs() > 1.0 || own.runs < own.sources {
            return Err(format!("the memory of {} has no width, or a median far from 0", own.kind));
        }
    }
    Ok(())
}

fn kinds(all: &[Kind]) -> String {
    let mut out = String::new();
    for kind in all {
        let _ = write!(
            out,
            "Kind {{ architecture: {:?}, bits: {}, framework: {:?}, task: {:?}, experts: {} }},",
            kind.architecture, kind.bits, kind.framework, kind.task, kind.experts
        );
    }
    out
}

fn cards(all: &[Card]) -> String {
    let mut out = String::new();
    for own in all {
        let _ = write!(
            out,
            "Card {{ gpu: {:?}, training: {}, generation: {}, reinforcement: {} }},",
            own.gpu, own.training, own.generation, own.reinforcement
        );
    }
    out
}

fn written(file: &File) -> String {
    let mut out = format!(
        "Coverage {{ kinds: &[{}], reinforcement_kinds: &[{}], experts_of: &[",
        kinds(&file.kinds),
        kinds(&file.reinforcement_kinds)
    );
    for own in &file.kinds {
        let _ = write!(out, "&{:?},", own.experts_of);
    }
    let _ = write!(
        out,
        "], plain: {:?}, tuned: {:?}, low: {:?}, experts: {:?}, card: {:?}, reinforcement: {:?}, reinforcement_runs: {}, reinforcement_median: {:?}, memory_on: &{:?}, foreign: {:?}, vendors: &{:?}, memory: [",
        file.plain,
        file.tuned,
        file.low,
        file.experts,
        file.card,
        file.reinforcement,
        file.reinforcement_runs,
        file.reinforcement_median,
        file.memory_on,
        file.foreign,
        file.vendors
    );
    for own in &file.memory {
        let _ = write!(out, "Spread {{ median: {:?}, above: {:?}, below: {:?} }},", own.median, own.above, own.below);
    }
    let _ = write!(out, "], cards: &[{}", cards(&file.cards));
    out.push_str("], generation: &[");
    for own in &file.generation {
        let _ = write!(
            out,
            "Generation {{ engine: {:?}, half_widths: {:?}, on: &{:?}, kinds: &{:?}, models: &{:?}, runs: {} }},",
            own.engine, own.half_widths, own.on, own.kinds, own.models, own.runs
        );
    }
    let _ = write!(out, "], engine_tensor_parallel: {:?}, layouts: &[", file.engine_tensor_parallel);
    for own in &file.layouts {
        let _ = write!(
            out,
            "Layouts {{ framework: {:?}, reinforcement: {}, experts: {}, experts_per_rank: {:?}, tokens: {:?}, \
             pipeline_parallel: {:?}, layers_per_chunk: {:?}, virtual_pipeline: {:?}, sequence_split: {:?}, \
             expert_tensor_parallel: {:?} }},",
            own.framework,
            own.reinforcement,
            own.experts,
            own.experts_per_rank,
            own.tokens,
            own.pipeline_parallel,
            own.layers_per_chunk,
            own.virtual_pipeline,
            own.sequence_split,
            own.expert_tensor_parallel
        );
    }
    out.push_str("] }");
    out
}
