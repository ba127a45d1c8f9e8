//! The model: a name of the catalog, or a pasted `config.json`.

use crate::view::dom::{Act, el, live, part, press};
use leptos::prelude::*;

use super::picker::model_name;
use crate::browser;
use crate::follow::follow;
use crate::form::Field;
use crate::format;
use crate::page::Page;
use crate::text::fill;
use crate::view::controls::{message, problem, typing, wrong_class};
use crate::view::icons::icon;

/// The longest file that a link can hold, in bytes.
const MOST_BYTES: f64 = 48.0 * 1024.0;

/// Takes a file that was dropped or chosen as the model.
fn take_file(page: Page, pasted: RwSignal<bool>, left_out: RwSignal<Option<String>>) -> Act {
    Box::new(move |event| {
        let take = move |_, text: String| {
            pasted.set(true);
            page.change(|form| form.set(Field::ModelConfig, text));
        };
        browser::take_files(&event, MOST_BYTES, left_out, Box::new(take));
    })
}

pub(super) fn view(page: Page) -> AnyView {
    let pasted = RwSignal::new(page.form.with_untracked(|form| !form.get(Field::ModelConfig).is_empty()));
    // A file that could not be taken.
    let left_out = RwSignal::new(None);
    // A link or a preset may bring a file, or take it away.
    follow(move || {
        let has_file = !page.typed(Field::ModelConfig).is_empty();
        if has_file {
            pasted.set(true);
        }
    });
    let hint = move || {
        let lang = page.lang;
        let shown = page.answered()?;
        let model = &shown.found.job.model;
        let layers = format::grouped(model.shape.num_hidden_layers);
        let (total, active) = (model.parameters.total, model.parameters.active);
        let total_words = lang.parameters(total);
        Some(if active < total && model.shape.num_experts > 0 {
            fill(lang.text().model_hint_active, &[&total_words, &lang.parameters(active), &layers])
        } else {
            fill(lang.text().model_hint, &[&total_words, &layers])
        })
    };
    let file = move || {
        pasted.get().then(|| {
            el("DIV")
                .live("class", move || format!("field{}", wrong_class(page, Field::ModelConfig)))
                .child(el("LABEL|for=model-config").child(page.lang.label(Field::ModelConfig)))
                .child(
                    el("TEXTAREA.paste-t|id=model-config|rows=7|spellcheck=false|autocapitalize=off")
                        .value(move || page.typed(Field::ModelConfig))
                        .on("input", typing(page, Field::ModelConfig))
                        .live("aria-invalid", move || problem(page, Field::ModelConfig).map(|_| "true"))
                        .live("aria-describedby", move || {
                            if problem(page, Field::ModelConfig).is_some() {
                                "model-config-m"
                            } else {
                                "model-config-d"
                            }
                        }),
                )
                .child(message(page, Field::ModelConfig))
                .child(
                    el("P.hint|id=model-config-d").child(page.text().config_hint).child(" ").child(
                        el("LABEL.lnk file")
                            .child(
                                el("INPUT.vh|type=file|id=config-file|accept=.json,application/json")
                                    .on("change", take_file(page, pasted, left_out)),
                            )
                            .child(page.text().config_choose),
                    ),
                )
        })
    };
    let toggle = move || {
        if pasted.get_untracked() {
            pasted.set(false);
            page.change(|form| form.set(Field::ModelConfig, ""));
        } else {
            pasted.set(true);
        }
    };
    let refused = move || {
        let name = left_out.get()?;
        let words = fill(page.text().config_file, &[&name]);
        Some(el("P.callout callout-bad").child(icon("i-x")).child(el("SPAN").child(words)))
    };
    el("FIELDSET.group")
        .on("dragover", Box::new(|event| event.prevent_default()))
        .on("drop", take_file(page, pasted, left_out))
        .child(el("LEGEND").child(page.lang.label(Field::Model)))
        .child(model_name(page))
        .child(part(file))
        .child(part(refused))
        .child(
            el("P.hint|id=model-d").child(live(hint)).child(" ").child(
                el("BUTTON.lnk|type=button|id=use-config")
                    .on("click", press(toggle))
                    .child(live(move || if pasted.get() { page.text().use_name } else { page.text().use_config })),
            ),
        )
        .into_any()
}
