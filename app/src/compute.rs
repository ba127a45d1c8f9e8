//! Every GPU type asked the question that is shown: the engines find them some at a time, and what is found for an older
//! question is dropped.
//!
//! Those that may be among the shown ones come first. What does not come near to them is put off until it is to be shown too.

mod market;
mod work;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::Objective;
use shardwise_core::wire::{FitState, to_value};

use crate::client::desk;
use crate::page::{Order, Page, Shown};
use crate::protocol::estimate::{Closer, Others, Remedy, Slice};
use crate::protocol::{Task, compact};

pub(crate) use market::{Compared, Market};
use work::{Work, at_once};

/// How many GPU types are shown before "show all".
const TOP: usize = 10;

/// How many GPU types an embedded page shows.
const TOP_EMBEDDED: usize = 5;

/// How long after the first comparison further engines are started, in milliseconds: the start of the page is over.
const HELPERS_MS: u32 = 1500;

/// How many GPU types are shown at first.
pub(crate) fn top(embedded: bool) -> usize {
    if embedded { TOP_EMBEDDED } else { TOP }
}

/// The comparison of GPU types, as far as it has come. Signals apart: charts follow the market alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    /// Those that are shown, once they are known, with others that were asked on the way; the last question's until then.
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

    /// The places of a comparison, the best first, and whose they are: the question's own GPU type has the first.
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
    let answer = &shown.found.answer;
    let mtok = answer.tokens_per_s * answer.step_time_s / 1e6;
    let work = Work::new((question.clone(), mtok), round, order);
    let task = Task::Compare { question, round, places: work.first(), reached: None };
    WORK.set(Some(work));
    // The newer question takes the place of the older one.
    desk::order(page, task, deliver);
}

/// By what the best GPU types come first, and by what else the best is named.
fn objectives(order: Order) -> [Objective; 2] {
    match order {
        Order::Fastest | Order::Budget => [Objective::Time, Objective::Cost],
        Order::Cheapest | Order::Deadline => [Objective::Cost, Objective::Time],
    }
}

/// How many of the fastest and of the cheapest GPU types are shown; `None` where that may be any, or where the cheapest is looked for
/// that is as sure to fit as asked.
fn shown_first(page: Page) -> Option<[usize; 2]> {
    let top = top(page.embedded);
    let sure = page
        .standing()
        .is_some_and(|shown| shown.found.answer.fit.state == FitState::Fits);
    match page.order.get_untracked() {
        _ if page.all_gpus.get_untracked() || !sure => None,
        Order::Fastest => Some([top, 1]),
        Order::Cheapest => Some([1, top]),
        Order::Deadline | Order::Budget => None,
    }
}

/// Gives the engines that have nothing in hand the next machines.
fn hand_out(page: Page) {
    // One that was taken down compares nothing any more.
    if page.order.is_disposed() {
        return;
    }
    WORK.with_borrow_mut(|work| {
        let Some(work) = work else { return };
        let idle: Vec<_> = desk::idle().collect();
        let reached = shown_first(page).and_then(|shown| work.reached(shown));
        let each = work.left.len().div_ceil(idle.len().max(1)).min(at_once(reached));
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

/// Asks the machines that were put off, as far as they may be among those that are to be shown now.
pub(crate) fn go_on(page: Page) {
    WORK.with_borrow_mut(|work| work.as_mut().map(Work::recall));
    hand_out(page);
}

fn deliver(page: Page, found: Value) {
    if page.order.is_disposed() {
        return;
    }
    let Some(Some(slice)) = compact::read::<Option<Slice>>(found) else { return };
    let of_this = WORK.with_borrow_mut(|work| {
        let work = work.as_mut().filter(|work| work.round == slice.round)?;
        work.take(slice);
        let shown = work.shown();
        if let Some(market) = &shown {
            let order = work.best_first(market, objectives(page.order.get_untracked()));
            LAST.set((page.standing().and_then(|shown| shown.gpu().map(str::to_owned)), order));
        }
        Some((work.done(), shown))
    });
    let Some((done, shown)) = of_this else {
        // Of an older question: whoever it was is free for this one.
        return hand_out(page);
    };
    let comparison = page.comparison;
    comparison.done.set(done);
    let Some(market) = shown else {
        return hand_out(page);
    };
    if done > 0 {
        comparison.market.set(Arc::new(market));
        comparison.busy.set(false);
    }
    look_for_more(page);
    open_helpers(page);
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
    let Some(Some(found)) = compact::read::<Option<Closer>>(found) else { return };
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
