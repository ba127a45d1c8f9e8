//! One text: what it is for, the reasons beside its settings, copy and download.

use std::sync::Arc;

use leptos::prelude::*;
use shardwise_core::emit::Named;

use crate::protocol::Text;
use crate::text::{Lang, fill};
use crate::view::copying;
use crate::view::dom::{el, node, ticked};
use crate::view::icons::icon;
use crate::view::listing::{self, Line};

pub(super) fn view(
    framework: &'static Named,
    version: &str,
    index: usize,
    own: &Text,
    reasons: RwSignal<bool>,
    lang: Lang,
) -> AnyView {
    let text = lang.text();
    let id = format!("code-{index}");
    let lines: Vec<AnyView> = listing::lines(own).into_iter().map(line).collect();
    let file = own.file.clone();
    let shown = {
        let own = Arc::new(own.clone());
        move || {
            if reasons.get_untracked() { own.text.clone() } else { listing::without_reasons(&own) }
        }
    };
    let about = el("P.acc acc-no")
        .child(icon("i-info"))
        .child(
            el("A")
                .set("href", framework.docs_url)
                .set("rel", "noopener")
                .set("target", "_blank")
                .child(fill(text.checked, &[framework.name, version])),
        )
        .child(" · ")
        .child(el("CODE").child(file.clone()));
    let with_reasons = el("LABEL.tog")
        .child(
            el("INPUT|type=checkbox")
                .flag("checked", move || reasons.get())
                .on("change", ticked(move |on| reasons.set(on))),
        )
        .child(el("SPAN").child(text.reasons));
    vec![
        node(
            el("DIV.tabp-h").child(about).child(
                el("DIV.tools")
                    .child(with_reasons)
                    .child(copying::download(lang, file.clone(), shown.clone()))
                    .child(copying::button(lang, id.clone(), true, shown)),
            ),
        ),
        node(
            el("PRE|tabindex=0|role=region")
                .live("class", move || if reasons.get() { "code" } else { "code no-why" })
                .set("aria-label", file)
                .child(el("CODE").set("id", id).child(lines)),
        ),
    ]
    .into_any()
}

/// One line. Each is a block, so that a selection copies it with its line break.
fn line(line: Line) -> AnyView {
    let why = |why: String| (!why.is_empty()).then(|| el("SPAN.why").child("  ").child(why));
    match line {
        Line::Comment(text, warning) => el("SPAN")
            .set("class", if warning { "ln ln-w" } else { "ln ln-c" })
            .child(text)
            .into_any(),
        Line::Heading(text) => el("SPAN.ln ln-h").child(text).into_any(),
        Line::Plain(text, reason) => el("SPAN.ln").child(el("SPAN.cmd").child(text)).child(why(reason)).into_any(),
        Line::Setting { indent, prefix, key, between, value, after, why: reason } => el("SPAN.ln")
            .child(
                el("SPAN.cmd")
                    .child(indent)
                    .child(el("SPAN.fp").child(prefix))
                    .child(el("SPAN.fk").child(key))
                    .child(between)
                    .child(el("SPAN.fv").child(value))
                    .child(after),
            )
            .child(why(reason))
            .into_any(),
    }
}
