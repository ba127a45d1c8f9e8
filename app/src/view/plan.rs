//! The plan, part by part: each is a control that opens what else it could be.

mod alternatives;
mod why_not;

use leptos::ev::MouseEvent;

use super::fold;
use crate::parts::{self, Part};
use crate::view::prelude::*;

pub(super) use alternatives::Alternatives;
pub(super) use why_not::WhyNot;

/// A part: a button where a person may choose it, else words.
#[component]
fn Chip(page: Page, part: Part) -> impl IntoView {
    let (field, words, pinned) = match part {
        Part::Follows(words) => return view! { <Told words/> },
        Part::Choice { field, words, pinned } => (field, words, pinned),
    };
    let text = page.text();
    let state = if pinned { text.chip_pinned } else { text.chip_found };
    view! {
        <li>
            <button
                type="button"
                popovertarget="alternatives"
                aria-haspopup="dialog"
                class=if pinned { "chip is-pinned" } else { "chip" }
                id=alternatives::chip_id(field)
                aria-expanded=move || alternatives::is_of(page, field).to_string()
                on:click=move |_| alternatives::ask(page, field)
            >
                {pinned.then(|| view! { <Icon name="i-pin"/> })}
                <span>{words}</span>
                <span class="vh">{format!(", {} ({state})", page.lang.label(field))}</span>
            </button>
        </li>
    }
}

/// A part in words.
#[component]
fn Told(words: String) -> impl IntoView {
    view! { <li class="chip-d">{words}</li> }
}

/// The chips of a row. A part that a plan lacks keeps its place, so that the others stay the elements that they are.
#[component]
fn Row(page: Page, name: &'static str, parts: Vec<Option<Part>>) -> impl IntoView {
    let any = parts.iter().any(Option::is_some);
    let chips = parts.into_iter().map(move |part| part.map(|part| view! { <Chip page part/> }));
    any.then(|| {
        view! {
            <div class="chips-g">
                <p class="chips-l">{name}</p>
                <ul class="chips" aria-label=name>{chips.collect_view()}</ul>
            </div>
        }
    })
}

/// The plan without controls, in words.
#[component]
pub(super) fn ToldPlan(page: Page, shown: Arc<Shown>) -> impl IntoView {
    let parts = parts::of(&shown.question, &shown.found.job, &shown.found.answer, page.lang);
    // What splits nothing is no news to a reader who cannot change it.
    let splits = |part: &Part| match part {
        Part::Choice { field: Field::RolloutTensorParallel, .. } | Part::Follows(_) => true,
        Part::Choice { words, .. } => !words.ends_with("\u{a0}1"),
    };
    let words = |part: Part| match part {
        Part::Choice { field: Field::RolloutTensorParallel, words, .. } => {
            format!("{} {words}", page.text().row_rollout)
        }
        Part::Choice { words, .. } | Part::Follows(words) => words,
    };
    let told = parts.all().filter(splits).map(|part| view! { <Told words=words(part)/> });
    view! { <ul class="emb-pl">{told.collect_view()}</ul> }
}

/// What the plan is the best of.
fn best_of(page: Page) -> String {
    let text = page.text();
    let tried = page.market().tried();
    tried.map_or_else(|| text.the_plan.to_owned(), |tried| fill(text.best_of, &[&tried]))
}

#[component]
pub(super) fn Plan(page: Page, shown: Arc<Shown>) -> impl IntoView {
    let text = page.text();
    let runs = shown.found.answer.framework.map(words::framework_name);
    let calibrate = move |event: MouseEvent| {
        event.prevent_default();
        fold::go(page, "calibrate");
    };
    let parts = parts::of(&shown.question, &shown.found.job, &shown.found.answer, page.lang);
    // What only generates has no layout that a textbook speaks of.
    let trains = !parts.train.is_empty();
    view! {
        <div class="verdict-plan">
            <div class="vp-h">
                {runs.map(|runs| view! { <p class="vp-f" id="plan-framework">{runs}</p> })}
                <p>{move || best_of(page)}</p>
            </div>
            <Row page name=text.row_train parts=parts.train/>
            <Row page name=text.row_rollout parts=parts.rollout/>
            <div class="vp-a">
                <button class="btn btn-s" type="button" id="pin-a" on:click=move |_| page.put_aside()>
                    <Icon name="i-pin"/>
                    {text.pin_a}
                </button>
                {trains.then(|| view! { <why_not::WhyNotButton page/> })}
                {shown.found.answer.interval.map(|interval| view! {
                    <p class="vp-n">
                        {fill(text.interval_note, &[&format::percent(interval.coverage, 0)])}
                        " "
                        <a href="#calibrate" on:click=calibrate>{text.cal_link}</a>
                    </p>
                })}
            </div>
        </div>
    }
}
