//! What an answer rents.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use shardwise_catalog::catalog::{Offer, OfferKind};
use shardwise_catalog::hardware::{OWN_SHEET, Rentable};

/// The offer that an answer rents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Rental {
    /// Its id, as in `hardware.offer`: of a row of one's own `own/` and its place.
    pub id: String,
    /// Who rents it out; "your price sheet" where a row of it does not say.
    pub provider: Cow<'static, str>,
    /// The provider's name of the instance; the GPU's where a row of one's own has none.
    pub instance: Cow<'static, str>,
    /// Where it stands, in the provider's words; empty of a row of one's own.
    pub region: Cow<'static, str>,
    /// The terms.
    pub kind: OfferKind,
    /// How many instances; GPUs, where only the price of one is known.
    pub instances: u32,
    /// Dollars per hour of all of them.
    pub usd_per_hour: f64,
    /// Dollars per hour of one GPU.
    pub usd_per_gpu_hour: f64,
    /// Day of the price; absent where only its snapshot is known, or a row of one's own does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Cow<'static, str>>,
    /// Commit, or the copy that was read, of a price of no known day; absent where the day is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Cow<'static, str>>,
    /// Page or file that states it; "your price sheet" of a row of one's own.
    pub source: Cow<'static, str>,
}

impl Rental {
    /// So many GPUs by an offer, in whole instances.
    #[must_use]
    pub fn of(offer: &Rentable, gpus: u32) -> Self {
        let instances = gpus.div_ceil(offer.gpus());
        // What is the catalog's stands there for good.
        let listed = offer.listed();
        let word = |listed: Option<&'static str>, own: &str| listed.map_or_else(|| own.to_owned().into(), Cow::from);
        Self {
            id: offer.id(),
            provider: word(listed.map(Offer::provider), offer.provider()),
            instance: word(listed.map(Offer::instance), offer.instance()),
            region: offer.region().into(),
            kind: offer.kind(),
            instances,
            usd_per_hour: offer.usd_per_hour() * f64::from(instances),
            usd_per_gpu_hour: offer.usd_per_gpu_hour(),
            date: offer.date().map(|date| word(listed.and_then(Offer::date), date)),
            snapshot: listed.filter(|own| own.date().is_none()).map(|own| own.snapshot().into()),
            source: listed.map_or(OWN_SHEET, Offer::url).into(),
        }
    }
}
