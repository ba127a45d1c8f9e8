//! JSON whose objects hold each key once: `serde_json` keeps the last of two in silence.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use shardwise_catalog::json::of_python;

use super::json::{Json, Member};
use crate::place::Place;

/// Members of an object among which a key is looked for one by one.
const FEW: usize = 32;

/// Why a text is not read.
#[derive(Debug)]
pub(super) enum Error {
    /// The path of a key that stands in its object twice.
    Twice(String),
    /// What the parser says.
    NoJson(serde_json::Error),
}

/// Reads a JSON text, in which a number that is none may stand as Python writes it, and what `made` makes of it.
///
/// # Errors
/// The first key that is there twice; what is no JSON.
pub(super) fn read<T>(text: &str, made: impl FnOnce(Json<'_>) -> T) -> Result<T, Error> {
    let read = parse(text);
    // What Python writes beside JSON is looked for where something is: most texts are read once.
    if let Err(Error::NoJson(_)) = read
        && let Cow::Owned(text) = of_python(text)
    {
        return parse(&text).map(made);
    }
    read.map(made)
}

/// The path of the first key of a JSON text that stands in its object twice.
///
/// ```
/// use shardwise_core::wire::repeated;
/// assert_eq!(repeated(r#"{"a": {"b": 1, "b": 2}}"#).as_deref(), Some("a.b"));
/// assert_eq!(repeated(r#"{"a": {"b": 1}, "b": 2}"#), None);
/// ```
#[must_use]
pub fn repeated(text: &str) -> Option<String> {
    match parse(text) {
        Err(Error::Twice(path)) => Some(path),
        Ok(_) | Err(Error::NoJson(_)) => None,
    }
}

fn parse(text: &str) -> Result<Json<'_>, Error> {
    let twice = RefCell::new(None);
    let mut parser = serde_json::Deserializer::from_str(text);
    let seed = Unique { place: Place::TOP, twice: &twice };
    let read = seed.deserialize(&mut parser);
    let read = read.and_then(|value| parser.end().map(|()| value));
    match twice.into_inner() {
        Some(path) => Err(Error::Twice(path)),
        None => read.map_err(Error::NoJson),
    }
}

/// A value and where it stands.
#[derive(Clone, Copy)]
struct Unique<'a> {
    place: Place<'a>,
    twice: &'a RefCell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = Json<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json<'de>, A::Error> {
        let mut members: Vec<Member<'de>> = Vec::new();
        let mut many = BTreeSet::new();
        // A key is a text.
        while let Some(Json::Text(key)) = entries.next_key_seed(self)? {
            if members.len() == FEW {
                many.extend(members.iter().map(|(own, _)| own.clone()));
            }
            let twice = if members.len() < FEW {
                members.iter().any(|(own, _)| *own == key)
            } else {
                !many.insert(key.clone())
            };
            if twice {
                self.twice.replace(Some(self.place.below(&key).path()));
                return Err(A::Error::custom("twice"));
            }
            let value = entries.next_value_seed(Unique { place: self.place.below(&key), twice: self.twice })?;
            members.push((key, value));
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Json};
    use crate::presets;

    fn read(text: &str) -> Result<serde_json::Value, Error> {
        super::read(text, |json: Json<'_>| json.to_value())
    }

    #[test]
    fn what_holds_each_key_once_is_read_as_serde_json_reads_it() {
        let own =
            r#" {"a": [1, -2, 3.5, 1e300, true, null, "x\n\u00e9", {"a": {"a": []}}], "b": 18446744073709551615} "#;
        let presets = presets::presets().iter().map(|preset| preset.json);
        for text in presets.chain([own, "[]", "null", "3", include_str!("whole.json")]) {
            let wanted: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
            assert!(read(text).is_ok_and(|value| value == wanted), "{text}");
        }
        for text in ["", "{", "{\"a\":}", "[1,]", "{} {}", "{\"a\":1}x", "nul", "{1:2}"] {
            let wanted = serde_json::from_str::<serde_json::Value>(text).err();
            let found = match read(text) {
                Err(Error::NoJson(error)) => Some(error.to_string()),
                _ => None,
            };
            assert_eq!(found, wanted.map(|error| error.to_string()), "{text}");
        }
        // As deep as serde_json goes, and no deeper.
        let deep = "[".repeat(100_000);
        assert!(matches!(read(&deep), Err(Error::NoJson(_))));
    }

    #[test]
    fn a_key_that_stands_twice_is_named_by_its_path() {
        for (text, path) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (r#"{"a": {"b": 1, "c": {"d": 1, "d": 2}}}"#, "a.c.d"),
            (r#"{"a": [{"b": 1}, {"b": 1, "b": null}]}"#, "a.b"),
            (r#"{"a\u0062": 1, "ab": 2"#, "ab"),
        ] {
            let twice = match read(text) {
                Err(Error::Twice(found)) => found,
                other => format!("{other:?}"),
            };
            assert_eq!(twice, path, "{text}");
        }
    }
}
