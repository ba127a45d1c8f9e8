//! What can be rented: an offer of the catalog, or a row of a person's own price sheet.

use std::sync::Arc;

use crate::catalog::{Gpu, Interconnect, Offer, OfferKind, Source};

/// How the id of a row of a price sheet begins; its place in the list follows, from 1.
pub const OWN: &str = "own/";

/// Whose a row is that names no provider, and what its price is read from.
pub const OWN_SHEET: &str = "your price sheet";

/// A row of a price sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnOffer {
    /// Its place in the list, from 1.
    pub place: usize,
    /// Its GPU.
    pub gpu: &'static Gpu,
    /// Price of one GPU for one hour, in US dollars.
    pub usd_per_gpu_hour: f64,
    /// The terms.
    pub kind: OfferKind,
    /// Who rents it out.
    pub provider: Option<String>,
    /// The name of the instance.
    pub instance: Option<String>,
    /// GPUs of an instance. `None`: the price is all that is known, of a machine as the catalog has it, in any number.
    pub count: Option<u32>,
    /// Network of an instance in Gbit/s; `None` where nobody says.
    pub network_gbit_per_s: Option<f64>,
    /// Day of the price, `YYYY-MM-DD`.
    pub date: Option<String>,
}

/// Something that can be rented.
#[derive(Clone, Debug, PartialEq)]
pub enum Rentable {
    /// An offer of the catalog.
    Listed(&'static Offer),
    /// A row of a person's own price sheet.
    Own(Arc<OwnOffer>),
}

impl From<&'static Offer> for Rentable {
    fn from(offer: &'static Offer) -> Self {
        Self::Listed(offer)
    }
}

impl Rentable {
    /// Its id, as in `hardware.offer`: an offer's, or `own/` and the row's place.
    #[must_use]
    pub fn id(&self) -> String {
        match self {
            Self::Listed(offer) => offer.id(),
            Self::Own(own) => format!("{OWN}{}", own.place),
        }
    }

    /// The catalog's offer; `None` of a row of one's own.
    #[must_use]
    pub fn listed(&self) -> Option<&'static Offer> {
        match self {
            Self::Listed(offer) => Some(offer),
            Self::Own(_) => None,
        }
    }

    /// Whether it says what the machine is, and not its price alone.
    #[must_use]
    pub fn is_machine(&self) -> bool {
        self.instance_gpus().is_some()
    }

    /// GPUs of an instance; `None` of a price alone.
    #[must_use]
    pub fn instance_gpus(&self) -> Option<u32> {
        match self {
            Self::Listed(offer) => Some(offer.gpus.into()),
            Self::Own(own) => own.count,
        }
    }

    /// GPUs that are rented at least, and of whose number only multiples are: of a price alone any number.
    #[must_use]
    pub fn gpus(&self) -> u32 {
        self.instance_gpus().unwrap_or(1)
    }

    /// Its GPU.
    #[must_use]
    pub fn gpu(&self) -> Option<&'static Gpu> {
        match self {
            Self::Listed(offer) => offer.gpu(),
            Self::Own(own) => Some(own.gpu),
        }
    }

    /// Who rents it out.
    #[must_use]
    pub fn provider(&self) -> &str {
        match self {
            Self::Listed(offer) => offer.provider(),
            Self::Own(own) => own.provider.as_deref().unwrap_or(OWN_SHEET),
        }
    }

    /// The provider's name of the instance; the GPU's where a row has none.
    #[must_use]
    pub fn instance(&self) -> &str {
        match self {
            Self::Listed(offer) => offer.instance(),
            Self::Own(own) => own.instance.as_deref().unwrap_or(own.gpu.name),
        }
    }

    /// Where it stands, in the provider's words; empty of a row of one's own.
    #[must_use]
    pub fn region(&self) -> &'static str {
        self.listed().map_or("", Offer::region)
    }

    /// The terms.
    #[must_use]
    pub fn kind(&self) -> OfferKind {
        match self {
            Self::Listed(offer) => offer.kind,
            Self::Own(own) => own.kind,
        }
    }

    /// Price of one GPU for one hour, in US dollars.
    #[must_use]
    pub fn usd_per_gpu_hour(&self) -> f64 {
        match self {
            Self::Listed(offer) => offer.usd_per_gpu_hour(),
            Self::Own(own) => own.usd_per_gpu_hour,
        }
    }

    /// Price of an instance for one hour, in US dollars; of a price alone that of a GPU.
    #[must_use]
    pub fn usd_per_hour(&self) -> f64 {
        match self {
            Self::Listed(offer) => offer.usd_per_hour,
            Self::Own(own) => own.usd_per_gpu_hour * f64::from(self.gpus()),
        }
    }

    /// Network of an instance in Gbit/s; `None` where nobody says.
    #[must_use]
    pub fn network_gbit_per_s(&self) -> Option<f64> {
        match self {
            Self::Listed(offer) => offer.network_gbit_per_s(),
            Self::Own(own) => own.network_gbit_per_s,
        }
    }

    /// Host memory of an instance in GiB; `None` where nobody says.
    #[must_use]
    pub fn host_ram_gib(&self) -> Option<f64> {
        self.listed().and_then(Offer::host_ram_gib)
    }

    /// What joins the GPUs of an instance. A row of one's own says nothing of it: what the catalog has of the card.
    #[must_use]
    pub fn interconnect(&self) -> Interconnect {
        match self {
            Self::Listed(offer) => offer.interconnect,
            Self::Own(own) if own.gpu.nvlink_gb_per_s > 0.0 => Interconnect::Nvlink,
            Self::Own(_) => Interconnect::Pcie,
        }
    }

    /// Day of the price, `YYYY-MM-DD`.
    #[must_use]
    pub fn date(&self) -> Option<&str> {
        match self {
            Self::Listed(offer) => offer.date(),
            Self::Own(own) => own.date.as_deref(),
        }
    }

    /// Where the price comes from; `None` of one's own.
    #[must_use]
    pub fn source(&self) -> Option<Source> {
        self.listed().map(Offer::source)
    }
}
