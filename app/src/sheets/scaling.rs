//! A question on more GPUs and fewer: what each number of them gives, and what it costs.

use shardwise_core::complete::training_gpus;
use shardwise_core::search::market;
use shardwise_core::search::sweep::{Found, Offer, Sweep};
use shardwise_core::{Answer, Question};

use super::asked::{Ask, Asked};
use crate::charts;
use crate::charts::scaling::{Point, Scaling};
use crate::format;
use crate::text::{Lang, Sheets, fill};
use crate::tree::parts::{Figure, cell, folded_table, head, how, legend, plot};
use crate::tree::{Tree, el};
use crate::words;

/// Numbers of GPUs beside the question's: a quarter of it to eight times.
const FACTORS: [(u64, u64); 6] = [(1, 4), (1, 2), (1, 1), (2, 1), (4, 1), (8, 1)];

/// Its address in the page.
const ID: &str = "scaling";

/// The question on each number of GPUs; its own as it was answered.
pub(super) fn offers(asked: &Asked) -> Vec<(u64, Offer)> {
    let own = u64::from(asked.found.job.hardware.gpus);
    let mut counts: Vec<u64> = FACTORS
        .into_iter()
        .map(|(more, less)| own * more / less)
        .filter(|count| *count > 0)
        .collect();
    counts.dedup();
    let offers = Sweep::new(&asked.question, &[], &counts);
    let mut offers: Vec<(u64, Offer)> = counts.into_iter().zip(offers).collect();
    for (_, offer) in offers.iter_mut().filter(|(count, _)| *count == own) {
        if let Ok(found) = &mut offer.result {
            found.plan = asked.found.plan;
            found.answer = asked.found.answer.clone();
        }
    }
    offers
}

fn fitting(offer: &Offer) -> Option<&Found> {
    let found = offer.result.as_ref().ok()?;
    market::fits(offer).then_some(found)
}

/// Speed of each GPU, as a share of the question's own.
fn share(answer: &Answer, own: &Answer) -> String {
    format::percent(answer.tokens_per_s_per_gpu / own.tokens_per_s_per_gpu, 0)
}

/// What is to be seen: what the next numbers of GPUs keep, and what they cost.
fn takeaway(offers: &[(u64, Offer)], own: u64, answer: &Answer, text: &Sheets) -> String {
    let of = |factor: u64| {
        let found = offers.iter().find(|(count, _)| *count == own * factor);
        found.and_then(|(count, offer)| Some((*count, &fitting(offer)?.answer)))
    };
    let more = [8, 4, 2].into_iter().find_map(of);
    let mut sentences = Vec::new();
    if let Some((count, twice)) = of(2) {
        let keeps = [format::grouped(count), share(twice, answer)];
        sentences.push(fill(text.scale_keeps, &[&keeps[0], &keeps[1]]));
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
        format!("{} GPU", format::grouped(gpus)),
        fill(text.mt_hour, &[&lang.millions(answer.mtok_per_hour)]),
        fill(sheet.scale_each, &[&share(answer, own)]),
    ];
    if let Some((interval, [low, high])) = answer.interval.zip(answer.with_speed(answer.mtok_per_hour)) {
        let covers = format::percent(interval.coverage, 0);
        let name = fill(text.interval_legend, &[&covers]);
        let ends = [low, high].map(format::figure);
        lines.push(format!("{name}: {}–{}", ends[0], ends[1]));
    }
    lines.extend(answer.usd_per_mtok.map(|usd| format!("{} {}", format::usd(usd), text.per_mt)));
    lines.push(layout.to_owned());
    lines.retain(|line| !line.is_empty());
    lines
}

fn action(question: &Question, count: u64, lang: Lang) -> Tree {
    let text = lang.text();
    let mut question = question.clone();
    question.hardware.gpus = Some(count);
    // A plan for other GPUs may not be one for these.
    question.plan = None;
    el("BUTTON.btn btn-s|type=button")
        .asks(&question)
        .child(text.use_gpu)
        .child(el("SPAN.vh").child(format!(" {} GPU", format::grouped(count))))
}

fn table(asked: &Asked, offers: &[(u64, Offer)], lang: Lang) -> Tree {
    let (text, sheet) = (lang.text(), lang.sheets());
    let answer = &asked.found.answer;
    let own = u64::from(asked.found.job.hardware.gpus);
    let rows = offers.iter().map(|(count, offer)| {
        let row = if *count == own { el("TR.is-sel|aria-current=true") } else { el("TR") };
        let row = row.child(el("TH|scope=row").child(format::grouped(*count)));
        let used = (*count != own).then(|| action(&asked.question, *count, lang));
        let row = match (&offer.result, fitting(offer)) {
            (Ok(_), Some(found)) => {
                let each = &found.answer;
                let layout = words::plan_in_short(&each.plan, training_gpus(&found.job));
                row.child(cell(text.col_mt_hour, format::figure(each.mtok_per_hour)))
                    .child(cell(sheet.scale_share, share(each, answer)))
                    .child(cell(text.col_usd_mt, each.usd_per_mtok.map(format::figure).unwrap_or_default()))
                    .child(el("TD").set("data-l", text.col_plan).child(layout))
            }
            (Ok(found), None) => {
                let memory = &found.answer.memory;
                let gib = [memory.reserved_gib, memory.capacity_gib].map(format::gib);
                let words = fill(text.needs_gib, &[&gib[0], &gib[1]]);
                row.child(el("TD|colspan=4").child(words))
            }
            (Err(error), _) => row.child(el("TD|colspan=4").child(super::words::words_of(&error.message, lang))),
        };
        row.child(el("TD.n").child(used))
    });
    let heads = vec![
        head(text.gpus, false),
        head(text.col_mt_hour, true),
        head(sheet.scale_share, true),
        head(text.col_usd_mt, true),
        head(text.col_plan, false),
        el("TH|scope=col").child(el("SPAN.vh").child(text.action)),
    ];
    folded_table(ID, sheet.scaling, 8, heads, rows.collect(), lang)
}

/// The sheet.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
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
            under: [format::grouped(*count), each.usd_per_mtok.map(format::figure).unwrap_or_default()],
            selected: *count == own,
        }
    });
    let chart = Scaling {
        points: points.collect(),
        heads: ["GPU".to_owned(), text.col_usd_mt.to_owned()],
        linear: sheet.scale_linear.to_owned(),
    };
    let plot = drawn.then(|| {
        let size = (ask.width, Scaling::height(ask.width));
        let drawing = charts::draw(size, |area| chart.draw(area));
        let about = found.iter().map(|(count, found)| {
            let layout = words::plan_in_short(&found.answer.plan, training_gpus(&found.job));
            about(*count, &found.answer, answer, &layout, lang)
        });
        plot(ID, drawing, chart.boxes(size), about.collect())
    });
    let covers = answer.interval.map(|interval| format::percent(interval.coverage, 0));
    let line = el("svg.lg|viewBox=0 0 18 10|aria-hidden=true");
    let legends = drawn.then(|| {
        el("UL.legend")
            .child(
                el("LI")
                    .child(
                        line.clone()
                            .child(el("path.front|d=M0 5H18"))
                            .child(el("circle.pt-front|cx=9|cy=5|r=4")),
                    )
                    .child(sheet.scale_best),
            )
            .child(covers.map(|covers| legend("k-band", fill(text.interval_legend, &[&covers]))))
            .child(el("LI").child(line.child(el("path.ideal|d=M0 5H18"))).child(sheet.scale_linear))
    });
    let gpu = words::gpu_label(&asked.found.job.hardware.gpu);
    let note = fill(sheet.scale_note, &[&gpu]);
    let figure = Figure {
        id: ID,
        title: sheet.scaling,
        tools: Some(how("mtok_per_hour", sheet.scaling, lang)),
        take: takeaway(&offers, own, answer, sheet),
        note,
        plot,
        legend: legends,
        table: table(asked, &offers, lang),
    };
    Some(figure.view())
}
