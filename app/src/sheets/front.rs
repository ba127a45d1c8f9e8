//! Cost against time: every GPU type, and those that no other beats in both.

use shardwise_core::complete::training_gpus;
use shardwise_core::search::market;
use shardwise_core::search::sweep::{Found, Offer};
use shardwise_core::{Objective, catalog};

use super::asked::{Ask, Asked};
use crate::charts;
use crate::charts::front::{Front, Point};
use crate::charts::stack::SEPARATOR;
use crate::form::Field;
use crate::format;
use crate::text::{Lang, fill};
use crate::tree::parts::{Figure, cell, folded_table, head, how, plot};
use crate::tree::{Tree, el};
use crate::words;

/// Its address in the page.
const ID: &str = "front";

/// The question on every GPU type: its own as it was answered, then the catalog's others.
pub(super) fn offers(asked: &Asked) -> Vec<Offer> {
    let mut offers: Vec<Offer> = (0..).map_while(|place| asked.offer(place)).collect();
    if let Some(Ok(found)) = offers.first_mut().map(|own| own.result.as_mut()) {
        found.plan = asked.found.plan;
        found.answer = asked.found.answer.clone();
    }
    offers
}

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
    lang: Lang,
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
    fn of(offers: &[Offer], lang: Lang) -> Option<Self> {
        let front = market::front(offers);
        let ranked = market::ranked(offers, Objective::Time).unwrap_or_default();
        let mut run = false;
        let mut types = Vec::new();
        for place in ranked {
            let Some(offer) = offers.get(place) else {
                continue;
            };
            let Ok(found) = &offer.result else { continue };
            let Some((across, up)) = measures(found) else {
                continue;
            };
            run = found.answer.run.is_some();
            let id = offer.hardware.gpu.as_str();
            types.push(Type {
                point: Point {
                    across,
                    up,
                    name: id.map_or_else(|| lang.text().gpu_own.to_owned(), words::gpu_label),
                    front: front.contains(&place),
                    selected: place == 0,
                },
                id: id.and_then(catalog::gpu).map(|gpu| gpu.id),
                gpus: format::grouped(found.job.hardware.gpus.into()),
                layout: words::plan_in_short(&found.answer.plan, training_gpus(&found.job)),
            });
        }
        (!types.is_empty()).then_some(Self { lang, types, run })
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
        let sheet = self.lang.sheets();
        let points: Vec<&Point> = self.front().collect();
        let (Some(fastest), Some(cheapest)) = (points.first(), points.last()) else {
            return String::new();
        };
        let mut sentence = if points.len() == 1 {
            fill(sheet.front_take_one, &[&fastest.name])
        } else {
            let values = [&fastest.name, &cheapest.name, &points.len().to_string()];
            fill(sheet.front_take, &[values[0], values[1], values[2]])
        };
        let own = self.types.iter().find(|own| own.point.selected);
        let beaten = own.and_then(|own| Some((own, self.beaten_by(&own.point)?)));
        if let Some((own, by)) = beaten {
            if self.lang == Lang::En {
                sentence.push(' ');
            }
            sentence += &fill(sheet.front_own, &[&own.point.name, &by.name]);
        }
        sentence
    }

    fn note(&self, point: &Point) -> String {
        let sheet = self.lang.sheets();
        match self.beaten_by(point) {
            Some(by) => fill(sheet.front_beaten, &[&by.name]),
            None if point.front => sheet.front_on.to_owned(),
            None => String::new(),
        }
    }

    fn about(&self, own: &Type) -> Vec<String> {
        let (text, sheet) = (self.lang.text(), self.lang.sheets());
        let (hours, usd) =
            if self.run { (sheet.tip_hours, sheet.tip_usd) } else { (sheet.tip_hours_rate, sheet.tip_usd_rate) };
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
        let (text, sheet) = (self.lang.text(), self.lang.sheets());
        if self.run { (sheet.front_hours, sheet.front_usd) } else { (sheet.front_hours_rate, text.chart_cost) }
    }

    fn plot(&self, width: u32) -> Tree {
        let (across, up) = self.heads();
        let chart = Front {
            points: self.types.iter().map(|own| own.point.clone()).collect(),
            across: across.to_owned(),
            up: up.to_owned(),
        };
        let size = (width, Front::height(width));
        let drawing = charts::draw(size, |area| chart.draw(area));
        let about = self.types.iter().map(|own| self.about(own)).collect();
        plot(ID, drawing, chart.boxes(size), about)
    }

    fn legend(&self) -> Tree {
        let (text, sheet) = (self.lang.text(), self.lang.sheets());
        let swatch = || el("svg.lg|viewBox=0 0 18 10|aria-hidden=true");
        let point = |class: &'static str| {
            let circle = el("circle|cx=9|cy=5|r=4").set("class", class);
            swatch().child(circle)
        };
        let front = swatch()
            .child(el("path.front|d=M0 5H18"))
            .child(el("circle.pt-front|cx=9|cy=5|r=4"));
        el("UL.legend")
            .child(el("LI").child(front).child(sheet.front_legend))
            .child(el("LI").child(point("pt")).child(sheet.front_legend_beaten))
            .child(el("LI").child(point("pt-sel")).child(text.yours))
    }

    fn table(&self) -> Tree {
        let (text, sheet) = (self.lang.text(), self.lang.sheets());
        let (hours, usd) = self.heads();
        let rows = self.types.iter().map(|own| {
            let point = &own.point;
            let action = own.id.map(|id| self.action(id, point.selected));
            el(if point.selected { "TR.is-sel" } else { "TR" })
                .child(el("TH|scope=row").child(point.name.clone()))
                .child(cell(hours, format::figure(point.across)))
                .child(cell(usd, format::figure(point.up)))
                .child(el("TD").set("data-l", text.col_plan).child(own.layout.clone()))
                .child(el("TD").child(self.note(point)))
                .child(el("TD").child(action))
        });
        let heads = vec![
            head(text.col_gpu, false),
            head(hours, true),
            head(usd, true),
            head(text.col_plan, false),
            head(sheet.front_col, false),
            el("TH|scope=col").child(el("SPAN.vh").child(text.action)),
        ];
        folded_table(ID, text.front, 8, heads, rows.collect(), self.lang)
    }

    /// A button that asks for a GPU type; words for the one that is asked for.
    fn action(&self, id: &'static str, yours: bool) -> Tree {
        let text = self.lang.text();
        if yours {
            return el("B").child(text.yours);
        }
        el("BUTTON.btn btn-s|type=button")
            .puts(Field::Gpu, id)
            .child(text.use_gpu)
            .child(el("SPAN.vh").child(format!(" {}", words::gpu_label(id))))
    }
}

/// The sheet: nothing where no type fits and has a price.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
    let scene = Scene::of(&asked.market(), ask.lang)?;
    let (text, sheet) = (ask.lang.text(), ask.lang.sheets());
    let figure = Figure {
        id: ID,
        title: text.front,
        tools: Some(how("usd_per_mtok", text.front, ask.lang)),
        take: scene.takeaway(),
        note: sheet.front_note.to_owned(),
        plot: Some(scene.plot(ask.width)),
        legend: Some(scene.legend()),
        table: scene.table(),
    };
    Some(figure.view())
}
