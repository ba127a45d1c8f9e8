//! The languages that sentences are written in.

use serde::{Deserialize, Serialize};

/// The same in English and in Chinese.
pub type Words = (&'static str, &'static str);

/// A language that explanations are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// Its tag (BCP 47), as documents and the command line have it.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// What is meant for this language.
    #[must_use]
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }

    /// The one of two words that is in this language.
    #[must_use]
    pub fn word(self, words: Words) -> &'static str {
        self.pick(words.0, words.1)
    }
}
