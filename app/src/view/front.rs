//! Cost against time: every GPU type, and those that no other beats in both.

use super::dom::{all, el, node};
use leptos::prelude::*;
use shardwise_core::complete::training_gpus;
use shardwise_core::search::market;
use shardwise_core::search::sweep::Found;
use shardwise_core::{Objective, catalog};

use super::figure::{Block, cell, folded_table, head, image, label, targets};
use super::gpus::action;
use super::objective;
use super::words::plan_in_short;
use crate::charts;
use crate::charts::front::{Front, Point};
use crate::charts::stack::SEPARATOR;
use crate::format;
use crate::page::Page;
use crate::text::{Lang, fill};

/// A GPU type that fits and has a price.
struct Type {
    point: Point,
    /// Catalog id; `None` for a card of one's own.
    id: Option<&'static str>,
    gpus: String,
    layout: String,
}

/// What the section shows.
struct Scene {
    page: Page,
    /// The fastest first.
    types: Vec<Type>,
    /// Whether time and cost are of a whole run.
    run: bool,
}

/// Hours and dollars: of the run, or of a billion and of a million tokens.
fn measures(found: &Found) -> Option<(f64, f64)> {
    let answer = &found.answer;
    match answer.run {
        Some(run) => Some((run.hours, run.usd?)),
        None => Some((1000.0 / answer.mtok_per_hour, answer.usd_per_mtok?)),
    }
}

impl Scene {
    fn of(page: Page) -> Option<Self> {
        let market = page.market();
        let front = market::front(&market.offers);
        let mut run = false;
        let mut types = Vec::new();
        for place in objective::ranked(&market, Objective::Time) {
            let Some(offer) = market.offers.get(place) else {
                continue;
            };
            let Ok(found) = &offer.result else { continue };
            let Some((across, up)) = measures(found) else {
                continue;
            };
            run = found.answer.run.is_some();
            types.push(Type {
                point: Point {
                    across,
                    up,
                    name: objective::name(offer, page),
                    front: front.contains(&place),
                    selected: place == 0,
                },
                id: offer
                    .hardware
                    .gpu
                    .as_str()
                    .and_then(catalog::gpu)
                    .map(|gpu| gpu.id),
                gpus: format::grouped(found.job.hardware.gpus.into()),
                layout: plan_in_short(&found.answer.plan, training_gpus(&found.job)),
            });
        }
        (!types.is_empty()).then_some(Self { page, types, run })
    }

    fn front(&self) -> impl Iterator<Item = &Point> {
        let points = self.types.iter().map(|own| &own.point);
        points.filter(|point| point.front)
    }

    /// A type of the front that is faster and cheaper.
    fn beaten_by(&self, own: &Point) -> Option<&Point> {
        let better = |other: &&Point| other.across <= own.across && other.up <= own.up;
        self.front().filter(|_| !own.front).find(better)
    }

    fn takeaway(&self) -> String {
        let text = self.page.text();
        let points: Vec<&Point> = self.front().collect();
        let (Some(fastest), Some(cheapest)) = (points.first(), points.last()) else {
            return String::new();
        };
        let mut sentence = if points.len() == 1 {
            fill(text.front_take_one, &[&fastest.name])
        } else {
            let values = [&fastest.name, &cheapest.name, &points.len().to_string()];
            fill(text.front_take, &[values[0], values[1], values[2]])
        };
        let own = self.types.iter().find(|own| own.point.selected);
        let beaten = own.and_then(|own| Some((own, self.beaten_by(&own.point)?)));
        if let Some((own, by)) = beaten {
            if self.page.lang == Lang::En {
                sentence.push(' ');
            }
            sentence += &fill(text.front_own, &[&own.point.name, &by.name]);
        }
        sentence
    }

    fn note(&self, point: &Point) -> String {
        let text = self.page.text();
        match self.beaten_by(point) {
            Some(by) => fill(text.front_beaten, &[&by.name]),
            None if point.front => text.front_on.to_owned(),
            None => String::new(),
        }
    }

    fn about(&self, own: &Type) -> Vec<String> {
        let text = self.page.text();
        let (hours, usd) = if self.run {
            (text.tip_hours, text.tip_usd)
        } else {
            (text.tip_hours_rate, text.tip_usd_rate)
        };
        let point = &own.point;
        let mut lines = vec![
            format!("{} × {}", own.gpus, point.name),
            fill(hours, &[&format::figure(point.across)]),
            fill(usd, &[&format::usd(point.up)]),
            own.layout.clone(),
            self.note(point),
        ];
        lines.retain(|line| !line.is_empty());
        if point.selected
            && let Some(first) = lines.first_mut()
        {
            *first = format!("{first}{SEPARATOR}{}", text.yours);
        }
        lines
    }

    /// The names of the axes.
    fn heads(&self) -> (&'static str, &'static str) {
        let text = self.page.text();
        if self.run {
            (text.front_hours, text.front_usd)
        } else {
            (text.front_hours_rate, text.chart_cost)
        }
    }

    fn drawing(&self, width: u32) -> AnyView {
        let (across, up) = self.heads();
        let chart = Front {
            points: self.types.iter().map(|own| own.point.clone()).collect(),
            across: across.to_owned(),
            up: up.to_owned(),
        };
        let size = (width, Front::height(width));
        let drawing = charts::draw(size, |area| chart.draw(area));
        let about = self.types.iter().map(|own| self.about(own)).collect();
        let targets = targets(&drawing, chart.boxes(size), about, label("front"));
        vec![image(drawing, label("front")), targets].into_any()
    }

    fn legend(&self) -> AnyView {
        let text = self.page.text();
        let swatch = || el("svg.lg|viewBox=0 0 18 10|aria-hidden=true");
        let point = |class: &'static str| {
            let circle = el("circle|cx=9|cy=5|r=4").set("class", class);
            swatch().child(circle)
        };
        let front = swatch()
            .child(el("path.front|d=M0 5H18"))
            .child(el("circle.pt-front|cx=9|cy=5|r=4"));
        el("UL.legend")
            .child(el("LI").child(front).child(text.front_legend))
            .child(el("LI").child(point("pt")).child(text.front_legend_beaten))
            .child(el("LI").child(point("pt-sel")).child(text.yours))
            .into_any()
    }

    fn table(&self) -> AnyView {
        let text = self.page.text();
        let (hours, usd) = self.heads();
        let lines = self.types.iter().map(|own| {
            let point = &own.point;
            let action = own.id.map(|id| action(self.page, id, point.selected));
            el("TR")
                .set("class", if point.selected { "is-sel" } else { "" })
                .child(el("TH|scope=row").child(point.name.clone()))
                .child(cell(hours, format::figure(point.across)))
                .child(cell(usd, format::figure(point.up)))
                .child(
                    el("TD")
                        .set("data-l", text.col_plan)
                        .child(own.layout.clone()),
                )
                .child(el("TD").child(self.note(point)))
                .child(el("TD").child(action))
        });
        let heads = vec![
            head(text.col_gpu, false),
            head(hours, true),
            head(usd, true),
            head(text.col_plan, false),
            head(text.front_col, false),
            node(el("TH|scope=col").child(el("SPAN.vh").child(text.action))),
        ];
        folded_table(
            self.page,
            text.front.to_owned(),
            8,
            heads.into_any(),
            node(all(lines)),
        )
    }
}

pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    let block = Block {
        id: "front",
        title: text.front,
        take: Box::new(move || Scene::of(page).map(|scene| scene.takeaway())),
        note: text.front_note,
        draw: Box::new(move |width| Scene::of(page).map(|scene| scene.drawing(width))),
        legend: Box::new(move || Scene::of(page).map(|scene| scene.legend())),
        table: Box::new(move || Scene::of(page).map(|scene| scene.table())),
    };
    let none = move || Scene::of(page).is_none().then_some("");
    block.view(None::<AnyView>).live("hidden", none).into_any()
}
