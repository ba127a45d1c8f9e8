//! How a sheet is shown: what a person types, ticks and chooses above it.

use leptos::tachys::view::iterators::StaticVec;
use serde_json::Value;

use super::host::{Host, each};
use crate::protocol::blocks::{Control, Takes};
use crate::view::prelude::*;

/// The controls of a sheet.
#[component]
pub(super) fn Controls(host: Host, controls: Vec<Control>) -> impl IntoView {
    let given = controls.iter().any(|own| matches!(own.takes, Takes::Given { .. }));
    let controls = each(controls, |control| one(host, control));
    let class = if given { "given" } else { "plans-t" };
    view! { <div class=class>{controls}</div> }
}

/// Keys with their words, of which one is chosen.
fn options(all: Vec<(String, String)>, now: &str) -> StaticVec<AnyView> {
    each(all, |(key, words)| {
        let on = key == now;
        view! { <option value=key selected=on>{words}</option> }
    })
}

fn one(host: Host, control: Control) -> AnyView {
    let Control { key, name, takes } = control;
    let id = format!("{}-{key}", host.name.map_or("paste", |name| name.word()));
    let set = move |value: Value| host.state.update(|state| drop(state.insert(key.clone(), value)));
    match takes {
        Takes::Words(words) => view! {
            <label class="plans-q">
                <span class="vh">{name.clone()}</span>
                <input
                    type="text"
                    role="searchbox"
                    id=id
                    autocomplete="off"
                    spellcheck="false"
                    placeholder=name
                    prop:value=words
                    on:input=move |event| set(event_target_value(&event).into())
                />
            </label>
        },
        Takes::Tick(on) => view! {
            <label class="check">
                <input
                    type="checkbox"
                    id=id
                    prop:checked=on
                    on:input=move |event| set(event_target_checked(&event).into())
                />
                <span>{name}</span>
            </label>
        },
        Takes::One(now, keys) => view! {
            <label class="plans-s">
                <span>{name}</span>
                <select id=id on:input=move |event| set(event_target_value(&event).into())>
                    {options(keys, &now)}
                </select>
            </label>
        },
        Takes::Given { value, among, says, wrong } => {
            let hint = format!("{id}-says");
            let bad = wrong.then_some("true");
            let box_of = if among.is_empty() {
                view! {
                    <input
                        type="text"
                        id=id.clone()
                        autocomplete="off"
                        spellcheck="false"
                        aria-describedby=hint.clone()
                        aria-invalid=bad
                        prop:value=value
                        on:input=move |event| set(event_target_value(&event).into())
                    />
                }
            } else {
                view! {
                    <select
                        id=id.clone()
                        aria-describedby=hint.clone()
                        aria-invalid=bad
                        on:input=move |event| set(event_target_value(&event).into())
                    >
                        {options(among, &value)}
                    </select>
                }
            };
            let class = if wrong { "given-bad" } else { "hint" };
            view! {
                <div class="field">
                    <label for=id>{name}</label>
                    {box_of}
                    <p class=class id=hint>{says}</p>
                </div>
            }
        }
    }
}
