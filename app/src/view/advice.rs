//! What would help most, and what the estimate leaves out.

use super::erased::part;
use leptos::prelude::*;
use shardwise_core::wire::Severity;

use crate::page::Page;

pub(super) fn view(page: Page) -> AnyView {
    let list = move || {
        let text = page.text();
        page.shown.get().map(|shown| {
            let advice = &shown.found.answer.advice;
            if advice.is_empty() {
                return view! { <p class="muted">{text.advice_none}</p> }.into_any();
            }
            let items = advice.iter().map(|item| {
                let (class, name) = match item.severity {
                    Severity::Error => ("tag tag-bad", text.severity_error),
                    Severity::Warning => ("tag tag-warn", text.severity_warning),
                    Severity::Hint => ("tag", text.severity_hint),
                };
                let source = (!item.source.is_empty()).then(|| {
                    if item.source.starts_with("http") {
                        view! { <a href=item.source rel="noopener" target="_blank">{text.source}</a> }.into_any()
                    } else {
                        view! { <span>{item.source}</span> }.into_any()
                    }
                });
                view! {
                    <li id=item.id>
                        <p class="gain"><span class=class>{name}</span></p>
                        <div><p lang="en">{item.text.clone()}</p><p class="adv-f">{source}</p></div>
                    </li>
                }
            });
            view! { <ol>{items.collect_view()}</ol> }.into_any()
        })
    };
    let caveats = move || {
        let text = page.text();
        page.shown.get().filter(|shown| !shown.found.answer.caveats.is_empty()).map(|shown| {
            let caveats = &shown.found.answer.caveats;
            let items = caveats.iter().map(|caveat| view! { <li lang="en">{caveat.text.clone()}</li> });
            view! {
                <details class="more done" id="caveats" open=true>
                    <summary>{text.caveats} " " <span>{caveats.len().to_string()}</span></summary>
                    <ul class="caveats">{items.collect_view()}</ul>
                </details>
            }
        })
    };
    view! {
        <section class="block advice" id="advice" aria-labelledby="adv-h">
            <div class="block-h">
                <h2 id="adv-h">{page.text().advice}</h2>
                <p>{page.text().advice_note}</p>
            </div>
            {part(list)}
            {part(caveats)}
        </section>
    }
    .into_any()
}
