//! Every GPU type asked the question that is shown: the engines find them some at a time, and what is found for an older
//! question is dropped.
//!
//! Those that may be among the shown ones come first. What does not come near to them is put off until they are shown.

mod work;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::Objective;
use shardwise_core::catalog::{self, Gpu};
use shardwise_core::search::measures::{Measures, rank};
use shardwise_core::wire::{FitState, to_value};

use crate::browser;
use crate::client::desk;
use crate::format;
use crate::page::{Page, Shown};
use crate::protocol::Task;
use crate::protocol::estimate::{Closer, Figures, Offered, Others, Remedy, Slice};

use work::{AT_ONCE, Stage, Work};

/// How many GPU types are shown before "show all".
const TOP: usize = 10;

/// How many GPU types an embedded page shows.
const TOP_EMBEDDED: usize = 5;

/// After how long without another question those machines are asked that were put off, in milliseconds: who types on does not
/// wait for them.
const PUT_OFF_MS: u32 = 120;

/// How long after the first comparison further engines are started, in milliseconds: the start of the page is over.
const HELPERS_MS: u32 = 1500;

/// How many GPU types are shown at first.
pub(crate) fn top(embedded: bool) -> usize {
    if embedded { TOP_EMBEDDED } else { TOP }
}

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
    /// Those that are shown, once they are known, and later all of them; the last question's until then.
    pub(crate) market: RwSignal<Arc<Market>>,
    /// How many have been asked.
    pub(crate) done: RwSignal<usize>,
    /// Whether those that are shown are still the last question's.
    pub(crate) busy: RwSignal<bool>,
    /// What would make the question fit; `None` while it is looked for, or where it fits.
    pub(crate) remedy: RwSignal<Option<Remedy>>,
}

impl Comparison {
    /// Before the first question.
    pub(crate) fn new() -> Self {
        Self {
            market: RwSignal::new(Arc::default()),
            done: RwSignal::new(0),
            busy: RwSignal::new(true),
            remedy: RwSignal::new(None),
        }
    }
}

thread_local! {
    /// What is under way.
    static WORK: RefCell<Option<Work>> = const { RefCell::new(None) };

    /// The places of a whole comparison, the best first, and whose they are: the question's own GPU type has the first.
    static LAST: RefCell<(Option<String>, Vec<usize>)> = const { RefCell::new((None, Vec::new())) };

    /// Number of the last comparison.
    static ROUND: Cell<u32> = const { Cell::new(0) };

    /// Whether further engines were asked for.
    static HELPED: Cell<bool> = const { Cell::new(false) };
}

/// Compares GPU types for the question that is shown.
pub(crate) fn start(page: Page, shown: &Shown) {
    let comparison = page.comparison;
    comparison.done.set(0);
    comparison.busy.set(true);
    if comparison.remedy.with_untracked(Option::is_some) {
        comparison.remedy.set(None);
    }
    let round = ROUND.get().wrapping_add(1);
    ROUND.set(round);
    let question = to_value(&shown.question);
    let order = LAST.with_borrow(|(gpu, order)| if gpu.as_deref() == shown.gpu() { order.clone() } else { Vec::new() });
    let work = Work::new(question.clone(), round, order);
    let task = Task::Compare { question, round, places: work.first(), reached: None };
    WORK.set(Some(work));
    // The newer question takes the place of the older one.
    desk::order(page, task, deliver);
}

/// Gives the engines that have nothing in hand the next machines.
fn hand_out(page: Page) {
    WORK.with_borrow_mut(|work| {
        let Some(work) = work else { return };
        let idle: Vec<_> = desk::idle().collect();
        let each = work.left.len().div_ceil(idle.len().max(1)).min(AT_ONCE);
        let reached = work.reached(page);
        for engine in idle {
            let places: Vec<usize> = work.left.drain(..each.min(work.left.len())).collect();
            if places.is_empty() {
                return;
            }
            let task = Task::Compare { question: work.question.clone(), round: work.round, places, reached };
            desk::order_of(engine, page, task, deliver, lost);
        }
    });
}

fn deliver(page: Page, found: Value) {
    let Ok(Some(slice)) = serde_json::from_value::<Option<Slice>>(found) else { return };
    let of_this = WORK.with_borrow_mut(|work| {
        let work = work.as_mut().filter(|work| work.round == slice.round)?;
        work.take(slice);
        let stage = work.stage();
        if let Stage::Whole(market) = &stage {
            let order = work.best_first(market, page.order.get_untracked());
            LAST.set((page.standing().and_then(|shown| shown.gpu().map(str::to_owned)), order));
        }
        Some((work.done(), stage))
    });
    let Some((done, stage)) = of_this else {
        // Of an older question: whoever it was is free for this one.
        return hand_out(page);
    };
    let comparison = page.comparison;
    let show = |market: Market| {
        if done > 0 {
            comparison.market.set(Arc::new(market));
            comparison.busy.set(false);
        }
        comparison.done.set(done);
    };
    match stage {
        Stage::Open => {
            comparison.done.set(done);
            hand_out(page);
        }
        Stage::Shown(market) => {
            show(market);
            browser::after(PUT_OFF_MS, Box::new(move || hand_out(page))).forget();
        }
        Stage::Whole(market) => {
            show(market);
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
            let (question, places) = (work.question.clone(), Vec::new());
            let first = Task::Compare { question, round: 0, places, reached: None };
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
