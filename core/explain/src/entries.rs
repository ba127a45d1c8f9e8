//! The table of formulas, as `core/explain/build/methods.rs` compiles it from `core/explain/methods/*.toml`.

use serde::Serialize;

use super::errors::Errors;

/// Formulas of one kind.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Group {
    /// Stable identifier, kebab case.
    pub id: &'static str,
    /// Title.
    pub title: &'static str,
    /// Its formulas.
    pub entries: &'static [Entry],
}

/// A formula.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Entry {
    /// Stable identifier, kebab case: an anchor.
    pub id: &'static str,
    /// Title.
    pub title: &'static str,
    /// The formula in Unicode.
    pub formula: &'static str,
    /// What its symbols stand for.
    pub terms: &'static [Symbol],
    /// What it says, assumes and leaves out: the code's doc comment; paragraphs are lines.
    pub text: &'static str,
    /// Where it comes from.
    pub citations: &'static [Citation],
    /// The code that computes it.
    pub code: Code,
    /// What measured it.
    pub error: Errors,
    /// Entries of `core/catalog/data/efficiency.toml` that its constants come from.
    pub constants: &'static [Constant],
}

/// A symbol of a formula.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Symbol {
    /// As in the formula.
    pub symbol: &'static str,
    /// Its unit; may be empty.
    pub unit: &'static str,
    /// What it stands for.
    pub meaning: &'static str,
}

/// Fitted or measured constants.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Constant {
    /// A GPU, an architecture, a framework or a constant, as `core/catalog/data/efficiency.toml` names it.
    pub name: &'static str,
    /// What it was fitted or measured on.
    pub basis: &'static str,
}

/// A paper, a page or a file, and where in it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Citation {
    /// Name and place.
    pub name: &'static str,
    /// Address, https.
    pub url: &'static str,
}

/// An item of this repository.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Code {
    /// Its file, from the repository's root.
    pub path: &'static str,
    /// Its name.
    pub item: &'static str,
    /// Its line there.
    pub line: u32,
}

static GROUPS: &[Group] = include!(concat!(env!("OUT_DIR"), "/methods.rs"));

/// Every formula, by kind.
#[must_use]
pub fn groups() -> &'static [Group] {
    GROUPS
}

/// The formula of this id.
#[must_use]
pub fn entry(id: &str) -> Option<&'static Entry> {
    let mut all = GROUPS.iter().flat_map(|group| group.entries);
    all.find(|entry| entry.id == id)
}
