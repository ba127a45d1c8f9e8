//! The question: a form that is never submitted, because every change is answered at once.

pub(super) mod hardware;
pub(super) mod model;
mod plan;
mod workload;

use crate::view::erased::{live, part, press, typed};
use leptos::prelude::*;
use shardwise_core::presets;
use shardwise_core::wire::PlanSpec;

use super::controls::describe;
use super::icons::icon;
use crate::form::Form;
use crate::page::{Page, Shown};
use crate::text::Lang;

/// A value of the answer, as text for a placeholder or an `auto` choice.
fn found(
    page: Page,
    of: impl Fn(&Shown, Lang) -> String + Send + Sync + 'static,
) -> Signal<String> {
    Signal::derive(move || {
        let lang = page.lang;
        page.shown.with(|shown| {
            shown
                .as_ref()
                .map(|shown| of(shown, lang))
                .unwrap_or_default()
        })
    })
}

/// The same of a field of the plan that was chosen.
fn chosen<T: Copy + 'static>(
    page: Page,
    of: fn(&PlanSpec) -> Option<T>,
    write: fn(T) -> String,
) -> Signal<String> {
    found(page, move |shown, _| {
        of(&shown.found.answer.plan).map(write).unwrap_or_default()
    })
}

pub(super) fn view(page: Page) -> AnyView {
    view! {
        <form class="ask" aria-labelledby="ask-h" on:submit=|event| event.prevent_default()>
            <div class="ask-in">
                <h2 id="ask-h">{page.text().your_question}</h2>
                {start(page)}
                {other_errors(page)}
                {model::view(page)}
                {hardware::view(page)}
                {workload::view(page)}
                {plan::view(page)}
                <p class="ask-f">
                    <button class="btn btn-s btn-q" type="button" id="reset" on:click=press(move || page.reset())>
                        {page.text().reset}
                    </button>
                </p>
            </div>
        </form>
    }
    .into_any()
}

fn start(page: Page) -> AnyView {
    // The preset whose question is asked, unchanged.
    let current = Memo::new(move |_| {
        page.shown
            .with(|shown| {
                let question = &shown.as_ref()?.question;
                presets::presets()
                    .iter()
                    .find(|preset| preset.question().as_ref() == Some(question))
            })
            .map(|preset| preset.id)
    });
    let options = presets::presets().iter().map(|preset| {
        let name = move || match page.lang {
            Lang::En => preset.name_en,
            Lang::Zh => preset.name_zh,
        };
        let selected = move || current.get() == Some(preset.id);
        view! { <option value=preset.id prop:selected=live(selected)>{name}</option> }
    });
    let note = move || {
        let id = current.get()?;
        let preset = presets::presets().iter().find(|preset| preset.id == id)?;
        let words = match page.lang {
            Lang::En => preset.note_en,
            Lang::Zh => preset.note_zh,
        };
        let text = page.text();
        Some(view! {
            <p class="hint preset-note">
                {words} " "
                <a href=preset.source.url rel="noopener" target="_blank">{text.preset_source}</a>
            </p>
        })
    };
    view! {
        <div class="ask-start">
            <label class="vh" for="preset">{page.text().preset_label}</label>
            <select id="preset" on:change=typed(move |id| {
                let preset = presets::presets().iter().find(|preset| preset.id == id);
                if let Some(question) = preset.and_then(presets::Preset::question) {
                    page.change(|form| *form = Form::of(&question));
                }
            })>
                <option value="" prop:selected=live(move || current.get().is_none())>{page.text().presets}</option>
                {options.collect_view()}
            </select>
            {part(note)}
        </div>
    }
    .into_any()
}

/// Errors about values that have no control here: they came with a link.
fn other_errors(page: Page) -> AnyView {
    part(move || {
        let errors = page.errors.get();
        let others: Vec<_> = errors
            .into_iter()
            .filter(|error| error.field.is_none())
            .collect();
        (!others.is_empty()).then(|| {
            let lines = others.into_iter().map(|error| {
                let words = describe(page, &error);
                view! { <p class="callout callout-bad">{icon("i-x")}<span>{words}</span></p> }
            });
            lines.collect_view()
        })
    })
}
