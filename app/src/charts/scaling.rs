//! Throughput against the number of GPUs, on log axes, beside what would be had if every GPU kept its speed.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::backend::{Ink, text_width};
use super::log::{Axes, Span, height};
use super::{Area, Drawn, TEXT, text, widest};

/// Half the side of the square around a point that a pointer meets, in pixels.
const REACH: i32 = 9;

/// A number of GPUs with its best plan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// How many GPUs.
    pub(crate) gpus: f64,
    /// Throughput of all of them.
    pub(crate) value: f64,
    /// Its interval.
    pub(crate) range: Option<[f64; 2]>,
    /// Speed of each GPU beside the question's own number of them.
    pub(crate) label: String,
    /// What stands under the axis: the number, and the cost of a token.
    pub(crate) under: [String; 2],
    /// Whether it is the question's own number.
    pub(crate) selected: bool,
}

/// The whole chart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scaling {
    /// Its points, the fewest GPUs first.
    pub(crate) points: Vec<Point>,
    /// What stands before the two lines under the axis.
    pub(crate) heads: [String; 2],
    /// Name of the line that every GPU keeping its speed makes.
    pub(crate) linear: String,
}

impl Scaling {
    /// Height in pixels at a width.
    pub(crate) fn height(width: u32) -> u32 {
        height(width)
    }

    fn axes(&self, (width, height): (u32, u32)) -> Axes {
        let across = Span::of(self.points.iter().map(|point| point.gpus));
        let up = Span::of(self.points.iter().flat_map(|point| {
            let [low, high] = point.range.unwrap_or([point.value; 2]);
            [low, high, point.value]
        }));
        let labels = up.labels().chain(self.heads.clone());
        // Half of the last number stands right of its point.
        Axes { frame: [widest(labels) + 12, 10, width as i32 - 22, height as i32 - 52], across, up }
    }

    fn places(&self, size: (u32, u32)) -> Vec<(i32, i32)> {
        let axes = self.axes(size);
        self.points.iter().map(|point| axes.place(point.gpus, point.value)).collect()
    }

    /// Left, top and size of what a pointer meets of each point.
    pub(crate) fn boxes(&self, size: (u32, u32)) -> Vec<((i32, i32), (i32, i32))> {
        let places = self.places(size).into_iter();
        places.map(|(x, y)| ((x - REACH, y - REACH), (2 * REACH, 2 * REACH))).collect()
    }

    pub(crate) fn draw(&self, area: &Area<'_>) -> Drawn {
        let size = area.dim_in_pixel();
        let axes = self.axes(size);
        let places = self.places(size);
        self.draw_axes(area, &axes, &places)?;
        self.draw_band(area, &axes)?;
        self.draw_linear(area, &axes)?;
        area.draw(&PathElement::new(places.clone(), Ink::Front))?;
        for (point, (x, y)) in self.points.iter().zip(&places) {
            let (ink, radius) = if point.selected {
                area.draw(&Circle::new((*x, *y), 9, Ink::Ring))?;
                (Ink::PointSel, 5)
            } else {
                (Ink::PointFront, 4)
            };
            area.draw(&Circle::new((*x, *y), radius, ink.filled()))?;
            let ink = if point.selected { Ink::LabelSel } else { Ink::Label };
            area.draw_text(&point.label, &text(ink, HPos::Center), (*x, y + 19))?;
        }
        Ok(())
    }

    fn draw_axes(&self, area: &Area<'_>, axes: &Axes, places: &[(i32, i32)]) -> Drawn {
        axes.draw_up(area)?;
        axes.draw_foot(area)?;
        let [.., bottom] = axes.frame;
        for (line, head) in self.heads.iter().enumerate() {
            let at = bottom + 16 + 18 * line as i32;
            area.draw_text(head, &text(Ink::Tick, HPos::Left), (0, at))?;
            let mut last = i32::MIN;
            for (point, (x, _)) in self.points.iter().zip(places) {
                let Some(words) = point.under.get(line) else {
                    continue;
                };
                let half = text_width(words, TEXT) as i32 / 2;
                // One's own number is always said.
                if x - half > last || point.selected {
                    let ink = if point.selected { Ink::LabelSel } else { Ink::Tick };
                    area.draw_text(words, &text(ink, HPos::Center), (*x, at))?;
                    last = x + half + 6;
                }
            }
        }
        Ok(())
    }

    /// The interval, from point to point.
    fn draw_band(&self, area: &Area<'_>, axes: &Axes) -> Drawn {
        let ranged = || self.points.iter().filter_map(|point| Some((point.gpus, point.range?)));
        let mut around: Vec<(i32, i32)> = ranged().map(|(gpus, [_, high])| axes.place(gpus, high)).collect();
        if around.len() < 2 {
            return Ok(());
        }
        let back: Vec<(i32, i32)> = ranged().map(|(gpus, [low, _])| axes.place(gpus, low)).collect();
        around.extend(back.into_iter().rev());
        area.draw(&Polygon::new(around, Ink::Band.filled()))
    }

    /// What there would be if every GPU kept the speed of the question's own, as far as the sheet shows it.
    fn draw_linear(&self, area: &Area<'_>, axes: &Axes) -> Drawn {
        let ends = [self.points.first(), self.points.last()];
        let own = self.points.iter().find(|point| point.selected);
        let ([Some(first), Some(last)], Some(own)) = (ends, own) else {
            return Ok(());
        };
        let each = own.value / own.gpus;
        let place = |gpus: f64| {
            let within = gpus.clamp(axes.up.low / each, axes.up.high / each);
            axes.place(within, within * each)
        };
        let (from, to) = (place(first.gpus), place(last.gpus));
        area.draw(&PathElement::new([from, to], Ink::Ideal))?;
        let label = text(Ink::Tick, HPos::Right);
        area.draw_text(&self.linear, &label, (to.0 - 10, to.1 + 2))
    }
}

#[cfg(test)]
mod tests {
    use super::super::asks::says;
    use super::{Point, Scaling};
    use crate::charts;

    fn chart(count: i32) -> Scaling {
        let point = |at: i32| {
            let gpus = 8.0 * 2f64.powi(at);
            Point {
                gpus,
                value: gpus * (1.0 - 0.05 * f64::from(at)),
                range: Some([gpus * 0.7, gpus * 1.1]),
                label: format!("{} %", 100 - 5 * at),
                under: [gpus.to_string(), "0.2".to_owned()],
                selected: at == 0,
            }
        };
        Scaling {
            points: (0..count).map(point).collect(),
            heads: ["GPUs".to_owned(), "$/MT".to_owned()],
            linear: "linear".to_owned(),
        }
    }

    #[test]
    fn every_number_of_gpus_is_a_point_with_its_share() {
        for (count, width) in [(5, 280), (5, 900), (1, 400)] {
            let chart = chart(count);
            let size = (width, Scaling::height(width));
            let nodes = charts::draw(size, |area| chart.draw(area)).nodes;
            let says = |wanted: &str| says(&nodes, wanted) > 0;
            assert!(says("GPUs") && says("100 %") && says("8"));
            assert_eq!(says("85 %"), count > 3);
            let points = chart.boxes(size);
            assert_eq!(points.len(), count as usize);
            assert!(points.iter().all(|((x, y), _)| *x >= 0 && *y >= 0));
        }
    }
}
