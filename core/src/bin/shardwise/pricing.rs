//! `--prices`: a price sheet beside each question.

use std::io::{self, Read};
use std::path::PathBuf;

use clap::{Args, ValueHint};
use shardwise_core::Question;
use shardwise_core::interface::Speak;
use shardwise_core::sheet;
use shardwise_core::wire::{Language, OwnOfferSpec};

use super::open;

/// Whose prices count beside the catalog's.
#[derive(Args)]
// Another command has options of this name beside these.
#[group(skip)]
pub(crate) struct Options {
    /// CSV file of your own prices: gpu, `usd_per_gpu_hour` and, as far as you know, provider, instance, count (GPUs of an
    /// instance), network (its Gbit/s), kind, date. Its rows are offers of every question's market.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    prices: Option<PathBuf>,
    /// Rent by the price sheet alone, and not from the catalog's offers.
    #[arg(long, requires = "prices")]
    only_prices: bool,
}

/// A price sheet that was read.
#[derive(Default)]
pub(crate) struct Sheet {
    rows: Option<Vec<OwnOfferSpec>>,
    only: bool,
}

impl Options {
    /// The sheet, where one is named.
    pub(crate) fn sheet(&self, lang: Language) -> io::Result<Sheet> {
        let Some(path) = &self.prices else {
            return Ok(Sheet::default());
        };
        let mut text = Vec::new();
        // A byte more than is read says that there are too many.
        open(path, lang)?.take(sheet::MAX_BYTES as u64 + 1).read_to_end(&mut text)?;
        let rows = sheet::read(&String::from_utf8_lossy(&text)).map_err(|wrong| {
            let says = wrong.into_iter().map(|mut own| {
                own.message = lang.sentence(&own.message);
                format!("{}:{own}", path.display())
            });
            io::Error::new(io::ErrorKind::InvalidData, says.collect::<Vec<_>>().join("\n"))
        })?;
        Ok(Sheet { rows: Some(rows), only: self.only_prices })
    }
}

impl Sheet {
    /// A question whose market has the sheet's rows, in the place of any of its own.
    pub(crate) fn beside(&self, question: &Question) -> Question {
        let mut question = question.clone();
        if let Some(rows) = &self.rows {
            let market = question.hardware.market.get_or_insert_default();
            market.own = Some(rows.clone());
            if self.only {
                market.only_own = Some(true);
            }
        }
        question
    }
}
