//! What would help most, and what the estimate takes for granted or leaves out.

use leptos::ev::MouseEvent;

use super::{fold, sheet};
use crate::view::prelude::*;

/// What would help most.
#[component]
pub(super) fn Advice(page: Page) -> impl IntoView {
    let text = page.text();
    let word = Fold::Sensitivity.word();
    let go = move |event: MouseEvent| {
        event.prevent_default();
        fold::go(page, word);
    };
    let all = (!page.embedded).then(|| {
        view! { <a class="adv-x" id="advice-all" href=format!("#{word}") on:click=go>{text.why_sensitivity}</a> }
    });
    view! {
        <section class="block advice" id="advice" aria-labelledby="adv-h">
            <div class="block-h">
                <h2 id="adv-h">{text.advice}</h2>
                {all}
                <p>{text.advice_note}</p>
            </div>
            {sheet::view(page, Name::Advice)}
        </section>
    }
}

/// What the estimate takes for granted or leaves out.
#[component]
pub(super) fn Caveats(page: Page) -> impl IntoView {
    move || {
        let shown = page.answered()?;
        let caveats = shown.found.answer.caveats.iter();
        let items = caveats.map(|caveat| view! { <li>{page.say(&caveat.text)}</li> });
        Some(view! { <ul class="caveats" id="caveats">{items.collect_view()}</ul> })
    }
}
