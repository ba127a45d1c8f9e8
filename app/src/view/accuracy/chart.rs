//! The chart, and what it says about the run that is pointed at.

use super::super::blocks::over;
use super::super::dom::{El, el, live, node, part};
use super::super::figure::image;
use super::super::icons::icon;
use super::summary::coverage;
use super::{Page, framework};
use crate::browser;
use crate::charts::scatter::{Point, Scatter};
use crate::charts::{self, backend::Drawing};
use crate::format;
use crate::runs::{Kind, Run, Runs};
use crate::text::fill;
use crate::words;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

const PLOT: &str = "plot-runs";

/// A run in a few words.
pub(super) fn short(run: &Run) -> String {
    let gpus = format::grouped(run.gpus.into());
    format!("{} · {gpus} × {}", run.model, words::gpu_label(&run.gpu))
}

/// What else a run was.
pub(super) fn details(run: &Run) -> String {
    let framework = framework(&run.framework);
    format!("{framework} · {} · {}", run.precision, run.group)
}

fn point(page: Page, run: &Run) -> Option<Point> {
    let (kind, case) = (page.kind.get(), page.case.get());
    let (measured, predicted) = run.pair(kind, case)?;
    let quantity = run.quantity(kind)?;
    let group = page.group.get();
    Some(Point {
        measured,
        predicted,
        range: quantity.low.zip(quantity.high).map(|(low, high)| [low, high]),
        name: short(run),
        full: run.headline,
        chosen: group.map(|group| run.value(page.by.get()) == group),
    })
}

/// The chart and, for each of its points, the place of its run in the file.
fn chart(page: Page, runs: &Runs) -> (Scatter, Vec<usize>) {
    let text = page.text();
    let places = runs.shown(page.kind.get(), page.case.get(), None);
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

fn drawing(page: Page, width: u32) -> Option<Drawing> {
    let runs = page.runs()?;
    let (chart, _) = chart(page, &runs);
    Some(charts::draw(size(width), |area| chart.draw(area)))
}

/// The mark of the run that is pointed at, on a sheet above the chart's.
fn mark(page: Page, width: u32) -> Option<AnyView> {
    let near = page.near.get()?;
    let runs = page.runs()?;
    let (chart, places) = chart(page, &runs);
    let index = places.iter().position(|place| *place == near)?;
    let drawing = charts::draw(size(width), |area| chart.draw_near(area, index));
    Some(over(drawing))
}

/// The run that a place on the chart means.
fn pointed(page: Page, width: u32, at: (i32, i32)) -> Option<usize> {
    let runs = page.runs()?;
    let (chart, places) = chart(page, &runs);
    let found = chart.nearest(size(width), at)?;
    places.get(found).copied()
}

/// The run that a key leads to: the runs in the order of what was measured.
fn stepped(page: Page, key: &str) -> Option<usize> {
    let runs = page.runs()?;
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

pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    let take = move || take(page);
    let note = move || text.chart_note;
    el("SECTION.block|aria-labelledby=chart-h")
        .child(el("DIV.block-h").child(el("H2|id=chart-h").child(text.chart)))
        .child(
            el("FIGURE.fgr")
                .child(
                    el("FIGCAPTION")
                        .child(el("P.take|id=c-runs").child(live(take)))
                        .child(el("P.note").child(live(note))),
                )
                .child(plot(page))
                .child(el("DIV.near|role=status").child(part(move || near(page))))
                .child(el("DIV.fgr-f").child(part(move || legends(page)))),
        )
        .into_any()
}

/// What the chart shows, in words.
fn take(page: Page) -> String {
    let text = page.text();
    let chosen = page.group.get().and_then(|group| {
        let runs = page.runs()?;
        let figure = runs.figure(page.kind.get(), page.by.get(), &group, page.case.get())?;
        let values = [
            page.group_label()?,
            format::grouped(figure.runs.into()),
            super::summary::share(figure.median),
            super::summary::share(figure.p90),
        ];
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        Some(fill(text.take_chosen, &values))
    });
    chosen.unwrap_or_else(|| {
        let sentence = match page.kind.get() {
            Kind::Speed => text.take_chart_speed,
            Kind::Memory => text.take_chart_memory,
        };
        sentence.to_owned()
    })
}

fn plot(page: Page) -> AnyView {
    let width = browser::follow_width(PLOT.to_owned());
    let drawn = move || {
        let width = width.get();
        let drawing = (width > 0).then(|| drawing(page, width)).flatten();
        drawing.map(|drawing| image(drawing, "c-runs".to_owned()))
    };
    let marked = move || {
        let width = width.get();
        (width > 0).then(|| mark(page, width)).flatten()
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
    let step = move |event: web_sys::Event| {
        let Some(pressed) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let key = pressed.key();
        if let Some(found) = untrack(|| stepped(page, &key)) {
            event.prevent_default();
            page.near.set(Some(found));
        } else if key == "Escape" {
            page.near.set(None);
        }
    };
    el("DIV.plot plot-runs|role=group|tabindex=0")
        .set("id", PLOT)
        .set("aria-label", page.text().keys)
        .on("pointermove", Box::new(point))
        .on("pointerdown", Box::new(point))
        .on("keydown", Box::new(step))
        .child(part(drawn))
        .child(part(marked))
        .into_any()
}

/// All about the run that is pointed at.
fn near(page: Page) -> AnyView {
    let text = page.text();
    let runs = page.runs();
    let found = runs.as_ref().and_then(|runs| runs.runs.get(page.near.get()?));
    let Some(run) = found else {
        return el("P.muted").child(text.point_at).into_any();
    };
    let Some(quantity) = run.quantity(page.kind.get()) else {
        return el("P.muted").child(text.point_at).into_any();
    };
    let fact = |name: &str, value: Option<String>| {
        value.map(|value| el("DIV").child(el("DT").child(name.to_owned())).child(el("DD").child(value)))
    };
    let figure = |value: Option<f64>| value.map(|value| page.figure(value));
    let error = quantity.error_of(page.case.get());
    let interval = runs.as_deref().map(coverage).unwrap_or_default();
    let interval = fill(text.col_interval, &[&interval]);
    el("DIV.near-in")
        .child(
            el("P")
                .child(el("B").child(short(run)))
                .child(" ")
                .child(el("SPAN.muted").child(details(run))),
        )
        .child(
            el("DL")
                .child(fact(&fill(text.across, &[page.unit()]), figure(quantity.measured)))
                .child(fact(text.col_predicted, figure(quantity.predicted)))
                .child(fact(text.col_left_out, figure(quantity.left_out)))
                .child(fact(text.col_error, error.map(signed)))
                .child(fact(&interval, page.range(quantity))),
        )
        .child(el("P.near-l").child(source(page, run, &run.source)).child(open(page, run)))
        .into_any()
}

/// An error with its sign.
pub(super) fn signed(error: f64) -> String {
    let words = super::summary::share(Some(error));
    if error > 0.0 { format!("+{words}") } else { words }
}

/// The way to a run's source by a name of it; the name alone where the file holds no address of the web.
pub(super) fn source(page: Page, run: &Run, name: &str) -> El {
    let Some(address) = run.address() else {
        return el("SPAN").child(name.to_owned());
    };
    el("A")
        .set("href", address.to_owned())
        .set("target", "_blank")
        .set("rel", "noopener noreferrer")
        .child(name.to_owned())
        .child(el("SPAN.vh").child(" ").child(page.text().new_tab))
}

fn open(page: Page, run: &Run) -> El {
    el("A")
        .set("href", page.question(&run.link))
        .child(page.text().open_run)
        .child(" ")
        .child(icon("i-arrow"))
}

fn legends(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs()?;
    let shown = runs.shown(page.kind.get(), page.case.get(), None);
    let full = shown
        .iter()
        .filter(|place| runs.runs.get(**place).is_some_and(|run| run.headline))
        .count();
    let counted = |sentence: &str, count: usize| fill(sentence, &[&count.to_string()]);
    let swatch = |drawn: El, words: String| {
        let drawn = el("svg.lg|viewBox=0 0 18 10|aria-hidden=true").child(drawn);
        node(el("LI").child(drawn).child(words))
    };
    let list = el("UL.legend").child(vec![
        swatch(el("circle.pt-full|cx=9|cy=5|r=4"), counted(text.full, full)),
        swatch(el("path.pt-part|d=M9 0l5 5l-5 5l-5-5Z"), counted(text.partly, shown.len() - full)),
        swatch(el("path.ideal|d=M0 5H18"), text.exact.to_owned()),
        swatch(el("path.guide|d=M0 5H18"), "±10 %".to_owned()),
        swatch(el("rect.band|width=18|height=10"), "±20 %".to_owned()),
    ]);
    let chosen = page
        .group_label()
        .map(|group| swatch(el("circle.pt-full sel|cx=9|cy=5|r=4"), group));
    Some(list.child(chosen).into_any())
}
