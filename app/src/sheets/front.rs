//! Cost against time: every GPU type, and those that no other beats in both.

use shardwise_core::search::measures;
use shardwise_core::search::sweep::{Found, Tried};
use shardwise_core::{Objective, catalog};

use crate::charts;
use crate::charts::backend::{Drawing, Ink};
use crate::charts::front::{Front, Point};
use crate::charts::stack::SEPARATOR;
use crate::protocol::blocks::{Figure, Mark, Run, Target, targets};
use crate::sheets::prelude::*;

/// Its address in the page.
const ID: &str = "front";

/// The question on every GPU type: its own as it was answered, then the catalog's others.
pub(super) fn offers(asked: &Asked) -> Vec<Tried> {
    let mut offers: Vec<Tried> = (0..).map_while(|place| asked.offer(place)).collect();
    if let Some(own) = offers.first_mut() {
        asked.put_own(own);
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
    /// Who rents it out, at what price of which day; empty of a machine that is not rented.
    seller: String,
    /// Dollars.
    usd: f64,
    /// Whether no published run is on it: hours and dollars are then those of the slow end of its interval.
    untried: bool,
    /// Whether nobody is known to rent out its machines joined by a network.
    unjoined: bool,
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
fn measures(found: &Found) -> Option<[f64; 2]> {
    let answer = &found.answer;
    match answer.run {
        Some(run) => Some([run.all_hours()?, run.all_usd()?]),
        None => Some([1000.0 / answer.mtok_per_hour, answer.usd_per_mtok?]),
    }
}

impl Scene {
    fn of(offers: &[Tried], lang: Lang) -> Option<Self> {
        let front = measures::front(offers);
        let ranked = measures::ranked(offers, Objective::Time).unwrap_or_default();
        let mut run = false;
        let mut types = Vec::new();
        for place in ranked {
            let Some(offer) = offers.get(place) else { continue };
            let Ok(found) = &offer.result else { continue };
            let Some(figures) = measures(found) else { continue };
            // As it is ranked.
            let slower = measures::slower(&found.answer);
            let [across, up] = figures.map(|own| own * slower.unwrap_or(1.0));
            run = found.answer.run.is_some();
            let id = offer.hardware.gpu.as_str();
            types.push(Type {
                point: Point {
                    across,
                    up: money::of(up),
                    name: id.map_or_else(|| lang.text().gpu_own.to_owned(), words::gpu_label),
                    front: front.contains(&place),
                    selected: place == 0,
                },
                id: id.and_then(catalog::gpu).map(|gpu| gpu.id),
                gpus: format::grouped(found.job.hardware.gpus.into()),
                layout: words::plan_in_short(&found.answer.plan, training_gpus(&found.job)),
                seller: found
                    .answer
                    .offer
                    .as_ref()
                    .map(|own| words::offer(own, lang))
                    .unwrap_or_default(),
                usd: up,
                untried: slower.is_some(),
                unjoined: measures::unjoined(&found.answer),
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
            fill(sheet.front_take, &[&fastest.name, &cheapest.name, &points.len().to_string()])
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

    fn note(&self, own: &Type) -> String {
        let (sheet, point) = (self.lang.sheets(), &own.point);
        let of = |is: bool, said: &str| if is { said.to_owned() } else { String::new() };
        let untried = of(own.untried, sheet.front_untried);
        let unjoined = of(own.unjoined, sheet.front_unjoined);
        let stands = match self.beaten_by(point) {
            Some(by) => fill(sheet.front_beaten, &[&by.name]),
            None if point.front => sheet.front_on.to_owned(),
            None => String::new(),
        };
        let all = [untried, unjoined, stands].into_iter().filter(|own| !own.is_empty());
        all.collect::<Vec<_>>().join(self.lang.of(["; ", "；"]))
    }

    fn about(&self, own: &Type) -> Vec<String> {
        let (text, sheet) = (self.lang.text(), self.lang.sheets());
        let (hours, usd) =
            if self.run { (sheet.tip_hours, sheet.tip_usd) } else { (sheet.tip_hours_rate, text.close_mt) };
        let point = &own.point;
        let mut lines = vec![
            format!("{} × {}", own.gpus, point.name),
            fill(hours, &[&format::figure(point.across)]),
            fill(usd, &[&format::usd(own.usd)]),
            own.layout.clone(),
            own.seller.clone(),
            self.note(own),
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

    fn plot(&self, width: u32) -> (Drawing, Vec<Target>) {
        let (across, up) = self.heads();
        let chart = Front {
            points: self.types.iter().map(|own| own.point.clone()).collect(),
            across: across.to_owned(),
            up: money::signed(up),
        };
        let size = (width, Front::height(width));
        let drawing = charts::draw(size, |area| chart.draw(area));
        let about = self.types.iter().map(|own| self.about(own)).collect();
        (drawing, targets(chart.boxes(size), about))
    }

    fn legend(&self) -> Vec<(Mark, String)> {
        let (text, sheet) = (self.lang.text(), self.lang.sheets());
        let marks = [
            (Mark::Curve(Ink::Front, Ink::PointFront), sheet.front_legend),
            (Mark::Point(Ink::Point), sheet.front_legend_beaten),
            (Mark::Point(Ink::PointSel), text.yours),
        ];
        marks.map(|(mark, words)| (mark, words.to_owned())).into()
    }

    fn table(&self) -> Table {
        let (text, sheet) = (self.lang.text(), self.lang.sheets());
        let (hours, usd) = self.heads();
        let rows = self.types.iter().map(|own| {
            let point = &own.point;
            let action = own.id.map(|id| self.action(id, point.selected));
            let cells = [
                runs(vec![run(point.name.clone()), run(" "), quiet(own.seller.clone())]),
                cell(format::figure(point.across)),
                cell(format::figure(point.up)),
                cell(own.layout.clone()),
                cell(self.note(own)),
                runs(action.into_iter().collect()),
            ];
            row(if point.selected { Stands::Own } else { Stands::Plain }, cells)
        });
        let columns = vec![
            column(text.col_gpu, Holds::Names),
            column(hours, Holds::Numbers),
            column(usd, Holds::Numbers),
            column(text.col_plan, Holds::Words),
            column(sheet.front_col, Holds::Remarks),
            column(text.action, Holds::Actions),
        ];
        Table::new(text.front, Tabled::Numbers, columns, rows.collect())
    }

    /// A button that asks for a GPU type; words for the one that is asked for.
    fn action(&self, id: &'static str, yours: bool) -> Run {
        let text = self.lang.text();
        if yours {
            return strong(text.yours);
        }
        let button = Button::new(Look::Small, text.use_gpu, Action::put(Field::Gpu, id));
        button.about(words::gpu_label(id)).into()
    }
}

/// The sheet: nothing where no type fits and has a price.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Block> {
    let scene = Scene::of(&asked.market(), ask.lang)?;
    Some(Block::Figure(Figure {
        id: ID.to_owned(),
        title: ask.lang.text().front.to_owned(),
        how: "usd_per_mtok".to_owned(),
        switch: None,
        take: scene.takeaway(),
        note: ask.lang.sheets().front_note.to_owned(),
        plot: Some(scene.plot(ask.width)),
        legend: scene.legend(),
        table: scene.table(),
    }))
}
