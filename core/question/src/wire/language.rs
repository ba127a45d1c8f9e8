//! The languages that sentences are written in.

use shardwise_catalog::words;

/// A sentence in English and in Chinese.
pub type Words = (&'static str, &'static str);

words! {
    /// A language that explanations are written in.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Language {
        /// English.
        #[default]
        En = "en",
        /// Chinese.
        Zh = "zh",
    }
}

impl Language {
    /// The tag (BCP 47) of this language, as documents and the command line have it.
    #[must_use]
    pub fn tag(self) -> &'static str {
        self.as_str()
    }

    /// The one of two values that is for this language.
    #[must_use]
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }
}
