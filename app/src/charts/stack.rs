//! Stacked bars, one row per phase: memory and step time.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::backend::{Drawing, Ink, text_width};
use super::{Area, Drawn, NARROW, TEXT, axis, draw, draw_ticks, scale, text, widest};

/// Between the parts of a text on a bar.
pub(crate) const SEPARATOR: &str = " · ";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Its name.
    pub(crate) label: String,
    /// Its sum, written out.
    pub(crate) value: String,
    /// Something beside the sum; empty for nothing.
    pub(crate) note: String,
    /// Whether it is the row that matters.
    pub(crate) selected: bool,
    /// What it is made of, with the words that go on it or into a gap beside it, where there is room. Where
    /// there is little, what follows [`SEPARATOR`] stands alone.
    pub(crate) parts: Vec<(Ink, f64, String)>,
}

/// A chart of stacked bars.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stack {
    /// Its rows, from the top.
    pub(crate) rows: Vec<Row>,
    /// Unit of the axis, written at its zero.
    pub(crate) unit: String,
    /// A limit that is drawn through all rows, with its label.
    pub(crate) limit: Option<(f64, String)>,
}

/// Where things are.
struct Frame {
    narrow: bool,
    left: i32,
    right: i32,
    top: i32,
    row: i32,
    bar: i32,
    note: i32,
}

impl Stack {
    fn frame(&self, width: u32) -> Frame {
        let narrow = width < NARROW;
        let label = widest(self.rows.iter().map(|row| &row.label));
        let value = widest(self.rows.iter().map(|row| &row.value));
        let note = match widest(self.rows.iter().map(|row| &row.note)) {
            0 => 0,
            note => note + 10,
        };
        Frame {
            narrow,
            left: if narrow { 0 } else { label + 12 },
            right: width as i32 - if narrow { 2 } else { value + 10 + note },
            top: if self.limit.is_some() { 22 } else { 4 },
            row: if narrow { 44 } else { 34 },
            bar: if narrow { 18 } else { 20 },
            note,
        }
    }

    /// Height in pixels at a width.
    pub(crate) fn height(&self, width: u32) -> u32 {
        let frame = self.frame(width);
        (frame.top + self.rows.len() as i32 * frame.row + 22) as u32
    }

    /// The finished drawing at a width.
    pub(crate) fn drawn(&self, width: u32) -> Drawing {
        draw((width, self.height(width)), |area| self.draw(area))
    }

    fn largest(&self) -> f64 {
        let sums = self
            .rows
            .iter()
            .map(|row| row.parts.iter().map(|(_, value, _)| value).sum::<f64>());
        sums.chain(self.limit.iter().map(|(value, _)| *value)).fold(0.0, f64::max)
    }

    pub(crate) fn draw(&self, area: &Area<'_>) -> Drawn {
        let (width, height) = area.dim_in_pixel();
        let frame = self.frame(width);
        let ticks = if frame.right - frame.left < 260 { 3 } else { 5 };
        let (end, step) = axis(self.largest(), ticks);
        // The axis ends with the largest bar rather than on a tick: no room is wasted.
        let end = end.min(self.largest() * 1.02).max(f64::MIN_POSITIVE);
        let bottom = height as i32 - 20;
        let right = frame.right.max(frame.left + 1);
        let x = scale(end, frame.left, right - 1);
        let top = (!frame.narrow).then_some(frame.top);
        draw_ticks(area, &x, (end, step), (top, bottom), &format!("0 {}", self.unit))?;
        for (index, row) in self.rows.iter().enumerate() {
            self.draw_row(area, &frame, index as i32, row, &x)?;
        }
        if let Some((limit, label)) = &self.limit {
            let at = x(*limit);
            area.draw(&PathElement::new([(at, frame.top - 4), (at, bottom)], Ink::Cap))?;
            let half = text_width(label, TEXT) as i32 / 2 + 2;
            let middle = at.clamp(half, (width as i32 - half).max(half));
            area.draw_text(label, &text(Ink::CapText, HPos::Center), (middle, 8))?;
        }
        Ok(())
    }

    fn draw_row(&self, area: &Area<'_>, frame: &Frame, index: i32, row: &Row, x: &dyn Fn(f64) -> i32) -> Drawn {
        let top = frame.top + index * frame.row;
        let bar_top = if frame.narrow { top + 20 } else { top + (frame.row - frame.bar) / 2 };
        let middle = bar_top + frame.bar / 2;
        let (label, value) = if row.selected { (Ink::LabelSel, Ink::ValueSel) } else { (Ink::Label, Ink::Value) };
        let (width, _) = area.dim_in_pixel();
        let right = width as i32;
        let line = if frame.narrow { top + 10 } else { middle };
        area.draw_text(&row.label, &text(label, HPos::Left), (0, line))?;
        // The limit's line runs where the sums would be: they move beside the names.
        let (at, anchor) = if frame.narrow && self.limit.is_some() {
            (text_width(&row.label, TEXT) as i32 + 10, HPos::Left)
        } else {
            (right - frame.note, HPos::Right)
        };
        area.draw_text(&row.value, &text(value, anchor), (at, line))?;
        if !row.note.is_empty() {
            area.draw_text(&row.note, &text(Ink::Tick, HPos::Right), (right, line))?;
        }
        let mut sum = 0.0;
        // Room before the next bar that no words have taken.
        let mut free = 0;
        for (index, (ink, part, inside)) in row.parts.iter().enumerate() {
            // However short, it is seen.
            let (from, to) = (x(sum) + 1, x(sum + part).max(x(sum) + 2));
            sum += part;
            if *ink == Ink::Gap {
                free += to - from;
                continue;
            }
            area.draw(&Rectangle::new([(from, bar_top), (to, bar_top + frame.bar)], ink.filled()))?;
            let before = std::mem::take(&mut free);
            let after = match row.parts.get(index + 1) {
                Some((Ink::Gap, gap, _)) => x(sum + gap) - to,
                _ => 0,
            };
            let width = |words: &str| text_width(words, TEXT) as i32 + 8;
            let (full, short) = (width(inside), inside.rsplit(SEPARATOR).next());
            let short = short.unwrap_or(inside);
            // On the bar, beside it, or in short. A figure alone stands at the end of its row already.
            let apart = short.len() < inside.len();
            let (words, at, ink) = if full < to - from {
                (inside.as_str(), (from + to) / 2, ink.on())
            } else if apart && full < after {
                free = -full;
                (inside.as_str(), to + full / 2, Ink::Value)
            } else if apart && full < before {
                (inside.as_str(), from - full / 2, Ink::Value)
            } else if width(short) < to - from {
                (short, (from + to) / 2, ink.on())
            } else {
                continue;
            };
            // Lines behind words give way.
            if matches!(ink, Ink::Value | Ink::Reason) && !words.is_empty() {
                let half = width(words) / 2;
                area.draw(&Rectangle::new([(at - half, middle - 8), (at + half, middle + 8)], Ink::Halo.filled()))?;
            }
            area.draw_text(words, &text(ink, HPos::Center), (at, middle))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::backend::Node;
    use super::{Ink, Row, Stack};

    #[test]
    fn words_that_a_bar_has_no_room_for_stand_in_a_gap_beside_it() {
        let part = |ink, value, words: &str| (ink, value, words.to_owned());
        let gap = |value| part(Ink::Gap, value, "");
        let row = |parts| Row {
            label: "lane".to_owned(),
            value: "9 s".to_owned(),
            note: String::new(),
            selected: false,
            parts,
        };
        let stack = Stack {
            rows: vec![
                row(vec![part(Ink::KvCache, 100.0, "rollout · 100 s")]),
                row(vec![gap(60.0), part(Ink::Forward, 1.0, "before · 1 s")]),
                row(vec![part(Ink::Forward, 1.0, "after · 1 s"), gap(60.0)]),
                row(vec![part(Ink::Forward, 5.0, "nowhere · 5 s")]),
                row(vec![gap(60.0), part(Ink::Forward, 1.0, "1 s")]),
            ],
            unit: "s".to_owned(),
            limit: None,
        };
        let nodes = stack.drawn(800).nodes;
        let place = |words: &str| {
            nodes.iter().find_map(|node| match node {
                Node::Text { at, text, .. } if text == words => Some(at.0),
                _ => None,
            })
        };
        let bars: Vec<(i32, i32)> = nodes
            .iter()
            .filter_map(|node| match node {
                Node::Rect { at, size, ink } if *ink != Ink::Halo => Some((at.0, at.0 + size.0)),
                _ => None,
            })
            .collect();
        assert_eq!(bars.len(), 5, "a gap is no bar");
        assert!(place("rollout · 100 s").is_some_and(|at| bars[0].0 < at && at < bars[0].1));
        assert!(place("before · 1 s").is_some_and(|at| at < bars[1].0));
        assert!(place("after · 1 s").is_some_and(|at| at > bars[2].1));
        assert!(place("nowhere · 5 s").is_none() && place("5 s").is_some());
        assert_eq!(place("1 s"), None);
    }
}
