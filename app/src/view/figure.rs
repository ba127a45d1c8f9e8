//! A chart with its sentence, its legend and the same numbers as a table.

use super::blocks;

use crate::charts::backend::Drawing;
use crate::protocol;
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

/// A drawing whose bars say something to a pointer and to the arrow keys.
pub(super) fn pointed(drawing: Drawing, about: Vec<Vec<String>>, id: &str) -> AnyView {
    let marks = drawing.bars();
    let targets = targets(&drawing, marks, about, label(id));
    view! { {blocks::image(drawing, label(id))} {targets} }
}

/// A section of the page that is one chart; what is inside stands below it.
#[component]
pub(super) fn Block(
    /// Its address; its heading and its sentence are named after it.
    id: &'static str,
    title: &'static str,
    /// What stands beside the heading.
    #[prop(into)]
    tools: ViewFn,
    /// What is to be seen, in a sentence: the chart's name too.
    #[prop(into)]
    take: Signal<Option<String>>,
    /// Units and the like.
    note: &'static str,
    #[prop(into)] draw: Draw,
    /// Its colours.
    #[prop(into)]
    legend: ViewFn,
    /// The chart's numbers as a table.
    #[prop(into)]
    table: ViewFn,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let heading = format!("{id}-h");
    view! {
        <section class="block" id=id aria-labelledby=heading>
            <div class="block-h">
                <h2 id=heading.clone()>{title}</h2>
                {move || tools.run()}
            </div>
            <figure class="fgr">
                <figcaption>
                    <p class="take" id=label(id)>{move || take.get()}</p>
                    <p class="note">{note}</p>
                </figcaption>
                <Plot label=label(id) draw/>
                <div class="fgr-f">
                    {move || legend.run()}
                    {move || table.run()}
                </div>
            </figure>
            {children.map(|children| children())}
        </section>
    }
}

/// A table in a frame that scrolls by itself where the table is wider.
#[component]
pub(super) fn Region(name: String, children: Children) -> impl IntoView {
    view! { <div class="tw" role="group" tabindex="0" aria-label=name>{children()}</div> }
}

/// A table in such a frame.
pub(super) fn framed(name: String, class: impl Into<String>, head: AnyView, body: AnyView) -> AnyView {
    let class: String = class.into();
    view! {
        <Region name>
            <table class=class>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </Region>
    }
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
            {framed(fill(text.table_of, &[&name]), format!("tab cols-{columns}"), head, body)}
            {blocks::files()}
        </details>
    }
}

/// A table of parts by phase, with their sums, folded. A part that a phase lacks leaves its cell empty.
pub(super) fn parts_table(
    page: Page,
    name: &str,
    unit: &'static str,
    phases: &[String],
    parts: Vec<(String, Vec<String>)>,
    sums: Vec<String>,
) -> AnyView {
    let cells = |figures: Vec<String>| {
        let cells = phases.iter().cloned().zip(figures);
        cells.map(|(phase, figure)| cell(phase, figure)).collect_view()
    };
    let rows = parts.into_iter().map(|(name, figures)| {
        view! {
            <tr>
                <th scope="row">{name}</th>
                {cells(figures)}
            </tr>
        }
    });
    let body = view! {
        {rows.collect_view()}
        <tr class="sum">
            <th scope="row">{page.text().total}</th>
            {cells(sums)}
        </tr>
    };
    let heads = phases.iter().map(|phase| head(phase.clone(), true));
    let head = view! { {head(unit, false)} {heads.collect_view()} };
    let columns = phases.len() + 1;
    folded_table(page, name.to_owned(), if columns > 5 { 9 } else { columns }, head, body)
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
