//! Drawings, and what pointing at their marks says.

use leptos::tachys::view::iterators::StaticVec;

use super::host::some;
use crate::charts::TEXT;
use crate::charts::backend::{Anchor, Drawing, Ink, Node, text_width};
use crate::protocol::blocks::Target;
use crate::view::prelude::*;

/// Room around the words of a tip, and between their lines.
const PAD: i32 = 8;
const LINE: i32 = 17;
/// Longer lines are hard to read.
const WIDEST: f64 = 420.0;

/// A sheet of SVG at a place on the one that it is in; without a label it says nothing to assistive programs.
fn sheet(class: &'static str, said: [&str; 2], at: (i32, i32), size: (u32, u32), nodes: Vec<AnyView>) -> AnyView {
    let [role, label] = said.map(|words| some(words.to_owned()));
    let hidden = label.is_none().then_some("true");
    let (width, height) = size;
    view! {
        <svg
            class=class
            role=role
            aria-labelledby=label
            aria-hidden=hidden
            x=at.0.to_string()
            y=at.1.to_string()
            width=width.to_string()
            height=height.to_string()
            viewBox=format!("0 0 {width} {height}")
        >
            {StaticVec::from(nodes)}
        </svg>
    }
}

/// A drawing that the element called `label` names.
pub(in crate::view) fn image(drawing: Drawing, label: String) -> AnyView {
    let Drawing { width, height, nodes } = drawing;
    sheet("c", ["img", &label], (0, 0), (width, height), marks(nodes))
}

/// A drawing above another.
pub(in crate::view) fn over(drawing: Drawing) -> AnyView {
    let Drawing { width, height, nodes } = drawing;
    sheet("c over", ["", ""], (0, 0), (width, height), marks(nodes))
}

/// What hovering over the marks of a drawing, or stepping through them by keyboard, says: a sheet above the drawing. The
/// style sheet shows and hides its tips, and the page steps from one to the next (`browser::follow_keys`).
pub(in crate::view) fn targets(drawing: &Drawing, targets: Vec<Target>, label: String) -> AnyView {
    let Drawing { width, height, .. } = *drawing;
    let mut nodes = Vec::new();
    for Target { at: (x, y), size, lines } in targets {
        // One stop for Tab; arrows lead on from there.
        let stop = if nodes.is_empty() { "0" } else { "-1" };
        let hit = view! {
            <rect
                class="hit"
                rx="3"
                role="img"
                tabindex=stop
                aria-label=lines.join(", ")
                x=(x - 1).to_string()
                y=(y - 1).to_string()
                width=(size.0 + 2).to_string()
                height=(size.1 + 2).to_string()
            />
        };
        nodes.extend([hit.into_any(), tip(width as i32, (x, y + size.1 + 5), &lines)]);
    }
    sheet("c hits", ["group", &label], (0, 0), (width, height), nodes)
}

/// Lines of at most a width: longer ones go on in the next, after a space or a wide mark.
fn wrapped(lines: &[String], widest: f64) -> Vec<String> {
    let mut found = Vec::new();
    for line in lines {
        let mut rest = line.as_str();
        while text_width(rest, TEXT) > widest {
            let breaks = |(place, mark): (usize, char)| {
                let after = place + mark.len_utf8();
                let may = mark == ' ' || "，。、；：）".contains(mark);
                (may && text_width(&rest[..after], TEXT) <= widest).then_some(after)
            };
            let Some(place) = rest.char_indices().filter_map(breaks).next_back() else { break };
            let (first, next) = rest.split_at(place);
            found.push(first.trim_end().to_owned());
            rest = next;
        }
        found.push(rest.to_owned());
    }
    found
}

/// Lines of text in a frame at a place, moved to the left where the sheet ends.
fn tip(sheet_width: i32, (x, y): (i32, i32), lines: &[String]) -> AnyView {
    let lines = wrapped(lines, f64::from(sheet_width - 2 * PAD).min(WIDEST));
    let wide = lines.iter().map(|line| text_width(line, TEXT));
    let width = wide.fold(0.0, f64::max) as i32 + 2 * PAD;
    let height = lines.len() as i32 * LINE + PAD;
    let mut nodes = vec![Node::Rect { at: (0, 0), size: (width, height), ink: Ink::Halo }];
    for (index, text) in lines.into_iter().enumerate() {
        nodes.push(Node::Text {
            at: (PAD, PAD / 2 + 13 + index as i32 * LINE),
            anchor: Anchor::Start,
            ink: if index == 0 { Ink::Head } else { Ink::Value },
            text,
        });
    }
    let at = (x.min(sheet_width - width).max(0), y);
    sheet("tip", ["", ""], at, (width as u32, height as u32), marks(nodes))
}

fn marks(nodes: Vec<Node>) -> Vec<AnyView> {
    nodes.into_iter().map(mark).collect()
}

fn mark(node: Node) -> AnyView {
    match node {
        Node::Rect { at: (x, y), size: (width, height), ink } => view! {
            <rect
                rx="2"
                class=ink.class()
                x=x.to_string()
                y=y.to_string()
                width=width.to_string()
                height=height.to_string()
                // A style sheet in a file of its own cannot point into the page.
                fill=(ink == Ink::Hatched).then_some("url(#hatch)")
            />
        },
        Node::Path { d, ink } => view! { <path class=ink.class() d=d /> },
        Node::Text { at: (x, y), anchor, ink, text } => view! {
            <text class=ink.class() x=x.to_string() y=y.to_string() text-anchor=anchor.word()>
                {text}
            </text>
        },
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;
    use crate::charts::TEXT;
    use crate::charts::backend::text_width;

    #[test]
    fn long_lines_go_on_and_lose_no_word() {
        let lines = [
            "H100-SXM".to_owned(),
            "Voltage Park, 8x H100 InfiniBand, on demand: $2.49 a GPU hour, 2026-05-25.".to_owned(),
            "在 Voltage Park 租用，按量付费，每小时 ¥36.08，日期为 2026-05-25，另有二十五个报价。".to_owned(),
        ];
        let found = wrapped(&lines, 180.0);
        assert_eq!(found[0], lines[0]);
        assert!(found.len() > 5 && found.iter().all(|line| text_width(line, TEXT) <= 180.0), "{found:?}");
        assert_eq!(found.concat().replace(' ', ""), lines.concat().replace(' ', ""));
        // What cannot be broken stays whole.
        let whole = ["a".repeat(100)];
        assert_eq!(wrapped(&whole, 50.0), whole);
    }
}
