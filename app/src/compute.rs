//! The work that is too long for one keystroke: comparing plans and GPU types, in slices, given up
//! as soon as the question changes.

use std::cell::Cell;
use std::sync::Arc;

use leptos::prelude::*;
use shardwise_core::catalog::{self, Gpu};
use shardwise_core::complete::training_gpus;
use shardwise_core::context::Context;
use shardwise_core::search::sweep::Sweep;
use shardwise_core::sensitivity;
use shardwise_core::wire::Sensitivity;
use shardwise_core::{Answer, Evaluated, Question, SearchResult};

use crate::browser;
use crate::page::Shown;
use crate::view::words::plan_in_short;

/// How long one slice may hold the page, in milliseconds.
const SLICE_MS: f64 = 8.0;

/// How many plans are asked for: what the table shows, and those that differ only in what it does not.
const PLANS: usize = 16;

thread_local! {
    /// Which question the slices work for; a slice of an older one stops.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// One GPU type of the catalog, asked the same question.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    /// The GPU type.
    pub(crate) gpu: &'static Gpu,
    /// Its best plan, or why it cannot be asked.
    pub(crate) result: Result<Figures, String>,
}

/// What a comparison shows of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    /// Whether it fits.
    pub(crate) fits: bool,
    /// Tokens per second and GPU.
    pub(crate) speed: f64,
    /// The range of the speed.
    pub(crate) range: Option<[f64; 2]>,
    /// Dollars per million tokens.
    pub(crate) usd: Option<f64>,
    /// Millions of tokens per hour.
    pub(crate) mtok_per_hour: f64,
    /// Memory that is needed, in GiB.
    pub(crate) needs_gib: f64,
    /// Memory of the card, in GiB.
    pub(crate) has_gib: f64,
    /// How the plan splits.
    pub(crate) layout: String,
}

impl Figures {
    /// Of an answer, with `gpus` that train.
    pub(crate) fn of(answer: &Answer, gpus: u32) -> Self {
        Self {
            fits: answer.fits,
            speed: answer.tokens_per_s_per_gpu,
            range: answer
                .interval
                .map(|interval| interval.tokens_per_s_per_gpu),
            usd: answer.usd_per_mtok,
            mtok_per_hour: answer.mtok_per_hour,
            needs_gib: answer.memory.reserved_gib,
            has_gib: answer.memory.capacity_gib,
            layout: plan_in_short(&answer.plan, gpus),
        }
    }
}

/// The GPU types of the catalog, as far as they have been asked. Two signals: charts follow the rows alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    /// All of them, once all have been asked; the last question's until then.
    pub(crate) rows: RwSignal<Arc<Vec<Compared>>>,
    /// How many have been asked.
    pub(crate) done: RwSignal<usize>,
}

impl Comparison {
    /// Before the first question.
    pub(crate) fn new() -> Self {
        Self {
            rows: RwSignal::new(Arc::new(Vec::new())),
            done: RwSignal::new(0),
        }
    }
}

/// Says what changes are worth, then compares plans, then GPU types, for the question that is shown.
pub(crate) fn start(
    shown: &Arc<Shown>,
    changes: RwSignal<Option<Arc<Sensitivity>>>,
    plans: RwSignal<Option<Arc<SearchResult>>>,
    comparison: Comparison,
) {
    let ticket = CURRENT.get() + 1;
    CURRENT.set(ticket);
    comparison.done.set(0);
    let shown = Arc::clone(shown);
    // The answer itself is drawn first.
    later(ticket, move || {
        let Evaluated { job, plan, .. } = &shown.found;
        let found = sensitivity::of(&shown.question, &Context::new(job), plan);
        changes.set(Some(Arc::new(found)));
        later(ticket, move || {
            compare(ticket, &shown.question, plans, comparison);
        });
    });
}

fn compare(
    ticket: u64,
    question: &Question,
    plans: RwSignal<Option<Arc<SearchResult>>>,
    comparison: Comparison,
) {
    let found = shardwise_core::search(question, None, PLANS).ok();
    plans.set(found.map(Arc::new));
    let sweep = Sweep::every_gpu(question);
    let rows = Vec::with_capacity(sweep.total());
    later(ticket, move || slice(ticket, sweep, rows, comparison));
}

fn slice(ticket: u64, mut sweep: Sweep, mut rows: Vec<Compared>, comparison: Comparison) {
    let begun = browser::now_ms();
    while let Some(offer) = sweep.next() {
        // A card of one's own is in no list; the chart shows its answer's base.
        let gpu = offer.hardware.gpu.as_str().and_then(catalog::gpu);
        rows.extend(gpu.map(|gpu| {
            Compared {
                gpu,
                result: offer
                    .result
                    .map(|found| Figures::of(&found.answer, training_gpus(&found.job)))
                    .map_err(|error| error.message),
            }
        }));
        if browser::now_ms() - begun >= SLICE_MS {
            comparison.done.set(rows.len());
            later(ticket, move || slice(ticket, sweep, rows, comparison));
            return;
        }
    }
    comparison.rows.set(Arc::new(rows));
    comparison.done.set(catalog::gpus().len());
}

/// Goes on once the browser had its turn, unless the question has changed.
fn later(ticket: u64, work: impl FnOnce() + 'static) {
    browser::soon(move || {
        if CURRENT.get() == ticket {
            work();
        }
    });
}
