//! The model: a name of the catalog, or a pasted `config.json`.

use crate::view::dom::{Act, el, live, part, press};
use leptos::prelude::*;
use shardwise_core::catalog;

use crate::form::Field;
use crate::format;
use crate::page::Page;
use crate::text::fill;
use crate::view::controls::{message, problem, typing};

pub(super) fn view(page: Page) -> AnyView {
    let pasted = RwSignal::new(
        page.form
            .with_untracked(|form| !form.get(Field::ModelConfig).is_empty()),
    );
    // A link or a preset may bring a file, or take it away.
    Effect::new(move || {
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
            fill(
                lang.text().model_hint_active,
                &[&total_words, &lang.parameters(active), &layers],
            )
        } else {
            fill(lang.text().model_hint, &[&total_words, &layers])
        })
    };
    let file = move || {
        pasted.get().then(|| {
            el("DIV")
                .live("class", move || {
                    if problem(page, Field::ModelConfig).is_some() {
                        "field is-err"
                    } else {
                        "field"
                    }
                })
                .child(
                    el("LABEL|for=model-config")
                        .child(page.lang.label(Field::ModelConfig)),
                )
                .child(
                    el("TEXTAREA.paste-t|id=model-config|rows=7|spellcheck=false|autocapitalize=off")
                        .value(move || {
                            page.typed(Field::ModelConfig)
                        })
                        .on("input", typing(page, Field::ModelConfig))
                        .live("aria-invalid", move || {
                            problem(page, Field::ModelConfig).map(|_| "true")
                        })
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
                    el("P.hint|id=model-config-d")
                        .child(page.text().config_hint),
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
    el("FIELDSET.group")
        .child(el("LEGEND").child(page.lang.label(Field::Model)))
        .child(model_name(page))
        .child(part(file))
        .child(
            el("P.hint|id=model-d").child(live(hint)).child(" ").child(
                el("BUTTON.lnk|type=button|id=use-config")
                    .on("click", press(toggle))
                    .child(live(move || {
                        if pasted.get() {
                            page.text().use_name
                        } else {
                            page.text().use_config
                        }
                    })),
            ),
        )
        .into_any()
}

/// The model by name, with every name of the catalog to choose from.
pub(in crate::view) fn model_name(page: Page) -> AnyView {
    let names = catalog::models()
        .iter()
        .map(|entry| el("OPTION").set("value", entry.name).child(entry.hf_repo));
    // The list offers what matches the text; with the text selected, typing starts a new search.
    let select_all: Act =
        Box::new(|event| event_target::<web_sys::HtmlInputElement>(&event).select());
    el("DIV")
        .live("class", move || {
            if problem(page, Field::Model).is_some() {
                "field is-err"
            } else {
                "field"
            }
        })
        .child(
            el("LABEL.vh|for=model")
                .child(page.lang.label(Field::Model)),
        )
        .child(
            el("INPUT|id=model|type=text|list=models|autocomplete=off|spellcheck=false|autocapitalize=off")
                .value(move || page.typed(Field::Model))
                .on("focus", select_all)
                .on("input", typing(page, Field::Model))
                .live("aria-invalid", move || {
                    problem(page, Field::Model).map(|_| "true")
                })
                .live("aria-describedby", move || {
                    if problem(page, Field::Model).is_some() {
                        "model-m"
                    } else {
                        "model-d"
                    }
                }),
        )
        .child(el("DATALIST|id=models").children(names))
        .child(message(page, Field::Model))
        .into_any()
}
