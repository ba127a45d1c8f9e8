//! The question: a form that is never submitted, because every change is answered at once.

pub(super) mod framework;
pub(super) mod hardware;
mod model;
pub(super) mod picker;
pub(super) mod plan;
mod values;
mod workload;

use crate::view::dom::{all, el, node, part, press, press_link, typed};
use crate::view::steps::at;
use leptos::prelude::*;
use shardwise_core::presets;

use super::comfort::recent_button;
use super::controls::describe;
use super::icons::icon;
use crate::form::Field;
use crate::page::Page;
use crate::text::Lang;

pub(super) fn view(page: Page) -> AnyView {
    el("FORM.ask|aria-labelledby=ask-h")
        .on("submit", press_link(|| ()))
        .child(
            el("DIV.ask-in")
                .child(el("H2|id=ask-h").child(page.text().your_question))
                .child(at(page, 1, about_hardware))
                .child(at(page, 2, about_training))
                .child(
                    el("P.ask-f").child(
                        el("BUTTON.btn btn-s btn-q|type=button|id=reset")
                            .on("click", press(move || page.reset()))
                            .child(page.text().reset),
                    ),
                ),
        )
        .into_any()
}

fn about_hardware(page: Page) -> AnyView {
    node(vec![framework::view(page), start(page), other_errors(page), model::view(page), hardware::view(page)])
}

fn about_training(page: Page) -> AnyView {
    node(vec![workload::view(page), plan::view(page)])
}

fn start(page: Page) -> AnyView {
    let current = move || page.answered().and_then(|shown| shown.preset);
    let all = presets::presets();
    let groups = all.chunk_by(|one, next| one.group == next.group);
    let options = groups.map(|group| {
        let options = group.iter().map(|preset| {
            let selected = move || current().is_some_and(|current| current.id == preset.id);
            el("OPTION")
                .set("value", preset.id)
                .flag("selected", selected)
                .child(preset.name)
        });
        let name = group.first().map_or("", |preset| preset.group);
        el("OPTGROUP").set("label", name).children(options)
    });
    let note = move || {
        let preset = current()?;
        let words = match page.lang {
            Lang::En => preset.note.0,
            Lang::Zh => preset.note.1,
        };
        let text = page.text();
        Some(
            el("P.hint preset-note").child(words).child(" ").child(
                el("A")
                    .set("href", preset.source.url)
                    .set("rel", "noopener")
                    .set("target", "_blank")
                    .child(text.preset_source),
            ),
        )
    };
    el("DIV.ask-start")
        .child(el("LABEL.vh|for=preset").child(page.text().preset_label))
        .child(
            el("SELECT|id=preset")
                .on(
                    "change",
                    typed(move |id| {
                        let preset = presets::presets().iter().find(|preset| preset.id == id);
                        if let Some(question) = preset.and_then(presets::Preset::question) {
                            page.replace(|form| {
                                // Another example of the session, under the same factors.
                                let own = form.calibration();
                                let sure = form.get(Field::Confidence).to_owned();
                                form.load(&question);
                                form.calibrate(own);
                                form.set(Field::Confidence, sure);
                            });
                        }
                    }),
                )
                .child(
                    el("OPTION|value=")
                        .flag("selected", move || current().is_none())
                        .child(page.text().presets),
                )
                .children(options),
        )
        .child(part(note))
        .child(
            el("DIV.starts")
                .child(
                    el("BUTTON.btn|type=button|id=paste-open|popovertarget=paste")
                        .child(icon("i-paste"))
                        .child(page.text().paste),
                )
                .child(recent_button(page)),
        )
        .into_any()
}

/// Errors about values that have no control here: they came with a link.
fn other_errors(page: Page) -> AnyView {
    part(move || {
        let errors = page.wrong();
        let others: Vec<_> = errors.into_iter().filter(|error| error.field.is_none()).collect();
        (!others.is_empty()).then(|| {
            let lines = others.into_iter().map(|error| {
                let words = describe(page, &error);
                el("P.callout callout-bad").child(icon("i-x")).child(el("SPAN").child(words))
            });
            all(lines)
        })
    })
}
