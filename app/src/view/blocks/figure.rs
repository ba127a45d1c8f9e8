//! A chart with its sentence, its legend and the same numbers as a table.

use super::host::{Host, each, some};
use super::line::{Press, icon};
use super::plot::{image, targets};
use super::table::Table;
use crate::charts::backend::Ink;
use crate::protocol::blocks::{self, Mark, Switch};
use crate::view::figure::label;
use crate::view::how::How;
use crate::view::prelude::*;

/// The section.
#[component]
pub(super) fn Figure(host: Host, figure: blocks::Figure) -> impl IntoView {
    let blocks::Figure { id, title, how, switch, take, note, plot, legend, mut table } = figure;
    let text = host.page.text();
    let heading = format!("{id}-h");
    let sentence = label(&id);
    let how = some(how).map(|how| view! { <How page=host.page figure=how name=title.clone()/> });
    let plot = plot.map(|(drawing, marks)| {
        let targets = targets(&drawing, marks, sentence.clone());
        let image = image(drawing, sentence.clone());
        view! { <div class="plot">{image}{targets}</div> }
    });
    let legend = (!legend.is_empty()).then(|| self::legend(legend));
    table.name = fill(text.table_of, &[&table.name]);
    view! {
        <section class="block" id=id.clone() aria-labelledby=heading.clone()>
            <div class="block-h">
                <h2 id=heading.clone()>{title}</h2>
                {how}
                {switch.map(|switch| places(host, switch))}
            </div>
            <figure class="fgr">
                <figcaption>
                    <p class="take" id=sentence>{take}</p>
                    <p class="note">{note}</p>
                </figcaption>
                {plot}
                <div class="fgr-f">
                    {legend}
                    <details class="data" id=format!("{id}-table")>
                        <summary>{icon("i-table")}{text.table}</summary>
                        <Table host table />
                        {files()}
                    </details>
                </div>
            </figure>
        </section>
    }
}

/// What colours and lines mean.
pub(in crate::view) fn legend(legend: Vec<(Mark, String)>) -> AnyView {
    let entries = each(legend, |(mark, words)| entry(mark, words));
    view! { <ul class="legend">{entries}</ul> }
}

/// What a colour or a line means.
fn entry(mark: Mark, words: String) -> AnyView {
    let mark = match mark {
        Mark::Area(ink) => {
            let class = match ink {
                Ink::Hatched => "k-idle",
                Ink::Band => "k-band",
                other => other.class(),
            };
            view! { <i class=format!("sw {class}")></i> }
        }
        Mark::Point(point) => drawn(None, Some(point)),
        Mark::Line(line) => drawn(Some(line), None),
        Mark::Curve(line, point) => drawn(Some(line), Some(point)),
    };
    view! { <li>{mark}{words}</li> }
}

/// A line and a point as the chart has them.
fn drawn(line: Option<Ink>, point: Option<Ink>) -> AnyView {
    let line = line.map(|ink| view! { <path class=ink.class() d="M0 5H18" /> });
    let point = point.map(|ink| view! { <circle class=ink.class() cx="9" cy="5" r="4" /> });
    view! {
        <svg class="lg" viewBox="0 0 18 10" aria-hidden="true">
            {line}
            {point}
        </svg>
    }
}

/// Several values of a control side by side.
fn places(host: Host, switch: Switch) -> AnyView {
    let places = each(switch.places, |button| view! { <Press host button /> });
    view! { <div class="seg tools" role="group" aria-label=switch.name>{places}</div> }
}

/// Buttons that save the figure they stand in; `public/figure.js` does it.
pub(in crate::view) fn files() -> AnyView {
    let save = |kind: &'static str, name: &'static str| {
        view! {
            <button class="btn btn-s btn-q" type="button" data-figure=kind>
                {icon("i-down")}
                {name}
            </button>
        }
    };
    view! { <p class="plans-f files">{save("svg", "SVG")}{save("png", "PNG")}{save("csv", "CSV")}</p> }
}
