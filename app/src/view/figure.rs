//! A chart with its sentence, its legend and the same numbers as a table.

use super::dom::part;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::svg;

use super::icons::icon;
use crate::browser;
use crate::charts::backend::{Drawing, Node};
use crate::page::Page;

/// A chart drawn at the width it has, and again as that changes.
pub(super) fn plot(
    label: &'static str,
    draw: impl Fn(u32) -> Option<Drawing> + Send + Sync + 'static,
) -> AnyView {
    let node = NodeRef::<Div>::new();
    let width = browser::follow_width(node);
    let drawn = move || {
        let width = width.get();
        (width > 0)
            .then(|| draw(width))
            .flatten()
            .map(|drawing| image(drawing, label))
    };
    view! { <div class="plot" node_ref=node>{part(drawn)}</div> }.into_any()
}

fn image(drawing: Drawing, label: &'static str) -> AnyView {
    let Drawing {
        width,
        height,
        nodes,
    } = drawing;
    let marks: Vec<AnyView> = nodes.into_iter().map(mark).collect();
    svg::svg()
        .attr("class", "c")
        .attr("role", "img")
        .attr("aria-labelledby", label)
        .attr("width", width.to_string())
        .attr("height", height.to_string())
        .attr("viewBox", format!("0 0 {width} {height}"))
        .child(marks)
        .into_any()
}

fn mark(node: Node) -> AnyView {
    match node {
        Node::Rect {
            at: (x, y),
            size: (width, height),
            class,
        } => svg::rect()
            .attr("class", class)
            .attr("x", x.to_string())
            .attr("y", y.to_string())
            .attr("width", width.to_string())
            .attr("height", height.to_string())
            .attr("rx", "2")
            // A style sheet in a file of its own cannot point into the page.
            .attr("fill", (class == "hatched").then_some("url(#hatch)"))
            .into_any(),
        Node::Path { d, class } => svg::path().attr("class", class).attr("d", d).into_any(),
        Node::Text {
            at: (x, y),
            anchor,
            class,
            text,
        } => svg::text()
            .attr("class", class)
            .attr("x", x.to_string())
            .attr("y", y.to_string())
            .attr("text-anchor", anchor)
            .child(text)
            .into_any(),
    }
}

/// A bar of one value against its limit, by fractions of the width it has.
pub(super) fn meter(share: f64, over: bool, height: u32) -> AnyView {
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        1.0
    };
    let radius = (height / 2).to_string();
    let height = height.to_string();
    svg::svg()
        .attr("class", "meter")
        .attr("width", "100%")
        .attr("height", height.clone())
        .attr("aria-hidden", "true")
        .child((
            svg::rect()
                .attr("class", "meter-bg")
                .attr("width", "100%")
                .attr("height", height.clone())
                .attr("rx", radius.clone()),
            svg::rect()
                .attr("class", if over { "k-over" } else { "k-use" })
                .attr("width", format!("{:.1}%", share * 100.0))
                .attr("height", height)
                .attr("rx", radius),
        ))
        .into_any()
}

/// A swatch and its meaning.
pub(super) fn legend(class: &'static str, name: String) -> AnyView {
    view! { <li><i class=format!("sw {class}")></i>{name}</li> }.into_any()
}

/// A table, folded, beside a chart's legend.
pub(super) fn folded_table(
    page: Page,
    name: String,
    columns: usize,
    head: AnyView,
    body: AnyView,
) -> AnyView {
    view! {
        <details class="data">
            <summary>{icon("i-table")}{page.text().table}</summary>
            <div class="tw" role="region" tabindex="0" aria-label=name>
                <table class=format!("tab cols-{columns}")>
                    <thead><tr>{head}</tr></thead>
                    <tbody>{body}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}

/// A head of a column; `number` aligns it with its figures.
pub(super) fn head(name: impl Into<String>, number: bool) -> AnyView {
    let name: String = name.into();
    view! { <th scope="col" class=if number { "n" } else { "" }>{name}</th> }.into_any()
}

/// A figure in a table; an empty one leaves its cell empty.
pub(super) fn cell(label: impl Into<String>, value: String) -> AnyView {
    let label: String = label.into();
    if value.is_empty() {
        view! { <td class="nil n"></td> }.into_any()
    } else {
        view! { <td class="n" data-l=label>{value}</td> }.into_any()
    }
}
