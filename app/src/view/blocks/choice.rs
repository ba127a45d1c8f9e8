//! One of several values: `view/plan/alternatives.rs` takes what is chosen.

use super::host::{Host, each, some};
use super::line::{Press, icon, span};
use crate::protocol::blocks::{self, Alternative, Tone};
use crate::view::prelude::*;

/// The form.
#[component]
pub(super) fn Choice(host: Host, choice: blocks::Choice) -> impl IntoView {
    let blocks::Choice { note, heads, values, own, take, free, state } = choice;
    let heads = each(heads.into(), |head| span("", head));
    let mut place = 0;
    let values = each(values, |value| {
        place += 1;
        one(place - 1, value)
    });
    view! {
        <form class="alts-f" novalidate="">
            <p class="muted">{note}</p>
            <div class="alt-l" role="radiogroup" aria-labelledby="alternatives-h">
                <div class="alt alt-h" aria-hidden="true">
                    <i></i>
                    {span("", String::new())}
                    {heads}
                </div>
                {values}
                {own.map(|[words, label]| own_value(words, label))}
            </div>
            <p class="msg is-bad" id="alt-m" role="alert"></p>
            <div class="alt-f">
                <button class="btn btn-s" type="submit" id="alt-pin">
                    {icon("i-pin")}
                    {take}
                </button>
                {free.map(|button| view! { <Press host button /> })}
                <p>{state}</p>
            </div>
        </form>
    }
}

/// A value with what it gains or loses.
fn one(place: usize, value: Alternative) -> AnyView {
    let Alternative { value, words, now, figures, tone, fits, why } = value;
    let class = match tone {
        Tone::Plain | Tone::Info | Tone::Good => "s-ok",
        Tone::Warn => "s-tight",
        Tone::Bad => "s-no",
    };
    let figures = each(figures.into(), |figure| span("", figure));
    view! {
        <label class="alt">
            <input type="radio" name="alternative" id=format!("alt-{place}") value=value checked=now />
            <b>{words}</b>
            {figures}
            <em class=class>{fits}</em>
            {some(why).map(|why| view! { <small>{why}</small> })}
        </label>
    }
}

/// A value of one's own.
fn own_value(words: String, label: String) -> AnyView {
    view! {
        <label class="alt alt-o">
            <input type="radio" name="alternative" id="alt-other" value="" />
            <b>{words}</b>
            <input type="text" id="alt-own" autocomplete="off" spellcheck="false" aria-describedby="alt-m" aria-label=label />
        </label>
    }
}
