//! Offers of machines that a question may rent: one by its id, or those of a market.

use std::cmp::Ordering;

use serde_json::Value;

use crate::place::Place;
use crate::wire::{HardwareSpec, MarketSpec, Question};
use shardwise_catalog::catalog::{self, Offer, OfferKind};
use shardwise_catalog::error::InputError;
use shardwise_catalog::ordered;

const AT: Place<'static> = Place::at("hardware");
const OF_MARKET: Place<'static> = Place::at("hardware.market");

/// GPUs where a question names no number: of an offer, the next whole number of its instances.
pub(crate) const GPUS: u64 = 8;

/// The catalog's id of the GPU that a machine is asked with; `None` for a GPU that is described without a base.
fn gpu_of(spec: &HardwareSpec) -> Option<&'static str> {
    let named = match &spec.gpu {
        Value::Object(own) => own.get("base").and_then(Value::as_str),
        own => own.as_str(),
    };
    catalog::gpu(named?).map(|gpu| gpu.id)
}

/// The offer that a machine names.
///
/// # Errors
/// An id that nobody offers, an offer of another GPU, a part of an instance, a field that says otherwise than the offer.
pub(crate) fn named(spec: &HardwareSpec) -> Result<Option<&'static Offer>, InputError> {
    let Some(id) = &spec.offer else {
        return Ok(None);
    };
    if spec.market.is_some() {
        return Err(AT.wrong("market", "An offer is one of a market already. Leave the one or the other out."));
    }
    let Some(offer) = catalog::offer(id) else {
        let id: String = id.chars().take(120).collect();
        return Err(AT.wrong(
            "offer",
            format!("There is no offer {id:?} in the catalog. `shardwise catalog offers` lists all."),
        ));
    };
    let gpu = offer.gpu().map_or("", |gpu| gpu.id);
    // What is wrong with the GPU itself is said where it is read.
    if gpu_of(spec).is_some_and(|own| own != gpu) || (spec.gpu.is_object() && gpu_of(spec).is_none()) {
        return Err(
            AT.wrong("offer", format!("This is an offer of {gpu}. Give that as hardware.gpu, or another offer."))
        );
    }
    let size = u64::from(offer.gpus);
    if let Some(gpus) = spec.gpus.filter(|gpus| !gpus.is_multiple_of(size)) {
        let near = (gpus / size).max(1) * size;
        let says = format!("{gpus} GPUs are no whole number of instances of {size}. Give {near} or {}.", near + size);
        return Err(AT.wrong("gpus", says));
    }
    let per_gpu = offer.network_gbit_per_s().map(|gbit| gbit / f64::from(offer.gpus));
    for (key, stated, own) in [
        ("gpus_per_node", spec.gpus_per_node.map(|gpus| gpus as f64), Some(f64::from(offer.gpus))),
        ("internode_gbit_per_s_per_gpu", spec.internode_gbit_per_s_per_gpu, per_gpu),
        ("host_ram_gib", spec.host_ram_gib, offer.host_ram_gib()),
        ("usd_per_gpu_hour", spec.usd_per_gpu_hour, Some(offer.usd_per_gpu_hour())),
    ] {
        if stated
            .zip(own)
            .is_some_and(|(stated, own)| (stated - own).abs() > 1e-9 * own.abs())
        {
            return Err(
                AT.wrong(key, "The offer says otherwise. Leave this out, or state the machine without hardware.offer.")
            );
        }
    }
    Ok(Some(offer))
}

/// The offers of a machine's market that can be rented in its number of GPUs, the cheapest by GPU first. Without kinds those
/// on demand alone; prices over a year old never; undated ones where the question does not say how old they may be.
///
/// # Errors
/// A provider that nobody is called, a date that is none, a field that each offer has of its own; a market that has nothing.
///
/// ```
/// use shardwise_core::{market, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 16,
///     "market": {"providers": ["Nebius", "Lambda"]}}, "workload": {"kind": "sft"}}"#).unwrap();
/// let offers = market::offers(&question.hardware).unwrap();
/// assert!(offers.iter().all(|offer| offer.provider() == "Nebius" && 16 % offer.gpus == 0));
/// ```
pub fn offers(spec: &HardwareSpec) -> Result<Vec<&'static Offer>, InputError> {
    let market = spec.market.clone().unwrap_or_default();
    check(spec, &market)?;
    let Some(gpu) = gpu_of(spec) else {
        return Err(AT.wrong("market", "Offers are of the catalog's GPUs. Name one, or leave the market out."));
    };
    let mut found: Vec<&'static Offer> = Vec::new();
    let by_price = |a: &&Offer, b: &&Offer| -> Ordering { a.usd_per_gpu_hour().total_cmp(&b.usd_per_gpu_hour()) };
    for offer in catalog::offers() {
        if offer.gpu().is_some_and(|own| own.id == gpu) && has(&market, offer) {
            ordered::insert(&mut found, offer, &by_price);
        }
    }
    if found.is_empty() {
        return Err(AT.wrong(
            "market",
            format!("Nobody in this market offers {gpu}. Give other kinds, providers or regions, an older date, or state the machine with its price."),
        ));
    }
    let sizes: Vec<String> = found.iter().map(|offer| offer.gpus.to_string()).collect();
    let whole = |offer: &&Offer| spec.gpus.is_none_or(|gpus| gpus.is_multiple_of(u64::from(offer.gpus)));
    found.retain(whole);
    if found.is_empty() {
        let sizes = sizes.first().map_or("", String::as_str);
        return Err(
            AT.wrong("gpus", format!("No instance of this market divides so many GPUs. Give a multiple of {sizes}."))
        );
    }
    Ok(found)
}

/// Refuses what is wrong with a market, and fields that each of its offers has of its own.
fn check(spec: &HardwareSpec, market: &MarketSpec) -> Result<(), InputError> {
    for (key, stated) in [
        ("gpus_per_node", spec.gpus_per_node.is_some()),
        ("internode_gbit_per_s_per_gpu", spec.internode_gbit_per_s_per_gpu.is_some()),
        ("host_ram_gib", spec.host_ram_gib.is_some()),
        ("usd_per_gpu_hour", spec.usd_per_gpu_hour.is_some()),
    ] {
        if stated {
            return Err(AT.wrong(key, "Each offer of a market has its own. Leave this out, or the market."));
        }
    }
    let all = || catalog::offers().iter().map(Offer::provider);
    for name in market.providers.iter().flatten() {
        if !all().any(|own| own.eq_ignore_ascii_case(name)) {
            let mut known: Vec<&str> = all().collect();
            known.dedup();
            let name: String = name.chars().take(40).collect();
            let says = format!("There is no provider {name:?} among the offers. Give some of {}.", known.join(", "));
            return Err(OF_MARKET.wrong("providers", says));
        }
    }
    let digits = |date: &str| {
        date.bytes()
            .enumerate()
            .all(|(at, c)| if matches!(at, 4 | 7) { c == b'-' } else { c.is_ascii_digit() })
    };
    match &market.newest {
        Some(date) if date.len() != 10 || !digits(date) => {
            Err(OF_MARKET.wrong("newest", "Give a date of the form YYYY-MM-DD: older prices are left out."))
        }
        _ => Ok(()),
    }
}

/// Whether a market has an offer.
fn has(market: &MarketSpec, offer: &Offer) -> bool {
    let of_kind = market
        .kinds
        .as_ref()
        .map_or(offer.kind == OfferKind::OnDemand, |kinds| kinds.contains(&offer.kind));
    let named = |names: &Option<Vec<String>>, is: &dyn Fn(&str) -> bool| {
        names.as_ref().is_none_or(|names| names.iter().any(|name| is(name)))
    };
    let recent = market
        .newest
        .as_ref()
        .is_none_or(|date| offer.date().is_some_and(|own| own >= date.as_str()));
    !offer.history
        && of_kind
        && recent
        && named(&market.providers, &|name| offer.provider().eq_ignore_ascii_case(name))
        && named(&market.regions, &|name| begins(offer.region(), name))
}

/// Whether a region is the named one, or one of it: `us-east-1` is of `us`.
fn begins(region: &str, name: &str) -> bool {
    let (region, name) = (region.to_ascii_lowercase(), name.trim().to_ascii_lowercase());
    region
        .strip_prefix(name.as_str())
        .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphabetic()))
}

/// This machine with one offer in the place of its market.
#[must_use]
pub fn rented(spec: &HardwareSpec, offer: &Offer) -> HardwareSpec {
    HardwareSpec { offer: Some(offer.id()), market: None, ..spec.clone() }
}

/// A machine's market in offers that differ as machines: of those of one shape the cheapest, which is the first.
///
/// # Errors
/// As [`offers`].
pub fn shapes(spec: &HardwareSpec) -> Result<Vec<&'static Offer>, InputError> {
    let one = |offer: &Offer| spec.gpus.unwrap_or(GPUS) <= u64::from(offer.gpus);
    // The network matters between instances alone.
    let network = |offer: &Offer| offer.network_gbit_per_s().filter(|_| !one(offer));
    let alike = |a: &Offer, b: &Offer| {
        (a.gpus, a.interconnect, network(a), a.host_ram_gib()) == (b.gpus, b.interconnect, network(b), b.host_ram_gib())
            && a.kind == b.kind
    };
    let mut found: Vec<&'static Offer> = Vec::new();
    for offer in offers(spec)? {
        if !found.iter().any(|known| alike(known, offer)) {
            found.push(offer);
        }
    }
    Ok(found)
}

/// This question on the offer that its answer rents, in the place of its market.
#[must_use]
pub fn settled(question: &Question, offer: Option<&Offer>) -> Question {
    let mut settled = question.clone();
    if let (Some(_), Some(offer)) = (&question.hardware.market, offer) {
        settled.hardware = rented(&question.hardware, offer);
    }
    settled
}
