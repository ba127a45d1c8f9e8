//! Values as Python writes them, as far as they are written out: texts, numbers, truth values, lists, and calls with what they are
//! given. Nothing is run: of all else it is known what it depends on.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A text, a number, a truth value or None, and what of it is open, where something is. A name that stands in a text has
    /// [`BEGINS`] before it and [`ENDS`] behind it.
    Plain { text: String, open: Option<String> },
    /// Two values with an operator between them, of which one is a name.
    Worked(Box<(Value, &'static str, Value)>),
    /// A name, its dots included.
    Name(String),
    /// A list or a tuple, each item with its line.
    List(Vec<(Value, u32)>),
    /// What a call gives; of a map in braces the call of `dict` that is the same.
    Call(Call),
    /// What depends on this.
    Open(String),
}

/// Before a name in a text.
pub(super) const BEGINS: char = '\u{1}';
/// Behind it.
pub(super) const ENDS: char = '\u{2}';

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// What is called, its dots included.
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) given: Vec<Given>,
}

/// What a call is given.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Given {
    /// Its name, where it has one.
    pub(super) key: Option<String>,
    pub(super) value: Value,
    pub(super) line: u32,
}

impl Value {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::Plain { text: text.into(), open: None }
    }

    /// What a value depends on, in a word.
    pub(super) fn depends(&self) -> String {
        match self {
            Self::Plain { open, .. } => open.clone().unwrap_or_default(),
            Self::Name(name) | Self::Open(name) => name.clone(),
            Self::Call(call) => call.name.clone(),
            Self::Worked(sides) => match sides.0.depends() {
                own if own.is_empty() => sides.2.depends(),
                own => own,
            },
            Self::List(items) => items.first().map(|(item, _)| item.depends()).unwrap_or_default(),
        }
    }
}

impl Call {
    /// The last of the names with dots between: `from_pretrained`.
    pub(super) fn last(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or_default()
    }

    /// What is given under one of these names.
    pub(super) fn under(&self, names: &[&str]) -> Option<&Given> {
        let own = |given: &&Given| given.key.as_deref().is_some_and(|key| names.contains(&key));
        self.given.iter().find(own)
    }

    /// What is given at a place.
    pub(super) fn at(&self, place: usize) -> Option<&Given> {
        self.given.get(place).filter(|given| given.key.is_none())
    }
}
