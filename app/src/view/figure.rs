//! A chart with its sentence, its legend and the same numbers as a table.

use serde_json::{Map, json};
use shardwise_core::Answer;

use super::{blocks, sheet};
use crate::charts::backend::Drawing;
use crate::charts::stack::Stack;
use crate::protocol;
use crate::protocol::blocks::{Block, Cell, Figure, Holds, Stands, Table, Tabled, Target, column, row};
use crate::view::prelude::*;

/// The name of a block's sentence.
pub(super) fn label(id: &str) -> String {
    format!("c-{id}")
}

/// Draws at a width; `None` while there is nothing to draw.
pub(super) type Draw = Callback<u32, Option<AnyView>>;

/// A chart drawn at the width it has, and again as that changes. `label` names its sentence.
#[component]
pub(super) fn Plot(label: String, #[prop(into)] draw: Draw) -> impl IntoView {
    let id = format!("plot-{label}");
    let width = browser::follow_width(id.clone());
    view! {
        <div class="plot" id=id>
            {move || Some(width.get()).filter(|width| *width > 0).and_then(|width| draw.run(width))}
        </div>
    }
}

/// Left and top, width and height of something to point at.
type Place = ((i32, i32), (i32, i32));

/// What pointing at the marks of a drawing says.
pub(super) fn targets(drawing: &Drawing, marks: Vec<Place>, about: Vec<Vec<String>>, label: String) -> AnyView {
    blocks::targets(drawing, protocol::blocks::targets(marks, about), label)
}

/// A chart of the answer, which the page draws itself at the width that it has: paper waits for no worker.
pub(super) fn drawn(page: Page, id: &'static str, of: fn(&Answer, u32, Lang) -> Figure) -> AnyView {
    let host = format!("drawn-{id}");
    let width = browser::follow_width(host.clone());
    let blocks = move || {
        let (shown, width) = (page.answered()?, width.get());
        (width > 0).then(|| Arc::new(json!([Block::Figure(of(&shown.found.answer, width, page.lang))])))
    };
    sheet::show(page, host, Box::new(blocks), RwSignal::new(Map::new()))
}

/// A chart of phases, and what each of its bars says, in the order of drawing.
pub(super) fn plot(chart: &Stack, width: u32, about: Vec<Vec<String>>) -> (Drawing, Vec<Target>) {
    let drawing = chart.drawn(width);
    let targets = protocol::blocks::targets(drawing.bars(), about);
    (drawing, targets)
}

/// A table of parts by phase, with their sums. A part that a phase lacks leaves its cell empty.
pub(super) fn parts_table(
    name: &str,
    [unit, total]: [&str; 2],
    phases: impl Iterator<Item = String>,
    parts: impl Iterator<Item = (String, Vec<String>)>,
    sums: Vec<String>,
) -> Table {
    let columns = phases.map(|phase| column(phase, Holds::Numbers));
    let columns = std::iter::once(column(unit, Holds::Names)).chain(columns).collect();
    let cells = |name: String, figures: Vec<String>| -> Vec<Cell> {
        std::iter::once(name).chain(figures).map(protocol::blocks::cell).collect()
    };
    let rows = parts.map(|(name, figures)| row(Stands::Plain, cells(name, figures)));
    let sum = row(Stands::Sum, cells(total.to_owned(), sums));
    Table::new(name, Tabled::Phases, columns, rows.chain([sum]).collect())
}

/// A table in a frame that scrolls by itself where the table is wider.
#[component]
pub(super) fn Region(name: String, children: Children) -> impl IntoView {
    view! { <div class="tw" role="group" tabindex="0" aria-label=name>{children()}</div> }
}

/// A table, folded, beside a chart's legend.
pub(super) fn folded_table(page: Page, name: String, columns: usize, head: AnyView, body: AnyView) -> AnyView {
    let text = page.text();
    view! {
        <details class="data">
            <summary>
                <Icon name="i-table"/>
                {text.table}
            </summary>
            <Region name=fill(text.table_of, &[&name])>
                <table class=format!("tab cols-{columns}")>
                    <thead>
                        <tr>{head}</tr>
                    </thead>
                    <tbody>{body}</tbody>
                </table>
            </Region>
            {blocks::files()}
        </details>
    }
}

/// A button that shows all rows, or the first again: `words` says which.
#[component]
pub(super) fn ShowAll(id: &'static str, whole: RwSignal<bool>, words: String) -> impl IntoView {
    view! {
        <p class="plans-f">
            <button
                class="btn btn-s"
                type="button"
                id=id
                aria-expanded=move || whole.get().to_string()
                on:click=move |_| whole.update(|whole| *whole = !*whole)
            >
                {words}
            </button>
        </p>
    }
}

/// A swatch and its meaning.
pub(super) fn legend(class: &'static str, name: String) -> AnyView {
    view! { <li><i class=format!("sw {class}")></i>{name}</li> }
}

/// A mark of a chart and its meaning.
pub(super) fn drawn_legend(mark: AnyView, name: String) -> AnyView {
    view! { <li><svg class="lg" viewBox="0 0 18 10" aria-hidden="true">{mark}</svg>{name}</li> }
}

/// A head of a column; `number` aligns it with its figures.
pub(super) fn head(name: impl Into<String>, number: bool) -> AnyView {
    let name: String = name.into();
    view! { <th class=number.then_some("n") scope="col">{name}</th> }
}

/// A figure in a table; an empty one leaves its cell empty.
pub(super) fn cell(label: impl Into<String>, value: String) -> AnyView {
    let label: String = label.into();
    if value.is_empty() {
        return view! { <td class="nil n"></td> };
    }
    view! { <td class="n" data-l=label>{value}</td> }
}
