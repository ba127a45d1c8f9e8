//! What would help most, and what the estimate leaves out.

use std::sync::Arc;

use super::dom::{El, el, part};
use leptos::prelude::*;
use shardwise_core::wire::{Advice, Severity, to_value};

use super::sensitivity::{signed, signed_usd, try_it};
use crate::format;
use crate::page::Page;
use crate::texts::{Task, Worth, desk};

/// Shares of the speed that are no gain.
const SAME: f64 = 0.001;

/// What following it changes: first what it is for, speed or memory, then the rest.
fn gain(page: Page, item: &Advice, tokens_per_s: f64) -> Option<Vec<El>> {
    let text = page.text();
    let gain = item.gain?;
    let speed = format!(
        "{} {}",
        signed(format::figure(gain.tokens_per_s)),
        text.col_tokens
    );
    let gib = format!("{} GiB", signed(format::gib(gain.gib)));
    let usd = gain
        .usd_per_mtok
        .map(|usd| format!("{} {}", signed_usd(usd), text.per_mt));
    let frees = gain.tokens_per_s < SAME * tokens_per_s && gain.gib < 0.0;
    let (first, second) = if frees { (gib, speed) } else { (speed, gib) };
    let rest = [Some(second), usd].into_iter().flatten();
    let first = std::iter::once(el("B").child(first));
    Some(
        first
            .chain(rest.map(|words| el("SPAN").child(words)))
            .collect(),
    )
}

/// Orders what would help, as often as the question changes. The flags are ordered first: they are waited for.
fn order(page: Page) {
    Effect::new(move || {
        let Some(shown) = page.answered() else { return };
        let question = to_value(&shown.question);
        desk::order(page, Task::Worth { question }, |page, found| {
            let worth: Option<Worth> = serde_json::from_value(found).unwrap_or_default();
            page.worth.set(worth.map(Arc::new));
        });
    });
}

pub(super) fn view(page: Page) -> AnyView {
    order(page);
    let list = move || {
        let text = page.text();
        // What is wrong is known at once; the worker knows what would help.
        let worth = page.worth.get().filter(|_| !page.no_worker.get());
        let shown = if worth.is_some() {
            page.standing()
        } else {
            page.answered()
        };
        shown.map(|shown| {
            let tokens_per_s = shown.found.answer.tokens_per_s;
            let advice = match &worth {
                Some(worth) => &worth.advice,
                None => &shown.found.answer.advice,
            };
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
                            .set("href", item.source.to_string())
                            .set("rel", "noopener")
                            .set("target", "_blank")
                            .child(text.source)
                            .into_any()
                    } else {
                        el("SPAN").child(item.source.to_string()).into_any()
                    }
                });
                let gains = gain(page, item, tokens_per_s);
                let tagged = gains.is_none() || item.severity != Severity::Hint;
                let tag = tagged.then(|| el("SPAN").set("class", class).child(name));
                let tried =
                    (!item.set.is_empty()).then(|| try_it(page, vec![item.set.clone()], &item.id));
                el("LI")
                    .set("id", item.id.to_string())
                    .child(el("P.gain").child(tag).child(gains))
                    .child(
                        el("DIV")
                            .child(el("P|lang=en").child(item.text.clone()))
                            .child(el("P.adv-f").child(source).child(tried)),
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
