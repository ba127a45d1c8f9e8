//! What the best GPU type is: the cheapest, the fastest, or either within a deadline or a budget.

use std::cell::Cell;

use super::fold;
use serde_json::Value;
use shardwise_core::Objective;
use shardwise_core::search::measures;
use shardwise_core::wire::to_value;

use super::controls::{Plain, Segments, bad_number};
use super::sheet;
use crate::compute::Market;
use crate::follow::follow_at_rest;
use crate::form::{Field, units};
use crate::page::{Order, Page};
use crate::protocol::estimate::Offered;
use crate::protocol::{Name, SheetTask, Task};
use crate::view::prelude::*;

/// A choice with its name.
type Choice = (Order, fn(&Text) -> &'static str);

/// The choices.
const ORDERS: [Choice; 4] = [
    (Order::Fastest, |text| text.fastest),
    (Order::Cheapest, |text| text.cheapest),
    (Order::Deadline, |text| text.by_deadline),
    (Order::Budget, |text| text.by_budget),
];

/// After how long without a change the worker is asked, in milliseconds.
const REST_MS: u32 = 200;

thread_local! {
    /// How many slices of the rows have come since they were asked for.
    static SLICES: Cell<u32> = const { Cell::new(0) };
}

/// The limits that a choice goes by, its own first; none where it has none.
fn limits_of(page: Page, order: Order) -> Option<[RwSignal<String>; 2]> {
    match order {
        Order::Deadline => Some([page.deadline, page.budget]),
        Order::Budget => Some([page.budget, page.deadline]),
        Order::Fastest | Order::Cheapest => None,
    }
}

/// A limit as it is typed; an error in words where it is none, nothing where there is none yet.
fn read(page: Page, typed: RwSignal<String>) -> Option<Result<f64, &'static str>> {
    let typed = typed.get();
    if typed.trim().is_empty() {
        return None;
    }
    let text = page.text();
    Some(match units::number(&typed, 1000.0) {
        Ok(limit) if limit > 0.0 => Ok(limit),
        Ok(_) => Err(text.above_zero),
        Err(error) => Err(bad_number(error, text)),
    })
}

/// The limit that the choice is named after.
fn limit_of(page: Page) -> Option<Result<f64, &'static str>> {
    let [own, _] = limits_of(page, page.order.get())?;
    read(page, own)
}

/// What is chosen; without the limit where there is none to hold.
pub(super) fn of(page: Page, market: &Market) -> Objective {
    let order = page.order.get();
    let limit = limit_of(page).and_then(Result::ok);
    let unlimited = match order {
        Order::Cheapest | Order::Deadline => Objective::Cost,
        Order::Fastest | Order::Budget => Objective::Time,
    };
    let limited = match (order, limit) {
        (Order::Deadline, Some(hours)) => Objective::CostWithin { hours },
        (Order::Budget, Some(usd)) => Objective::TimeWithin { usd },
        _ => return unlimited,
    };
    // The question may have no run any more, or the market not yet.
    match measures::rank(market.fitting(), limited) {
        Ok(_) => limited,
        Err(_) => unlimited,
    }
}

/// Places of the offers that fit, best first.
pub(super) fn ranked(market: &Market, objective: Objective) -> Vec<usize> {
    measures::rank(market.fitting(), objective).unwrap_or_default()
}

/// What is said of a type that misses the limit; `None` where there is no limit.
pub(super) fn missing(objective: Objective, text: &Text) -> Option<&'static str> {
    match objective {
        Objective::CostWithin { .. } => Some(text.misses_deadline),
        Objective::TimeWithin { .. } => Some(text.misses_budget),
        Objective::Cost | Objective::Time | Objective::Gpus => None,
    }
}

/// The name of an offer's GPU type.
pub(super) fn name(offer: &Offered, page: Page) -> String {
    let id = offer.gpu.as_deref();
    id.map_or_else(|| page.text().gpu_own.to_owned(), words::gpu_label)
}

/// The choice.
#[component]
pub(super) fn Orders(page: Page) -> impl IntoView {
    let text = page.text();
    let choices = ORDERS.map(|(order, name)| (order, name(text))).into();
    let choose = move |order| page.order.set(order);
    view! { <Segments class="seg tools" name=text.sort_by choices chosen=page.order choose/> }
}

/// The fields of the limits, where the choice has any, and what keeps them.
#[component]
pub(super) fn Limits(page: Page) -> impl IntoView {
    let fields = move || {
        let order = page.order.get();
        let [own, other] = limits_of(page, order)?;
        let text = page.text();
        let (names, usd) = match order {
            Order::Deadline => ([text.deadline_label, text.budget_also], [false, true]),
            _ => ([text.budget_label, text.deadline_also], [true, false]),
        };
        Some(view! {
            <div class="limit-r">
                <Limit page id="limit" label=names[0] limit=own usd=usd[0]/>
                <Limit page id="limit-also" label=names[1] limit=other usd=usd[1]/>
                {move || no_run(page).then(|| view! { <RunWanted page/> })}
            </div>
        })
    };
    order_rows(page);
    view! { {fields} {sheet::host(page, Name::Within)} }
}

/// Whether there is no run to hold a limit against.
fn no_run(page: Page) -> bool {
    page.answered().is_some_and(|shown| shown.found.answer.run.is_none())
}

#[component]
fn RunWanted(page: Page) -> impl IntoView {
    let text = page.text();
    let go = move |_| fold::go_into(page, Fold::Run, &Field::RunExamples.id());
    view! {
        <p class="hint" id="limit-n">
            {text.need_run} " "
            <button class="lnk" type="button" on:click=go>
                {text.need_run_go}
            </button>
        </p>
    }
}

#[component]
fn Limit(page: Page, id: &'static str, label: &'static str, limit: RwSignal<String>, usd: bool) -> impl IntoView {
    let wrong = Signal::derive(move || read(page, limit)?.err());
    let hint = Signal::derive(move || no_run(page).then_some("limit-n"));
    // Dollars, on a page that shows another currency.
    let reading = move || {
        let typed = read(page, limit).and_then(Result::ok).filter(|_| usd);
        typed
            .and_then(money::typed)
            .map(|reading| view! { <p class="hint read">{reading}</p> })
    };
    view! { <Plain id class=" limit" label typed=limit wrong hint>{reading}</Plain> }
}

/// What the worker has to know to hold the limits against GPU types and numbers; nothing where there is no limit.
fn task(page: Page) -> Option<SheetTask> {
    let order = page.order.get();
    limits_of(page, order)?;
    let limit = |typed: RwSignal<String>| read(page, typed).and_then(Result::ok);
    let limits = [("hours", limit(page.deadline)), ("usd", limit(page.budget))];
    let shown = page.answered()?;
    if shown.found.answer.run.is_none() || limits.iter().all(|(_, limit)| limit.is_none()) {
        return None;
    }
    let mut state = page.sheet(Name::Within).state.get();
    for (key, limit) in limits {
        state.insert(key.to_owned(), limit.into());
    }
    state.insert("fastest".to_owned(), (order == Order::Budget).into());
    let question = to_value(&shown.question);
    Some(SheetTask { name: Name::Within, question, width: 0, state })
}

/// GPU types with several numbers of GPUs, held against the limits. The worker tries them some at a time, so that it has
/// time for the rest of the page.
fn order_rows(page: Page) {
    follow_at_rest(REST_MS, move || {
        let Some(task) = task(page) else {
            page.sheet(Name::Within).blocks.set(None);
            return None;
        };
        Some(Box::new(move || {
            SLICES.set(0);
            desk::order(page, Task::Sheet(task), deliver);
        }))
    });
}

/// Takes some rows, and asks for more. The first are shown, and then ever fewer in between, so that rows do not change under
/// the pointer.
fn deliver(page: Page, found: Value) {
    let more = found["more"] == true;
    SLICES.set(SLICES.get() + 1);
    if !more || SLICES.get().is_power_of_two() {
        sheet::deliver(page, found);
    }
    let next = untrack(|| task(page)).filter(|_| more);
    if let Some(task) = next {
        desk::order(page, Task::Sheet(task), deliver);
    }
}
