//! The model: a name of the catalog, or a pasted `config.json`.

use leptos::ev::Event;

use super::picker::ModelName;
use crate::form::{Field, Form};
use crate::view::controls::{Message, problem, type_in, wrong_class};
use crate::view::icons::Refusal;
use crate::view::prelude::*;

/// The longest file that a link can hold, in bytes.
const MOST_BYTES: f64 = 48.0 * 1024.0;

/// What there is to know of the model that is asked, which an answer may not be there for.
fn hint(page: Page) -> Option<String> {
    let lang = page.lang;
    let model = page.form.with(Form::named_model)?;
    let layers = format::grouped(model.shape.num_hidden_layers);
    let (total, active) = (model.parameters.total, model.parameters.active);
    let total_words = lang.parameters(total);
    Some(if active < total && model.shape.num_experts > 0 {
        fill(lang.text().model_hint_active, &[&total_words, &lang.parameters(active), &layers])
    } else {
        fill(lang.text().model_hint, &[&total_words, &layers])
    })
}

#[component]
pub(super) fn Model(page: Page) -> impl IntoView {
    let text = page.text();
    let pasted = RwSignal::new(page.form.with_untracked(|form| !form.get(Field::ModelConfig).is_empty()));
    // A file that could not be taken.
    let left_out = RwSignal::new(None::<String>);
    // A link or a preset may bring a file, or take it away.
    follow(move || {
        let has_file = !page.typed(Field::ModelConfig).is_empty();
        if has_file {
            pasted.set(true);
        }
    });
    // Takes a file that was dropped or chosen as the model.
    let take_file = move |event: &Event| {
        let take = move |name: String, text: String, whole: bool| {
            if !whole {
                left_out.set(Some(name));
                return;
            }
            pasted.set(true);
            page.change(|form| form.set(Field::ModelConfig, text));
        };
        browser::take_files(event, u32::MAX, MOST_BYTES, left_out, Box::new(take));
    };
    let toggle = move |_| {
        if pasted.get_untracked() {
            pasted.set(false);
            page.change(|form| form.set(Field::ModelConfig, ""));
        } else {
            pasted.set(true);
        }
    };
    view! {
        <fieldset class="group" on:dragover=|event| event.prevent_default() on:drop=move |event| take_file(&event)>
            <legend>{page.lang.label(Field::Model)}</legend>
            <ModelName page/>
            {move || pasted.get().then(|| view! {
                <ConfigFile page>
                    <input
                        class="vh"
                        type="file"
                        id="config-file"
                        accept=".json,application/json"
                        on:change=move |event| take_file(&event)
                    />
                </ConfigFile>
            })}
            {move || left_out.get().map(|name| view! { <Refusal words=fill(text.config_file, &[&name])/> })}
            <p class="hint" id="model-d">
                {move || hint(page)}
                " "
                <button class="lnk" type="button" id="use-config" on:click=toggle>
                    {move || if pasted.get() { text.use_name } else { text.use_config }}
                </button>
            </p>
        </fieldset>
    }
}

/// A pasted file; what is inside chooses one.
#[component]
fn ConfigFile(page: Page, children: Children) -> impl IntoView {
    let (text, field) = (page.text(), Field::ModelConfig);
    let wrong = move || problem(page, field).is_some();
    view! {
        <div class=move || format!("field{}", wrong_class(page, field))>
            <label for="model-config">{page.lang.label(field)}</label>
            <textarea
                class="paste-t"
                id="model-config"
                rows="7"
                spellcheck="false"
                autocapitalize="off"
                prop:value=move || page.typed(field)
                on:input=move |event| type_in(page, field, &event)
                aria-invalid=move || wrong().then_some("true")
                aria-describedby=move || if wrong() { "model-config-m" } else { "model-config-d" }
            ></textarea>
            <Message page field/>
            <p class="hint" id="model-config-d">
                {text.config_hint}
                " "
                <label class="lnk file">
                    {children()}
                    {text.config_choose}
                </label>
            </p>
        </div>
    }
}
