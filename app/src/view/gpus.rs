//! Which GPU: throughput and cost of every type in the catalog.

use super::dom::{all, el, live, node, part, press};
use leptos::prelude::*;
use shardwise_core::Objective;
use shardwise_core::wire::FitState;

use super::figure::{cell, folded_table, head, image, label, legend, plot, targets};
use super::{how, objective};
use crate::charts;
use crate::charts::gpus::{Bar, Bars, Gpus, Row};
use crate::charts::stack::SEPARATOR;
use crate::compute::{Compared, Market};
use crate::fit;
use crate::format;
use crate::page::Page;
use crate::protocol::estimate::Figures;
use crate::text::{Lang, Text, fill};
use crate::words;

/// How many GPU types are shown before "show all".
const TOP: usize = 10;

/// How many GPU types an embedded page shows.
const TOP_EMBEDDED: usize = 5;

/// The figures of a compared type that fits.
fn fitting(row: &Compared) -> Option<&Figures> {
    row.result.as_ref().ok().filter(|figures| figures.fits())
}

/// The rows in order: what fits, best first; then what does not, least shortfall first; then what
/// cannot be asked.
fn ordered(market: &Market, objective: Objective) -> Vec<Compared> {
    let ranked = objective::ranked(market, objective);
    let key = |row: &Compared| match &row.result {
        Ok(figures) if figures.fits() => {
            let rank = ranked.iter().position(|place| *place == row.place);
            (0, rank.unwrap_or_default() as f64)
        }
        Ok(figures) => (1, figures.needs_gib / figures.has_gib),
        Err(_) => (2, 0.0),
    };
    // Some fifty rows: inserting one by one is as quick as a sort, and a tenth of its code.
    let mut ordered: Vec<((u8, f64), Compared)> = Vec::with_capacity(market.rows.len());
    for row in &market.rows {
        let key = key(row);
        let place = ordered.iter().position(|(other, _)| key < *other).unwrap_or(ordered.len());
        ordered.insert(place, (key, row.clone()));
    }
    ordered.into_iter().map(|(_, row)| row).collect()
}

/// The first rows, and those that the sentence names wherever they are: the asked one, the fastest
/// and the cheapest.
fn selection(rows: Vec<Compared>, asked: Option<&str>, top: usize) -> Vec<Compared> {
    let (fastest, cheapest) = best(&rows);
    let named = [asked, fastest.map(|row| row.gpu.id), cheapest.map(|row| row.gpu.id)];
    rows.iter()
        .enumerate()
        .filter(|(index, row)| *index < top || named.contains(&Some(row.gpu.id)))
        .map(|(_, row)| row.clone())
        .collect()
}

/// What is said of a type whose best plan fits, but is less sure to than asked.
fn tight(figures: &Figures, lang: Lang) -> Option<String> {
    let less = figures.state == FitState::Tight;
    less.then(|| fit::short(figures.state, figures.probability, lang))
}

fn reason(row: &Compared, text: &Text) -> String {
    match &row.result {
        Ok(figures) => {
            let gib = [format::gib(figures.needs_gib), format::gib(figures.has_gib)];
            fill(text.needs_gib, &[&gib[0], &gib[1]])
        }
        Err(_) => "–".to_owned(),
    }
}

/// The fastest and the cheapest of the types that fit.
fn best(rows: &[Compared]) -> (Option<&Compared>, Option<&Compared>) {
    let fastest = rows.iter().filter_map(|row| Some((row, fitting(row)?.speed)));
    let cheapest = rows.iter().filter_map(|row| Some((row, fitting(row)?.usd()?)));
    (
        fastest.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row),
        cheapest.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row),
    )
}

fn chart(chosen: &Chosen, lang: Lang) -> Gpus {
    let text = lang.text();
    let (fastest, cheapest) = best(&chosen.all);
    let is = |row: &Compared, other: Option<&Compared>| other.is_some_and(|other| other.gpu.id == row.gpu.id);
    let rows = chosen.rows.iter().map(|row| {
        let bars = match fitting(row) {
            None => Bars::Unfit(reason(row, text)),
            Some(answer) => Bars::Fits {
                speed: Bar {
                    value: answer.speed,
                    range: answer.range,
                    label: format::figure(answer.speed),
                    best: is(row, fastest),
                },
                cost: answer.usd().ok_or_else(|| text.price_missing.to_owned()).map(|usd| Bar {
                    value: usd,
                    range: answer.usd_range,
                    label: format::figure(usd),
                    best: is(row, cheapest),
                }),
            },
        };
        Row {
            name: words::gpu_label(row.gpu.id),
            memory: format!("{} GB", format::fixed(row.gpu.memory_gb, 0)),
            plan: fitting(row)
                .map(|answer| match tight(answer, lang) {
                    Some(tight) if answer.layout.is_empty() => tight,
                    Some(tight) => format!("{tight} · {}", answer.layout),
                    None => answer.layout.clone(),
                })
                .unwrap_or_default(),
            selected: Some(row.gpu.id) == chosen.asked.as_deref(),
            missed: chosen.misses(row),
            bars,
        }
    });
    Gpus {
        rows: rows.collect(),
        plan_head: text.col_plan.to_owned(),
        speed_head: text.chart_throughput.to_owned(),
        cost_head: text.chart_cost.to_owned(),
    }
}

/// All about a type, line by line.
fn about(page: Page, row: &Compared) -> Vec<String> {
    let text = page.text();
    let mut lines =
        vec![format!("{}{SEPARATOR}{} GB", words::gpu_label(row.gpu.id), format::fixed(row.gpu.memory_gb, 0))];
    if let Ok(figures) = &row.result {
        let (state, probability) = (figures.state, figures.probability);
        lines.push(fit::short(state, probability, page.lang));
    }
    let Some(answer) = fitting(row) else {
        lines.push(match &row.result {
            Ok(_) => reason(row, text),
            Err(why) => page.say(why),
        });
        return lines;
    };
    let range = answer
        .range
        .map(|[low, high]| format!(" ({}–{})", format::figure(low), format::figure(high)));
    lines.extend([
        format!("{} {}{}", format::figure(answer.speed), text.per_gpu, range.unwrap_or_default()),
        answer.usd().map_or_else(
            || text.price_missing.to_owned(),
            |usd| {
                let range = answer
                    .usd_range
                    .map(|[low, high]| format!(" ({}–{})", format::usd(low), format::figure(high)));
                let usd = format::usd(usd);
                format!("{usd} {}{}", text.per_mt, range.unwrap_or_default())
            },
        ),
        answer.layout.clone(),
    ]);
    lines.retain(|line| !line.is_empty());
    lines
}

/// What the chart shows, in words.
fn takeaway(all: &[Compared], asked: Option<&str>, lang: Lang) -> String {
    let text = lang.text();
    let (fastest, cheapest) = best(all);
    let Some(fastest) = fastest else {
        return text.gpus_none.to_owned();
    };
    let name = |row: &Compared| words::gpu_label(row.gpu.id);
    let yours = all.iter().find(|row| Some(row.gpu.id) == asked);
    let mut sentences = Vec::new();
    match yours.map(|yours| (yours, fitting(yours))) {
        Some((yours, None)) => {
            sentences.push(fill(text.gpus_take_unfit, &[&name(yours), &name(fastest)]));
        }
        Some((yours, Some(answer))) if fastest.gpu.id != yours.gpu.id => {
            let best = fitting(fastest).map_or(0.0, |best| best.speed);
            let times = format::fixed(best / answer.speed, 1);
            let values = [&name(fastest), &times, &name(yours)];
            sentences.push(fill(text.gpus_take_faster, &[values[0], values[1], values[2]]));
        }
        _ => {}
    }
    match cheapest.and_then(|row| Some((row, fitting(row)?.usd()?))) {
        Some((row, _)) if sentences.is_empty() && Some(row.gpu.id) == asked => {
            let count = all.iter().filter(|row| fitting(row).is_some()).count();
            sentences.push(fill(text.gpus_take_best, &[&name(row), &count.to_string()]));
        }
        Some((row, usd)) => sentences.push(fill(text.gpus_take_cheaper, &[&name(row), &format::usd(usd)])),
        None => {}
    }
    if sentences.is_empty() {
        sentences.push(fill(text.gpus_take_fastest, &[&name(fastest)]));
    }
    sentences.join(if lang == Lang::Zh { "" } else { " " })
}

/// What chart and table show now.
struct Chosen {
    objective: Objective,
    /// Every compared type, in order.
    all: Vec<Compared>,
    /// Those that are shown.
    rows: Vec<Compared>,
    /// Catalog id of the asked one.
    asked: Option<String>,
}

impl Chosen {
    /// Whether a type fits, but not the deadline or the budget.
    fn misses(&self, row: &Compared) -> bool {
        fitting(row).is_some_and(|figures| !figures.measures.meets(self.objective))
    }
}

fn chosen(page: Page, embedded: bool) -> Option<Chosen> {
    let market = page.market();
    let shown = page.standing()?;
    let asked = shown.gpu().map(str::to_owned);
    let objective = objective::of(page, &market);
    let all = ordered(&market, objective);
    let top = match (embedded, page.all_gpus.get()) {
        (true, _) => TOP_EMBEDDED,
        (false, false) => TOP,
        (false, true) => usize::MAX,
    };
    let rows = selection(all.clone(), asked.as_deref(), top);
    Some(Chosen { objective, all, rows, asked })
}

/// The chart alone.
pub(super) fn drawing(page: Page, embedded: bool) -> AnyView {
    let draw = move |width| {
        let chosen = chosen(page, embedded)?;
        if chosen.rows.is_empty() {
            return None;
        }
        let chart = chart(&chosen, page.lang);
        let drawing = charts::draw((width, chart.height(width)), |area| chart.draw(area));
        if embedded {
            return Some(image(drawing, label("gpus")));
        }
        let about = chosen.rows.iter().map(|row| about(page, row)).collect();
        let targets = targets(&drawing, chart.boxes(width), about, label("gpus"));
        Some(vec![image(drawing, label("gpus")), targets].into_any())
    };
    plot(label("gpus"), Box::new(draw))
}

/// The sentence of the chart; what is going on until there is one.
pub(super) fn sentence(page: Page) -> String {
    let lang = page.lang;
    let market = page.market();
    if market.rows.is_empty() {
        let total = shardwise_core::catalog::gpus().len().to_string();
        let done = page.comparison.done.get().to_string();
        return fill(lang.text().gpus_counting, &[&done, &total]);
    }
    page.standing()
        .map(|shown| takeaway(&market.rows, shown.gpu(), lang))
        .unwrap_or_default()
}

pub(super) fn view(page: Page, embedded: bool) -> AnyView {
    let note = move || {
        let text = page.text();
        let market = page.market();
        let shown = page.standing()?;
        let gpus = format::grouped(shown.found.job.hardware.gpus.into());
        let searched = [format::grouped(market.considered), market.offers.len().to_string()];
        Some(fill(text.gpus_note, &[&gpus, &searched[0], &searched[1]]))
    };
    let stale = move || page.comparison.done.get() < shardwise_core::catalog::gpus().len();
    let more = move || {
        let total = page.market().rows.len();
        (total > TOP).then(|| {
            let text = page.text();
            let all = page.all_gpus.get();
            let name = if all { text.show_fewer.to_owned() } else { fill(text.show_all, &[&total.to_string()]) };
            el("P.plans-f").child(
                el("BUTTON.btn btn-s|type=button|id=all-gpus")
                    .set("aria-expanded", all.to_string())
                    .on("click", press(move || page.all_gpus.set(!all)))
                    .child(name),
            )
        })
    };
    el("SECTION.block|id=gpus|aria-labelledby=gpus-h")
        .live("aria-busy", move || stale().to_string())
        .child(
            el("DIV.block-h")
                .child(el("H2|id=gpus-h").child(page.text().which_gpu))
                .child((!embedded).then(|| how::button(page, "tokens_per_s_per_gpu", page.text().which_gpu)))
                .child(objective::view(page)),
        )
        .child(objective::limit(page))
        .child(
            el("FIGURE.fgr")
                .child(
                    el("FIGCAPTION")
                        .child(el("P.take|id=c-gpus").child(live(move || sentence(page))))
                        .child(el("P.note").child(live(note))),
                )
                .child(drawing(page, embedded))
                .child(part(more))
                .child(
                    el("DIV.fgr-f")
                        .child(part(move || legends(page)))
                        .child(part(move || table(page, embedded))),
                ),
        )
        .into_any()
}

fn legends(page: Page) -> AnyView {
    let text = page.text();
    let missing = objective::missing(objective::of(page, &page.market()), text);
    let coverage = page
        .shown
        .with(|shown| shown.as_ref().and_then(|shown| shown.found.answer.interval))
        .map(|interval| {
            let name = fill(text.interval_legend, &[&format::percent(interval.coverage, 0)]);
            el("LI")
                .child(
                    el("svg.lg|viewBox=0 0 18 10|aria-hidden=true").child(el("path.whisk|d=M1 5H17M1 1.5v7M17 1.5v7")),
                )
                .child(name)
        });
    el("UL.legend")
        .child(legend("k-sel", text.yours.to_owned()))
        .child(legend("k-bar", text.others.to_owned()))
        .child(coverage)
        .child(missing.map(|name| legend("k-missed", name.to_owned())))
        .child(legend("k-idle", text.does_not_fit.to_owned()))
        .into_any()
}

/// What a row of a table of GPU types does: choose its type.
pub(super) fn action(page: Page, id: &'static str, yours: bool) -> AnyView {
    let text = page.text();
    if yours {
        return el("B").child(text.yours).into_any();
    }
    el("BUTTON.btn btn-s|type=button")
        .on("click", press(move || page.change(|form| form.choose_gpu(id))))
        .child(text.use_gpu)
        .child(el("SPAN.vh").child(" ").child(words::gpu_label(id)))
        .into_any()
}

fn table(page: Page, embedded: bool) -> AnyView {
    let text = page.text();
    let Some(chosen) = chosen(page, embedded) else {
        return ().into_any();
    };
    let lines = chosen.rows.iter().map(|row| {
        let label = words::gpu_label(row.gpu.id);
        let yours = Some(row.gpu.id) == chosen.asked.as_deref();
        let action = action(page, row.gpu.id, yours);
        let missed = objective::missing(chosen.objective, text)
            .filter(|_| chosen.misses(row))
            .map(|name| el("SPAN.tag tag-bad").child(name));
        let less = fitting(row).and_then(|figures| tight(figures, page.lang));
        let less = less.map(|words| el("SPAN.tag tag-warn").child(words));
        let cells = match &row.result {
            Ok(answer) if answer.fits() => vec![
                node(cell(text.per_gpu, format::figure(answer.speed))),
                node(cell(text.col_mt_hour, format::figure(answer.mtok_per_hour))),
                node(cell(text.col_usd_mt, answer.usd().map(format::figure).unwrap_or_default())),
                node(el("TD").set("data-l", text.col_plan).child(answer.layout.clone())),
            ]
            .into_any(),
            Ok(figures) => el("TD|colspan=4")
                .child(fit::short(figures.state, figures.probability, page.lang))
                .child(": ")
                .child(reason(row, text))
                .into_any(),
            Err(error) => el("TD|colspan=4").child(page.say(error)).into_any(),
        };
        let class = match (yours, fitting(row).is_some()) {
            (true, _) => "is-sel",
            (false, true) => "",
            (false, false) => "is-off",
        };
        el("TR")
            .set("class", class)
            .child(el("TH|scope=row").child(label).child(" ").child(missed).child(less))
            .child(cells)
            .child(el("TD").child(action))
    });
    let heads = vec![
        node(head(text.col_gpu, false)),
        node(head(text.per_gpu, true)),
        node(head(text.col_mt_hour, true)),
        node(head(text.col_usd_mt, true)),
        node(head(text.col_plan, false)),
        node(el("TH|scope=col").child(el("SPAN.vh").child(text.action))),
    ];
    folded_table(page, text.which_gpu.to_owned(), 8, heads.into_any(), node(all(lines)))
}
