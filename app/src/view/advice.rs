//! What would help most, and what the estimate leaves out.

use super::dom::{el, part};
use leptos::prelude::*;
use shardwise_core::wire::Severity;

use crate::page::Page;

pub(super) fn view(page: Page) -> AnyView {
    let list = move || {
        let text = page.text();
        page.answered().map(|shown| {
            let advice = &shown.found.answer.advice;
            if advice.is_empty() {
                return el("P.muted").child(text.advice_none).into_any();
            }
            let items = advice.iter().map(|item| {
                let (class, name) = match item.severity {
                    Severity::Error => ("tag tag-bad", text.severity_error),
                    Severity::Warning => ("tag tag-warn", text.severity_warning),
                    Severity::Hint => ("tag", text.severity_hint),
                };
                let source = (!item.source.is_empty()).then(|| {
                    if item.source.starts_with("http") {
                        el("A")
                            .set("href", item.source)
                            .set("rel", "noopener")
                            .set("target", "_blank")
                            .child(text.source)
                            .into_any()
                    } else {
                        el("SPAN").child(item.source).into_any()
                    }
                });
                el("LI")
                    .set("id", item.id)
                    .child(el("P.gain").child(el("SPAN").set("class", class).child(name)))
                    .child(
                        el("DIV")
                            .child(el("P|lang=en").child(item.text.clone()))
                            .child(el("P.adv-f").child(source)),
                    )
            });
            el("OL").children(items).into_any()
        })
    };
    let caveats = move || {
        let text = page.text();
        page.answered()
            .filter(|shown| !shown.found.answer.caveats.is_empty())
            .map(|shown| {
                let caveats = &shown.found.answer.caveats;
                let items = caveats
                    .iter()
                    .map(|caveat| el("LI|lang=en").child(caveat.text.clone()));
                el("DETAILS.more done|id=caveats|open=")
                    .child(
                        el("SUMMARY")
                            .child(text.caveats)
                            .child(" ")
                            .child(el("SPAN").child(caveats.len().to_string())),
                    )
                    .child(el("UL.caveats").children(items))
            })
    };
    el("SECTION.block advice|id=advice|aria-labelledby=adv-h")
        .child(
            el("DIV.block-h")
                .child(el("H2|id=adv-h").child(page.text().advice))
                .child(el("P").child(page.text().advice_note)),
        )
        .child(part(list))
        .child(part(caveats))
        .into_any()
}
