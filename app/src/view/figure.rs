//! A chart with its sentence, its legend and the same numbers as a table.

use super::dom::{El, el, part};
use leptos::prelude::*;

use super::icons::icon;
use crate::browser;
use crate::charts::backend::{Drawing, Node as Mark};
use crate::format;
use crate::page::Page;
use crate::text::fill;

/// A chart drawn at the width it has, and again as that changes.
pub(super) fn plot(
    label: &'static str,
    draw: impl Fn(u32) -> Option<Drawing> + Send + Sync + 'static,
) -> AnyView {
    let id = format!("plot-{label}");
    let width = browser::follow_width(id.clone());
    let drawn = move || {
        let width = width.get();
        (width > 0)
            .then(|| draw(width))
            .flatten()
            .map(|drawing| image(drawing, label))
    };
    el("DIV.plot").set("id", id).child(part(drawn)).into_any()
}

pub(super) fn image(drawing: Drawing, label: &'static str) -> AnyView {
    sheet(el("svg.c|role=img").set("aria-labelledby", label), drawing)
}

/// A drawing on its sheet.
pub(super) fn sheet(svg: El, drawing: Drawing) -> AnyView {
    let Drawing {
        width,
        height,
        nodes,
    } = drawing;
    svg.set("width", width.to_string())
        .set("height", height.to_string())
        .set("viewBox", format!("0 0 {width} {height}"))
        .children(nodes.into_iter().map(mark))
        .into_any()
}

fn mark(mark: Mark) -> AnyView {
    let mark = match mark {
        Mark::Rect {
            at: (x, y),
            size: (width, height),
            class,
        } => {
            let rect = el("rect|rx=2")
                .set("class", class)
                .set("x", x.to_string())
                .set("y", y.to_string())
                .set("width", width.to_string())
                .set("height", height.to_string());
            // A style sheet in a file of its own cannot point into the page.
            if class == "hatched" {
                rect.set("fill", "url(#hatch)")
            } else {
                rect
            }
        }
        Mark::Path { d, class } => el("path").set("class", class).set("d", d),
        Mark::Text {
            at: (x, y),
            anchor,
            class,
            text,
        } => el("text")
            .set("class", class)
            .set("x", x.to_string())
            .set("y", y.to_string())
            .set("text-anchor", anchor)
            .child(text),
    };
    mark.into_any()
}

/// A bar of one value against its limit, by fractions of the width it has.
pub(super) fn meter(share: f64, over: bool, height: u32) -> AnyView {
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        1.0
    };
    let (height, radius) = (height.to_string(), (height / 2).to_string());
    let bar = |class: &'static str, share: f64| {
        el("rect")
            .set("class", class)
            .set("width", per_cent(share))
            .set("height", height.clone())
            .set("rx", radius.clone())
    };
    el("svg.meter|width=100%|aria-hidden=true")
        .set("height", height.clone())
        .child(bar("meter-bg", 1.0))
        .child(bar(if over { "k-over" } else { "k-use" }, share))
        .into_any()
}

/// A share as a length.
pub(super) fn per_cent(share: f64) -> String {
    format!("{}%", format::fixed(share * 100.0, 1))
}

/// A swatch and its meaning.
pub(super) fn legend(class: &'static str, name: String) -> AnyView {
    el("LI")
        .child(el("I").set("class", format!("sw {class}")))
        .child(name)
        .into_any()
}

/// A table, folded, beside a chart's legend.
pub(super) fn folded_table(
    page: Page,
    name: String,
    columns: usize,
    head: AnyView,
    body: AnyView,
) -> AnyView {
    let table = el("TABLE")
        .set("class", format!("tab cols-{columns}"))
        .child(el("THEAD").child(el("TR").child(head)))
        .child(el("TBODY").child(body));
    el("DETAILS.data")
        .child(
            el("SUMMARY")
                .child(icon("i-table"))
                .child(page.text().table),
        )
        .child(
            el("DIV.tw|role=region|tabindex=0")
                .set("aria-label", fill(page.text().table_of, &[&name]))
                .child(table),
        )
        .into_any()
}

/// A head of a column; `number` aligns it with its figures.
pub(super) fn head(name: impl Into<String>, number: bool) -> AnyView {
    let name: String = name.into();
    el(if number {
        "TH.n|scope=col"
    } else {
        "TH|scope=col"
    })
    .child(name)
    .into_any()
}

/// A figure in a table; an empty one leaves its cell empty.
pub(super) fn cell(label: impl Into<String>, value: String) -> AnyView {
    let label: String = label.into();
    if value.is_empty() {
        el("TD.nil n").into_any()
    } else {
        el("TD.n").set("data-l", label).child(value).into_any()
    }
}
