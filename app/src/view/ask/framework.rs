//! The framework that runs the question: the first field, as it decides which plans there are.

use shardwise_core::emit::{NAMES, Named};

use crate::view::controls::{Message, problem};
use crate::view::prelude::*;
use crate::words::framework_name;

/// A framework and its version as a value of the control: `verl 0.8.0`.
fn value(own: &Named, version: &str) -> String {
    format!("{} {version}", own.id)
}

/// The framework and version of a form, as a value of the control; what the form says where they are none.
fn chosen(page: Page) -> String {
    let (id, version) = (page.typed(Field::Framework), page.typed(Field::FrameworkVersion));
    let own = NAMES.iter().find(|own| own.id == id);
    match own {
        Some(own) if version.is_empty() => value(own, own.versions.first().copied().unwrap_or_default()),
        _ => format!("{id} {version}").trim().to_owned(),
    }
}

/// Whose plan it is where any framework may run it; where one is named, that the others' are left out, and the way to them: a
/// script that was taken over names its own.
fn taken(page: Page) -> Option<AnyView> {
    let text = page.text();
    let shown = page.answered()?;
    if shown.question.framework.is_some() {
        return Some(view! {
            <p class="hint" id="framework-only">
                {text.framework_only}
                " "
                <button class="lnk" type="button" on:click=move |_| page.change(|form| form.use_framework(""))>
                    {text.framework_all}
                </button>
            </p>
        });
    }
    let words = match shown.found.answer.framework {
        Some(own) => fill(text.framework_taken, &[&framework_name(own)]),
        None => text.framework_none.to_owned(),
    };
    Some(view! { <p class="hint" id="framework-taken">{words}</p> })
}

/// What is chosen and not known here: it stays visible until another is chosen.
fn unknown(page: Page) -> Option<String> {
    let own = chosen(page);
    let mut versions = NAMES
        .iter()
        .flat_map(|named| named.versions.iter().map(move |version| value(named, version)));
    let known = own.is_empty() || versions.any(|known| known == own);
    (!known).then_some(own)
}

#[component]
pub(in crate::view) fn Framework(page: Page) -> impl IntoView {
    let wrong = move || problem(page, Field::Framework).is_some() || problem(page, Field::FrameworkVersion).is_some();
    // Once for all options.
    let now = Memo::new(move |_| chosen(page));
    let options = NAMES.iter().flat_map(|own| {
        own.versions.iter().map(move |version| {
        let (value, same) = (value(own, version), value(own, version));
        view! {
            <option value=value prop:selected=move || now.with(|now| *now == same)>{format!("{} {version}", own.name)}</option>
        }
    })
    });
    view! {
        <div class=move || if wrong() { "field use is-err" } else { "field use" }>
            <label for="framework">{page.lang.label(Field::Framework)}</label>
            <select
                id="framework"
                on:change=move |event| page.change(|form| form.use_framework(&event_target_value(&event)))
                aria-invalid=move || wrong().then_some("true")
                aria-describedby=move || wrong().then_some("framework-m framework_version-m")
            >
                {move || unknown(page).map(|own| view! { <option value=own prop:selected=true>{own.clone()}</option> })}
                <option value="" prop:selected=move || now.with(String::is_empty)>{page.text().any_framework}</option>
                {options.collect_view()}
            </select>
            {move || taken(page).filter(|_| !wrong())}
            <Message page field=Field::Framework/>
            <Message page field=Field::FrameworkVersion/>
        </div>
    }
}
