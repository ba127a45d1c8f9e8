//! Offers of machines by the hour: what is wrong with them, and their table.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::check::{Entry, day_number};
use super::literal::line;
use super::rows::Catalog;
use super::slug;

/// Offers older than this many months before the newest are history.
const MONTHS: u32 = 12;
/// A price of one GPU that is so many times the median of its kind, or that part of it, needs a note.
const ODD: f64 = 6.0;
/// Variants of `catalog::OfferKind` by their words.
const KINDS: [(&str, &str); 4] =
    [("on-demand", "OnDemand"), ("spot", "Spot"), ("reserved-1y", "Reserved1y"), ("market", "Market")];
/// Variants of `catalog::Interconnect` by their words.
const LINKS: [(&str, &str); 4] = [("nvlink", "Nvlink"), ("xgmi", "Xgmi"), ("pcie", "Pcie"), ("unknown", "Unknown")];

/// An offer. Keys and units are those of `catalog::Offer`; what is absent is unknown.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfferRow {
    pub(crate) id: String,
    provider: String,
    instance: String,
    gpu: String,
    gpus: u32,
    region: String,
    kind: String,
    usd_per_hour: f64,
    interconnect: String,
    #[serde(default)]
    fabric: String,
    network_gbit_per_s: Option<f64>,
    vcpus: Option<u32>,
    host_ram_gib: Option<f64>,
    source: String,
    snapshot: String,
    #[serde(default)]
    pub(crate) date: String,
    #[serde(default)]
    notes: String,
}

impl OfferRow {
    fn usd_per_gpu(&self) -> f64 {
        self.usd_per_hour / f64::from(self.gpus.max(1))
    }

    /// What prices are compared among.
    fn class(&self) -> (&str, &str) {
        (&self.gpu, &self.kind)
    }
}

/// The variant of a word.
fn variant(all: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    all.iter().find(|(own, _)| *own == word).map(|(_, variant)| *variant)
}

/// The middle price of one GPU, by GPU and kind; the lower of the two of an even number.
fn medians(catalog: &Catalog) -> BTreeMap<(&str, &str), f64> {
    let mut all: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for (_, row) in &catalog.offers {
        all.entry(row.class()).or_default().push(row.usd_per_gpu());
    }
    let middle = |(class, mut prices): (_, Vec<f64>)| {
        prices.sort_by(f64::total_cmp);
        prices.get((prices.len() - 1) / 2).map(|usd| (class, *usd))
    };
    all.into_iter().filter_map(middle).collect()
}

/// Every problem of every offer.
pub(super) fn check(catalog: &Catalog, problems: &mut Vec<String>) {
    let medians = medians(catalog);
    let mut ids = BTreeSet::new();
    for (file, row) in &catalog.offers {
        let mut entry = Entry { file, kind: "offer", id: &row.id, problems };
        if !ids.insert(&row.id) {
            entry.problem("id", "occurs twice");
        }
        let id: String = slug::id(&row.provider, &row.instance, &row.region, &row.kind).collect();
        if row.id != id {
            entry.problem("id", &format!("is not `{id}`, of provider, instance, region and kind"));
        }
        for (field, value) in [
            ("provider", &row.provider),
            ("instance", &row.instance),
            ("region", &row.region),
            ("snapshot", &row.snapshot),
        ] {
            entry.text(field, value);
        }
        entry.known_gpu("gpu", &row.gpu, catalog);
        entry.range("gpus", f64::from(row.gpus), 1.0, 128.0);
        entry.range("usd_per_hour", row.usd_per_gpu(), 0.05, 100.0);
        entry.range("network_gbit_per_s", row.network_gbit_per_s.unwrap_or(1.0), 1.0, 100_000.0);
        entry.range("host_ram_gib", row.host_ram_gib.unwrap_or(16.0), 2.0, 60_000.0);
        entry.range("vcpus", f64::from(row.vcpus.unwrap_or(1)), 1.0, 10_000.0);
        if variant(&KINDS, &row.kind).is_none() {
            entry.problem("kind", "must be on-demand, spot, reserved-1y or market");
        }
        if variant(&LINKS, &row.interconnect).is_none() {
            entry.problem("interconnect", "must be nvlink, xgmi, pcie or unknown");
        }
        // An undated price is that of its snapshot, which is always there.
        let date = if row.date.is_empty() { "2026-01-01" } else { &row.date };
        entry.source(&row.source, date);
        let median = medians.get(&row.class()).copied().unwrap_or_default();
        let odd = row.usd_per_gpu() / median;
        if row.notes.trim().is_empty() && !(1.0 / ODD..=ODD).contains(&odd) {
            let usd = row.usd_per_gpu();
            entry.problem(
                "usd_per_hour",
                &format!(
                    "{usd} per GPU is more than {ODD} times off the median of its kind, {median}: say why in notes"
                ),
            );
        }
    }
}

/// The newest date of any offer.
fn newest(catalog: &Catalog) -> &str {
    catalog
        .offers
        .iter()
        .map(|(_, row)| row.date.as_str())
        .max()
        .unwrap_or_default()
}

/// The words of a row that stand in the table of all, in the order of `catalog::Offer`.
fn named(row: &OfferRow) -> [&str; 8] {
    let OfferRow { provider, instance, region, fabric, source, snapshot, date, notes, .. } = row;
    // A day says as much as the copy that was read on it: that is for who renews the table.
    let snapshot = if date.is_empty() { snapshot } else { "" };
    [provider.as_str(), instance, region, fabric, source, snapshot, date, notes]
}

/// `OFFERS`, the words that its rows name by their places, and `OFFERS_AS_OF`.
pub(super) fn emit(catalog: &Catalog, text: &mut String) {
    // By id, as they are looked up.
    let sorted: BTreeMap<&str, &OfferRow> = catalog.offers.iter().map(|(_, row)| (row.id.as_str(), row)).collect();
    let rows = || sorted.values().copied();
    let words: BTreeSet<&str> = rows().flat_map(named).collect();
    let words: Vec<&str> = words.into_iter().collect();
    let place = |word: &str| words.binary_search(&word).unwrap_or_default();
    let as_of = newest(catalog);
    line(text, format_args!("/// Date of the newest offer: `YYYY-MM-DD`.\npub const OFFERS_AS_OF: &str = {as_of:?};"));
    line(text, format_args!("static OFFER_WORDS: &[&str] = &{words:?};"));
    line(text, format_args!("static OFFERS: &[Offer] = &["));
    let last = day_number(as_of).unwrap_or_default();
    for row in rows() {
        let [provider, instance, region, fabric, source, snapshot, date, notes] = named(row).map(place);
        let gpu = catalog.gpus.iter().position(|(_, gpu)| gpu.id == row.gpu).unwrap_or_default();
        let kind = variant(&KINDS, &row.kind).unwrap_or_default();
        let link = variant(&LINKS, &row.interconnect).unwrap_or_default();
        let history = day_number(&row.date).is_some_and(|day| day + MONTHS * 31 < last);
        let [network, host] = [row.network_gbit_per_s, row.host_ram_gib].map(|own| own.unwrap_or_default());
        line(
            text,
            format_args!(
                "Offer {{ words: [{provider}, {instance}, {region}, {fabric}, {source}, {snapshot}, {date}, {notes}], \
             gpu: {gpu}, gpus: {}, vcpus: {}, kind: OfferKind::{kind}, interconnect: Interconnect::{link}, \
             history: {history}, network: {network:?}, host_ram: {host:?}, usd_per_hour: {:?} }},",
                row.gpus,
                row.vcpus.unwrap_or_default(),
                row.usd_per_hour
            ),
        );
    }
    line(text, format_args!("];"));
}
