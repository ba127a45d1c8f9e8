//! The work that is too long for one keystroke: comparing GPU types, in slices, given up
//! as soon as the question changes.

use std::cell::Cell;
use std::sync::Arc;

use leptos::prelude::*;
use shardwise_core::catalog::{self, Gpu};
use shardwise_core::complete::training_gpus;
use shardwise_core::search::market::{self, Closing};
use shardwise_core::search::sweep::{Found, Offer, Sweep};
use shardwise_core::wire::FitState;
use shardwise_core::{Answer, Objective};

use crate::browser;
use crate::page::Shown;
use crate::view::words::plan_in_short;

/// After how long a slice asks no further GPU type, in milliseconds. The last one asked may take as long again.
const SLICE_MS: f64 = 4.0;

thread_local! {
    /// Which question the slices work for; a slice of an older one stops.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// One GPU type of the catalog, asked the same question.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    /// The GPU type.
    pub(crate) gpu: &'static Gpu,
    /// Place of its offer in [`Market::offers`].
    pub(crate) place: usize,
    /// Its best plan, or why it cannot be asked.
    pub(crate) result: Result<Figures, String>,
}

/// What a comparison shows of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    /// Whether it fits rather than not.
    pub(crate) fits: bool,
    /// How sure that is, in a word.
    pub(crate) state: FitState,
    /// The probability.
    pub(crate) probability: f64,
    /// Tokens per second and GPU.
    pub(crate) speed: f64,
    /// The range of the speed.
    pub(crate) range: Option<[f64; 2]>,
    /// Dollars per million tokens.
    pub(crate) usd: Option<f64>,
    /// The range of the dollars.
    pub(crate) usd_range: Option<[f64; 2]>,
    /// Millions of tokens per hour.
    pub(crate) mtok_per_hour: f64,
    /// Memory that is needed where it decides, in GiB.
    pub(crate) needs_gib: f64,
    /// Memory that there is for it, in GiB.
    pub(crate) has_gib: f64,
    /// How the plan splits.
    pub(crate) layout: String,
}

impl Figures {
    fn of(found: &Found) -> Self {
        let answer = &found.answer;
        Self {
            fits: answer.fits,
            state: answer.fit.state,
            probability: answer.fit.probability,
            speed: answer.tokens_per_s_per_gpu,
            range: answer
                .interval
                .map(|interval| interval.tokens_per_s_per_gpu),
            usd: answer.usd_per_mtok,
            usd_range: answer
                .usd_per_mtok
                .and_then(|usd| answer.against_speed(usd)),
            mtok_per_hour: answer.mtok_per_hour,
            needs_gib: answer.fit.needed_gib,
            has_gib: answer.fit.capacity_gib,
            layout: plan_in_short(&answer.plan, training_gpus(&found.job)),
        }
    }
}

/// Every GPU type, asked one question.
#[derive(Debug, Default)]
pub(crate) struct Market {
    /// The question's own GPU type as it was answered, so with its plan and price; then the catalog's others.
    pub(crate) offers: Vec<Offer>,
    /// Those of the catalog: a card of one's own is in no list.
    pub(crate) rows: Vec<Compared>,
    /// Legal plans among which the best were found.
    pub(crate) considered: u64,
}

impl Market {
    fn add(&mut self, offer: Offer) {
        if let Ok(found) = &offer.result {
            self.considered += found.considered;
        }
        let gpu = offer.hardware.gpu.as_str().and_then(catalog::gpu);
        self.rows.extend(gpu.map(|gpu| Compared {
            gpu,
            place: self.offers.len(),
            result: match &offer.result {
                Ok(found) => Ok(Figures::of(found)),
                Err(error) => Err(error.message.clone()),
            },
        }));
        self.offers.push(offer);
    }
}

/// What would make a question fit that does not.
#[derive(Clone, Debug)]
pub(crate) enum Remedy {
    /// Another plan on the same GPUs: parts of the plan were set by hand.
    Plan,
    /// Other GPUs.
    Gpus(Arc<Closing>),
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
        Self {
            market: RwSignal::new(Arc::default()),
            done: RwSignal::new(0),
            remedy: RwSignal::new(None),
        }
    }
}

/// Compares GPU types for the question that is shown.
pub(crate) fn start(shown: Arc<Shown>, comparison: Comparison) {
    let ticket = CURRENT.get() + 1;
    CURRENT.set(ticket);
    comparison.done.set(0);
    if comparison.remedy.with_untracked(Option::is_some) {
        comparison.remedy.set(None);
    }
    // The answer itself is drawn first.
    later(ticket, move || compare(ticket, shown, comparison));
}

/// Whether an answer is as sure to fit as asked.
fn is_sure(answer: &Answer) -> bool {
    answer.fit.state == FitState::Fits
}

/// Whether an offer's best plan is.
fn sure_offer(offer: &Offer) -> bool {
    let found = offer.result.as_ref();
    found.is_ok_and(|found| is_sure(&found.answer))
}

fn compare(ticket: u64, shown: Arc<Shown>, comparison: Comparison) {
    let work = Work {
        ticket,
        sweep: Sweep::every_gpu(&shown.question),
        shown,
        market: Market::default(),
        another_plan_fits: false,
        comparison,
    };
    slice(work);
}

/// A comparison under way.
struct Work {
    ticket: u64,
    shown: Arc<Shown>,
    sweep: Sweep,
    market: Market,
    another_plan_fits: bool,
    comparison: Comparison,
}

fn slice(mut work: Work) {
    let begun = browser::now_ms();
    while let Some(mut offer) = work.sweep.next() {
        // The first is the question's own type: the same with the plan that the question states.
        if let (true, Ok(found)) = (work.market.offers.is_empty(), &mut offer.result) {
            work.another_plan_fits = is_sure(&found.answer);
            let own = &work.shown.found;
            found.plan = own.plan;
            found.answer = own.answer.clone();
        }
        work.market.add(offer);
        if browser::now_ms() - begun >= SLICE_MS {
            work.comparison.done.set(work.market.rows.len());
            later(work.ticket, move || slice(work));
            return;
        }
    }
    // Drawing it is work of its own.
    later(work.ticket, move || finish(work));
}

/// Shows the comparison, and looks for what would make a question fit that does not.
fn finish(work: Work) {
    let market = Arc::new(work.market);
    let comparison = work.comparison;
    comparison.market.set(Arc::clone(&market));
    comparison.done.set(market.rows.len());
    if is_sure(&work.shown.found.answer) {
        return;
    }
    if work.another_plan_fits {
        comparison.remedy.set(Some(Remedy::Plan));
        return;
    }
    let cheapest = market::ranked(&market.offers, Objective::Cost).unwrap_or_default();
    let mut others = cheapest
        .iter()
        .filter_map(|place| market.offers.get(*place));
    let other = others.find(|offer| sure_offer(offer));
    let other = other.cloned();
    let sweep = market::more(&work.shown.question);
    later(work.ticket, move || {
        more(work.ticket, sweep, other, comparison);
    });
}

/// Asks for more and more GPUs, one number in a slice.
fn more(ticket: u64, mut sweep: Option<Sweep>, other: Option<Offer>, comparison: Comparison) {
    let offer = sweep.as_mut().and_then(Iterator::next);
    if offer.as_ref().is_some_and(|offer| !sure_offer(offer)) {
        later(ticket, move || more(ticket, sweep, other, comparison));
        return;
    }
    let closing = Closing { more: offer, other };
    comparison.remedy.set(Some(Remedy::Gpus(Arc::new(closing))));
}

/// Goes on once the browser had its turn, unless the question has changed.
fn later(ticket: u64, work: impl FnOnce() + 'static) {
    browser::soon(move || {
        if CURRENT.get() == ticket {
            work();
        }
    });
}
