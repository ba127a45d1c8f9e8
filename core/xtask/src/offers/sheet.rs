//! Our own table of offers: `offers.csv`, and `offers.toml`, which is made of it.

use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::slug;

/// An offer: a line of `offers.csv`. An empty cell is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) provider: String,
    pub(super) instance: String,
    /// Id of a GPU.
    pub(super) gpu: String,
    /// GPUs of an instance.
    pub(super) gpus: u32,
    pub(super) region: String,
    /// `on-demand`, `spot`, `reserved-1y` or `market`.
    pub(super) kind: String,
    /// Price of an instance for one hour, in US dollars.
    pub(super) usd_per_hour: f64,
    /// What joins the GPUs of an instance: `nvlink`, `xgmi`, `pcie` or `unknown`.
    pub(super) interconnect: String,
    /// What joins instances.
    pub(super) fabric: String,
    /// Network of an instance, in Gbit/s.
    pub(super) network_gbit_per_s: Option<f64>,
    pub(super) vcpus: Option<u32>,
    pub(super) host_ram_gib: Option<f64>,
    /// Address of the page.
    pub(super) source: String,
    /// Commit, or the copy that was read.
    pub(super) snapshot: String,
    /// Day of the price; empty where only the commit is known.
    pub(super) date: String,
    pub(super) notes: String,
}

impl Row {
    /// Its id, which stays the same as its price changes.
    pub(super) fn id(&self) -> String {
        slug::id(&self.provider, &self.instance, &self.region, &self.kind).collect()
    }
}

/// The rows of a file.
///
/// # Errors
/// What cannot be read: the line, and the column.
pub(super) fn read(path: &Path) -> Result<Vec<Row>, String> {
    let about = |error: csv::Error| format!("{}: {error}", path.display());
    let mut reader = csv::Reader::from_path(path).map_err(about)?;
    reader.deserialize().map(|row| row.map_err(about)).collect()
}

/// Puts rows into the order in which they stand in the file.
pub(super) fn sort(rows: &mut [Row]) {
    rows.sort_by_cached_key(|row| {
        let [provider, instance, region] = [&row.provider, &row.instance, &row.region].map(|own| own.to_lowercase());
        (provider, instance, region, row.kind.clone())
    });
}

/// The rows as a file.
///
/// # Errors
/// None in practice: every row can be written.
pub(super) fn csv(rows: &[Row]) -> Result<String, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| error.to_string())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// What the build reads: a line for each offer, so that a change of one is a change of one line. What is unknown is absent.
pub(super) fn toml(rows: &[&Row]) -> String {
    let mut text = String::from(
        "# Offers of machines by the hour. Written by scripts/refresh-offers from offers.csv: change that, and run it.\noffer = [\n",
    );
    for row in rows {
        let words = [
            ("id", row.id()),
            ("provider", row.provider.clone()),
            ("instance", row.instance.clone()),
            ("gpu", row.gpu.clone()),
            ("region", row.region.clone()),
            ("kind", row.kind.clone()),
            ("interconnect", row.interconnect.clone()),
            ("fabric", row.fabric.clone()),
            ("source", row.source.clone()),
            ("snapshot", row.snapshot.clone()),
            ("date", row.date.clone()),
            ("notes", row.notes.clone()),
        ];
        let words = words.into_iter().filter(|(_, value)| !value.is_empty());
        let words = words.map(|(key, value)| format!("{key} = {}", quoted(&value)));
        let numbers = [
            ("gpus", Some(f64::from(row.gpus))),
            ("usd_per_hour", Some(row.usd_per_hour)),
            ("network_gbit_per_s", row.network_gbit_per_s),
            ("vcpus", row.vcpus.map(f64::from)),
            ("host_ram_gib", row.host_ram_gib),
        ];
        let whole = |key: &str| matches!(key, "gpus" | "vcpus");
        let numbers = numbers.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let numbers = numbers.map(
            |(key, value)| {
                if whole(key) { format!("{key} = {value}") } else { format!("{key} = {value:?}") }
            },
        );
        let fields: Vec<String> = words.chain(numbers).collect();
        // Writing into a string cannot fail.
        let _ = writeln!(text, "  {{ {} }},", fields.join(", "));
    }
    text.push_str("]\n");
    text
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            _ if letter.is_control() => quoted.push(' '),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
