//! Every GPU type asked the question that is shown: the engines find them some at a time, and what is found for an older
//! question is dropped.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::Objective;
use shardwise_core::catalog::{self, Gpu};
use shardwise_core::search::measures::{Measures, rank};
use shardwise_core::wire::{FitState, to_value};

use crate::client::desk;
use crate::format;
use crate::page::{Page, Shown};
use crate::protocol::Task;
use crate::protocol::estimate::{Closer, Figures, Offered, Others, Remedy, Slice};

/// Machines that an engine is asked at a time, at most: those for which it has no time come back.
const AT_ONCE: usize = 8;

/// How long after the first comparison further engines are started, in milliseconds: the start of the page is over.
const HELPERS_MS: u32 = 1500;

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

    /// The cheapest machine on which the question is as sure to fit as asked.
    fn cheapest_that_fits(&self) -> Option<Offered> {
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
    /// Its number: what is found for another is dropped.
    round: u32,
    /// What was found, by place; empty until an engine says how many machines there are.
    found: Vec<Option<Offered>>,
    /// Places of the machines that nobody has in hand.
    left: VecDeque<usize>,
    /// How many numbers of GPUs have been tried in search of a remedy.
    tried: usize,
}

thread_local! {
    /// What is under way.
    static WORK: RefCell<Option<Work>> = const { RefCell::new(None) };

    /// Number of the last comparison.
    static ROUND: Cell<u32> = const { Cell::new(0) };

    /// Whether further engines were asked for.
    static HELPED: Cell<bool> = const { Cell::new(false) };
}

/// Compares GPU types for the question that is shown.
pub(crate) fn start(page: Page, shown: &Shown) {
    let comparison = page.comparison;
    comparison.done.set(0);
    if comparison.remedy.with_untracked(Option::is_some) {
        comparison.remedy.set(None);
    }
    let round = ROUND.get().wrapping_add(1);
    ROUND.set(round);
    let question = to_value(&shown.question);
    let task = Task::Compare { question: question.clone(), round, places: (0..AT_ONCE).collect() };
    WORK.set(Some(Work { question, round, found: Vec::new(), left: VecDeque::new(), tried: 0 }));
    // The newer question takes the place of the older one.
    desk::order(page, task, deliver);
}

impl Work {
    /// Takes what an engine found.
    fn take(&mut self, slice: Slice) {
        if self.found.is_empty() {
            self.found.resize_with(slice.total, || None);
            self.left = (slice.offers.len() + slice.left.len()..slice.total).collect();
        }
        for (place, offer) in slice.offers {
            if let Some(own) = self.found.get_mut(place) {
                *own = Some(offer);
            }
        }
        for place in slice.left.into_iter().rev() {
            self.left.push_front(place);
        }
    }

    /// How many of the catalog's GPU types are known.
    fn done(&self) -> usize {
        let in_catalog = |offer: &&Offered| offer.gpu.as_deref().and_then(catalog::gpu).is_some();
        self.found.iter().flatten().filter(in_catalog).count()
    }

    /// All of it, once every machine is known.
    fn whole(&mut self) -> Option<Market> {
        if self.found.is_empty() || self.found.iter().any(Option::is_none) {
            return None;
        }
        let mut market = Market::default();
        for offer in self.found.drain(..).flatten() {
            market.add(offer);
        }
        Some(market)
    }
}

/// Gives the engines that have nothing in hand the next machines.
fn hand_out(page: Page) {
    WORK.with_borrow_mut(|work| {
        let Some(work) = work else { return };
        let idle: Vec<_> = desk::idle().collect();
        let each = work.left.len().div_ceil(idle.len().max(1)).min(AT_ONCE);
        for engine in idle {
            let places: Vec<usize> = work.left.drain(..each.min(work.left.len())).collect();
            if places.is_empty() {
                return;
            }
            let task = Task::Compare { question: work.question.clone(), round: work.round, places };
            desk::order_of(engine, page, task, deliver, lost);
        }
    });
}

fn deliver(page: Page, found: Value) {
    let Ok(Some(slice)) = serde_json::from_value::<Option<Slice>>(found) else { return };
    let of_this = WORK.with_borrow_mut(|work| {
        let work = work.as_mut().filter(|work| work.round == slice.round)?;
        work.take(slice);
        Some((work.done(), work.whole()))
    });
    let Some((done, whole)) = of_this else {
        // Of an older question: whoever it was is free for this one.
        return hand_out(page);
    };
    let comparison = page.comparison;
    match whole {
        None => {
            comparison.done.set(done);
            hand_out(page);
        }
        Some(market) => {
            if done > 0 {
                comparison.market.set(Arc::new(market));
                comparison.done.set(done);
            }
            look_for_more(page);
            open_helpers(page);
        }
    }
}

/// Takes back what an engine beside the first had in hand when it failed.
fn lost(page: Page, task: Task) {
    let Task::Compare { round, places, .. } = task else { return };
    WORK.with_borrow_mut(|work| {
        if let Some(work) = work.as_mut().filter(|work| work.round == round) {
            work.left.extend(places);
        }
    });
    hand_out(page);
}

/// Has further engines take part in the next comparisons. A frame in another page is one of many things there.
fn open_helpers(page: Page) {
    if page.embedded || HELPED.replace(true) {
        return;
    }
    let open = move || {
        WORK.with_borrow(|work| {
            let Some(work) = work else { return };
            // Of no comparison: these begin at 1.
            let first = Task::Compare { question: work.question.clone(), round: 0, places: Vec::new() };
            desk::open_helpers(page, &first, deliver);
        });
    };
    // Nothing on the page waits for it.
    Timeout::new(HELPERS_MS, open).forget();
}

/// Looks for what would make the question fit.
fn look_for_more(page: Page) {
    WORK.with_borrow(|work| {
        let Some(work) = work else { return };
        let task = Task::Closer { question: work.question.clone(), tried: work.tried };
        desk::order(page, task, take_closer);
    });
}

fn take_closer(page: Page, found: Value) {
    let Ok(Some(found)) = serde_json::from_value::<Option<Closer>>(found) else { return };
    let remedy = page.comparison.remedy;
    match found {
        Closer::Fits => {}
        Closer::Plan => remedy.set(Some(Remedy::Plan)),
        Closer::Next => {
            WORK.with_borrow_mut(|work| {
                if let Some(work) = work {
                    work.tried += 1;
                }
            });
            look_for_more(page);
        }
        Closer::More(more) => {
            let other = page.comparison.market.with_untracked(|market| market.cheapest_that_fits());
            remedy.set(Some(Remedy::Gpus(Box::new(Others { more: more.map(|more| *more), other }))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Offered, Slice, VecDeque, Work};
    use serde_json::Value;

    fn slice(places: &[usize], left: &[usize]) -> Slice {
        let offer = |gpu: usize| Offered { gpu: Some(gpu.to_string()), result: Err(String::new()) };
        let offers = places.iter().map(|place| (*place, offer(*place))).collect();
        Slice { round: 1, offers, left: left.to_vec(), total: 6 }
    }

    #[test]
    fn machines_are_whole_once_each_is_known_whoever_found_them() {
        let mut work = Work { question: Value::Null, round: 1, found: Vec::new(), left: VecDeque::new(), tried: 0 };
        assert!(work.whole().is_none());
        work.take(slice(&[0], &[1, 2]));
        assert_eq!(work.left, [1, 2, 3, 4, 5]);
        work.left.clear();
        // What there was no time for is next.
        work.take(slice(&[4], &[5]));
        work.take(slice(&[1], &[2, 3]));
        assert_eq!(work.left, [2, 3, 5]);
        assert!(work.whole().is_none());
        work.take(slice(&[5, 3, 2], &[]));
        let market = work.whole();
        let gpus = market.map(|market| market.offers.into_iter().filter_map(|offer| offer.gpu).collect::<Vec<_>>());
        assert_eq!(gpus.unwrap_or_default(), ["0", "1", "2", "3", "4", "5"]);
    }
}
