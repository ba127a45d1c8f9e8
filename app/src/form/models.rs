//! The models of the catalog as a person looks for them.

use shardwise_core::catalog::{self, ModelEntry};
use shardwise_core::model::model_of_entry;
use shardwise_core::ordered;
use shardwise_core::recipes::recipes;

/// A model of the catalog, with what a list says of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) entry: &'static ModelEntry,
    /// Its weights.
    pub(crate) total: u64,
    /// Those of them that a token visits.
    pub(crate) active: u64,
    /// The licence of its weights; `None` where none is on record.
    pub(crate) license: Option<&'static str>,
}

impl Listed {
    /// Whether a token visits a part of the weights only.
    pub(crate) fn is_moe(&self) -> bool {
        self.entry.shape.num_experts > 0
    }

    /// Whether it reads images.
    pub(crate) fn is_vision(&self) -> bool {
        self.entry.shape.vision.is_some()
    }
}

/// What separates the words of names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '.')
        .filter(|word| !word.is_empty())
}

/// How much below and above the named size a model may be: `8b` is Llama's 8.03 and Qwen3's 8.19 billion.
const SIZES: [f64; 2] = [0.94, 1.06];

/// Whether a word is the size of a model: `8b`, `671b`, `500m`.
fn is_size(word: &str, model: &Listed) -> bool {
    let unit = match word.as_bytes().last() {
        Some(b'b') => 1e9,
        Some(b'm') => 1e6,
        Some(b't') => 1e12,
        _ => return false,
    };
    let number = super::units::number(&word[..word.len() - 1], 1e3).unwrap_or(0.0) * unit;
    let near = |weights: u64| {
        let share = weights as f64 / number;
        (SIZES[0]..=SIZES[1]).contains(&share)
    };
    near(model.total) || near(model.active)
}

/// How well a model answers to what is typed: the more, the better; `None` where a word of it is nowhere. Its own name
/// counts for more than its owner's.
fn score(typed: &str, model: &Listed) -> Option<u32> {
    let entry = model.entry;
    let mut name = format!("{} {}", entry.name, entry.id);
    let mut about = entry.hf_repo.to_owned();
    about.push_str(if model.is_moe() { " moe" } else { " dense" });
    if model.is_vision() {
        about.push_str(" vision");
    }
    if let Some(license) = model.license {
        about.push(' ');
        about.push_str(license);
    }
    name.make_ascii_lowercase();
    about.make_ascii_lowercase();
    let of_word = |word: &str| {
        Some(if words(&name).next() == Some(word) || line(entry.name) == word {
            7
        } else if name.starts_with(word) {
            6
        } else if words(&name).any(|own| own == word) {
            5
        } else if is_size(word, model) {
            4
        } else if words(&name).any(|own| own.starts_with(word)) {
            3
        } else if words(&about).any(|own| own == word) {
            2
        } else if word.len() > 1 && (name.contains(word) || about.contains(word)) {
            // A digit is somewhere in most names.
            1
        } else {
            return None;
        })
    };
    // As `Llama 3` is meant by `llama3`: both parts have to be there.
    let apart = |word: &str| {
        let end = word.find(|c: char| !c.is_alphabetic()).filter(|end| *end > 1)?;
        let (line, version) = word.split_at(end);
        Some(of_word(line)?.min(of_word(version)?))
    };
    words(typed).map(|word| of_word(word).max(apart(word))).sum()
}

/// The line of models that a name belongs to, in small letters: the letters that it starts with.
fn line(name: &str) -> String {
    let end = name.find(|c: char| !c.is_alphabetic()).unwrap_or(name.len());
    name[..end].to_ascii_lowercase()
}

/// A name without what stands in brackets behind it: months, and what else a model can be.
fn bare(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}

/// How long a name is without its sizes: a plain model's is shorter than a variant's.
fn variant(name: &str) -> usize {
    let sized = |word: &str| {
        let digits = word.trim_start_matches(['A', 'E']);
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.ends_with(['B', 'M', 'T', 'b', 'E'])
    };
    words(bare(name)).filter(|word| !sized(word)).map(str::len).sum()
}

/// The version in a name: `3.3` of "Llama 3.3 70B", `2.5` of "Qwen2.5-Math 7B", `3.2` of "DeepSeek-V3.2"; 0 where it names none.
/// A size has its unit behind it, so that it is none.
fn version(name: &str) -> f64 {
    let number = |word: &str| {
        let digits = word.trim_start_matches(char::is_alphabetic);
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        super::units::number(digits, 1e3).ok().filter(|_| plain)
    };
    words(bare(name)).find_map(number).unwrap_or(0.0)
}

/// A model that was found, with how well it answers.
struct Found {
    listed: Listed,
    score: u32,
    line: String,
    version: f64,
    /// Recipes of its line, and its own.
    recipes: [usize; 2],
    /// Length of the shortest name of its line that answers as well.
    shortest: usize,
}

/// The models that have every word of what is typed, in whatever order, in their name, repository, kind or licence, or
/// are of that size: best first; among equals line by line, that which frameworks publish most recipes of first, then that
/// with the shortest name, and of a line the newest first: the plain before its variants, then the one with the shortest name, with most
/// recipes, the largest. Nothing typed lists all, in the catalog's order.
pub(crate) fn matching(typed: &str) -> Vec<Listed> {
    let typed = typed.to_ascii_lowercase();
    let mut found: Vec<Found> = Vec::new();
    let published = published();
    for (entry, license) in catalog::model_licenses() {
        let parameters = model_of_entry(entry).parameters;
        let listed = Listed { entry, total: parameters.total, active: parameters.active, license };
        if let Some(score) = score(&typed, &listed) {
            let line = line(entry.name);
            let recipes = |own: &dyn Fn(&ModelEntry) -> bool| published.iter().filter(|other| own(other)).count();
            let recipes = [recipes(&|own| self::line(own.name) == line), recipes(&|own| own.id == entry.id)];
            found.push(Found { listed, score, line, version: version(entry.name), recipes, shortest: 0 });
        }
    }
    if words(&typed).next().is_some() {
        sort(&mut found);
    }
    let mut found: Vec<Listed> = found.into_iter().map(|found| found.listed).collect();
    // Whose repository that is, or that of a variant of its shape, whatever other names have of its words.
    if let Some(entry) = catalog::model(&typed) {
        found.retain(|own| own.entry.id != entry.id);
        let parameters = model_of_entry(entry).parameters;
        let license = catalog::model_licenses()
            .find(|(own, _)| own.id == entry.id)
            .and_then(|(_, license)| license);
        found.insert(0, Listed { entry, total: parameters.total, active: parameters.active, license });
    }
    found
}

/// The model of each recipe that frameworks publish: how much it and its line are trained is what the catalog knows of their use.
fn published() -> Vec<&'static ModelEntry> {
    recipes().iter().filter_map(|recipe| catalog::model(recipe.model)).collect()
}

fn sort(found: &mut [Found]) {
    let length = |found: &Found| bare(found.listed.entry.name).len();
    let variant = |found: &Found| variant(found.listed.entry.name);
    let like = |one: &Found, other: &Found| one.score == other.score && one.line == other.line;
    let shortest = |own: &Found| found.iter().filter(|other| like(own, other)).map(length).min();
    let shortest: Vec<Option<usize>> = found.iter().map(shortest).collect();
    for (own, shortest) in found.iter_mut().zip(shortest) {
        own.shortest = shortest.unwrap_or_default();
    }
    let order = |one: &Found, other: &Found| {
        let lines = other.score.cmp(&one.score).then(other.recipes[0].cmp(&one.recipes[0]));
        let lines = lines
            .then(one.shortest.cmp(&other.shortest))
            .then_with(|| one.line.cmp(&other.line));
        lines
            .then(other.version.total_cmp(&one.version))
            .then(variant(one).cmp(&variant(other)))
            .then(length(one).cmp(&length(other)))
            .then(other.recipes[1].cmp(&one.recipes[1]))
            .then(other.listed.total.cmp(&one.listed.total))
    };
    ordered::sort(found, &order);
}
