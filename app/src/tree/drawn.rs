//! Drawings as elements, and what pointing at their marks says.

use super::{Tree, el};
use crate::charts::TEXT;
use crate::charts::backend::{Drawing, Ink, Node as Mark, text_width};

/// A drawing that the element called `label` names.
pub(crate) fn image(drawing: Drawing, label: impl Into<String>) -> Tree {
    let label: String = label.into();
    sheet(el("svg.c|role=img").set("aria-labelledby", label), drawing)
}

/// A drawing on its sheet.
pub(crate) fn sheet(svg: Tree, drawing: Drawing) -> Tree {
    let Drawing { width, height, nodes } = drawing;
    svg.set("width", width.to_string())
        .set("height", height.to_string())
        .set("viewBox", format!("0 0 {width} {height}"))
        .children(nodes.into_iter().map(mark))
}

/// Room around the words of a tip, and between their lines.
const PAD: i32 = 8;
const LINE: i32 = 17;

/// Left and top, width and height of something to point at.
pub(crate) type Target = ((i32, i32), (i32, i32));

/// The bars of a drawing, in the order of drawing.
pub(crate) fn drawn_bars(drawing: &Drawing) -> Vec<Target> {
    let bars = drawing.nodes.iter().filter_map(|node| match node {
        Mark::Rect { at, size, class } if *class != Ink::Halo.class() => Some((*at, *size)),
        _ => None,
    });
    bars.collect()
}

/// Bars of a drawing, wide enough for a finger however short: where none stands beside another.
pub(crate) fn widened(bars: Vec<Target>) -> Vec<Target> {
    let wide = bars.into_iter().map(|((x, y), (width, height))| {
        let thin = (20 - width).max(0) / 2;
        ((x - thin, y), (width + 2 * thin, height))
    });
    wide.collect()
}

/// What hovering over the marks of a drawing, or stepping through them by keyboard, says: `about` has the
/// lines for each of them. A sheet above the drawing; the style sheet shows and hides its tips, and the page steps from
/// one to the next (`browser::follow_keys`).
pub(crate) fn targets(drawing: &Drawing, marks: Vec<Target>, about: Vec<Vec<String>>, label: String) -> Tree {
    let mut nodes = Vec::new();
    for (((x, y), (width, height)), lines) in marks.into_iter().zip(about) {
        // One stop for Tab; arrows lead on from there.
        let tab = if nodes.is_empty() { "0" } else { "-1" };
        nodes.push(
            el("rect.hit|rx=3|role=img")
                .set("tabindex", tab)
                .set("aria-label", lines.join(", "))
                .set("x", (x - 1).to_string())
                .set("y", (y - 1).to_string())
                .set("width", (width + 2).to_string())
                .set("height", (height + 2).to_string()),
        );
        nodes.push(tip(drawing.width as i32, (x, y + height + 5), lines));
    }
    let svg = el("svg.c hits|role=group").set("aria-labelledby", label);
    let sized = Drawing { nodes: Vec::new(), ..*drawing };
    sheet(svg.children(nodes), sized)
}

/// Lines of text in a frame at a place, moved to the left where the sheet ends.
fn tip(sheet_width: i32, (x, y): (i32, i32), lines: Vec<String>) -> Tree {
    let wide = lines.iter().map(|line| text_width(line, TEXT));
    let width = wide.fold(0.0, f64::max) as i32 + 2 * PAD;
    let height = lines.len() as i32 * LINE + PAD;
    let mut nodes = vec![Mark::Rect { at: (0, 0), size: (width, height), class: Ink::Halo.class() }];
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
    let drawing = Drawing { width: width as u32, height: height as u32, nodes };
    sheet(svg, drawing)
}

fn mark(mark: Mark) -> Tree {
    match mark {
        Mark::Rect { at: (x, y), size: (width, height), class } => {
            let rect = el("rect|rx=2")
                .set("class", class)
                .set("x", x.to_string())
                .set("y", y.to_string())
                .set("width", width.to_string())
                .set("height", height.to_string());
            // A style sheet in a file of its own cannot point into the page.
            if class == "hatched" { rect.set("fill", "url(#hatch)") } else { rect }
        }
        Mark::Path { d, class } => el("path").set("class", class).set("d", d),
        Mark::Text { at: (x, y), anchor, class, text } => el("text")
            .set("class", class)
            .set("x", x.to_string())
            .set("y", y.to_string())
            .set("text-anchor", anchor)
            .child(text),
    }
}
