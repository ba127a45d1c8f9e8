//! Reads JSON into types of our own.
//!
//! What `serde_json` compiles for each type reads fields in any order, knows three ways to name them, and words every error:
//! several times as much to download. What the worker sent is in order, or it is a mistake that nobody could mend. A field that
//! is left out has its default, or is none.

use std::fmt;

use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// A document as a type; `None` where it is another.
pub(crate) fn read<T: DeserializeOwned>(document: Value) -> Option<T> {
    T::deserialize(Reader(Some(document))).ok()
}

/// A text as a type; `None` where it is another.
pub(crate) fn read_text<T: DeserializeOwned>(text: &str) -> Option<T> {
    read(serde_json::from_str(text).ok()?)
}

/// That a document is of another type.
#[derive(Debug)]
struct Mismatch;

impl fmt::Display for Mismatch {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Mismatch {}

impl serde::de::Error for Mismatch {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// What is read; none of a field that is left out.
struct Reader(Option<Value>);

impl Reader {
    fn there(self) -> Result<Value, Mismatch> {
        self.0.ok_or(Mismatch)
    }

    fn list(self) -> Result<List, Mismatch> {
        match self.0 {
            Some(Value::Array(all)) => Ok(List(all.into_iter().map(Some).collect::<Vec<_>>().into_iter())),
            _ => Err(Mismatch),
        }
    }

    fn whole(&self) -> Result<u64, Mismatch> {
        self.0.as_ref().and_then(Value::as_u64).ok_or(Mismatch)
    }
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Mismatch;

    /// What is no type of our own.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.there()?.deserialize_any(visitor).map_err(|_| Mismatch)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_bool(self.there()? == true)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_i64(self.there()?.as_i64().ok_or(Mismatch)?)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_u64(self.whole()?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_u64(self.whole()?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_u64(self.whole()?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        // JSON has no word for what is no number.
        visitor.visit_f64(self.there()?.as_f64().unwrap_or(f64::NAN))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0 {
            Some(Value::String(text)) => visitor.visit_string(text),
            _ => Err(Mismatch),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0 {
            None | Some(Value::Null) => visitor.visit_none(),
            some => visitor.visit_some(Self(some)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(self.fields(fields)?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_enum(self.variant(variants)?)
    }

    forward_to_deserialize_any! {
        i8 i16 i64 u16 f32 char str bytes byte_buf unit unit_struct newtype_struct tuple_struct map identifier ignored_any
    }
}

impl Reader {
    /// The fields of a type, in its order.
    fn fields(self, fields: &[&str]) -> Result<List, Mismatch> {
        let Some(Value::Object(mut all)) = self.0 else { return Err(Mismatch) };
        let own: Vec<Option<Value>> = fields.iter().map(|name| all.remove(*name)).collect();
        Ok(List(own.into_iter()))
    }

    /// Which of some variants, and what it holds.
    fn variant(self, variants: &[&str]) -> Result<Variant, Mismatch> {
        let (name, held) = match self.0 {
            Some(Value::String(name)) => (name, Value::Null),
            Some(Value::Object(all)) => all.into_iter().next().ok_or(Mismatch)?,
            _ => return Err(Mismatch),
        };
        let place = variants.iter().position(|own| *own == name).ok_or(Mismatch)?;
        Ok(Variant(place as u32, held))
    }
}

struct List(std::vec::IntoIter<Option<Value>>);

impl<'de> SeqAccess<'de> for List {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Mismatch> {
        match self.0.next() {
            Some(Some(value)) => seed.deserialize(Reader(Some(value))).map(Some),
            // None, or else the type's default, which is its own affair.
            Some(None) => Ok(seed.deserialize(Reader(None)).ok()),
            None => Ok(None),
        }
    }
}

struct Variant(u32, Value);

impl<'de> EnumAccess<'de> for Variant {
    type Error = Mismatch;
    type Variant = Reader;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Reader), Mismatch> {
        let place: U32Deserializer<Mismatch> = self.0.into_deserializer();
        Ok((seed.deserialize(place)?, Reader(Some(self.1))))
    }
}

impl<'de> VariantAccess<'de> for Reader {
    type Error = Mismatch;

    fn unit_variant(self) -> Result<(), Mismatch> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mismatch> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(self.list()?)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_seq(self.fields(fields)?)
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use serde::{Deserialize, Serialize};
    use serde_json::{Map, Value, json};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Own {
        Alone,
        One(String),
        Two(i32, Option<f64>),
        Named { of: Vec<(u32, bool)>, all: Map<String, Value> },
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Whole {
        list: Vec<Own>,
        inside: Option<Box<Whole>>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Sparse {
        none: Option<f64>,
        #[serde(default)]
        share: f64,
        #[serde(default)]
        list: Vec<u64>,
        there: usize,
    }

    #[test]
    fn what_is_left_out_is_none_or_its_default() {
        let all = Sparse { none: None, share: 0.0, list: Vec::new(), there: 1 };
        assert_eq!(read::<Sparse>(json!({ "there": 1 })), Some(all));
        let some = Sparse { none: Some(0.5), share: 2.0, list: vec![3], there: 1 };
        assert_eq!(read::<Sparse>(json!({ "there": 1, "share": 2.0, "list": [3], "none": 0.5 })), Some(some));
        assert_eq!(read::<Sparse>(json!({ "none": 1.0 })), None);
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let list = vec![
            Own::Alone,
            Own::One("a".to_owned()),
            Own::Two(-3, None),
            Own::Two(3, Some(0.5)),
            Own::Named { of: vec![(1, true), (2, false)], all: Map::from_iter([("x".to_owned(), json!([1, null]))]) },
        ];
        let whole = Whole { list: list.clone(), inside: Some(Box::new(Whole { list, inside: None })) };
        assert_eq!(read::<Whole>(json!(whole)), Some(whole));
        for other in [json!({}), json!([]), json!({ "list": [{ "Other": 1 }] }), json!({ "list": [{ "One": 1 }] })] {
            assert_eq!(read::<Whole>(other), None);
        }
    }
}
