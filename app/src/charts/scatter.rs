//! Predicted against measured, on log axes.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use shardwise_core::ordered;

use super::backend::{Ink, text_width};
use super::log::{Axes, Span};
use super::{Area, Drawn, Room, TEXT, apart, text, widest};

/// How far from a point a pointer still means it, in pixels.
const REACH: i32 = 18;

/// How many of the largest misses carry their name.
const NAMED: usize = 3;

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) measured: f64,
    pub(crate) predicted: f64,
    /// The prediction's interval.
    pub(crate) range: Option<[f64; 2]>,
    /// Its name, in short.
    pub(crate) name: String,
    /// Whether its source states all that matters.
    pub(crate) full: bool,
    /// Whether it is of the group that was chosen; `None` where none was.
    pub(crate) chosen: Option<bool>,
}

impl Point {
    fn ink(&self) -> Ink {
        match (self.full, self.chosen) {
            (true, None) => Ink::Full,
            (true, Some(false)) => Ink::FullOff,
            (true, Some(true)) => Ink::FullSel,
            (false, None) => Ink::Part,
            (false, Some(false)) => Ink::PartOff,
            (false, Some(true)) => Ink::PartSel,
        }
    }
}

/// The whole chart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scatter {
    pub(crate) points: Vec<Point>,
    /// What is measured, and its unit.
    pub(crate) across: String,
    /// What is predicted.
    pub(crate) up: String,
}

impl Scatter {
    /// Height in pixels at a width.
    pub(crate) fn height(width: u32) -> u32 {
        (330 + width.saturating_sub(320) * 2 / 5).min(620)
    }

    fn axes(&self, (width, height): (u32, u32)) -> Axes {
        let values = || self.points.iter().flat_map(|point| [point.measured, point.predicted]);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(0.0, f64::max);
        // Nothing to show still has axes.
        let (low, high) = if low < high {
            // More room where the guides have their names.
            let span = (high / low).max(3.0);
            (low / span.powf(0.03), high * span.powf(0.08))
        } else if low == high {
            (low / 3.0, low * 3.0)
        } else {
            (1.0, 100.0)
        };
        let span = Span { low, high };
        Axes { frame: [widest(span.labels()) + 12, 26, width as i32 - 8, height as i32 - 42], across: span, up: span }
    }

    pub(crate) fn draw(&self, area: &Area<'_>) -> Drawn {
        let axes = self.axes(area.dim_in_pixel());
        axes.draw_up(area)?;
        let [_, top, _, bottom] = axes.frame;
        for tick in axes.across.ticks() {
            let (x, _) = axes.place(tick, tick);
            area.draw(&PathElement::new([(x, top), (x, bottom)], Ink::Grid))?;
        }
        axes.draw_across(area, 0, [&self.across, &self.up])?;
        draw_guides(area, &axes)?;
        // What was chosen lies on top.
        for on_top in [false, true] {
            for point in &self.points {
                if (point.chosen == Some(true)) == on_top {
                    draw_point(area, point, &axes)?;
                }
            }
        }
        self.draw_names(area, &axes)
    }

    /// The names of the largest misses, where there is room for them.
    fn draw_names(&self, area: &Area<'_>, axes: &Axes) -> Drawn {
        let mut misses: Vec<(i32, &Point)> = self
            .points
            .iter()
            .filter(|point| point.chosen != Some(false))
            .map(|point| {
                let (_, at) = axes.place(point.measured, point.predicted);
                let (_, exact) = axes.place(point.measured, point.measured);
                ((at - exact).abs(), point)
            })
            .collect();
        ordered::sort(&mut misses, &|a, b| b.0.cmp(&a.0));
        let (_, exact) = axes.place(axes.up.low, axes.up.low);
        let (_, beyond) = axes.place(axes.up.low, axes.up.low * 1.3);
        let mut taken: Vec<Room> = Vec::new();
        for (distance, point) in misses {
            if distance < exact - beyond || taken.len() == NAMED {
                break;
            }
            let (x, y) = axes.place(point.measured, point.predicted);
            let width = text_width(&point.name, TEXT) as i32;
            // Away from the diagonal: that is where the points are.
            let above = point.predicted > point.measured;
            let (anchor, from) = if above { (HPos::Right, x - 12 - width) } else { (HPos::Left, x + 12) };
            let room = [from, y - 9, from + width, y + 9];
            let [left, _, right, _] = axes.frame;
            if room[0] < left || room[2] > right || !taken.iter().all(|other| apart(&room, other)) {
                continue;
            }
            taken.push(room);
            area.draw(&Circle::new((x, y), 8, Ink::Ring))?;
            let at = if above { x - 12 } else { x + 12 };
            area.draw_text(&point.name, &text(Ink::Miss, anchor), (at, y))?;
        }
        Ok(())
    }

    /// Draws what a person points at: its ring, its interval and its name.
    pub(crate) fn draw_near(&self, area: &Area<'_>, index: usize) -> Drawn {
        let Some(point) = self.points.get(index) else {
            return Ok(());
        };
        let axes = self.axes(area.dim_in_pixel());
        let (x, y) = axes.place(point.measured, point.predicted);
        if let Some([low, high]) = point.range {
            let (_, low) = axes.place(point.measured, low);
            let (_, high) = axes.place(point.measured, high);
            for ink in [Ink::WhiskerGround, Ink::Whisker] {
                area.draw(&PathElement::new([(x, low), (x, high)], ink))?;
                for end in [low, high] {
                    area.draw(&PathElement::new([(x - 4, end), (x + 5, end)], ink))?;
                }
            }
        }
        area.draw(&Circle::new((x, y), 8, Ink::Ring))?;
        let width = text_width(&point.name, TEXT) as i32;
        let left = x - 14 - width;
        let (from, at, anchor) = if x + 14 + width < axes.frame[2] {
            (x + 14, x + 14, HPos::Left)
        } else {
            (left, left + width, HPos::Right)
        };
        area.draw(&Rectangle::new([(from - 5, y - 10), (from + width + 5, y + 11)], Ink::Halo.filled()))?;
        area.draw_text(&point.name, &text(Ink::Near, anchor), (at, y))
    }

    /// The point that a place on a sheet of a size means.
    pub(crate) fn nearest(&self, size: (u32, u32), (x, y): (i32, i32)) -> Option<usize> {
        let axes = self.axes(size);
        let distances = self.points.iter().enumerate().map(|(index, point)| {
            let (at_x, at_y) = axes.place(point.measured, point.predicted);
            let away = (at_x - x).pow(2) + (at_y - y).pow(2);
            // A chosen point before another one at the same place.
            (away, point.chosen == Some(false), index)
        });
        let found = distances.min();
        found.filter(|(away, _, _)| *away <= REACH * REACH).map(|(_, _, index)| index)
    }
}

/// The diagonal, and the lines of 10 and 20 % around it.
fn draw_guides(area: &Area<'_>, axes: &Axes) -> Drawn {
    let Span { low, high } = axes.up;
    let place = |measured, predicted| axes.place(measured, predicted);
    // From edge to edge of the square: a line of more starts on the left and ends on top.
    let line = |share: f64| {
        if share >= 1.0 {
            [place(low, low * share), place(high / share, high)]
        } else {
            [place(low / share, low), place(high, high * share)]
        }
    };
    let ([from, to], [back, end]) = (line(1.2), line(0.8));
    area.draw(&Polygon::new(vec![from, to, place(high, high), end, back, place(low, low)], Ink::Band.filled()))?;
    for share in [0.9, 1.1] {
        area.draw(&PathElement::new(line(share), Ink::Guide))?;
    }
    area.draw(&PathElement::new(line(1.0), Ink::Ideal))?;
    // Beside the band, whatever its slope.
    let label = text(Ink::Tick, HPos::Right);
    let [left, top, right, bottom] = axes.frame;
    let rise = f64::from(bottom - top) / f64::from((right - left).max(1));
    let before = (12.0 / rise.max(0.1)) as i32;
    let below = (text_width("−20 %", TEXT) * rise) as i32;
    area.draw_text("+20 %", &label, (to.0 - before, to.1 + 4))?;
    area.draw_text("−20 %", &label, (end.0, end.1 + below + 12))
}

fn draw_point(area: &Area<'_>, point: &Point, axes: &Axes) -> Drawn {
    let (x, y) = axes.place(point.measured, point.predicted);
    let fill = point.ink().filled();
    if point.full {
        return area.draw(&Circle::new((x, y), 4, fill));
    }
    let diamond = vec![(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)];
    area.draw(&Polygon::new(diamond, fill))
}

#[cfg(test)]
mod tests {
    use super::super::asks::paths;
    use super::{Point, Scatter};
    use crate::charts;

    fn point(measured: f64, predicted: f64, full: bool) -> Point {
        Point {
            measured,
            predicted,
            range: Some([predicted * 0.8, predicted * 1.2]),
            name: "run".to_owned(),
            full,
            chosen: None,
        }
    }

    fn chart() -> Scatter {
        Scatter {
            points: vec![point(100.0, 100.0, true), point(1000.0, 1000.0, false), point(1000.0, 300.0, true)],
            across: "measured".to_owned(),
            up: "predicted".to_owned(),
        }
    }

    #[test]
    fn every_run_is_a_point_and_the_miss_has_its_name() {
        let chart = chart();
        let drawing = charts::draw((800, Scatter::height(800)), |area| chart.draw(area));
        assert_eq!(paths(&drawing.nodes, "pt-full"), 2);
        assert_eq!(paths(&drawing.nodes, "pt-part"), 1);
        assert_eq!(paths(&drawing.nodes, "ideal"), 1);
        assert_eq!(paths(&drawing.nodes, "guide"), 2);
        assert_eq!(paths(&drawing.nodes, "pt-ring"), 1);
    }

    #[test]
    fn a_pointer_finds_the_point_below_it() {
        let chart = chart();
        let size = (800, Scatter::height(800));
        let (x, y) = chart.axes(size).place(1000.0, 300.0);
        let found = [(x, y), (x + 60, y)].map(|at| chart.nearest(size, at));
        assert_eq!(found, [Some(2), None]);
    }

    #[test]
    fn nothing_at_all_still_draws() {
        for points in [vec![], vec![point(5.0, 5.0, true)]] {
            let chart = Scatter { points, ..chart() };
            let drawing = charts::draw((320, Scatter::height(320)), |area| chart.draw(area));
            assert!(!drawing.nodes.is_empty());
        }
    }
}
