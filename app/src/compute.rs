//! Every GPU type asked the question that is shown: the engine finds them some at a time, and what is found for an older
//! question is dropped.

use std::cell::RefCell;
use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::catalog::{self, Gpu};
use shardwise_core::search::measures::Measures;
use shardwise_core::wire::to_value;

use crate::client::desk;
use crate::format;
use crate::page::{Page, Shown};
use crate::protocol::Task;
use crate::protocol::estimate::{Figures, Offered, Remedy, Slice};

/// One GPU type of the catalog, asked the same question.
#[derive(Clone, Debug)]
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
    fn add(&mut self, offer: Offered) {
        if let Ok(found) = &offer.result {
            self.considered += found.considered;
        }
        let gpu = offer.gpu.as_deref().and_then(catalog::gpu);
        let place = self.offers.len();
        self.rows
            .extend(gpu.map(|gpu| Compared { gpu, place, result: offer.result.clone() }));
        self.offers.push(offer);
    }

    /// Among how many plans the question's own GPU type, which is the first offer, has its best; `None` where there was no choice.
    pub(crate) fn tried(&self) -> Option<String> {
        let own = self.offers.first()?.result.as_ref().ok()?;
        (own.considered > 1).then(|| format::grouped(own.considered))
    }

    /// The machines on which it fits, by their places, with what they are ranked by.
    pub(crate) fn fitting(&self) -> Vec<(usize, Measures)> {
        let offers = self.offers.iter().enumerate();
        let fitting = offers.filter_map(|(place, offer)| {
            let figures = offer.result.as_ref().ok()?;
            figures.fits().then_some((place, figures.measures))
        });
        fitting.collect()
    }
}

/// The comparison of GPU types, as far as it has come. Signals apart: charts follow the market alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    /// All of them, once all have been asked; the last question's until then.
    pub(crate) market: RwSignal<Arc<Market>>,
    /// How many have been asked.
    pub(crate) done: RwSignal<usize>,
    /// What would make the question fit; `None` while it is looked for, or where it fits.
    pub(crate) remedy: RwSignal<Option<Remedy>>,
}

impl Comparison {
    /// Before the first question.
    pub(crate) fn new() -> Self {
        Self { market: RwSignal::new(Arc::default()), done: RwSignal::new(0), remedy: RwSignal::new(None) }
    }
}

/// A comparison under way.
struct Work {
    question: Value,
    market: Market,
    /// How many machines have been asked.
    asked: usize,
    /// How many numbers of GPUs have been tried in search of a remedy.
    tried: usize,
}

thread_local! {
    /// What waits for its next slice.
    static WORK: RefCell<Option<Work>> = const { RefCell::new(None) };
}

/// Compares GPU types for the question that is shown.
pub(crate) fn start(page: Page, shown: &Shown) {
    let comparison = page.comparison;
    comparison.done.set(0);
    if comparison.remedy.with_untracked(Option::is_some) {
        comparison.remedy.set(None);
    }
    let question = to_value(&shown.question);
    go_on(page, Work { question, market: Market::default(), asked: 0, tried: 0 });
}

/// Asks for the next slice.
fn go_on(page: Page, work: Work) {
    let task = Task::Compare { question: work.question.clone(), from: work.asked, tried: work.tried };
    WORK.set(Some(work));
    desk::order(page, task, deliver);
}

fn deliver(page: Page, found: Value) {
    let Some(mut work) = WORK.take() else { return };
    let Ok(Some(slice)) = serde_json::from_value::<Option<Slice>>(found) else { return };
    let comparison = page.comparison;
    work.asked += slice.offers.len();
    work.tried = slice.tried;
    for offer in slice.offers {
        work.market.add(offer);
    }
    let done = work.market.rows.len();
    if !slice.is_whole {
        comparison.done.set(done);
    } else if done > 0 {
        comparison.market.set(Arc::new(std::mem::take(&mut work.market)));
        comparison.done.set(done);
    }
    if slice.is_last {
        comparison.remedy.set(slice.remedy);
    } else {
        go_on(page, work);
    }
}
