//! The typical price of one GPU for one hour.

use std::collections::BTreeMap;

use super::check::day_number;
use super::rows::Catalog;

/// Prices older than this many months before the newest are history.
const MONTHS: u32 = 18;

/// A price of one GPU for one hour.
#[derive(Clone)]
pub(crate) struct Offer {
    pub(crate) usd: f64,
    pub(crate) date: String,
    pub(crate) url: String,
}

/// Newest date of any price.
pub(crate) fn newest_date(catalog: &Catalog) -> String {
    let prices = catalog.prices.iter().map(|(_, row)| row.date.as_str());
    let nodes = catalog.nodes.iter().map(|(_, row)| row.price_date.as_str());
    prices
        .chain(nodes)
        .filter(|date| day_number(date).is_some())
        .max()
        .unwrap_or_default()
        .to_owned()
}

/// Typical price of each GPU, by id.
///
/// Counted are on-demand prices of at most 18 months before the newest price of the catalog; not
/// spot, reserved, marketplace and community offers. Of one provider only its lowest price per GPU
/// counts, among those of the last month that it is known for, so that a provider with many sizes
/// does not outvote the others and a price it has since changed does not count. The typical price
/// is the median over providers; of an even number the lower of the two in the middle, so that it
/// is a price somebody asks.
pub(crate) fn typical(catalog: &Catalog) -> BTreeMap<String, Offer> {
    let newest = day_number(&newest_date(catalog)).unwrap_or(0);
    let mut providers: BTreeMap<(&str, &str), Vec<Offer>> = BTreeMap::new();
    for (gpu, provider, kind, offer) in offers(catalog) {
        let recent = day_number(&offer.date).is_some_and(|day| day + MONTHS * 31 >= newest);
        if recent && is_on_demand(kind) {
            providers.entry((gpu, cloud(provider))).or_default().push(offer);
        }
    }
    let mut lowest: BTreeMap<String, Vec<Offer>> = BTreeMap::new();
    for ((gpu, _), list) in providers {
        let last = list.iter().filter_map(|offer| day_number(&offer.date)).max().unwrap_or(0);
        let current = list
            .into_iter()
            .filter(|offer| day_number(&offer.date).is_some_and(|day| day + 31 >= last));
        lowest
            .entry(gpu.to_owned())
            .or_default()
            .extend(current.min_by(|a, b| a.usd.total_cmp(&b.usd)));
    }
    lowest
        .into_iter()
        .filter_map(|(gpu, mut list)| {
            list.sort_by(|a, b| a.usd.total_cmp(&b.usd));
            let middle = list.len().saturating_sub(1) / 2;
            list.get(middle).cloned().map(|offer| (gpu, offer))
        })
        .collect()
}

/// Every price: GPU, provider, kind, and the offer per GPU.
fn offers(catalog: &Catalog) -> Vec<(&str, &str, &str, Offer)> {
    let nodes = catalog.nodes.iter().filter_map(|(_, row)| {
        let url = row.price_source.as_ref().unwrap_or(&row.source).clone();
        let usd = row.usd_per_hour? / f64::from(row.gpus.max(1));
        let offer = Offer { usd, date: row.price_date.clone(), url };
        Some((row.gpu.as_str(), row.provider.as_str(), row.price_kind.as_str(), offer))
    });
    let prices = catalog.prices.iter().map(|(_, row)| {
        let usd = row.usd_per_hour / f64::from(row.gpus.max(1));
        let offer = Offer { usd, date: row.date.clone(), url: row.source.clone() };
        (row.gpu.as_str(), row.provider.as_str(), row.kind.as_str(), offer)
    });
    nodes.chain(prices).collect()
}

/// The provider without its region: `AWS us-east-1` is `AWS`.
fn cloud(provider: &str) -> &str {
    provider.split(' ').next().unwrap_or(provider)
}

fn is_on_demand(kind: &str) -> bool {
    ["on-demand", "on-demand secure", "pay-as-you-go"].contains(&kind)
}
