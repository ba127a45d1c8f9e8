//! Throughput and cost per GPU type: two panels that share the order of their rows.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::backend::{Ink, text_width};
use super::{Area, Drawn, NARROW, TEXT, axis, draw_ticks, scale, text, widest};

/// One GPU type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// Its memory, written out.
    pub(crate) memory: String,
    /// Its best plan, in short.
    pub(crate) plan: String,
    /// Whether it is the one in the question.
    pub(crate) selected: bool,
    /// Whether it fits, but misses the deadline or the budget.
    pub(crate) missed: bool,
    /// What it does.
    pub(crate) bars: Bars,
}

/// The two bars of a row, or why there are none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bars {
    Fits {
        /// Throughput.
        speed: Bar,
        /// Cost; `None` where no price is known, with a text that says so.
        cost: Result<Bar, String>,
    },
    /// It does not fit, or cannot be asked: a short reason.
    Unfit(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    /// Its length.
    pub(crate) value: f64,
    /// Its range, where one is known.
    pub(crate) range: Option<[f64; 2]>,
    /// The value, written out.
    pub(crate) label: String,
    /// Whether it is the best of its column.
    pub(crate) best: bool,
    /// Of a cost: whose it is, beside what others ask.
    pub(crate) seller: Option<Seller>,
}

/// Who rents a machine out, and what it would cost at the prices of all who do. A spread of prices is no error of the
/// estimate: it is drawn apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seller {
    /// The provider.
    pub(crate) name: String,
    /// The cost at each price, the lowest first.
    pub(crate) costs: Vec<f64>,
}

/// Why there is no bar.
struct Missing {
    why: String,
    /// Whether that is because it does not fit.
    unfit: bool,
}

/// The whole chart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gpus {
    /// Its rows, from the top.
    pub(crate) rows: Vec<Row>,
    /// Head of the plan column.
    pub(crate) plan_head: String,
    /// Head of the throughput panel.
    pub(crate) speed_head: String,
    /// Head of the cost panel.
    pub(crate) cost_head: String,
}

/// One panel: where it is, and which bar of a row it draws.
struct Panel<'a> {
    left: i32,
    right: i32,
    top: i32,
    head: &'a str,
    cost: bool,
}

const HEAD: i32 = 24;
const FOOT: i32 = 24;
/// What a row is higher by where sellers stand under the bars.
const SELLER: i32 = 15;

impl Gpus {
    /// Whether any bar has a seller.
    fn is_sold(&self) -> bool {
        let sold = |row: &Row| matches!(&row.bars, Bars::Fits { cost: Ok(bar), .. } if bar.seller.is_some());
        self.rows.iter().any(sold)
    }

    fn row_height(&self, width: u32) -> i32 {
        let plain = if width < NARROW { 25 } else { 27 };
        if self.is_sold() { plain + SELLER } else { plain }
    }

    /// From the top of a row to the middle of its bars.
    fn bar_middle(&self, width: u32) -> i32 {
        let height = self.row_height(width);
        if self.is_sold() { (height - SELLER) / 2 + 1 } else { height / 2 }
    }

    fn panel_height(&self, width: u32) -> i32 {
        HEAD + self.rows.len() as i32 * self.row_height(width) + FOOT
    }

    /// Height in pixels at a width.
    pub(crate) fn height(&self, width: u32) -> u32 {
        let panels = if width < NARROW { 2 } else { 1 };
        (self.panel_height(width) * panels) as u32
    }

    /// Left, top and size of what a pointer meets of each row.
    pub(crate) fn boxes(&self, width: u32) -> Vec<((i32, i32), (i32, i32))> {
        let height = self.row_height(width);
        let top = |index| HEAD + index as i32 * height;
        let rows = 0..self.rows.len();
        rows.map(|index| ((0, top(index) + 2), (width as i32, height - 4))).collect()
    }

    pub(crate) fn draw(&self, area: &Area<'_>) -> Drawn {
        let (width, _) = area.dim_in_pixel();
        let names = widest(self.rows.iter().map(|row| &row.name)) + 12;
        let mut columns = vec![(0, "", false)];
        let mut left = names;
        if width >= 640 {
            columns.push((left, "", true));
            left += widest(self.rows.iter().map(|row| &row.memory)) + 14;
        }
        let plans = widest(self.rows.iter().map(|row| &row.plan)).max(text_width(&self.plan_head, TEXT) as i32);
        let with_plan = width >= 820 && plans > 0;
        let plan_left = left;
        if with_plan {
            left += plans + 14;
        }
        let right = width as i32;
        let speed = |left, right, top| Panel { left, right, top, head: &self.speed_head, cost: false };
        let cost = |left, right, top| Panel { left, right, top, head: &self.cost_head, cost: true };
        let panels = if width < NARROW {
            vec![speed(names, right, 0), cost(names, right, self.panel_height(width))]
        } else {
            let middle = left + (right - left) / 2;
            vec![speed(left, middle - 12, 0), cost(middle + 12, right, 0)]
        };
        for panel in &panels {
            // Labels stand before the first panel; on a narrow page before each.
            if panel.left == left || width < NARROW {
                self.draw_labels(area, panel, columns.len() > 1, names, with_plan.then_some(plan_left))?;
            }
            self.draw_panel(area, panel)?;
        }
        Ok(())
    }

    fn draw_labels(
        &self,
        area: &Area<'_>,
        panel: &Panel,
        memory: bool,
        memory_left: i32,
        plan_left: Option<i32>,
    ) -> Drawn {
        let (width, _) = area.dim_in_pixel();
        let row_height = self.row_height(width);
        if let Some(left) = plan_left {
            area.draw_text(&self.plan_head, &text(Ink::Head, HPos::Left), (left, panel.top + 9))?;
        }
        for (index, row) in self.rows.iter().enumerate() {
            let top = panel.top + HEAD + index as i32 * row_height;
            let middle = top + self.bar_middle(width);
            if row.selected {
                area.draw(&Rectangle::new([(-6, top), (width as i32 + 6, top + row_height)], Ink::RowSel.filled()))?;
            }
            let fits = matches!(row.bars, Bars::Fits { .. });
            let ink = match (row.selected, fits && !row.missed) {
                (true, _) => Ink::LabelSel,
                (false, true) => Ink::Label,
                (false, false) => Ink::LabelOff,
            };
            area.draw_text(&row.name, &text(ink, HPos::Left), (0, middle))?;
            if memory {
                area.draw_text(&row.memory, &text(Ink::Tick, HPos::Left), (memory_left, middle))?;
            }
            if let (Some(left), true) = (plan_left, fits) {
                area.draw_text(&row.plan, &text(Ink::Tick, HPos::Left), (left, middle))?;
            }
        }
        Ok(())
    }

    fn draw_panel(&self, area: &Area<'_>, panel: &Panel) -> Drawn {
        let (width, _) = area.dim_in_pixel();
        let row_height = self.row_height(width);
        let bar_of = |row: &Row| match &row.bars {
            Bars::Fits { cost, .. } if panel.cost => cost.clone().map_err(|why| Missing { why, unfit: false }),
            Bars::Fits { speed, .. } => Ok(speed.clone()),
            Bars::Unfit(why) => Err(Missing { why: why.clone(), unfit: true }),
        };
        let bars: Vec<Result<Bar, Missing>> = self.rows.iter().map(bar_of).collect();
        let ends = bars
            .iter()
            .flatten()
            .map(|bar| bar.range.map_or(bar.value, |[_, high]| high.max(bar.value)));
        let (end, step) = axis(ends.fold(0.0, f64::max), 3);
        let told = bars.iter().flatten();
        let told = told.flat_map(|bar| [Some(&bar.label), bar.seller.as_ref().map(|seller| &seller.name)]);
        let values = widest(told.flatten());
        let plot_right = (panel.right - values - 10).max(panel.left + 20);
        let (top, bottom) = (panel.top + HEAD, panel.top + HEAD + self.rows.len() as i32 * row_height);
        let x = scale(end, panel.left, plot_right - 1);
        let head_left = if width < NARROW { 0 } else { panel.left };
        area.draw_text(panel.head, &text(Ink::Head, HPos::Left), (head_left, panel.top + 9))?;
        draw_ticks(area, &x, (end, step), (Some(top), bottom), "0")?;
        for (index, (row, bar)) in self.rows.iter().zip(&bars).enumerate() {
            let middle = top + index as i32 * row_height + self.bar_middle(width);
            match bar {
                Ok(bar) => {
                    draw_bar(area, panel, row, bar, middle, &x)?;
                    if let Some(seller) = &bar.seller {
                        draw_seller(area, panel, seller, bar.value, middle, &x, end)?;
                    }
                }
                Err(missing) => draw_missing(area, panel, missing, middle, plot_right)?,
            }
        }
        Ok(())
    }
}

fn draw_bar(area: &Area<'_>, panel: &Panel, row: &Row, bar: &Bar, middle: i32, x: &dyn Fn(f64) -> i32) -> Drawn {
    let ink = match (row.missed, row.selected) {
        (true, _) => Ink::BarMissed,
        (false, true) => Ink::BarSel,
        (false, false) => Ink::Bar,
    };
    let to = x(bar.value).max(panel.left + 1);
    area.draw(&Rectangle::new([(panel.left, middle - 7), (to, middle + 8)], ink.filled()))?;
    if let Some([low, high]) = bar.range {
        let (low, high) = (x(low), x(high));
        for ink in [Ink::WhiskerGround, Ink::Whisker] {
            area.draw(&PathElement::new([(low, middle), (high, middle)], ink))?;
            area.draw(&PathElement::new([(low, middle - 3), (low, middle + 4)], ink))?;
            area.draw(&PathElement::new([(high, middle - 3), (high, middle + 4)], ink))?;
        }
    }
    let ink = match (row.selected, bar.best) {
        (true, _) => Ink::ValueSel,
        (false, true) => Ink::ValueBest,
        (false, false) => Ink::Value,
    };
    area.draw_text(&bar.label, &text(ink, HPos::Right), (panel.right, middle))
}

/// Who it is rented from, and a rail with a tick for each price; an arrow where one leaves the scale.
fn draw_seller(
    area: &Area<'_>,
    panel: &Panel,
    seller: &Seller,
    value: f64,
    middle: i32,
    x: &dyn Fn(f64) -> i32,
    end: f64,
) -> Drawn {
    let at = middle + 15;
    area.draw_text(&seller.name, &text(Ink::Tick, HPos::Right), (panel.right, at))?;
    let (Some(low), Some(high)) = (seller.costs.first(), seller.costs.last()) else {
        return Ok(());
    };
    let [from, to] = [*low, *high].map(|cost| x(cost.min(end)));
    area.draw(&PathElement::new([(from, at), (to, at)], Ink::Rail))?;
    for cost in seller.costs.iter().filter(|cost| **cost <= end) {
        let place = x(*cost);
        area.draw(&PathElement::new([(place, at - 3), (place, at + 4)], Ink::Rail))?;
    }
    if *high > end {
        area.draw(&PathElement::new([(to - 4, at - 4), (to, at), (to - 4, at + 4)], Ink::Rail))?;
    }
    let own = x(value);
    area.draw(&PathElement::new([(own, at - 4), (own, at + 5)], Ink::RailOwn))
}

fn draw_missing(area: &Area<'_>, panel: &Panel, missing: &Missing, middle: i32, right: i32) -> Drawn {
    if missing.unfit {
        let hatched = [(panel.left, middle - 7), (right, middle + 8)];
        area.draw(&Rectangle::new(hatched, Ink::Hatched.filled()))?;
        let end = panel.left + text_width(&missing.why, TEXT) as i32 + 14;
        let ground = [(panel.left + 2, middle - 9), (end, middle + 10)];
        area.draw(&Rectangle::new(ground, Ink::Halo.filled()))?;
    }
    let ink = if missing.unfit { Ink::Reason } else { Ink::Tick };
    area.draw_text(&missing.why, &text(ink, HPos::Left), (panel.left + 8, middle))
}
