//! What is known of the GPU types that were asked a question.

use shardwise_core::Objective;
use shardwise_core::catalog::{self, Gpu};
use shardwise_core::search::measures::{Measures, rank};
use shardwise_core::wire::FitState;

use crate::format;
use crate::protocol::estimate::{Figures, Offered};

/// One GPU type of the catalog, asked the same question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    /// The GPU type.
    pub(crate) gpu: &'static Gpu,
    /// Its place among the machines that were asked.
    pub(crate) place: usize,
    /// Its best plan, or why it cannot be asked.
    pub(crate) result: Result<Figures, String>,
}

/// Every GPU type, asked one question.
#[derive(Debug, Default)]
pub(crate) struct Market {
    /// The question's own machine as it was answered, so with its plan and price; then the catalog's others.
    pub(crate) offers: Vec<Offered>,
    /// Those of the catalog: a card of one's own is in no list.
    pub(crate) rows: Vec<Compared>,
    /// Legal plans among which the best were found.
    pub(crate) considered: u64,
}

impl Market {
    pub(super) fn add(&mut self, offer: Offered) {
        if let Ok(found) = &offer.result {
            self.considered += found.considered;
        }
        let gpu = offer.gpu.as_deref().and_then(catalog::gpu);
        let place = self.offers.len();
        self.rows
            .extend(gpu.map(|gpu| Compared { gpu, place, result: offer.result.clone() }));
        self.offers.push(offer);
    }

    /// The cheapest machine on which the question is as sure to fit as asked.
    pub(super) fn cheapest_that_fits(&self) -> Option<Offered> {
        let sure = self.measured(|figures| figures.state == FitState::Fits);
        let ranked = rank(sure, Objective::Cost).unwrap_or_default();
        ranked.first().and_then(|place| self.offers.get(*place)).cloned()
    }

    /// Among how many plans the question's own GPU type, which is the first offer, has its best; `None` where there was no choice.
    pub(crate) fn tried(&self) -> Option<String> {
        let own = self.offers.first()?.result.as_ref().ok()?;
        (own.considered > 1).then(|| format::grouped(own.considered))
    }

    /// The machines on which it fits, by their places, with what they are ranked by.
    pub(crate) fn fitting(&self) -> Vec<(usize, Measures)> {
        self.measured(Figures::fits)
    }

    fn measured(&self, wanted: fn(&Figures) -> bool) -> Vec<(usize, Measures)> {
        let offers = self.offers.iter().enumerate();
        let found = offers.filter_map(|(place, offer)| {
            let figures = offer.result.as_ref().ok()?;
            wanted(figures).then_some((place, figures.measures))
        });
        found.collect()
    }
}
