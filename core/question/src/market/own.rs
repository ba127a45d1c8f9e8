//! The rows of a price sheet of one's own: what is wrong with them, and what they rent.

use std::sync::Arc;

use super::is_date;
use crate::place::Place;
use crate::wire::{MarketSpec, OwnOfferSpec};
use shardwise_catalog::catalog::{self, Gpu, OfferKind};
use shardwise_catalog::error::InputError;
use shardwise_catalog::hardware::{OWN, OwnOffer, Rentable};

/// Rows that a sheet may have.
pub const MOST_ROWS: usize = 100;
/// Characters that a name may have.
const MOST_LETTERS: usize = 80;
/// US dollars for an hour of one GPU. Beyond, an entry is a slip of the unit: cents, a month, a whole cluster.
const USD: (f64, f64) = (0.001, 1_000.0);
/// Gbit/s of an instance.
const NETWORK: (f64, f64) = (1.0, 100_000.0);
/// GPUs of an instance.
const COUNT: u64 = 128;

const AT: Place<'static> = Place::at("hardware.market.own");

/// The rows of a market, as they can be rented.
///
/// # Errors
/// Names the row, the field, and the remedy.
pub fn rows(market: &MarketSpec) -> Result<Vec<Rentable>, InputError> {
    let own = market.own.as_deref().unwrap_or_default();
    if own.len() > MOST_ROWS {
        let place = Place::at("hardware.market");
        return Err(place.wrong("own", format!("A price sheet has at most {MOST_ROWS} rows. Leave some out.")));
    }
    let row = |(at, spec): (usize, &OwnOfferSpec)| {
        let place = at.to_string();
        resolve(spec, at + 1, &AT.below(&place)).map(|row| Rentable::Own(Arc::new(row)))
    };
    own.iter().enumerate().map(row).collect()
}

/// The place of a row by its id, `own/1`; `None` of another id.
pub(super) fn place(id: &str) -> Option<usize> {
    id.trim().strip_prefix(OWN)?.parse().ok()
}

/// A row, as it can be rented. `at`: its place in the list, from 1.
///
/// # Errors
/// Names the field, and the remedy.
pub fn resolve(spec: &OwnOfferSpec, at: usize, place: &Place<'_>) -> Result<OwnOffer, InputError> {
    let gpu = gpu(place.required("gpu", spec.gpu.as_deref())?, place)?;
    let usd = place.required("usd_per_gpu_hour", spec.usd_per_gpu_hour)?;
    let network = spec.network_gbit_per_s;
    if network.is_some() && spec.count.is_none() {
        return Err(
            place.wrong("network_gbit_per_s", "This is of an instance. Give its GPUs as count, or leave it out.")
        );
    }
    if spec.date.as_deref().is_some_and(|date| !is_date(date)) {
        return Err(place.wrong("date", "Give the day of the price as YYYY-MM-DD, or leave it out."));
    }
    Ok(OwnOffer {
        place: at,
        gpu,
        usd_per_gpu_hour: place.within("usd_per_gpu_hour", usd, USD.0, USD.1)?,
        kind: spec.kind.unwrap_or(OfferKind::OnDemand),
        provider: name("provider", spec.provider.as_deref(), place)?,
        instance: name("instance", spec.instance.as_deref(), place)?,
        count: spec
            .count
            .map(|count| place.positive("count", count, COUNT))
            .transpose()?
            .map(|count| count as u32),
        network_gbit_per_s: network
            .map(|gbit| place.within("network_gbit_per_s", gbit, NETWORK.0, NETWORK.1))
            .transpose()?,
        date: spec.date.clone(),
    })
}

/// A GPU of the catalog by its id, with hyphens or spaces, or its name.
fn gpu(text: &str, place: &Place<'_>) -> Result<&'static Gpu, InputError> {
    let named = |gpu: &&Gpu| gpu.name.eq_ignore_ascii_case(text.trim());
    catalog::gpu(&text.trim().replace(' ', "-"))
        .or_else(|| catalog::gpus().iter().find(named))
        .ok_or_else(|| {
            let near = catalog::nearest_gpus(text).join(", ");
            let text: String = text.chars().take(40).collect();
            place.wrong("gpu", format!("There is no GPU {text:?} in the catalog. Write one of its ids; near: {near}."))
        })
}

/// A name for a person; `None` of an empty one.
fn name(key: &str, text: Option<&str>, place: &Place<'_>) -> Result<Option<String>, InputError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    if text.chars().count() > MOST_LETTERS || text.chars().any(char::is_control) {
        let says = format!("Give a name on one line, of at most {MOST_LETTERS} characters, or leave it out.");
        return Err(place.wrong(key, says));
    }
    Ok(Some(text.to_owned()))
}
