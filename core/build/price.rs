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
    prices.chain(nodes).filter(|date| day_number(date).is_some()).max().unwrap_or_default().to_owned()
}

/// Typical price of each GPU, by id.
///
/// Counted are on-demand prices of at most 18 months before the newest price of the catalog; not
/// spot, reserved, marketplace and community offers. Of one instance only the newest price counts,
/// of one provider only its lowest price per GPU, so that a provider with many sizes does not
/// outvote the others. The typical price is the median over providers; of an even number, the
/// lower of the two in the middle, so that it is a price somebody asks.
pub(crate) fn typical(catalog: &Catalog) -> BTreeMap<String, Offer> {
    let newest = day_number(&newest_date(catalog)).unwrap_or(0);
    // (GPU, provider, instance) -> newest offer
    let mut instances: BTreeMap<(String, String, String), Offer> = BTreeMap::new();
    let mut add = |gpu: &str, provider: &str, instance: &str, kind: &str, offer: Offer| {
        let recent = day_number(&offer.date).is_some_and(|day| day + MONTHS * 31 >= newest);
        if !recent || !is_on_demand(kind) {
            return;
        }
        let key = (gpu.to_owned(), cloud(provider).to_owned(), instance.to_owned());
        let known = instances.entry(key).or_insert_with(|| offer.clone());
        if offer.date > known.date {
            *known = offer;
        }
    };
    for (_, row) in &catalog.nodes {
        if let Some(usd) = row.usd_per_hour {
            let usd = usd / f64::from(row.gpus.max(1));
            let offer = Offer { usd, date: row.price_date.clone(), url: row.source.clone() };
            add(&row.gpu, &row.provider, &row.name, &row.price_kind, offer);
        }
    }
    for (_, row) in &catalog.prices {
        let usd = row.usd_per_hour / f64::from(row.gpus.max(1));
        let offer = Offer { usd, date: row.date.clone(), url: row.source.clone() };
        add(&row.gpu, &row.provider, &row.instance, &row.kind, offer);
    }
    let mut providers: BTreeMap<(String, String), Offer> = BTreeMap::new();
    for ((gpu, provider, _), offer) in instances {
        let lowest = providers.entry((gpu, provider)).or_insert_with(|| offer.clone());
        if offer.usd < lowest.usd {
            *lowest = offer;
        }
    }
    let mut offers: BTreeMap<String, Vec<Offer>> = BTreeMap::new();
    for ((gpu, _), offer) in providers {
        offers.entry(gpu).or_default().push(offer);
    }
    offers
        .into_iter()
        .filter_map(|(gpu, mut list)| {
            list.sort_by(|a, b| a.usd.total_cmp(&b.usd));
            let middle = list.len().saturating_sub(1) / 2;
            list.get(middle).cloned().map(|offer| (gpu, offer))
        })
        .collect()
}

/// The provider without its region: `AWS us-east-1` is `AWS`.
fn cloud(provider: &str) -> &str {
    provider.split(' ').next().unwrap_or(provider)
}

fn is_on_demand(kind: &str) -> bool {
    ["on-demand", "on-demand secure", "pay-as-you-go"].contains(&kind)
}
