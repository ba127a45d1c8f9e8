//! Offers of machines by the hour: who rents what out, where, on which terms, for how much.

use super::{GPUS, Gpu, OFFER_WORDS, OFFERS, Source};
use crate::slug;
use crate::words;

words! {
    /// On which terms a machine is rented. Prices of two kinds are never mixed.
    pub enum OfferKind {
        /// By the hour, for as long as one likes.
        OnDemand = "on-demand",
        /// Cheaper, and can be taken back: spot, preemptible, interruptible.
        Spot = "spot",
        /// Reserved for a year.
        Reserved1y = "reserved-1y",
        /// Third-party hosts or a marketplace: the same machine need not be there tomorrow.
        Market = "market",
    }
}

words! {
    /// What joins the GPUs of an instance.
    pub enum Interconnect {
        /// NVLink.
        Nvlink = "nvlink",
        /// AMD's xGMI.
        Xgmi = "xgmi",
        /// The host's PCIe.
        Pcie = "pcie",
        /// Nobody says.
        Unknown = "unknown",
    }
}

/// A machine that somebody rents out, with its dated price. Rows are small: words stand in one table for all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// Places in the table of words: provider, instance, region, fabric, source, snapshot, date, notes.
    pub(super) words: [u16; 8],
    pub(super) gpu: u8,
    pub(super) vcpus: u16,
    pub(super) network: f32,
    pub(super) host_ram: f32,
    /// GPUs of an instance.
    pub gpus: u8,
    /// The terms.
    pub kind: OfferKind,
    /// What joins the GPUs of an instance.
    pub interconnect: Interconnect,
    /// Whether its price is over a year older than the newest: never chosen unless it is named.
    pub history: bool,
    /// Price of an instance for one hour, in US dollars.
    pub usd_per_hour: f64,
}

impl Offer {
    fn word(&self, place: usize) -> &'static str {
        let place = self.words.get(place).copied().unwrap_or_default();
        OFFER_WORDS.get(usize::from(place)).copied().unwrap_or_default()
    }

    /// Its id, as in `hardware.offer`, which stays the same as its price changes: `nebius/gpu-h200-sxm_8gpu/not-stated/on-demand`.
    #[must_use]
    pub fn id(&self) -> String {
        self.letters().collect()
    }

    fn letters(&self) -> impl Iterator<Item = char> {
        slug::id(self.provider(), self.instance(), self.region(), self.kind.as_str())
    }

    /// Who rents it out.
    #[must_use]
    pub fn provider(&self) -> &'static str {
        self.word(0)
    }

    /// The provider's name of the instance.
    #[must_use]
    pub fn instance(&self) -> &'static str {
        self.word(1)
    }

    /// Where it stands, in the provider's words.
    #[must_use]
    pub fn region(&self) -> &'static str {
        self.word(2)
    }

    /// What joins instances: `InfiniBand`, `EFA`; empty where nobody says.
    #[must_use]
    pub fn fabric(&self) -> &'static str {
        self.word(3)
    }

    /// Page or file that states the price.
    #[must_use]
    pub fn url(&self) -> &'static str {
        self.word(4)
    }

    /// Commit, or the copy of the page that was read; empty where the day is known.
    #[must_use]
    pub fn snapshot(&self) -> &'static str {
        self.word(5)
    }

    /// Day of the price, `YYYY-MM-DD`; `None` where only the snapshot is known.
    #[must_use]
    pub fn date(&self) -> Option<&'static str> {
        Some(self.word(6)).filter(|date| !date.is_empty())
    }

    /// Its day as a sentence says it.
    #[must_use]
    pub fn dated(&self) -> &'static str {
        self.date().unwrap_or("an unknown date")
    }

    /// What was read, where the day is not known and that says more than the commit of a list.
    #[must_use]
    pub fn read_from(&self) -> Option<&'static str> {
        let is_commit = self.snapshot().bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(self.snapshot()).filter(|_| self.date().is_none() && !is_commit)
    }

    /// What a reader should know; empty where that is nothing.
    #[must_use]
    pub fn notes(&self) -> &'static str {
        self.word(7)
    }

    /// Its GPU.
    #[must_use]
    pub fn gpu(&self) -> Option<&'static Gpu> {
        GPUS.get(usize::from(self.gpu))
    }

    /// Network of an instance in Gbit/s; `None` where nobody says.
    #[must_use]
    pub fn network_gbit_per_s(&self) -> Option<f64> {
        Some(f64::from(self.network)).filter(|gbit| *gbit > 0.0)
    }

    /// Virtual CPUs of an instance; `None` where nobody says.
    #[must_use]
    pub fn vcpus(&self) -> Option<u16> {
        Some(self.vcpus).filter(|vcpus| *vcpus > 0)
    }

    /// Host memory of an instance in GiB; `None` where nobody says.
    #[must_use]
    pub fn host_ram_gib(&self) -> Option<f64> {
        Some(f64::from(self.host_ram)).filter(|gib| *gib > 0.0)
    }

    /// Price of one GPU for one hour, in US dollars.
    #[must_use]
    pub fn usd_per_gpu_hour(&self) -> f64 {
        self.usd_per_hour / f64::from(self.gpus)
    }

    /// Where the price comes from; the date is empty where only the snapshot is known.
    #[must_use]
    pub fn source(&self) -> Source {
        Source { url: self.url(), date: self.date().unwrap_or_default() }
    }
}

/// Every offer, by id.
///
/// ```
/// use shardwise_core::catalog::{OfferKind, offers};
/// let spot = offers().iter().filter(|offer| offer.kind == OfferKind::Spot);
/// assert!(spot.count() > 100);
/// ```
#[must_use]
pub fn offers() -> &'static [Offer] {
    OFFERS
}

/// The offer of this id, whatever its case.
///
/// ```
/// use shardwise_core::catalog::offer;
/// let own = offer("nebius/gpu-h200-sxm_8gpu/not-stated/on-demand");
/// assert_eq!(own.map(|own| (own.provider(), own.gpus)), Some(("Nebius", 8)));
/// assert!(offer("nebius/none").is_none());
/// ```
#[must_use]
pub fn offer(id: &str) -> Option<&'static Offer> {
    let id = id.trim().to_ascii_lowercase();
    let place = OFFERS.binary_search_by(|own| own.letters().cmp(id.chars())).ok()?;
    OFFERS.get(place)
}
