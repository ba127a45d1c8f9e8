//! What a person sets in a sheet.

use serde::{Deserialize, Serialize};

use super::{Button, Tone};

/// A control of how a sheet is shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Control {
    /// The key of the sheet's state that it sets; its name in the page ends with it.
    pub(crate) key: String,
    /// What it is called.
    pub(crate) name: String,
    pub(crate) takes: Takes,
}

/// What a control takes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Takes {
    /// Words to look for.
    Words(String),
    Tick(bool),
    /// One of several keys, each with its words.
    One(String, Vec<(String, String)>),
    /// What only a person knows: what is typed, or one of some keys with their words; and what is said of it below, as an error
    /// where that is one.
    Given {
        /// As it was typed.
        value: String,
        /// What there is to choose from; nothing where it is typed.
        among: Vec<(String, String)>,
        /// What is wanted, or wrong with it.
        says: String,
        /// Whether it is wrong.
        wrong: bool,
    },
}

/// One of several values, which the page writes into the question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// What choosing does.
    pub(crate) note: String,
    /// What stands beside each value: two figures, and whether it fits.
    pub(crate) heads: [String; 3],
    pub(crate) values: Vec<Alternative>,
    /// A value of one's own: the words before it, and what its box is called.
    pub(crate) own: Option<[String; 2]>,
    /// What takes it.
    pub(crate) take: String,
    /// What leaves it open again.
    pub(crate) free: Option<Button>,
    /// Who chose it.
    pub(crate) state: String,
}

/// A value that can be chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Alternative {
    /// As a person types it.
    pub(crate) value: String,
    pub(crate) words: String,
    /// Whether it stands now.
    pub(crate) now: bool,
    /// What it gains or loses.
    pub(crate) figures: [String; 2],
    /// How well it fits.
    pub(crate) tone: Tone,
    /// The same in words.
    pub(crate) fits: String,
    /// Why a person would or would not; empty for nothing.
    pub(crate) why: String,
}
