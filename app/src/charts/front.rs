//! Cost against time on log axes: every GPU type a point, the front a line.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::backend::{Ink, text_width};
use super::log::{Axes, Span, height};
use super::{Area, Drawn, NARROW, Room, TEXT, apart, text, widest};

/// Half the side of the square around a lonely point that a pointer meets, in pixels.
const REACH: i32 = 7;

/// One GPU type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// Its time.
    pub(crate) across: f64,
    /// Its cost.
    pub(crate) up: f64,
    pub(crate) name: String,
    /// Whether no other beats it in both.
    pub(crate) front: bool,
    /// Whether it is the one in the question.
    pub(crate) selected: bool,
}

/// The whole chart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Front {
    /// Its points, the fastest first.
    pub(crate) points: Vec<Point>,
    /// What the time is.
    pub(crate) across: String,
    /// What the cost is.
    pub(crate) up: String,
}

fn around((x, y): (i32, i32), reach: i32) -> Room {
    [x - reach, y - reach, x + reach, y + reach]
}

impl Front {
    /// Height in pixels at a width.
    pub(crate) fn height(width: u32) -> u32 {
        height(width)
    }

    fn axes(&self, (width, height): (u32, u32)) -> Axes {
        let across = Span::of(self.points.iter().map(|point| point.across));
        let up = Span::of(self.points.iter().map(|point| point.up));
        Axes { frame: [widest(up.labels()) + 12, 26, width as i32 - 8, height as i32 - 42], across, up }
    }

    /// Where the points are on a sheet of a size.
    fn places(&self, size: (u32, u32)) -> Vec<(i32, i32)> {
        let axes = self.axes(size);
        self.points.iter().map(|point| axes.place(point.across, point.up)).collect()
    }

    /// Left, top and size of what a pointer meets of each point.
    pub(crate) fn boxes(&self, size: (u32, u32)) -> Vec<((i32, i32), (i32, i32))> {
        let places = self.places(size);
        // Half way to the nearest other, so that each can be met.
        let reach = |own: usize, (x, y): (i32, i32)| {
            let others = places.iter().enumerate().filter(|(other, _)| *other != own);
            let distances = others.map(|(_, other)| (other.0 - x).abs().max((other.1 - y).abs()));
            distances.min().map_or(REACH, |nearest| (nearest / 2).clamp(2, REACH))
        };
        let boxes = places.iter().enumerate().map(|(own, (x, y))| {
            let reach = reach(own, (*x, *y));
            ((x - reach, y - reach), (2 * reach, 2 * reach))
        });
        boxes.collect()
    }

    pub(crate) fn draw(&self, area: &Area<'_>) -> Drawn {
        let size = area.dim_in_pixel();
        let places = self.places(size);
        let axes = self.axes(size);
        axes.draw_up(area)?;
        axes.draw_foot(area)?;
        axes.draw_across(area, 4, [&self.across, &self.up])?;
        let on_front = self.points.iter().zip(&places);
        let line: Vec<(i32, i32)> = on_front.filter(|(point, _)| point.front).map(|(_, place)| *place).collect();
        area.draw(&PathElement::new(line, Ink::Front))?;
        // What matters lies on top.
        for on_top in [false, true] {
            for (point, place) in self.points.iter().zip(&places) {
                if (point.front || point.selected) == on_top {
                    draw_point(area, point, *place)?;
                }
            }
        }
        self.draw_names(area, &places)
    }

    /// The names: one's own and the front's, which may cover points where they must; others' where nothing is.
    fn draw_names(&self, area: &Area<'_>, places: &[(i32, i32)]) -> Drawn {
        let size = area.dim_in_pixel();
        let [left, _, right, bottom] = self.axes(size).frame;
        let points: Vec<Room> = places.iter().map(|place| around(*place, 5)).collect();
        let mut taken: Vec<Room> = Vec::new();
        let rank = |point: &Point| match (point.selected, point.front) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        for wanted in 0..if size.0 < NARROW { 2 } else { 3 } {
            for (point, (x, y)) in self.points.iter().zip(places) {
                if rank(point) != wanted {
                    continue;
                }
                let wide = text_width(&point.name, TEXT) as i32;
                let (after, before) = (x + 10, x - 10 - wide);
                let candidates = [
                    (x - wide / 2, y + 17),
                    (before, *y),
                    (after, *y),
                    (x - wide / 2, y - 17),
                    (before, y + 13),
                    (after, y - 13),
                    (before, y - 13),
                    (after, y + 13),
                ];
                let rooms = || {
                    let room = |(from, at): (i32, i32)| [from, at - 8, from + wide, at + 8];
                    candidates.map(room).into_iter().filter(|room| {
                        room[0] >= left
                            && room[2] <= right
                            && room[1] > 18
                            && room[3] < bottom
                            && taken.iter().all(|other| apart(room, other))
                    })
                };
                let free = rooms().find(|room| points.iter().all(|other| apart(room, other)));
                let found = free.or_else(|| rooms().next().filter(|_| wanted < 2));
                if let Some(room) = found {
                    let ink = [Ink::LabelSel, Ink::Label, Ink::Tick][wanted];
                    let at = (room[0], room[1] + 8);
                    area.draw_text(&point.name, &text(ink, HPos::Left), at)?;
                    taken.push(room);
                }
            }
        }
        Ok(())
    }
}

fn draw_point(area: &Area<'_>, point: &Point, place: (i32, i32)) -> Drawn {
    let (ink, radius) = match (point.selected, point.front) {
        (true, _) => (Ink::PointSel, 5),
        (false, true) => (Ink::PointFront, 5),
        (false, false) => (Ink::Point, 4),
    };
    if point.selected {
        area.draw(&Circle::new(place, 9, Ink::Ring))?;
    }
    area.draw(&Circle::new(place, radius, ink.filled()))
}

#[cfg(test)]
mod tests {
    use super::super::asks::{paths, says};
    use super::super::backend::Node;
    use super::{Front, Point};
    use crate::charts;

    fn point(across: f64, up: f64, name: &str, front: bool) -> Point {
        Point { across, up, name: name.to_owned(), front, selected: name == "own" }
    }

    fn drawn(points: Vec<Point>, width: u32) -> Vec<Node> {
        let chart = Front { points, across: "hours".to_owned(), up: "dollars".to_owned() };
        charts::draw((width, Front::height(width)), |area| chart.draw(area)).nodes
    }

    #[test]
    fn the_front_is_a_line_with_its_names() {
        let nodes = drawn(
            vec![
                point(1.0, 9.0, "fast", true),
                point(5.0, 5.0, "middle", true),
                point(6.0, 8.0, "own", false),
                point(40.0, 1.0, "cheap", true),
            ],
            600,
        );
        assert_eq!(paths(&nodes, "front"), 1);
        assert_eq!(paths(&nodes, "pt-front"), 3);
        assert_eq!((paths(&nodes, "pt-sel"), paths(&nodes, "pt-ring")), (1, 1));
        for name in ["fast", "middle", "cheap", "own"] {
            assert_eq!(says(&nodes, name), 1, "{name}");
        }
    }

    #[test]
    fn a_name_without_room_is_left_out_and_nothing_lies_beside_the_sheet() {
        let crowd: Vec<Point> = (0..40)
            .map(|at| point(10.0 + f64::from(at) / 100.0, 10.0, "a long name", false))
            .collect();
        for width in [280, 900] {
            let nodes = drawn(crowd.clone(), width);
            assert_eq!(paths(&nodes, "pt"), 40);
            assert!(says(&nodes, "a long name") < 20);
        }
        let one = drawn(vec![point(3.0, 2.0, "own", true)], 320);
        assert!(["own", "3", "2"].into_iter().all(|words| says(&one, words) > 0));
    }
}
