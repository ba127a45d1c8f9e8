//! A chart with its sentence, its legend and the same numbers as a table.

use super::dom::{El, Node, all, el, live, node, part};
use leptos::prelude::*;

use super::icons::icon;
use crate::browser;
use crate::charts::TEXT;
use crate::charts::backend::{Drawing, Ink, Node as Mark, text_width};
use crate::format;
use crate::page::Page;
use crate::text::fill;

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
    /// The same numbers.
    pub(super) table: Following<AnyView>,
}

impl Block {
    /// The section, with what stands beside its heading.
    pub(super) fn view(self, tools: impl Node) -> El {
        let Self {
            id, title, note, ..
        } = self;
        let (heading, sentence) = (format!("{id}-h"), label(id));
        el("SECTION.block")
            .set("id", id)
            .set("aria-labelledby", heading.clone())
            .child(
                el("DIV.block-h")
                    .child(el("H2").set("id", heading).child(title))
                    .child(tools),
            )
            .child(
                el("FIGURE.fgr")
                    .child(
                        el("FIGCAPTION")
                            .child(
                                el("P.take")
                                    .set("id", sentence.clone())
                                    .child(live(self.take)),
                            )
                            .child(el("P.note").child(note)),
                    )
                    .child(plot(sentence, self.draw))
                    .child(
                        el("DIV.fgr-f")
                            .child(part(self.legend))
                            .child(part(self.table)),
                    ),
            )
    }
}

/// The name of a block's sentence.
pub(super) fn label(id: &str) -> String {
    format!("c-{id}")
}

pub(super) fn image(drawing: Drawing, label: impl Into<String>) -> AnyView {
    let label: String = label.into();
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

/// Room around the words of a tip, and between their lines.
const PAD: i32 = 8;
const LINE: i32 = 17;

/// Left and top, width and height of something to point at.
type Target = ((i32, i32), (i32, i32));

/// The bars of a drawing, in the order of drawing.
pub(super) fn drawn_bars(drawing: &Drawing) -> Vec<Target> {
    let bars = drawing.nodes.iter().filter_map(|node| match node {
        Mark::Rect { at, size, class } if *class != Ink::Halo.class() => Some((*at, *size)),
        _ => None,
    });
    bars.collect()
}

/// What hovering over the marks of a drawing, or stepping through them by keyboard, says: `about` has the
/// lines for each of them. A sheet above the drawing; the style sheet shows and hides its tips.
pub(super) fn targets(
    drawing: &Drawing,
    marks: Vec<Target>,
    about: Vec<Vec<String>>,
    label: String,
) -> AnyView {
    let mut nodes = Vec::new();
    for (((x, y), (width, height)), lines) in marks.into_iter().zip(about) {
        // One stop for Tab; arrows lead on from there.
        let tab = if nodes.is_empty() { "0" } else { "-1" };
        // Wide enough for a finger, however short.
        let thin = (20 - width).max(0) / 2;
        nodes.push(node(
            el("rect.hit|rx=3|role=img")
                .set("tabindex", tab)
                .set("aria-label", lines.join(", "))
                .set("x", (x - thin - 1).to_string())
                .set("y", (y - 1).to_string())
                .set("width", (width + 2 * thin + 2).to_string())
                .set("height", (height + 2).to_string()),
        ));
        nodes.push(tip(drawing.width as i32, (x, y + height + 5), lines));
    }
    let svg = el("svg.c hits|role=group")
        .set("aria-labelledby", label)
        .on("keydown", Box::new(browser::step_focus));
    let sized = Drawing {
        nodes: Vec::new(),
        ..*drawing
    };
    sheet(svg.children(nodes), sized)
}

/// Lines of text in a frame at a place, moved to the left where the sheet ends.
fn tip(sheet_width: i32, (x, y): (i32, i32), lines: Vec<String>) -> AnyView {
    let wide = lines.iter().map(|line| text_width(line, TEXT));
    let width = wide.fold(0.0, f64::max) as i32 + 2 * PAD;
    let height = lines.len() as i32 * LINE + PAD;
    let mut nodes = vec![Mark::Rect {
        at: (0, 0),
        size: (width, height),
        class: Ink::Halo.class(),
    }];
    for (index, text) in lines.into_iter().enumerate() {
        nodes.push(Mark::Text {
            at: (PAD, PAD / 2 + 13 + index as i32 * LINE),
            anchor: "start",
            class: if index == 0 { Ink::Head } else { Ink::Value }.class(),
            text,
        });
    }
    let svg = el("svg.tip|aria-hidden=true")
        .set("x", x.min(sheet_width - width).max(0).to_string())
        .set("y", y.to_string());
    let drawing = Drawing {
        width: width as u32,
        height: height as u32,
        nodes,
    };
    sheet(svg, drawing)
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
        .child(region(fill(page.text().table_of, &[&name]), table))
        .into_any()
}

/// A table in a frame that scrolls by itself where the table is wider.
pub(super) fn region(name: String, table: El) -> El {
    el("DIV.tw|role=region|tabindex=0")
        .set("aria-label", name)
        .child(table)
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
    folded_table(
        page,
        name.to_owned(),
        if columns > 5 { 9 } else { columns },
        node(heads),
        node(body),
    )
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
