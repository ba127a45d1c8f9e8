//! Stacked bars, one row per phase: memory and step time.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::backend::{Ink, text_width};
use super::{Area, Drawn, NARROW, TEXT, axis, scale, text, tick};

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// Its sum, written out.
    pub value: String,
    /// Something beside the sum; empty for nothing.
    pub note: String,
    /// Whether it is the row that matters.
    pub selected: bool,
    /// What it is made of, with the text that goes on it where there is room.
    pub parts: Vec<(Ink, f64, String)>,
}

/// A chart of stacked bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Its rows, from the top.
    pub rows: Vec<Row>,
    /// Unit of the axis, written at its zero.
    pub unit: String,
    /// A limit that is drawn through all rows, with its label.
    pub limit: Option<(f64, String)>,
}

/// Where things are.
struct Frame {
    narrow: bool,
    left: i32,
    right: i32,
    top: i32,
    row: i32,
    bar: i32,
}

impl Stack {
    fn frame(&self, width: u32) -> Frame {
        let narrow = width < NARROW;
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| text_width(text, TEXT)).fold(0.0, f64::max) as i32
        };
        let label = widest(&mut self.rows.iter().map(|row| row.label.as_str()));
        let value = widest(&mut self.rows.iter().map(|row| row.value.as_str()));
        let note = widest(&mut self.rows.iter().map(|row| row.note.as_str()));
        let beside = value + 10 + if note > 0 { note + 10 } else { 0 };
        Frame {
            narrow,
            left: if narrow { 0 } else { label + 12 },
            right: width as i32 - if narrow { 2 } else { beside },
            top: if self.limit.is_some() { 22 } else { 4 },
            row: if narrow { 44 } else { 34 },
            bar: if narrow { 18 } else { 20 },
        }
    }

    /// Height in pixels at a width.
    #[must_use]
    pub fn height(&self, width: u32) -> u32 {
        let frame = self.frame(width);
        (frame.top + self.rows.len() as i32 * frame.row + 22) as u32
    }

    fn largest(&self) -> f64 {
        let sums = self
            .rows
            .iter()
            .map(|row| row.parts.iter().map(|(_, value, _)| value).sum::<f64>());
        sums.chain(self.limit.iter().map(|(value, _)| *value))
            .fold(0.0, f64::max)
    }

    /// Draws it.
    ///
    /// # Errors
    /// What the backend refuses.
    pub fn draw<B: DrawingBackend>(&self, area: &Area<B>) -> Drawn<B> {
        let (width, height) = area.dim_in_pixel();
        let frame = self.frame(width);
        let ticks = if frame.right - frame.left < 260 { 3 } else { 5 };
        let (end, step) = axis(self.largest(), ticks);
        // The axis ends with the largest bar rather than on a tick: no room is wasted.
        let end = end.min(self.largest() * 1.02).max(f64::MIN_POSITIVE);
        let bottom = height as i32 - 20;
        let right = frame.right.max(frame.left + 1);
        let x = scale(end, frame.left, right - 1);
        let mut value = 0.0;
        while value <= end * 1.0001 {
            let at = x(value);
            let ink = if value == 0.0 { Ink::Axis } else { Ink::Grid };
            if !frame.narrow {
                area.draw(&PathElement::new([(at, frame.top), (at, bottom)], ink))?;
            }
            let (label, anchor) = if value == 0.0 {
                (format!("0 {}", self.unit), HPos::Left)
            } else {
                (tick(value, step), HPos::Center)
            };
            area.draw_text(&label, &text(Ink::Tick, anchor), (at, bottom + 11))?;
            value += step;
        }
        for (index, row) in self.rows.iter().enumerate() {
            self.draw_row(area, &frame, index as i32, row, &x)?;
        }
        if let Some((limit, label)) = &self.limit {
            let at = x(*limit);
            area.draw(&PathElement::new(
                [(at, frame.top - 4), (at, bottom)],
                Ink::Cap,
            ))?;
            let half = text_width(label, TEXT) as i32 / 2 + 2;
            let middle = at.clamp(half, (width as i32 - half).max(half));
            area.draw_text(label, &text(Ink::CapText, HPos::Center), (middle, 8))?;
        }
        Ok(())
    }

    fn draw_row<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        frame: &Frame,
        index: i32,
        row: &Row,
        x: &dyn Fn(f64) -> i32,
    ) -> Drawn<B> {
        let top = frame.top + index * frame.row;
        let bar_top = if frame.narrow {
            top + 20
        } else {
            top + (frame.row - frame.bar) / 2
        };
        let middle = bar_top + frame.bar / 2;
        let (label, value) = if row.selected {
            (Ink::LabelSel, Ink::ValueSel)
        } else {
            (Ink::Label, Ink::Value)
        };
        let (width, _) = area.dim_in_pixel();
        let right = width as i32;
        let line = if frame.narrow { top + 10 } else { middle };
        area.draw_text(&row.label, &text(label, HPos::Left), (0, line))?;
        let note = if row.note.is_empty() {
            0
        } else {
            text_width(&row.note, TEXT) as i32 + 10
        };
        // The limit's line runs where the sums would be: they move beside the names.
        let (at, anchor) = if frame.narrow && self.limit.is_some() {
            (text_width(&row.label, TEXT) as i32 + 10, HPos::Left)
        } else {
            (right - note, HPos::Right)
        };
        area.draw_text(&row.value, &text(value, anchor), (at, line))?;
        if note > 0 {
            area.draw_text(&row.note, &text(Ink::Tick, HPos::Right), (right, line))?;
        }
        let mut sum = 0.0;
        for (ink, part, inside) in &row.parts {
            let (from, to) = (x(sum) + 1, x(sum + part));
            sum += part;
            if to <= from {
                continue;
            }
            area.draw(&Rectangle::new(
                [(from, bar_top), (to, bar_top + frame.bar)],
                ink.filled(),
            ))?;
            if *ink != Ink::Hatched && f64::from(to - from) > text_width(inside, 11.5) + 8.0 {
                area.draw_text(
                    inside,
                    &text(ink.on(), HPos::Center),
                    ((from + to) / 2, middle),
                )?;
            }
        }
        Ok(())
    }
}
