//! What an answer rents.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use shardwise_catalog::catalog::{Offer, OfferKind};

/// The offer that an answer rents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Rental {
    /// Its id, as in `hardware.offer`.
    pub id: String,
    /// Who rents it out.
    pub provider: Cow<'static, str>,
    /// The provider's name of the instance.
    pub instance: Cow<'static, str>,
    /// Where it stands, in the provider's words.
    pub region: Cow<'static, str>,
    /// The terms.
    pub kind: OfferKind,
    /// How many instances.
    pub instances: u32,
    /// Dollars per hour of all of them.
    pub usd_per_hour: f64,
    /// Dollars per hour of one GPU.
    pub usd_per_gpu_hour: f64,
    /// Day of the price; absent where only its snapshot is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Cow<'static, str>>,
    /// Commit, or the copy that was read, of a price of no known day; absent where the day is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Cow<'static, str>>,
    /// Page or file that states it.
    pub source: Cow<'static, str>,
}

impl Rental {
    /// So many GPUs by an offer, in whole instances.
    #[must_use]
    pub fn of(offer: &'static Offer, gpus: u32) -> Self {
        let instances = gpus.div_ceil(u32::from(offer.gpus));
        Self {
            id: offer.id(),
            provider: offer.provider().into(),
            instance: offer.instance().into(),
            region: offer.region().into(),
            kind: offer.kind,
            instances,
            usd_per_hour: offer.usd_per_hour * f64::from(instances),
            usd_per_gpu_hour: offer.usd_per_gpu_hour(),
            date: offer.date().map(Cow::from),
            snapshot: offer.date().is_none().then(|| offer.snapshot().into()),
            source: offer.url().into(),
        }
    }
}
