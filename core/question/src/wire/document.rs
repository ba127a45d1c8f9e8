//! Reading and writing the question by tables of its fields.
//!
//! serde's derived code does the same for any format; these tables know only [`Json`] and share
//! their readers, which keeps a tenth of the browser's download away. `tests` compare the two.

use serde_json::{Map, Number, Value};

use super::json::{Json, Member};
use crate::place::Place;
use shardwise_catalog::error::InputError;

/// One field's value, read and written.
pub(super) trait Entry: Sized {
    /// Reads it.
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError>;
    /// What is written; nothing where the field is absent.
    fn write(&self) -> Option<Value>;
    /// Whether anything is.
    fn is_there(&self) -> bool {
        true
    }
}

/// A struct of the interface, read and written by the names of its fields.
pub trait Document: Default {
    /// Keys, in the order of the struct.
    const KEYS: &'static [&'static str];
    /// Keys that must be there.
    const REQUIRED: &'static [&'static str];
    /// Sets the field `key`; whether there is such a field.
    fn set(&mut self, key: &str, value: &Json<'_>, place: &Place<'_>) -> Result<bool, InputError>;
    /// The fields that are there.
    fn entries(&self) -> Map<String, Value>;
    /// The field `key`, where it is there.
    fn entry(&self, key: &str) -> Option<Value>;
    /// Whether the field `key` is there.
    fn has(&self, key: &str) -> bool;
    /// Calls `each` with every key whose values differ, and with what `to` has there.
    fn differing(&self, to: &Self, each: &mut dyn FnMut(&'static str, Option<Value>));
}

/// Reads a document from an object.
///
/// # Errors
/// Names the field that is missing, unknown or of the wrong type.
pub fn read<T: Document>(value: &Json<'_>, place: &Place<'_>) -> Result<T, InputError> {
    let members = value.as_object().ok_or_else(|| place.expected(value, "an object"))?;
    let mut document = T::default();
    each(members, &mut |key, value| {
        let below = place.below(key);
        if document.set(key, value, &below)? { Ok(()) } else { Err(unknown(&below, T::KEYS)) }
    })?;
    required(members, place, T::REQUIRED)?;
    Ok(document)
}

/// Reads the members of an object. Of several that are wrong the first by the alphabet is named, in whatever order they are.
pub(super) fn each(
    members: &[Member<'_>],
    read: &mut dyn FnMut(&str, &Json<'_>) -> Result<(), InputError>,
) -> Result<(), InputError> {
    let mut wrong: Option<(&str, InputError)> = None;
    for (key, value) in members {
        if wrong.as_ref().is_none_or(|(first, _)| key.as_ref() < *first)
            && let Err(error) = read(key, value)
        {
            wrong = Some((key, error));
        }
    }
    wrong.map_or(Ok(()), |(_, error)| Err(error))
}

pub(super) fn unknown(place: &Place<'_>, known: &[&str]) -> InputError {
    place.refuse(format!("There is no such field. Known here: {}.", known.join(", ")))
}

pub(super) fn required(members: &[Member<'_>], place: &Place<'_>, keys: &[&'static str]) -> Result<(), InputError> {
    place.all_required(keys.iter().map(|key| (*key, members.iter().any(|(own, _)| own == key))))
}

/// Declares a struct of the interface as one reads it, each field once. Serde, the JSON Schema, and what reads and writes it
/// here follow from its types: an `Option` may be absent and is not written then, a `bool` may be absent (the struct says
/// `#[serde(default)]` and what it is then), any other field is required.
macro_rules! document {
    ($(#[$about:meta])* pub struct $name:ident { $($fields:tt)* }) => {
        document! { @sort [$(#[$about])* $name] {} [] [] $($fields)* }
    };

    // Field by field: the struct's, all keys, those required.
    (@sort $head:tt {$($sorted:tt)*} [$($key:ident)*] [$($need:ident)*]
        $(#[$told:meta])* pub $field:ident: Option<$kind:ty>, $($rest:tt)*) => {
        document! { @sort $head
            { $($sorted)* $(#[$told])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $field: Option<$kind>, }
            [$($key)* $field] [$($need)*] $($rest)* }
    };
    (@sort $head:tt {$($sorted:tt)*} [$($key:ident)*] [$($need:ident)*]
        $(#[$told:meta])* pub $field:ident: bool, $($rest:tt)*) => {
        document! { @sort $head { $($sorted)* $(#[$told])* pub $field: bool, } [$($key)* $field] [$($need)*] $($rest)* }
    };
    (@sort $head:tt {$($sorted:tt)*} [$($key:ident)*] [$($need:ident)*]
        $(#[$told:meta])* pub $field:ident: $kind:ty, $($rest:tt)*) => {
        document! { @sort $head { $($sorted)* $(#[$told])* pub $field: $kind, } [$($key)* $field] [$($need)* $field] $($rest)* }
    };

    (@sort [$(#[$about:meta])* $name:ident] {$($fields:tt)*} [$($key:ident)*] [$($need:ident)*]) => {
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        $(#[$about])*
        pub struct $name { $($fields)* }

        impl super::document::Document for $name {
            const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];
            const REQUIRED: &'static [&'static str] = &[$(stringify!($need)),*];

            fn set(
                &mut self,
                key: &str,
                value: &super::json::Json<'_>,
                place: &crate::place::Place<'_>,
            ) -> Result<bool, shardwise_catalog::InputError> {
                $(if key == stringify!($key) {
                    self.$key = super::document::Entry::read(value, place)?;
                    return Ok(true);
                })*
                Ok(false)
            }

            fn entries(&self) -> serde_json::Map<String, serde_json::Value> {
                let mut map = serde_json::Map::new();
                $(super::document::put(&mut map, stringify!($key), &self.$key);)*
                map
            }

            fn entry(&self, key: &str) -> Option<serde_json::Value> {
                $(if key == stringify!($key) {
                    return super::document::Entry::write(&self.$key);
                })*
                None
            }

            fn has(&self, key: &str) -> bool {
                $(if key == stringify!($key) {
                    return super::document::Entry::is_there(&self.$key);
                })*
                false
            }

            fn differing(&self, to: &Self, each: &mut dyn FnMut(&'static str, Option<serde_json::Value>)) {
                $(if self.$key != to.$key {
                    each(stringify!($key), super::document::Entry::write(&to.$key));
                })*
            }
        }

        impl super::document::Entry for $name {
            fn read(
                value: &super::json::Json<'_>,
                place: &crate::place::Place<'_>,
            ) -> Result<Self, shardwise_catalog::InputError> {
                super::document::read(value, place)
            }

            fn write(&self) -> Option<serde_json::Value> {
                Some(serde_json::Value::Object(super::document::Document::entries(self)))
            }
        }
    };
}
pub(super) use document;

/// Adds a field that is there.
pub(super) fn put(map: &mut Map<String, Value>, key: &str, value: &impl Entry) {
    if let Some(value) = value.write() {
        map.insert(key.to_owned(), value);
    }
}

/// An absent value and, in most fields, null.
impl<T: Entry> Entry for Option<T> {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        // "No critic" is a choice, an absent one is the default; no plan for it is none that differs.
        let chosen = place.is("rl", "critic");
        if matches!(value, Json::Null) && !chosen { Ok(None) } else { T::read(value, place).map(Some) }
    }

    fn write(&self) -> Option<Value> {
        self.as_ref().and_then(T::write)
    }

    fn is_there(&self) -> bool {
        self.is_some()
    }
}

impl<T: Entry> Entry for Box<T> {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        T::read(value, place).map(Box::new)
    }

    fn write(&self) -> Option<Value> {
        T::write(self)
    }
}

impl<T: Entry> Entry for Vec<T> {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        let items = value.as_list();
        let items = items.ok_or_else(|| place.expected(value, "a list"))?;
        let each = |(at, item): (usize, &Json<'_>)| {
            // A word speaks for itself; of a document it matters which one it is.
            if matches!(item, Json::Object(_)) {
                T::read(item, &place.below(&at.to_string()))
            } else {
                T::read(item, place)
            }
        };
        items.iter().enumerate().map(each).collect()
    }

    fn write(&self) -> Option<Value> {
        Some(Value::Array(self.iter().filter_map(Entry::write).collect()))
    }
}

impl Entry for Value {
    fn read(value: &Json<'_>, _: &Place<'_>) -> Result<Self, InputError> {
        Ok(value.to_value())
    }

    fn write(&self) -> Option<Value> {
        Some(self.clone())
    }
}

impl Entry for String {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        value
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| place.expected(value, "a word in quotes"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(self.as_str()))
    }
}

/// Whole numbers up to this are exact in JSON's doubles.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Entry for u64 {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        let whole = |number: f64| ((0.0..=EXACT).contains(&number) && number.fract() == 0.0).then_some(number as u64);
        let number = value.as_number();
        number
            .and_then(|own| own.as_u64().or_else(|| own.as_f64().and_then(whole)))
            .ok_or_else(|| place.expected(value, "a whole number, zero or more"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Entry for u32 {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        let wide = u64::read(value, place)?;
        Self::try_from(wide).map_err(|_| place.expected(value, "a smaller number"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Entry for f64 {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        let number = value.as_number().and_then(Number::as_f64);
        number.ok_or_else(|| place.expected(value, "a number"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Entry for bool {
    fn read(value: &Json<'_>, place: &Place<'_>) -> Result<Self, InputError> {
        value.as_bool().ok_or_else(|| place.expected(value, "true or false"))
    }

    fn write(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

/// The index of a word.
pub(super) fn word(value: &Json<'_>, place: &Place<'_>, known: &[&str]) -> Result<usize, InputError> {
    let Some(text) = value.as_str() else {
        return Err(place.expected(value, "a word in quotes"));
    };
    known.iter().position(|word| *word == text).ok_or_else(|| {
        let text: String = text.chars().take(40).collect();
        place.refuse(format!("Unknown value {text}, expected one of {}.", known.join(", ")))
    })
}

/// How enumerations of words are read and written.
macro_rules! entries_of_words {
    ($($name:ident),*) => {$(
        impl $crate::wire::document::Entry for $name {
            fn read(value: &$crate::wire::Json<'_>, place: &$crate::place::Place<'_>) -> Result<Self, shardwise_catalog::error::InputError> {
                $crate::wire::document::word(value, place, Self::WORDS).map(|index| Self::ALL[index])
            }

            fn write(&self) -> Option<serde_json::Value> {
                Some(serde_json::Value::from(self.as_str()))
            }
        }
    )*};
}
pub(super) use entries_of_words;

#[cfg(test)]
mod tests {
    use crate::presets;
    use crate::wire::{Question, question_from_value, to_value};

    /// A question with every field, so that a word or key that differs from serde's shows.
    const WHOLE: &str = include_str!("whole.json");

    #[test]
    fn tables_and_serde_agree() {
        let presets = presets::presets().iter().map(|preset| preset.json);
        for text in presets.chain([WHOLE]) {
            let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
            let by_serde: Result<Question, _> = serde_json::from_str(text);
            let by_serde = by_serde.map_err(|error| format!("{error}: {text}"));
            let by_tables = question_from_value(value).map_err(|error| format!("{error}: {text}"));
            assert_eq!(by_tables, by_serde);
            assert!(by_tables.is_ok(), "{by_tables:?}");
            let written = by_tables.ok().map(|question| to_value(&question));
            assert_eq!(by_serde.ok().and_then(|question| serde_json::to_value(question).ok()), written);
        }
    }

    #[test]
    fn words_are_serdes() {
        fn same<T: super::Entry + serde::Serialize>(all: &[T]) {
            for word in all {
                assert_eq!(serde_json::to_value(word).ok(), word.write());
            }
        }
        use crate::wire::*;
        same(&WorkloadKind::ALL);
        same(&[Precision::Bf16, Precision::Fp16, Precision::Fp8, Precision::Mxfp8, Precision::Nvfp4]);
        same(&[LoraTargets::Attention, LoraTargets::AllLinear]);
        same(&[Schedule::Colocated, Schedule::Split, Schedule::OneStepOff, Schedule::FullyAsync]);
        same(&[Backend::Megatron, Backend::Fsdp, Backend::Deepspeed, Backend::Ddp]);
        same(&[RecomputeGranularity::None, RecomputeGranularity::Selective, RecomputeGranularity::Full]);
        same(&RecomputeModule::ALL);
        same(&[Attention::Flash, Attention::Unfused]);
        same(&[AttentionKernel::Flash2, AttentionKernel::Sdpa]);
        same(&[Engine::Vllm, Engine::Sglang, Engine::TensorrtLlm]);
        same(&[KvCacheDtype::Auto, KvCacheDtype::Fp8]);
        same(&[By::Cost, By::Time, By::Gpus]);
        same(&[Table::Gpus, Table::Models, Table::Nodes, Table::Prices, Table::Offers]);
        same(&[Language::En, Language::Zh]);
    }
}
