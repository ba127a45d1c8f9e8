//! In which language a document speaks to a person; keys, values and code are the same in each.

use serde_json::Value;

use crate::words;
use shardwise_frameworks::emit::Snippet;
use shardwise_question::wire::Language;

/// Keys of the documents whose values are sentences.
const SENTENCES: [&str; 5] = ["hint", "message", "text", "unsupported", "why"];

/// What a language makes of the English that the core says.
pub trait Speak {
    /// A sentence of the core, or of the command line, in this language.
    #[must_use]
    fn sentence(self, english: &str) -> String;

    /// A text to paste, with its comments and reasons in this language.
    #[must_use]
    fn snippet(self, snippet: Snippet) -> Snippet;

    /// A JSON document with its sentences in this language.
    #[must_use]
    fn document(self, json: String) -> String;

    /// Puts the sentences of a document into this language.
    fn sentences(self, document: &mut Value);
}

impl Speak for Language {
    fn sentence(self, english: &str) -> String {
        let said = words::of(self).and_then(|words| words.say(english));
        said.unwrap_or_else(|| english.to_owned())
    }

    fn snippet(self, mut snippet: Snippet) -> Snippet {
        if let Some(words) = words::of(self) {
            snippet.text = words.text(&snippet.text, snippet.language);
            for (_, reason) in &mut snippet.reasons {
                *reason = self.sentence(reason);
            }
        }
        snippet
    }

    fn document(self, json: String) -> String {
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

    fn sentences(self, document: &mut Value) {
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
