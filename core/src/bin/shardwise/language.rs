//! `--lang`: in which language the command line speaks to a person.

use clap::ValueEnum;
use serde_json::Value;
use shardwise_core::chinese;
use shardwise_core::emit::Snippet;
use shardwise_core::methods::Language;

/// A language that sentences and comments are written in; keys, values and code are the same in each.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// English.
    En,
    /// Chinese.
    Zh,
}

/// Keys of the documents whose values are sentences.
const SENTENCES: [&str; 5] = ["hint", "message", "text", "unsupported", "why"];

impl Lang {
    /// The language of explanations and formulas, which are written in both.
    pub(crate) fn of_methods(self) -> Language {
        match self {
            Self::En => Language::En,
            Self::Zh => Language::Zh,
        }
    }

    /// A sentence of the core, or of this program.
    pub(crate) fn sentence(self, english: &str) -> String {
        match self {
            Self::En => None,
            Self::Zh => chinese::chinese(english),
        }
        .unwrap_or_else(|| english.to_owned())
    }

    /// What stands between a key and what is said about it.
    pub(crate) fn colon(self) -> &'static str {
        match self {
            Self::En => ": ",
            Self::Zh => "：",
        }
    }

    /// A text to paste.
    pub(crate) fn snippet(self, snippet: &Snippet) -> String {
        match self {
            Self::En => snippet.text.clone(),
            Self::Zh => chinese::text(&snippet.text, snippet.language),
        }
    }

    /// A JSON document.
    pub(crate) fn document(self, json: String) -> String {
        if self == Self::En {
            return json;
        }
        match serde_json::from_str(&json) {
            Ok(mut document) => {
                self.sentences(&mut document);
                document.to_string()
            }
            Err(_) => json,
        }
    }

    /// The sentences of a document.
    pub(crate) fn sentences(self, document: &mut Value) {
        match document {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        Value::String(text) if SENTENCES.contains(&key.as_str()) => {
                            *text = self.sentence(text);
                        }
                        _ => self.sentences(value),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.sentences(item)),
            _ => {}
        }
    }
}
