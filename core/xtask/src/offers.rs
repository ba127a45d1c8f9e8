//! `cargo xtask offers`: the facts of `offers.csv`, renewed by SkyPilot's catalogs where any are named, as `offers.toml`.

mod sheet;
mod skypilot;
#[path = "../../catalog/src/slug.rs"]
mod slug;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::sources;
use sheet::Row;
use skypilot::Listing;

/// By what part of itself a price may change without a word.
const JUMP: f64 = 0.4;

const USAGE: &str = "usage: cargo xtask offers [--allow-jumps] [--skypilot VMS_CSV COMMIT DATE] ...
VMS_CSV is catalogs/v8/<vendor>/vms.csv of skypilot-catalog, COMMIT its last commit and DATE that commit's day.";

/// The price of each offer, by its id.
type Prices = BTreeMap<String, f64>;

/// What is asked for on the command line.
#[derive(Debug, Default, PartialEq)]
struct Asked<'a> {
    allow_jumps: bool,
    /// File, commit, day.
    listings: Vec<[&'a str; 3]>,
}

impl<'a> Asked<'a> {
    fn of(words: &[&'a str]) -> Result<Self, String> {
        let mut asked = Self::default();
        let mut rest = words;
        loop {
            rest = match rest {
                [] => return Ok(asked),
                ["--allow-jumps", rest @ ..] => {
                    asked.allow_jumps = true;
                    rest
                }
                ["--skypilot", file, commit, date, rest @ ..] => {
                    asked.listings.push([file, commit, date]);
                    rest
                }
                _ => return Err(USAGE.to_owned()),
            };
        }
    }
}

/// Writes `offers.toml`, and `offers.csv` where a listing renewed it, and says what is other than before.
///
/// # Errors
/// What cannot be read; each price that jumps, where that is not allowed. Nothing is written then.
pub(crate) fn refresh(core: &Path, words: &[&str]) -> Result<String, String> {
    let asked = Asked::of(words)?;
    let data = core.join("catalog/data");
    let (csv, toml) = (data.join("offers.csv"), data.join("offers.toml"));
    let known = gpus(&data)?;
    let mut rows = sheet::read(&csv)?;
    let mut said = Vec::new();
    for [file, commit, date] in &asked.listings {
        let listing = Listing::read(Path::new(file), commit, date)?;
        said.extend(skypilot::renew(&mut rows, &listing, &known));
    }
    sheet::sort(&mut rows);
    let (kept, left_out) = listed(&rows, &known)?;
    said.extend(left_out);
    let before = if toml.exists() { prices(&toml)? } else { Prices::new() };
    let now: Prices = kept.iter().map(|row| (row.id(), row.usd_per_hour)).collect();
    let (changes, jumps) = compared(&before, &now);
    said.extend(changes);
    if !jumps.is_empty() && !asked.allow_jumps {
        let percent = 100.0 * JUMP;
        let all = jumps.join("\n");
        return Err(format!(
            "{all}\nPrices that jump by more than {percent} %: nothing is written. Read their pages, then say --allow-jumps."
        ));
    }
    if !asked.listings.is_empty() {
        write(&csv, &sheet::csv(&rows)?)?;
    }
    write(&toml, &sheet::toml(&kept))?;
    said.push(format!("{} offers in core/catalog/data/offers.toml", kept.len()));
    Ok(said.join("\n"))
}

/// The ids of the catalog's GPUs.
fn gpus(data: &Path) -> Result<BTreeSet<String>, String> {
    #[derive(Deserialize)]
    struct Gpus {
        gpu: Vec<Gpu>,
    }
    #[derive(Deserialize)]
    struct Gpu {
        id: String,
    }
    let Gpus { gpu } = sources::toml(&data.join("gpus.toml"))?;
    Ok(gpu.into_iter().map(|own| own.id).collect())
}

/// The rows whose accelerators the catalog has, by id; and a line for each that it lacks.
///
/// # Errors
/// An id that two rows have.
fn listed<'a>(rows: &'a [Row], known: &BTreeSet<String>) -> Result<(Vec<&'a Row>, Vec<String>), String> {
    let mut kept: BTreeMap<String, &Row> = BTreeMap::new();
    let mut lacking: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        if !known.contains(&row.gpu) {
            *lacking.entry(&row.gpu).or_default() += 1;
        } else if kept.insert(row.id(), row).is_some() {
            return Err(format!("offers.csv: two rows are {}. Keep the newer one.", row.id()));
        }
    }
    let said = lacking
        .into_iter()
        .map(|(gpu, rows)| format!("left out: {gpu}, which gpus.toml lacks ({rows} rows)"));
    Ok((kept.into_values().collect(), said.collect()))
}

/// The prices that a file has.
fn prices(toml: &Path) -> Result<Prices, String> {
    #[derive(Deserialize)]
    struct Offers {
        offer: Vec<Offer>,
    }
    #[derive(Deserialize)]
    struct Offer {
        id: String,
        usd_per_hour: f64,
    }
    let Offers { offer } = sources::toml(toml)?;
    Ok(offer.into_iter().map(|own| (own.id, own.usd_per_hour)).collect())
}

/// A line for each offer that is new, gone or has another price; and those of them whose price jumps.
fn compared(before: &Prices, now: &Prices) -> (Vec<String>, Vec<String>) {
    let (mut changes, mut jumps) = (Vec::new(), Vec::new());
    for (id, usd) in now {
        let Some(old) = before.get(id) else {
            changes.push(format!("new: {id}, {usd} USD an hour"));
            continue;
        };
        let change = usd / old - 1.0;
        let line = format!("{id}: {old} to {usd} USD an hour, {:+.0} %", 100.0 * change);
        if change.abs() > JUMP {
            jumps.push(line.clone());
        }
        if usd.to_bits() != old.to_bits() {
            changes.push(line);
        }
    }
    changes.extend(
        before
            .keys()
            .filter(|id| !now.contains_key(*id))
            .map(|id| format!("gone: {id}")),
    );
    (changes, jumps)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
