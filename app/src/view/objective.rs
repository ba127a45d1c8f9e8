//! What the best GPU type is: the cheapest, the fastest, or either within a deadline or a budget.

use super::dom::{el, part, press, typed};
use leptos::prelude::*;
use shardwise_core::Objective;
use shardwise_core::search::market;
use shardwise_core::search::sweep::Offer;

use super::controls::bad_number;
use super::icons::icon;
use crate::compute::Market;
use crate::form::units;
use crate::format;
use crate::page::{Order, Page};
use crate::text::{Text, fill};
use crate::words;

/// A choice with its name.
type Choice = (Order, fn(&Text) -> &'static str);

/// The choices.
const ORDERS: [Choice; 4] = [
    (Order::Fastest, |text| text.fastest),
    (Order::Cheapest, |text| text.cheapest),
    (Order::Deadline, |text| text.by_deadline),
    (Order::Budget, |text| text.by_budget),
];

/// The limit of a choice as it is typed; `None` where the choice has none.
fn typed_limit(page: Page, order: Order) -> Option<RwSignal<String>> {
    match order {
        Order::Deadline => Some(page.deadline),
        Order::Budget => Some(page.budget),
        Order::Fastest | Order::Cheapest => None,
    }
}

/// The limit that is typed; an error in words where it is no limit, nothing where there is none yet.
fn limit_of(page: Page) -> Option<Result<f64, &'static str>> {
    let typed = typed_limit(page, page.order.get())?.get();
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

/// What is wrong with the limit: the number, or that the question has no run to hold against it.
fn problem(page: Page) -> Option<&'static str> {
    typed_limit(page, page.order.get())?;
    let shown = page.answered()?;
    if shown.found.answer.run.is_none() {
        return Some(page.text().need_tokens);
    }
    limit_of(page)?.err()
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
    match market::ranked(&market.offers, limited) {
        Ok(_) => limited,
        Err(_) => unlimited,
    }
}

/// Places of the offers that fit, best first.
pub(super) fn ranked(market: &Market, objective: Objective) -> Vec<usize> {
    market::ranked(&market.offers, objective).unwrap_or_default()
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
pub(super) fn name(offer: &Offer, page: Page) -> String {
    let id = offer.hardware.gpu.as_str();
    id.map_or_else(|| page.text().gpu_own.to_owned(), words::gpu_label)
}

/// The best within the limit, in a sentence; `None` where there is no limit.
pub(super) fn takeaway(page: Page, market: &Market) -> Option<String> {
    let text = page.text();
    let objective = of(page, market);
    let place = *ranked(market, objective).first()?;
    let offer = market.offers.get(place)?;
    let run = offer.result.as_ref().ok()?.answer.run?;
    let meets = market::meets(offer, objective);
    let (sentence, limit) = match (objective, meets) {
        (Objective::CostWithin { hours }, true) => (text.take_deadline, format::trimmed(hours)),
        (Objective::CostWithin { hours }, false) => (text.none_deadline, format::trimmed(hours)),
        (Objective::TimeWithin { usd }, true) => (text.take_budget, format::usd(usd)),
        (Objective::TimeWithin { usd }, false) => (text.none_budget, format::usd(usd)),
        _ => return None,
    };
    let usd = run.usd.map_or_else(|| text.price_missing.to_owned(), format::usd);
    let values = [name(offer, page), limit, format::figure(run.hours), usd];
    Some(fill(sentence, &[&values[0], &values[1], &values[2], &values[3]]))
}

/// The choice.
pub(super) fn view(page: Page) -> AnyView {
    let button = |(order, name): Choice| {
        el("BUTTON.seg-b|type=button")
            .live("aria-pressed", move || (page.order.get() == order).to_string())
            .on("click", press(move || page.order.set(order)))
            .child(name(page.text()))
    };
    el("DIV.seg tools|role=group")
        .set("aria-label", page.text().sort_by)
        .children(ORDERS.map(button))
        .into_any()
}

/// The field of the limit, where the choice has one.
pub(super) fn limit(page: Page) -> AnyView {
    part(move || {
        let order = page.order.get();
        typed_limit(page, order).map(|limit| field(page, order, limit))
    })
}

fn field(page: Page, order: Order, limit: RwSignal<String>) -> AnyView {
    let text = page.text();
    let label = match order {
        Order::Deadline => text.deadline_label,
        _ => text.budget_label,
    };
    let wrong = move || problem(page).is_some();
    let input = el("INPUT|id=limit|type=text|inputmode=decimal|autocomplete=off|spellcheck=false")
        .value(move || limit.get())
        .on("input", typed(move |typed| limit.set(typed)))
        .live("aria-invalid", move || wrong().then_some("true"))
        .live("aria-describedby", move || wrong().then_some("limit-m"));
    let message = move || problem(page).map(|problem| el("P.msg|id=limit-m").child(icon("i-x")).child(problem));
    el("DIV")
        .live("class", move || if wrong() { "field limit is-err" } else { "field limit" })
        .child(el("LABEL|for=limit").child(label))
        .child(input)
        .child(part(message))
        .into_any()
}
