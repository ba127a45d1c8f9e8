//! What page and worker exchange: one [`Request`], one [`Reply`], each a line of JSON.

pub(crate) mod blocks;
pub(crate) mod compact;
pub(crate) mod estimate;

use crate::money::Money;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shardwise_core::emit::Syntax;
use shardwise_core::search::sweep::Reached;
use shardwise_core::sheet::Wrong;
use shardwise_core::wire::Backend;

use crate::text::Lang;
use crate::text::your_run::ADDRESS;
use estimate::Asking;

/// A task with its number.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Its number.
    pub(crate) id: u32,
    pub(crate) task: Task,
    /// What dollars are shown in.
    #[serde(default)]
    pub(crate) money: Money,
    /// The page's language, in which all is written.
    #[serde(default)]
    pub(crate) lang: Lang,
}

/// Some keys with their values. As they are collected, they would be sorted first: by another sort to download.
pub(crate) fn state(entries: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut map = Map::new();
    map.extend(entries);
    map
}

/// The field of a task that says which it is.
const IS: &str = "is";

impl Request {
    /// As it travels: the task's fields, and which it is among them. `serde` has a way for that, which keeps whatever it reads until
    /// it knows, by code that is as large as all that reads answers.
    pub(crate) fn text(&self) -> String {
        let mut document = json!(self);
        let task = document.get_mut("task").and_then(Value::as_object_mut);
        let named = task.and_then(|task| Some((std::mem::take(task).into_iter().next()?, task)));
        if let Some(((name, Value::Object(mut fields)), task)) = named {
            fields.insert(IS.to_owned(), name.into());
            *task = fields;
        }
        document.to_string()
    }

    /// A request as it travels; `None` of what is none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut document: Value = serde_json::from_str(text).ok()?;
        let task = document.get_mut("task")?.as_object_mut()?;
        let Some(Value::String(name)) = task.remove(IS) else { return None };
        let fields = std::mem::take(task);
        task.insert(name, fields.into());
        compact::read(document)
    }
}

/// What the worker is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Task {
    /// The texts of a framework: [`Flags`].
    Flags {
        question: Value,
        /// Identifier of the framework.
        framework: String,
        /// Its version; empty for the default.
        version: String,
        /// Address of the page with the question.
        link: String,
    },
    /// A question with its answer, as the engine found it: who writes texts and sheets need not look for it again.
    Known { question: Value, answered: Value },
    /// The frameworks that have a text for a question, by identifier.
    Serves { question: Value },
    /// The answer to a question: [`Estimate`](estimate::Estimate).
    Estimate(Box<Asking>),
    /// The same question on GPU types, as many of them as there is time for: [`Slice`](estimate::Slice).
    Compare {
        question: Value,
        /// Which comparison it is for, by number.
        round: u32,
        /// The machines by their places: the question's own has the first.
        places: Vec<usize>,
        /// What others are known to reach, where those that do not are put off.
        reached: Option<Reached>,
    },
    /// What would make the question fit: [`Closer`](estimate::Closer).
    Closer {
        question: Value,
        /// How many numbers of GPUs have been tried.
        tried: usize,
    },
    /// A part of the page: [`Written`].
    Sheet(SheetTask),
    /// A file of a sheet, written when it is asked for: its name and its text.
    File {
        /// The sheet, as it is shown.
        sheet: SheetTask,
        /// The file's name.
        file: String,
    },
    /// A page of text, drawn where the program runs. The build asks for it.
    #[serde(skip_serializing)]
    Document { document: Document },
    /// Sentences of the core in Chinese, in their order.
    Say {
        /// The sentences.
        texts: Vec<String>,
    },
    /// How long the examples of a data set are: [`crate::sample::Sample`], or nothing.
    Sample {
        /// The sample, as far as it is counted.
        text: String,
        /// Whether its prompts alone count.
        prompts: bool,
        /// Its file's name; empty for what was pasted.
        file: String,
        /// Whether that is all of it.
        whole: bool,
    },
    /// The rows of a price sheet, or what is wrong with it: [`ReadPrices`].
    Prices { text: String },
    /// What scripts ask: the core's reading, the answer, and the changes that help most, as [`Blocks`](blocks::Block).
    Read {
        /// The texts of one run.
        texts: Vec<String>,
        /// The question that the page shows, which a few settings without their command change.
        base: Value,
        /// The market in which the page would rent what a script asks that says no price; null where it rents in none.
        #[serde(default)]
        market: Value,
        /// Of a log: what is said of its run, by the names of `shardwise contribute`.
        #[serde(default)]
        given: Map<String, Value>,
    },
    /// A question that has an answer as the part of a link after `#`, or the interface's document that refuses it.
    /// `frame.js` asks for it.
    #[serde(skip_serializing)]
    Link { question: Value },
    /// The question of a link and its answer, as the command line gives it. `frame.js` asks for it.
    #[serde(skip_serializing)]
    Answer {
        /// The part of the link after `#`.
        hash: String,
    },
}

/// A price sheet that was read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadPrices {
    /// Its rows as [`crate::prices`] keeps them; `None` where something is wrong.
    pub(crate) kept: Option<String>,
    pub(crate) wrong: Vec<Wrong>,
}

/// What the worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// The number of its task.
    pub(crate) id: u32,
    /// What was found.
    pub(crate) result: Value,
}

/// A page of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Document {
    /// Every formula.
    Methods,
    /// What the command line does.
    CommandLine,
    /// The Python package.
    Python,
    /// The calculator in other sites' pages.
    Embed,
    /// The documents, and programs' ways to them.
    Api,
    /// How a run of one's own becomes a published one.
    YourRun,
}

impl Document {
    /// Its address from the site's root.
    pub(crate) fn address(self, lang: Lang) -> &'static str {
        lang.said(&match self {
            Self::Methods => ["methods/", "methods/zh/"],
            Self::CommandLine => ["command-line/", "command-line/zh/"],
            Self::Python => ["python/", "python/zh/"],
            Self::Embed => ["embed/", "embed/zh/"],
            Self::Api => ["api/", "api/zh/"],
            Self::YourRun => ADDRESS,
        })
    }
}

worded! {
    /// A part of the page that the worker writes. Its element is named after its word.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Name {
        /// Other plans.
        Plans = "plans",
        /// What each single change is worth.
        Sensitivity = "sensitivity",
        /// The guides' rules and what they are worth, beside what is wrong.
        Advice = "advice",
        /// The question on more GPUs and fewer.
        Scaling = "scaling",
        /// The question beside one that was put aside.
        Compare = "compare",
        /// How a figure comes about.
        How = "how",
        /// The flags beside the script that was pasted.
        Diff = "diff",
        /// Who rents out the question's GPUs.
        Offers = "offers",
        /// Cost against time.
        Front = "front",
        /// One step over time.
        Timeline = "timeline",
        /// Code that embeds the question.
        Embed = "embed",
        /// What more certainty costs.
        Sure = "sure",
        /// The smallest changes that make a plan as sure to fit as asked.
        Ways = "ways",
        /// What a part of the plan could be instead.
        Alternatives = "alternatives",
        /// A deadline and a budget held against GPU types and numbers of GPUs.
        Within = "within",
        /// Textbook layouts beside the plan.
        WhyNot = "whynot",
        /// The published runs that are most like the question.
        Near = "near",
    }
}

impl Name {
    /// Whether it is drawn at a width.
    pub(crate) fn is_drawn(self) -> bool {
        matches!(self, Self::Scaling | Self::Front | Self::Timeline)
    }
}

/// What the worker has to know to write a sheet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SheetTask {
    pub(crate) name: Name,
    pub(crate) question: Value,
    /// Width to draw at, in pixels; 0 where nothing is drawn.
    pub(crate) width: u32,
    /// What was pressed and typed in it.
    pub(crate) state: Map<String, Value>,
}

/// A part of the page. What draws its blocks reads them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) name: Name,
    pub(crate) blocks: Value,
    /// Whether there is more to come for who asks again.
    pub(crate) more: bool,
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
    /// What the plan of the texts trains with, where it is another than the shown one.
    pub(crate) instead: Option<Backend>,
    /// Whether the plan of the texts fits.
    pub(crate) fits: bool,
    /// Of a framework that the answer is not for: the throughput of its texts' plan over that of the shown one.
    pub(crate) beside: Option<f64>,
}

/// A text to paste or save: [`shardwise_core::emit::Snippet`] as it travels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Text {
    /// File name.
    pub(crate) file: String,
    pub(crate) language: Syntax,
    /// The whole text.
    pub(crate) text: String,
    /// Reasons that the text itself cannot carry: key and reason.
    pub(crate) reasons: Vec<(String, String)>,
}
