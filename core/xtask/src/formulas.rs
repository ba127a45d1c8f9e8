//! Whether every formula of `core/explain/methods/` has its words in a language: what it is called and says, and what its
//! symbols stand for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use crate::sources;

/// The formulas, as far as a language has words for them.
#[derive(Default)]
pub(crate) struct Formulas {
    /// The symbols of each formula by its id; `None` of a group, which has a title alone.
    symbols: BTreeMap<String, Option<BTreeSet<String>>>,
    /// What their sources are called.
    pub(crate) cited: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Group {
    id: String,
    entry: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    terms: Vec<[String; 3]>,
    cites: Vec<[String; 2]>,
}

/// A language's words for a formula or a group.
#[derive(Deserialize)]
struct Words {
    title: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    terms: Vec<[String; 2]>,
}

impl Formulas {
    /// Those below `core`.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(crate) fn of(core: &Path) -> Result<Self, String> {
        let mut all = Self::default();
        for path in sources::entries(&core.join("explain/methods"))? {
            let group: Group = sources::toml(&path)?;
            all.symbols.insert(group.id, None);
            for Entry { id, terms, cites } in group.entry {
                all.symbols
                    .insert(id, Some(terms.into_iter().map(|[symbol, ..]| symbol).collect()));
                all.cited.extend(cites.into_iter().map(|[name, _]| name));
            }
        }
        Ok(all)
    }

    /// What the file of a language lacks, and what it has for nothing.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(crate) fn compare(&self, file: &Path) -> Result<Vec<String>, String> {
        let words: BTreeMap<String, Words> = sources::toml(file)?;
        let missing = self
            .symbols
            .keys()
            .filter(|id| !words.contains_key(*id))
            .map(|id| format!("no words for the formula {id:?}"));
        let mut problems: Vec<String> = missing.collect();
        for (id, own) in &words {
            let Some(symbols) = self.symbols.get(id) else {
                problems.push(format!("there is no formula {id:?} any more"));
                continue;
            };
            let symbols = symbols.as_ref();
            let said = own.terms.iter().filter(|[_, meaning]| !meaning.trim().is_empty());
            let said: BTreeSet<&String> = said.map(|[symbol, _]| symbol).collect();
            let known: BTreeSet<&String> = symbols.into_iter().flatten().collect();
            let differ = said.symmetric_difference(&known);
            problems.extend(differ.map(|symbol| format!("{id:?} and its formula differ in {symbol:?}")));
            if own.title.trim().is_empty() || own.text.trim().is_empty() != symbols.is_none() {
                problems.push(format!("{id:?} needs a title, and a text where it is a formula"));
            }
        }
        Ok(problems)
    }
}
