//! A box for a text that is pasted, dropped or opened.

use crate::view::prelude::*;
use leptos::ev::Event;

/// Takes a file: its name, the beginning of its text, and whether that is all.
type Take = fn(Page, String, String, bool);

/// The box with what is `typed`, and a button for a file, of which `take` gets the first `most` bytes. Its elements are named
/// after `name`; what is inside stands below it.
#[component]
pub(super) fn TextBox(
    page: Page,
    name: &'static str,
    label: &'static str,
    note: &'static str,
    /// The endings of files.
    accept: &'static str,
    #[prop(optional, into)] placeholder: Option<String>,
    typed: RwSignal<String>,
    most: usize,
    take: Take,
    children: Children,
) -> impl IntoView {
    let text = page.text();
    let left_out = RwSignal::new(None::<String>);
    let [box_id, file_id, note_id] = ["t", "file", "n"].map(|end| format!("{name}-{end}"));
    let open = move |event: &Event| {
        let take = move |file: String, text: String, whole: bool| {
            typed.set(String::new());
            take(page, file, text, whole);
        };
        browser::take_files(event, 1, most as f64, left_out, Box::new(take));
    };
    view! {
        <label class="lab" for=box_id.clone()>{label}</label>
        <textarea
            class="paste-t"
            id=box_id
            rows="4"
            spellcheck="false"
            autocomplete="off"
            autocapitalize="off"
            placeholder=placeholder
            aria-describedby=note_id.clone()
            prop:value=move || typed.get()
            on:input=move |event| typed.set(event_target_value(&event))
            on:dragover=|event| event.prevent_default()
            on:drop=move |event| open(&event)
        ></textarea>
        <div class="paste-tools">
            <label class="btn btn-s">
                <input class="vh" type="file" id=file_id accept=accept on:change=move |event| open(&event)/>
                {text.config_choose}
            </label>
        </div>
        <p class="hint" id=note_id>{note}</p>
        <div aria-live="polite">
            {move || left_out.get().map(|name| view! { <p class="msg">{fill(text.paste_file, &[&name])}</p> })}
            {children()}
        </div>
    }
}
