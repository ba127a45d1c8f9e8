//! Log axes, as the charts of time, cost and throughput share them.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::backend::{Ink, text_width};
use super::scatter::ticks;
use super::{Area, Drawn, Room, TEXT, scale, text};
use crate::format;

/// An axis: from where to where.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Span {
    /// Holds `values`, with room around them.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::MAX, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        Self { low: low / 1.2, high: high * 1.25 }
    }

    pub(super) fn place(self, from: i32, to: i32) -> impl Fn(f64) -> i32 {
        let at = scale((self.high / self.low).ln(), from, to);
        move |value| at((value / self.low).ln())
    }
}

/// Draws the numbers of the axis across below it, each of its `ticks` at its place; on a narrow sheet one gives way to the one before
/// it. Each has a `mark` of so many pixels above it. Below them stands what is across, and on top what is up.
pub(super) fn draw_across(
    area: &Area<'_>,
    ticks: impl Iterator<Item = (f64, i32)>,
    mark: i32,
    [left, _, right, bottom]: Room,
    [across, up]: [&str; 2],
) -> Drawn {
    let mut last = i32::MIN;
    for (tick, x) in ticks {
        let label = format::trimmed(tick);
        let half = text_width(&label, TEXT) as i32 / 2;
        if x - half > last && x + half <= right + 8 {
            if mark > 0 {
                area.draw(&PathElement::new([(x, bottom), (x, bottom + mark)], Ink::Axis))?;
            }
            area.draw_text(&label, &text(Ink::Tick, HPos::Center), (x, bottom + 14))?;
            last = x + half + 6;
        }
    }
    let middle = (left + right) / 2;
    area.draw_text(across, &text(Ink::Tick, HPos::Center), (middle, bottom + 33))?;
    area.draw_text(up, &text(Ink::Tick, HPos::Left), (0, 9))
}

/// Height of a chart in pixels at a width.
pub(super) fn height(width: u32) -> u32 {
    (290 + width.saturating_sub(320) / 6).min(400)
}

/// Draws the axis up, with a line across at each tick, and the line of the axis across.
pub(super) fn draw_up(area: &Area<'_>, [left, top, right, bottom]: Room, up: Span) -> Drawn {
    let y = up.place(bottom, top);
    for tick in ticks(up.low, up.high) {
        let at = y(tick);
        area.draw(&PathElement::new([(left, at), (right, at)], Ink::Grid))?;
        area.draw_text(&format::trimmed(tick), &text(Ink::Tick, HPos::Right), (left - 6, at))?;
    }
    area.draw(&PathElement::new([(left, bottom), (right, bottom)], Ink::Axis))
}
