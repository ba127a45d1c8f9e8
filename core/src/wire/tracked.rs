//! A JSON value that is read while its path is remembered, so that an error can name its field.
//!
//! `serde_path_to_error` does the same for any format; reading only [`Value`] keeps it to one copy
//! in the browser's build, 15 kB less.

use std::cell::RefCell;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Error, Map, Value};

/// Reads a `T`; an error comes with the path of the value it is about, dots between keys, empty for
/// the whole value.
pub(crate) fn read<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, (String, String)> {
    let failed = RefCell::new(None);
    let tracked = Tracked {
        value,
        place: Place {
            above: None,
            key: "",
        },
        failed: &failed,
    };
    T::deserialize(tracked).map_err(|error| (failed.take().unwrap_or_default(), error.to_string()))
}

/// A key and what it is under.
#[derive(Clone, Copy)]
struct Place<'a> {
    above: Option<&'a Place<'a>>,
    key: &'a str,
}

impl Place<'_> {
    fn path(&self) -> String {
        match self.above {
            None => String::new(),
            Some(above) => {
                let above = above.path();
                if above.is_empty() {
                    self.key.to_owned()
                } else {
                    format!("{above}.{}", self.key)
                }
            }
        }
    }
}

struct Tracked<'de, 'a> {
    value: &'de Value,
    place: Place<'a>,
    failed: &'a RefCell<Option<String>>,
}

/// Keeps the innermost place: it fails first.
fn note<T>(
    failed: &RefCell<Option<String>>,
    place: Place<'_>,
    result: Result<T, Error>,
) -> Result<T, Error> {
    if result.is_err() {
        failed.borrow_mut().get_or_insert_with(|| place.path());
    }
    result
}

impl<'de> Tracked<'de, '_> {
    fn visit<V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), _, _) => visitor.visit_u64(value),
                (None, Some(value), _) => visitor.visit_i64(value),
                (None, None, Some(value)) => visitor.visit_f64(value),
                (None, None, None) => Err(Error::custom("a number out of range")),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items {
                items: items.iter(),
                parent: self,
            }),
            Value::Object(map) => visitor.visit_map(Entries {
                entries: map.iter(),
                next: None,
                parent: self,
            }),
        }
    }
}

impl<'de> Deserializer<'de> for Tracked<'de, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let result = self.visit(visitor);
        note(self.failed, self.place, result)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let result = match self.value {
            Value::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            _ => self.visit(visitor),
        };
        note(self.failed, self.place, result)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Entries<'de, 'a> {
    entries: <&'de Map<String, Value> as IntoIterator>::IntoIter,
    next: Option<(&'de str, &'de Value)>,
    parent: &'a Tracked<'de, 'a>,
}

impl<'de> MapAccess<'de> for Entries<'de, '_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.entries.next() else {
            return Ok(None);
        };
        self.next = Some((key, value));
        seed.deserialize(BorrowedStrDeserializer::new(key))
            .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let Some((key, value)) = self.next.take() else {
            return Err(Error::custom("a value without a key"));
        };
        let place = Place {
            above: Some(&self.parent.place),
            key,
        };
        let failed = self.parent.failed;
        let tracked = Tracked {
            value,
            place,
            failed,
        };
        // An untagged enum fails after its value was read.
        note(failed, place, seed.deserialize(tracked))
    }
}

struct Items<'de, 'a> {
    items: std::slice::Iter<'de, Value>,
    parent: &'a Tracked<'de, 'a>,
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some(value) = self.items.next() else {
            return Ok(None);
        };
        let tracked = Tracked {
            value,
            place: self.parent.place,
            failed: self.parent.failed,
        };
        seed.deserialize(tracked).map(Some)
    }
}
