//! What is said beside a question: options of the command line and of the JavaScript functions.

use super::document::{self, Document, Entry, document, entries_of_words};
use super::json::Json;
use super::language::Language;
use super::parse::twice;
use super::unique;
use crate::place::Place;
use shardwise_catalog::error::InputError;
use shardwise_catalog::words;

entries_of_words!(By, Language, Table);

document! {
    /// Options of an estimate.
    #[derive(Copy, Default, Eq)]
    pub struct EstimateOptions {
        /// Whether the answer says what would help, which takes longer than all the rest. Default true.
        pub advice: Option<bool>,
        /// Language of sentences. Default en.
        pub lang: Option<Language>,
    }
}

document! {
    /// Options of a sensitivity.
    #[derive(Copy, Default, Eq)]
    pub struct SensitivityOptions {
        /// Language of sentences. Default en.
        pub lang: Option<Language>,
    }
}

document! {
    /// Options of a search.
    #[derive(Default)]
    pub struct SearchOptions {
        /// What best means, among GPU types and numbers of GPUs. Default cost.
        pub by: Option<By>,
        /// GPU types to compare: catalog ids, or `all` alone.
        pub gpu: Option<Vec<String>>,
        /// Numbers of GPUs to compare. Default: the question's; under a deadline or a budget a sixteenth of it to four times.
        pub gpus: Option<Vec<u64>>,
        /// Hours that the run may take: the cheapest that ends in time.
        pub within_hours: Option<f64>,
        /// Dollars that the run may cost: the fastest that can be paid.
        pub within_usd: Option<f64>,
        /// Only plans that this framework runs.
        pub framework: Option<String>,
        /// Plans, or offers. Default 5.
        pub limit: Option<u64>,
        /// Language of sentences. Default en.
        pub lang: Option<Language>,
    }
}

words! {
    /// What best means, among GPU types and numbers of GPUs.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum By {
        /// Dollars per token.
        #[default]
        Cost = "cost",
        /// Seconds per token.
        Time = "time",
        /// GPUs, then dollars.
        Gpus = "gpus",
    }
}

document! {
    /// Options of flags.
    #[derive(Default, Eq)]
    pub struct FlagsOptions {
        /// The framework: verl, chatlearn, deepspeed, llmforge, trl, openrlhf, slime, nemo-rl, skyrl, megatron-lm, megatron-bridge,
        /// torchtitan, llamafactory, axolotl, ms-swift or unsloth.
        pub framework: String,
        /// Its version. Default: the newest that there are texts for.
        pub version: Option<String>,
        /// Address of the page, for the link in the text's head. Default: no link.
        pub page: Option<String>,
        /// Language of comments and reasons. Default en.
        pub lang: Option<Language>,
    }
}

document! {
    /// Options of a reading.
    #[derive(Default, Eq)]
    pub struct ReadOptions {
        /// The GPU, which no text names: a catalog id. Default h100-sxm.
        pub gpu: Option<String>,
        /// The model, where the text names a folder that the catalog does not know: an id or a Hugging Face name.
        pub model: Option<String>,
        /// Language of sentences. Default en.
        pub lang: Option<Language>,
    }
}

document! {
    /// Options of a check.
    #[derive(Default)]
    pub struct CheckOptions {
        /// The GPU, which no text names: a catalog id. Default h100-sxm.
        pub gpu: Option<String>,
        /// Number of GPUs over all nodes, whatever the text says. Default: the text's.
        pub gpus: Option<u64>,
        /// The model, where the text names a folder that the catalog does not know: an id or a Hugging Face name.
        pub model: Option<String>,
        /// How sure it is to be that the run fits: a probability, 0.5 to 0.999. Default 0.95.
        pub confidence: Option<f64>,
        /// Steps of the run, whatever the text says. Default: the text's.
        pub steps: Option<u64>,
        /// Hours that the run may take.
        pub deadline_h: Option<f64>,
        /// Dollars that the run may cost.
        pub budget_usd: Option<f64>,
        /// Price of one GPU for one hour, in US dollars. Default: what the text's link says, else the
        /// catalog's, as in an estimate.
        pub usd_per_gpu_hour: Option<f64>,
        /// Id of the offer that it is to run on (`shardwise catalog offers`), in the place of a price.
        pub offer: Option<String>,
        /// Language of sentences. Default en.
        pub lang: Option<Language>,
    }
}

document! {
    /// Options of explanations.
    #[derive(Default, Eq)]
    pub struct ExplainOptions {
        /// The figures: mfu, `usd_per_mtok`, memory, time.rollout.decode, ... Default: all of the answer.
        pub figure: Option<Vec<String>>,
        /// Language of sentences. Default en.
        pub lang: Option<Language>,
    }
}

document! {
    /// What was measured of a run.
    #[derive(Default)]
    pub struct CalibrateOptions {
        /// Seconds of a micro-batch's forward pass on one GPU.
        pub forward_s: Option<f64>,
        /// Seconds of its backward pass.
        pub backward_s: Option<f64>,
        /// Seconds of a whole step.
        pub step_time_s: Option<f64>,
        /// GiB that training's allocator handed out at most (`torch.cuda.max_memory_allocated`).
        pub peak_gib: Option<f64>,
        /// Text of the run's log: veRL's console, wandb's summary or history, Hugging Face's Trainer, LLaMA-Factory, Megatron-LM.
        pub log: Option<String>,
        /// Language of sentences. Default en.
        pub lang: Option<Language>,
    }
}

words! {
    /// A table of the catalog.
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Table {
        /// GPUs.
        Gpus = "gpus",
        /// Models.
        Models = "models",
        /// Machines.
        Nodes = "nodes",
        /// Prices of instances.
        Prices = "prices",
        /// Offers of machines by the hour.
        Offers = "offers",
    }
}

/// Reads options from JSON text; an empty text is none.
///
/// # Errors
/// Names the option that is missing, unknown or of the wrong type; `options` where the text is no object.
///
/// ```
/// use shardwise_core::wire::{By, SearchOptions, parse_options};
/// let options: SearchOptions = parse_options(r#"{"by": "time"}"#).unwrap();
/// assert_eq!(options.by, Some(By::Time));
/// assert_eq!(parse_options::<SearchOptions>(r#"{"best": 3}"#).unwrap_err().field, "best");
/// ```
pub fn parse_options<T: Document>(text: &str) -> Result<T, InputError> {
    let text = if text.is_empty() { "{}" } else { text };
    let read = unique::read(text, |json| match json {
        Json::Object(_) => Some(document::read(&json, &Place::TOP)),
        _ => None,
    });
    match read {
        Ok(Some(read)) => read,
        Err(unique::Error::Twice(path)) => Err(twice(path)),
        _ => Err(InputError::new("options", "Options are an object with their names as keys.")),
    }
}

/// The table of a name.
///
/// # Errors
/// Lists those that there are.
///
/// ```
/// use shardwise_core::wire::{Table, table_of};
/// assert_eq!(table_of("gpus").unwrap(), Table::Gpus);
/// assert!(table_of("cards").unwrap_err().message.contains("gpus, models, nodes, prices"));
/// ```
pub fn table_of(table: &str) -> Result<Table, InputError> {
    Entry::read(&Json::Text(table.into()), &Place::at("table"))
}
