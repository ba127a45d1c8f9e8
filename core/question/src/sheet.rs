//! A price sheet of one's own as text: a table of GPUs and prices, which becomes rows of `hardware.market.own`.

use std::fmt;

use serde_json::Value;

use crate::market::own::{self, MOST_ROWS};
use crate::place::Place;
use crate::wire::OwnOfferSpec;
use shardwise_catalog::catalog::OfferKind;
use shardwise_catalog::encoding::{UTF_16, unmarked};

mod csv;

pub use csv::rows as csv_rows;

/// Longest sheet that is read, in bytes.
pub const MAX_BYTES: usize = 64 << 10;

/// Columns by their key in the question, with the other names that they go by.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("gpu", &["gpu_type", "card", "accelerator"]),
    ("usd_per_gpu_hour", &["usd", "price", "usd_per_hour_per_gpu"]),
    ("provider", &["seller", "vendor", "cloud"]),
    ("instance", &["instance_type", "name", "machine"]),
    ("count", &["gpus", "gpus_per_instance"]),
    ("network_gbit_per_s", &["network", "network_gbit_s", "network_gbps"]),
    ("kind", &["terms"]),
    ("date", &["day"]),
];

/// What is wrong with a sheet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// The column, as the sheet names it; empty where it is the whole line.
    pub column: String,
    /// What is wrong, and the remedy.
    pub message: String,
}

impl Wrong {
    fn new(line: usize, column: &str, message: impl Into<String>) -> Self {
        Self { line, column: column.chars().take(40).collect(), message: message.into() }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column.as_str() {
            "" => write!(f, "{}: {}", self.line, self.message),
            column => write!(f, "{}: {column}: {}", self.line, self.message),
        }
    }
}

/// Reads a price sheet: a line that names the columns, then a row on each line, with commas, semicolons or tabs between the
/// cells. `gpu` and `usd_per_gpu_hour` must be there; `provider`, `instance`, `count` (GPUs of an instance), `network` (its
/// Gbit/s), `kind` and `date` may be.
///
/// # Errors
/// Everything that is wrong, by line and column.
///
/// ```
/// let rows = shardwise_core::sheet::read("gpu,usd_per_gpu_hour,count,network\nh100-sxm,2.10,8,3200\n").unwrap();
/// assert_eq!((rows[0].count, rows[0].usd_per_gpu_hour), (Some(8), Some(2.10)));
/// let wrong = shardwise_core::sheet::read("gpu,usd_per_gpu_hour\nh100-sxm,cheap\n").unwrap_err();
/// assert_eq!((wrong[0].line, wrong[0].column.as_str()), (2, "usd_per_gpu_hour"));
/// ```
pub fn read(text: &str) -> Result<Vec<OwnOfferSpec>, Vec<Wrong>> {
    let whole = |says: String| Err(vec![Wrong::new(1, "", says)]);
    if text.len() > MAX_BYTES {
        return whole(format!("The sheet has more than {} KiB. Leave some rows out.", MAX_BYTES >> 10));
    }
    let Some(text) = unmarked(text) else {
        return whole(UTF_16.into());
    };
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let between = ['\t', ';'].into_iter().find(|mark| first.contains(*mark)).unwrap_or(',');
    let rows = csv::rows(text, between);
    if text.matches('"').count() % 2 == 1 {
        let line = rows.last().map_or(1, |(line, _)| *line);
        return Err(vec![Wrong::new(line, "", "A quote of this row is never closed. Close it, or leave quotes out.")]);
    }
    let mut rows = rows.into_iter();
    let Some((line, head)) = rows.next() else {
        return whole(
            "The sheet is empty. Begin with a line gpu,usd_per_gpu_hour and give a row for each price.".into(),
        );
    };
    let keys = columns(line, &head).map_err(|wrong| vec![wrong])?;
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for (line, cells) in rows {
        match row(line, &cells, &keys, &head) {
            Ok(own) => found.push(own),
            Err(error) => wrong.push(error),
        }
    }
    if found.len() + wrong.len() > MOST_ROWS {
        return whole(format!("The sheet has more than {MOST_ROWS} rows. Leave some out."));
    }
    if found.is_empty() && wrong.is_empty() {
        return Err(vec![Wrong::new(line, "", "The sheet has no row below its first line. Give one for each price.")]);
    }
    if wrong.is_empty() { Ok(found) } else { Err(wrong) }
}

/// The key of each column.
fn columns(line: usize, head: &[String]) -> Result<Vec<&'static str>, Wrong> {
    let known = || COLUMNS.map(|(key, _)| key).join(", ");
    let mut keys: Vec<&str> = Vec::new();
    for name in head {
        let own = name.trim().to_ascii_lowercase().replace([' ', '-', '/'], "_");
        let is = |(key, others): &&(&str, &[&str])| *key == own || others.contains(&own.as_str());
        let Some((key, _)) = COLUMNS.iter().find(is) else {
            let says = format!("The first line names the columns, and this is none. Known are {}.", known());
            return Err(Wrong::new(line, if name.trim().is_empty() { "\"\"" } else { name.trim() }, says));
        };
        if keys.contains(key) {
            return Err(Wrong::new(line, name.trim(), "This column is there twice. Leave one out."));
        }
        keys.push(key);
    }
    match COLUMNS.iter().take(2).find(|(key, _)| !keys.contains(key)) {
        Some((key, _)) => {
            Err(Wrong::new(line, key, "This column is missing. Name it in the first line, and give it in every row."))
        }
        None => Ok(keys),
    }
}

fn row(line: usize, cells: &[String], keys: &[&'static str], head: &[String]) -> Result<OwnOfferSpec, Wrong> {
    if cells.len() > keys.len() {
        let says = format!(
            "There are {} cells under {} columns. Put quotes around a cell that has the mark between cells in it.",
            cells.len(),
            keys.len()
        );
        return Err(Wrong::new(line, "", says));
    }
    // As the sheet calls it.
    let name = |key: &str| -> String {
        let place = keys.iter().position(|own| *own == key);
        place
            .and_then(|place| head.get(place))
            .map_or(key, |name| name.trim())
            .to_owned()
    };
    let mut spec = OwnOfferSpec::default();
    for (key, cell) in keys.iter().zip(cells).filter(|(_, cell)| !cell.trim().is_empty()) {
        let cell = cell.trim();
        let wrong = |says: String| Wrong::new(line, &name(key), says);
        let number = || number(cell).ok_or_else(|| wrong(no_number(cell)));
        match *key {
            "gpu" => spec.gpu = Some(cell.to_owned()),
            "usd_per_gpu_hour" => spec.usd_per_gpu_hour = Some(number()?),
            "network_gbit_per_s" => spec.network_gbit_per_s = Some(number()?),
            "count" => {
                let whole = cell
                    .parse()
                    .map_err(|_| wrong("Give a whole number of GPUs in digits, or leave it empty.".into()))?;
                spec.count = Some(whole);
            }
            "provider" => spec.provider = Some(cell.to_owned()),
            "instance" => spec.instance = Some(cell.to_owned()),
            "kind" => {
                let kind = OfferKind::of(&cell.to_ascii_lowercase());
                let says = || {
                    format!("This is none of {}. Write one of them, or leave it empty.", OfferKind::WORDS.join(", "))
                };
                spec.kind = Some(kind.ok_or_else(|| wrong(says()))?);
            }
            _ => spec.date = Some(cell.to_owned()),
        }
    }
    match own::resolve(&spec, 1, &Place::at("")) {
        Ok(_) => Ok(spec),
        Err(error) => Err(Wrong::new(line, &name(&error.field), error.message)),
    }
}

/// A number as JSON writes it: without signs of a currency, and finite.
fn number(cell: &str) -> Option<f64> {
    let value: Value = serde_json::from_str(cell).ok()?;
    value.as_f64().filter(|number| number.is_finite())
}

fn no_number(cell: &str) -> String {
    let cell: String = cell.chars().take(40).collect();
    format!("{cell:?} is no number. Write digits with a point, such as 2.50, without a currency.")
}
