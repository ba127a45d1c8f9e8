//! The page's side: starts the worker, hands it one task of a kind at a time, and drops answers that are no longer wanted.

use std::cell::RefCell;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use super::health::{Health, Remedy};
use crate::browser;
use crate::busy::Work;
use crate::page::Page;
use crate::protocol::{Name, Reply, Request, Task};

/// The attribute of the root element that names the worker's file.
const FILE: &str = "data-texts";

/// Kinds of tasks: a newer one takes the place of an older one of its kind.
const KINDS: usize = 8 + Name::COUNT;

/// What takes an answer.
type Deliver = fn(Page, Value);

#[derive(Clone)]
struct Order {
    task: Task,
    page: Page,
    deliver: Deliver,
}

/// The orders of a kind.
struct Slot {
    waiting: Option<Order>,
    working: Option<(u32, Order)>,
}

struct Running {
    worker: Worker,
    _listeners: [EventListener; 2],
}

struct Desk {
    running: Option<Running>,
    failed: Option<RwSignal<bool>>,
    health: Health,
    /// Ends what hangs; none while the worker has nothing in hand.
    watch: Option<Timeout>,
    last: u32,
    slots: [Slot; KINDS],
    busy: Option<Work>,
}

thread_local! {
    static DESK: RefCell<Desk> = const {
        RefCell::new(Desk {
            running: None,
            failed: None,
            health: Health::NEW,
            watch: None,
            last: 0,
            slots: [const { Slot { waiting: None, working: None } }; KINDS],
            busy: None,
        })
    };
}

/// Orders a task. What it finds is delivered, unless a newer one of its kind is ordered before.
pub(crate) fn order(page: Page, task: Task, deliver: Deliver) {
    let kind = kind(&task);
    DESK.with_borrow_mut(|desk| {
        desk.slots[kind].waiting = Some(Order { task, page, deliver });
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
        Task::Flags { .. } => 0,
        Task::Serves { .. } => 1,
        Task::Read { .. } => 2,
        // The page never asks for the others: the build and frame.js do.
        Task::Say { .. } | Task::Document { .. } | Task::Link { .. } | Task::Answer { .. } => 3,
        Task::Choose { .. } => 4,
        Task::Offer { .. } => 5,
        Task::Sample { .. } => 6,
        Task::File { .. } => 7,
        Task::Sheet(task) => 8 + task.name as usize,
    }
}

/// Starts the worker, where it is not there yet. `failed` says that it could not be started, or stopped.
pub(crate) fn open(failed: RwSignal<bool>) {
    let there = DESK.with_borrow_mut(|desk| {
        desk.failed = Some(failed);
        desk.running.is_some()
    });
    if there {
        return;
    }
    failed.set(false);
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = browser::root_says(FILE).and_then(|address| Worker::new_with_options(&address, &options).ok());
    let Some(worker) = worker else {
        return fail();
    };
    let heard = EventListener::new(&worker, "message", |event| {
        let message = event.dyn_ref::<MessageEvent>();
        hear(message.and_then(|message| message.data().as_string()));
    });
    let broke = EventListener::new(&worker, "error", |event| {
        event.prevent_default();
        fail();
    });
    DESK.with_borrow_mut(|desk| {
        desk.running = Some(Running { worker, _listeners: [heard, broke] });
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
            let request = Request { id: self.last, task: order.task.clone() };
            let text = serde_json::to_string(&request).unwrap_or_default();
            let _ = running.worker.post_message(&text.into());
            slot.working = Some((self.last, order));
        }
    }

    /// Waits for the worker's next word, where it has anything in hand.
    fn watch(&mut self) {
        let working = self.running.is_some() && self.slots.iter().any(|slot| slot.working.is_some());
        self.watch = working.then(|| Timeout::new(self.health.patience_ms(), fail));
    }

    /// Says whether there is work. Without a worker there is none: orders wait until a person starts one again.
    fn note(&mut self) {
        let open = |slot: &Slot| slot.waiting.is_some() || slot.working.is_some();
        if self.running.is_none() || !self.slots.iter().any(open) {
            self.busy = None;
        } else if self.busy.is_none() {
            self.busy = Some(Work::begin());
        }
    }
}

/// A message of the worker; no text says that it has started, an empty one that it failed.
fn hear(message: Option<String>) {
    if message.is_none() {
        return DESK.with_borrow_mut(|desk| {
            desk.health.started();
            desk.watch();
        });
    }
    let reply = message.and_then(|text| serde_json::from_str::<Reply>(&text).ok());
    let Some(Reply { id, result }) = reply else {
        return fail();
    };
    let order = DESK.with_borrow_mut(|desk| {
        let done = |slot: &&mut Slot| slot.working.as_ref().is_some_and(|(own, _)| *own == id);
        let slot = desk.slots.iter_mut().find(done)?;
        let (_, order) = slot.working.take()?;
        let wanted = slot.waiting.is_none();
        desk.health.answered();
        desk.hand_out();
        desk.watch();
        wanted.then_some(order)
    });
    if let Some(order) = order {
        (order.deliver)(order.page, result);
    }
    DESK.with_borrow_mut(Desk::note);
}

/// The worker hangs or died; what it had in hand waits for the next one.
fn fail() {
    let (running, failed, remedy) = DESK.with_borrow_mut(|desk| {
        for slot in &mut desk.slots {
            let left = slot.working.take().map(|(_, order)| order);
            slot.waiting = slot.waiting.take().or(left);
        }
        desk.watch = None;
        (desk.running.take(), desk.failed, desk.health.failed())
    });
    if let Some(running) = running {
        running.worker.terminate();
    }
    match (failed, remedy) {
        // Not from within what the failed one said.
        (Some(failed), Remedy::Restart) => browser::soon(move || open(failed)),
        (failed, _) => {
            DESK.with_borrow_mut(Desk::note);
            if let Some(failed) = failed {
                failed.set(true);
            }
        }
    }
}
