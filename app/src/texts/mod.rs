//! Flags, scripts and advice: what writes, reads and finds them is a program of its own, which runs in a worker. So the
//! page's first download holds none of it, and a long script does not hold up the typing.
//!
//! Page and worker exchange JSON: one [`Request`], one [`Reply`].

pub(crate) mod desk;
mod work;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shardwise_core::emit::Language;
use shardwise_core::wire::{Advice, Backend, Sensitivity};

pub use work::answer;

/// A task with its number.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    id: u32,
    task: Task,
}

/// What the worker is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub(crate) enum Task {
    /// The texts of a framework: [`Flags`].
    Flags {
        /// The question.
        question: Value,
        /// Identifier of the framework.
        framework: String,
        /// Its version; empty for the default.
        version: String,
        /// Address of the page with the question.
        link: String,
    },
    /// The frameworks that have a text for a question, by identifier.
    Serves {
        /// The question.
        question: Value,
    },
    /// What changes of a plan are worth: [`Worth`].
    Worth {
        /// The question.
        question: Value,
    },
    /// What scripts ask: the core's reading, the answer, and the changes that help most.
    Read {
        /// The texts of one run.
        texts: Vec<String>,
        /// The question that answers what no text tells.
        base: Value,
    },
}

/// What the worker answers.
#[derive(Debug, Serialize, Deserialize)]
struct Reply {
    id: u32,
    result: Value,
}

/// What would help.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Worth {
    /// The guides' rules and what they are worth, beside what is wrong.
    pub(crate) advice: Vec<Advice>,
    /// What each single change is worth.
    pub(crate) changes: Sensitivity,
}

/// The texts of a framework, or why there are none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Flags {
    /// Identifier of the framework.
    pub(crate) framework: String,
    /// Version that the texts are for.
    pub(crate) version: String,
    /// The texts; none where the framework cannot run the question.
    pub(crate) texts: Vec<Text>,
    /// Why the framework cannot run the shown plan; empty where it can.
    pub(crate) why: String,
    /// The plan that the texts are for, where it is another than the shown one.
    pub(crate) instead: Option<Instead>,
    /// Whether the plan of the texts fits.
    pub(crate) fits: bool,
}

/// A plan in place of the shown one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Instead {
    /// What it trains with.
    pub(crate) backend: Backend,
    /// Its throughput.
    pub(crate) tokens_per_s_per_gpu: f64,
}

/// A text to paste or save: [`shardwise_core::emit::Snippet`] as it travels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Text {
    /// File name.
    pub(crate) file: String,
    /// Its language.
    pub(crate) language: Language,
    /// The whole text.
    pub(crate) text: String,
    /// Reasons that the text itself cannot carry: key and reason.
    pub(crate) reasons: Vec<(String, String)>,
}
