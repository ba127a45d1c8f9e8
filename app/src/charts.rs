//! Charts: plotters draws, [`backend`] turns what it draws into SVG nodes.
//!
//! The drawing functions know nothing of the page.

pub(crate) mod backend;
pub(crate) mod front;
pub(crate) mod gpus;
mod log;
pub(crate) mod scaling;
pub(crate) mod scatter;
pub(crate) mod stack;
pub(crate) mod timeline;

use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use backend::{Drawing, Ink, SvgNodes, text_width};

/// Size of the labels, in pixels; the style sheet says the same.
pub(crate) const TEXT: f64 = 12.5;

/// A chart narrower than this stacks what others put side by side.
pub(crate) const NARROW: u32 = 432;

/// What drawing on a backend returns.
pub(crate) type Drawn = Result<(), DrawingAreaErrorKind<std::convert::Infallible>>;

/// An area that is measured in pixels.
pub(crate) type Area<'a> = DrawingArea<SvgNodes<'a>, plotters::coord::Shift>;

/// Draws on a fresh sheet.
pub(crate) fn draw((width, height): (u32, u32), on: impl FnOnce(&Area<'_>) -> Drawn) -> Drawing {
    let mut drawing = Drawing { width, height, nodes: Vec::new() };
    let area = SvgNodes(&mut drawing).into_drawing_area();
    // The backend cannot fail; a chart that plotters refuses is left empty beside its table.
    let _ = on(&area);
    drop(area);
    drawing
}

/// Places values from zero to `end` between two pixels. The axis alone: plotters' builder of whole
/// charts is several kB to download.
fn scale(end: f64, from: i32, to: i32) -> impl Fn(f64) -> i32 {
    let axis = RangedCoordf64::from(0.0..end);
    move |value| axis.map(&value, (from, to))
}

/// Draws the ticks of an axis that begins with zero: a line at each from `top` on, where there is one, and below `bottom` its
/// number, `zero` at the first.
fn draw_ticks(
    area: &Area<'_>,
    x: &dyn Fn(f64) -> i32,
    (end, step): (f64, f64),
    (top, bottom): (Option<i32>, i32),
    zero: &str,
) -> Drawn {
    let mut value = 0.0;
    while value <= end * 1.0001 {
        let at = x(value);
        let first = value == 0.0;
        let ink = if first { Ink::Axis } else { Ink::Grid };
        if let Some(top) = top {
            area.draw(&PathElement::new([(at, top), (at, bottom)], ink))?;
        }
        let (label, anchor) = if first { (zero.to_owned(), HPos::Left) } else { (tick(value, step), HPos::Center) };
        area.draw_text(&label, &text(Ink::Tick, anchor), (at, bottom + 11))?;
        value += step;
    }
    Ok(())
}

/// Width of the widest of some lines of text, in whole pixels.
fn widest<S: AsRef<str>>(texts: impl Iterator<Item = S>) -> i32 {
    texts.map(|own| text_width(own.as_ref(), TEXT)).fold(0.0, f64::max) as i32
}

/// A rectangle: left, top, right, bottom.
type Room = [i32; 4];

/// Whether two have nothing in common.
fn apart(a: &Room, b: &Room) -> bool {
    a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1]
}

/// A text style: what the text means, and where its anchor is.
fn text(ink: Ink, anchor: HPos) -> TextStyle<'static> {
    // By its variant: a family by name is looked up in lower case, by Unicode's tables.
    FontDesc::new(FontFamily::SansSerif, TEXT, FontStyle::Normal)
        .color(&ink)
        .pos(Pos::new(anchor, VPos::Center))
}

/// The end of an axis that holds `largest`, and the step between its ticks: 1, 2, 3 or 5 times a
/// power of ten, with at most `ticks` steps.
pub(crate) fn axis(largest: f64, ticks: u32) -> (f64, f64) {
    if !largest.is_finite() || largest <= 0.0 {
        return (1.0, 1.0);
    }
    let rough = largest / f64::from(ticks.max(1));
    // The largest power of ten that is not above it, without the logarithm's tables.
    let mut power = 1.0;
    while power > rough && power > 1e-300 {
        power /= 10.0;
    }
    while power * 10.0 <= rough {
        power *= 10.0;
    }
    let step = [1.0, 2.0, 3.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| largest / step <= f64::from(ticks.max(1)) + 1e-9)
        .unwrap_or(10.0 * power);
    ((largest / step).ceil() * step, step)
}

/// A tick's label.
pub(crate) fn tick(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let (mut decimals, mut unit) = (0, 1.0);
    while unit > step * 1.000_001 && decimals < 6 {
        unit /= 10.0;
        decimals += 1;
    }
    crate::format::fixed(value, decimals)
}

/// What tests ask of a drawing.
#[cfg(test)]
mod asks {
    use super::backend::Node;

    /// How many paths are of a class.
    pub(super) fn paths(nodes: &[Node], wanted: &str) -> usize {
        let is = |node: &&Node| matches!(node, Node::Path { ink, .. } if ink.class() == wanted);
        nodes.iter().filter(is).count()
    }

    /// How often a text stands in it.
    pub(super) fn says(nodes: &[Node], wanted: &str) -> usize {
        let is = |node: &&Node| matches!(node, Node::Text { text, .. } if text == wanted);
        nodes.iter().filter(is).count()
    }
}

#[cfg(test)]
mod tests {
    use super::{axis, tick};

    #[test]
    fn axes_end_on_a_tick() {
        for (largest, ticks, end, step) in [
            (7100.0, 3, 9000.0, 3000.0),
            (0.43, 3, 0.6, 0.2),
            (83.4, 4, 90.0, 30.0),
            (0.0, 3, 1.0, 1.0),
            (f64::NAN, 3, 1.0, 1.0),
        ] {
            let (found_end, found_step) = axis(largest, ticks);
            assert!(
                (found_end - end).abs() < 1e-9 && (found_step - step).abs() < 1e-9,
                "{largest}: {found_end} {found_step}"
            );
        }
        assert_eq!(tick(0.2, 0.2), "0.2");
        assert_eq!(tick(3000.0, 3000.0), "3,000");
        assert_eq!(tick(0.05, 0.05), "0.05");
        assert_eq!(tick(0.002, 0.001), "0.002");
        assert_eq!(tick(0.0, 0.2), "0");
    }
}
