//! `shardwise search`: its options.

use clap::Args;
use clap::builder::PossibleValuesParser;
use shardwise_core::wire::Language;
use shardwise_core::wire::{By, SearchOptions};

use super::known;

/// What to search for.
#[derive(Args)]
pub(crate) struct Options {
    /// What best means, among GPU types and numbers of GPUs.
    #[arg(long, value_enum, default_value = "cost")]
    by: By,
    /// GPU types to compare, as catalog ids with commas between them, or `all`.
    #[arg(long, value_delimiter = ',')]
    gpu: Vec<String>,
    /// Numbers of GPUs to compare. Under a deadline or a budget, without this, a sixteenth of the question's to four times.
    #[arg(long, value_delimiter = ',')]
    gpus: Vec<u64>,
    /// Hours that the run may take: the cheapest that ends in time.
    #[arg(long, conflicts_with = "within_usd")]
    within_hours: Option<f64>,
    /// Dollars that the run may cost: the fastest that can be paid.
    #[arg(long)]
    within_usd: Option<f64>,
    /// Only plans that this framework runs.
    #[arg(long = "for", value_parser = PossibleValuesParser::new(known()))]
    framework: Option<String>,
    /// Plans, or offers, per question.
    #[arg(long, default_value_t = 5)]
    limit: u64,
}

impl Options {
    /// These options as the core takes them, with the language of its answers.
    pub(crate) fn asked(self, lang: Language) -> SearchOptions {
        SearchOptions {
            by: Some(self.by),
            gpu: Some(self.gpu),
            gpus: Some(self.gpus),
            within_hours: self.within_hours,
            within_usd: self.within_usd,
            framework: self.framework,
            limit: Some(self.limit),
            lang: Some(lang),
        }
    }
}
