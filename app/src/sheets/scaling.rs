//! A question on more GPUs and fewer: what each number of them gives, and what it costs.

use shardwise_core::search::measures;
use shardwise_core::search::sweep::{Found, Sweep, Tried};
use shardwise_core::{Answer, Question};

use crate::charts;
use crate::charts::backend::Ink;
use crate::charts::scaling::{Point, Scaling};
use crate::protocol::blocks::{Figure, Mark, Row, Run, targets, wide};
use crate::sheets::prelude::*;
use crate::text::Sheets;

/// Numbers of GPUs beside the question's: a quarter of it to eight times.
const FACTORS: [(u64, u64); 6] = [(1, 4), (1, 2), (1, 1), (2, 1), (4, 1), (8, 1)];

/// Its address in the page.
const ID: &str = "scaling";

/// The question on each number of GPUs; its own as it was answered.
pub(super) fn offers(asked: &Asked) -> Vec<(u64, Tried)> {
    let own = u64::from(asked.found.job.hardware.gpus);
    let mut counts: Vec<u64> = FACTORS
        .into_iter()
        .map(|(more, less)| own * more / less)
        .filter(|count| *count > 0)
        .collect();
    counts.dedup();
    let offers = Sweep::new(&asked.question, &[], &counts);
    let mut offers: Vec<(u64, Tried)> = counts.into_iter().zip(offers).collect();
    for (_, offer) in offers.iter_mut().filter(|(count, _)| *count == own) {
        asked.put_own(offer);
    }
    offers
}

fn fitting(offer: &Tried) -> Option<&Found> {
    let found = offer.result.as_ref().ok()?;
    measures::fits(offer).then_some(found)
}

/// Speed of each GPU, as a share of the question's own.
fn share(answer: &Answer, own: &Answer) -> String {
    format::percent(answer.tokens_per_s_per_gpu / own.tokens_per_s_per_gpu, 0)
}

/// What is to be seen: what the next numbers of GPUs keep, and what they cost.
fn takeaway(offers: &[(u64, Tried)], own: u64, answer: &Answer, text: &Sheets) -> String {
    let of = |factor: u64| {
        let found = offers.iter().find(|(count, _)| *count == own * factor);
        found.and_then(|(count, offer)| Some((*count, &fitting(offer)?.answer)))
    };
    let more = [8, 4, 2].into_iter().find_map(of);
    let mut sentences = Vec::new();
    if let Some((count, twice)) = of(2) {
        sentences.push(fill(text.scale_keeps, &[&format::grouped(count), &share(twice, answer)]));
    }
    if let Some(((count, most), usd)) = more.zip(answer.usd_per_mtok)
        && let Some(dear) = most.usd_per_mtok
    {
        let times = dear / usd - 1.0;
        let count = format::grouped(count);
        let words = if times >= 0.0 { text.scale_dearer } else { text.scale_cheaper };
        sentences.push(fill(words, &[&count, &format::percent(times.abs(), 0)]));
    }
    if sentences.is_empty() {
        sentences.push(text.scale_none.to_owned());
    }
    sentences.join(" ")
}

fn about(gpus: u64, answer: &Answer, own: &Answer, layout: &str, lang: Lang) -> Vec<String> {
    let (text, sheet) = (lang.text(), lang.sheets());
    let mut lines = vec![
        fill(text.tokens_hour, &[&lang.tokens(answer.mtok_per_hour * 1e6), &format::grouped(gpus)]),
        fill(sheet.scale_each, &[&share(answer, own)]),
    ];
    if let Some((interval, [low, high])) = answer.interval.zip(answer.with_speed(answer.mtok_per_hour)) {
        let covers = format::percent(interval.coverage, 0);
        let name = fill(text.interval_legend, &[&covers]);
        let ends = [low, high].map(|end| lang.tokens(end * 1e6));
        lines.push(format!("{name}{}{}–{}", lang.colon(), ends[0], ends[1]));
    }
    lines.extend(answer.usd_per_mtok.map(|usd| format!("{} {}", format::usd(usd), text.per_mt)));
    lines.push(layout.to_owned());
    lines.retain(|line| !line.is_empty());
    lines
}

fn action(question: &Question, count: u64, lang: Lang) -> Button {
    let mut question = question.clone();
    question.hardware.gpus = Some(count);
    // A plan for other GPUs may not be one for these.
    question.plan = None;
    let button = Button::new(Look::Small, lang.text().use_gpu, Action::ask(&question));
    button.about(format!("{} GPU", format::grouped(count)))
}

fn table(asked: &Asked, offers: &[(u64, Tried)], lang: Lang) -> Table {
    let (text, sheet) = (lang.text(), lang.sheets());
    let answer = &asked.found.answer;
    let own = u64::from(asked.found.job.hardware.gpus);
    let rows = offers.iter().map(|(count, offer)| {
        let mut cells = vec![cell(format::grouped(*count))];
        match (&offer.result, fitting(offer)) {
            (Ok(_), Some(found)) => {
                let each = &found.answer;
                cells.extend([
                    cell(format::figure(each.mtok_per_hour)),
                    cell(share(each, answer)),
                    cell(each.usd_per_mtok.map(format::cost).unwrap_or_default()),
                    cell(words::plan_in_short(&each.plan, training_gpus(&found.job))),
                ]);
            }
            (Ok(found), None) => {
                let memory = &found.answer.memory;
                let gib = [memory.reserved_gib, memory.capacity_gib].map(format::gib);
                cells.push(wide(4, run(fill(text.needs_gib, &[&gib[0], &gib[1]]))));
            }
            (Err(error), _) => cells.push(wide(4, run(super::words::words_of(&error.message, lang)))),
        }
        let used = (*count != own).then(|| action(&asked.question, *count, lang));
        cells.push(runs(used.map(Run::from).into_iter().collect()));
        row(if *count == own { Stands::Own } else { Stands::Plain }, cells)
    });
    let columns = vec![
        column(text.gpus, Holds::Names),
        column(text.col_mt_hour, Holds::Numbers),
        column(sheet.scale_share, Holds::Numbers),
        column(money::signed(text.col_usd_mt), Holds::Numbers),
        column(text.col_plan, Holds::Words),
        column(text.action, Holds::Actions),
    ];
    let rows: Vec<Row> = rows.collect();
    Table::new(sheet.scaling, Tabled::Numbers, columns, rows)
}

pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Block {
    let lang = ask.lang;
    let (text, sheet) = (lang.text(), lang.sheets());
    let offers = asked.scaled();
    let answer = &asked.found.answer;
    let own = u64::from(asked.found.job.hardware.gpus);
    let found: Vec<(u64, &Found)> = offers
        .iter()
        .filter_map(|(count, offer)| Some((*count, fitting(offer)?)))
        .collect();
    // A chart of one point, or without one's own to compare with, says nothing.
    let drawn = found.len() > 1 && answer.fits;
    let points = found.iter().map(|(count, found)| {
        let each = &found.answer;
        let interval = each.with_speed(each.mtok_per_hour);
        Point {
            gpus: *count as f64,
            value: each.mtok_per_hour,
            range: interval,
            label: share(each, answer),
            under: [format::grouped(*count), each.usd_per_mtok.map(format::cost).unwrap_or_default()],
            selected: *count == own,
        }
    });
    let chart = Scaling {
        points: points.collect(),
        heads: ["GPU".to_owned(), money::signed(text.col_usd_mt)],
        linear: sheet.scale_linear.to_owned(),
    };
    let plot = drawn.then(|| {
        let size = (ask.width, Scaling::height(ask.width));
        let drawing = charts::draw(size, |area| chart.draw(area));
        let about = found.iter().map(|(count, found)| {
            let layout = words::plan_in_short(&found.answer.plan, training_gpus(&found.job));
            about(*count, &found.answer, answer, &layout, lang)
        });
        (drawing, targets(chart.boxes(size), about.collect()))
    });
    let covers = answer.interval.map(|interval| format::percent(interval.coverage, 0));
    let mut legend = Vec::new();
    if drawn {
        legend.push((Mark::Curve(Ink::Front, Ink::PointFront), sheet.scale_best.to_owned()));
        let band = |covers: String| (Mark::Area(Ink::Band), fill(text.interval_legend, &[&covers]));
        legend.extend(covers.map(band));
        legend.push((Mark::Line(Ink::Ideal), sheet.scale_linear.to_owned()));
    }
    let gpu = words::gpu_label(&asked.found.job.hardware.gpu);
    Block::Figure(Figure {
        id: ID.to_owned(),
        title: sheet.scaling.to_owned(),
        how: "mtok_per_hour".to_owned(),
        switch: None,
        take: takeaway(&offers, own, answer, sheet),
        note: fill(sheet.scale_note, &[&gpu]),
        plot,
        legend,
        table: table(asked, &offers, lang),
    })
}
