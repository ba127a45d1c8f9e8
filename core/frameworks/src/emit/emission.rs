//! What writes a text is given, and what it gives.

use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::Answer;
use shardwise_rules::Framework;

/// What an emitter is given.
pub struct Emission<'a> {
    /// The framework that the text is for.
    pub framework: &'a Framework,
    /// The question, resolved.
    pub job: &'a Job,
    /// The plan whose flags are printed.
    pub plan: &'a Plan,
    /// The estimate, for the comment head and the reasons.
    pub answer: &'a Answer,
    /// Address of the page with this question; empty where there is none.
    pub permalink: &'a str,
    /// Version of the framework that the text is for: one of [`Framework::versions`].
    pub version: &'static str,
}

/// A text to paste or save.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Snippet {
    /// File name, as it would be saved.
    pub file: &'static str,
    /// Its language.
    pub language: Syntax,
    /// The whole text, comments included: what Copy and Download give.
    pub text: String,
    /// Reasons that the text itself cannot carry (JSON has no comments): key and reason.
    pub reasons: Vec<(String, String)>,
}

impl Snippet {
    /// A text that carries its reasons itself.
    pub(super) fn new(file: &'static str, language: Syntax, text: String) -> Self {
        Self { file, language, text, reasons: Vec::new() }
    }
}

/// Language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "TextLanguage"))]
#[serde(rename_all = "lowercase")]
pub enum Syntax {
    /// bash.
    Shell,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// Python.
    Python,
}

/// Why a framework cannot run this plan, and what it could run instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// One or two sentences for a person.
    pub message: String,
}

impl From<InputError> for Unsupported {
    fn from(error: InputError) -> Self {
        Self { message: format!("{}: {}", error.field, error.message) }
    }
}
