//! Version of a program, as its releases spell it.

use std::fmt;

use serde_json::Value;

use super::document::Entry;
use super::json::Json;
use crate::place::Place;
use shardwise_catalog::error::InputError;

/// What is said of a text that is none.
fn no_version(text: &str) -> String {
    let text: String = text.chars().take(40).collect();
    format!("{text} is no version. Give its numbers, 0.8.4 say, or leave it out for today's.")
}

/// Version of a generation engine: `0.8.4`. What follows the numbers (`0.5.10.post1`, `1.0.0rc3`) is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EngineVersion {
    numbers: [u16; 3],
}

impl EngineVersion {
    /// A release by its numbers.
    #[must_use]
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { numbers: [major, minor, patch] }
    }

    /// Reads two or three numbers with points between them, and what a pre-release or a build adds; `None` of anything else.
    ///
    /// ```
    /// use shardwise_question::wire::EngineVersion;
    /// assert_eq!(EngineVersion::parse("0.5.10.post1"), Some(EngineVersion::new(0, 5, 10)));
    /// assert_eq!(EngineVersion::parse("1.0rc3+cu128"), Some(EngineVersion::new(1, 0, 0)));
    /// assert_eq!(EngineVersion::parse("v0.8"), Some(EngineVersion::new(0, 8, 0)));
    /// assert_eq!(EngineVersion::parse("nightly"), None);
    /// assert_eq!(EngineVersion::parse("1,2,3.4.5"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > 32 {
            return None;
        }
        let (major, rest) = number(text.strip_prefix('v').unwrap_or(text))?;
        let (minor, rest) = number(rest.strip_prefix('.')?)?;
        let (patch, rest) = rest.strip_prefix('.').and_then(number).unwrap_or((0, rest));
        let added = rest.trim_start_matches(['.', '+', '-']);
        let is_added = added.starts_with(|c: char| c.is_ascii_alphabetic());
        let spelt = added.chars().all(|c| c.is_ascii_alphanumeric() || ".+-".contains(c));
        (rest.is_empty() || is_added && spelt).then_some(Self { numbers: [major, minor, patch] })
    }
}

/// The number that a text begins with, and what follows it.
fn number(text: &str) -> Option<(u16, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

impl fmt::Display for EngineVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")
    }
}

impl Entry for EngineVersion {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        let text = value.as_str().ok_or_else(|| place.expected(value, "a version in quotes"))?;
        Self::parse(text).ok_or_else(|| place.refuse(no_version(text)))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(self.to_string()))
    }
}

impl serde::Serialize for EngineVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for EngineVersion {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(no_version(&text)))
    }
}

#[cfg(feature = "cli")]
impl schemars::JsonSchema for EngineVersion {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EngineVersion".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": r"^v?\d+\.\d+" })
    }
}
