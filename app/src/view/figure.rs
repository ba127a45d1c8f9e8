//! A chart with its sentence, its legend and the same numbers as a table.

use super::dom::{El, Node, all, el, live, node, part};
use leptos::prelude::*;

use super::blocks;
use super::icons::icon;
use crate::browser;
use crate::charts::backend::Drawing;
use crate::page::Page;
use crate::protocol;
use crate::text::fill;
use crate::tree::parts;
pub(super) use parts::per_cent;

/// Draws at a width; `None` while there is nothing to draw.
pub(super) type Draw = Box<dyn Fn(u32) -> Option<AnyView> + Send + Sync>;

/// A part of a figure that follows the answer.
pub(super) type Following<T> = Box<dyn FnMut() -> Option<T> + Send>;

/// A chart drawn at the width it has, and again as that changes. `label` names its sentence.
pub(super) fn plot(label: String, draw: Draw) -> AnyView {
    let id = format!("plot-{label}");
    let width = browser::follow_width(id.clone());
    let drawn = move || {
        let width = width.get();
        (width > 0).then(|| draw(width)).flatten()
    };
    el("DIV.plot").set("id", id).child(part(drawn)).into_any()
}

/// A drawing that the element called `label` names.
pub(super) fn image(drawing: Drawing, label: String) -> AnyView {
    blocks::image(drawing, label)
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
    vec![image(drawing, label(id)), targets].into_any()
}

/// A swatch and its meaning.
pub(super) fn legend(class: &'static str, name: String) -> AnyView {
    node(parts::legend(class, name))
}

/// A head of a column; `number` aligns it with its figures.
pub(super) fn head(name: impl Into<String>, number: bool) -> AnyView {
    let name: String = name.into();
    node(parts::head(name, number))
}

/// A figure in a table; an empty one leaves its cell empty.
pub(super) fn cell(label: impl Into<String>, value: String) -> AnyView {
    let label: String = label.into();
    node(parts::cell(label, value))
}

/// A table in a frame that scrolls by itself where the table is wider.
pub(super) fn region(name: String, table: El) -> El {
    el("DIV.tw|role=group|tabindex=0").set("aria-label", name).child(table)
}

/// A section of the page that is one chart.
pub(super) struct Block {
    /// Its address; its heading and its sentence are named after it.
    pub(super) id: &'static str,
    /// Its heading.
    pub(super) title: &'static str,
    /// What is to be seen, in a sentence: the chart's name too.
    pub(super) take: Following<String>,
    /// Units and the like.
    pub(super) note: &'static str,
    /// The chart.
    pub(super) draw: Draw,
    /// Its colours.
    pub(super) legend: Following<AnyView>,
    /// The chart's numbers as a table.
    pub(super) table: Following<AnyView>,
}

impl Block {
    /// The section, with what stands beside its heading.
    pub(super) fn view(self, tools: impl Node) -> El {
        let Self { id, title, note, .. } = self;
        let (heading, sentence) = (format!("{id}-h"), label(id));
        el("SECTION.block")
            .set("id", id)
            .set("aria-labelledby", heading.clone())
            .child(el("DIV.block-h").child(el("H2").set("id", heading).child(title)).child(tools))
            .child(
                el("FIGURE.fgr")
                    .child(
                        el("FIGCAPTION")
                            .child(el("P.take").set("id", sentence.clone()).child(live(self.take)))
                            .child(el("P.note").child(note)),
                    )
                    .child(plot(sentence, self.draw))
                    .child(el("DIV.fgr-f").child(part(self.legend)).child(part(self.table))),
            )
    }
}

/// The name of a block's sentence.
pub(super) fn label(id: &str) -> String {
    format!("c-{id}")
}

/// A table, folded, beside a chart's legend.
pub(super) fn folded_table(page: Page, name: String, columns: usize, head: AnyView, body: AnyView) -> AnyView {
    let table = el("TABLE")
        .set("class", format!("tab cols-{columns}"))
        .child(el("THEAD").child(el("TR").child(head)))
        .child(el("TBODY").child(body));
    el("DETAILS.data")
        .child(el("SUMMARY").child(icon("i-table")).child(page.text().table))
        .child(region(fill(page.text().table_of, &[&name]), table))
        .child(blocks::files())
        .into_any()
}

/// A table of parts by phase, with their sums, folded. A part that a phase lacks leaves its cell empty.
pub(super) fn parts_table(
    page: Page,
    name: &str,
    unit: &str,
    phases: &[String],
    parts: Vec<(String, Vec<String>)>,
    sums: Vec<String>,
) -> AnyView {
    let row = |tr: El, (name, figures): (String, Vec<String>)| {
        let cells = phases.iter().zip(figures);
        tr.child(el("TH|scope=row").child(name))
            .children(cells.map(|(phase, figure)| cell(phase.clone(), figure)))
            .into_any()
    };
    let mut body = all(parts.into_iter().map(|part| row(el("TR"), part)));
    body.push(row(el("TR.sum"), (page.text().total.to_owned(), sums)));
    let mut heads = vec![head(unit, false)];
    heads.extend(phases.iter().map(|phase| head(phase.clone(), true)));
    let columns = heads.len();
    folded_table(page, name.to_owned(), if columns > 5 { 9 } else { columns }, node(heads), node(body))
}
