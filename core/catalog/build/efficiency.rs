//! Efficiencies: from `catalog/efficiency.toml` to a Rust literal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

const NAME: &str = "catalog/efficiency.toml";

/// Constants of an entry by their names, which `src/efficiency.rs` alone lists.
type Constants = BTreeMap<String, f64>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kernels: Vec<Entry>,
    architecture: Vec<Entry>,
    framework: Vec<Entry>,
    engine: Vec<Entry>,
    constant: Vec<Constant>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    basis: String,
    #[serde(flatten)]
    constants: Constants,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    name: String,
    value: f64,
    basis: String,
}

/// Each constant's median over the generations; entries of single GPUs, and of parts of a generation, are none.
fn typical(architectures: &[Entry], generations: &[&str]) -> Constants {
    let mut all: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
    for entry in architectures.iter().filter(|entry| generations.contains(&entry.name.as_str())) {
        for (name, value) in &entry.constants {
            all.entry(name).or_default().push(*value);
        }
    }
    let median = |(name, mut values): (&String, Vec<f64>)| {
        values.sort_by(f64::total_cmp);
        let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
        let middle = [low, high].map(|place| values.get(place).copied().unwrap_or_default());
        // To four digits, as the entries that it stands between.
        (name.clone(), (middle.iter().sum::<f64>() / 2.0 * 1e4).round() / 1e4)
    };
    all.into_iter().map(median).collect()
}

/// A literal as it grows, and what is wrong with what it is made of.
struct Literal {
    text: String,
    problems: Vec<String>,
}

impl Literal {
    fn problem(&mut self, entry: &str, message: &str) {
        self.problems.push(format!("{NAME}: {entry}: {message}"));
    }

    /// Fields of an entry, each above 0 and at most `most`.
    fn fields<'c>(&mut self, entry: &str, constants: impl IntoIterator<Item = (&'c String, &'c f64)>, most: f64) {
        for (field, value) in constants {
            if !(*value > 0.0 && *value <= most) {
                self.problem(entry, &format!("{field} = {value} is not above 0 and at most {most}"));
            }
            // Writing into a string cannot fail.
            let _ = write!(self.text, "{field}: {value:?},");
        }
    }

    /// Entries as a list of structs that have a name.
    fn list(&mut self, field: &str, kind: &str, entries: &[Entry]) {
        let _ = write!(self.text, "{field}: Cow::Borrowed(&[");
        for entry in entries {
            let _ = write!(self.text, "{kind} {{ name: Cow::Borrowed({:?}),", entry.name);
            self.fields(&entry.name, &entry.constants, 2.0);
            self.text.push_str("},");
        }
        self.text.push_str("]),");
    }

    fn basis(&mut self, entry: &str, text: &str) {
        if text.trim().len() < 10 {
            self.problem(entry, "basis: say which runs or which source it comes from");
        }
    }
}

/// The literal of `Efficiency` that `src/efficiency.rs` includes; `generations` are the names of the catalog's generations,
/// each of which needs an entry. One that states nothing is typical.
///
/// # Errors
/// What the file is wrong about, by entry and field. A missing or unknown constant fails the build
/// where the literal is compiled, by its name.
pub(crate) fn literal(path: &Path, generations: &[&str]) -> Result<String, Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|e| vec![format!("{NAME}: {e}")])?;
    let mut file: File = toml::from_str(&text).map_err(|e| vec![format!("{NAME}: {e}")])?;
    let mut out = Literal { text: String::from("Efficiency {"), problems: Vec::new() };
    for generation in generations {
        if !file.architecture.iter().any(|own| own.name == *generation) {
            let entry = format!("architecture `{generation}`");
            out.problem(&entry, "is missing; say how close its GPUs come to their data sheets");
        }
    }
    let typical = typical(&file.architecture, generations);
    for entry in file.architecture.iter_mut().filter(|entry| entry.constants.is_empty()) {
        entry.constants.clone_from(&typical);
    }
    out.list("kernels", "Kernels", &file.kernels);
    out.list("architectures", "Architecture", &file.architecture);
    out.text.push_str("typical: Architecture { name: Cow::Borrowed(TYPICAL),");
    out.fields("the median architecture", &typical, 2.0);
    out.text.push_str("},");
    for entry in &file.framework {
        let _ = write!(out.text, "{}: FrameworkEfficiency {{", entry.name);
        out.fields(&entry.name, &entry.constants, 1000.0);
        out.text.push_str("},");
    }
    for entry in &file.engine {
        let _ = write!(out.text, "{}: EngineEfficiency {{", entry.name);
        out.fields(&entry.name, &entry.constants, 1e4);
        out.text.push_str("},");
    }
    for entry in &file.constant {
        out.fields(&entry.name, [(&entry.name, &entry.value)], 1e12);
    }
    out.text.push('}');
    for entry in file
        .kernels
        .iter()
        .chain(&file.architecture)
        .chain(&file.framework)
        .chain(&file.engine)
    {
        out.basis(&entry.name, &entry.basis);
    }
    for entry in &file.constant {
        out.basis(&entry.name, &entry.basis);
    }
    if out.problems.is_empty() { Ok(out.text) } else { Err(out.problems) }
}
