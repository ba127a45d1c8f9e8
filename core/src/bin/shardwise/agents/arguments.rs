//! What each tool takes: the types are the schemas.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Map, Value};
use shardwise_core::wire::{CheckOptions, FlagsOptions, Language, ReadOptions, SearchOptions, Table};

use super::question;

/// Of `estimate`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Estimate {
    /// The question.
    #[schemars(schema_with = "question::schema")]
    pub(super) question: Value,
    /// The whole answer with every part of memory and time, rather than what decides. Default false.
    #[serde(default)]
    pub(super) full: bool,
    /// Language of sentences. Default en.
    #[serde(default)]
    pub(super) lang: Language,
}

/// Of `search`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// The question, as `estimate` takes it.
    #[schemars(with = "Map<String, Value>")]
    pub(super) question: Value,
    /// What to compare, and what best means.
    #[serde(default)]
    #[schemars(with = "Option<SearchOptions>")]
    pub(super) options: Option<Value>,
    /// Whole answers. Default false.
    #[serde(default)]
    pub(super) full: bool,
}

/// Of `flags`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Flags {
    /// The question, as `estimate` takes it.
    #[schemars(with = "Map<String, Value>")]
    pub(super) question: Value,
    /// Which framework.
    #[schemars(with = "FlagsOptions")]
    pub(super) options: Value,
}

/// Of `explain`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Explain {
    /// The question, as `estimate` takes it.
    #[schemars(with = "Map<String, Value>")]
    pub(super) question: Value,
    /// Figures of the answer by path, such as `mfu`, `usd_per_mtok`, `memory.update_actor.activations`. Without any, the names of
    /// all that there are.
    #[serde(default)]
    pub(super) figures: Vec<String>,
    /// Language of sentences. Default en.
    #[serde(default)]
    pub(super) lang: Language,
}

/// Of `read` and `doctor`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Read {
    /// The texts of one run, each as the file has it: a script, `ds_config.json` and its launch line, a YAML file; for `doctor` the
    /// traceback or log, and the script if it is at hand.
    pub(super) texts: Vec<String>,
    /// What no text says.
    #[serde(default)]
    #[schemars(with = "Option<ReadOptions>")]
    pub(super) options: Option<Value>,
    /// Everything that was read, key by key. Default false.
    #[serde(default)]
    pub(super) full: bool,
}

/// Of `check`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    /// The texts of one run, each as the file has it.
    pub(super) texts: Vec<String>,
    /// On what it is to run, and what it may take.
    #[serde(default)]
    #[schemars(with = "Option<CheckOptions>")]
    pub(super) options: Option<Value>,
}

/// Of `offers`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Offers {
    /// A catalog id: only offers of this GPU.
    #[serde(default)]
    pub(super) gpu: Option<String>,
    /// `on-demand`, `spot`, `reserved-1y` or `market`: only such offers.
    #[serde(default)]
    pub(super) kind: Option<String>,
    /// How many, the cheapest GPU hour first. Default 10.
    #[serde(default)]
    pub(super) limit: Option<usize>,
}

/// Of `catalog`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Catalog {
    /// Which table.
    #[schemars(with = "Table")]
    pub(super) table: String,
    /// Only rows whose id, name or repository contains this, in any case.
    #[serde(default)]
    pub(super) contains: Option<String>,
    /// How many rows. Default 20.
    #[serde(default)]
    pub(super) limit: Option<usize>,
}

/// Of `schema`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Schema {
    /// A document (`question`, `answer`, …), or a type of the question's that `estimate` only names, such as `OperationsSpec`.
    pub(super) of: String,
}

/// The schema of a tool's arguments.
pub(super) fn schema<T: JsonSchema>() -> Map<String, Value> {
    let generator = SchemaSettings::draft2020_12().into_generator();
    match serde_json::to_value(generator.into_root_schema_for::<T>()) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
