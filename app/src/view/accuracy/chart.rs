//! The chart, and what it says about the run that is pointed at.

use super::super::blocks::{image, over};
use super::super::figure::{drawn_legend, label};
use super::parts::{Failure, Source};
use super::state::{Page, Part, details, share, short, signed};
use crate::charts;
use crate::charts::backend::{Drawing, Ink, Node};
use crate::charts::scatter::{Point, Scatter};
use crate::runs::{Case, Kind, Run, Runs};
use crate::view::prelude::*;

use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

const PLOT: &str = "plot-runs";

/// Points of a class lie on so many sheets: where many overlap, it is darker.
const SHEETS: usize = 6;

/// The colours of points.
const POINTS: [Ink; 6] = [Ink::Full, Ink::FullOff, Ink::FullSel, Ink::Part, Ink::PartOff, Ink::PartSel];

fn point(page: Page, run: &Run) -> Option<Point> {
    let kind = page.kind.get();
    let (measured, predicted) = run.pair(kind)?;
    let quantity = run.quantity(kind)?;
    let group = page.group.get();
    Some(Point {
        measured,
        predicted,
        range: quantity.low.zip(quantity.high).map(|(low, high)| [low, high]),
        name: short(run),
        full: run.headline,
        chosen: group.map(|group| run.value(kind, page.by.get()) == group),
    })
}

/// The chart and, for each of its points, the place of its run in the file.
fn scatter(page: Page, runs: &Runs) -> (Scatter, Vec<usize>) {
    let text = page.text();
    let places = runs.shown(page.kind.get(), None);
    let points = places.iter().filter_map(|place| runs.runs.get(*place));
    let chart = Scatter {
        points: points.filter_map(|run| point(page, run)).collect(),
        across: fill(text.across, &[page.unit()]),
        up: fill(text.up, &[page.unit()]),
    };
    (chart, places)
}

fn size(width: u32) -> (u32, u32) {
    (width, Scatter::height(width))
}

/// A drawing with its points, of which there are hundreds, together in a few paths of each colour.
fn gathered(drawing: Drawing) -> Drawing {
    let mut found: Vec<Node> = Vec::new();
    // Of each colour of points: how many there were, and where its paths begin.
    let mut inks: Vec<(Ink, usize, usize)> = Vec::new();
    for node in drawing.nodes {
        let (d, ink) = match node {
            Node::Path { d, ink } if POINTS.contains(&ink) => (d, ink),
            other => {
                found.push(other);
                continue;
            }
        };
        let place = inks.iter().position(|(own, ..)| *own == ink).unwrap_or_else(|| {
            inks.push((ink, 0, found.len()));
            found.extend((0..SHEETS).map(|_| Node::Path { d: String::new(), ink }));
            inks.len() - 1
        });
        let Some((_, count, first)) = inks.get_mut(place) else { continue };
        if let Some(Node::Path { d: all, .. }) = found.get_mut(*first + *count % SHEETS) {
            all.push_str(&d);
        }
        *count += 1;
    }
    found.retain(|node| !matches!(node, Node::Path { d, .. } if d.is_empty()));
    Drawing { nodes: found, ..drawing }
}

fn drawing(page: Page, width: u32) -> Option<AnyView> {
    let runs = page.runs_of(Part::Chart)?;
    let (chart, _) = scatter(page, &runs);
    let drawing = charts::draw(size(width), |area| chart.draw(area));
    Some(image(gathered(drawing), label("runs")))
}

/// The mark of the run that is pointed at.
fn near_mark(page: Page, width: u32) -> Option<AnyView> {
    let near = page.near.get()?;
    let runs = page.runs_of(Part::Chart)?;
    let (chart, places) = scatter(page, &runs);
    let index = places.iter().position(|place| *place == near)?;
    Some(over(charts::draw(size(width), |area| chart.draw_near(area, index))))
}

/// The run that a place on the chart means.
fn pointed(page: Page, width: u32, at: (i32, i32)) -> Option<usize> {
    let runs = page.runs_of(Part::Chart)?;
    let (chart, places) = scatter(page, &runs);
    let found = chart.nearest(size(width), at)?;
    places.get(found).copied()
}

/// The run that a key leads to: the runs in the order of what was measured.
fn stepped(page: Page, key: &str) -> Option<usize> {
    let runs = page.runs_of(Part::Chart)?;
    let kind = page.kind.get();
    let mut places = page.chosen(&runs);
    let measured = |place: &usize| {
        let quantity = runs.runs.get(*place).and_then(|run| run.quantity(kind));
        quantity.and_then(|quantity| quantity.measured)
    };
    places.sort_by(|a, b| measured(a).partial_cmp(&measured(b)).unwrap_or(std::cmp::Ordering::Equal));
    let last = places.len().checked_sub(1)?;
    let here = page.near.get().and_then(|near| places.iter().position(|place| *place == near));
    let next = match (key, here) {
        ("ArrowRight" | "ArrowUp", Some(here)) => (here + 1).min(last),
        ("ArrowLeft" | "ArrowDown", Some(here)) => here.saturating_sub(1),
        ("End", _) | ("ArrowLeft" | "ArrowDown", None) => last,
        ("Home", _) | ("ArrowRight" | "ArrowUp", None) => 0,
        _ => return None,
    };
    places.get(next).copied()
}

pub(super) fn chart(page: Page) -> AnyView {
    let text = page.text();
    view! {
        <section class="block" aria-labelledby="chart-h">
            <h2 id="chart-h">{text.chart}</h2>
            <figure class="fgr">
                <figcaption>
                    <p class="note" id="c-runs">{move || take(page)}</p>
                </figcaption>
                {move || missing(page)}
                <Plot page/>
                <div class="near" role="status">{move || near(page)}</div>
                <div class="fgr-f">{move || legends(page)}</div>
            </figure>
        </section>
    }
}

/// Says that the tab's runs did not come.
fn missing(page: Page) -> Option<AnyView> {
    let why = page.file().failure(page.text())?;
    let again = move || match page.kind.get_untracked() {
        Kind::Generation => page.load_generation(),
        _ => page.load_runs(),
    };
    Some(view! { <Failure page why again/> })
}

/// What the chart shows, in words.
fn take(page: Page) -> String {
    let text = page.text();
    let chosen = page.group.get().and_then(|group| {
        let overview = page.overview()?;
        let by = page.by.get();
        let figure = overview.figure(page.kind.get(), by, &group, Case::LeftOut)?;
        let (label, runs) = (page.group_label(by, &group), format::grouped(figure.runs.into()));
        Some(fill(text.take_chosen, &[&label, &runs, &share(figure.median), &share(figure.p90)]))
    });
    chosen.unwrap_or_else(|| {
        let sentence = match page.kind.get() {
            Kind::Memory => text.take_chart_memory,
            _ => text.take_chart_speed,
        };
        sentence.to_owned()
    })
}

#[component]
fn Plot(page: Page) -> impl IntoView {
    let width = browser::follow_width(PLOT.to_owned());
    let of_width = move |draw: fn(Page, u32) -> Option<AnyView>| {
        move || {
            let width = width.get();
            (width > 0).then(|| draw(page, width)).flatten()
        }
    };
    let point = move |event: web_sys::Event| {
        let found = untrack(|| {
            let at = browser::pointer_in(PLOT, event)?;
            pointed(page, width.get(), at)
        });
        // A run stays until another is pointed at: its links are below the chart.
        if found.is_some() && found != page.near.get_untracked() {
            page.near.set(found);
        }
    };
    let step = move |event: KeyboardEvent| {
        let key = event.key();
        if let Some(found) = untrack(|| stepped(page, &key)) {
            event.prevent_default();
            page.near.set(Some(found));
        } else if key == "Escape" {
            page.near.set(None);
        }
    };
    view! {
        <div
            class="plot plot-runs"
            role="group"
            tabindex="0"
            id=PLOT
            aria-label=page.text().keys
            on:pointermove=move |event| point(event.unchecked_into())
            on:pointerdown=move |event| point(event.unchecked_into())
            on:keydown=step
        >
            {of_width(drawing)}
            {of_width(near_mark)}
        </div>
    }
}

/// All about the run that is pointed at.
fn near(page: Page) -> AnyView {
    let text = page.text();
    let kind = page.kind.get();
    let runs = page.file().data();
    let found = runs.as_ref().and_then(|runs| {
        let run = runs.runs.get(page.near.get()?)?;
        Some((run, run.quantity(kind)?))
    });
    let Some((run, quantity)) = found else {
        return view! { <p class="muted">{text.point_at}</p> };
    };
    let figure = |value: Option<f64>| value.map(|value| page.figure(value));
    let (left_out, fitted) = match kind {
        Kind::Memory => (text.col_estimated, None),
        _ => (text.col_left_out, quantity.predicted),
    };
    let facts = [
        (fill(text.across, &[page.unit()]), figure(quantity.measured)),
        (left_out.to_owned(), figure(quantity.left_out)),
        (text.col_error.to_owned(), quantity.left_out_error.map(signed)),
        (text.col_fitted.to_owned(), figure(fitted)),
        (fill(text.col_interval, &[&page.coverage()]), page.range(quantity)),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| {
        let value = value?;
        Some(view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
    });
    let facts = facts.collect_view();
    view! {
        <div class="near-in">
            <p><b>{short(run)}</b>" "<span class="muted">{details(run)}</span></p>
            <dl>{facts}</dl>
            <p class="near-l">
                <Source page run name=run.source.clone()/>
                <a href=page.question(&run.link)>{text.open_run}" "<Icon name="i-arrow"/></a>
            </p>
        </div>
    }
}

fn legends(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs_of(Part::Chart)?;
    let shown = runs.shown(page.kind.get(), None);
    let full = shown
        .iter()
        .filter(|place| runs.runs.get(**place).is_some_and(|run| run.headline))
        .count();
    let partly = shown.len() - full;
    let counted = |sentence: &str, count: usize| fill(sentence, &[&format::grouped(count as u64)]);
    let point = |class: &'static str| view! { <circle class=class cx="9" cy="5" r="4"></circle> };
    let line = |class: &'static str| view! { <path class=class d="M0 5H18"/> };
    let diamond = || view! { <path class="pt-part" d="M9 0l5 5l-5 5l-5-5Z"/> };
    let band = view! { <rect class="band" width="18" height="10"></rect> };
    let chosen = page.group.get().map(|group| page.group_label(page.by.get(), &group));
    Some(view! {
        <ul class="legend">
            {drawn_legend(point("pt-full"), counted(text.full, full))}
            {(partly > 0).then(|| drawn_legend(diamond(), counted(text.partly, partly)))}
            {drawn_legend(line("ideal"), text.exact.to_owned())}
            {drawn_legend(line("guide"), "±10\u{a0}%".to_owned())}
            {drawn_legend(band, "±20\u{a0}%".to_owned())}
            {chosen.map(|label| drawn_legend(point("pt-full sel"), label))}
        </ul>
    })
}

#[cfg(test)]
mod tests {
    use super::{SHEETS, gathered};
    use crate::charts::backend::{Drawing, Ink, Node};

    #[test]
    fn points_are_gathered_and_none_is_lost() {
        let path = |ink: Ink| Node::Path { d: "M1 1Z".to_owned(), ink };
        let mut nodes = vec![path(Ink::Grid)];
        nodes.extend((0..40).map(|_| path(Ink::Full)));
        nodes.extend([path(Ink::Part), path(Ink::Ring)]);
        let found = gathered(Drawing { width: 9, height: 9, nodes }).nodes;
        let points = found.iter().filter_map(|node| match node {
            Node::Path { d, ink: Ink::Full | Ink::Part } => Some(d.matches('M').count()),
            _ => None,
        });
        assert_eq!(points.sum::<usize>(), 41);
        assert_eq!(found.len(), 1 + SHEETS + 1 + 1);
    }
}
