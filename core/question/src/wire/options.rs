//! What is said beside a question: options of the command line and of the JavaScript functions.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Language;
use super::document::{self, Document, Place};
use super::parse::twice;
use super::unique;
use shardwise_catalog::error::InputError;

/// Options of an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EstimateOptions {
    /// Language of sentences. Default en.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<Language>,
}

/// Options of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchOptions {
    /// What best means, among GPU types and numbers of GPUs. Default cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// GPU types to compare: catalog ids, or `all` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Vec<String>>,
    /// Numbers of GPUs to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<Vec<u64>>,
    /// Hours that the run may take: the cheapest that ends in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_hours: Option<f64>,
    /// Dollars that the run may cost: the fastest that can be paid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_usd: Option<f64>,
    /// Only plans that this framework runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// Plans, or offers. Default 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Language of sentences. Default en.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<Language>,
}

/// What best means, among GPU types and numbers of GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Dollars per token.
    #[default]
    Cost,
    /// Seconds per token.
    Time,
    /// GPUs, then dollars.
    Gpus,
}

/// Options of flags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlagsOptions {
    /// The framework: verl, chatlearn, deepspeed, llmforge, trl, openrlhf, megatron-lm, megatron-bridge, torchtitan,
    /// llamafactory or axolotl.
    pub framework: String,
    /// Its version. Default: the newest that there are texts for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Address of the page, for the link in the text's head. Default: no link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Language of comments and reasons. Default en.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<Language>,
}

/// Options of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadOptions {
    /// The GPU, which no text names: a catalog id. Default h100-sxm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// The model, where the text names a folder that the catalog does not know: an id or a Hugging Face name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Language of sentences. Default en.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<Language>,
}

/// A table of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Table {
    /// GPUs.
    Gpus,
    /// Models.
    Models,
    /// Machines.
    Nodes,
    /// Prices of instances.
    Prices,
}

/// Reads options from JSON text; an empty text is none.
///
/// # Errors
/// Names the option that is missing, unknown or of the wrong type; `options` where the text is no object.
pub fn parse_options<T: Document>(text: &str) -> Result<T, InputError> {
    let text = if text.is_empty() { "{}" } else { text };
    match unique::read(text) {
        Ok(value @ Value::Object(_)) => document::read(&value, &Place::TOP),
        Err(unique::Error::Twice(path)) => Err(twice(path)),
        _ => Err(InputError::new("options", "Options are an object with their names as keys.")),
    }
}
