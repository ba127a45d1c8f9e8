//! Ready-to-paste texts, one file per framework.

use crate::job::Job;
use crate::plan::Plan;
use crate::wire::Answer;

/// What an emitter is given.
pub struct Emission<'a> {
    /// The question, resolved.
    pub job: &'a Job,
    /// The plan whose flags are printed.
    pub plan: &'a Plan,
    /// The estimate, for the comment head and the reasons.
    pub answer: &'a Answer,
    /// Address of the page with this question; empty where there is none.
    pub permalink: &'a str,
}

/// A framework the calculator prints flags for.
pub struct Framework {
    /// Identifier, as in `shardwise flags --for`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Version the text is checked against.
    pub version: &'static str,
    /// Documentation of its keys.
    pub docs_url: &'static str,
    /// The texts, or why there is none.
    pub emit: fn(&Emission) -> Result<Vec<Snippet>, Unsupported>,
}

/// A text to paste or save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// File name, as it would be saved.
    pub file: &'static str,
    /// Its language.
    pub language: Language,
    /// The whole text, comments included: what Copy and Download give.
    pub text: String,
    /// Reasons that the text itself cannot carry (JSON has no comments): key and reason.
    pub reasons: Vec<(String, String)>,
}

/// Language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// bash.
    Shell,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// Why a framework cannot run this plan, and what it could run instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// One or two sentences for a person.
    pub message: String,
}
