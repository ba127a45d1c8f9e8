//! Where a value stands in a question, and what is asked of every value.

use std::fmt::Display;

use crate::wire::Json;
use shardwise_catalog::error::InputError;
use shardwise_catalog::units::{grouped, shortest};

/// A key and what it is under. Its path is written for an error alone.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    above: Option<&'a Place<'a>>,
    key: &'a str,
    /// Whether anybody reads what is said of it.
    read: bool,
}

impl<'a> Place<'a> {
    /// The top of a document; its fields are named from here.
    pub const TOP: Place<'static> = Place { above: None, key: "", read: true };

    /// A place for one who asks whether a value is refused and not why: nothing is written.
    pub(crate) const UNREAD: Place<'static> = Place { read: false, ..Self::TOP };

    /// The place of a path; dots between keys are part of it.
    #[must_use]
    pub const fn at(path: &'a str) -> Self {
        Self { above: None, key: path, read: true }
    }

    /// The place of a key in this one.
    #[must_use]
    pub const fn below(&'a self, key: &'a str) -> Self {
        Self { above: Some(self), key, read: self.read }
    }

    /// Whether its path ends with these two keys.
    pub(crate) fn is(&self, above: &str, key: &str) -> bool {
        self.key == key && self.above.is_some_and(|own| own.key == above)
    }

    pub(crate) fn path(&self) -> String {
        let above = self.above.map(Place::path).unwrap_or_default();
        if above.is_empty() { self.key.to_owned() } else { format!("{above}.{}", self.key) }
    }

    /// The error that this place is wrong. `message`: what was found, what is allowed, and the remedy.
    #[must_use]
    pub fn refuse(&self, message: impl Into<String>) -> InputError {
        let path = self.path();
        InputError::new(if path.is_empty() { "question".to_owned() } else { path }, message)
    }

    /// The error that a key below this place is wrong; see [`Self::refuse`].
    #[must_use]
    pub fn wrong(&self, key: &str, message: impl Display) -> InputError {
        if self.read { self.below(key).refuse(message.to_string()) } else { InputError::new("", "") }
    }

    /// The error that a value is of another kind than wanted.
    pub(crate) fn expected(&self, value: &Json<'_>, wanted: &str) -> InputError {
        let mut found = value.to_value().to_string();
        if found.chars().count() > 40 {
            found = found.chars().take(40).chain("…".chars()).collect();
        }
        self.refuse(format!("Expected {wanted}, found {found}."))
    }

    /// The value of a key below it, which must be there.
    ///
    /// # Errors
    /// That it is missing.
    pub(crate) fn required<T>(&self, key: &str, value: Option<T>) -> Result<T, InputError> {
        value.ok_or_else(|| self.below(key).missing())
    }

    /// Whether the keys below it that must be there are.
    ///
    /// # Errors
    /// That the first is missing, with the names of the others that are.
    pub(crate) fn all_required(&self, keys: impl IntoIterator<Item = (&'static str, bool)>) -> Result<(), InputError> {
        let mut missing = keys.into_iter().filter(|(_, stated)| !stated).map(|(key, _)| key);
        let Some(first) = missing.next() else {
            return Ok(());
        };
        let others = missing.collect::<Vec<_>>().join(", ");
        Err(if others.is_empty() {
            self.below(first).missing()
        } else {
            self.wrong(first, format!("This field is required, and so are these beside it: {others}."))
        })
    }

    pub(crate) fn missing(&self) -> InputError {
        self.refuse("This field is required.")
    }

    /// A whole number of a key below it, from 1 to `most`.
    ///
    /// # Errors
    /// That it is 0 or above.
    pub(crate) fn positive(&self, key: &str, value: u64, most: u64) -> Result<u64, InputError> {
        if value == 0 {
            return Err(self.wrong(key, "Must be at least 1."));
        }
        if value > most {
            return Err(self.wrong(key, format!("Must be at most {}.", grouped(most))));
        }
        Ok(value)
    }

    /// A finite number of a key below it, from `least` to `most`.
    ///
    /// # Errors
    /// That it is out of range.
    pub fn within(&self, key: &str, value: f64, least: f64, most: f64) -> Result<f64, InputError> {
        if value.is_finite() && value >= least && value <= most {
            return Ok(value);
        }
        let [value, least, most] = [value, least, most].map(shortest);
        Err(self.wrong(key, format!("{value} is out of range. Give {least} to {most}.")))
    }
}
