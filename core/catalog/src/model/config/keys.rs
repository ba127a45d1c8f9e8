//! Reading keys of a `config.json`, each value checked.

use serde_json::{Map, Value};

use crate::error::InputError;

/// Largest widths accepted: of the residual stream and of everything derived from it.
pub(super) const HIDDEN: u64 = 1_000_000;
/// Largest MLP width.
pub(super) const WIDTH: u64 = 10_000_000;
/// Most layers.
pub(super) const LAYERS: u64 = 10_000;
/// Most heads.
pub(super) const HEADS: u64 = 100_000;
/// Widest head.
pub(super) const HEAD_DIM: u64 = 100_000;
/// Largest vocabulary.
pub(super) const VOCABULARY: u64 = 10_000_000;
/// Most experts.
pub(super) const EXPERTS: u64 = 100_000;
/// Most weights that share a scale.
pub(super) const GROUP: u64 = 1_000_000;
/// Longest position.
pub(super) const POSITIONS: u64 = 1_000_000_000;

/// The keys of one object, and where it stands in the question.
#[derive(Clone)]
pub(super) struct Keys<'a> {
    map: &'a Map<String, Value>,
    field: String,
}

impl<'a> Keys<'a> {
    pub(super) fn new(map: &'a Map<String, Value>, field: &str) -> Self {
        Self { map, field: field.to_owned() }
    }

    /// An error about a key of this object.
    pub(super) fn error(&self, key: &str, message: &str) -> InputError {
        InputError::new(format!("{}.{key}", self.field), message)
    }

    /// Names of all keys.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a String> {
        self.map.keys()
    }

    /// The first of several spellings of a key that has a value; null counts as none.
    fn find<'n>(&self, names: &[&'n str]) -> Option<(&'n str, &'a Value)> {
        names
            .iter()
            .find_map(|name| self.map.get(*name).filter(|value| !value.is_null()).map(|value| (*name, value)))
    }

    /// Whether the first of several spellings has a number below zero.
    pub(super) fn is_negative(&self, names: &[&str]) -> bool {
        self.find(names)
            .is_some_and(|(_, value)| value.as_f64().is_some_and(|number| number < 0.0))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.find(&[name]).is_some()
    }

    /// A whole number from 1 to `most`.
    pub(super) fn positive(&self, names: &[&str], most: u64) -> Result<Option<u64>, InputError> {
        self.whole(names, 1, most)
    }

    /// A whole number from 0 to `most`.
    pub(super) fn count(&self, names: &[&str], most: u64) -> Result<Option<u64>, InputError> {
        self.whole(names, 0, most)
    }

    /// A whole number from 1 to `most` that must be there.
    pub(super) fn required(&self, names: &[&str], most: u64, meaning: &str) -> Result<u64, InputError> {
        match self.positive(names, most)? {
            Some(value) => Ok(value),
            None => Err(self.missing(names.first().copied().unwrap_or_default(), meaning)),
        }
    }

    /// The error of a key that must be there.
    pub(super) fn missing(&self, name: &str, meaning: &str) -> InputError {
        self.error(name, &format!("is missing: {meaning}. Copy it from the model's config.json."))
    }

    fn whole(&self, names: &[&str], least: u64, most: u64) -> Result<Option<u64>, InputError> {
        let Some((name, value)) = self.find(names) else {
            return Ok(None);
        };
        // Some writers print whole numbers with a point: 4096.0; others give each layer its own, all alike.
        let each = match value {
            Value::Array(list) if list.len() > 1 && list.iter().all(|one| Some(one) == list.first()) => {
                list.first().unwrap_or(value)
            }
            one => one,
        };
        let number = match each {
            Value::Number(number) => number.as_u64().or_else(|| {
                let float = number.as_f64()?;
                (float >= 0.0 && float.fract() == 0.0 && float <= most as f64).then_some(float as u64)
            }),
            _ => None,
        };
        match number {
            Some(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ => Err(self.error(
                name,
                &format!("{} is not possible. Give a whole number from {least} to {most}.", shown(value)),
            )),
        }
    }

    /// True or false.
    pub(super) fn flag(&self, names: &[&str]) -> Result<Option<bool>, InputError> {
        match self.find(names) {
            None => Ok(None),
            Some((_, Value::Bool(flag))) => Ok(Some(*flag)),
            Some((name, value)) => {
                Err(self.error(name, &format!("{} is not possible. Give true or false.", shown(value))))
            }
        }
    }

    /// A text.
    pub(super) fn word(&self, name: &str) -> Result<Option<&'a str>, InputError> {
        match self.find(&[name]) {
            None => Ok(None),
            Some((_, Value::String(word))) => Ok(Some(word)),
            Some((_, value)) => Err(self.error(name, &format!("{} is not possible. Give a text.", shown(value)))),
        }
    }

    /// A list.
    pub(super) fn list(&self, name: &str) -> Result<Option<&'a [Value]>, InputError> {
        match self.find(&[name]) {
            None => Ok(None),
            Some((_, Value::Array(list))) => Ok(Some(list)),
            Some((_, value)) => Err(self.error(name, &format!("{} is not possible. Give a list.", shown(value)))),
        }
    }

    /// An object below this one.
    pub(super) fn nested(&self, names: &[&str]) -> Result<Option<Self>, InputError> {
        match self.find(names) {
            None => Ok(None),
            Some((name, Value::Object(map))) => Ok(Some(Self { map, field: format!("{}.{name}", self.field) })),
            Some((name, value)) => Err(self.error(name, &format!("{} is not possible. Give an object.", shown(value)))),
        }
    }
}

/// A value for an error message, shortened.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => String::from("a list"),
        Value::Object(_) => String::from("an object"),
        other => {
            let text = other.to_string();
            if text.chars().count() > 40 { format!("{}…", text.chars().take(40).collect::<String>()) } else { text }
        }
    }
}
