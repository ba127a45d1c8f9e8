//! A JSON value whose keys and texts are those of the text that it was read from: a question is read from it field by field,
//! and most of what is there is never needed again.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

/// A key and its value.
pub type Member<'a> = (Cow<'a, str>, Json<'a>);

/// A value, in the text or the document that it is of.
#[derive(Clone, Debug)]
pub enum Json<'a> {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(Cow<'a, str>),
    /// Values, in their order.
    List(Vec<Json<'a>>),
    /// Values by their keys, each of which is there once, in the order in which they were written.
    Object(Vec<Member<'a>>),
}

impl<'a> Json<'a> {
    /// A document's.
    #[must_use]
    pub fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(own) => Self::Bool(*own),
            Value::Number(own) => Self::Number(own.clone()),
            Value::String(own) => Self::Text(Cow::Borrowed(own)),
            Value::Array(own) => Self::List(own.iter().map(Self::of).collect()),
            Value::Object(own) => Self::Object(
                own.iter()
                    .map(|(key, value)| (Cow::Borrowed(key.as_str()), Self::of(value)))
                    .collect(),
            ),
        }
    }

    /// As a document of its own.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(own) => Value::Bool(*own),
            Self::Number(own) => Value::Number(own.clone()),
            Self::Text(own) => Value::String(own.clone().into_owned()),
            Self::List(own) => own.iter().map(Self::to_value).collect(),
            Self::Object(own) => {
                let mut map = Map::new();
                map.extend(own.iter().map(|(key, value)| (key.clone().into_owned(), value.to_value())));
                Value::Object(map)
            }
        }
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(own) = self { Some(*own) } else { None }
    }

    pub(super) fn as_number(&self) -> Option<&Number> {
        if let Self::Number(own) = self { Some(own) } else { None }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        if let Self::Text(own) = self { Some(own) } else { None }
    }

    pub(super) fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(own) = self { Some(own) } else { None }
    }

    pub(super) fn as_object(&self) -> Option<&[Member<'a>]> {
        if let Self::Object(own) = self { Some(own) } else { None }
    }
}
