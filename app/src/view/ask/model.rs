//! The model: a name of the catalog, or a pasted `config.json`.

use crate::view::erased::{live, part, press};
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
        let has_file = page
            .form
            .with(|form| !form.get(Field::ModelConfig).is_empty());
        if has_file {
            pasted.set(true);
        }
    });
    let hint = move || {
        let lang = page.lang;
        page.shown.with(|shown| {
            let model = &shown.as_ref()?.found.job.model;
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
        })
    };
    let file = move || {
        pasted.get().then(|| view! {
            <div class=live(move || if problem(page, Field::ModelConfig).is_some() { "field is-err" } else { "field" })>
                <label for="model-config">{page.lang.label(Field::ModelConfig)}</label>
                <textarea id="model-config" class="paste-t" rows="7" spellcheck="false" autocapitalize="off"
                    prop:value=live(move || page.form.with(|form| form.get(Field::ModelConfig).to_owned()))
                    on:input=typing(page, Field::ModelConfig)
                    aria-invalid=live(move || problem(page, Field::ModelConfig).map(|_| "true"))
                    aria-describedby=live(move || if problem(page, Field::ModelConfig).is_some() { "model-config-m" } else { "model-config-d" })>
                </textarea>
                {message(page, Field::ModelConfig)}
                <p class="hint" id="model-config-d">{page.text().config_hint}</p>
            </div>
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
    view! {
        <fieldset class="group">
            <legend>{page.lang.label(Field::Model)}</legend>
            {model_name(page)}
            {part(file)}
            <p class="hint" id="model-d">
                {live(hint)} " "
                <button class="lnk" type="button" id="use-config" on:click=press(toggle)>
                    {live(move || if pasted.get() { page.text().use_name } else { page.text().use_config })}
                </button>
            </p>
        </fieldset>
    }
    .into_any()
}

/// The model by name, with every name of the catalog to choose from.
pub(in crate::view) fn model_name(page: Page) -> AnyView {
    let names = catalog::models()
        .iter()
        .map(|entry| view! { <option value=entry.name>{entry.hf_repo}</option> });
    // The list offers what matches the text; with the text selected, typing starts a new search.
    let select_all =
        |event: web_sys::FocusEvent| event_target::<web_sys::HtmlInputElement>(&event).select();
    view! {
        <div class=live(move || if problem(page, Field::Model).is_some() { "field is-err" } else { "field" })>
            <label class="vh" for="model">{page.lang.label(Field::Model)}</label>
            <input id="model" type="text" list="models" autocomplete="off" spellcheck="false" autocapitalize="off"
                prop:value=live(move || page.form.with(|form| form.get(Field::Model).to_owned()))
                on:focus=select_all
                on:input=typing(page, Field::Model)
                aria-invalid=live(move || problem(page, Field::Model).map(|_| "true"))
                aria-describedby=live(move || if problem(page, Field::Model).is_some() { "model-m" } else { "model-d" })/>
            <datalist id="models">{names.collect_view()}</datalist>
            {message(page, Field::Model)}
        </div>
    }
    .into_any()
}
