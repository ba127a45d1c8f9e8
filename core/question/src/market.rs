//! Offers of machines that a question may rent: one by its id, or those of a market.

pub mod own;

use std::cmp::Ordering;

use serde_json::Value;

use crate::job::{owned, resolve_hardware};
use crate::place::Place;
use crate::wire::{HardwareSpec, MarketSpec, Question};
use shardwise_catalog::catalog::{self, Gpu, Offer, OfferKind};
use shardwise_catalog::error::{Caveat, InputError};
use shardwise_catalog::hardware::{Hardware, OWN, Rentable};
use shardwise_catalog::model::resolve_model;
use shardwise_catalog::ordered;
use shardwise_catalog::units::Bytes;

const AT: Place<'static> = Place::at("hardware");
const OF_MARKET: Place<'static> = Place::at("hardware.market");

/// Code of the caveat that nobody in a market rents the machine out.
pub const NO_OFFER: &str = "offer-none";

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

/// Refuses an offer beside a market, unless it is a row of it.
fn alone(spec: &HardwareSpec) -> Result<(), InputError> {
    match (&spec.offer, &spec.market) {
        (Some(offer), Some(_)) if own::place(offer).is_none() => {
            Err(AT.wrong("market", "An offer is one of a market already. Leave the one or the other out."))
        }
        _ => Ok(()),
    }
}

/// The offer that a machine names.
///
/// # Errors
/// An id that nobody offers, an offer of another GPU, a part of an instance, a field that says otherwise than the offer.
pub(crate) fn named(spec: &HardwareSpec) -> Result<Option<Rentable>, InputError> {
    let Some(id) = &spec.offer else {
        return Ok(None);
    };
    alone(spec)?;
    if let Some(market) = &spec.market {
        own::rows(market)?;
    }
    let Some(offer) = of_id(spec, id) else {
        let id: String = id.chars().take(120).collect();
        let says = if id.starts_with(OWN) {
            format!(
                "There is no row {id:?} in hardware.market.own. Give the price sheet that has it, or another offer."
            )
        } else {
            format!("There is no offer {id:?} in the catalog. `shardwise catalog offers` lists all.")
        };
        return Err(AT.wrong("offer", says));
    };
    let gpu = offer.gpu().map_or("", |gpu| gpu.id);
    // What is wrong with the GPU itself is said where it is read.
    if gpu_of(spec).is_some_and(|own| own != gpu) || (spec.gpu.is_object() && gpu_of(spec).is_none()) {
        return Err(
            AT.wrong("offer", format!("This is an offer of {gpu}. Give that as hardware.gpu, or another offer."))
        );
    }
    let size = u64::from(offer.gpus());
    if let Some(gpus) = spec.gpus.filter(|gpus| !gpus.is_multiple_of(size)) {
        let near = (gpus / size).max(1) * size;
        let says = format!("{gpus} GPUs are no whole number of instances of {size}. Give {near} or {}.", near + size);
        return Err(AT.wrong("gpus", says));
    }
    let node = offer.instance_gpus().map(f64::from);
    let per_gpu = offer.network_gbit_per_s().zip(node).map(|(gbit, node)| gbit / node);
    for (key, stated, own) in [
        ("gpus_per_node", spec.gpus_per_node.map(|gpus| gpus as f64), node),
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

/// What an id of `hardware.offer` names: an offer of the catalog, or a row of the machine's market.
#[must_use]
pub fn of_id(spec: &HardwareSpec, id: &str) -> Option<Rentable> {
    let Some(place) = own::place(id) else {
        return catalog::offer(id).map(Rentable::Listed);
    };
    let rows = own::rows(spec.market.as_ref()?).ok()?;
    rows.into_iter().nth(place.checked_sub(1)?)
}

/// Whether it is left open which offer of its market a machine rents.
#[must_use]
pub fn is_open(spec: &HardwareSpec) -> bool {
    spec.market.is_some() && spec.offer.is_none()
}

/// Whether a machine leaves open what it costs: no price, no offer, no market, none of its own.
#[must_use]
pub fn is_unsaid(spec: &HardwareSpec) -> bool {
    spec.market.is_none() && spec.offer.is_none() && spec.usd_per_gpu_hour.is_none() && spec.owned.is_none()
}

/// The cheapest offer of the catalog on demand that holds so many of a GPU; of a number that no instance divides, of
/// the next whole number of eights.
///
/// ```
/// use shardwise_core::{market::{cheapest, offers}, wire::{HardwareSpec, MarketSpec}};
/// let market = Some(MarketSpec::default());
/// let spec = HardwareSpec { gpu: "b300-sxm".into(), gpus: Some(16), market, ..HardwareSpec::default() };
/// let all = offers(&spec).unwrap();
/// let least = cheapest("b300-sxm", 16).unwrap();
/// assert_eq!(Some(least.id()), all.first().map(|own| own.id()));
/// ```
#[must_use]
pub fn cheapest(gpu: &str, gpus: u32) -> Option<&'static Offer> {
    let market = MarketSpec::default();
    let own = |offer: &&Offer| offer.gpu().is_some_and(|own| own.id == gpu) && has(&market, offer);
    let of = |gpus: u64| {
        let holding = catalog::offers().iter().filter(own);
        let holding = holding.filter(|offer| holds(&Rentable::Listed(offer), gpus).is_ok());
        holding.min_by(|a, b| a.usd_per_gpu_hour().total_cmp(&b.usd_per_gpu_hour()))
    };
    let gpus = u64::from(gpus);
    of(gpus).or_else(|| of(gpus.next_multiple_of(GPUS)))
}

/// The offers of a machine's market that can be rented in its number of GPUs, the cheapest by GPU first. Without kinds those
/// on demand alone; prices over a year old never; undated ones where the question does not say how old they may be; several
/// instances only where their network is stated, for a network that nobody promises joins no cluster. Rows of a price sheet of
/// one's own are among them, or alone.
///
/// # Errors
/// A provider that nobody is called, a date that is none, a field that each offer has of its own, a GPU that is not the
/// catalog's.
///
/// ```
/// use shardwise_core::{market, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 16,
///     "market": {"providers": ["Nebius", "Lambda"]}}, "workload": {"kind": "sft"}}"#).unwrap();
/// let offers = market::offers(&question.hardware).unwrap();
/// assert!(offers.iter().all(|offer| offer.provider() == "Nebius" && 16 % offer.gpus() == 0));
/// ```
pub fn offers(spec: &HardwareSpec) -> Result<Vec<Rentable>, InputError> {
    let mut found = all(spec)?;
    found.retain(|offer| holds(offer, gpus(spec, offer)).is_ok());
    Ok(found)
}

/// Why [`offers`] has none; of a market that has some, that.
pub(crate) fn why_none(spec: &HardwareSpec) -> Option<Caveat> {
    let found = all(spec).ok()?;
    let gpu = found.first().and_then(Rentable::gpu).map(|gpu| gpu.name);
    let Some(gpu) = gpu else {
        if spec.market.as_ref().is_some_and(|market| market.only_own == Some(true)) {
            return Some(Caveat::new(
                NO_OFFER,
                "Your price sheet has no row of this GPU on these terms: there is no price. Add one, or ask the catalog's offers too.",
            ));
        }
        return Some(Caveat::new(
            NO_OFFER,
            "Nobody in this market offers this GPU: there is no price. Give other kinds, providers or regions, or your own price.",
        ));
    };
    let sizes = || found.iter().map(Rentable::gpus);
    let [least, most] = [sizes().min(), sizes().max()].map(Option::unwrap_or_default);
    let whole = found.iter().any(|offer| holds(offer, gpus(spec, offer)) != Err(Unfit::Divides));
    let why = if whole {
        format!(
            "Nobody in this market states the network between instances of {gpu}, of which none is larger than {most}: there is no price. Give fewer GPUs or other kinds, or name an offer, whose network is then assumed."
        )
    } else {
        format!(
            "Instances of {gpu} in this market have {least} GPUs at least, and none divides so many: there is no price. Give a multiple, or your own price."
        )
    };
    Some(Caveat::new(NO_OFFER, why))
}

/// Why an offer cannot hold so many GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// An instance would be rented in part.
    Divides,
    /// Nobody says that its instances can be joined.
    Network,
}

/// Whether so many GPUs can be rented by an offer.
///
/// # Errors
/// Why not.
///
/// ```
/// use shardwise_core::{catalog::offer, market::{Unfit, holds}};
/// let alone = offer("nebius/gpu-h200-sxm_8gpu/not-stated/on-demand").unwrap();
/// assert_eq!(holds(&alone.into(), 8), Ok(()));
/// assert_eq!(holds(&alone.into(), 12), Err(Unfit::Divides));
/// ```
pub fn holds(offer: &Rentable, gpus: u64) -> Result<(), Unfit> {
    let size = u64::from(offer.gpus());
    if !gpus.is_multiple_of(size) {
        Err(Unfit::Divides)
    } else if offer.is_machine() && gpus > size && offer.network_gbit_per_s().is_none() {
        Err(Unfit::Network)
    } else {
        Ok(())
    }
}

/// GPUs of a machine, were it rented by an offer.
fn gpus(spec: &HardwareSpec, offer: &Rentable) -> u64 {
    spec.gpus.unwrap_or_else(|| usual(offer))
}

/// GPUs by an offer where a question names no number.
pub(crate) fn usual(offer: &Rentable) -> u64 {
    GPUS.next_multiple_of(u64::from(offer.gpus()))
}

/// The offers of a machine's market, whether or not they hold it, the cheapest by GPU first.
fn all(spec: &HardwareSpec) -> Result<Vec<Rentable>, InputError> {
    let market = spec.market.clone().unwrap_or_default();
    check(spec, &market)?;
    let own = own::rows(&market)?;
    let Some(gpu) = gpu_of(spec) else {
        let described = spec.gpu.as_object().is_some_and(|own| !own.contains_key("base"));
        // What is wrong with a name is said where it is read.
        return match described {
            true => Err(AT.wrong("market", "Offers are of the catalog's GPUs. Name one, or leave the market out.")),
            false => Ok(Vec::new()),
        };
    };
    let mut found: Vec<Rentable> = Vec::new();
    let by_price = |a: &Rentable, b: &Rentable| -> Ordering { a.usd_per_gpu_hour().total_cmp(&b.usd_per_gpu_hour()) };
    let of_gpu = |own: Option<&Gpu>| own.is_some_and(|own| own.id == gpu);
    let listed = catalog::offers()
        .iter()
        .filter(|offer| of_gpu(offer.gpu()) && has(&market, offer));
    let own = own.into_iter().filter(|row| of_gpu(row.gpu()) && of_kind(&market, row.kind()));
    // At the same price one's own comes first.
    for offer in own.chain(listed.map(Rentable::Listed)) {
        ordered::insert(&mut found, offer, &by_price);
    }
    Ok(found)
}

/// Refuses what is wrong with a market, and fields that each of its offers has of its own.
fn check(spec: &HardwareSpec, market: &MarketSpec) -> Result<(), InputError> {
    alone(spec)?;
    owned::alone(spec)?;
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
    match &market.newest {
        Some(date) if !is_date(date) => {
            Err(OF_MARKET.wrong("newest", "Give a date of the form YYYY-MM-DD: older prices are left out."))
        }
        _ => Ok(()),
    }
}

/// Whether a text is a day, `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let part = |range: std::ops::Range<usize>| {
        let digits = text.get(range).filter(|part| part.bytes().all(|c| c.is_ascii_digit()));
        digits.and_then(|part| part.parse::<u32>().ok()).unwrap_or_default()
    };
    let dashes = [4, 7].iter().all(|at| text.as_bytes().get(*at) == Some(&b'-'));
    text.len() == 10 && dashes && part(0..4) > 0 && (1..=12).contains(&part(5..7)) && (1..=31).contains(&part(8..10))
}

/// Whether a market has offers on these terms.
fn of_kind(market: &MarketSpec, kind: OfferKind) -> bool {
    let kinds = market.kinds.as_ref();
    kinds.map_or(kind == OfferKind::OnDemand, |kinds| kinds.contains(&kind))
}

/// Whether a market has an offer of the catalog.
fn has(market: &MarketSpec, offer: &Offer) -> bool {
    let named = |names: &Option<Vec<String>>, is: &dyn Fn(&str) -> bool| {
        names.as_ref().is_none_or(|names| names.iter().any(|name| is(name)))
    };
    let recent = market
        .newest
        .as_ref()
        .is_none_or(|date| offer.date().is_some_and(|own| own >= date.as_str()));
    market.only_own != Some(true)
        && !offer.history
        && of_kind(market, offer.kind)
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

/// The market that other machines are compared in: the machine's own, or all of its offer's kind; `None` of a machine that
/// is not rented.
#[must_use]
pub fn around(spec: &HardwareSpec) -> Option<MarketSpec> {
    let of_kind = |offer: &Offer| MarketSpec { kinds: Some(vec![offer.kind]), ..MarketSpec::default() };
    let named = || spec.offer.as_deref().and_then(catalog::offer).map(of_kind);
    spec.market.clone().or_else(named)
}

/// This machine with one offer in the place of its market; a row of one's own stays in its sheet.
#[must_use]
pub fn rented(spec: &HardwareSpec, offer: &Rentable) -> HardwareSpec {
    let market = spec.market.clone().filter(|_| offer.listed().is_none());
    HardwareSpec { offer: Some(offer.id()), market, ..spec.clone() }
}

/// What of a rented machine decides how fast it runs a question; larger is better in every part. Equally strong ones run it
/// alike, whatever they cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength([f64; 4]);

impl Strength {
    /// Of so many GPUs by an offer, where `useful` GiB of host memory by GPU are all that the question could move there.
    fn of(hardware: &Hardware, useful: f64) -> Self {
        // The network matters between instances alone.
        let network = if hardware.nodes() > 1 { hardware.internode_gbit_per_s } else { f64::MAX };
        let host = hardware.host_ram_gib().map(|gib| gib / f64::from(hardware.gpus_per_node));
        let node = f64::from(hardware.gpus_per_node);
        Self([
            node,
            hardware.nvlink_gb_per_s * f64::from(hardware.nvlink_domain),
            network,
            host.map_or(f64::MAX, |gib| gib.min(useful)),
        ])
    }

    /// Whether it is no stronger than another in anything.
    fn within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own <= other)
    }
}

/// Bytes of host memory for each parameter that training may move there at most: bf16 parameters and gradients, and fp32 of
/// parameters, both moments and gradients (ZeRO-Offload, arXiv:2101.06840, section 4.1).
const MOVED_BYTES: f64 = 20.0;
/// Models of an RL step that may be moved: actor, critic, reference.
const MOVED_MODELS: f64 = 3.0;
/// GiB of a process beside what is moved, rounded up.
const PROCESS_GIB: f64 = 16.0;

/// The offers of a question's market that are worth asking, the cheapest first: each is stronger in something than all that
/// cost less. Beyond what could be moved to host memory, more of it is no strength.
///
/// # Errors
/// As [`offers`].
pub fn worth_asking(question: &Question) -> Result<Vec<Rentable>, InputError> {
    let mut worth: Vec<(Strength, Rentable)> = Vec::new();
    for (own, offer) in strengths(question)? {
        if !worth.iter().any(|(known, _)| own.within(known)) {
            worth.push((own, offer));
        }
    }
    Ok(worth.into_iter().map(|(_, offer)| offer).collect())
}

/// The offers of a question's market, the cheapest first, each with how strong its machines are.
///
/// # Errors
/// As [`offers`].
pub fn strengths(question: &Question) -> Result<Vec<(Strength, Rentable)>, InputError> {
    let mut found = Vec::new();
    let model = resolve_model(&question.model, "model")?;
    let states = Bytes::new(MOVED_MODELS * MOVED_BYTES * model.parameters.total as f64).gib();
    for offer in offers(&question.hardware)? {
        let hardware = resolve_hardware(&rented(&question.hardware, &offer))?;
        let useful = PROCESS_GIB + hardware.memory_gib + states / f64::from(hardware.gpus);
        found.push((Strength::of(&hardware, useful), offer));
    }
    Ok(found)
}

/// This question on the offer that its answer rents, in the place of its market.
#[must_use]
pub fn settled(question: &Question, offer: Option<&Rentable>) -> Question {
    let mut settled = question.clone();
    if let (Some(_), Some(offer)) = (&question.hardware.market, offer) {
        settled.hardware = rented(&question.hardware, offer);
    }
    settled
}
