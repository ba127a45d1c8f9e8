//! The work that is too long for one keystroke: comparing GPU types, in slices or by the worker, given up as soon as the
//! question changes.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::catalog::{self, Gpu};
use shardwise_core::complete::training_gpus;
use shardwise_core::search::market::{self, Closing};
use shardwise_core::search::sweep::{Found, Offer, Sweep};
use shardwise_core::wire::{FitState, to_value};
use shardwise_core::{Answer, Evaluated, Objective};

use crate::browser;
use crate::client::{choices, desk};
use crate::page::{Page, Shown};
use crate::protocol::{Outcome, Task};
use crate::words::plan_in_short;

/// After how long a slice asks no further GPU type, in milliseconds. The last one asked may take as long again.
const SLICE_MS: f64 = 4.0;

thread_local! {
    /// Which question the slices work for; a slice of an older one stops.
    static CURRENT: Cell<u64> = const { Cell::new(0) };

    /// What goes on with the next offer of the worker.
    static AWAITED: RefCell<Option<Awaited>> = const { RefCell::new(None) };
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
            range: answer.interval.map(|interval| interval.tokens_per_s_per_gpu),
            usd: answer.usd_per_mtok,
            usd_range: answer.usd_per_mtok.and_then(|usd| answer.against_speed(usd)),
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
        Self { market: RwSignal::new(Arc::default()), done: RwSignal::new(0), remedy: RwSignal::new(None) }
    }
}

/// Compares GPU types for the question that is shown.
pub(crate) fn start(page: Page, shown: Arc<Shown>) {
    let ticket = CURRENT.get() + 1;
    CURRENT.set(ticket);
    AWAITED.take();
    let comparison = page.comparison;
    comparison.done.set(0);
    if comparison.remedy.with_untracked(Option::is_some) {
        comparison.remedy.set(None);
    }
    // The answer itself is drawn first.
    later(ticket, move || compare(Asked { page, ticket, shown }));
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

/// What is compared.
struct Asked {
    page: Page,
    ticket: u64,
    shown: Arc<Shown>,
}

/// Offers one after the other: found here, or by the worker.
struct Offers {
    sweep: Sweep,
    next: usize,
    /// Whether of more GPUs rather than of other types.
    more: bool,
    far: bool,
}

impl Offers {
    fn of(sweep: Sweep, more: bool, asked: &Asked) -> Self {
        Self { sweep, next: 0, more, far: choices::are_far(asked.page, &asked.shown.question) }
    }

    /// The next one, found here.
    fn next(&mut self) -> Option<Offer> {
        self.next += 1;
        self.sweep.at(self.next - 1)
    }

    /// Asks the worker for the next one; whether there is one.
    fn order(&self, asked: &Asked) -> bool {
        let is_one = self.next < self.sweep.total();
        if is_one {
            let task = Task::Offer { question: to_value(&asked.shown.question), more: self.more, place: self.next };
            desk::order(asked.page, task, deliver);
        }
        is_one
    }

    /// The next one, as the worker found it.
    fn received(&mut self, found: Value) -> Option<Offer> {
        let hardware = self.sweep.hardware(self.next)?.clone();
        self.next += 1;
        let result = Outcome::from_value(found).and_then(|own| {
            let Evaluated { job, plan, answer, complete } = own.answer()?;
            Ok(Found { job, plan, answer, considered: own.considered, evaluated: own.evaluated, complete })
        });
        Some(Offer { hardware, result })
    }
}

/// What waits for an offer of the worker.
enum Awaited {
    Type(Box<Work>),
    Number(Box<More>),
}

fn deliver(_: Page, found: Value) {
    match AWAITED.take() {
        Some(Awaited::Type(mut work)) => {
            if let Some(offer) = work.offers.received(found) {
                work.add(offer);
                work.say_done();
            }
            slice(*work);
        }
        Some(Awaited::Number(mut work)) => {
            let offer = work.offers.received(found);
            judge(*work, offer);
        }
        None => {}
    }
}

fn compare(asked: Asked) {
    let sweep = Sweep::every_gpu(&asked.shown.question);
    slice(Work {
        offers: Offers::of(sweep, false, &asked),
        asked,
        market: Market::default(),
        another_plan_fits: false,
    });
}

/// A comparison under way.
struct Work {
    asked: Asked,
    offers: Offers,
    market: Market,
    another_plan_fits: bool,
}

impl Work {
    fn add(&mut self, mut offer: Offer) {
        // The first is the question's own type: the same with the plan that the question states.
        if let (true, Ok(found)) = (self.market.offers.is_empty(), &mut offer.result) {
            self.another_plan_fits = is_sure(&found.answer);
            let own = &self.asked.shown.found;
            found.plan = own.plan;
            found.answer = own.answer.clone();
        }
        self.market.add(offer);
    }

    fn say_done(&self) {
        let done = self.asked.page.comparison.done;
        done.set(self.market.rows.len());
    }
}

fn slice(mut work: Work) {
    let ticket = work.asked.ticket;
    if work.offers.far {
        if work.offers.order(&work.asked) {
            AWAITED.set(Some(Awaited::Type(Box::new(work))));
            return;
        }
    } else {
        let begun = browser::now_ms();
        while let Some(offer) = work.offers.next() {
            work.add(offer);
            if browser::now_ms() - begun >= SLICE_MS {
                work.say_done();
                later(ticket, move || slice(work));
                return;
            }
        }
    }
    // Drawing it is work of its own.
    later(ticket, move || finish(work));
}

/// Shows the comparison, and looks for what would make a question fit that does not.
fn finish(work: Work) {
    let Work { asked, market, another_plan_fits, .. } = work;
    let market = Arc::new(market);
    let comparison = asked.page.comparison;
    comparison.market.set(Arc::clone(&market));
    comparison.done.set(market.rows.len());
    if is_sure(&asked.shown.found.answer) {
        return;
    }
    if another_plan_fits {
        comparison.remedy.set(Some(Remedy::Plan));
        return;
    }
    let cheapest = market::ranked(&market.offers, Objective::Cost).unwrap_or_default();
    let mut others = cheapest.iter().filter_map(|place| market.offers.get(*place));
    let other = others.find(|offer| sure_offer(offer)).cloned();
    let Some(sweep) = market::more(&asked.shown.question) else {
        say(&asked, None, other);
        return;
    };
    let ticket = asked.ticket;
    let work = More { offers: Offers::of(sweep, true, &asked), asked, other };
    later(ticket, move || more(work));
}

/// The search for more GPUs that make room, one number in a slice.
struct More {
    asked: Asked,
    offers: Offers,
    other: Option<Offer>,
}

fn more(mut work: More) {
    if work.offers.far && work.offers.order(&work.asked) {
        AWAITED.set(Some(Awaited::Number(Box::new(work))));
        return;
    }
    let offer = work.offers.next();
    judge(work, offer);
}

/// Says which number of GPUs it is, or goes on to the next.
fn judge(work: More, offer: Option<Offer>) {
    if offer.as_ref().is_some_and(|offer| !sure_offer(offer)) {
        later(work.asked.ticket, move || more(work));
    } else {
        say(&work.asked, offer, work.other);
    }
}

fn say(asked: &Asked, more: Option<Offer>, other: Option<Offer>) {
    let closing = Remedy::Gpus(Arc::new(Closing { more, other }));
    asked.page.comparison.remedy.set(Some(closing));
}

/// Goes on once the browser had its turn, unless the question has changed.
fn later(ticket: u64, work: impl FnOnce() + 'static) {
    browser::soon(move || {
        if CURRENT.get() == ticket {
            work();
        }
    });
}
