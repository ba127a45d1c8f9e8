//! The page's side: starts the workers, hands them one task of a kind at a time, and drops answers that are no longer wanted.
//!
//! There are two, so that no sheet holds up the answer to what is typed: the engine, and the one that writes texts and sheets.
//! Where the engine's worker cannot be had, the page does its work itself. The question on every GPU type is shared by more
//! engines, where there are cores for them, and by the one that writes texts once it has written them; what one of them had in hand
//! when it failed is asked of the others.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use super::health::{Health, Remedy};
use crate::browser;
use crate::busy::Work;
use crate::money;
use crate::page::Page;
use crate::protocol::{Name, Reply, Request, Task, compact};
use crate::text::Lang;

/// The attribute of the root element that names the workers' file.
const FILE: &str = "data-worker";

/// Kinds of tasks: a newer one takes the place of an older one of its kind.
const KINDS: usize = 10 + Name::COUNT;

/// Kinds of the engine's tasks.
const ENGINE_KINDS: usize = 2;

/// The kind that compares GPU types, and looks for what would fit.
const COMPARES: usize = 1;

/// What takes an answer.
type Deliver = fn(Page, Value);

/// What takes back a task that nobody will answer.
type Lost = fn(Page, Task);

/// Engines beside the first, at most: what further ones gain, with some fifty machines to ask, is little.
const MOST_HELPERS: usize = 3;

/// Cores that are left to the page, and to what a browser does beside it.
const CORES_OF_THE_PAGE: usize = 2;

/// Answers a request as the engine's worker does; nothing where its part of the program cannot be had.
pub type Engine = fn(String) -> Pin<Box<dyn Future<Output = Option<String>>>>;

#[derive(Clone)]
struct Order {
    task: Task,
    page: Page,
    deliver: Deliver,
    /// Where another may take it up; none of what waits for this worker.
    lost: Option<Lost>,
}

/// The orders of a kind.
struct Slot {
    waiting: Option<Order>,
    working: Option<(u32, Order)>,
}

impl Slot {
    fn is_empty(&self) -> bool {
        self.waiting.is_none() && self.working.is_none()
    }

    /// Takes what is in it: what waits is newer than what is worked on.
    fn take(&mut self) -> Option<Order> {
        let working = self.working.take().map(|(_, order)| order);
        self.waiting.take().or(working)
    }
}

/// Who does the work.
enum Running {
    Worker {
        worker: Worker,
        _listeners: [EventListener; 2],
    },
    /// The page itself.
    Here(Engine),
}

struct Desk {
    which: Which,
    running: Option<Running>,
    /// Where it is told that the worker could not be started, or stopped.
    failed: Option<RwSignal<bool>>,
    health: Health,
    /// Ends what hangs; none while the worker has nothing in hand.
    watch: Option<Timeout>,
    last: u32,
    slots: [Slot; KINDS],
    busy: Option<Work>,
    /// Whether it has answered anything: until then its program may have to be loaded.
    is_warm: bool,
}

impl Desk {
    const fn new(which: Which) -> Self {
        Self {
            which,
            running: None,
            failed: None,
            health: Health::NEW,
            watch: None,
            last: 0,
            slots: [const { Slot { waiting: None, working: None } }; KINDS],
            busy: None,
            is_warm: false,
        }
    }
}

/// One of the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// Answers what is typed.
    Engine,
    /// Writes texts and sheets.
    Texts,
    /// Shares the comparison of GPU types with the engine.
    Helper(usize),
}

thread_local! {
    static DESKS: [RefCell<Desk>; 2 + MOST_HELPERS] = const {
        [
            RefCell::new(Desk::new(Which::Engine)),
            RefCell::new(Desk::new(Which::Texts)),
            RefCell::new(Desk::new(Which::Helper(0))),
            RefCell::new(Desk::new(Which::Helper(1))),
            RefCell::new(Desk::new(Which::Helper(2))),
        ]
    };

    /// What does the engine's work in the page.
    static HERE: Cell<Option<Engine>> = const { Cell::new(None) };
}

impl Which {
    fn of(kind: usize) -> Self {
        if kind < ENGINE_KINDS { Self::Engine } else { Self::Texts }
    }

    /// What is done at its desk.
    fn desk<T>(self, act: impl FnOnce(&mut Desk) -> T) -> T {
        let place = match self {
            Self::Engine => 0,
            Self::Texts => 1,
            Self::Helper(number) => 2 + number,
        };
        DESKS.with(|all| act(&mut all[place].borrow_mut()))
    }

    /// What its worker is called: `scripts/worker.js` tells them apart by it.
    fn name(self) -> &'static str {
        match self {
            Self::Engine | Self::Helper(_) => "engine",
            Self::Texts => match browser::root_says("lang").and_then(|tag| Lang::of_tag(&tag)) {
                Some(Lang::Zh) => "texts in Chinese",
                _ => "texts",
            },
        }
    }
}

/// Orders a task. What it finds is delivered, unless a newer one of its kind is ordered before.
pub(crate) fn order(page: Page, task: Task, deliver: Deliver) {
    let which = Which::of(kind(&task));
    place(which, Order { task, page, deliver, lost: None });
}

/// Orders a task of one that is [`idle`]; `lost` takes it back where it fails.
pub(crate) fn order_of(which: Which, page: Page, task: Task, deliver: Deliver, lost: Lost) {
    let lost = (which != Which::Engine).then_some(lost);
    place(which, Order { task, page, deliver, lost });
}

/// Those that can compare GPU types now, the first engine before all others: who writes texts, once nothing else waits for it.
pub(crate) fn idle() -> impl Iterator<Item = Which> {
    let helpers = (0..MOST_HELPERS).map(Which::Helper);
    let all = [Which::Engine].into_iter().chain(helpers).chain([Which::Texts]);
    all.filter(|which| {
        which.desk(|desk| {
            let there = *which == Which::Engine || desk.running.is_some() && desk.is_warm;
            let in_hand = if *which == Which::Texts { &desk.slots[..] } else { &desk.slots[COMPARES..=COMPARES] };
            there && in_hand.iter().all(Slot::is_empty)
        })
    })
}

fn place(which: Which, order: Order) {
    let kind = kind(&order.task);
    which.desk(|desk| {
        desk.slots[kind].waiting = Some(order);
        desk.hand_out();
        // What it has in hand already is not given more time.
        if desk.watch.is_none() {
            desk.watch();
        }
        desk.note();
    });
}

fn kind(task: &Task) -> usize {
    match task {
        Task::Estimate(_) => 0,
        Task::Compare { .. } | Task::Closer { .. } => COMPARES,
        // Before what is written of it.
        Task::Known { .. } => 2,
        Task::Flags { .. } => 3,
        Task::Serves { .. } => 4,
        Task::Read { .. } => 5,
        // The page never asks for the others: the build and frame.js do.
        Task::Say { .. } | Task::Document { .. } | Task::Link { .. } | Task::Answer { .. } => 6,
        Task::Sample { .. } => 7,
        Task::File { .. } => 8,
        Task::Prices { .. } => 9,
        Task::Sheet(task) => 10 + task.name as usize,
    }
}

/// Starts the engine; `here` does its work in the page where its worker cannot be had, and where that cannot either, `failed`
/// says so.
pub(crate) fn open_engine(here: Engine, failed: RwSignal<bool>) {
    HERE.set(Some(here));
    start(Which::Engine, failed);
}

/// Starts the worker of texts and sheets, where it is not there yet. `failed` says that it could not be started, or stopped.
pub(crate) fn open(failed: RwSignal<bool>) {
    start(Which::Texts, failed);
}

/// Starts engines beside the first, as far as there are cores for them. Each is asked `first`, so that its program is loaded before
/// it is counted on.
pub(crate) fn open_helpers(page: Page, first: &Task, deliver: Deliver) {
    let spare = browser::cores().saturating_sub(CORES_OF_THE_PAGE);
    for which in (0..spare.min(MOST_HELPERS)).map(Which::Helper) {
        begin(which);
        order_of(which, page, first.clone(), deliver, |_, _| ());
    }
}

fn start(which: Which, failed: RwSignal<bool>) {
    let there = which.desk(|desk| {
        desk.failed = Some(failed);
        desk.running.is_some()
    });
    if there {
        return;
    }
    if failed.get_untracked() {
        failed.set(false);
    }
    begin(which);
}

fn begin(which: Which) {
    let begun = if which == Which::Engine { browser::take_engine() } else { None };
    let Some(worker) = begun.or_else(|| new_worker(which)) else {
        return fail(which);
    };
    let heard = EventListener::new(&worker, "message", move |event| {
        let message = event.dyn_ref::<MessageEvent>();
        hear(which, message.and_then(|message| message.data().as_string()));
    });
    let broke = EventListener::new(&worker, "error", move |event| {
        event.prevent_default();
        fail(which);
    });
    run(which, Running::Worker { worker, _listeners: [heard, broke] });
}

fn new_worker(which: Which) -> Option<Worker> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(which.name());
    Worker::new_with_options(&browser::root_says(FILE)?, &options).ok()
}

fn run(which: Which, running: Running) {
    which.desk(|desk| {
        desk.running = Some(running);
        desk.hand_out();
        desk.watch();
        desk.note();
    });
}

impl Desk {
    fn hand_out(&mut self) {
        let Some(running) = &self.running else { return };
        for slot in &mut self.slots {
            if slot.working.is_some() {
                continue;
            }
            let Some(order) = slot.waiting.take() else {
                continue;
            };
            self.last = self.last.wrapping_add(1);
            let request =
                Request { id: self.last, task: order.task.clone(), money: money::shown(), lang: order.page.lang };
            running.give(self.which, request.text());
            slot.working = Some((self.last, order));
        }
    }

    /// What it has in hand waits for the next worker, but for what another may take up: that is returned.
    fn put_back(&mut self) -> Vec<Order> {
        let mut lost = Vec::new();
        for slot in &mut self.slots {
            match slot.take() {
                Some(order) if order.lost.is_some() => lost.push(order),
                order => slot.waiting = order,
            }
        }
        lost
    }

    /// Waits for the worker's next word, where it has anything in hand.
    fn watch(&mut self) {
        let is_worker = matches!(self.running, Some(Running::Worker { .. }));
        let working = is_worker && self.slots.iter().any(|slot| slot.working.is_some());
        let which = self.which;
        self.watch = working.then(|| Timeout::new(self.health.patience_ms(), move || fail(which)));
    }

    /// Says whether there is work. Without a worker there is none: orders wait until a person starts one again.
    fn note(&mut self) {
        if self.running.is_none() || self.slots.iter().all(Slot::is_empty) {
            self.busy = None;
        } else if self.busy.is_none() {
            self.busy = Some(Work::begin());
        }
    }
}

impl Running {
    fn give(&self, which: Which, request: String) {
        match self {
            Self::Worker { worker, .. } => drop(worker.post_message(&request.into())),
            Self::Here(engine) => {
                let reply = engine(request);
                // Not within what asks: the page has its turn in between.
                browser::soon(move || spawn_local(async move { hear(which, Some(reply.await.unwrap_or_default())) }));
            }
        }
    }
}

/// A message of a worker; no text says that it has started, an empty one that it failed.
fn hear(which: Which, message: Option<String>) {
    if message.is_none() {
        return which.desk(|desk| {
            desk.health.started();
            desk.watch();
        });
    }
    let reply = message.and_then(|text| compact::read_text::<Reply>(&text));
    let Some(Reply { id, result }) = reply else {
        return fail(which);
    };
    let order = which.desk(|desk| {
        let done = |slot: &&mut Slot| slot.working.as_ref().is_some_and(|(own, _)| *own == id);
        let slot = desk.slots.iter_mut().find(done)?;
        let (_, order) = slot.working.take()?;
        let wanted = slot.waiting.is_none();
        desk.health.answered();
        desk.is_warm = true;
        desk.hand_out();
        desk.watch();
        wanted.then_some(order)
    });
    if let Some(order) = order {
        (order.deliver)(order.page, result);
    }
    which.desk(Desk::note);
}

/// A worker hangs or died; what it had in hand waits for the next one. An engine beside the first the others do without.
fn fail(which: Which) {
    let (running, lost, failed, remedy) = which.desk(|desk| {
        let lost = desk.put_back();
        desk.watch = None;
        (desk.running.take(), lost, desk.failed, desk.health.failed())
    });
    let was_here = matches!(running, Some(Running::Here(_)));
    if let Some(Running::Worker { worker, .. }) = running {
        worker.terminate();
    }
    give_back(lost);
    let here = HERE.get().filter(|_| which == Which::Engine && !was_here);
    match (failed, remedy, here) {
        // Not from within what the failed one said.
        (Some(failed), Remedy::Restart, _) if !was_here => browser::soon(move || start(which, failed)),
        (_, _, Some(here)) => run(which, Running::Here(here)),
        (failed, ..) => {
            which.desk(Desk::note);
            if let Some(failed) = failed {
                failed.set(true);
            }
        }
    }
}

fn give_back(lost: Vec<Order>) {
    for Order { task, page, lost, .. } in lost {
        if let Some(lost) = lost {
            lost(page, task);
        }
    }
}
