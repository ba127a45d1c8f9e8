//! What a person presses in a sheet.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shardwise_core::{Question, permalink};

use crate::form::Field;
use crate::protocol::state;

/// What a press does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Action {
    /// Asks the question of this link. Back undoes it.
    Ask(String),
    /// Types a value into the control of this path, as the form would. Back undoes it.
    Put {
        /// The control's path.
        field: String,
        value: String,
    },
    /// Keys of the sheet's state take these values.
    Set(Map<String, Value>),
    /// Takes a word into the pair of those that are compared, or out of it.
    Pair(String),
    /// Saves a file of this sheet, which the worker writes then.
    Save(String),
    /// Saves a listing as a file.
    SaveText {
        /// The file's name.
        file: String,
        /// The listing's.
        of: String,
    },
    /// Copies the listing of this name.
    Copy(String),
    /// Says how a figure of `shardwise_core::methods` comes about.
    How(String),
    /// Puts the panel away that the sheet stands in.
    Close,
}

impl Action {
    pub(crate) fn ask(question: &Question) -> Self {
        Self::Ask(permalink::to_hash(question))
    }

    /// Types a value into a control.
    pub(crate) fn put(field: Field, value: impl Into<String>) -> Self {
        Self::Put { field: field.path().to_owned(), value: value.into() }
    }

    /// A key of the sheet's state takes a value.
    pub(crate) fn set(key: &str, value: impl Into<Value>) -> Self {
        Self::Set(state([(key.to_owned(), value.into())]))
    }
}

small! {
    /// What a button looks like.
    enum Look {
        /// One of several things to do.
        Small,
        /// What is less likely to be wanted.
        Quiet,
        /// As large as the page's own.
        Large,
        /// The first thing to do.
        First,
        Pin,
        /// A place of a switch.
        Place,
        /// Words of a sentence, or the letter of a quantity.
        Link,
        /// The head of a column.
        Head,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Button {
    /// Its name in the page, by which the keyboard finds it again; empty for none.
    pub(crate) id: String,
    /// What it looks like.
    pub(crate) look: Look,
    /// An icon before its words; empty for none.
    pub(crate) icon: String,
    pub(crate) words: String,
    /// What else is said of it to whoever does not see where it stands; empty for nothing.
    pub(crate) about: String,
    /// Of what stays pressed: whether it is.
    pub(crate) pressed: Option<bool>,
    /// Of what opens something: whether it is open.
    pub(crate) expanded: Option<bool>,
    /// What a press does, in order.
    pub(crate) actions: Vec<Action>,
}

impl Button {
    /// A button with its words and what it does.
    pub(crate) fn new(look: Look, words: impl Into<String>, action: Action) -> Self {
        Self {
            id: String::new(),
            look,
            icon: String::new(),
            words: words.into(),
            about: String::new(),
            pressed: None,
            expanded: None,
            actions: vec![action],
        }
    }

    /// With a name in the page.
    pub(crate) fn called(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }

    pub(crate) fn icon(self, icon: &str) -> Self {
        Self { icon: icon.to_owned(), ..self }
    }

    /// With what is said to whoever does not see where it stands.
    pub(crate) fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// That stays pressed.
    pub(crate) fn pressed(self, pressed: bool) -> Self {
        Self { pressed: Some(pressed), ..self }
    }

    /// A button that shows all of a list, or less of it, by the key `all` of the sheet's state.
    pub(crate) fn all(id: &str, words: impl Into<String>, open: bool) -> Self {
        let button = Self::new(Look::Small, words, Action::set("all", !open)).called(id);
        Self { expanded: Some(open), ..button }
    }
}
