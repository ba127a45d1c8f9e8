//! Log axes, as the charts of time, cost and throughput share them.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::backend::{Ink, text_width};
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

    fn place(self, value: f64, from: i32, to: i32) -> i32 {
        scale((self.high / self.low).ln(), from, to)((value / self.low).ln())
    }

    /// Its ticks: 1 and 3 times the powers of ten, more of them where it spans little.
    pub(super) fn ticks(self) -> Vec<f64> {
        let (low, high) = (self.low, self.high);
        let steps: &[f64] = match high / low {
            span if span > 30.0 => &[1.0, 3.0],
            span if span > 3.0 => &[1.0, 2.0, 3.0, 5.0, 7.0],
            _ => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        };
        let mut power = 1e-3;
        let mut ticks = Vec::new();
        while power <= high {
            let here = steps.iter().map(|step| step * power);
            ticks.extend(here.filter(|tick| (low..=high).contains(tick)));
            power *= 10.0;
        }
        ticks
    }

    /// The numbers at them.
    pub(super) fn labels(self) -> impl Iterator<Item = String> {
        self.ticks().into_iter().map(format::trimmed)
    }
}

/// Both axes, and where they stand on the sheet.
#[derive(Clone, Copy)]
pub(super) struct Axes {
    pub(super) frame: Room,
    pub(super) across: Span,
    pub(super) up: Span,
}

impl Axes {
    /// Where what is so much across and so much up stands.
    pub(super) fn place(&self, across: f64, up: f64) -> (i32, i32) {
        let [left, top, right, bottom] = self.frame;
        (self.across.place(across, left, right), self.up.place(up, bottom, top))
    }

    /// Draws the numbers of the axis up, with a line across at each.
    pub(super) fn draw_up(&self, area: &Area<'_>) -> Drawn {
        let [left, _, right, _] = self.frame;
        for tick in self.up.ticks() {
            let (_, y) = self.place(self.across.low, tick);
            area.draw(&PathElement::new([(left, y), (right, y)], Ink::Grid))?;
            area.draw_text(&format::trimmed(tick), &text(Ink::Tick, HPos::Right), (left - 6, y))?;
        }
        Ok(())
    }

    /// Draws the line of the axis across.
    pub(super) fn draw_foot(&self, area: &Area<'_>) -> Drawn {
        let [left, _, right, bottom] = self.frame;
        area.draw(&PathElement::new([(left, bottom), (right, bottom)], Ink::Axis))
    }

    /// Draws the numbers of the axis across below it; on a narrow sheet one gives way to the one before it. Each has a `mark` of so many
    /// pixels above it. Below them stands what is across, and on top what is up.
    pub(super) fn draw_across(&self, area: &Area<'_>, mark: i32, [across, up]: [&str; 2]) -> Drawn {
        let [left, _, right, bottom] = self.frame;
        let mut last = i32::MIN;
        for tick in self.across.ticks() {
            let (x, label) = (self.place(tick, self.up.low).0, format::trimmed(tick));
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
}

/// Height of a chart in pixels at a width.
pub(super) fn height(width: u32) -> u32 {
    (290 + width.saturating_sub(320) / 6).min(400)
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn ticks_are_as_many_as_there_is_room_for() {
        let ticks = |low, high| Span { low, high }.ticks();
        assert_eq!(ticks(7.1, 9.8), [8.0, 9.0]);
        assert_eq!(ticks(20.0, 140.0), [20.0, 30.0, 50.0, 70.0, 100.0]);
        assert_eq!(ticks(75.0, 12_000.0), [100.0, 300.0, 1000.0, 3000.0, 10_000.0]);
    }
}
